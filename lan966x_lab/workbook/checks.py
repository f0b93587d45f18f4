"""Checks for exercises: a ladder of five rungs, narrated like a test script.

A check never says only "wrong". It says what it did, what should have been seen, and what was seen, up to the
first step that went wrong, and why that happens when it knows the mistake. The classroom grades with the same
ladder: :meth:`Verdict.require` raises with the same sentences.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from .palette import MARK
from .svg import clean
from .twin import Twin


class Rung(IntEnum):
    """How far an answer has come."""

    NOT_DEFINED = 0
    NOT_STARTED = 1
    WRONG = 2
    ALMOST = 3
    RIGHT = 4


@dataclass(frozen=True)
class Step:
    """One thing that a check does, and what should be seen then.

    Args:
        want: the value that should be seen; an exception class says that the call should be refused with it.
        args: what the learner's function is called with; copied afresh for each run. ``None``: the name
            holds a plain value, which is looked at itself.
        did: the step in words, such as "set DSTS to 5 in a dirty header"; without it the call is shown.
        look: what is seen, from ``(result, args after the call)``; without it, the result. A function that
            works in place is looked at with ``lambda result, args: args[0]``; for a plain value, ``args`` is
            empty.
        changes: the positions in ``args`` that the function may change; a change elsewhere is a mistake.
        edge: an edge case. When only edge cases fail, the answer is almost right.
        mistakes: (what was seen, why) pairs for mistakes that are known; the first part is a value or a
            predicate.
    """

    want: Any
    args: tuple[Any, ...] | None = ()
    did: str = ""
    look: Callable[[Any, tuple[Any, ...]], Any] | None = None
    changes: tuple[int, ...] = ()
    edge: bool = False
    mistakes: Sequence[tuple[Any, str]] = ()


@dataclass(frozen=True)
class Verdict(Twin):
    """What a check found: the rung, the narration, and how many steps passed."""

    name: str
    rung: Rung
    lines: tuple[str, ...]
    passed: int
    total: int

    def __bool__(self) -> bool:
        return self.rung is Rung.RIGHT

    def require(self) -> "Verdict":
        """The verdict itself when the answer is right; graders call it.

        Raises:
            AssertionError: the answer is not right; the message is the whole narration.
        """
        if not self:
            raise AssertionError(self.text())
        return self

    def html(self) -> str:
        """The narration in a box; the first line names the rung, the colour repeats it."""
        colour = MARK[
            {Rung.WRONG: "bad", Rung.ALMOST: "almost", Rung.RIGHT: "good"}.get(self.rung, "neutral")
        ]
        head, *rest = self.lines
        body = "".join(f"<div>{clean(line)}</div>" for line in rest)
        return (
            f'<div style="border-left:4px solid {colour};padding:2px 10px;margin:4px 0;line-height:1.5">'
            f'<div style="font-weight:600">{clean(head)}</div>{body}</div>'
        )

    def text(self) -> str:
        """The narration, line by line."""
        return "\n".join(self.lines)


class Check:
    """The check of one exercise.

    >>> check = Check("double", [Step(6, (3,)), Step(0, (0,), edge=True)])
    >>> def double(x):
    ...     raise NotImplementedError("return twice x")
    >>> print(check(double))
    double: not started.
    It says: return twice x
    >>> print(check(lambda x: x * x))
    double: wrong, step 1 of 2.
    Did: double(3)
    Should have seen: 6
    Saw: 9
    >>> print(check(lambda x: 2 * x))
    double: right. Visible checks passed (2).

    Args:
        name: the name that the learner defines.
        steps: in the order that they are run; the first that fails ends the narration.
        hint: one sentence for an answer that is not defined or not started: the next thing to do.
        hidden: these are the checks that run when an exercise is graded; the verdict says so.
    """

    def __init__(self, name: str, steps: Sequence[Step], hint: str = "", *, hidden: bool = False) -> None:
        if not steps:
            raise ValueError(f"the check of {name} has no steps; a check that cannot fail checks nothing")
        self.name, self.steps, self.hint = name, list(steps), hint
        self.kind = "Hidden" if hidden else "Visible"

    def __call__(self, answer: Any) -> Verdict:
        """Judge ``answer``: the object itself, or a namespace such as ``globals()`` in which its name is
        looked up.

        The namespace form also serves a name that does not exist yet.
        """
        if isinstance(answer, Mapping) and (self.name in answer or "__name__" in answer):
            if self.name not in answer:
                return self._early(Rung.NOT_DEFINED, "not defined", "Run the cell that defines it.")
            answer = answer[self.name]
        if answer is None or answer is ...:
            return self._early(
                Rung.NOT_DEFINED, "not defined", f"It still holds {_show(answer)}, and waits for your answer."
            )
        if self.steps[0].args is not None and not callable(answer):
            line = f"It is {_kind(answer)}, and a function is asked for."
            return Verdict(self.name, Rung.WRONG, (f"{self.name}: wrong. {line}",), 0, len(self.steps))

        failures: list[tuple[int, Step, list[str]]] = []
        for index, step in enumerate(self.steps, 1):
            try:
                lines = _run(self.name, answer, step)
            except NotImplementedError as error:
                said = f"It says: {error}" if str(error) else ""
                return self._early(Rung.NOT_STARTED, "not started", said)
            if lines:
                failures.append((index, step, lines))
        total = len(self.steps)
        passed = total - len(failures)
        if not failures:
            return Verdict(
                self.name,
                Rung.RIGHT,
                (f"{self.name}: right. {self.kind} checks passed ({total}).",),
                total,
                total,
            )
        rung = Rung.ALMOST if all(step.edge for _, step, _ in failures) else Rung.WRONG
        index, _, lines = next(failure for failure in failures if rung is Rung.ALMOST or not failure[1].edge)
        head = (
            f"{self.name}: almost, {passed} of {total} steps pass; step {index} is an edge case."
            if rung is Rung.ALMOST
            else f"{self.name}: wrong, step {index} of {total}."
        )
        return Verdict(self.name, rung, (head, *lines), passed, total)

    def _early(self, rung: Rung, what: str, why: str) -> Verdict:
        lines = (f"{self.name}: {what}.", why, self.hint and f"Next: {self.hint}")
        return Verdict(self.name, rung, tuple(line for line in lines if line), 0, len(self.steps))


def _run(name: str, answer: Any, step: Step) -> list[str]:
    """Run one step; the narration when it fails, an empty list when it passes."""
    args = deepcopy(step.args)
    call = "" if args is None else f"{name}({', '.join(_show(arg) for arg in args)})"
    did, may_change = step.did or call or f"looked at {name}", step.changes
    try:
        result = answer if args is None else answer(*args)
    except NotImplementedError:
        raise
    except Exception as error:  # whatever the learner's code raises belongs into the narration
        if not (_is_refusal(step.want) and isinstance(error, step.want)):
            saw = f"Saw: {type(error).__name__}: {error}{_place(error, answer)}"
            return [f"Did: {did}", f"Should have seen: {_show(step.want)}", saw]
        seen, may_change = step.want, ()  # who refuses changes nothing
    else:
        seen = step.look(result, args or ()) if step.look else result
    spoilt = next(
        (
            i
            for i, (arg, was) in enumerate(zip(args or (), step.args or (), strict=True))
            if i not in may_change and not _same(arg, was)
        ),
        None,
    )
    lines = [f"Did: {did}", f"Should have seen: {_show(step.want)}", f"Saw: {_show(seen)}"]
    if not _same(seen, step.want):
        return lines + [f"Why: {why}" for why in [_diagnosis(seen, step)] if why]
    if spoilt is not None:
        assert step.args is not None
        what, was = "refused" if _is_refusal(step.want) else "the value is right", _show(step.args[spoilt])
        why = f"Why: {what}, but argument {spoilt + 1} was changed; leave it as it was: {was}."
        return [*lines, why]
    return []


def _diagnosis(seen: Any, step: Step) -> str:
    for sign, why in step.mistakes:
        if sign(seen) if callable(sign) else _same(seen, sign):
            return why
    if _is_refusal(step.want):
        return f"the call went through; raise {_show(step.want)} before anything is changed."
    if seen is None:
        return "the function returned nothing; does it end with return?"
    if not _alike(seen, step.want):
        return f"it is {_kind(seen)}, and {_kind(step.want)} is asked for."
    if isinstance(step.want, bytes | bytearray | str | list | tuple) and len(seen) != len(step.want):
        return f"the length is {len(seen)}, and {len(step.want)} is asked for."
    if isinstance(step.want, bytes | bytearray):
        at = next(i for i, (a, b) in enumerate(zip(seen, step.want, strict=True)) if a != b)
        return f"byte {at} is the first that differs: {seen[at]:#04x} instead of {step.want[at]:#04x}."
    return ""


def _same(one: Any, other: Any) -> bool:
    """Equal in value and alike in type: 1 is not True, 2 is not 2.0, a NumPy array equals elementwise."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if not _alike(one, other):
        return False
    if isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in other)
    return bool(one == other)


def _is_refusal(want: Any) -> bool:
    return isinstance(want, type) and issubclass(want, Exception)


def _alike(one: Any, other: Any) -> bool:
    """Whether a learner may use one type for the other: NumPy integers for int, bytearray for bytes."""
    groups: tuple[tuple[type, ...], ...] = (
        (bool, np.bool_),
        (int, np.integer),
        (float, np.floating),
        (bytes, bytearray),
    )
    for group in groups:
        if isinstance(other, group):
            return isinstance(one, group) and (bool in group or not isinstance(one, bool))
    return isinstance(one, type(other))


def _show(value: Any) -> str:
    """A short text for a value that is the same on every run."""
    if isinstance(value, bytes | bytearray):
        return (
            f"{len(value)} bytes {value.hex(' ')}"
            if len(value) <= 32
            else f"{len(value)} bytes {value[:32].hex(' ')} …"
        )
    if isinstance(value, np.generic):
        value = value.item()
    if value is ...:
        return "..."
    if isinstance(value, type):
        return value.__name__
    text = repr(value)
    if " at 0x" in text:
        text = _kind(value)
    return text if len(text) <= 200 else text[:199] + "…"


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _place(error: Exception, answer: Any) -> str:
    """Where in the learner's own code the exception came from."""
    code = getattr(answer, "__code__", None)
    if code is None:
        return ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == code.co_filename]
    if not frames:
        return ""
    frame = frames[-1]
    line = (frame.lineno or code.co_firstlineno) - code.co_firstlineno + 1
    return (
        f", in line {line} of {frame.name}: {frame.line}"
        if frame.name == code.co_name
        else f", in {frame.name}: {frame.line}"
    )

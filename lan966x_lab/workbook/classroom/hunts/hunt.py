"""The bug hunt: the learner writes a test, and faulty versions of the lab's functions judge it.

A test is good when it passes on the right version and fails on a faulty one. So it is run on the right
version, on a second right version that is written another way, and on one faulty version after the other;
each fault that it misses gets a sentence. Every fault is one that a real driver had, or has by our reading.

=====================  =====================================================================================
``Mutant``             one faulty version, what was seen because of it, and where that is written down
``Subject``            the right version (its docstring is the specification), a second one, and its mutants
``Hunt``               all subjects of one family, and the verdict on a test
``Catch``              that verdict: which mutants were caught; it gives the points
=====================  =====================================================================================

The test gets a :class:`Lab`, whose parts look alike in every version: same name, same docstring, no way to
the source by the usual means. That is a veil and no safe; who digs is found out by the second right version.
"""

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ...checks import Rung, Verdict
from .lab import STEPS, Run, TooLongError, dead, run, show

__all__ = ["Catch", "Hunt", "Mutant", "Points", "Subject"]


@dataclass(frozen=True)
class Mutant:
    """One faulty version.

    Attributes:
        case: its name in our collection of faults, such as "A3".
        faulty: the function or the class; it differs from the right one in the fault and in nothing else.
        story: what the fault was in the real driver.
        missed: the sentence for a test that misses it: what a user would see, and not what to test.
        source: who says so: a commit, an issue, or our own reading.
        url: where to read it.
    """

    case: str
    faulty: Any
    story: str
    missed: str
    source: str
    url: str


@dataclass(frozen=True)
class Subject:
    """A function or a class under test.

    Attributes:
        right: the right version; its docstring is the specification.
        again: a second right version, written another way. A test that passes on ``right`` and fails here
            asserts more than the specification promises, or looks at how the code is written.
        mutants: the faulty ones.
    """

    right: Any
    again: Any
    mutants: Sequence[Mutant]

    @property
    def name(self) -> str:
        """What the test calls it."""
        return str(self.right.__name__)


@dataclass(frozen=True)
class Catch(Verdict):
    """What a test caught. ``cases`` says of each mutant, in order, whether the test fails on it."""

    cases: tuple[tuple[str, bool], ...] = ()
    family: str = ""

    def points(self) -> "Points":
        """One point for each fault that is caught; nbgrader takes the number at the end of a check cell.

        Raises:
            AssertionError: there are no points; the message is the narration.
        """
        if not self.passed:
            raise AssertionError(self.text())
        return Points(self)


class Points(int):
    """A number of points that shows what it is for: a grader reads the number, a person the narration.

    The cell's output has the number as ``text/plain``, and the narration as ``text/html`` and
    ``text/markdown``.
    """

    catch: Catch

    def __new__(cls, catch: Catch) -> "Points":
        """The points of ``catch``, which stays with them."""
        number = super().__new__(cls, catch.passed)
        number.catch = catch
        return number

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {
            "text/plain": str(int(self)),
            "text/html": self.catch.html(),
            "text/markdown": self.catch.text(),
        }


class Hunt:
    """The hunt in one family of faults; call it with the learner's test, or with ``globals()``.

    Args:
        name: the test that the learner defines.
        family: what the faults have in common, in a word or two.
        subjects: what is tested.
        tools: what the lab has besides, by name; the same, and right, in every version.
    """

    def __init__(
        self,
        name: str,
        family: str,
        subjects: Sequence[Subject],
        tools: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.name, self.family, self.subjects = name, family, list(subjects)
        self.tools = dict(tools)
        self.right = {subject.name: subject.right for subject in self.subjects}

    @cached_property
    def mutants(self) -> list[tuple[str, Mutant]]:
        """All mutants in the order of their cases, each with the name of what it replaces."""
        found = [(subject.name, mutant) for subject in self.subjects for mutant in subject.mutants]
        return sorted(found, key=lambda pair: (pair[1].case[0], int(pair[1].case[1:])))

    def __call__(self, answer: Any) -> Catch:
        """Judge a test: the function, or a namespace such as ``globals()`` in which it is looked up."""
        test, early = self._look_up(answer)
        if early is not None:
            return early
        first = run(test, self.right, self.right, self.tools, quiet=False)
        if isinstance(first.error, NotImplementedError):
            return self._nothing("not started", f"It says: {first.error}", rung=Rung.NOT_STARTED)
        if first.error or not first.calls:
            return self._no_test(test, first)
        if self._run(test, self.right).error:
            return self._unsteady()
        if self._run(test, {subject.name: subject.again for subject in self.subjects}).error:
            return self._nothing(
                "wrong",
                "It passes on the right version, and fails on a second right version.",
                "That one is written another way and keeps the same specification. Your test asks for more "
                "than the specification promises, or it looks at how the code is written.",
                "Next: call the parts of the lab, and assert what the specification says about the result.",
            )
        cases = tuple((mutant.case, self._fails(test, name, mutant)) for name, mutant in self.mutants)
        if self._run(test, self.right).error:
            return self._unsteady()
        return self._judged(test, cases, len(first.calls))

    def hole(self, answer: Any, args: tuple[Any, ...], **faulty: Callable[..., Any]) -> Verdict:
        """Judge a faulty version of the learner's own: is it wrong, and does the test miss it?

        Args:
            answer: the test, or a namespace, as above.
            args: a call on which right and faulty differ.
            faulty: one part's name and what is to replace it, such as ``get_field=mine``.

        Raises:
            ValueError: no part has that name, or more than one is named.
        """
        if len(faulty) != 1 or not faulty.keys() <= self.right.keys():
            raise ValueError(f"replace one of {', '.join(self.right)}, not {', '.join(faulty) or 'nothing'}")
        ((name, mine),) = faulty.items()
        test, early = self._look_up(answer)
        if early is not None:
            return early
        before = self._run(test, self.right).error
        if isinstance(before, NotImplementedError):
            return self._nothing("not started", f"It says: {before}", rung=Rung.NOT_STARTED)
        what = f"hole in {self.name}"
        try:
            seen = [_outcome(version, args) for version in (self.right[name], mine)]
        except NotImplementedError as error:
            return Verdict(what, Rung.NOT_STARTED, (f"{what}: not started.", f"It says: {error}"), 0, 1)
        if before:
            head, line = "wrong", f"{self.name} fails on the right version; mend that first."
        elif seen[0] == seen[1]:
            head, line = (
                "wrong",
                f"right and yours do the same here: {seen[0]}. Find a call where they differ.",
            )
        elif self._run(test, self.right | {name: mine}).error:
            head, line = "wrong", f"{self.name} fails on your {name}: it is caught."
        else:
            line = f"The right one gives {seen[0]}, yours {seen[1]}, and {self.name} passes on both."
            return Verdict(what, Rung.RIGHT, (f"{what}: right.", line), 1, 1)
        return Verdict(what, Rung.WRONG, (f"{what}: {head}.", line), 0, 1)

    def _look_up(self, answer: Any) -> tuple[Any, Catch | None]:
        if isinstance(answer, Mapping):
            if self.name not in answer:
                return None, self._nothing(
                    "not defined", "Run the cell that defines it.", rung=Rung.NOT_DEFINED
                )
            answer = answer[self.name]
        if answer is None or answer is ...:
            return None, self._nothing(
                "not defined", f"It still holds {answer}, and waits for your answer.", rung=Rung.NOT_DEFINED
            )
        how = f"Write it as a function of one argument: def {self.name}(lab)."
        if not callable(answer):
            return None, self._nothing("wrong", f"It is of type {type(answer).__name__}.", how)
        try:
            inspect.signature(answer).bind(None)
        except (TypeError, ValueError):
            return None, self._nothing("wrong", "It cannot be called with the lab as its only argument.", how)
        return answer, None

    def _no_test(self, test: Any, first: Run) -> Catch:
        """The verdict on what ends badly on the right version, or does not look at it."""
        if first.error is None:
            return self._nothing(
                "wrong",
                "It passes, and calls nothing of the lab: it would pass on every version.",
                f"Next: call {_listed([f'lab.{name}' for name in self.right])}, and assert what comes back.",
            )
        if isinstance(first.error, TooLongError):
            return self._nothing(
                "wrong",
                f"It does not end on the right version, or not soon: it was stopped after {STEPS:,} lines.",
                "Next: give every loop of the test a bound.",
            )
        place, last = _place(first.error, test), first.calls[-1:]
        lines = [f"Last call: lab.{call}" for call in last]
        if isinstance(first.error, AssertionError):
            lines.insert(0, f"It fails on the right version{place}")
            if str(first.error):
                lines.insert(1, f"It says: {first.error}")
        else:
            kind = type(first.error).__name__
            lines.insert(0, f"It breaks off on the right version with {kind}: {first.error}{place}")
        if not last:
            lines.append("It has called nothing of the lab by then: it fails on everything.")
        elif all(self._fails(test, name, mutant) for name, mutant in self.mutants):
            lines.append(
                f"It fails on all {len(self.mutants)} faulty ones, too: what always fails says nothing."
            )
        lines.append(
            "Next: work out by hand what the specification promises for this call."
            if isinstance(first.error, AssertionError)
            else "Next: call it as the specification says."
        )
        return self._nothing("wrong", *lines)

    def _judged(self, test: Any, cases: tuple[tuple[str, bool], ...], calls: int) -> Catch:
        caught = sum(hit for _, hit in cases)
        missed = [
            f"Missed {mutant.case}: {mutant.missed}"
            for (_, mutant), (_, hit) in zip(self.mutants, cases, strict=True)
            if not hit
        ]
        rung = Rung.RIGHT if not missed else Rung.ALMOST if caught else Rung.WRONG
        lines = [f"{self.name}: {rung.name.lower()}. Caught {caught} of {len(cases)} with {_times(calls)}."]
        if not caught:
            errors = [self._run(test, version).error for version in dead(self.right)]
            lines.append(
                "It asserts what every version does, right or faulty."
                if any(isinstance(error, AssertionError) for error in errors)
                else "It passes even where nothing does anything: it asserts nothing about what it calls."
            )
        return Catch(self.name, rung, (*lines, *missed), caught, len(cases), cases, self.family)

    def _unsteady(self) -> Catch:
        return self._nothing(
            "wrong",
            "It passes on the right version once, and fails on it another time.",
            "Next: make what it needs inside the test, afresh each time, and leave nothing to chance.",
        )

    def _nothing(self, head: str, *lines: str, rung: Rung = Rung.WRONG) -> Catch:
        cases = tuple((mutant.case, False) for _, mutant in self.mutants)
        return Catch(self.name, rung, (f"{self.name}: {head}.", *lines), 0, len(cases), cases, self.family)

    def _fails(self, test: Any, name: str, mutant: Mutant) -> bool:
        return self._run(test, self.right | {name: mutant.faulty}).error is not None

    def _run(self, test: Any, version: Mapping[str, Any]) -> Run:
        return run(test, self.right, version, self.tools)


def _outcome(version: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What a call does, in words: the result, and the arguments if it changed them."""
    fresh = [bytearray(arg) if isinstance(arg, bytearray) else arg for arg in args]
    try:
        result = show(version(*fresh))
    except NotImplementedError:
        raise
    except Exception as error:  # a faulty version may raise anything
        result = type(error).__name__
    changed = [show(arg) for arg, was in zip(fresh, args, strict=True) if arg != was]
    return ", and ".join([result, *changed])


def _place(error: BaseException, test: Any) -> str:
    """Where in the learner's cell the error came up."""
    file = getattr(getattr(test, "__code__", None), "co_filename", None)
    frames = [entry for entry in traceback.extract_tb(error.__traceback__) if entry.filename == file]
    if not frames:
        return "."
    return f", in line {frames[-1].lineno} of the cell: {frames[-1].line}"


def _times(calls: int) -> str:
    return f"{calls} call{'' if calls == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"

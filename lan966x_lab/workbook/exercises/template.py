"""The exercises of notebook 05: the savings that fit two rows, and a template that nothing leaks out of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lan966x_lab.ifh import OCELOT

from ..checks import Check, Step
from ..explorers.tworows import printed_rows

__all__ = ["make_template_check", "saving_check"]

APART = 100  # ns: how near to the end of the range an answer has to be


def _ends(answer: Any, _: tuple[Any, ...]) -> str:
    """Whether the two savings fit, and whether the ones a little further out do."""
    if not (isinstance(answer, tuple | list) and len(answer) == 2 and all(type(ns) is int for ns in answer)):
        return f"no pair of whole numbers of ns: {answer!r}"
    low, high = answer
    rows = printed_rows().exchanged()

    def fits(ns: int) -> str:
        return "fits" if rows.common is not None and ns in rows.common else "does not"

    return (
        f"the smallest {fits(low)}, {APART} less {fits(low - APART)}; "
        f"the largest {fits(high)}, {APART} more {fits(high + APART)}"
    )


saving_check = Check(
    "saving",
    [
        Step(
            f"the smallest fits, {APART} less does not; the largest fits, {APART} more does not",
            None,
            did=f"tried both of your savings on the exchanged rows, and both {APART} ns further out",
            look=_ends,
            mistakes=[
                (
                    lambda seen: seen.startswith(f"the smallest fits, {APART} less fits"),
                    "smaller ones fit, too.",
                ),
                (lambda seen: seen.endswith(f"{APART} more fits"), "larger ones fit, too."),
                (lambda seen: seen.startswith("no pair"), "write saving = (…, …), in ns."),
                (
                    lambda seen: "does not, " in seen,
                    "a saving has to fit both rows, and the labels are exchanged.",
                ),
            ],
        )
    ],
    hint="try savings in the explorer with the labels exchanged, and put the two ends of the range here.",
)

PORT_3 = {"BYPASS": 1, "DEST": 1 << 3}
PLAIN = {"TCI": 0, "REW_OP": 0}
PTP = {"TCI": 0, "REW_OP": 3 | 5 << 3}
TAGGED = {"TCI": 3 << 13 | 100, "REW_OP": 0}

Stamp = Callable[[Mapping[str, int]], bytes]


def _header(*values: Mapping[str, int]) -> bytes:
    """The plain model: a header is one integer, a sum of shifted values."""
    fields = {name: value for some in values for name, value in some.items()}
    word = sum(value << OCELOT.tx[name].pos for name, value in fields.items())
    return word.to_bytes(OCELOT.tx.nbytes, "big")


def _seen(use: Callable[[Stamp, dict[str, int]], Sequence[Any]]) -> Callable[[Any, tuple[Any, ...]], Any]:
    """What ``use`` gets out of the function that the learner's ``make_template`` returned, as bytes."""

    def look(stamp: Any, args: tuple[Any, ...]) -> Any:
        if not callable(stamp):
            return f"no function: {stamp!r}"
        try:
            return [_now(header) for header in use(stamp, args[0])]
        except Exception as error:  # the learner's function runs here, after make_template has returned
            return f"{type(error).__name__}: {error}"

    return look


def _each(*frames: Mapping[str, int]) -> Callable[[Stamp, dict[str, int]], Sequence[Any]]:
    """Stamp these frames one after the other and look at each header at once."""
    return lambda stamp, fixed: [_now(stamp(frame)) for frame in frames]


def _now(header: Any) -> Any:
    return bytes(header) if isinstance(header, bytes | bytearray) else header


def _kept(stamp: Stamp, fixed: dict[str, int]) -> Sequence[Any]:
    """Stamp three frames, and look when all of them are made, as when they wait in a queue."""
    return [stamp(frame) for frame in (PTP, TAGGED, PLAIN)]


def _forgotten(stamp: Stamp, fixed: dict[str, int]) -> Sequence[Any]:
    """Take away what was fixed, then stamp: everything was prepared before, or it is missing now."""
    fixed.clear()
    return [stamp(PLAIN)]


def _refused(stamp: Stamp, fixed: dict[str, int]) -> Sequence[Any]:
    try:
        stamp({"REW_OP": 512})
    except ValueError:
        return ["refused", _now(stamp(PLAIN))]
    return ["not refused", _now(stamp(PLAIN))]


_STALE = "a later frame holds what an earlier one set: the prepared header was changed; patch a copy of it."
_SHARED = (
    "the headers changed after they were handed out: all of them are one buffer; make a new one each time."
)

make_template_check = Check(
    "make_template",
    [
        Step(
            [_header(PORT_3)],
            (PORT_3,),
            did="stamped a plain frame for port 3",
            look=_seen(_each(PLAIN)),
            mistakes=[
                (
                    lambda seen: isinstance(seen, str) and seen.startswith("no function"),
                    "return the function.",
                ),
                ([_header()], "what is fixed is missing."),
            ],
        ),
        Step(
            [_header(PORT_3, TAGGED), _header(PORT_3, PTP)],
            (PORT_3,),
            did="stamped a VLAN frame, then a PTP frame",
            look=_seen(_each(TAGGED, PTP)),
            mistakes=[
                ([_header(PORT_3, TAGGED), _header(PORT_3, {**TAGGED, "REW_OP": PTP["REW_OP"]})], _STALE)
            ],
        ),
        Step(
            [_header(PORT_3, PTP), _header(PORT_3), _header(PORT_3, PTP)],
            (PORT_3,),
            did="stamped a PTP frame, a plain one, and a PTP frame again",
            look=_seen(_each(PTP, PLAIN, PTP)),
            mistakes=[([_header(PORT_3, PTP)] * 3, _STALE)],
        ),
        Step(
            [_header(PORT_3, PTP), _header(PORT_3, TAGGED), _header(PORT_3)],
            (PORT_3,),
            did="stamped three frames, which wait in a queue, and looked at them then",
            look=_seen(_kept),
            mistakes=[(lambda seen: isinstance(seen, list) and seen[0] == seen[1] == seen[2], _SHARED)],
        ),
        Step(
            [_header(PORT_3)],
            (PORT_3,),
            did="emptied the dictionary of fixed fields once the template was made, then stamped",
            look=_seen(_forgotten),
            changes=(0,),
            mistakes=[
                (
                    [_header()],
                    "the fixed fields are set anew for each frame; prepare them once, outside of stamp.",
                )
            ],
        ),
        Step(
            ["refused", _header(PORT_3)],
            (PORT_3,),
            did="stamped REW_OP = 512, which has one bit too many, then a plain frame",
            look=_seen(_refused),
            edge=True,
            mistakes=[
                (lambda seen: seen[0] == "not refused", "a value that does not fit has to be refused.")
            ],
        ),
        Step(
            [_header({"DEST": 1 << 3}), _header(PORT_3)],
            (PORT_3,),
            did="stamped BYPASS = 0, for once, then a plain frame",
            look=_seen(_each({"BYPASS": 0}, PLAIN)),
            edge=True,
            mistakes=[
                (
                    [_header(PORT_3)] * 2,
                    "a zero was skipped where the prepared header holds a 1; skip what is there already.",
                )
            ],
        ),
    ],
    hint="encode what is fixed first, outside of stamp; inside, begin with a copy.",
)

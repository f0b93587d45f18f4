"""The exercises of notebook 05: the savings that fit two rows, and a template that nothing leaks out of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lan966x_lab.ifh import OCELOT

from ..checks import Check, Step
from ..explorers.tworows import printed_rows

__all__ = ["make_template_check", "saving_check"]

APART = 100  # ns: how near to the end of the range an answer has to be
US_AT_MOST = 100  # who gives two numbers no larger than this has not given ns


def _ends(answer: Any, _: tuple[Any, ...]) -> str:
    """How far the two savings are from the ends of the range that fits both rows."""
    if not (isinstance(answer, tuple | list) and len(answer) == 2 and all(map(_is_number, answer))):
        return f"no pair of numbers: {answer!r}"
    low, high = answer
    if max(abs(low), abs(high)) <= US_AT_MOST:
        return f"{low} ns and {high} ns"
    if low > high:
        return f"the first, {low}, is larger than the second, {high}"
    fits = printed_rows().exchanged().common
    assert fits is not None  # a test holds it: these two rows meet
    return f"the smallest {_place(low - fits.low)}; the largest {_place(fits.high - high)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(inside: Any) -> str:
    """Where a saving is that lies so many ns inside of an end of the range."""
    return _NEAR if abs(inside) <= APART else _INSIDE if inside > 0 else _OUTSIDE


_NEAR = f"within {APART} ns of the end"
_INSIDE = f"fits, and so does one {APART} ns further out"
_OUTSIDE = f"does not fit, by more than {APART} ns"

saving_check = Check(
    "saving",
    [
        Step(
            f"the smallest {_NEAR}; the largest {_NEAR}",
            None,
            did="tried both of your savings on the exchanged rows",
            look=_ends,
            mistakes=[
                (lambda seen: seen.startswith("no pair"), "write saving = (…, …), in ns."),
                (lambda seen: seen.startswith("the first"), "give the smallest first, then the largest."),
                (
                    lambda seen: not seen.startswith("the "),
                    "these look like µs; 12.5 µs, for example, are 12_500 ns.",
                ),
                (
                    lambda seen: _OUTSIDE in seen,
                    "a saving has to fit both rows, and the labels are exchanged.",
                ),
                (lambda seen: seen.startswith(f"the smallest {_INSIDE}"), "smaller ones fit, too."),
                (lambda seen: seen.endswith(_INSIDE), "larger ones fit, too."),
            ],
        )
    ],
    hint="try savings in the explorer with the labels exchanged, and put the two ends of the range here.",
)

PORT_3 = {"BYPASS": 1, "DEST": 1 << 3}
PLAIN = {"TCI": 0, "REW_OP": 0}
PTP = {"TCI": 0, "REW_OP": 3 | 5 << 3}
TAGGED = {"TCI": 3 << 13 | 100, "REW_OP": 0}

ORDER, TAG = {"REW_OP": PTP["REW_OP"]}, {"TCI": 100}

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
        except NotImplementedError:
            raise  # stamp itself is not started
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


_NO_TYPE = (lambda seen: isinstance(seen, str), "")
"""Last of the mistakes of each step: what was seen is an error, and its own words say more than its type."""
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
                _NO_TYPE,
            ],
        ),
        Step(
            [_header(PORT_3, TAGGED), _header(PORT_3, PTP)],
            (PORT_3,),
            did="stamped a VLAN frame, then a PTP frame",
            look=_seen(_each(TAGGED, PTP)),
            mistakes=[
                ([_header(PORT_3, TAGGED), _header(PORT_3, {**TAGGED, "REW_OP": PTP["REW_OP"]})], _STALE),
                _NO_TYPE,
            ],
        ),
        Step(
            [_header(PORT_3, PTP), _header(PORT_3), _header(PORT_3, PTP)],
            (PORT_3,),
            did="stamped a PTP frame, a plain one, and a PTP frame again",
            look=_seen(_each(PTP, PLAIN, PTP)),
            mistakes=[([_header(PORT_3, PTP)] * 3, _STALE), _NO_TYPE],
        ),
        Step(
            [_header(PORT_3, ORDER), _header(PORT_3), _header(PORT_3, TAG)],
            (PORT_3,),
            did=f"stamped frames that do not name every field: {ORDER}, {{}}, {TAG}",
            look=_seen(_each(ORDER, {}, TAG)),
            mistakes=[
                ([*[_header(PORT_3, ORDER)] * 2, _header(PORT_3, ORDER, TAG)], _STALE),
                (
                    lambda seen: isinstance(seen, str) and seen.startswith("KeyError"),
                    "a frame names only what it sets; go through the fields that are there.",
                ),
                _NO_TYPE,
            ],
        ),
        Step(
            [_header(PORT_3, PTP), _header(PORT_3, TAGGED), _header(PORT_3)],
            (PORT_3,),
            did="stamped three frames, which wait in a queue, and looked at them then",
            look=_seen(_kept),
            mistakes=[
                (lambda seen: isinstance(seen, list) and seen[0] == seen[1] == seen[2], _SHARED),
                _NO_TYPE,
            ],
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
                ),
                _NO_TYPE,
            ],
        ),
        Step(
            ["refused", _header(PORT_3)],
            (PORT_3,),
            did="stamped REW_OP = 512, which has one bit too many, then a plain frame",
            look=_seen(_refused),
            edge=True,
            mistakes=[
                (lambda seen: seen[0] == "not refused", "a value that does not fit has to be refused."),
                _NO_TYPE,
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
                ),
                ([_header({"DEST": 1 << 3})] * 2, _STALE),
                _NO_TYPE,
            ],
        ),
    ],
    hint="encode what is fixed first, outside of stamp; inside, begin with a copy.",
)

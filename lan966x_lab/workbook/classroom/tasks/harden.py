"""Exercise 02, "Harden the codec": what each step does, what should be seen, and what usually goes wrong.

Right is what ``ifh.CODECS["packing"]``, the general routine, makes of the same header, which may be dirty.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lan966x_lab import ifh
from lan966x_lab import workbook as wb

from .codec import DIRTY, FIELDS, ONES

__all__ = [
    "DIRTY",
    "FIELDS",
    "ONES",
    "assigning",
    "clear_field_check",
    "clear_step",
    "genmask_check",
    "genmask_step",
    "half_written",
    "join_words_check",
    "join_words_step",
    "or_only",
    "right_step",
    "set_all_check",
    "set_all_refusal",
    "set_all_step",
    "set_all_steps",
    "set_field_check",
    "set_field_steps",
    "spilling",
    "value_refusal",
    "where_refusal",
    "witness_check",
]

ORACLE = ifh.CODECS["packing"]
Set = Callable[[bytearray, int, int, int], None]
Fields = Mapping[str, tuple[int, int]]
Mistakes = list[tuple[Any, str]]

NOT_REFUSED = "the call went through; raise ValueError before you touch the header."
WRITTEN_FIRST = "it was refused, but the header is changed already; ask every question before you write."


def _field(pos: int, width: int) -> ifh.Field:
    return ifh.Field("", pos, width)


def _put(header: bytes | bytearray, pos: int, width: int, value: int) -> bytes:
    """The header with a field replaced: what is right."""
    after = bytearray(header)
    ORACLE.set(after, _field(pos, width), value)
    return bytes(after)


def _number(header: bytes | bytearray, word: int) -> bytes:
    return (word & (1 << 8 * len(header)) - 1).to_bytes(len(header), "big")


# ---- 1: a mask ----


def genmask_step(high: int, low: int, *, edge: bool = False) -> wb.Step:
    """Ask for one mask."""
    want = (1 << high + 1) - (1 << low)
    mistakes: Mistakes = [
        (want & ~(1 << high), "bit `high` is missing; both ends belong to the mask."),
        (want >> low, "these are enough ones, and they begin at bit 0; shift them up to bit `low`."),
        ((1 << high) - 1 << low, "that is `high` ones; there are high - low + 1 of them."),
        ((1 << high - low) - 1 << low, "one bit is missing; from `low` to `high` there are high - low + 1."),
        ((1 << high + 1) - 1, "the bits below `low` are 0."),
        (1 << high | 1 << low, "that is the two ends; the bits between them are 1, too."),
    ]
    return wb.Step(want, (high, low), edge=edge, mistakes=mistakes)


genmask_check = wb.Check(
    "genmask",
    [
        genmask_step(7, 4),
        genmask_step(70, 62),
        genmask_step(31, 0),
        genmask_step(5, 5, edge=True),
        genmask_step(223, 192, edge=True),
    ],
    hint="a number with n ones at its low end is (1 << n) - 1; how many ones are there?",
)


# ---- 2: clear ----


def clear_step(did: str, header: bytes, pos: int, width: int, *, edge: bool = False) -> wb.Step:
    """Clear one field of a header."""
    field, word = _field(pos, width), int.from_bytes(header, "big")
    whole, one_byte = bytearray(header), bytearray(header)
    for index in field.bytes_in(len(header)):
        whole[index] = 0
    one_byte[len(header) - 1 - pos // 8] &= ~(field.maximum << pos % 8 & 0xFF)
    mistakes: Mistakes = [
        (header, "nothing has changed; work on the header that you are given, it is a bytearray."),
        (bytes(whole), "whole bytes are cleared; the neighbours in them belong to other fields."),
        (
            _number(header, word & ~(field.mask << 1 | field.mask)),
            "one bit too many is gone, above the field.",
        ),
        (_number(header, word & ~(field.mask >> 1)), "the field's highest bit is still there."),
        (
            _number(header, word ^ field.mask),
            "XOR turns bits over, and a 0 becomes 1; AND with the complement.",
        ),
        (_number(header, word & field.mask), "the field is all that is left; clear it and keep the rest."),
        (bytes(one_byte), "only the lowest byte was cleared; the field goes on in the byte before it."),
    ]
    return wb.Step(
        _put(header, pos, width, 0),
        (bytearray(header), pos, width),
        did=f"clear_field(header, {pos}, {width}): {did}",
        look=lambda _, args: bytes(args[0]),
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


clear_field_check = wb.Check(
    "clear_field",
    [
        clear_step("QOS_CLASS of a header of ones", ONES, *FIELDS["QOS_CLASS"]),
        clear_step("QOS_CLASS of a dirty header", DIRTY, *FIELDS["QOS_CLASS"]),
        clear_step("DSTS of a header of ones, across two bytes", ONES, *FIELDS["DSTS"]),
        clear_step("TCI of a dirty header, in three bytes", DIRTY, *FIELDS["TCI"]),
        clear_step("TIMESTAMP, which begins with the header", ONES, *FIELDS["TIMESTAMP"]),
        clear_step("a field that is clear already", bytes(28), *FIELDS["DSTS"], edge=True),
    ],
    hint="make the field's mask, and in each of its bytes keep the bits that are not in the mask.",
)


# ---- 3: set, or refuse ----


class Outcome:
    """A learner's function as one that returns its refusal, or None if the call went through.

    Only ValueError and KeyError are refusals. ``__code__`` is the learner's, so that a check finds the line
    of any other error.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.__code__ = function, getattr(function, "__code__", None)

    def __call__(self, *args: Any) -> ValueError | KeyError | None:
        try:
            self.function(*args)
        except (ValueError, KeyError) as error:
            return error
        return None


def _judge(name: str, steps: Sequence[wb.Step], hint: str, *, hidden: bool) -> Callable[[Any], wb.Verdict]:
    """A check that looks at the function's :class:`Outcome`."""
    check = wb.Check(name, steps, hint, hidden=hidden)

    def judge(answer: Any) -> wb.Verdict:
        if isinstance(answer, Mapping):
            function = answer.get(name)
            return check({**answer, name: Outcome(function)} if callable(function) else answer)
        return check(Outcome(answer) if callable(answer) else answer)

    return judge


def _after(error: Any, args: tuple[Any, ...]) -> bytes | str:
    """The header that a call left, or what it said."""
    return bytes(args[0]) if error is None else f"refused: {error}"


def right_step(did: str, header: bytes, pos: int, width: int, value: int, *, edge: bool = False) -> wb.Step:
    """Set a field of a header, whatever was in it."""
    field, word = _field(pos, width), int.from_bytes(header, "big")
    mistakes: Mistakes = [
        (
            _number(header, word | value << pos),
            "old and new value are mixed: OR never clears; take the field's old bits out first.",
        ),
        (_put(header, pos, width, 0), "the field is cleared; the value is not there yet."),
        (header, "nothing has changed; work on the header that you are given, it is a bytearray."),
        (_number(header, word ^ value << pos), "XOR mixes the old bits with the new ones; clear, then OR."),
        (
            _number(header, word & ~field.mask | value),
            "the value stands at bit 0 of the header; shift it up by pos.",
        ),
        (
            lambda seen: isinstance(seen, str),
            "it was refused, and nothing is wrong: (1 << width) - 1 fits, "
            "and the header's highest bit is a bit, too.",
        ),
    ]
    return wb.Step(
        _put(header, pos, width, value),
        (bytearray(header), pos, width, value),
        did=f"set_field(header, {pos}, {width}, {value:#x}): {did}",
        look=_after,
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def _refusal(
    did: str, header: bytes, args: tuple[int, int, int], must_name: Sequence[int], *, edge: bool
) -> wb.Step:
    """Ask for what has to be refused: before anything is written, with a message that names some numbers."""
    names = " and ".join(map(str, must_name))
    want = "refused, the header as it was" + (f", the message names {names}" if must_name else "")
    pos, width, value = args

    def look(error: Any, after: tuple[Any, ...]) -> str:
        same = bytes(after[0]) == header
        if error is None:
            return "not refused, " + ("and nothing happened" if same else f"the header is {after[0].hex()}")
        if not same:
            return f"refused, the header is {after[0].hex()}"
        if not isinstance(error, ValueError):
            return f"{type(error).__name__}, the header as it was"
        named = all(str(number) in str(error) for number in must_name)
        return want if named else f"refused, the header as it was, the message is {str(error)!r}"

    mistakes: Mistakes = [
        (
            lambda seen: (
                pos + width > 8 * len(header)
                and seen.startswith("not refused, the header")
                and not seen.endswith(header[-1:].hex())
            ),
            "the call went through, and bits in front of byte 0 went to index -1, which is the last byte; "
            "refuse a field that does not lie in the header.",
        ),
        (lambda seen: seen.startswith("not refused"), NOT_REFUSED),
        (lambda seen: seen.startswith("refused, the header is"), WRITTEN_FIRST),
        (
            lambda seen: "the message is" in seen,
            "whoever reads the message should find in it the value and the largest one that fits.",
        ),
    ]
    return wb.Step(
        want,
        (bytearray(header), *args),
        did=f"set_field(header, {pos}, {width}, {value}): {did}",
        look=look,
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def value_refusal(
    did: str, header: bytes, pos: int, width: int, value: int, *, edge: bool = False
) -> wb.Step:
    """A value that does not fit."""
    return _refusal(did, header, (pos, width, value), (value, (1 << width) - 1), edge=edge)


def where_refusal(
    did: str, header: bytes, pos: int, width: int, value: int = 0, *, edge: bool = False
) -> wb.Step:
    """A field that does not lie in the header."""
    return _refusal(did, header, (pos, width, value), (), edge=edge)


def set_field_steps(steps: Sequence[wb.Step], *, hidden: bool = False) -> Callable[[Any], wb.Verdict]:
    """The check of ``set_field`` with these steps."""
    hint = "first the questions: is the field in the header, does the value fit? Then clear, then put."
    return _judge("set_field", steps, hint, hidden=hidden)


set_field_check = set_field_steps(
    [
        right_step("DSTS in a header of zeros", bytes(28), *FIELDS["DSTS"], 0x155),
        right_step("DSTS = 0 where it was all ones", ONES, *FIELDS["DSTS"], 0),
        right_step("TCI in a dirty header", DIRTY, *FIELDS["TCI"], 0x10ABC),
        right_step("TIMESTAMP in a dirty header", DIRTY, *FIELDS["TIMESTAMP"], 0x8000_0001),
        right_step("the largest QOS_CLASS", DIRTY, *FIELDS["QOS_CLASS"], 7),
        value_refusal("four bits for the three of QOS_CLASS", bytes(28), *FIELDS["QOS_CLASS"], 9),
        value_refusal("a port mask that is one bit too wide", DIRTY, *FIELDS["DSTS"], 1 << 9),
        value_refusal("a negative number", DIRTY, *FIELDS["DSTS"], -1),
        where_refusal("a field that begins in the header and ends in front of it", DIRTY, 220, 8, 0xAB),
        where_refusal("a field of no bits", DIRTY, 62, 0, edge=True),
        where_refusal("a negative position", DIRTY, -8, 8, edge=True),
    ]
)


# ---- 4: all or nothing ----


def _fields(*names: str) -> dict[str, tuple[int, int]]:
    return {name: FIELDS[name] for name in names}


def _all(header: bytes, fields: Fields, values: Mapping[str, int]) -> bytes:
    for name, value in values.items():
        header = _put(header, *fields[name], value)
    return header


def set_all_step(
    did: str, header: bytes, fields: Fields, values: Mapping[str, int], *, edge: bool = False
) -> wb.Step:
    """Set several fields."""
    want = _all(header, fields, values)
    first = next(iter(values.items()), None)
    only = _put(header, *fields[first[0]], first[1]) if first else None
    mistakes: Mistakes = [
        (only, "only the first field is set; go on with the others."),
        (header, "nothing has changed; work on the header that you are given, it is a bytearray."),
        (
            _all(bytes(len(header)), fields, values),
            "the rest of the header is gone; only the named fields change.",
        ),
    ]
    return wb.Step(
        want,
        (bytearray(header), dict(fields), dict(values)),
        did=f"set_all(header, fields, {dict(values)}): {did}",
        look=_after,
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def set_all_refusal(
    did: str,
    header: bytes,
    fields: Fields,
    values: Mapping[str, int],
    error: type[Exception] = ValueError,
    *,
    edge: bool = False,
) -> wb.Step:
    """Ask for what must be refused as a whole."""
    want = f"{error.__name__}, the header as it was"

    def look(raised: Any, args: tuple[Any, ...]) -> str:
        left = "the header as it was" if bytes(args[0]) == header else f"the header is {args[0].hex()}"
        return f"{'no error' if raised is None else type(raised).__name__}, {left}"

    mistakes: Mistakes = [
        (lambda seen: seen.startswith("no error"), f"the call went through; {error.__name__} is asked for."),
        (
            lambda seen: "the header is" in seen,
            "it was refused when a part was written already; look at all of the fields before the first "
            "write, or work in a copy.",
        ),
        (lambda seen: seen != want, f"it was refused with another error; {error.__name__} is asked for."),
    ]
    return wb.Step(
        want,
        (bytearray(header), dict(fields), dict(values)),
        did=f"set_all(header, fields, {dict(values)}): {did}",
        look=look,
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def set_all_steps(steps: Sequence[wb.Step], *, hidden: bool = False) -> Callable[[Any], wb.Verdict]:
    """The check of ``set_all`` with these steps."""
    hint = "what is in the header already when the third value turns out to be wrong?"
    return _judge("set_all", steps, hint, hidden=hidden)


_TX = _fields("DSTS", "QOS_CLASS", "IPV", "TCI")
set_all_check = set_all_steps(
    [
        set_all_step(
            "what a TCP frame needs", bytes(28), _TX, {"DSTS": 2, "QOS_CLASS": 3, "IPV": 3, "TCI": 100}
        ),
        set_all_step("two of the fields, in a dirty header", DIRTY, _TX, {"DSTS": 2, "TCI": 0}),
        set_all_refusal("the first value is right, the second too large", DIRTY, _TX, {"DSTS": 2, "IPV": 8}),
        set_all_refusal("the second name is unknown", DIRTY, _TX, {"DSTS": 2, "PRIO": 1}, KeyError),
        set_all_step("no fields", DIRTY, _TX, {}, edge=True),
    ],
)


# ---- 5: bit 31 ----


def _hex(number: Any) -> Any:
    """A whole number as one reads bits; anything else as it is."""
    return f"{number:#x}" if isinstance(number, int) and not isinstance(number, bool) else number


def join_words_step(did: str, header: bytes, *, edge: bool = False) -> wb.Step:
    """Hand out a header as C's signed ints, and ask for its number."""
    words = [int.from_bytes(header[at : at + 4], "big", signed=True) for at in range(0, len(header), 4)]
    ored = added = magnitude = cut = wide = backwards = 0
    for word in words:
        ored, added = ored << 32 | word, (added << 32) + word
        magnitude, cut = magnitude << 32 | abs(word), cut << 32 | word & 0x7FFF_FFFF
        wide = wide << 32 | word & 0x1_FFFF_FFFF
    for word in reversed(words):
        backwards = backwards << 32 | word & 0xFFFF_FFFF
    mistakes: Mistakes = [
        (
            _hex(ored),
            "a negative word brings ones along, in every bit above its own: keep 32 bits of it first.",
        ),
        (_hex(added), "adding a negative word takes one from the word before it: keep 32 bits of it first."),
        (_hex(magnitude), "abs changes the bits; the pattern stays when you keep the lowest 32 bits."),
        (_hex(cut), "bit 31 of each word is gone; it is a bit like any other, keep all 32."),
        (_hex(wide), "a mask of 33 bits lets one copied sign through; 32 bits are bits 31 to 0."),
        (_hex(backwards), "the words are in the wrong order; the first one counts most."),
        (lambda seen: str(seen).startswith("-"), "a header is never negative; keep 32 bits of each word."),
    ]
    return wb.Step(
        _hex(int.from_bytes(header, "big")),
        (words,),
        did=f"join_words({words}): {did}",
        look=lambda result, _: _hex(result),
        edge=edge,
        mistakes=mistakes,
    )


join_words_check = wb.Check(
    "join_words",
    [
        join_words_step("no word is negative", bytes.fromhex("00000001 7fffffff 00000002")),
        join_words_step("the second word has bit 31", bytes.fromhex("00000001 80000000 00000002")),
        join_words_step(
            "a frame that came in at 536 870 912 ns", ifh.LAN966X.rx.encode(TIMESTAMP=1 << 31, LEN=64)
        ),
        join_words_step("all ones", ONES),
        join_words_step("a dirty header", DIRTY),
    ],
    hint="what is -1 & 0xffffffff?",
)


# ---- the extension: find a witness ----


def or_only(header: bytearray, pos: int, width: int, value: int) -> None:
    """FAULTY: never clears."""
    _check(header, pos, width, value)
    header[:] = _number(header, int.from_bytes(header, "big") | value << pos)


def spilling(header: bytearray, pos: int, width: int, value: int) -> None:
    """FAULTY: a value that is too large runs into the neighbour."""
    _check(header, pos, width, 0)
    word = int.from_bytes(header, "big") & ~(((1 << width) - 1) << pos)
    header[:] = _number(header, word | value << pos)


def assigning(header: bytearray, pos: int, width: int, value: int) -> None:
    """FAULTY: clears whole bytes."""
    _check(header, pos, width, value)
    for index in _field(pos, width).bytes_in(len(header)):
        header[index] = 0
    or_only(header, pos, width, value)


def half_written(header: bytearray, pos: int, width: int, value: int) -> None:
    """FAULTY: refuses when it has cleared the field already."""
    _check(header, pos, width, 0)
    header[:] = _put(header, pos, width, 0)
    _check(header, pos, width, value)
    header[:] = _put(header, pos, width, value)


def _right(header: bytearray, pos: int, width: int, value: int) -> None:
    """RIGHT: as the general routine does it."""
    _check(header, pos, width, value)
    header[:] = _put(header, pos, width, value)


def _check(header: bytearray, pos: int, width: int, value: int) -> None:
    if pos < 0 or width < 1 or pos + width > 8 * len(header):
        raise ValueError(f"bits {pos + width - 1} to {pos} are not in a header of {len(header)} bytes")
    if not 0 <= value < 1 << width:
        raise ValueError(f"{value} does not fit: give 0 to {(1 << width) - 1}")


def _went(function: Set, case: tuple[bytes, int, int, int]) -> tuple[bool, bytes]:
    """Whether a call is refused, and the header that is left."""
    header = bytearray(case[0])
    try:
        function(header, *case[1:])
    except ValueError:
        return True, bytes(header)
    return False, bytes(header)


def _witness(did: str, function: Set) -> wb.Step:
    faulty = function is not _right
    want = "a call that shows the fault" if faulty else "nothing"

    def look(result: Any, _: tuple[Any, ...]) -> str:
        if result is None:
            return "nothing"
        try:
            header, pos, width, value = result
            case = bytes(header), int(pos), int(width), int(value)
        except (TypeError, ValueError):
            return f"no call: {result!r}"
        differ = _went(function, case) != _went(_right, case)
        return "a call that shows the fault" if differ else f"a call that is right: {result!r}"

    mistakes: Mistakes = [
        (lambda seen: seen == "nothing", "it has a fault; try other headers, and values that do not fit."),
        (lambda seen: seen.startswith("a call that is"), "here it does what the general routine does."),
        (lambda seen: seen.startswith("no call"), "return (header, pos, width, value), or None."),
    ]
    return wb.Step(want, (function,), did=f"witness({did})", look=look, mistakes=mistakes)


witness_check = wb.Check(
    "witness",
    [
        _witness("a set that only ORs", or_only),
        _witness("a set that lets values run into the neighbour", spilling),
        _witness("a set that clears whole bytes", assigning),
        _witness("a set that refuses too late", half_written),
        _witness("a set without a fault", _right),
    ],
    hint="draw headers, fields and values at random, and hold each call against ifh.CODECS['packing'].",
)

"""Exercise 03, "Build a template": what each step does, what should be seen, and what usually goes wrong.

Right is the general routine on a header of zeros: a header is what its own frame asks for, and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lan966x_lab import ifh
from lan966x_lab import workbook as wb
from lan966x_lab.measure.counted.trace import CountingHeader

__all__ = [
    "BOTH",
    "PLAIN",
    "PORT_3",
    "PTP",
    "TAGGED",
    "Borrows",
    "Copies",
    "InPlace",
    "OneBuffer",
    "SkipsZeros",
    "Undoes",
    "fixed_step",
    "leaks_check",
    "leaks_step",
    "prepare_check",
    "prepare_step",
    "restamp_check",
    "right",
    "stamp_check",
    "stamp_into_check",
    "stamp_into_step",
    "stamp_steps",
    "stores_check",
    "stores_step",
    "what_is_fixed_check",
]

TX = ifh.LAN966X.tx
Values = Mapping[str, int]
Mistakes = list[tuple[Any, str]]

PORT_3: Values = {"BYPASS": 1, "DSTS": 1 << 3}
PLAIN: Values = {"QOS_CLASS": 0, "IPV": 0, "TCI": 0}
TAGGED: Values = {"QOS_CLASS": 3, "IPV": 3, "TCI": 3 << 13 | 100}
PTP: Values = {**PLAIN, "REW_CMD": 4, "TIMESTAMP": 5}
BOTH: Values = {**TAGGED, "REW_CMD": 4, "TIMESTAMP": 6}
"""What the driver fixes for port 3, and what it sets for four kinds of frame."""


def right(*values: Values) -> bytes:
    """The header that holds these values; a later one replaces an earlier one."""
    fields = {name: value for some in values for name, value in some.items()}
    return TX.encode(fields, codec="packing")


def _over(header: bytes | bytearray, values: Values) -> bytes:
    """The header after these fields were set in it."""
    after = bytearray(header)
    for name, value in values.items():
        ifh.CODECS["packing"].set(after, TX[name], value)
    return bytes(after)


def _ored(*headers: bytes) -> bytes:
    word = 0
    for header in headers:
        word |= int.from_bytes(header, "big")
    return word.to_bytes(TX.nbytes, "big")


def _bytes(seen: Any) -> Any:
    return bytes(seen) if isinstance(seen, bytes | bytearray) else seen


def _say(header: Any) -> Any:
    """A header as its fields that are not 0, if those are all of it; otherwise as it is."""
    if not isinstance(header, bytes) or len(header) != TX.nbytes:
        return header
    names = [name for name in {**PORT_3, **BOTH} if name in TX]
    found = {name: value for name, value in TX.decode(header, names).items() if value}
    return ", ".join(f"{n} {v}" for n, v in found.items()) if right(found) == header else header.hex()


# ---- 1: what is fixed? ----


def fixed_step(did: str, frames: Sequence[Values], *, edge: bool = False) -> wb.Step:
    """Ask which fields are the same in all of these frames."""
    names = frames[0] if frames else {}
    want = {name: names[name] for name in names if all(f.get(name) == names[name] for f in frames)}
    union = {name: value for frame in frames for name, value in frame.items()}
    seldom = {
        name: value for name, value in union.items() if all(f.get(name, value) == value for f in frames)
    }
    first_two = {name: v for name, v in names.items() if all(f.get(name) == v for f in frames[:2])}
    mistakes: Mistakes = [
        (
            seldom,
            "a field that a frame does not set is 0 in its header; so a field that is missing somewhere "
            "is not fixed.",
        ),
        (first_two, "this looks at the first two frames only."),
        (dict(names), "this is the first frame; keep what all the others have, too."),
        (union, "these are all fields; keep those with the same value in every frame."),
        (sorted(want), "the names alone do not make a template; return their values, too."),
        (
            {name: value for name, value in want.items() if value},
            "a field that is 0 in every frame is fixed, too.",
        ),
    ]
    return wb.Step(want, ([dict(f) for f in frames],), did=did, edge=edge, mistakes=mistakes)


def _on_port_3(*frames: Values) -> list[Values]:
    return [{**PORT_3, **frame} for frame in frames]


what_is_fixed_check = wb.Check(
    "what_is_fixed",
    [
        fixed_step("gave three frames for port 3", _on_port_3(TAGGED, BOTH, {**TAGGED, "TCI": 1})),
        fixed_step("gave a PTP frame between plain ones", _on_port_3(PLAIN, PTP, PLAIN)),
        fixed_step("gave a plain frame, then PTP frames", _on_port_3(PLAIN, PTP, PTP)),
        fixed_step("gave frames for two ports", [{**PORT_3, **PLAIN}, {"BYPASS": 1, "DSTS": 2, **PLAIN}]),
        fixed_step("gave one frame", [{**PORT_3, **PTP}], edge=True),
        fixed_step("gave no frame", [], edge=True),
    ],
    hint="begin with the fields of the first frame, and drop whatever differs in another one.",
)


# ---- 2: prepare ----


def prepare_step(did: str, fixed: Values, *, edge: bool = False) -> wb.Step:
    """Prepare a header."""
    reverse = right(fixed)[::-1]
    mistakes: Mistakes = [
        (bytes(TX.nbytes), "nothing is in it; set every fixed field."),
        (reverse, "the bytes are in the wrong order."),
        (lambda seen: isinstance(seen, dict), "that is the dictionary; the bytes of a header are asked for."),
    ]
    return wb.Step(
        right(fixed), (dict(fixed),), did=did, look=lambda r, _: _bytes(r), edge=edge, mistakes=mistakes
    )


prepare_check = wb.Check(
    "prepare",
    [
        prepare_step("prepared port 3", PORT_3),
        prepare_step("prepared port 0 with a VLAN of its own", {"BYPASS": 1, "DSTS": 1, "TCI": 100}),
        prepare_step("prepared a port with nothing fixed", {}, edge=True),
    ],
    hint="a bytearray of TX.nbytes zeros, then put for each field.",
)


# ---- 3: stamp ----


class Series:
    """A learner's ``stamp`` as a function that stamps one frame after the other from one prepared header."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.__code__ = function, getattr(function, "__code__", None)

    def __call__(self, prepared: bytearray, frames: Sequence[Values], late: bool) -> list[Any]:
        """The headers; ``late``: looked at when the last one is made, not at once."""
        made = []
        for frame in frames:
            header = self.function(prepared, dict(frame))
            made.append(header if late else _bytes(header))
        return [_bytes(header) for header in made]


def stamp_step(
    did: str, frames: Sequence[Values], fixed: Values = PORT_3, *, late: bool = False, edge: bool = False
) -> wb.Step:
    """Stamp some frames from one prepared header."""
    wanted, prepared = [right(fixed, frame) for frame in frames], right(fixed)
    in_place, ored, header = [], [], prepared
    for frame in frames:
        header = _over(header, frame)
        in_place.append(header)
        ored.append(_ored(prepared, right(frame)))
    skipping = [right(fixed, {name: v for name, v in frame.items() if v}) for frame in frames]

    def said(headers: Iterable[Any]) -> list[Any]:
        return [_say(header) for header in headers]

    want = said(wanted)
    stale = (
        "a frame holds what an earlier one has set: the prepared header was changed. Work on a copy, "
        "bytearray(prepared)."
    )
    mistakes: Mistakes = [
        (
            said(skipping),
            "a 0 was skipped where the prepared header holds something else; 0 is a value, too.",
        ),
        (said([prepared] * len(frames)), "the varying fields are missing."),
        (said(map(right, frames)), "what is fixed is missing; begin with the prepared header."),
        (said(in_place), stale),
        (said(ored), "old and new bits are mixed; put replaces a field, | does not."),
        (
            lambda seen: late and all(one == seen[-1] for one in seen),
            "the headers changed after they were handed out: all of them are one buffer; make a new one "
            "for each frame.",
        ),
        (lambda seen: None in seen, "stamp has to return the header."),
        (lambda seen: seen[0] == want[0], stale),
    ]
    return wb.Step(
        want,
        (bytearray(prepared), [dict(frame) for frame in frames], late),
        did=did,
        look=lambda headers, _: said(headers),
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def stamp_steps(steps: Sequence[wb.Step], *, hidden: bool = False) -> Callable[[Any], wb.Verdict]:
    """The check of ``stamp`` with these steps."""
    hint = "copy the prepared header, put the varying fields into the copy, return the copy."
    check = wb.Check("stamp", steps, hint, hidden=hidden)

    def judge(answer: Any) -> wb.Verdict:
        if isinstance(answer, Mapping):
            function = answer.get("stamp")
            return check({**answer, "stamp": Series(function)} if callable(function) else answer)
        return check(Series(answer) if callable(answer) else answer)

    return judge


stamp_check = stamp_steps(
    [
        stamp_step("stamped a frame with a VLAN tag", [TAGGED]),
        stamp_step("stamped a PTP frame, then a plain one that sets three fields to 0", [PTP, PLAIN]),
        stamp_step("stamped a tagged frame, then one that says nothing", [TAGGED, {}]),
        stamp_step("stamped three frames, and looked when all were made", [BOTH, PLAIN, PTP], late=True),
        stamp_step("stamped VLAN 200 for a port that has VLAN 100", [{"TCI": 200}], {**PORT_3, "TCI": 100}),
        stamp_step("stamped BYPASS = 0, for once, then a plain frame", [{"BYPASS": 0}, PLAIN]),
    ]
)


# ---- 4: stamp into a used buffer ----

FRAME = bytes(range(0x40, 0x7C))


def stamp_into_step(
    did: str,
    before: bytes,
    varying: Values,
    fixed: Values = PORT_3,
    frame: bytes = FRAME,
    *,
    edge: bool = False,
) -> wb.Step:
    """Stamp a header in front of a frame, where the header ``before`` still stands."""
    prepared, want = right(fixed), right(fixed, varying) + frame
    at_end = bytearray(prepared + frame)
    for name, value in varying.items():
        ifh.CODECS["packing"].set(at_end, TX[name], value)
    mistakes: Mistakes = [
        (before + frame, "nothing has changed; write into the buffer that you are given, buffer[:28] = …"),
        (
            _over(before, varying) + frame,
            "the bits of the header before are still there; put the prepared header over them first.",
        ),
        (
            _over(_over(before, fixed), varying) + frame,
            "only the named fields are new; the bits of the header before are still there between them.",
        ),
        (
            bytes(at_end),
            "the frame has changed: put takes the last bit of what it gets for bit 0. Give it a header of "
            "28 bytes, not the whole buffer.",
        ),
        (prepared + frame, "the varying fields are missing."),
        (
            lambda seen: len(seen) < len(want),
            "the buffer is shorter than before: buffer[:] = … replaces all of it, frame included.",
        ),
        (
            lambda seen: len(seen) > len(want),
            "the buffer is longer than before: the header's place is there already, replace its 28 bytes.",
        ),
        (
            lambda seen: seen[TX.nbytes :] != frame,
            "the frame behind the header has changed; only the first 28 bytes are yours.",
        ),
    ]
    return wb.Step(
        want,
        (bytearray(before + frame), prepared, dict(varying)),
        did=f"stamp_into(buffer, prepared, {dict(varying)}): {did}",
        look=lambda _, args: bytes(args[0]),
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


stamp_into_check = wb.Check(
    "stamp_into",
    [
        stamp_into_step("the buffer is new", bytes(28), TAGGED),
        stamp_into_step("the buffer held a PTP frame before", right(PORT_3, BOTH), TAGGED),
        stamp_into_step("it held a PTP frame, and this one says nothing", right(PORT_3, BOTH), {}),
        stamp_into_step("it held what a receiver left", b"\xa5" * 28, PLAIN),
        stamp_into_step("a buffer without a frame", right(PORT_3, PTP), PLAIN, frame=b"", edge=True),
    ],
    hint="make the header as in stamp, then put it into the first 28 bytes.",
)


# ---- 5: a test that sees leaks ----


class Copies:
    """RIGHT: patches a copy."""

    def __init__(self, fixed: Values = PORT_3) -> None:
        self.prepared = bytearray(right(fixed))

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        return _over(self.prepared, varying)


class Undoes(Copies):
    """RIGHT, another way: patches in place, hands out a copy, and undoes what it did."""

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        before = bytes(self.prepared)
        self.prepared[:] = _over(self.prepared, varying)
        made = bytearray(self.prepared)
        self.prepared[:] = before
        return made


class InPlace(Copies):
    """FAULTY: patches the prepared header itself."""

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        self.prepared[:] = _over(self.prepared, varying)
        return bytes(self.prepared)


class OneBuffer(Copies):
    """FAULTY: right at once, but every header is the same buffer."""

    def __init__(self, fixed: Values = PORT_3) -> None:
        super().__init__(fixed)
        self.buffer = bytearray(TX.nbytes)

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        self.buffer[:] = _over(self.prepared, varying)
        return self.buffer


class SkipsZeros(Copies):
    """FAULTY: takes a 0 for nothing to do."""

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        return _over(self.prepared, {name: value for name, value in varying.items() if value})


class Borrows(Copies):
    """FAULTY: keeps one field of the frame before, when this one does not name it."""

    def __init__(self, name: str, fixed: Values = PORT_3) -> None:
        super().__init__(fixed)
        self.name, self.kept = name, 0

    def __call__(self, varying: Values) -> bytes | bytearray:
        """The header of one frame."""
        made = _over(self.prepared, {self.name: self.kept, **varying} if self.kept else varying)
        self.kept = varying.get(self.name, self.kept)
        return made


def leaks_step(did: str, stamp: Copies, *, fixed: Values = PORT_3) -> wb.Step:
    """Let the learner's test judge a stamp function."""
    want = not isinstance(stamp, Undoes) and type(stamp) is not Copies
    mistakes: Mistakes = [
        (
            True,
            "this one is right: every header is what its frame asks for. Compare bytes(header) with what "
            "TX.encode makes of fixed and varying.",
        )
        if not want
        else (False, f"your test does not see it: {did}."),
        (lambda seen: not isinstance(seen, bool), "return True or False."),
    ]
    told = "judged a stamp function that is right" if not want else "judged a stamp function that leaks"
    return wb.Step(want, (stamp, dict(fixed)), did=told, changes=(0,), mistakes=mistakes)


leaks_check = wb.Check(
    "leaks",
    [
        leaks_step("", Copies()),
        leaks_step("", Undoes()),
        leaks_step("it patches the prepared header itself", InPlace()),
        leaks_step("it keeps TIMESTAMP when the next frame does not name it", Borrows("TIMESTAMP")),
        leaks_step("all of its headers are one buffer; keep some, and look at them again later", OneBuffer()),
        leaks_step("it takes a 0 for nothing to do; set a fixed field to 0 for once", SkipsZeros()),
    ],
    hint="stamp frames that set much, then frames that set nothing, and compare every header.",
)


# ---- 6: count ----


def _stored(fields: Values) -> int:
    """Bytes of a header that storing these fields one by one takes: counted."""
    header = CountingHeader(bytes(TX.nbytes))
    for name, value in fields.items():
        ifh.CODECS["byte_shift"].set(header, TX[name], value)
    return len(header.stored)


def stores_step(did: str, fixed: Values, varying: Values, *, edge: bool = False) -> wb.Step:
    """Count the bytes that the two ways store for one frame."""
    size, first, then = TX.nbytes, _stored(fixed), _stored(varying)
    want = (size + first + then, size + then)
    by_width = [
        sum((TX[name].width + 7) // 8 for name in fields) for fields in ({**fixed, **varying}, varying)
    ]
    mistakes: Mistakes = [
        ((first + then, then), "zeroing a header stores 28 bytes, and so does copying one."),
        ((size + first + then, then), "the copy of the prepared header stores 28 bytes, too."),
        ((first + then, size + then), "the header has to be zeroed first, which stores 28 bytes."),
        (
            (size + by_width[0], size + by_width[1]),
            "that counts bytes by the width; a field that crosses the edge of a byte stores one more.",
        ),
        ((want[1], want[0]), "the two are exchanged: first every field, then the template."),
        (
            (size + len(fixed) + len(varying), size + len(varying)),
            "these are calls; count the bytes that each of them stores.",
        ),
        ((size + first + then, size + first + then), "what is fixed is not stored again by the template."),
    ]
    return wb.Step(want, (dict(fixed), dict(varying)), did=did, edge=edge, mistakes=mistakes)


stores_check = wb.Check(
    "stores",
    [
        stores_step("counted a plain frame for port 3", PORT_3, PLAIN),
        stores_step("counted a PTP frame with a VLAN tag", PORT_3, BOTH),
        stores_step("counted with nothing fixed", {}, TAGGED, edge=True),
        stores_step("counted with nothing varying", PORT_3, {}, edge=True),
    ],
    hint="a field is in the bytes from bit pos to bit pos + width - 1.",
)


# ---- the extension ----


def _restamp(did: str, last: Values, varying: Values) -> wb.Step:
    prepared = right(PORT_3)
    before = right(PORT_3, last)
    touched = {index for name in {**last, **varying} for index in TX[name].bytes_in(TX.nbytes)}
    want = (right(PORT_3, varying), f"at most {len(touched)} different bytes stored")

    def look(_: Any, args: tuple[Any, ...]) -> tuple[bytes, str]:
        stored = len(set(args[0].stored))
        few = stored <= len(touched)
        return args[0].snapshot(), want[1] if few else f"{stored} different bytes stored"

    mistakes: Mistakes = [
        (
            lambda seen: seen[0] == want[0],
            "the header is right; store only in bytes of fields that were set or are set now.",
        ),
        (
            lambda seen: seen[0] == _over(before, varying),
            "a field of the last frame is still there; put back what the prepared header has.",
        ),
    ]
    return wb.Step(
        want,
        (CountingHeader(before), prepared, dict(last), dict(varying)),
        did=f"restamp(header, prepared, {dict(last)}, {dict(varying)}): {did}",
        look=look,
        changes=(0,),
        mistakes=mistakes,
    )


restamp_check = wb.Check(
    "restamp",
    [
        _restamp("a tagged frame after a plain one", PLAIN, TAGGED),
        _restamp("a plain frame after a PTP frame", PTP, PLAIN),
        _restamp("a frame that says nothing after one that said everything", BOTH, {}),
        _restamp("BYPASS again, after it was 0 for once", {"BYPASS": 0}, PLAIN),
    ],
    hint="for each field of the last frame put the prepared header's value back, then put the new ones.",
)

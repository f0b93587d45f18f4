"""Exercise 05, inject a frame: the visible checks. The chip that they run on is ``bench_inject``."""

from typing import Any

from lan966x_lab import workbook as wb
from lan966x_lab.hw.lan966x_regs import BUFFER_MIN_SZ, InjCtrl, InjStatus

from .bench_inject import (
    CTRL,
    DATA,
    HEADER,
    ROOM,
    STATUS,
    Bench,
    frame_of,
    frame_picture,
    header_for,
    scores,
    words_asked,
)

__all__ = [
    "BUSY",
    "CTRL",
    "DATA",
    "GAVE_UP",
    "HEADER",
    "LOOKS",
    "NEVER",
    "PAUSE_NS",
    "ROOM",
    "SENT",
    "STATUS",
    "Bench",
    "end_of_frame_check",
    "frame_of",
    "frame_picture",
    "has_room_check",
    "header_for",
    "inject_check",
    "inject_with_room_check",
    "injected",
    "scores",
    "words_of_check",
    "write_word_check",
]

PAUSE_NS, LOOKS = 10_000, 100
"""Between two looks at a FIFO that has no room, and after how many looks to give up."""
SENT, BUSY, GAVE_UP = "sent", "busy", "gave up"
NEVER = 10**15
"""A pause, in ns, that outlasts everybody."""

# ---- the words of a frame

_ONE = bytes([1, 2, 3, 4])


def _hex(result: Any, args: tuple[Any, ...]) -> Any:
    """The words as one reads them; what is no list of words stays as it is."""
    if not isinstance(result, list) or not all(type(word) is int for word in result):
        return result
    return [f"{word:#010x}" for word in result]


def _words(
    want: list[str], args: tuple[bytes, int], *mistakes: tuple[Any, str], edge: bool = False
) -> wb.Step:
    did = f"words_of({len(args[0])} bytes {args[0].hex(' ')}".rstrip() + f", {args[1]})"
    return wb.Step(want, args, did=did, look=_hex, mistakes=mistakes, edge=edge)


_FILLED = ["0x000000ff", *["0x00000000"] * 14]

words_of_check = wb.Check(
    "words_of",
    [
        _words(
            ["0x04030201"],
            (_ONE, 0),
            (
                ["0x01020304"],
                "the first byte is the low one: the group swaps bytes, so a word goes as memory has it.",
            ),
            (["0x00000001", "0x00000002", "0x00000003", "0x00000004"], "a word is four bytes, not one."),
        ),
        _words(
            ["0x04030201", "0x00000005"],
            (_ONE + b"\x05", 0),
            (["0x04030201"], "the last, partial word is missing; fill it up with zeros."),
            (["0x04030201", "0x05000000"], "the zeros go behind the byte, so they are the high bytes."),
        ),
        _words(
            ["0x04030201", "0x00000000", "0x00000000"],
            (_ONE, 12),
            (["0x04030201"], "fill up with zeros to at_least bytes."),
            (["0x00000000", "0x00000000", "0x04030201"], "the zeros go behind the data."),
        ),
        _words([], (b"", 0), edge=True),
        _words(
            _FILLED,
            (b"\xff", 60),
            ([*_FILLED, "0x00000000"], "60 bytes are 15 words."),
            edge=True,
        ),
        wb.Step(
            16,
            (b"\xff" * 61, 60),
            did="words_of(61 bytes, 60); saw how many words come back",
            look=lambda result, args: len(result),
            edge=True,
            mistakes=[(15, "a frame that is longer than at_least keeps all its bytes.")],
        ),
    ],
    hint="bytes.ljust fills up on the right, int.from_bytes makes a number of four bytes.",
)

# ---- the control word that ends a frame


def _fields(result: Any, args: tuple[Any, ...]) -> Any:
    """A control word taken apart; what is no control word stays as it is."""
    if not isinstance(result, int) or isinstance(result, bool) or not 0 <= result < 1 << 32:
        return result
    names = ("GAP_SIZE", "ABORT", "EOF", "SOF", "VLD_BYTES")
    fields = {name: getattr(InjCtrl, name).get(result) for name in names}
    rest = result & ~sum(getattr(InjCtrl, name).mask for name in names)
    return {name: value for name, value in fields.items() if value} | ({"other bits": rest} if rest else {})


def _end(valid: int) -> dict[str, int]:
    return {"GAP_SIZE": 1, "EOF": 1} | ({"VLD_BYTES": valid} if valid else {})


def _ending(length: int, valid: int, *mistakes: tuple[Any, str], edge: bool = False) -> wb.Step:
    known = (
        *mistakes,
        ({"EOF": 1} | _end(valid) | {"GAP_SIZE": 0}, "GAP_SIZE 1 belongs into it, as into the SOF word."),
        (lambda seen: isinstance(seen, dict) and "GAP_SIZE" not in seen, "GAP_SIZE 1 belongs into it, too."),
        (
            lambda seen: isinstance(seen, dict) and "SOF" in seen and "EOF" in seen,
            "SOF is set: a number that does not fit VLD_BYTES runs into the bit beside it.",
        ),
    )
    return wb.Step(
        _end(valid),
        (length,),
        did=f"end_of_frame({length}), its fields",
        look=_fields,
        mistakes=known,
        edge=edge,
    )


end_of_frame_check = wb.Check(
    "end_of_frame",
    [
        _ending(
            61,
            1,
            (_end(3), "VLD_BYTES counts the bytes of the last word that are valid, not those that are not."),
        ),
        _ending(1514, 2),
        _ending(
            64,
            0,
            (
                {"GAP_SIZE": 1, "EOF": 1, "SOF": 1},
                "a full last word has VLD_BYTES 0; 4 does not fit into two bits and runs into SOF.",
            ),
        ),
        _ending(60, 0, edge=True),
        _ending(
            42,
            0,
            (
                _end(2),
                "a short frame was filled up to 60 bytes, so all four bytes of its last word are valid.",
            ),
            edge=True,
        ),
    ],
    hint="InjCtrl.EOF.put(1) is the bit; put three fields together with |.",
)

# ---- room for a whole frame

_RDY, _MARK = InjStatus.FIFO_RDY, InjStatus.WMARK_REACHED


def _room(did: str, want: bool, bench: Bench, *mistakes: tuple[Any, str], edge: bool = False) -> wb.Step:
    known = (
        *mistakes,
        (lambda seen: seen[0] is want and seen[1] > 1, "one look tells both bits; look once and keep it."),
        (lambda seen: seen[0] is want and seen[1] == 0, "read QS_INJ_STATUS; nothing else knows."),
        (lambda seen: isinstance(seen[0], int) and not isinstance(seen[0], bool), "return True or False."),
    )
    return wb.Step(
        (want, 1),
        (bench,),
        did=f"has_room(door): {did}; saw the answer, and how often you looked",
        look=lambda result, args: (result, args[0].looks),
        changes=(0,),
        edge=edge,
        mistakes=known,
    )


def _full() -> Bench:
    """Ready, and behind its watermark."""
    return Bench(behind=40, watermark=30, word_ns=10**6)


has_room_check = wb.Check(
    "has_room",
    [
        _room(
            "the FIFO is empty",
            True,
            Bench(),
            (
                (False, 1),
                "the status holds the bits of both groups; test yours with &, do not compare all of it.",
            ),
        ),
        _room(
            "the watermark is reached, though the FIFO takes a word",
            False,
            _full(),
            (
                (True, 1),
                "FIFO_RDY says that one word fits. WMARK_REACHED says that a whole frame does not.",
            ),
        ),
        _room(
            "the FIFO takes no word, and group 1 would",
            False,
            Bench(words=1, pauses=[NEVER]),
            ((True, 1), "FIFO_RDY has one bit for each group, and the bit that is set is group 1's."),
        ),
        _room(
            "only group 1 has reached its watermark",
            True,
            Bench(other=_RDY.put(2) | _MARK.put(2)),
            ((False, 1), "WMARK_REACHED has one bit for each group, too; group 1 is none of your business."),
            edge=True,
        ),
        _room(
            "group 1 is not ready",
            True,
            Bench(other=0),
            ((False, 1), "you wait for group 1, and your frame goes into group 0."),
            edge=True,
        ),
    ],
    hint="status = door.read(STATUS), then InjStatus.FIFO_RDY.get(status) and the lowest bit of it.",
)

# ---- a word


def _written(result: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    door = args[0]
    return {
        "returned": result,
        "looks": door.looks,
        "words written": door.writes[DATA],
        "waited µs": door.delay_ns // 1000,
    }


def _after(returned: Any, looks: int, words: int, waits: int) -> dict[str, Any]:
    return {"returned": returned, "looks": looks, "words written": words, "waited µs": 10 * waits}


def _word(
    did: str, bench: Bench, looks: int, want: dict[str, Any], *mistakes: tuple[Any, str], edge: bool = False
) -> wb.Step:
    known = (
        *mistakes,
        (lambda seen: seen["returned"] is None, "return True when the word was written, False when not."),
        (
            lambda seen: seen["words written"] > want["words written"],
            "the FIFO had no room, and you wrote the word all the same.",
        ),
    )
    return wb.Step(
        want,
        (bench, 0xCAFE, looks),
        did=f"write_word(door, 0xcafe, {looks}): {did}",
        look=_written,
        changes=(0,),
        edge=edge,
        mistakes=known,
    )


write_word_check = wb.Check(
    "write_word",
    [
        _word(
            "the FIFO has room",
            Bench(words=1),
            20,
            _after(True, 1, 1, 0),
            (_after(True, 0, 1, 0), "you wrote without a look: ask QS_INJ_STATUS before every word."),
            (_after(True, 1, 1, 1), "you waited before you knew that there is a reason to; look first."),
            (_after(True, 2, 1, 0), "one look is enough: the answer was yes."),
            (_after(False, 20, 0, 20), "you never saw the bit: test FIFO_RDY of group 0 with &."),
            (_after(False, 20, 0, 19), "you never saw the bit: test FIFO_RDY of group 0 with &."),
        ),
        _word(
            "the FIFO has room again after 35 µs",
            Bench(words=1, pauses=[35_000]),
            20,
            _after(True, 5, 1, 4),
            (_after(False, 1, 0, 0), "one no is not the end: wait 10 µs and look again."),
            (lambda seen: seen["waited µs"] == 0, "wait PAUSE_NS between two looks: door.delay(PAUSE_NS)."),
        ),
        _word(
            "the FIFO never has room again",
            Bench(words=1, pauses=[NEVER]),
            5,
            _after(False, 5, 0, 4),
            (_after(False, 6, 0, 5), "that is one look more than you were allowed."),
            (_after(False, 4, 0, 3), "that is one look fewer than you were allowed."),
            (_after(False, 5, 0, 5), "after the last look nobody looks again, so do not wait again either."),
        ),
        _word(
            "the watermark is reached, and there is room for a word",
            Bench(words=3, watermark=1, word_ns=10**6),
            5,
            _after(True, 1, 1, 0),
            (
                lambda seen: seen["returned"] is False,
                "inside a frame only FIFO_RDY counts; the watermark is about whole frames.",
            ),
            edge=True,
        ),
        _word(
            "there is room at the fifth and last look",
            Bench(words=1, pauses=[35_000]),
            5,
            _after(True, 5, 1, 4),
            (lambda seen: seen["returned"] is False, "the last look said yes: write the word."),
            edge=True,
        ),
        _word(
            "one look, and no room",
            Bench(words=1, pauses=[NEVER]),
            1,
            _after(False, 1, 0, 0),
            edge=True,
        ),
    ],
    hint="for each of the looks: ready? then write and return; else wait, unless it was the last look.",
)

# ---- a frame


def _packet(header: bytes, frame: bytes) -> bytes:
    return header + frame.ljust(BUFFER_MIN_SZ, b"\0")


def injected(result: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """What an injection left behind: ``args`` are the bench, the header and the frame."""
    door, header, frame = args[:3]
    looks, open_ = door.looks, door.left_open()
    door.settle()
    want = _packet(header, frame)
    return {
        "returned": result,
        "on the wire": _differs(door.sent, want),
        "looks": looks,
        "left open": open_,
    }


def _differs(sent: list[bytes], want: bytes) -> str:
    if not sent:
        return "nothing"
    if sent == [want]:
        return "the frame"
    packet = sent[0]
    if len(sent) > 1:
        return f"{len(sent)} frames"
    if len(packet) != len(want):
        return f"{len(packet) - 28} bytes for {len(want) - 28}"
    at = next(i for i, (one, other) in enumerate(zip(packet, want, strict=True)) if one != other)
    return f"a frame whose byte {at - 28} differs" if at >= 28 else f"a header whose byte {at} differs"


def _report(returned: Any, wire: str, looks: int, *, left_open: bool = False) -> dict[str, Any]:
    return {"returned": returned, "on the wire": wire, "looks": looks, "left open": left_open}


_NO_CRC = (
    lambda seen: seen["on the wire"] == "nothing" and seen["left open"],
    "the frame never left: behind EOF the hardware waits for one more word, in the place of the FCS.",
)


def _sending(did: str, length: int, *mistakes: tuple[Any, str], edge: bool = False) -> wb.Step:
    looks = 1 + words_asked(length)
    known = (
        *mistakes,
        _NO_CRC,
        (lambda seen: seen["returned"] is None, "return SENT, BUSY or GAVE_UP."),
        (
            _report(SENT, "the frame", looks - 1),
            "before SOF, ask once whether there is room for a whole frame.",
        ),
        (
            _report(SENT, "the frame", looks + 1),
            "one look too many: for the word in the place of the FCS, the hardware has kept room.",
        ),
        (
            lambda seen: seen["on the wire"] == "the frame" and seen["looks"] < looks - 1,
            "ask before every word: what you saw before the last one is old.",
        ),
        (
            lambda seen: seen["on the wire"] == "the frame" and seen["looks"] > looks + 1,
            "you look more often than you write; a look costs twice as much as a write.",
        ),
    )
    return wb.Step(
        _report(SENT, "the frame", looks),
        (Bench(), HEADER, frame_of(length)),
        did=f"injected {did}",
        look=injected,
        changes=(0,),
        edge=edge,
        mistakes=known,
    )


inject_check = wb.Check(
    "inject",
    [
        _sending("a frame of 64 bytes into an empty FIFO", 64),
        _sending("a frame of 1514 bytes", 1514),
        wb.Step(
            _report(BUSY, "nothing", 1),
            (_full(), HEADER, frame_of(64)),
            did="injected a frame of 64 bytes while the watermark was reached",
            look=lambda result, args: injected(result, args) | {"on the wire": "nothing"},
            changes=(0,),
            mistakes=[
                (lambda seen: seen["returned"] == SENT, "ask has_room before you begin, and obey."),
                (
                    lambda seen: seen["left open"],
                    "a frame is open that nobody will finish: ask before SOF, not behind it.",
                ),
            ],
        ),
        wb.Step(
            {"returned": GAVE_UP, "on the wire": "nothing", "left open": False},
            (Bench(pauses=[*[0] * 39, NEVER]), HEADER, frame_of(400)),
            did="injected a frame of 400 bytes; after 40 words the FIFO takes no more, for ever",
            look=lambda result, args: {k: v for k, v in injected(result, args).items() if k != "looks"},
            changes=(0,),
            mistakes=[
                (
                    lambda seen: seen["left open"],
                    "half a frame stays in the FIFO, and the next SOF will be refused: write ABORT.",
                ),
                (
                    lambda seen: seen["returned"] == SENT,
                    "write_word said False, and you went on: look at what it returns, each time.",
                ),
                (
                    lambda seen: seen["returned"] == BUSY,
                    "BUSY means that nothing was begun and the frame may come again; this one was begun.",
                ),
            ],
        ),
        _sending("a frame of 61 bytes, one byte in its last word", 61, edge=True),
        _sending("a frame of 20 bytes, shorter than Ethernet allows", 20, edge=True),
    ],
    hint="has_room, SOF, the header's words, the frame's words, end_of_frame, one word more.",
)

# ---- for the quick

inject_with_room_check = wb.Check(
    "inject_with_room",
    [
        wb.Step(
            _report(SENT, "the frame", 1),
            (Bench(), HEADER, frame_of(1514), ROOM),
            did="injected a frame of 1514 bytes; there is room for 512 words below the watermark",
            look=injected,
            changes=(0,),
            mistakes=[
                (
                    _report(SENT, "the frame", 1 + words_asked(1514)),
                    "you still ask for every word; the first 512 are promised.",
                ),
                _NO_CRC,
            ],
        ),
        wb.Step(
            _report(SENT, "the frame", 1 + words_asked(4000) - ROOM),
            (Bench(), HEADER, frame_of(4000), ROOM),
            did="injected a frame of 4000 bytes, more than the promise covers",
            look=injected,
            changes=(0,),
        ),
        wb.Step(
            _report(BUSY, "nothing", 1),
            (_full(), HEADER, frame_of(64), ROOM),
            did="injected a frame of 64 bytes while the watermark was reached",
            look=lambda result, args: injected(result, args) | {"on the wire": "nothing"},
            changes=(0,),
        ),
    ],
    hint="the promise holds for the first `room` words; count them.",
)

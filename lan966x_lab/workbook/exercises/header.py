"""The exercises of notebook 02: find where a getter goes wrong, and write a set that does not."""

from typing import Any

from lan966x_lab import ifh

from ..checks import Check, Step
from ..explorers.readback import comes_back


def _around(first_wrong: Any, _: tuple[Any, ...]) -> str:
    """What the published getter makes of the time and of the nanosecond before it."""
    if not isinstance(first_wrong, int):
        return f"no whole number: {first_wrong!r}"
    return f"{comes_back(first_wrong - 1)}, then {comes_back(first_wrong)}"


first_wrong_check = Check(
    "first_wrong",
    [
        Step(
            "right, then wrong",
            None,
            did="wrote the nanosecond before first_wrong, then first_wrong, and read both back",
            look=_around,
            mistakes=[
                ("right, then right", "this time comes back as it was; the first wrong one is later."),
                ("wrong, then wrong", "an earlier time is wrong, too; the first wrong one is earlier."),
                ("wrong, then right", "the time before is wrong; look there."),
            ],
        )
    ],
    hint="move the time in the explorer, look for what the wrong ones have in common, and put a number here.",
)


def _replaced(header: bytes, pos: int, width: int, value: int) -> bytes:
    """What a set should leave: the header is one integer, and some of its bits are replaced."""
    mask = ((1 << width) - 1) << pos
    word = int.from_bytes(header, "big") & ~mask | value << pos
    return word.to_bytes(len(header), "big")


def _step(
    did: str, header: bytes, name: str, value: int, *mistakes: tuple[Any, str], edge: bool = False
) -> Step:
    layout = ifh.LAN966X.tx if len(header) == ifh.LAN966X.tx.nbytes else ifh.OCELOT.tx
    field = layout[name]
    return Step(
        _replaced(header, field.pos, field.width, value),
        (bytearray(header), field.pos, field.width, value),
        did=f"set_field(header, {field.pos}, {field.width}, {value:#x}): {did}",
        look=lambda _, args: bytes(args[0]),
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


def _refusal(did: str, name: str, value: int, *, edge: bool = False) -> Step:
    field = ifh.LAN966X.tx[name]
    return Step(
        ValueError,
        (bytearray(DIRTY), field.pos, field.width, value),
        did=f"set_field(header, {field.pos}, {field.width}, {value}): {did}",
        edge=edge,
    )


ZEROED, ONES, DIRTY = bytes(28), b"\xff" * 28, bytes(range(0xA0, 0xBC))
_UNTOUCHED = "nothing has changed; work on the header that you are given, it is a bytearray."

set_field_check = Check(
    "set_field",
    [
        _step("DSTS in a zeroed header", ZEROED, "DSTS", 0x155, (ZEROED, _UNTOUCHED)),
        _step(
            "DSTS cleared in a header of ones",
            ONES,
            "DSTS",
            0,
            (ONES, "a set that only ORs never clears; take the field's old bits out first."),
            (
                lambda seen: seen[19:21] == b"\0\0",
                "the neighbours in bytes 19 and 20 are gone; clear the field's own bits and no others.",
            ),
        ),
        _step("QOS_CLASS, inside one byte of a dirty header", DIRTY, "QOS_CLASS", 5),
        _step("TCI, across three bytes of a dirty header", DIRTY, "TCI", 0x10ABC),
        _step(
            "TIMESTAMP, which begins with the header, in a dirty header",
            DIRTY,
            "TIMESTAMP",
            0x8000_0001,
            (
                lambda seen: seen[:4] == b"\x80\0\0\1",
                "another byte has changed, the last one? Index −1 is the last byte of a bytearray; "
                "stop at the field's highest byte.",
            ),
        ),
        _refusal("four bits for the three of QOS_CLASS", "QOS_CLASS", 9),
        _refusal("a negative number", "DSTS", -1, edge=True),
        _step("DEST of an Ocelot header, which has 16 bytes", b"\x5a" * 16, "DEST", 0xABC, edge=True),
    ],
    hint="begin with the check that the value fits, then shift value and mask by pos % 8.",
)

"""Exercise 06, run a descriptor ring: the visible checks. The ring that they run on is ``bench_ring``."""

from typing import Any

from lan966x_lab import workbook as wb
from lan966x_lab.hw.bcm4908 import Ctl, length_of
from lan966x_lab.hw.ring import DescriptorRing

from .bench_ring import SIZE, Nic, RingError, ledger_table, napi, ring_picture

__all__ = [
    "SIZE",
    "Nic",
    "RingError",
    "advance_check",
    "arm_check",
    "close_check",
    "empty_descriptor_check",
    "ledger_table",
    "napi",
    "poll_check",
    "ring_picture",
    "slot",
    "take_check",
]

# ---- a control word


def _parts(result: Any, args: tuple[Any, ...]) -> Any:
    """A control word in words; what is none stays as it is."""
    if not isinstance(result, int) or isinstance(result, bool) or not 0 <= result < 1 << 32:
        return result
    named = [bit.name for bit in (Ctl.OWN, Ctl.SOP, Ctl.EOP, Ctl.WRAP) if result & bit]
    return " ".join([f"{length_of(result)} bytes", *(name for name in named if name)])


def _control(want: str, *args: Any, edge: bool = False) -> wb.Step:
    length = f"{args[0]} bytes"
    return wb.Step(
        want,
        args,
        look=_parts,
        edge=edge,
        mistakes=[
            (
                length + " WRAP" * args[1],
                "without OWN the device takes this slot for yours, and stops there.",
            ),
            (f"{length} OWN", "the last slot has WRAP: that is how the device finds back to the first one."),
            (f"{length} OWN WRAP", "WRAP sends the device to slot 0: it belongs into the last slot only."),
            (
                lambda seen: isinstance(seen, str) and seen.startswith("0 bytes"),
                "the length stands in the upper half of the word: shift it by LENGTH_SHIFT.",
            ),
            (
                lambda seen: isinstance(seen, str) and ("SOP" in seen or "EOP" in seen),
                "SOP and EOP are the device's to write, when it has a frame.",
            ),
        ],
    )


empty_descriptor_check = wb.Check(
    "empty_descriptor",
    [
        _control("1600 bytes OWN", 1600, False),
        _control("1600 bytes OWN WRAP", 1600, True),
        _control("2048 bytes OWN", 2048, False, edge=True),
    ],
    hint="length << LENGTH_SHIFT, and Ctl.OWN and Ctl.WRAP joined with |.",
)

# ---- one step round the ring


def _advance(start: int, slots: int, want: int, *mistakes: tuple[Any, str], edge: bool = False) -> wb.Step:
    return wb.Step(
        want,
        (Nic(slots=slots, at=start),),
        did=f"advance(nic) in a ring of {slots} slots, nic.at was {start}; saw nic.at",
        look=lambda result, args: args[0].at,
        changes=(0,),
        edge=edge,
        mistakes=(
            *mistakes,
            (slots, f"there is no slot {slots}: behind slot {slots - 1} comes slot 0."),
            (start, "nic.at is where it was; assign to it."),
        ),
    )


advance_check = wb.Check(
    "advance",
    [
        _advance(0, 4, 1),
        _advance(3, 4, 0),
        _advance(
            2,
            4,
            3,
            (0, "slot 3 is the last one, and you leave it out: the device does not, so you part."),
            edge=True,
        ),
        _advance(6, 7, 0, (3, "not every ring has 4 slots: ask nic.ring.length."), edge=True),
    ],
    hint="nic.ring.length is how many slots there are; % brings you back to 0.",
)

# ---- a buffer for a slot

_SHORT = (1,) * 20_000


def slot(nic: Nic, index: int) -> str:
    """Whose a slot is, in words."""
    ctl, address = DescriptorRing.read(nic.ring, index)
    if not ctl and not address:
        return "empty"
    return f"the device's, {_parts(ctl, ())}" if ctl & Ctl.OWN else f"yours, {_parts(ctl, ())}"


def _armed(
    did: str, nic: Nic, index: int, returned: bool, want: str, *mistakes: tuple[Any, str], edge: bool = False
) -> wb.Step:
    return wb.Step(
        {"returned": returned, "slot": want, "lost buffers": 0},
        (nic, index),
        did=f"arm(nic, {index}): {did}",
        look=lambda result, args: {
            "returned": result,
            "slot": slot(args[0], index),
            "lost buffers": args[0].ledger()["lost buffers"],
        },
        changes=(0,),
        edge=edge,
        mistakes=(
            *mistakes,
            (
                lambda seen: seen["returned"] is None,
                "return True when the slot has a buffer, False when not.",
            ),
            (lambda seen: seen["lost buffers"], "you took a buffer and put it nowhere: ask alloc() once."),
        ),
    )


arm_check = wb.Check(
    "arm",
    [
        _armed("the ring is empty", Nic(armed=False), 0, True, "the device's, 1600 bytes OWN"),
        _armed("the last slot", Nic(armed=False), 3, True, "the device's, 1600 bytes OWN WRAP"),
        _armed(
            "memory is short",
            Nic(armed=False, fails=_SHORT),
            1,
            False,
            "empty",
            (lambda seen: seen["returned"] is True, "alloc() returned None: there is nothing to arm with."),
            (lambda seen: seen["slot"] != "empty", "without a buffer the slot stays as it is."),
        ),
        _armed(
            "memory is short, and a frame is in the slot",
            Nic("a", fails=[1]),
            0,
            False,
            "yours, 61 bytes SOP EOP",
            (
                lambda seen: seen["slot"] == "empty",
                "a frame and its buffer were in that slot: ask alloc() before you write anything.",
            ),
            edge=True,
        ),
    ],
    hint="address = nic.alloc(); is it None?",
)

# ---- one frame


def _taken(result: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    nic, at = args[0], args[0].started_at
    return {
        "up": nic.up_letters,
        "dropped": nic.dropped,
        "slot": slot(nic, at).split(",")[0],
        "nic.at": nic.at,
        "lost buffers": nic.ledger()["lost buffers"],
    }


def _take(
    did: str, nic: Nic, up: str, dropped: int, at: int, *mistakes: tuple[Any, str], edge: bool = False
) -> wb.Step:
    return wb.Step(
        {"up": up, "dropped": dropped, "slot": "the device's", "nic.at": at, "lost buffers": 0},
        (nic,),
        did=f"take(nic): {did}",
        look=_taken,
        changes=(0,),
        edge=edge,
        mistakes=(
            *mistakes,
            (
                lambda seen: seen["slot"] != "the device's",
                "the slot has no buffer any more: from now on the ring is one slot shorter.",
            ),
            (
                lambda seen: seen["nic.at"] == nic.started_at,
                "go on to the next slot, whatever became of this one.",
            ),
            (
                lambda seen: seen["lost buffers"],
                "a buffer is neither in the ring nor at the stack: it is lost.",
            ),
            (lambda seen: "?" in seen["up"], "the length of the frame stands in ctl: hand up so many bytes."),
        ),
    )


take_check = wb.Check(
    "take",
    [
        _take(
            "a frame waits in slot 0",
            Nic("abc"),
            "a",
            0,
            1,
            (lambda seen: seen["up"] == "" and seen["dropped"], "memory is not short: hand the frame up."),
            (lambda seen: seen["up"] == "", "nobody got the frame: nic.up(address, length)."),
        ),
        _take(
            "memory is short",
            Nic("abc", fails=[1]),
            "",
            1,
            1,
            (
                lambda seen: seen["up"] == "a" and seen["slot"] != "the device's",
                "you handed up the slot's only buffer and got no other: the ring is one slot shorter.",
            ),
            (
                lambda seen: seen["slot"] == "the device's" and not seen["dropped"],
                "count the frame: nic.drop().",
            ),
            (
                lambda seen: seen["dropped"] and seen["slot"] != "the device's",
                "the frame is gone, its buffer is not: give it back to the device as it was.",
            ),
        ),
        _take("a frame waits in the last slot", Nic("a", at=3), "a", 0, 0),
        _take("memory is short, in the last slot", Nic("ab", at=3, fails=[1]), "", 1, 0, edge=True),
        _take("a long frame", Nic("A"), "A", 0, 1, edge=True),
        _take("memory is short, and the frame is a long one", Nic("A", fails=[1]), "", 1, 1, edge=True),
    ],
    hint="read the descriptor, arm the slot anew, then hand up what you have read.",
)

# ---- a budget


def _polled(result: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    nic = args[0]
    return {
        "returned": result,
        "up": nic.up_letters,
        "dropped": nic.dropped,
        "completed": nic.completed,
        "waiting": nic.waiting,
        "device runs": nic.device.running,
    }


def _report(returned: int, up: str, dropped: int, completed: int, waiting: int) -> dict[str, Any]:
    return {
        "returned": returned,
        "up": up,
        "dropped": dropped,
        "completed": completed,
        "waiting": waiting,
        "device runs": True,
    }


def _poll(
    did: str, nic: Nic, budget: int, want: dict[str, Any], *mistakes: tuple[Any, str], edge: bool = False
) -> wb.Step:
    return wb.Step(
        want,
        (nic, budget),
        did=f"poll(nic, {budget}): {did}",
        look=_polled,
        changes=(0,),
        edge=edge,
        mistakes=(
            *mistakes,
            (lambda seen: seen["returned"] is None, "return how many frames you took."),
            (
                lambda seen: not seen["device runs"],
                "the device met a slot of yours and stopped; without a doorbell it never looks again.",
            ),
            (
                lambda seen: seen["completed"] > want["completed"],
                "the whole budget is used, so NAPI polls again; who completes now leaves the rest to chance.",
            ),
            (
                lambda seen: seen["completed"] < want["completed"] and seen["waiting"] == 0,
                "the ring is empty and budget is left: complete, or no interrupt ever comes.",
            ),
        ),
    )


poll_check = wb.Check(
    "poll",
    [
        _poll(
            "two frames wait",
            Nic("ab"),
            8,
            _report(2, "ab", 0, 1, 0),
            (lambda seen: seen["returned"] == 0 and seen["up"] == "ab", "return how many frames you took."),
        ),
        _poll("three frames wait", Nic("abc"), 2, _report(2, "ab", 0, 0, 1)),
        _poll(
            "six frames came, the ring has four slots",
            Nic("abcdef"),
            8,
            _report(4, "abcd", 0, 1, 0),
        ),
        _poll(
            "memory is short for the second of three frames",
            Nic("abc", fails=[0, 1]),
            8,
            _report(3, "ac", 1, 1, 0),
            (
                lambda seen: seen["returned"] == 2 and seen["up"] == "ac",
                "a frame that is dropped was work, too: count it.",
            ),
            (
                lambda seen: seen["up"] == "a",
                "one frame that is dropped does not end the poll: c still waits.",
            ),
        ),
        _poll("two frames wait, and the budget is two", Nic("ab"), 2, _report(2, "ab", 0, 0, 0), edge=True),
        _poll(
            "four frames wait, the ring is full, and the budget is one",
            Nic("abcde"),
            1,
            _report(1, "a", 0, 0, 3),
            edge=True,
        ),
        _poll(
            "a second frame arrives while the first one is handed up",
            Nic("a", later="b"),
            8,
            _report(2, "ab", 0, 1, 0),
            (lambda seen: seen["up"] == "a", "look at the slot before every frame: what you counted is old."),
            edge=True,
        ),
        _poll(
            "one frame waits, and the budget is none",
            Nic("a"),
            0,
            _report(0, "", 0, 0, 1),
            (
                lambda seen: seen["completed"] == 1,
                "budget 0 is for the transmit side: such a call never completes.",
            ),
            edge=True,
        ),
    ],
    hint="while budget is left and the slot at nic.at is not the device's: take, and count.",
)

# ---- for the quick


def _closed(result: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    nic = args[0]
    nic.device.stop()
    ledger = nic.ledger()
    return {
        "nic.at": nic.at,
        "slots with a buffer": nic.ring.length - ledger["empty slots"],
        "lost buffers": ledger["lost buffers"],
        "at the stack": nic.up_letters,
    }


def _close(did: str, nic: Nic, *, edge: bool = False) -> wb.Step:
    return wb.Step(
        {"nic.at": 0, "slots with a buffer": 0, "lost buffers": 0, "at the stack": ""},
        (nic,),
        did=f"close(nic): {did}",
        look=_closed,
        changes=(0,),
        edge=edge,
        mistakes=[
            (lambda seen: seen["lost buffers"], "you forgot a buffer; free the one in every slot."),
            (lambda seen: seen["slots with a buffer"], "write (0, 0) into the slot, or the device finds it."),
            (
                lambda seen: seen["nic.at"] != 0,
                "after the next up the device begins at slot 0; if you begin elsewhere, you wait for ever.",
            ),
        ],
    )


close_check = wb.Check(
    "close",
    [
        _close("an idle ring", Nic()),
        _close("two frames wait, and you stand at slot 2", Nic("ab", at=2)),
        _close("a ring of which nothing was ever armed", Nic(armed=False), edge=True),
    ],
    hint="for each slot with an address: free it, and write (0, 0).",
)

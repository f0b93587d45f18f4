"""Submissions to exercise 06: what learners write when a ring is theirs to keep whole."""

from submissions_support import Bad, Good

DESCRIPTOR = """
def empty_descriptor(length, last):
    ctl = 0x8000 + (length << 16)
    if last:
        ctl += 0x1000
    return ctl
"""
ADVANCE = """
def advance(nic):
    nic.at += 1
    if nic.at == nic.ring.length:
        nic.at = 0
"""
ARM = """
def arm(nic, index):
    buffer = nic.alloc()
    if buffer is not None:
        last = index + 1 == nic.ring.length
        nic.ring.write(index, empty_descriptor(SIZE, last), buffer)
    return buffer is not None
"""
TAKE = """
def take(nic):
    ctl, address = nic.ring.read(nic.at)
    got = arm(nic, nic.at)
    if not got:
        last = nic.at == nic.ring.length - 1
        nic.ring.write(nic.at, empty_descriptor(SIZE, last), address)
        nic.drop()
    advance(nic)
    if got:
        nic.up(address, ctl >> 16)
"""
POLL = """
def poll(nic, budget):
    for work in range(budget):
        ctl, _ = nic.ring.read(nic.at)
        if ctl & Ctl.OWN:
            nic.doorbell()
            nic.complete()
            return work
        take(nic)
    nic.doorbell()
    return budget
"""
CLOSE = """
def close(nic):
    for index in range(nic.ring.length):
        if address := nic.ring.read(index)[1]:
            nic.ring.write(index, 0, 0)
            nic.free(address)
    nic.at = 0
"""


def changed(source: str, *changes: tuple[str, str]) -> str:
    """A right answer with something done otherwise."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


TAKE_UP_FIRST = """
def take(nic):
    ctl, address = nic.ring.read(nic.at)
    nic.ring.write(nic.at, 0, 0)
    nic.up(address, ctl >> LENGTH_SHIFT)
    arm(nic, nic.at)
    advance(nic)
"""
TAKE_STAYS = """
def take(nic):
    ctl, address = nic.ring.read(nic.at)
    if not arm(nic, nic.at):
        nic.drop()
        return
    nic.up(address, ctl >> LENGTH_SHIFT)
    advance(nic)
"""
TAKE_READS_TOO_LATE = """
def take(nic):
    if arm(nic, nic.at):
        ctl, address = nic.ring.read(nic.at)
        nic.up(address, ctl >> LENGTH_SHIFT)
    else:
        nic.drop()
    advance(nic)
"""
TAKE_SETS_OWN_ONLY = """
def take(nic):
    ctl, address = nic.ring.read(nic.at)
    if arm(nic, nic.at):
        nic.up(address, ctl >> LENGTH_SHIFT)
    else:
        nic.drop()
        nic.ring.write(nic.at, ctl | Ctl.OWN, address)
    advance(nic)
"""
DEPENDS = ("check_take", "check_poll")

SUBMISSIONS = {
    "numbers for bits, and the frame goes up last": Good(
        {
            "empty_descriptor": DESCRIPTOR,
            "advance": ADVANCE,
            "arm": ARM,
            "take": TAKE,
            "poll": POLL,
            "close": CLOSE,
        }
    ),
    "no OWN": Bad(
        {"empty_descriptor": changed(DESCRIPTOR, ("0x8000 + (length << 16)", "length << 16"))},
        check="check_empty_descriptor",
        says="without OWN the device takes this slot for yours, and stops there.",
        also=("check_arm", *DEPENDS),
    ),
    "WRAP in every slot": Bad(
        {"empty_descriptor": changed(DESCRIPTOR, ("    if last:\n        ctl", "    ctl"))},
        check="check_empty_descriptor",
        says="WRAP sends the device to slot 0: it belongs into the last slot only.",
        also=("check_arm", *DEPENDS),
    ),
    "WRAP in no slot": Bad(
        {
            "empty_descriptor": "def empty_descriptor(length, last):\n"
            "    return Ctl.OWN | length << LENGTH_SHIFT"
        },
        check="check_empty_descriptor",
        says="the last slot has WRAP: that is how the device finds back to the first one.",
        also=("check_arm", *DEPENDS),
    ),
    "length where it is": Bad(
        {"empty_descriptor": changed(DESCRIPTOR, ("(length << 16)", "length"))},
        check="check_empty_descriptor",
        says="the length stands in the upper half of the word: shift it by LENGTH_SHIFT.",
        also=("check_arm", *DEPENDS),
    ),
    "never goes round": Bad(
        {"advance": "def advance(nic):\n    nic.at += 1"},
        check="check_advance",
        says="there is no slot 4: behind slot 3 comes slot 0.",
        also=DEPENDS,
    ),
    "goes round one slot too early": Bad(
        {"advance": changed(ADVANCE, ("== nic.ring.length", ">= nic.ring.length - 1"))},
        check="check_advance",
        says="slot 3 is the last one, and you leave it out: the device does not, so you part.",
        also=DEPENDS,
    ),
    "returns the next slot and stays": Bad(
        {"advance": "def advance(nic):\n    return (nic.at + 1) % nic.ring.length"},
        check="check_advance",
        says="nic.at is where it was; assign to it.",
        also=DEPENDS,
    ),
    "every ring has four slots": Bad(
        {"advance": "def advance(nic):\n    nic.at = (nic.at + 1) % 4"},
        check="check_advance",
        says="not every ring has 4 slots: ask nic.ring.length.",
        also=DEPENDS,
    ),
    "writes None into the ring": Bad(
        {
            "arm": "def arm(nic, index):\n"
            "    last = index == nic.ring.length - 1\n"
            "    nic.ring.write(index, empty_descriptor(SIZE, last), nic.alloc())\n"
            "    return True"
        },
        check="check_arm",
        says=(
            "Saw: RingError: slot 1 was given the address None: alloc() had no buffer for you, in "
            "line 3 of arm: nic.ring.write(index, empty_descriptor(SIZE, last), nic.alloc())"
        ),
        also=DEPENDS,
    ),
    "takes slot 3 for the last one": Bad(
        {"arm": changed(ARM, ("index + 1 == nic.ring.length", "index == 3"))},
        check="check_arm",
        says="Saw: RingError: slot 0 is the last one and has no WRAP: "
        "the device would not go round the ring as you do",
        also=DEPENDS,
    ),
    "asks twice for a buffer": Bad(
        {
            "arm": "def arm(nic, index):\n"
            "    if nic.alloc() is None:\n"
            "        return False\n"
            "    last = index == nic.ring.length - 1\n"
            "    nic.ring.write(index, empty_descriptor(SIZE, last), nic.alloc())\n"
            "    return True"
        },
        check="check_arm",
        says="you took a buffer and put it nowhere: ask alloc() once.",
        also=DEPENDS,
    ),
    "empties the slot before it asks": Bad(
        {
            "arm": changed(
                ARM,
                ("    buffer = nic.alloc()\n", "    nic.ring.write(index, 0, 0)\n    buffer = nic.alloc()\n"),
            )
        },
        check="check_arm",
        says="a frame and its buffer were in that slot: ask alloc() before you write anything.",
    ),
    "waits for memory": Bad(
        {
            "arm": "def arm(nic, index):\n"
            "    while (buffer := nic.alloc()) is None:\n"
            "        pass\n"
            "    nic.ring.write(index, empty_descriptor(SIZE, index == nic.ring.length - 1), buffer)\n"
            "    return True"
        },
        check="check_arm",
        says=(
            "Saw: RingError: 10,000 steps and no end: you ask for buffers and get none: whoever "
            "polls must not wait for memory, in line 2 of arm: while (buffer := nic.alloc()) is "
            "None:"
        ),
        also=DEPENDS,
    ),
    "hands up before it refills": Bad(
        {"take": TAKE_UP_FIRST},
        check="check_take",
        says="you handed up the slot's only buffer and got no other: the ring is one slot shorter.",
        also=("check_poll",),
    ),
    "stays when memory is short": Bad(
        {"take": TAKE_STAYS},
        check="check_take",
        says="the frame is gone, its buffer is not: give it back to the device as it was.",
        also=("check_poll",),
    ),
    "reads what it has armed": Bad(
        {"take": TAKE_READS_TOO_LATE},
        check="check_take",
        says=(
            "Saw: RingError: up: the device owns that buffer, in slot 0: it holds no frame for you, "
            "in line 4 of take: nic.up(address, ctl >> LENGTH_SHIFT)"
        ),
        also=("check_poll",),
    ),
    "sets OWN and leaves the length": Bad(
        {"take": TAKE_SETS_OWN_ONLY},
        check="check_take",
        says=(
            "Saw: RingError: slot 0 says 61 bytes, its buffer has 1600: long frames come in pieces, "
            "in line 7 of take: nic.ring.write(nic.at, ctl | Ctl.OWN, address)"
        ),
        also=("check_poll",),
    ),
    "drops without counting": Bad(
        {"take": changed(TAKE, ("        nic.drop()\n", ""))},
        check="check_take",
        says="count the frame: nic.drop().",
        also=("check_poll",),
    ),
    "forgets WRAP when it gives back": Bad(
        {
            "take": changed(
                TAKE, ("empty_descriptor(SIZE, last), address", "empty_descriptor(SIZE, False), address")
            )
        },
        check="check_take",
        says=(
            "Saw: RingError: slot 3 is the last one and has no WRAP: the device would not go round "
            "the ring as you do, in line 6 of take: nic.ring.write(nic.at, empty_descriptor(SIZE, "
            "False), address)"
        ),
        also=("check_poll",),
    ),
    "hands up the whole buffer": Bad(
        {"take": changed(TAKE, ("ctl >> 16", "SIZE"))},
        check="check_take",
        says="the length of the frame stands in ctl: hand up so many bytes.",
        also=("check_poll",),
    ),
    "returns nothing": Bad(
        {"poll": changed(POLL, ("            return work\n", "            return\n"))},
        check="check_poll",
        says="return how many frames you took.",
    ),
    "no doorbell": Bad(
        {"poll": changed(POLL, ("            nic.doorbell()\n", ""), ("    nic.doorbell()\n", ""))},
        check="check_poll",
        says="the device met a slot of yours and stopped; without a doorbell it never looks again.",
    ),
    "the doorbell only when done": Bad(
        {"poll": changed(POLL, ("    nic.doorbell()\n    return budget", "    return budget"))},
        check="check_poll",
        says="the device met a slot of yours and stopped; without a doorbell it never looks again.",
    ),
    "completes whenever the ring is empty": Bad(
        {
            "poll": changed(
                POLL,
                (
                    "    nic.doorbell()\n    return budget",
                    "    nic.doorbell()\n    if nic.ring.read(nic.at)[0] & Ctl.OWN:\n        nic.complete()\n"
                    "    return budget",
                ),
            )
        },
        check="check_poll",
        says="the whole budget is used, so NAPI polls again; who completes now leaves the rest to chance.",
    ),
    "completes always": Bad(
        {
            "poll": changed(
                POLL,
                (
                    "    nic.doorbell()\n    return budget",
                    "    nic.doorbell()\n    nic.complete()\n    return budget",
                ),
            )
        },
        check="check_poll",
        says="the whole budget is used, so NAPI polls again; who completes now leaves the rest to chance.",
    ),
    "never looks at OWN": Bad(
        {
            "poll": "def poll(nic, budget):\n"
            "    for _ in range(budget):\n        take(nic)\n    nic.doorbell()\n    return budget"
        },
        check="check_poll",
        says=(
            "Saw: RingError: up: every frame that came is taken, that slot has none: look at OWN "
            "first, in line 3 of poll: take(nic)"
        ),
    ),
    "counts what goes up": Bad(
        {
            "poll": "def poll(nic, budget):\n"
            "    work = 0\n"
            "    while work < budget and not nic.ring.read(nic.at)[0] & Ctl.OWN:\n"
            "        dropped = nic.dropped\n"
            "        take(nic)\n"
            "        work += nic.dropped == dropped\n"
            "    nic.doorbell()\n"
            "    if work < budget:\n"
            "        nic.complete()\n"
            "    return work"
        },
        check="check_poll",
        says="a frame that is dropped was work, too: count it.",
    ),
    "polls until a frame comes": Bad(
        {
            "poll": "def poll(nic, budget):\n"
            "    work = 0\n"
            "    while work < budget:\n"
            "        if nic.ring.read(nic.at)[0] & Ctl.OWN:\n"
            "            continue\n"
            "        take(nic)\n"
            "        work += 1\n"
            "    nic.doorbell()\n"
            "    return work"
        },
        check="check_poll",
        says=(
            "Saw: RingError: 10,000 steps and no end: you read descriptors and get nowhere: stop at "
            "a slot whose OWN bit is set, in line 4 of poll: if nic.ring.read(nic.at)[0] & Ctl.OWN:"
        ),
    ),
}

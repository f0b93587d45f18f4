"""Submissions to exercise 05: what learners write when they meet a register protocol for the first time."""

from submissions_support import Bad, Good

WORDS = """
def words_of(data, at_least):
    whole = bytearray(max(at_least, (len(data) + 3) // 4 * 4))
    whole[: len(data)] = data
    words = []
    for at in range(0, len(whole), 4):
        low, second, third, high = whole[at : at + 4]
        words.append(low | second << 8 | third << 16 | high << 24)
    return words
"""
BIG_ENDIAN = """
def words_of(data, at_least):
    data = data + bytes(max(0, at_least - len(data)))
    data = data + bytes(-len(data) % 4)
    return [int.from_bytes(data[i : i + 4], "big") for i in range(0, len(data), 4)]
"""
WHOLE_WORDS_ONLY = """
def words_of(data, at_least):
    data = data.ljust(at_least, b"\\0")
    return [int.from_bytes(data[4 * i : 4 * i + 4], "little") for i in range(len(data) // 4)]
"""
ALWAYS_60 = """
def words_of(data, at_least):
    data = data[:at_least] if at_least else data
    data = data.ljust(at_least, b"\\0") + bytes(-len(data.ljust(at_least)) % 4)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
"""
END = """
def end_of_frame(length):
    control = 1 << 21 | 1 << 19
    if length > 60:
        control |= (length & 3) << 16
    return control
"""
UNUSED = """
def end_of_frame(length):
    unused = -length % 4 if length >= 60 else 0
    return InjCtrl.GAP_SIZE.put(1) | InjCtrl.EOF.put(1) | InjCtrl.VLD_BYTES.put(unused)
"""
FOUR = """
def end_of_frame(length):
    valid = length % 4 or 4
    return 1 << 21 | 1 << 19 | valid << 16
"""
SHORT = """
def end_of_frame(length):
    return InjCtrl.GAP_SIZE.put(1) | InjCtrl.EOF.put(1) | InjCtrl.VLD_BYTES.put(length % 4)
"""
NO_GAP = """
def end_of_frame(length):
    return InjCtrl.EOF.put(1) | InjCtrl.VLD_BYTES.put(length % 4 if length >= 60 else 0)
"""
ROOM = """
def has_room(door):
    return door.read(STATUS) & 0b010100 == 0b000100
"""
ROOM_READY_ONLY = """
def has_room(door):
    return bool(InjStatus.FIFO_RDY.get(door.read(STATUS)) & 1)
"""
ROOM_COMPARES = """
def has_room(door):
    return door.read(STATUS) == InjStatus.FIFO_RDY.put(1)
"""
ROOM_BOTH_GROUPS = """
def has_room(door):
    status = door.read(STATUS)
    return InjStatus.FIFO_RDY.get(status) > 0 and InjStatus.WMARK_REACHED.get(status) == 0
"""
ROOM_TWO_LOOKS = """
def has_room(door):
    ready = InjStatus.FIFO_RDY.get(door.read(STATUS)) & 1
    full = InjStatus.WMARK_REACHED.get(door.read(STATUS)) & 1
    return ready == 1 and full == 0
"""
ROOM_OTHER_MARK = """
def has_room(door):
    status = door.read(STATUS)
    return InjStatus.FIFO_RDY.get(status) & 1 == 1 and not InjStatus.WMARK_REACHED.get(status)
"""
WORD = """
def write_word(door, word, looks):
    left = looks
    while not door.read(STATUS) & 4:
        left -= 1
        if not left:
            return False
        door.delay(PAUSE_NS)
    door.write(DATA, word)
    return True
"""
FOR_EVER = """
def write_word(door, word, looks):
    while not InjStatus.FIFO_RDY.get(door.read(STATUS)) & 1:
        door.delay(PAUSE_NS)
    door.write(DATA, word)
    return True
"""
ANY_GROUP = """
def write_word(door, word, looks):
    for look in range(looks):
        if InjStatus.FIFO_RDY.get(door.read(STATUS)):
            door.write(DATA, word)
            return True
        if look < looks - 1:
            door.delay(PAUSE_NS)
    return False
"""
NEVER_ASKS = """
def write_word(door, word, looks):
    door.write(DATA, word)
    return True
"""
ASKS_ONCE = """
def write_word(door, word, looks):
    if not door.read(STATUS) & 4:
        return False
    door.write(DATA, word)
    return True
"""
ONE_TOO_MANY = """
def write_word(door, word, looks):
    tried = 0
    while not door.read(STATUS) & 4:
        if tried >= looks:
            return False
        tried += 1
        door.delay(PAUSE_NS)
    door.write(DATA, word)
    return True
"""
WAITS_FIRST = """
def write_word(door, word, looks):
    for look in range(looks):
        door.delay(PAUSE_NS)
        if InjStatus.FIFO_RDY.get(door.read(STATUS)) & 1:
            door.write(DATA, word)
            return True
    return False
"""
WAITS_FOR_THE_MARK = """
def write_word(door, word, looks):
    for look in range(looks):
        if look:
            door.delay(PAUSE_NS)
        if has_room(door):
            door.write(DATA, word)
            return True
    return False
"""
WRITES_ANYWAY = """
def write_word(door, word, looks):
    for look in range(looks):
        if door.read(STATUS) & 4:
            break
        door.delay(PAUSE_NS)
    door.write(DATA, word)
    return True
"""
FRAME = """
def inject(door, header, frame):
    if has_room(door) is False:
        return BUSY
    door.write(CTRL, 1 << 21 | 1 << 18)
    for piece, least in ((header, 0), (frame, 60)):
        for word in words_of(piece, least):
            if not write_word(door, word, LOOKS):
                door.write(CTRL, 1 << 21 | 1 << 20)
                return GAVE_UP
    for register, value in ((CTRL, end_of_frame(len(frame))), (DATA, 0)):
        door.write(register, value)
    return SENT
"""


def changed(old: str, new: str) -> dict[str, str]:
    """FRAME with one thing done otherwise."""
    assert old in FRAME
    return {"inject": FRAME.replace(old, new)}


SUBMISSIONS = {
    "bit masks typed out, while instead of for": Good(
        {
            "words_of": WORDS,
            "end_of_frame": END,
            "has_room": ROOM,
            "write_word": WORD,
            "inject": FRAME,
            "inject_with_room": (
                "def inject_with_room(door, header, frame, room):\n"
                "    if not has_room(door):\n"
                "        return BUSY\n"
                "    words = words_of(header, 0) + words_of(frame, 60)\n"
                "    door.write(CTRL, 1 << 21 | 1 << 18)\n"
                "    for word in words[:room]:\n"
                "        door.write(DATA, word)\n"
                "    if not all(write_word(door, word, LOOKS) for word in words[room:]):\n"
                "        door.write(CTRL, 1 << 21 | 1 << 20)\n"
                "        return GAVE_UP\n"
                "    door.write(CTRL, end_of_frame(len(frame)))\n"
                "    door.write(DATA, 0)\n"
                "    return SENT"
            ),
        }
    ),
    "words in network order": Bad(
        {"words_of": BIG_ENDIAN},
        check="check_words_of",
        says="the first byte is the low one: the group swaps bytes, so a word goes as memory has it.",
        also=("check_inject",),
    ),
    "only whole words": Bad(
        {"words_of": WHOLE_WORDS_ONLY},
        check="check_words_of",
        says="the last, partial word is missing; fill it up with zeros.",
        also=("check_inject",),
    ),
    "cut to 60": Bad(
        {"words_of": ALWAYS_60},
        check="check_words_of",
        says="a frame that is longer than at_least keeps all its bytes.",
        also=("check_inject",),
    ),
    "counts the unused bytes": Bad(
        {"end_of_frame": UNUSED},
        check="check_end_of_frame",
        says="VLD_BYTES counts the bytes of the last word that are valid, not those that are not.",
        also=("check_inject",),
    ),
    "four valid bytes are 4": Bad(
        {"end_of_frame": FOUR},
        check="check_end_of_frame",
        says="a full last word has VLD_BYTES 0; 4 does not fit into two bits and runs into SOF.",
        also=("check_inject",),
    ),
    "short frames keep their remainder": Bad(
        {"end_of_frame": SHORT},
        check="check_end_of_frame",
        says="a short frame was filled up to 60 bytes, so all four bytes of its last word are valid.",
        also=("check_inject",),
    ),
    "knows the lengths of the visible check": Bad(
        {
            "end_of_frame": "def end_of_frame(length):\n"
            "    valid = {61: 1, 1514: 2}.get(length, 0)\n"
            "    return InjCtrl.GAP_SIZE.put(1) | InjCtrl.EOF.put(1) | InjCtrl.VLD_BYTES.put(valid)"
        },
        check="check_end_of_frame",
        says="VLD_BYTES is what the length leaves over, whatever the length.",
        also=("check_inject",),
    ),
    "no gap": Bad(
        {"end_of_frame": NO_GAP}, check="check_end_of_frame", says="GAP_SIZE 1 belongs into it, too."
    ),
    "ready is room": Bad(
        {"has_room": ROOM_READY_ONLY},
        check="check_has_room",
        says="FIFO_RDY says that one word fits. WMARK_REACHED says that a whole frame does not.",
        also=("check_inject",),
    ),
    "compares the whole status": Bad(
        {"has_room": ROOM_COMPARES},
        check="check_has_room",
        says="the status holds the bits of both groups; test yours with &, do not compare all of it.",
        also=("check_inject",),
    ),
    "any group's bit will do": Bad(
        {"has_room": ROOM_BOTH_GROUPS},
        check="check_has_room",
        says="FIFO_RDY has one bit for each group, and the bit that is set is group 1's.",
    ),
    "two looks": Bad(
        {"has_room": ROOM_TWO_LOOKS},
        check="check_has_room",
        says="one look tells both bits; look once and keep it.",
        also=("check_inject",),
    ),
    "waits for the other group": Bad(
        {"has_room": ROOM_OTHER_MARK},
        check="check_has_room",
        says="WMARK_REACHED has one bit for each group, too; group 1 is none of your business.",
    ),
    "waits for ever": Bad(
        {"write_word": FOR_EVER},
        check="check_write_word",
        says=(
            "Saw: RuntimeError: 50,000 looks and waits without a word written: this FIFO never gets "
            "ready, so your loop would never end; count your looks, in line 2 of write_word: while "
            "not InjStatus.FIFO_RDY.get(door.read(STATUS)) & 1:"
        ),
        also=("check_inject",),
    ),
    "writes when any group is ready": Bad(
        {"write_word": ANY_GROUP},
        check="check_write_word",
        says=(
            "Saw: ProtocolError: injection group 0: a word written while FIFO_RDY is 0; 1 words of a"
            " frame are written. Next step: read QS_INJ_STATUS before each word. Your last look read"
            " 0x8: FIFO_RDY of group 1, and yours is group 0., in line 4 of write_word: "
            "door.write(DATA, word)"
        ),
        also=("check_inject",),
    ),
    "never asks": Bad(
        {"write_word": NEVER_ASKS},
        check="check_write_word",
        says="you wrote without a look: ask QS_INJ_STATUS before every word.",
        also=("check_inject",),
    ),
    "asks once": Bad(
        {"write_word": ASKS_ONCE},
        check="check_write_word",
        says="one no is not the end: wait 10 µs and look again.",
        also=("check_inject",),
    ),
    "one look too many": Bad(
        {"write_word": ONE_TOO_MANY},
        check="check_write_word",
        says="that is one look more than you were allowed.",
    ),
    "waits before it looks": Bad(
        {"write_word": WAITS_FIRST},
        check="check_write_word",
        says="you waited before you knew that there is a reason to; look first.",
    ),
    "waits for the watermark inside a frame": Bad(
        {"write_word": WAITS_FOR_THE_MARK},
        check="check_write_word",
        says="inside a frame only FIFO_RDY counts; the watermark is about whole frames.",
    ),
    "writes all the same": Bad(
        {"write_word": WRITES_ANYWAY},
        check="check_write_word",
        says=(
            "Saw: ProtocolError: injection group 0: a word written while FIFO_RDY is 0; 1 words of a"
            " frame are written. Next step: read QS_INJ_STATUS before each word. Your last look read"
            " 0x8: FIFO_RDY of group 1, and yours is group 0., in line 6 of write_word: "
            "door.write(DATA, word)"
        ),
        also=("check_inject",),
    ),
    "begins before it asks": Bad(
        changed(
            "    if has_room(door) is False:\n        return BUSY\n    door.write(CTRL, 1 << 21 | 1 << 18)\n",
            "    door.write(CTRL, 1 << 21 | 1 << 18)\n    if has_room(door) is False:\n        return BUSY\n",
        ),
        check="check_inject",
        says="a frame is open that nobody will finish: ask before SOF, not behind it.",
    ),
    "does not ask for room": Bad(
        changed("    if has_room(door) is False:\n        return BUSY\n", ""),
        check="check_inject",
        says="before SOF, ask once whether there is room for a whole frame.",
    ),
    "no word for the FCS": Bad(
        changed(", (DATA, 0)):", ",):"),
        check="check_inject",
        says=(
            "the frame never left: behind EOF the hardware waits for one more word, in the place of the FCS."
        ),
    ),
    "asks for the FCS, too": Bad(
        changed(
            "    for register, value in ((CTRL, end_of_frame(len(frame))), (DATA, 0)):\n"
            "        door.write(register, value)\n",
            "    door.write(CTRL, end_of_frame(len(frame)))\n    write_word(door, 0, LOOKS)\n",
        ),
        check="check_inject",
        says="one look too many: for the word in the place of the FCS, the hardware has kept room.",
    ),
    "leaves half a frame behind": Bad(
        changed("                door.write(CTRL, 1 << 21 | 1 << 20)\n", ""),
        check="check_inject",
        says="half a frame stays in the FIFO, and the next SOF will be refused: write ABORT.",
    ),
    "half a frame is BUSY": Bad(
        changed("return GAVE_UP", "return BUSY"),
        check="check_inject",
        says="BUSY means that nothing was begun and the frame may come again; this one was begun.",
    ),
    "does not look at what write_word says": Bad(
        changed(
            "            if not write_word(door, word, LOOKS):\n"
            "                door.write(CTRL, 1 << 21 | 1 << 20)\n"
            "                return GAVE_UP\n",
            "            write_word(door, word, LOOKS)\n",
        ),
        check="check_inject",
        says="write_word said False, and you went on: look at what it returns, each time.",
    ),
    "forgets to say SENT": Bad(
        changed("    return SENT\n", ""), check="check_inject", says="return SENT, BUSY or GAVE_UP."
    ),
}

"""Submissions to exercise 04: classifiers with one gap each, and times that are almost right."""

from submissions_support import Bad, Good

NEEDS = """
def needs_time(frame):
    try:
        start = 14
        ethertype = frame[12] << 8 | frame[13]
        if ethertype == 0x8100:
            start = 18
            ethertype = frame[16] << 8 | frame[17]
        if ethertype == 0x88F7:
            return frame[start] & 8 == 0 and frame[start + 1] >= 0
        if ethertype == 0x0800:
            fragment = frame[start + 6] << 8 | frame[start + 7]
            if frame[start + 9] != 17 or fragment & 0x1FFF:
                return False
            udp = start + 4 * (frame[start] & 15)
        elif ethertype == 0x86DD and frame[start + 6] == 17:
            udp = start + 40
        else:
            return False
        return frame[udp + 2] << 8 | frame[udp + 3] == 319 and frame[udp + 9] >= 0
    except IndexError:
        return False
"""


def but(old: str, new: str) -> dict[str, str]:
    """The right function with one line written another way."""
    assert old in NEEDS
    return {"needs_time": NEEDS.replace(old, new)}


SUBMISSIONS = {
    "struct, slices and remainders": Good(
        {
            "message_type": """
def message_type(message):
    if len(message) >= 34 and message[1] % 16 in (1, 2):
        return message[32] if message[1] % 16 == 1 else message[0] % 16
""",
            "needs_time": """
import struct
def needs_time(frame):
    if frame[12:14] == b"\\x81\\x00":
        frame = frame[:12] + frame[16:]
    kind, rest = frame[12:14], frame[14:]
    if kind == b"\\x88\\xf7":
        return len(rest) > 1 and not rest[0] & 8
    if kind == b"\\x08\\x00" and len(rest) >= 20:
        rest, protocol, fragment = rest[rest[0] % 16 * 4 :], rest[9], struct.unpack(">H", rest[6:8])[0]
        if fragment % 8192:
            return False
    elif kind == b"\\x86\\xdd" and len(rest) >= 40:
        rest, protocol = rest[40:], rest[6]
    else:
        return False
    return protocol == 17 and len(rest) > 9 and struct.unpack(">H", rest[2:4])[0] == 319
""",
            "arrival_ns": """
import struct
def arrival_ns(header):
    return struct.unpack(">I", bytes(header)[:4])[0] // 4
""",
            "full_time": "def full_time(frame_ns, now_ns):\n    return now_ns - (now_ns - frame_ns) % SECOND",
            "clock_reads": """
def clock_reads(frames, asked):
    needing = [frame for frame in frames if needs_time(frame)]
    return len(frames), asked * len(frames), asked * len(needing)
""",
        }
    ),
    "the kernel's rule, line by line": Good({"needs_time": NEEDS}),
    "trusts the control byte": Bad(
        {
            "message_type": """
def message_type(message):
    if len(message) < 34 or message[1] & 15 not in (1, 2):
        return None
    return message[32]
"""
        },
        check="check_message_type",
        says="that is the control byte, a relic of version 1: senders of version 2.1 leave it 0.",
    ),
    "takes the whole first byte": Bad(
        {
            "message_type": """
def message_type(message):
    if len(message) < 34:
        return None
    return {1: message[32], 2: message[0]}.get(message[1] & 15)
"""
        },
        check="check_message_type",
        says="the upper four bits of byte 0 belong to something else; the type is the lower four.",
    ),
    "takes the whole second byte": Bad(
        {
            "message_type": """
def message_type(message):
    if len(message) < 34:
        return None
    return {1: message[32], 2: message[0] & 15}.get(message[1])
"""
        },
        check="check_message_type",
        says="the version is in the lower four bits of byte 1; the upper four are a minor version.",
    ),
    "forgets the tag": Bad(
        but("ethertype == 0x8100", "ethertype == 0"),
        check="check_needs_time",
        says="one tag with 0x8100 moves everything behind it by four bytes.",
    ),
    "takes every message": Bad(
        but("frame[start] & 8 == 0 and ", ""),
        check="check_needs_time",
        says="bit 3 of the message's first byte is set: a general message, which needs no time.",
        also=("check_clock_reads",),
    ),
    "compares the source port": Bad(
        but("frame[udp + 2] << 8 | frame[udp + 3]", "frame[udp] << 8 | frame[udp + 1]"),
        check="check_needs_time",
        says="the destination port decides, bytes 2 and 3 of the UDP header, and not the source port.",
    ),
    "takes 20 bytes for granted": Bad(
        but("start + 4 * (frame[start] & 15)", "start + 20"),
        check="check_needs_time",
        says="the IPv4 header is longer here: its length is 4 times the low nibble of its first byte.",
    ),
    "does not mind fragments": Bad(
        but(" or fragment & 0x1FFF", ""),
        check="check_needs_time",
        says="a later fragment has no UDP header; those bytes are data that look like one.",
    ),
    "takes DF for a fragment": Bad(
        but("fragment & 0x1FFF", "fragment"),
        check="check_needs_time",
        says="DF is set, and that is no fragment: the offset is the lowest 13 bits of its two bytes.",
        also=("check_clock_reads",),
    ),
    "does not mind the protocol": Bad(
        but("frame[start + 9] != 17 or ", ""),
        check="check_needs_time",
        says="this is TCP, protocol 6; PTP goes over UDP, 17.",
    ),
    "passes over all tags": Bad(
        but(
            "        if ethertype == 0x8100:\n"
            "            start = 18\n"
            "            ethertype = frame[16] << 8 | frame[17]",
            "        while ethertype == 0x8100:\n            start += 4\n"
            "            ethertype = frame[start - 2] << 8 | frame[start - 1]",
        ),
        check="check_needs_time",
        says="one tag is passed over, not two.",
    ),
    "asks bit 3 over UDP, too": Bad(
        but("frame[udp + 9] >= 0", "not frame[udp + 8] & 8 and frame[udp + 9] & 15 == 2"),
        check="check_needs_time",
        says="UDP to port 319 is an event message in both versions; bit 3 is for Ethernet only.",
    ),
    "reads past the end": Bad(
        but("except IndexError", "except KeyError"),
        check="check_needs_time",
        says="Saw: IndexError: index out of range, in line 4 of needs_time: "
        "ethertype = frame[12] << 8 | frame[13]",
    ),
    "does not miss the second byte": Bad(
        but(" and frame[start + 1] >= 0", ""),
        check="check_needs_time",
        says="the frame ends before the bytes that would tell: it needs none.",
    ),
    "leaves the quarters in": Bad(
        {"arrival_ns": "def arrival_ns(header):\n    return int.from_bytes(header[:4], 'big')"},
        check="check_arrival_ns",
        says="that is TIMESTAMP, which counts quarters of a nanosecond.",
    ),
    "divides by four": Bad(
        {"arrival_ns": "def arrival_ns(header):\n    return int.from_bytes(header[:4], 'big') / 4"},
        check="check_arrival_ns",
        says="the quarters are not asked for, and a float cannot hold a time: shift, or divide with //.",
    ),
    "reads a signed number": Bad(
        {
            "arrival_ns": (
                "def arrival_ns(header):\n    return int.from_bytes(header[:4], 'big', signed=True) >> 2"
            )
        },
        check="check_arrival_ns",
        says="the field has no sign; its bit 31 is worth as much as in any number.",
    ),
    "masks the wrong end": Bad(
        {"arrival_ns": "def arrival_ns(header):\n    return int.from_bytes(header[:4], 'big') & 0x3FFFFFFF"},
        check="check_arrival_ns",
        says="the two lowest bits are the quarters, and they have to go, not the two highest.",
    ),
    "never borrows": Bad(
        {"full_time": "def full_time(frame_ns, now_ns):\n    return now_ns // SECOND * SECOND + frame_ns"},
        check="check_full_time",
        says="that is after the reading, and a frame cannot come from the future: borrow a second.",
    ),
    "borrows when they are equal": Bad(
        {
            "full_time": (
                "def full_time(frame_ns, now_ns):\n"
                "    seconds, ns = divmod(now_ns, SECOND)\n"
                "    if ns <= frame_ns:\n"
                "        seconds -= 1\n"
                "    return seconds * SECOND + frame_ns"
            )
        },
        check="check_full_time",
        says="a second was borrowed, and none had ended since the frame came; compare with the reading.",
    ),
    "borrows the wrong way round": Bad(
        {
            "full_time": (
                "def full_time(frame_ns, now_ns):\n"
                "    seconds, ns = divmod(now_ns, SECOND)\n"
                "    return (seconds - (ns > frame_ns)) * SECOND + frame_ns"
            )
        },
        check="check_full_time",
        says="a second was borrowed, and none had ended since the frame came; compare with the reading.",
    ),
    "computes with floats": Bad(
        {
            "full_time": (
                "def full_time(frame_ns, now_ns):\n"
                "    now = now_ns / 1e9\n"
                "    time = int(now) + frame_ns / 1e9\n"
                "    return int((time - 1 if time > now else time) * 1e9)"
            )
        },
        check="check_full_time",
        says="a float has 53 bits, and the time of day in ns has more: whole numbers only.",
    ),
    "gives a time that nobody asked for": Bad(
        {
            "clock_reads": (
                "def clock_reads(frames, asked):\n"
                "    n = len(frames)\n"
                "    return n, n if asked else 0, sum(map(needs_time, frames))"
            )
        },
        check="check_clock_reads",
        says="nobody has asked for times, so an event message gets none either.",
    ),
    "opens the gate for events only": Bad(
        {
            "clock_reads": (
                "def clock_reads(frames, asked):\n"
                "    events = sum(map(needs_time, frames)) if asked else 0\n"
                "    return len(frames), events, events"
            )
        },
        check="check_clock_reads",
        says="the gate belongs to the port: when it is open, the clock is read for every frame.",
    ),
}

"""Exercise 04, "Gate a timestamp": what each step does, what should be seen, and what usually goes wrong.

Right is the kernel's own classification (``net.ptp.classify``) and the driver's arithmetic (``driver.phc``).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from lan966x_lab import ifh
from lan966x_lab import workbook as wb
from lan966x_lab.driver import phc
from lan966x_lab.hw.phc import SECOND
from lan966x_lab.net import build, captures, ptp
from lan966x_lab.net.frames import Vlan
from lan966x_lab.net.ptp import MessageType
from lan966x_lab.workbook.figures.packets import frames_of

__all__ = [
    "KINDS",
    "SECOND",
    "SHOWN",
    "Kind",
    "arrival_check",
    "arrival_step",
    "captured_step",
    "clock_reads_check",
    "cut_step",
    "examples",
    "frames_of",
    "full_time_check",
    "full_time_step",
    "message_type_check",
    "needs_step",
    "needs_time_check",
    "readings_check",
    "reads_step",
    "times_of",
    "type_step",
    "v1",
    "v2",
]

Mistakes = list[tuple[Any, str]]

# ---- messages and frames ----


def v2(kind: int, **changes: int) -> bytes:
    """A message of PTP version 2, of 2.1 with ``minor_version=1``."""
    return build.ptp(MessageType(kind), **changes)  # type: ignore[arg-type]


def v1(control: int) -> bytes:
    """A message of PTP version 1: the version in its first two bytes, its type in byte 32."""
    return bytes([0, 1]) + bytes(30) + bytes([control]) + bytes(91)


MACS = ("01:1b:19:00:00:00", "02:00:00:00:00:01")
C_TAG = Vlan(vid=5, priority=3)
S_TAG = Vlan(vid=5, tpid=0x88A8)


def _l2(message: bytes, *tags: Vlan) -> bytes:
    return build.ethernet(*MACS, 0x88F7, message, tags=tags)


def _udp4(message: bytes, *tags: Vlan, source: int = 319, port: int = 319, **ip: Any) -> bytes:
    packet = build.ipv4("192.0.2.1", "224.0.1.129", 17, build.udp(source, port, message), **ip)
    return build.ethernet(*MACS, 0x0800, packet, tags=tags)


def _udp6(message: bytes, *tags: Vlan, source: int = 319, port: int = 319, **ip: Any) -> bytes:
    packet = build.ipv6("fd00::1", "ff0e::181", 17, build.udp(source, port, message), **ip)
    return build.ethernet(*MACS, 0x86DD, packet, tags=tags)


class Kind(NamedTuple):
    """A frame, and why a wrong answer about it is wrong."""

    frame: bytes
    why: str


_SYNC, _FOLLOW_UP = v2(MessageType.SYNC), v2(MessageType.FOLLOW_UP)
_GENERAL = "bit 3 of the message's first byte is set: a general message, which needs no time."
_EVENT_L2 = "EtherType 0x88f7 and bit 3 of the first byte clear: an event message."
_TAG = "one tag with 0x8100 moves everything behind it by four bytes."
_PORT = "the destination port decides, bytes 2 and 3 of the UDP header, and not the source port."
_SHORT = "the frame ends before the bytes that would tell: it needs none."

KINDS: Mapping[str, Kind] = {
    "a Sync over Ethernet": Kind(_l2(_SYNC), _EVENT_L2),
    "a Follow_Up over Ethernet": Kind(_l2(_FOLLOW_UP), _GENERAL),
    "a Pdelay_Resp over Ethernet": Kind(_l2(v2(MessageType.PDELAY_RESP, minor_version=1)), _EVENT_L2),
    "an Announce over Ethernet, with a major sdo of 1": Kind(
        _l2(v2(MessageType.ANNOUNCE, sdo_id=0x100)), _GENERAL
    ),
    "a Sync over Ethernet with a VLAN tag": Kind(_l2(_SYNC, C_TAG), _TAG),
    "a Follow_Up over Ethernet with a VLAN tag": Kind(_l2(_FOLLOW_UP, C_TAG), _TAG),
    "a Sync behind a service tag, 0x88a8": Kind(_l2(_SYNC, S_TAG), "only a tag with 0x8100 is passed over."),
    "a Sync behind two tags": Kind(_l2(_SYNC, C_TAG, C_TAG), "one tag is passed over, not two."),
    "a Sync over UDP and IPv4": Kind(_udp4(_SYNC), "UDP to port 319 over IPv4 is an event message."),
    "a Sync of version 1 over UDP and IPv4": Kind(
        _udp4(v1(0)), "UDP to port 319 is an event message in both versions; bit 3 is for Ethernet only."
    ),
    "a Sync over UDP and IPv4 with DF set": Kind(
        _udp4(_SYNC, dont_fragment=True),
        "DF is set, and that is no fragment: the offset is the lowest 13 bits of its two bytes.",
    ),
    "a first fragment": Kind(
        _udp4(_SYNC, more_fragments=True),
        "a first fragment, with offset 0, has the UDP header; the bit for more fragments does not matter.",
    ),
    "a later fragment whose data look like UDP": Kind(
        _udp4(_SYNC, fragment_offset=1480),
        "a later fragment has no UDP header; those bytes are data that look like one.",
    ),
    "a Sync over IPv4 with options": Kind(
        _udp4(_SYNC, options=b"\x94\x04\0\0"),
        "the IPv4 header is longer here: its length is 4 times the low nibble of its first byte.",
    ),
    "a Sync over IPv4 with a VLAN tag": Kind(_udp4(_SYNC, C_TAG), _TAG),
    "a Follow_Up over UDP, from port 319 to 320": Kind(_udp4(_FOLLOW_UP, port=320), _PORT),
    "a Sync over UDP, from port 50000 to 319": Kind(_udp4(_SYNC, source=50000), _PORT),
    "TCP to port 319": Kind(
        build.ethernet(*MACS, 0x0800, build.ipv4("192.0.2.1", "192.0.2.2", 6, build.tcp(319, 319))),
        "this is TCP, protocol 6; PTP goes over UDP, 17.",
    ),
    "a Sync over UDP and IPv6": Kind(_udp6(_SYNC), "UDP to port 319 over IPv6 is an event message."),
    "a Sync over IPv6 with a VLAN tag": Kind(_udp6(_SYNC, C_TAG), _TAG),
    "a Follow_Up over IPv6, from port 319 to 320": Kind(_udp6(_FOLLOW_UP, port=320), _PORT),
    "a Sync over IPv6 with a hop-by-hop header": Kind(
        _udp6(_SYNC, extensions=[(0, bytes(8))]),
        "byte 6 of the IPv6 header names an extension header, not UDP; the kernel looks no further.",
    ),
    "a frame that ends in its addresses": Kind(_l2(_SYNC)[:9], _SHORT),
    "an EtherType without a message": Kind(_l2(_SYNC)[:14], _SHORT),
    "an IPv4 frame that ends before the ports": Kind(_udp4(_SYNC)[:35], _SHORT),
    "no bytes at all": Kind(b"", _SHORT),
}
"""Frames on both sides of every condition."""

SHOWN = (
    "a Sync over Ethernet",
    "a Follow_Up over Ethernet",
    "a Sync over Ethernet with a VLAN tag",
    "a Sync over UDP and IPv4",
    "a Sync over UDP and IPv6",
    "TCP to port 319",
    "a Follow_Up over UDP, from port 319 to 320",
    "a Sync of version 1 over UDP and IPv4",
    "a Sync over IPv4 with options",
    "a later fragment whose data look like UDP",
    "a frame that ends in its addresses",
)
"""Those that the visible check shows; the others wait for the grader."""


def examples() -> dict[str, bytes]:
    """Four frames for the picture, three of them recorded."""
    found = {}
    for name, capture in (
        ("Ethernet", "ptp-l2-e2e"),
        ("UDP over IPv4", "ptp-udp4-e2e"),
        ("UDP over IPv6", "ptp-udp6-e2e"),
    ):
        found[name] = next(frame for frame in frames_of(capture) if ptp.classify(frame))
    first = found.pop("Ethernet")
    return {
        "Ethernet": first,
        "Ethernet, with a VLAN tag": first[:12] + bytes.fromhex("81000005") + first[12:],
        **found,
    }


# ---- 1: the type of a message ----


def type_step(did: str, message: bytes, want: int | None, *, edge: bool = False) -> wb.Step:
    """Ask for the type of one message."""
    control = message[32] if len(message) > 32 else None
    version = message[1] & 15 if len(message) > 1 else None
    mistakes: Mistakes = [
        (
            message[0] if message and message[0] > 15 else want,
            "the upper four bits of byte 0 belong to something else; the type is the lower four.",
        ),
        (
            control if version == 2 else want,
            "that is the control byte, a relic of version 1: senders of version 2.1 leave it 0.",
        ),
        (
            message[0] & 15 if version == 1 else want,
            "version 1 has its type elsewhere: in byte 32, the control byte.",
        ),
        (
            lambda seen: seen is None and version in (1, 2),
            "the version is in the lower four bits of byte 1; the upper four are a minor version.",
        ),
        (lambda seen: want is None, "this is no message of version 1 or 2 with 34 bytes: return None."),
    ]
    return wb.Step(want, (message,), did=f"message_type({did})", edge=edge, mistakes=mistakes)


message_type_check = wb.Check(
    "message_type",
    [
        type_step("a Sync of version 2", v2(0), 0),
        type_step("a Delay_Req of version 2", v2(1, control=1), 1),
        type_step("a Follow_Up of version 2.1, whose control byte is 0", v2(8, minor_version=1), 8),
        type_step("an Announce with a major sdo of 1", v2(0xB, sdo_id=0x100), 0xB),
        type_step("a Sync of version 1", v1(0), 0),
        type_step("a Follow_Up of version 1", v1(2), 2),
        type_step("a message that was cut after 33 bytes", v2(0)[:33], None, edge=True),
        type_step("version 3", b"\0\3" + bytes(40), None, edge=True),
        type_step("no bytes at all", b"", None, edge=True),
    ],
    hint="look at the version first: the lower four bits of byte 1.",
)


# ---- 2: does a frame need a time? ----


def _needs(frame: bytes) -> bool:
    return ptp.classify(frame) != ptp.NONE


def needs_step(name: str, *, edge: bool = False) -> wb.Step:
    """Ask about one of the ``KINDS``."""
    frame, why = KINDS[name]
    return wb.Step(
        _needs(frame),
        (frame,),
        did=f"needs_time({name})",
        edge=edge,
        mistakes=[(not _needs(frame), why)],
    )


def cut_step(name: str, length: int) -> wb.Step:
    """Ask about the first ``length`` bytes of one of the ``KINDS``."""
    frame = KINDS[name].frame[:length]
    why = _SHORT if not _needs(frame) else "all bytes that tell are there; what follows does not matter."
    return wb.Step(
        _needs(frame),
        (frame,),
        did=f"needs_time(the first {length} bytes of {name})",
        mistakes=[(not _needs(frame), why)],
    )


def captured_step(capture: str, number: int) -> wb.Step:
    """Ask about one frame of a recording; the number counts from 1."""
    frame = frames_of(capture)[number - 1]
    why = f"the kernel's classification says: {ptp.describe(ptp.classify(frame))}."
    return wb.Step(
        _needs(frame),
        (frame,),
        did=f"needs_time(frame {number} of {capture}.pcap)",
        mistakes=[(not _needs(frame), why)],
    )


needs_time_check = wb.Check(
    "needs_time",
    [needs_step(name, edge="ends" in name) for name in SHOWN],
    hint="begin with the EtherType at bytes 12 and 13, and leave the tag for later.",
)


# ---- 3: the nanosecond ----


def arrival_step(did: str, ns: int, quarters: int = 0, *, edge: bool = False, **fields: int) -> wb.Step:
    """Ask for the nanosecond in a header."""
    raw = ns << 2 | quarters
    header = ifh.LAN966X.rx.encode(fields, TIMESTAMP=raw)
    mistakes: Mistakes = [
        (raw, "that is TIMESTAMP, which counts quarters of a nanosecond."),
        (
            raw / 4,
            "the quarters are not asked for, and a float cannot hold a time: shift, or divide with //.",
        ),
        (
            raw & 0x3FFF_FFFF,
            "the two lowest bits are the quarters, and they have to go, not the two highest.",
        ),
        (
            raw - (1 << 32) >> 2,
            "the field has no sign; its bit 31 is worth as much as in any number.",
        ),
        (
            int.from_bytes(header[:4], "little") >> 2,
            "the bytes are in the wrong order; the first one counts most.",
        ),
        (int.from_bytes(header[-4:], "big") >> 2, "bits 223 to 192 are the first four bytes, not the last."),
        (round(raw / 4), "a time is cut, not rounded: the frame had come when the next nanosecond began."),
    ]
    return wb.Step(ns, (header,), did=f"arrival_ns(header): {did}", edge=edge, mistakes=mistakes)


arrival_check = wb.Check(
    "arrival_ns",
    [
        arrival_step("a frame at 400 000 000 ns", 400_000_000),
        arrival_step("a frame at 123 456 789 ns and three quarters", 123_456_789, 3, LEN=64, SRCPORT=3),
        arrival_step("a frame in the second half of a second", 800_000_001, LEN=1518, PN_CC=0xFFFF),
        arrival_step("the very first nanosecond", 0, 1, edge=True),
        arrival_step("the last nanosecond", SECOND - 1, 3, LEN=64, edge=True),
    ],
    hint="the first four bytes as one number, without the two lowest bits.",
)


# ---- 4: the full time ----


def full_time_step(did: str, arrived: int, later: int, *, edge: bool = False) -> wb.Step:
    """Ask for the time of a frame whose clock is read so many ns after its arrival."""
    now = arrived + later
    ns, same = arrived % SECOND, now // SECOND * SECOND
    want = phc.full_time(now, ns)
    mistakes: Mistakes = [
        (now, "that is the time of the reading; the frame's own nanosecond is the other argument."),
        (
            same + ns if same + ns > now else want,
            "that is after the reading, and a frame cannot come from the future: borrow a second.",
        ),
        (
            same - SECOND + ns,
            "a second was borrowed, and none had ended since the frame came; compare with the reading.",
        ),
        (same + SECOND + ns, "that is more than the reading; a second is taken away, never added."),
        (
            int(float(same) + ns),
            "a float has 53 bits, and the time of day in ns has more: whole numbers only.",
        ),
        (
            lambda seen: isinstance(seen, float),
            "a float has 53 bits, and the time of day in ns has more: whole numbers only.",
        ),
        (
            lambda seen: isinstance(seen, int) and 0 < abs(seen - want) < 1000,
            "it is off by some nanoseconds: a float has 53 bits, and the time of day in ns has more.",
        ),
    ]
    return wb.Step(want, (ns, now), did=f"full_time({ns}, {now}): {did}", edge=edge, mistakes=mistakes)


TODAY = 1_700_000_000 * SECOND
full_time_check = wb.Check(
    "full_time",
    [
        full_time_step("read 500 ns later, in the same second", 100 * SECOND + 400, 500),
        full_time_step("the second ended between arrival and reading", 99 * SECOND + 999_999_998, 7),
        full_time_step("read much later, in the next second", 99 * SECOND + 400_000_000, 900_000_000),
        full_time_step("a time of day as it is today", TODAY + 123_456_789, 1_001),
        full_time_step("read in the very nanosecond of arrival", 100 * SECOND + 7, 0, edge=True),
        full_time_step("a second ends with the reading", TODAY + 999_999_999, 1, edge=True),
        full_time_step("read almost a second later", TODAY + 5, SECOND - 1, edge=True),
    ],
    hint="put the frame's nanosecond into the second of the reading; what if that is after the reading?",
)


# ---- 5: count ----


def reads_step(did: str, frames: Sequence[bytes], asked: bool, *, edge: bool = False) -> wb.Step:
    """Count readings of the clock for some received frames."""
    events = sum(map(_needs, frames))
    every, gate, need = len(frames), len(frames) if asked else 0, events if asked else 0
    mistakes: Mistakes = [
        ((every, gate, events), "nobody has asked for times, so an event message gets none either."),
        (
            (every, need, need),
            "the gate belongs to the port: when it is open, the clock is read for every frame.",
        ),
        ((gate, gate, need), "before the patch the driver did not know who had asked."),
        ((every, every, need), "nobody has asked, so the gate is closed."),
        ([every, gate, need], "the numbers are right; return a tuple."),
        (
            (every, every - gate, every - need),
            "these are the readings saved; the readings made are asked for.",
        ),
    ]
    return wb.Step(
        (every, gate, need),
        (list(frames), asked),
        did=f"clock_reads(frames, {asked}): {did}",
        edge=edge,
        mistakes=mistakes,
    )


def clock_reads_check(answer: Any) -> wb.Verdict:
    """The visible check of ``clock_reads``; it reads the recordings when it is asked for."""
    tcp, sync = frames_of("iperf3-tcp4-csum-ok"), frames_of("ptp-l2-e2e")
    steps = [
        reads_step("a stream of TCP, nobody asks", tcp, False),
        reads_step("a stream of TCP, the port was asked for times", tcp, True),
        reads_step("PTP over Ethernet, the port was asked", sync, True),
        reads_step("PTP over Ethernet, nobody asks", sync, False),
        reads_step("no frames", [], True, edge=True),
    ]
    hint = "three numbers: all frames; all or none; those that need a time, or none."
    return wb.Check("clock_reads", steps, hint=hint)(answer)


# ---- the extension ----


@cache
def times_of(capture: str) -> tuple[int, ...]:
    """When the frames of a recording arrived, in ns."""
    return tuple(captures.recorded(capture).times_ns)


def _fewest(times: Sequence[int]) -> int:
    """Readings when each is kept for half a second, the end excluded."""
    count, kept = 0, None
    for time in times:
        if kept is None or time - kept >= SECOND // 2:
            count, kept = count + 1, time
    return count


def _readings(did: str, times: Sequence[int], *, edge: bool = False) -> wb.Step:
    buckets = len({time // (SECOND // 2) for time in times})
    sliding = 0
    for index, time in enumerate(times):
        sliding += index == 0 or time - times[index - 1] >= SECOND // 2
    mistakes: Mistakes = [
        (buckets, "that counts half seconds of the clock; count from the last reading."),
        (sliding, "that measures from the frame before; measure from the last reading."),
        (len(times), "that is one reading for each frame; keep a reading while it is young enough."),
        (_fewest(times) - 1, "the first frame needs a reading, too."),
    ]
    return wb.Step(
        _fewest(times), (list(times),), did=f"readings(times_ns): {did}", edge=edge, mistakes=mistakes
    )


def readings_check(answer: Any) -> wb.Verdict:
    """The visible check of the extension."""
    half = SECOND // 2
    steps = [
        _readings("three frames within 10 µs", [5 * SECOND, 5 * SECOND + 4000, 5 * SECOND + 10_000]),
        _readings("a frame every 0.3 s", [5 * SECOND + 300_000_000 * i for i in range(8)]),
        _readings("the second frame after exactly half a second", [0, half, half + 1], edge=True),
        _readings("the recorded stream of TCP", times_of("iperf3-tcp4-csum-ok")),
        _readings("recorded PTP over Ethernet", times_of("ptp-l2-e2e")),
        _readings("no frames", [], edge=True),
    ]
    hint = "remember when the clock was read last, and read again when that is half a second ago or more."
    return wb.Check("readings", steps, hint=hint)(answer)

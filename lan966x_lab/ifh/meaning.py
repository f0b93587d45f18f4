"""What a field's value means, in words: a table of readings, one for each field that needs words.

Sources: ``lan966x_main.h`` and ``lan966x_ifh.h`` of the Linux tree for the operations and PDU types of the
LAN966x, ``include/linux/dsa/ocelot.h`` for those of the Ocelot.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lan966x_lab.ifh.layout import Layout

__all__ = ["meaning"]

Reading = Callable[[int], str]

SECOND_NS = 1_000_000_000
CPU_PORT = 8
FCS_LEN = 4


def meaning(layout: "Layout", field: str, value: int) -> str:
    """What the value says, in words; empty when the number says all.

    >>> from lan966x_lab.ifh import LAN966X
    >>> meaning(LAN966X.tx, "DSTS", 0b1_0000_0010)
    'ports 1, CPU'
    >>> meaning(LAN966X.rx, "TIMESTAMP", 0x8000_0000)
    'arrived 536,870,912 ns after a full second'

    Raises:
        UnknownFieldError: the layout has no such field.
        FieldRangeError: the value does not fit the field.
    """
    value = layout[field].check(value)
    reading = _READINGS.get((layout.name, field)) or _READINGS.get((layout.name.split(".")[0], field))
    return reading(value) if reading else ""


def _table(*words: str) -> Reading:
    """A word for each value from 0."""
    return _choice(dict(enumerate(words)))


def _choice(words: Mapping[int, str]) -> Reading:
    return lambda value: words.get(value, "not used by the driver")


def _set_bits(one: str, names: Sequence[str]) -> Reading:
    """A bitmap: the names of the bits that are set."""

    def read(value: int) -> str:
        named = [name for bit, name in enumerate(names) if value >> bit & 1]
        return f"{one}{'s' * (len(named) > 1)} {', '.join(named)}" if named else f"no {one}"

    return read


def _port(value: int) -> str:
    return "the CPU port" if value == CPU_PORT else f"port {value}"


def _arrival(value: int) -> str:
    ns, quarters = value >> 2, value & 3
    if ns >= SECOND_NS:
        return f"no time of day: {ns:,} ns is a second or more"
    return f"arrived {ns:,}{('', '.25', '.5', '.75')[quarters]} ns after a full second"


def _length(value: int) -> str:
    if value < FCS_LEN:
        return f"no frame: the frame check sequence alone has {FCS_LEN} bytes"
    return f"{value:,} bytes, the last {FCS_LEN} of them the frame check sequence"


def _tag(value: int) -> str:
    """PCP, DEI and VID of a 16-bit tag."""
    return f"priority {value >> 13}, {'' if value >> 12 & 1 else 'not '}drop eligible, VLAN {value & 0xFFF}"


_TAG_TYPES = ("customer tag (0x8100)", "service tag (0x88a8)")
_OCELOT_OPS = _choice(
    {0: "no operation", 1: "rewrite DSCP", 2: "one-step PTP", 3: "two-step PTP", 5: "origin timestamp"}
)

#: Readings by (layout or chip, field).
_READINGS: Mapping[tuple[str, str], Reading] = {
    ("LAN966X.rx", "TIMESTAMP"): _arrival,
    ("LAN966X.rx", "LEN"): _length,
    ("LAN966X.tx", "TIMESTAMP"): lambda value: f"timestamp id {value}",
    ("LAN966X.tx", "MASQ_PORT"): _port,
    ("LAN966X", "BYPASS"): _table("the analyzer chooses the ports", "straight to the ports in DSTS"),
    ("LAN966X", "WRDMODE"): _table("full", "EtherType", "LLCT optimised", "LLCT"),
    ("LAN966X", "REW_CMD"): _choice({0: "no operation", 3: "one-step PTP", 4: "two-step PTP"}),
    ("LAN966X", "PDU_TYPE"): _choice(
        {
            0: "none (a PTP message follows the Ethernet header)",
            1: "Y.1731 CCM",
            2: "MRP test",
            3: "MRP interconnection test",
            4: "DLR beacon",
            5: "DLR advertise",
            6: "null injection of the real-time engine",
            7: "IPv4",
            8: "IPv6",
            9: "Y.1731, not CCM",
        }
    ),
    ("LAN966X", "SRCPORT"): _port,
    ("LAN966X", "TCI"): lambda value: f"{_TAG_TYPES[value >> 16]}, {_tag(value & 0xFFFF)}",
    ("LAN966X", "CPUQ"): _set_bits("queue", [str(queue) for queue in range(8)]),
    ("LAN966X", "DSTS"): _set_bits("port", [*map(str, range(CPU_PORT)), "CPU"]),
    ("OCELOT", "BYPASS"): _table("the analyzer chooses the ports", "straight to the ports in DEST"),
    ("OCELOT", "REW_OP"): lambda value: (
        _OCELOT_OPS(value & 7) + (f", timestamp id {value >> 3}" if value & 7 == 3 else "")
    ),
    ("OCELOT", "DEST"): _set_bits("port", [str(port) for port in range(12)]),
    ("OCELOT", "SRC_PORT"): lambda value: f"port {value}",
    ("OCELOT", "CPUQ"): _set_bits("queue", [str(queue) for queue in range(8)]),
    ("OCELOT", "TAG_TYPE"): _table(*_TAG_TYPES),
    ("OCELOT", "TCI"): _tag,
}

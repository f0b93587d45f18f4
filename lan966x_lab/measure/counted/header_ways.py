"""The header of one frame, made in three ways: what seed 002 compares, to run, to count and to time.

``every field``
    Zero the header, set every field: the driver before the patch.
``zeros skipped``
    The same, but a field that is to be 0 stays 0: what was merged (commit e5150f00721f).
``template``
    Copy a header that was prepared for the port, set what is not 0: the patch.

A way takes the set function, so each of them runs with the general routine, as in the mails, and with any
other codec. ``in_place`` and ``in_place_with_zeros`` belong to no driver: they are the template without its
copy, for readers to catch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from operator import mul
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lan966x_lab import ifh
from lan966x_lab.ifh import Field, Layout
from lan966x_lab.measure.counted import trace

__all__ = [
    "DRIVERS",
    "KINDS",
    "REUSES",
    "WAYS",
    "Cost",
    "Driver",
    "copied",
    "copies",
    "cost",
    "every_field",
    "in_place",
    "in_place_with_zeros",
    "in_turn",
    "judge",
    "lines_touched",
    "makers",
    "mixed",
    "template",
    "zeros_skipped",
]

Put = Callable[[bytearray, Field, int], None]
Values = Mapping[str, int]
Number = int | Fraction

WORD = 4  # bytes that a small processor moves at once
LINE = 64  # bytes that a cache fetches at once; 32 and 128 exist, too


def every_field(header: bytearray, put: Put, layout: Layout, fixed: Values, varying: Values) -> None:
    """Zero the header, then set every field, whatever its value."""
    header[:] = bytes(layout.nbytes)
    for name, value in {**fixed, **varying}.items():
        put(header, layout[name], value)


def zeros_skipped(header: bytearray, put: Put, layout: Layout, fixed: Values, varying: Values) -> None:
    """Zero the header, set what is fixed, and of the rest only what is not 0."""
    header[:] = bytes(layout.nbytes)
    for name, value in fixed.items():
        put(header, layout[name], value)
    for name, value in varying.items():
        if value:
            put(header, layout[name], value)


def template(
    header: bytearray, put: Put, layout: Layout, prepared: bytes | bytearray, varying: Values
) -> None:
    """Copy the prepared header, then set of the rest only what is not 0."""
    header[:] = prepared
    for name, value in varying.items():
        if value:
            put(header, layout[name], value)


def copied(prepared: bytearray, put: Put, layout: Layout, varying: Values) -> bytes:
    """Patch a copy, and leave the prepared header as it is."""
    header = bytearray(layout.nbytes)
    template(header, put, layout, prepared, varying)
    return bytes(header)


def in_place(prepared: bytearray, put: Put, layout: Layout, varying: Values) -> bytes:
    """FAULTY: patch the prepared header itself. What one frame sets, the next one finds."""
    for name, value in varying.items():
        if value:
            put(prepared, layout[name], value)
    return bytes(prepared)


def in_place_with_zeros(prepared: bytearray, put: Put, layout: Layout, varying: Values) -> bytes:
    """FAULTY, too, where a frame does not give every field that another one gives."""
    for name, value in varying.items():
        put(prepared, layout[name], value)
    return bytes(prepared)


REUSES: Mapping[str, Callable[[bytearray, Put, Layout, Values], bytes]] = MappingProxyType(
    {
        "copy, then patch": copied,
        "patch in place": in_place,
        "patch in place, zeros too": in_place_with_zeros,
    }
)

WAYS = ("every field", "zeros skipped", "template")
KINDS = ("plain", "VLAN", "PTP", "VLAN and PTP")


@dataclass(frozen=True)
class Driver:
    """Which fields a driver sets: those that are fixed for a port, and those of each kind of frame.

    Args:
        layout: of the header.
        fixed: their values, for port 3.
        varying: kind of frame (``KINDS``) → values, zeros included where the driver sets them.
    """

    layout: Layout
    fixed: Values
    varying: Mapping[str, Values]

    @property
    def prepared(self) -> bytes:
        """The template: a header with what is fixed."""
        return self.layout.encode(self.fixed)

    def header(self, kind: str) -> bytes:
        """The right header of a frame of this kind."""
        return self.layout.encode({**self.fixed, **self.varying[kind]})


def _varying(plain: Values, vlan: Values, ptp: Values) -> Mapping[str, Values]:
    """The four kinds, from what a VLAN tag and a two-step timestamp change in a plain frame."""
    kinds: tuple[Values, ...] = ({}, vlan, ptp, {**vlan, **ptp})
    return MappingProxyType(
        {name: MappingProxyType({**plain, **kind}) for name, kind in zip(KINDS, kinds, strict=True)}
    )


TCI = 3 << 13 | 100  # priority 3, VLAN 100
TWO_STEP_ID = 5

DRIVERS: Mapping[str, Driver] = MappingProxyType(
    {
        # the patch of seed 002, message 20211103091943.3878621-4-clement.leger@bootlin.com
        "Ocelot, 2021": Driver(
            ifh.OCELOT.tx,
            MappingProxyType({"BYPASS": 1, "DEST": 1 << 3, "TAG_TYPE": 0}),
            _varying({"TCI": 0, "REW_OP": 0}, {"TCI": TCI}, {"REW_OP": 3 | TWO_STEP_ID << 3}),
        ),
        # commits 67c3ca2c5cfe and 2d5df3a680ff; 6 is the CPU port of a switch with six others
        "Ocelot, 2024": Driver(
            ifh.OCELOT.tx,
            MappingProxyType({"BYPASS": 1, "SRC_PORT": 6, "DEST": 1 << 3}),
            _varying(
                {"QOS": 0, "TAG_TYPE": 0, "TCI": 0, "REW_OP": 0},
                {"QOS": 3, "TCI": TCI},
                {"REW_OP": 3 | TWO_STEP_ID << 3},
            ),
        ),
        # lan966x_main.c, commit 03c601927b67; the timestamp fields are set for frames that ask only
        "LAN966x": Driver(
            ifh.LAN966X.tx,
            MappingProxyType({"BYPASS": 1, "DSTS": 1 << 3}),
            _varying(
                {"QOS_CLASS": 0, "IPV": 0, "TCI": 0},
                {"QOS_CLASS": 3, "IPV": 3, "TCI": TCI},
                {"REW_CMD": 4, "TIMESTAMP": TWO_STEP_ID},
            ),
        ),
    }
)


class Cost(NamedTuple):
    """What making one header took; averages over several frames are fractions.

    Attributes:
        calls: of the set function.
        loads, stores: bytes read and written, of the header and of the template.
        accesses: the same, when zeroing and copying go by words of 4 bytes.
        lines: of Python, executed.
    """

    calls: Number
    loads: Number
    stores: Number
    accesses: Number
    lines: Number

    @property
    def touched(self) -> Number:
        """Bytes loaded and stored."""
        return self.loads + self.stores


@cache
def cost(driver: str, way: str, codec: str, kind: str) -> Cost:
    """Count one header: names from ``DRIVERS``, ``WAYS``, ``ifh.CODECS``, ``KINDS``."""
    function, arguments = _parts(DRIVERS[driver], way, kind)
    put = ifh.CODECS[codec].set
    size = DRIVERS[driver].layout.nbytes
    counts = trace.run(function, bytes(size), put, *arguments).counts
    calls: list[str] = []
    function(bytearray(size), lambda header, field, value: calls.append(field.name), *arguments)
    copied = size if way == "template" else 0  # the copy reads the template, which is no counted header
    one_by_one = counts.loads + counts.stores - size
    return Cost(
        calls=len(calls),
        loads=counts.loads + copied,
        stores=counts.stores,
        accesses=one_by_one + (copied + size) // WORD,
        lines=counts.lines,
    )


def mixed(driver: str, way: str, codec: str, vlan_percent: int, ptp_percent: int) -> Cost:
    """The average over frames of which so many in a hundred have a VLAN tag, and so many ask for a time.

    The one says nothing about the other: with 50 and 50, a quarter of the frames have both.
    """
    vlan, ptp = Fraction(vlan_percent, 100), Fraction(ptp_percent, 100)
    shares = ((1 - vlan) * (1 - ptp), vlan * (1 - ptp), (1 - vlan) * ptp, vlan * ptp)
    costs = [cost(driver, way, codec, kind) for kind in KINDS]
    return Cost(*(sum(map(mul, shares, column)) for column in zip(*costs, strict=True)))


def makers(driver: str, kind: str, codec: str) -> dict[str, Callable[[], object]]:
    """For each way, a function that makes one header of this kind in a buffer of its own, to be timed."""
    put, buffer = ifh.CODECS[codec].set, bytearray(DRIVERS[driver].layout.nbytes)
    parts = {way: _parts(DRIVERS[driver], way, kind) for way in WAYS}
    return {way: partial(function, buffer, put, *arguments) for way, (function, arguments) in parts.items()}


def in_turn(driver: str, reuse: str, kinds: Sequence[str]) -> list[bytes]:
    """The headers of some frames, made one after the other from one prepared header.

    Args:
        driver: a name from ``DRIVERS``.
        reuse: what is done with the prepared header, a name from ``REUSES``.
        kinds: of the frames, names from ``KINDS``.
    """
    made = DRIVERS[driver]
    prepared = bytearray(made.prepared)
    put = ifh.CODECS["byte_shift"].set
    return [REUSES[reuse](prepared, put, made.layout, made.varying[kind]) for kind in kinds]


def copies(ports: int, frames: int = 100_000) -> Callable[[], NDArray[np.void]]:
    """A function that copies a 16-byte template for each of so many frames, ports at random, to be timed."""
    templates, headers = np.zeros(ports, "V16"), np.empty(frames, "V16")
    order = np.random.default_rng(ports).integers(ports, size=frames)
    return lambda: np.take(templates, order, out=headers, mode="clip")  # "clip" writes without a detour


def lines_touched(start: int, nbytes: int, line: int = LINE) -> range:
    """The cache lines that hold ``nbytes`` bytes from address ``start`` on.

    >>> lines_touched(56, 28)
    range(0, 2)
    """
    return range(start // line, (start + nbytes - 1) // line + 1)


def judge(driver: str, way: str, codec: str, varying: Values, buffer: bytes) -> str:
    """``"right"`` when the way leaves the right header in this buffer, ``"refused"``, or what it leaves."""
    header = bytearray(buffer)
    made = DRIVERS[driver]
    function, (layout, start, _) = _parts(made, way, KINDS[0])
    try:
        function(header, ifh.CODECS[codec].set, layout, start, varying)
    except ifh.FieldRangeError:
        return "refused"
    return "right" if header == made.layout.encode({**made.fixed, **varying}) else header.hex(" ", 4)


def _parts(driver: Driver, way: str, kind: str) -> tuple[Callable[..., None], tuple[object, ...]]:
    """The function of a way, and what it takes behind the header and the set function."""
    ways: dict[str, tuple[Callable[..., None], object]] = {
        "every field": (every_field, driver.fixed),
        "zeros skipped": (zeros_skipped, driver.fixed),
        "template": (template, driver.prepared),
    }
    function, start = ways[way]
    return function, (driver.layout, start, driver.varying[kind])

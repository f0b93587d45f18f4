"""The patches in order of what they gain, for three workloads: twice, from the mails and from counts.

*Computed from reported figures*: each patch on the path it was measured on, at the workload's frame size, as
a band of ``costmodel``. The paths are different chips, so this orders statements, not one machine's work.

*Counted*: each patch alone in the lab's one driver, the same frames for all. Register accesses, clock reads
and lines of header code cannot be added, so they get prices, which are assumptions: `Prices`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from lan966x_lab.driver import Options, RxFilter, TxType
from lan966x_lab.hw.registers import Costs
from lan966x_lab.measure import linerate
from lan966x_lab.measure.counted import header_gain, work
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model import costmodel
from lan966x_lab.measure.model.costpaths import CLOCK, PATHS
from lan966x_lab.measure.model.datapath import LONGEST, SHORTEST, SWITCHES, View, header_lines, payload_of
from lan966x_lab.net import captures, ptp

__all__ = ["MEASURED_ON", "ON_BOARD", "WORKLOADS", "Counted", "Prices", "Reported", "Workload"]

MEASURED_ON: Mapping[str, str] = MappingProxyType(
    {
        "000/1": "lan966x fdma rx",
        "000/2 v2": "lan966x fdma tx",
        "001": "lan966x manual tx",
        "002": "ocelot fdma tx",
        "003": "bcm4908 forward",
        "004": "ravb rx",
    }
)
"""The path whose figures speak of a patch; of 000 2/2 the larger ones, those for transmit."""
ON_BOARD = tuple(patch for patch in SWITCHES if patch != "004")
"""The patches that the lab's LAN966x driver can have."""


@dataclass(frozen=True)
class Prices:
    """What counted work is taken to cost, in ns: the first three are the lab's calibration (``Costs``).

    A line of header code costs what it did in the mails: the second version of seed 000 2/2 against the
    first, by our count of lines (``header_gain.price``).
    """

    read: Fraction = Fraction(Costs().read_ns)
    write: Fraction = Fraction(Costs().write_ns)
    clock: Fraction = Fraction(Costs().ktime_ns)
    line: Fraction | None = None

    def of(self, tally: "Tally") -> float:
        """What this work costs, in ns."""
        line = _line_price() if self.line is None else self.line
        accesses = self.read * tally.reads + self.write * tally.writes + self.clock * tally.clock_reads
        return float(accesses + line * tally.lines)


@cache
def _line_price() -> Fraction:
    price = header_gain.price()
    return Fraction(price.ns, price.lines)


@dataclass(frozen=True)
class Tally:
    """Counted work per frame, sending and receiving together."""

    reads: Fraction
    writes: Fraction
    clock_reads: Fraction
    lines: int

    @property
    def accesses(self) -> Fraction:
        """Register reads and writes."""
        return self.reads + self.writes


@dataclass(frozen=True)
class Reported:
    """What the figures of the mails say of one patch at the workload's frame size."""

    patch: str
    path: str
    frame: int  # bytes, without FCS
    gain: Interval  # how many times as fast
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class Counted:
    """What one patch alone takes out of the lab's driver, per frame."""

    patch: str
    before: Tally
    after: Tally

    def saved_ns(self, prices: Prices | None = None) -> float:
        """The difference at these prices, in ns."""
        prices = prices or Prices()
        return prices.of(self.before) - prices.of(self.after)

    def percent(self, prices: Prices | None = None) -> float:
        """The same as a share of the priced work before."""
        return 100 * self.saved_ns(prices) / (prices or Prices()).of(self.before)


@dataclass(frozen=True)
class Workload:
    """What the frames are like.

    ``timed``: every frame asks for its time of departure, and the port of arrival for times of arrival.
    """

    name: str
    frame: int  # bytes, without FCS
    frames: Callable[[], list[bytes]]
    timed: bool = False

    def reported(self) -> tuple[Reported, ...]:
        """Every patch, by the gain that the figures vouch for (the low end of the band), largest first."""
        rows = [self._reported(patch, path) for patch, path in MEASURED_ON.items()]
        return tuple(sorted(rows, key=lambda row: (-row.gain.low, -row.gain.high)))

    def _reported(self, patch: str, path: str) -> Reported:
        way, view = PATHS[path], View(path, frozenset({patch}))
        # who needs the time of arrival still reads the clock: then the gate takes nothing away
        kept = frozenset({CLOCK}) & way.features if self.timed else frozenset()
        payload = payload_of(self.frame, way.transport)
        gain = costmodel.fit().gain(path, payload, view.before.features, view.features | kept)
        frame = linerate.frame_bytes(payload, way.transport)
        return Reported(patch, path, frame, gain, view.assumed(self.frame))

    def counted(self, path: str = "manual") -> tuple[Counted, ...]:
        """Every patch of ``ON_BOARD`` alone, by the time saved at the standing prices, most first."""
        before = self.tally((), path)
        rows = [Counted(patch, before, self.tally((patch,), path)) for patch in ON_BOARD]
        return tuple(sorted(rows, key=lambda row: -row.saved_ns()))

    def together(self, path: str = "manual") -> Counted:
        """All of them at once."""
        return Counted("all", self.tally((), path), self.tally(ON_BOARD, path))

    def tally(self, patches: tuple[str, ...], path: str = "manual") -> Tally:
        """Count the workload's frames through the lab's driver with these patches."""
        return _tally(self, patches, path)


@cache
def _tally(workload: Workload, patches: tuple[str, ...], path: str) -> Tally:
    frames = workload.frames()
    stamps = {"tx_type": TxType.ON, "rx_filter": RxFilter.PTP_V2_EVENT} if workload.timed else {}
    done = work.count(frames, Options(path=path).patched(*patches), **stamps).work
    n = len(frames)
    header = header_lines(patches, "PTP" if workload.timed else "plain")
    lines = sum(header.values())
    return Tally(
        Fraction(done.reads.total(), n),
        Fraction(done.writes.total(), n),
        Fraction(done.ktime_reads, n),
        lines,
    )


def _of(capture: str) -> list[bytes]:
    return captures.recorded(capture).frames


def _bulk() -> list[bytes]:
    return [frame for frame in _of("iperf3-tcp4-csum-ok") if len(frame) == LONGEST][:16]


def _shortest() -> list[bytes]:
    return [bytes([index]) * SHORTEST for index in range(16)]


def _events() -> list[bytes]:
    return [frame for frame in _of("ptp-udp4-e2e") if ptp.classify(frame) != ptp.NONE][:16]


WORKLOADS: Mapping[str, Workload] = MappingProxyType(
    {
        each.name: each
        for each in (
            Workload("bulk TCP", LONGEST, _bulk),
            Workload("64-byte frames", SHORTEST, _shortest),
            Workload("PTP events", 86, _events, timed=True),
        )
    }
)
"""Full segments of a recorded stream; the shortest frames (64 bytes with FCS); recorded event messages."""

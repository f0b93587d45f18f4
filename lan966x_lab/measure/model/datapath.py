"""What the lab knows of one path and one frame size, with the patches off and with some of them on.

Four kinds of evidence meet, and stay apart: the figures of the mails (reported), the band of the cost model
(computed from them), the work per frame (counted), the live wire (timed here, recorded). The live wire is
Python on a computer of today: compare its ratios with the others', never its Mbit/s.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType

from lan966x_lab.driver import PATCHES, Options
from lan966x_lab.measure import claims, linerate, live
from lan966x_lab.measure.counted import header_gain, header_ways, header_work, offload, policies, work
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.live.recording import change_percent
from lan966x_lab.measure.model import costmodel
from lan966x_lab.measure.model.costpaths import PATHS
from lan966x_lab.net import build

__all__ = [
    "LONGEST",
    "SHORTEST",
    "SIZES",
    "SWITCHES",
    "TOGETHER",
    "WAITING",
    "Live",
    "Part",
    "Point",
    "View",
    "header_lines",
    "payload_of",
    "recording",
]

SWITCHES = ("000/1", "000/2 v2", "001", "002", "003", "004")
"""One for each patch; of 000 2/2 the version that was merged."""
SHORTEST, LONGEST = 60, 1514
SIZES = (66, 74, 90, 110, 140, 180, 230, 290, 360, 440, 540, 660, 800, 960, 1140, 1330, 1514)
"""Frame lengths in bytes, without FCS, at which curves are computed: closer where they bend more."""

TOGETHER, WAITING = "everything else", "waiting for the wire"
"""Names of parts of a frame's time that are no single term."""

_LIVE_PATHS = {"lan966x fdma rx": "fdma", "lan966x fdma tx": "fdma", "lan966x manual tx": "manual"}
_SAMPLE = 16  # frames that a count is the mean of


def payload_of(frame: int, transport: str) -> int:
    """Bytes of payload in a frame of so many bytes (without FCS); 0 where the headers alone are longer.

    Raises:
        ValueError: no such frame fits an Ethernet of 1500 bytes.
    """
    if not SHORTEST <= frame <= LONGEST:
        raise ValueError(f"a frame of {frame} bytes: allowed {SHORTEST} to {LONGEST}, without FCS")
    return max(0, frame - linerate.ETHERNET_HEADER - linerate.HEADERS[transport])


@dataclass(frozen=True)
class Part:
    """A piece of a frame's time. ``ns`` are of one set of costs that the figures allow, ``band`` of all."""

    name: str
    ns: float
    band: Interval


@dataclass(frozen=True)
class Point:
    """A printed goodput in Mbit/s, and the frame in bytes that it was measured with."""

    claim: str
    side: str
    frame: int
    mbit: float
    features: frozenset[str]


@dataclass(frozen=True)
class Live:
    """A recorded comparison with exactly these patches: Mbit/s by side, and the gain in per cent."""

    frame: int
    sides: Mapping[str, live.Side]
    percent: float
    recording: live.Recording

    @property
    def gains(self) -> tuple[float, ...]:
        """How many times as fast each round was as its own other side."""
        rounds = zip(self.sides["off"].values, self.sides["on"].values, strict=True)
        return tuple(on / off for off, on in rounds)


@dataclass(frozen=True)
class View:
    """One path with some patches.

    Args:
        path: a key of ``costpaths.PATHS``.
        patches: names of ``SWITCHES``; those that do not concern the path change nothing.

    Raises:
        ValueError: a name that is not there.
    """

    path: str
    patches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.path not in PATHS:
            raise ValueError(f"there is no path {self.path!r}: choose from {', '.join(PATHS)}")
        if unknown := self.patches - PATCHES.keys():
            named = ", ".join(sorted(unknown))
            raise ValueError(f"there is no patch {named}: choose from {', '.join(SWITCHES)}")

    @cached_property
    def transport(self) -> str:
        """``"tcp"`` or ``"udp"``."""
        return PATHS[self.path].transport

    @cached_property
    def features(self) -> frozenset[str]:
        """The work that is left."""
        return PATHS[self.path].left_by(*self.patches)

    @cached_property
    def before(self) -> "View":
        """The same path without any patch."""
        return View(self.path)

    @cached_property
    def biting(self) -> tuple[str, ...]:
        """Those of the patches that take work away on this path."""
        return tuple(p for p in SWITCHES if p in self.patches and p in PATHS[self.path].patches)

    # ---- computed from the reported figures ----

    def payload(self, frame: int) -> int:
        """Bytes of payload in such a frame."""
        return payload_of(frame, self.transport)

    def frame_ns(self, frame: int) -> Interval:
        """Time from frame to frame."""
        return costmodel.fit().frame_ns(self.path, self.payload(frame), self.features)

    def gain(self, frame: int) -> Interval:
        """How many times as fast as without patches."""
        return _gain(self.path, self.features, self.payload(frame))

    def goodput(self, frame: int) -> Interval:
        """In Mbit/s."""
        return _goodput(self.path, self.features, self.payload(frame))

    def assumed(self, frame: int) -> tuple[str, ...]:
        """What the computed numbers rest on beside the figures."""
        return costmodel.fit().assumed(self.path, self.payload(frame), self.features)

    def measured(self, frame: int) -> bool:
        """Whether a figure of this size went into the model."""
        return self.payload(frame) in PATHS[self.path].payloads

    def line_rate(self, frame: int) -> float:
        """What the link of the figures can carry, in Mbit/s."""
        return float(linerate.line_rate(self.payload(frame), self.transport, PATHS[self.path].link_mbit))

    def parts(self, frame: int) -> tuple[Part, ...]:
        """Where the time of one frame goes, in the order of the path's terms.

        Fixed cost and cost per byte are one part where all figures have one size: nothing tells them apart.
        The ns are those of the mean of the model's corners, a set of costs like any other that fits; when
        the link takes longer than the CPU, the last part is the wait for it.
        """
        way, payload = PATHS[self.path], self.payload(frame)
        corners = costmodel.fit().corners[self.path]
        joined = len(way.payloads) == 1 and all(term.per != "word" for term in way.terms)
        shares: dict[str, list[Fraction]] = {}
        for index, (term, n) in enumerate(zip(way.terms, way.times(payload, self.features), strict=True)):
            name = TOGETHER if joined and not term.needs else term.name
            if n or name == TOGETHER:
                so_far = shares.setdefault(name, [Fraction(0)] * len(corners))
                shares[name] = [ns + n * corner[index] for ns, corner in zip(so_far, corners, strict=True)]
        link = Fraction(8000 * linerate.wire_bytes(payload, self.transport), way.link_mbit)
        totals = [sum(column, Fraction(0)) for column in zip(*shares.values(), strict=True)]
        wait = max(Fraction(0), link - sum(totals, Fraction(0)) / len(totals))
        if wait:
            shares[WAITING] = [max(Fraction(0), link - total) for total in totals]
        mean = {name: sum(ns, Fraction(0)) / len(ns) for name, ns in shares.items()} | (
            {WAITING: wait} if wait else {}
        )
        return tuple(Part(name, float(mean[name]), Interval(min(ns), max(ns))) for name, ns in shares.items())

    # ---- reported ----

    @cached_property
    def published(self) -> tuple[Point, ...]:
        """Every figure that the model was fitted on, and the sides that only bound it."""
        points = []
        for figure in PATHS[self.path].figures:
            claim = claims.get(figure.claim)
            if figure.side in ("before", "after") and (figure.use != "check" or self.path == "ravb rx"):
                frame = linerate.frame_bytes(claim.payload, claim.transport)
                mbit = float(claim.figure(figure.side))
                points.append(Point(claim.id, figure.side, frame, mbit, figure.features))
        return tuple(points)

    @cached_property
    def published_gains(self) -> tuple[tuple[int, float], ...]:
        """Frame length and gain of every printed pair that is this comparison: all patches off, these on."""
        off = {p.frame: p.mbit for p in self.published if p.features == self.before.features}
        on = {p.frame: p.mbit for p in self.published if p.features == self.features}
        return tuple((frame, on[frame] / off[frame]) for frame in off if frame in on)

    # ---- timed here, recorded ----

    @cached_property
    def live(self) -> tuple[Live, ...]:
        """The recordings of exactly these patches on this path, by frame length; 004 is another device's."""
        wanted, path = self.patches - {"004"}, _LIVE_PATHS.get(self.path)
        return tuple(
            sorted(
                (
                    p
                    for p in _recorded()
                    if p.recording.plan.path == path and set(p.recording.plan.patches) == wanted
                ),
                key=lambda p: p.frame,
            )
        )

    # ---- counted ----

    def counted(self, frame: int) -> Mapping[str, float]:
        """Work for one frame of this length: what the lab's driver of this path did, by kind.

        The lab's LAN966x driver has the patches of all chips but 004, so 002 and 003 can count on its paths.
        """
        return _count(self.path, self.patches, frame)


@cache
def _goodput(path: str, features: frozenset[str], payload: int) -> Interval:
    return costmodel.fit().goodput(path, payload, features)


@cache
def _gain(path: str, features: frozenset[str], payload: int) -> Interval:
    return costmodel.fit().gain(path, payload, PATHS[path].left_by(), features)


def recording(patches: Iterable[str], workload: str = "tcp", path: str = "fdma") -> live.Recording:
    """The recording of exactly these patches on one of the lab's paths, with this workload.

    Raises:
        ValueError: there is none; the message lists what was recorded, and says what to do.
    """
    wanted, found = set(patches), live.recordings().values()
    for one in found:
        if (set(one.plan.patches), one.plan.path) == (wanted, path) and workload in one.plan.workloads:
            return one
    there = "; ".join(
        f"{' '.join(r.plan.patches)} ({r.plan.path}: {', '.join(r.plan.workloads)})" for r in found
    )
    raise ValueError(
        f"nobody recorded {' '.join(sorted(wanted))} ({path}: {workload}); there is {there}. "
        "`lan966x-lab doctor` says whether a file is missing; `lan966x-lab wire --save` makes a recording"
    )


@cache
def _recorded() -> tuple[Live, ...]:
    return tuple(_points(live.recordings().values()))


def _points(recordings: Iterable[live.Recording]) -> Iterable[Live]:
    """Every comparison of every recording, with the length of its frames; of TCP, of the full segments."""
    for recording in recordings:
        for one in recording.comparisons:
            transport, _, payload = one.workload.partition(" ")
            most = LONGEST - linerate.ETHERNET_HEADER - linerate.HEADERS[transport]
            frame = linerate.frame_bytes(int(payload or most), transport)
            yield Live(frame, one.mbit, change_percent(one.mbit), recording)


Count = Callable[[frozenset[str], int], dict[str, float]]


def _on_board(path: str, direction: str) -> Count:
    def count(patches: frozenset[str], frame: int) -> dict[str, float]:
        options = Options(path=path).patched(*sorted(patches))
        done: work.Work = getattr(work.count([bytes(frame)] * _SAMPLE, options), direction)
        totals = done.totals()
        shown = {
            name: totals[name] / _SAMPLE for name in ("register reads", "register writes", "clock reads")
        }
        touched = (totals["header bytes loaded"] + totals["header bytes stored"]) / _SAMPLE
        lines = header_lines(patches)[direction]
        return shown | {"header bytes touched": touched, "lines of header code": float(lines)}

    return count


def header_lines(patches: Iterable[str], kind: str = "plain") -> dict[str, int]:
    """Lines of Python that run for a header of the LAN966x: ``transmit`` sets it, ``receive`` (DMA) reads it.

    ``kind`` is one of ``header_ways.KINDS``.
    """
    return dict(_header_lines(frozenset(patches), kind))


@cache
def _header_lines(patches: frozenset[str], kind: str) -> Mapping[str, int]:
    codec = Options().patched(*sorted(patches)).ifh_codec
    way = "template" if "002" in patches else "every field"
    form = {"packing": "general routine", "bit_loop": "bit loop", "byte_shift": "byte shift"}[codec]
    reads = header_work.count_reads(header_gain.READ_BY_DMA)[form]
    return {"transmit": int(header_ways.cost("LAN966x", way, codec, kind).lines), "receive": reads.lines}


def _ocelot(patches: frozenset[str], frame: int) -> dict[str, float]:
    way = "template" if "002" in patches else "every field"
    cost = header_ways.cost("Ocelot, 2021", way, "packing", "plain")
    return {
        "set calls": float(cost.calls),
        "header bytes touched": float(cost.touched),
        "lines of header code": float(cost.lines),
    }


def _bcm4908(patches: frozenset[str], frame: int) -> dict[str, float]:
    received = policies.receive(
        [bytes(frame)] * _SAMPLE, policies.POLICIES["late" if "003" in patches else "early"]
    )
    return {
        "skbs made before a frame came": float(received.made_before),
        "skbs made since its own": received.age,
    }


def _ravb(patches: frozenset[str], frame: int) -> dict[str, float]:
    segment = build.tcp(1, 2, payload=bytes(payload_of(frame, "tcp") + 12))
    packet = build.ipv4("192.0.2.1", "192.0.2.2", 6, segment)
    sent = build.ethernet("02:00:00:00:00:01", "02:00:00:00:00:02", 0x0800, packet)
    run = offload.run([sent], offload="004" in patches)
    return {"bytes that the CPU adds up": run.bytes_per_frame}


_COUNTS: Mapping[str, Count] = MappingProxyType(
    {
        "lan966x fdma rx": _on_board("fdma", "receive"),
        "lan966x fdma tx": _on_board("fdma", "transmit"),
        "lan966x manual tx": _on_board("manual", "transmit"),
        "ocelot fdma tx": _ocelot,
        "bcm4908 forward": _bcm4908,
        "ravb rx": _ravb,
    }
)


@cache
def _count(path: str, patches: frozenset[str], frame: int) -> Mapping[str, float]:
    return MappingProxyType(_COUNTS[path](patches, frame))

"""Same bytes before speed: frames through every driver, patches off and on, and every combination of them."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from lan966x_lab.driver import Options, RxFilter
from lan966x_lab.measure.counted import offload, policies, rxtime, work

__all__ = ["PATHS", "Compared", "carries", "off_and_on", "settings"]

PATHS = ("manual", "fdma")
"""The two ways into the lab's LAN966x."""


class Compared(NamedTuple):
    """What became of the same frames with all patches off and with all of them on."""

    driver: str
    frames: int
    what: str  # "bytes", delivered as they were sent, or "verdicts" on the checksum
    same: bool  # with the patches and without
    errors_ns: tuple[int | None, int | None] | None  # how far times of arrival are off at most, off and on


def off_and_on(frames: Sequence[bytes], patches: Iterable[str]) -> list[Compared]:
    """Receive `frames` (60 bytes or more, without FCS) with every driver, all its patches off and then on.

    Args:
        frames: as on a wire.
        patches: those of the LAN966x; the other two drivers have one each, 003 and 004.
    """
    sent, patches, rows = list(frames), tuple(patches), []
    for path in PATHS:
        off, on = (
            rxtime.receive(sent, Options(path=path).patched(*some), RxFilter.PTP_V2_EVENT)
            for some in ((), patches)
        )
        same = [got.frame for got in off.delivered] == [got.frame for got in on.delivered] == sent
        rows.append(
            Compared(f"LAN966x, {path}", len(on.delivered), "bytes", same, (off.error_ns, on.error_ns))
        )
    early, late = (policies.receive(sent, policies.POLICIES[name], dirty=True) for name in ("early", "late"))
    same = early.frames == late.frames == tuple(sent)
    rows.append(Compared("BCM4908 (003)", len(late.frames), "bytes", same, None))
    cpu, mac = (offload.run(sent, offload=side) for side in (False, True))
    rows.append(Compared("R-Car (004)", len(mac.frames), "verdicts", cpu.verdicts == mac.verdicts, None))
    return rows


def settings(patches: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Every path of the LAN966x with every subset of its patches."""
    subsets = [some for n in range(len(patches) + 1) for some in combinations(patches, n)]
    return [(path, some) for path in PATHS for some in subsets]


def carries(frames: Sequence[bytes], path: str, patches: Iterable[str]) -> bool:
    """Whether the LAN966x with these patches delivers exactly these frames, in this order."""
    delivered = work.count(frames, Options(path=path).patched(*patches)).delivered
    return [got.frame for got in delivered] == list(frames)

"""Counted work of receive checksum offload: frames run through a ravb interface, its driver and the stack.

``run`` counts the bytes that the CPU adds up for each frame, and what the driver knew about it when it handed
it up. What the device appends is an argument, so that a hypothesis about it can be tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ravb import TAKE, RavbDriver
from lan966x_lab.driver.skb import ETH_HLEN, IpSummed, Skb
from lan966x_lab.driver.stack import Stack
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fcs import fcs
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.ravb import Ravb, Unit, complete_sum
from lan966x_lab.hw.registers import Door
from lan966x_lab.net import checksum
from lan966x_lab.net.verdicts import Verdict

__all__ = ["Received", "Run", "cut_off", "run"]


class Received(NamedTuple):
    """What became of one frame."""

    length: int  # bytes, without what the unit appended
    state: IpSummed  # what the driver knew when it handed the frame up
    verdict: Verdict  # of the stack, on the transport checksum
    bytes_summed: int  # by the CPU
    hw_csum_failure: bool  # the device's sum did not fit, the software's did: the kernel logs a warning


@dataclass(frozen=True, slots=True)
class Run:
    """What became of all frames, in their order."""

    frames: tuple[Received, ...]
    bytes_copied: int  # by the driver, of frames that arrived in several pieces

    @property
    def bytes_summed(self) -> int:
        """Bytes that the CPU added up."""
        return sum(frame.bytes_summed for frame in self.frames)

    @property
    def bytes_per_frame(self) -> float:
        """The same per frame; 0 without a frame."""
        return self.bytes_summed / max(1, len(self.frames))

    @property
    def states(self) -> Counter[IpSummed]:
        """How many frames the driver handed up in each state."""
        return Counter(frame.state for frame in self.frames)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The stack's verdicts."""
        return tuple(frame.verdict for frame in self.frames)

    @property
    def hw_csum_failures(self) -> int:
        """How often the kernel would log "hw csum failure"."""
        return sum(frame.hw_csum_failure for frame in self.frames)


def run(
    frames: Iterable[bytes], unit: Unit = complete_sum, *, offload: bool = True, buffer: int = 1538
) -> Run:
    """Receive `frames` (without FCS) through one ravb interface, one after the other.

    Args:
        unit: what the device appends. A function that is not one of the two units is taken for a hypothesis
            about the R-Car unit: the driver reads its last two bytes as a sum.
        offload: whether the unit is on.
        buffer: bytes of a receive buffer; a frame that is longer, with what is appended, takes several.

    Raises:
        ValueError: the buffer is not within 1..3712 bytes, or a frame is too long for the ring's 64 buffers.
    """
    everything = list(frames)
    received: list[Received] = []
    stack = Stack()

    def take(skb: Skb) -> None:
        length, state, stats = ETH_HLEN + len(skb), skb.ip_summed, stack.stats
        summed, failures = stats.bytes_summed, stats.hw_csum_failure
        verdict = stack.receive(skb)
        received.append(
            Received(length, state, verdict, stats.bytes_summed - summed, stats.hw_csum_failure > failures)
        )

    clock = Clock()
    device = Ravb(Dma(), clock, Door(clock), unit if unit in TAKE else complete_sum)
    longest = max(map(len, everything), default=0)
    options = Options(rx_checksum_offload=offload)
    driver = RavbDriver(device, Memory(), take, options=options, mtu=max(1500, longest), buffer=buffer)
    device.unit = unit
    driver.open()
    for frame in everything:
        if not device.receive(frame):
            raise ValueError(
                f"a frame of {len(frame)} bytes needs more than {driver.rx_size} buffers of {buffer} bytes; "
                "take larger ones"
            )
        while driver.poll(driver.rx_size):
            pass
    driver.close()
    return Run(tuple(received), driver.stats.rx_copied)


def cut_off(frames: Iterable[bytes]) -> dict[str, int]:
    """Cut the FCS of each frame out of the sum over packet and FCS, with and without the swap of an odd cut.

    ``frames`` come without FCS; the packet is what stands behind the Ethernet header. A cut goes wrong when
    what is left is not the packet's own sum.
    """
    counts = dict.fromkeys(
        (
            "packets",
            "of odd length",
            "wrong without the swap",
            "wrong with the swap",
            "of odd length, but the swap of this FCS changes nothing",
        ),
        0,
    )
    for frame in frames:
        packet, behind = frame[ETH_HLEN:], fcs(frame)
        right, tail = checksum.ones_sum(packet), checksum.ones_sum(behind)
        total, odd = checksum.ones_sum(packet + behind), len(packet) % 2 == 1
        for name, is_so in zip(
            counts,
            (
                True,
                odd,
                checksum.remove(total, tail, len(packet) - odd) != right,
                checksum.remove(total, tail, len(packet)) != right,
                odd and tail >> 8 == tail & 0xFF,
            ),
            strict=True,
        ):
            counts[name] += is_so
    return counts

"""Checksums and PTP classification beside scapy, dpkt and a memory copy, timed here.

Asked for: one 1500-byte checksum with the standard library 3 times as fast as scapy; the numpy batch 40 times
as fast as scapy per packet and within 1.3 times a memory copy of the same bytes; ``classify`` of one frame 20
times as fast as dpkt's parse, ``classify_batch`` 4 times as fast as ``classify``.
"""

from functools import partial
from itertools import cycle, islice

import dpkt
import numpy as np
import scapy.utils
from aims import judge, no_compiled_tier

from lan966x_lab import data_path
from lan966x_lab.measure.timed.timing import compare
from lan966x_lab.net import batch, captures, checksum, ptp

SIZE = 1500  # bytes of a packet
SHORT = {
    "rounds": 101,
    "min_time_ns": 200_000,
}  # many short turns: few of them are interrupted by other programs
SAMPLE = 1_000  # packets that scapy adds up per turn: about as long a turn as a batch takes


def main() -> None:
    """Print the tables, and under each how its ratios stand beside what was asked for."""
    one_checksum()
    many_checksums(1_000)
    many_checksums(50_000)  # 75 MB: more than the caches hold
    one_classification()
    many_classifications()


def one_checksum() -> None:
    """One packet: the five ways, and the peers."""
    data = np.random.default_rng(966).bytes(SIZE)
    timings = compare(
        {name: partial(way, data) for name, way in checksum.WAYS.items()}
        | {
            "ones_sum, which chooses": partial(checksum.ones_sum, data),
            "scapy": partial(scapy.utils.checksum, data),
            "dpkt": partial(dpkt.dpkt.in_cksum, data),
        },
        **SHORT,
    )
    print(f"\nOne checksum of {SIZE} bytes\n{timings.table(to='scapy')}")
    for way in ("big integer", "ones_sum, which chooses"):
        judge(f"speed of {way} over scapy", timings.ratio("scapy", way), at_least=3)
        judge(f"speed of {way} over the loop", timings.ratio("byte pairs", way), at_least=20)


def many_checksums(count: int) -> None:
    """A batch of packets in one call; a copy inside the cache has no memory to wait for, and is no goal."""
    frames = np.random.default_rng(966).integers(0, 256, (count, SIZE), np.uint8)
    some = [frame.tobytes() for frame in frames[:SAMPLE]]
    timings = compare(
        {
            "ones_sum_batch": partial(checksum.ones_sum_batch, frames, np.full(count, SIZE)),
            "np.copyto": partial(np.copyto, np.empty_like(frames), frames),
            f"scapy, {SAMPLE} packets": lambda: [scapy.utils.checksum(packet) for packet in some],
        }
    )
    print(f"\n{count} checksums of {SIZE} bytes\n{timings.table(to='np.copyto')}")
    per_packet = timings.ratio(f"scapy, {SAMPLE} packets", "ones_sum_batch") * count / SAMPLE
    judge("speed of the batch over scapy, per packet", per_packet, at_least=40)
    if frames.nbytes > 1 << 26:
        judge("time of the batch over a copy", timings.ratio("ones_sum_batch", "np.copyto"), at_most=1.3)
    no_compiled_tier("numba, batch over scapy and over a copy")


def one_classification() -> None:
    """A frame of each kind."""
    kinds = {"TCP": next(f for f in capture("iperf3-tcp4-csum-ok") if len(f) == 1514)}
    for name in ("ptp-udp4-e2e", "ptp-udp6-e2e", "ptp-l2-e2e"):
        event = next(filter(ptp.classify, capture(name)))
        kinds[ptp.describe(ptp.classify(event))] = event
    for name, frame in kinds.items():
        timings = compare(
            {"classify": partial(ptp.classify, frame), "dpkt": partial(dpkt.ethernet.Ethernet, frame)},
            **SHORT,
        )
        print(f"\n{name}, one frame\n{timings.table(to='dpkt')}")
        speed = timings.ratio("dpkt", "classify")
        if isinstance(dpkt.ethernet.Ethernet(frame).data, dpkt.Packet):
            judge("speed of classify over dpkt", speed, at_least=20)
        else:
            print(f"  speed of classify over dpkt: {speed:.2f}, nothing asked: dpkt stops at this EtherType")


def many_classifications() -> None:
    """Some thousand frames of two captures: few of them PTP, and half of them."""
    events, stream = capture("ptp-udp4-e2e"), capture("iperf3-tcp4-csum-ok")
    for share, frames in (
        ("1 of 50", [*events, *islice(cycle(stream), 49 * len(events))]),
        ("1 of 2", [*events, *islice(cycle(stream), len(events))] * 20),
    ):
        rows, lengths = batch.stack(frames)
        timings = compare(
            {
                "classify_batch": partial(ptp.classify_batch, rows, lengths),
                "classify, one by one": lambda frames=frames: [ptp.classify(frame) for frame in frames],
            }
        )
        print(f"\n{len(frames)} frames, {share} from a PTP capture\n{timings}")
        speed = timings.ratio("classify, one by one", "classify_batch")
        judge("speed of the batch over one by one", speed, at_least=4)
    no_compiled_tier("numba, classification")


def capture(name: str) -> list[bytes]:
    """The frames of a capture."""
    return captures.read(data_path("captures", f"{name}.pcap")).frames


if __name__ == "__main__":
    main()

"""Headers of replayed traffic, held against the captures themselves."""

import numpy as np
import pytest

from lan966x_lab import data_path, ifh
from lan966x_lab.measure.counted.replay import extraction_headers
from lan966x_lab.net import captures

SECOND = 10**9


def columns(traffic: dict[int, captures.Capture]) -> dict[str, np.ndarray]:
    return ifh.LAN966X.rx.decode_batch(extraction_headers(traffic))


@pytest.fixture(scope="module")
def traffic() -> dict[int, captures.Capture]:
    names = {1: "ptp-l2-p2p", 6: "iperf3-udp4-701"}
    return {port: captures.read(data_path("captures", f"{name}.pcap")) for port, name in names.items()}


def test_every_frame_has_its_length_and_port(traffic: dict[int, captures.Capture]) -> None:
    found = columns(traffic)
    assert len(found["LEN"]) == sum(len(capture.frames) for capture in traffic.values())
    for port, capture in traffic.items():
        lengths = found["LEN"][found["SRCPORT"] == port]
        assert lengths.tolist() == [max(60, len(frame)) + 4 for frame in capture.frames]
    assert {name for name, column in found.items() if column.any()} == {"LEN", "SRCPORT", "TIMESTAMP"}


def test_the_times_are_those_of_the_capture_within_the_second(traffic: dict[int, captures.Capture]) -> None:
    found = columns(traffic)
    for port, capture in traffic.items():
        stamps = found["TIMESTAMP"][found["SRCPORT"] == port].astype(int) >> 2
        passed = np.array(capture.times_ns) - capture.times_ns[0]
        late = (stamps - stamps[0] - passed) % SECOND
        late = np.where(late > SECOND // 2, late - SECOND, late)
        # two frames that are closer than the wire allows keep their distance; else nobody is late
        assert late.min() >= -1000
        assert late.max() < 20_000
        assert np.median(np.abs(late)) < 1000


def test_a_full_memory_loses_frames_and_no_header_is_made_up() -> None:
    capture = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap"))
    found = columns({0: capture, 1: capture})
    assert 0 < len(found["LEN"]) < 2 * len(capture.frames)
    assert set(found["LEN"].tolist()) <= {max(60, len(frame)) + 4 for frame in capture.frames}


def test_no_traffic_no_headers() -> None:
    assert extraction_headers({}).shape == (0, 28)

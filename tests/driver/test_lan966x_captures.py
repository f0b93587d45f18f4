"""Real traffic through both paths: every frame of every capture, with every option set."""

from dataclasses import replace

import pytest

from lan966x_lab import data_path, ifh
from lan966x_lab.driver import PATCHES, Board, Options, RxFilter, TxType
from lan966x_lab.net import captures, ptp

CAPTURES = sorted(data_path("captures").glob("*.pcap"))
PTP_CAPTURES = [path for path in CAPTURES if path.name.startswith("ptp-")]
OPTION_SETS = dict.fromkeys(
    [
        *(Options(ifh_codec=codec) for codec in ifh.CODECS),
        *(Options().patched(key) for key in PATCHES),
        Options().patched(*PATCHES),
    ]
)
"""Each set once: the default is also a codec, and a patch is."""
WAYS = ["manual", "fdma"]


def frames_of(path):
    return captures.read(path).frames


def test_there_are_captures():
    assert len(CAPTURES) >= 9
    assert len(PTP_CAPTURES) >= 4


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_every_frame_arrives_byte_for_byte(path, options, way):
    """A frame of less than 60 bytes arrives padded with zeros to 60; every other one as it was sent."""
    board = Board(replace(options, path=way))
    board.wire(0, 1)
    frames = frames_of(path)
    got = board.carry(frames)
    assert [received.frame for received in got] == [frame.ljust(60, b"\0") for frame in frames]
    assert {received.port for received in got} == {1}
    board.ledger.check_settled()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("gate_open", [True, False])
@pytest.mark.parametrize("path", PTP_CAPTURES, ids=lambda path: path.stem)
def test_ptp_frames_get_their_wire_time_with_the_gate_open_and_none_with_it_closed(path, gate_open, way):
    board = Board(Options(gate_rx_timestamp=True, path=way))
    wire = board.wire(0, 1, delay_ns=25)
    wire.log = []
    board.hwtstamp(1, TxType.OFF, RxFilter.PTP_V2_EVENT if gate_open else RxFilter.NONE)
    clock = board.chip.ptp.domains[0]
    clock.load(1_700_000_000 * 10**9 + 999_000_000)  # a second ends on the way
    offset = clock.now_ns - board.clock.now_ns
    got = board.carry(frames_of(path))
    assert any(ptp.classify(received.frame) for received in got)
    for received, seen in zip(got, wire.log, strict=True):
        if gate_open:
            assert abs(received.hwtstamp_ns - (seen.time_ns + offset)) <= 1
        else:
            assert received.hwtstamp_ns is None

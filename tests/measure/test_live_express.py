"""The express lane against the full register model: the same bytes, the same times, the same counters."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import data_path, ifh
from lan966x_lab.driver import Board, Options, RxFilter, TxType, run
from lan966x_lab.measure.live.express import ExpressBoard, counters
from lan966x_lab.net import captures

FRAMES = [
    frame
    for path in sorted(data_path("captures").glob("*.pcap"))
    for frame in captures.read(path).frames[:25]
    if len(frame) <= 1514  # some captures were taken with segmentation offload
]
EDGES = [
    bytes(14),
    bytes(59),
    bytes(60),
    bytes(61),
    bytes(1513),
    bytes(1514),
    bytes(20) + b"\x80\0\0\4" * 30,  # words that look like markers
    b"\0" + b"\x80\0\0\7" * 30,
]
ON = Options().patched("000/1", "000/2 v2", "001", "002", "003")
SWITCHES = [
    replace(options, path=path, gro=gro)
    for options, path, gro in product((Options(), ON), ("manual", "fdma"), (False, True))
] + [replace(Options(), ifh_codec=codec) for codec in ifh.CODECS]


def full(options: Options) -> Board:
    board = Board(options)
    board.wire(0, 1)
    return board


@pytest.mark.parametrize(
    "options", SWITCHES, ids=lambda o: f"{o.path} {o.ifh_codec} {o.ifh_template} {o.gro}"
)
def test_every_frame_of_the_captures_gives_the_same_bytes_times_and_counters(options: Options) -> None:
    model, lane = full(options), ExpressBoard(options)
    for number, frame in enumerate(EDGES + FRAMES):
        model.send(frame, number % 2)
        run(model)
        lane.forward(frame, number % 2)
        assert counters(model) == counters(lane), number
    assert model.delivered == lane.delivered
    assert lane.full <= 1  # the very first descriptor starts the channel
    assert lane.express == len(EDGES + FRAMES) - lane.full
    lane.ledger.check_settled()


@settings(max_examples=40)
@given(
    frames=st.lists(st.tuples(st.binary(min_size=14, max_size=200), st.integers(0, 1)), max_size=8),
    options=st.sampled_from(SWITCHES),
)
def test_any_frames_in_any_order(frames: list[tuple[bytes, int]], options: Options) -> None:
    model, lane = full(options), ExpressBoard(options)
    for frame, source in frames:
        model.send(frame, source)
        run(model)
        lane.forward(frame, source)
    assert counters(model) == counters(lane)
    assert model.delivered == lane.delivered


@pytest.mark.parametrize("path", ["manual", "fdma"])
def test_a_filter_that_asks_for_times_gets_them_from_the_registers(path: str) -> None:
    options = replace(ON, path=path)
    model, lane = full(options), ExpressBoard(options)
    for board in (model, lane):
        board.hwtstamp(1, TxType.ON, RxFilter.ALL)
    for frame in FRAMES[:20]:
        model.send(frame)
        run(model)
        lane.forward(frame, 0)
    assert counters(model) == counters(lane)
    assert [d.hwtstamp_ns for d in model.delivered] == [d.hwtstamp_ns for d in lane.delivered]
    assert None not in {d.hwtstamp_ns for d in lane.delivered}
    assert lane.express >= 19


def test_frames_that_ask_for_their_transmit_time_take_the_full_road() -> None:
    board = ExpressBoard(ON)
    board.hwtstamp(0, TxType.ON, RxFilter.PTP_V2_EVENT)
    sync = captures.read(data_path("captures", "ptp-l2-e2e.pcap")).frames[0]
    board.send_stamped(sync, 0)
    assert (board.express, board.full) == (0, 1)
    board.ledger.check_settled()


@pytest.mark.parametrize("length", [0, 13, 1515, 1519, 4000])
def test_frames_that_the_driver_or_the_port_refuses_take_the_full_road(length: int) -> None:
    model, lane = full(Options()), ExpressBoard(Options())
    model.send(bytes(length))
    run(model)
    lane.forward(bytes(length), 0)
    assert (lane.express, lane.full) == (0, 1)
    assert counters(model) == counters(lane)


@pytest.mark.parametrize("name", sorted(Board().chip.faults))
def test_an_ordered_fault_strikes_as_on_the_full_road(name: str) -> None:
    model, lane = full(Options()), ExpressBoard(Options())
    frame = FRAMES[0].ljust(200, b"x")
    for board in (model, lane):
        board.chip.faults[name]()
    for _ in range(4):
        model.send(frame)
        run(model)
        lane.forward(frame, 0)
    assert counters(model) == counters(lane)
    assert model.delivered == lane.delivered


def test_without_the_lane_every_frame_takes_the_full_road() -> None:
    board = ExpressBoard(ON, lane=False)
    for frame in FRAMES[:5]:
        board.forward(frame, 0)
    assert (board.express, board.full) == (0, 5)

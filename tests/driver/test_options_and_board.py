"""The switches and the board refuse what they cannot mean."""

import doctest
from dataclasses import fields, replace
from typing import Any

import pytest
from offload_frames import ipv4, tcp

from lan966x_lab.driver import PATCHES, Board, Options, RingBoard, options, run
from lan966x_lab.driver.options import ACTS, PLACES
from lan966x_lab.driver.ravb import RavbDriver
from lan966x_lab.driver.stack import Stack
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.ravb import Ravb
from lan966x_lab.hw.registers import Door


@pytest.mark.parametrize("wrong", [{"late_skb": "yes"}, {"gro": 1}, {"ifh_template": None}])
def test_a_switch_is_true_or_false(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a switch is True or False"):
        Options(**wrong)


@pytest.mark.parametrize("wrong", [{"ifh_codec": "bits"}, {"path": "dma"}])
def test_a_name_is_one_of_the_known_ones(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="choose one of"):
        Options(**wrong)


def test_a_long_value_is_cut_in_the_message() -> None:
    long: Any = "x" * 99
    with pytest.raises(ValueError, match=r"path is 'x{39}: choose one of"):
        Options(path=long)
    with pytest.raises(TypeError, match=r"gro is 'x{39}: a switch is"):
        Options(gro=long)
    with pytest.raises(ValueError, match=r"place is 'x{39}: choose one of"):
        Options().idle(long)
    with pytest.raises(TypeError, match=r"options are 'x{39}: give driver.Options"):
        Board(long)


def test_every_patch_can_be_applied() -> None:
    assert Options().patched(*PATCHES) != Options()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("0001", "there is no patch '0001'; the nearest names are '000/1', '001', '000/2'"),
        ("000/2v2", "there is no patch '000/2v2'; the nearest names are '000/2 v2', '000/2', '000/1'"),
        (None, "there is no patch None; the nearest names are '"),
        (["001"], "there is no patch ['001']; the nearest names are '001', '"),
    ],
)
def test_an_unknown_patch_is_told_the_nearest(key: Any, said: str) -> None:
    with pytest.raises(KeyError) as refused:
        Options().patched("001", key)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("port", [-1, 8, 99])
def test_a_port_that_is_not_there_is_refused(port: int) -> None:
    board = Board()
    for refused in (
        lambda: board.send(bytes(60), port),
        lambda: board.wire(0, port),
        lambda: board.wire(port, 1),
    ):
        with pytest.raises(ValueError, match=f"^port is {port}: allowed 0 to 7$"):
            refused()
    assert not any(board.queues)
    assert board.chip.ports[0].wire is None


FRAMES = [ipv4(tcp(bytes(100)), 6)] * 3
"""Three times the same segment: what GRO does with them is to look at them."""
OTHER = {"ifh_codec": "whole_int", "path": "fdma"}
"""A value for each option that is no switch."""


def counted(place: str, options: Options) -> object:
    """Everything that running a few frames leaves in the counters of a place."""
    if place == "ravb":
        dma, clock, stack = Dma(), Clock(), Stack()
        device = Ravb(dma, clock, Door(clock))
        driver = RavbDriver(device, Memory(), stack.receive, options=options)
        driver.open()
        for frame in FRAMES:
            device.receive(frame)
        driver.poll(64)
        return stack.stats, driver.stats, driver.slab.allocated, device.door.writes
    if place == "bcm4908":
        ring = RingBoard(options, rx_ring=4)
        ring.arrive(FRAMES)
        ring.run()
        return ring.steps, ring.stack.stats, ring.driver.gro.segments
    board = Board(replace(options, path=place) if options.path == "manual" else options)
    board.wire(0, 1)
    for frame in FRAMES:
        board.send(frame)
    run(board)
    door = board.chip.door
    slab = board.driver.path.slab.allocated if board.options.path == "fdma" else 0  # type: ignore[attr-defined]
    return door.reads, door.writes, door.ktime_reads, board.driver.work, board.driver.gro.segments, slab


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", [field.name for field in fields(Options)])
def test_an_option_acts_where_the_table_says_and_nowhere_else(place: str, name: str) -> None:
    """D4: nobody should believe that a switch was tried where it is not connected."""
    changed = Options(**{name: OTHER.get(name, True)})
    if name == "path" and place == "fdma":
        return  # the choice itself: manual is the other value
    acts = counted(place, changed) != counted(place, Options())
    assert acts == (place in ACTS[name])
    assert changed.idle(place) == (() if acts else (name,))


def test_idle_options_of_a_board() -> None:
    everything = Options().patched(*PATCHES)
    board = Board(everything)
    assert board.idle_options == ("late_skb", "rx_checksum_offload")
    board.options = replace(everything, path="fdma")
    assert board.idle_options == ("check_fifo_first", "rx_checksum_offload")
    assert Options().idle("ravb") == ()
    with pytest.raises(ValueError, match="place is 'dma': choose one of 'manual', 'fdma', 'bcm4908', 'ravb'"):
        Options().idle("dma")


def test_the_table_in_the_docstring_is_the_table() -> None:
    rows = [line.split() for line in (options.__doc__ or "").splitlines()]
    for name, places in ACTS.items():
        [row] = [row for row in rows if row[:1] == [name]]
        assert [cell == "yes" for cell in row[-2:]] == [place in places for place in PLACES[2:]]
        if name != "path":
            assert set(row[1:-2]) - {".", "and"} == places & {"manual", "fdma"}


def test_examples() -> None:
    assert doctest.testmod(options).failed == 0

"""Recorded traffic, played to the modelled chip: the headers that it writes for the CPU."""

import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lan966x_lab import ifh
from lan966x_lab.driver.board import Board
from lan966x_lab.driver.manual_rx import FrameReader
from lan966x_lab.hw import wires
from lan966x_lab.net.captures import Capture

__all__ = ["extraction_headers"]

NBYTES = ifh.LAN966X.rx.nbytes


def extraction_headers(traffic: Mapping[int, Capture]) -> NDArray[np.uint8]:
    """The header of every frame, as the CPU reads it, in the order of reading: a uint8 array (N, 28).

    Each capture arrives at a port of its own (0 to 7), with the times between its frames as recorded; all of
    them begin at once. The CPU reads every frame word by word. A frame that comes when the chip's memory is
    full is lost, and has no header.
    """
    board = Board()
    clock, door = board.clock, board.chip.door
    start_ns = clock.now_ns
    for port, capture in traffic.items():
        end = wires.Capture(clock)
        wires.Wire(clock, end, board.chip.ports[port])
        for time_ns, frame in zip(capture.times_ns, capture.frames, strict=True):
            end.send(frame, start_ns + time_ns - capture.times_ns[0])
    headers = bytearray()
    while (due_ns := clock.next_ns) is not None:
        clock.run_until(due_ns)
        while door.read("QS_XTR_DATA_PRESENT"):
            reader = FrameReader(door, "QS_XTR_RD[0]")
            headers += struct.pack("<7I", *reader.words(NBYTES // 4))
            reader.skip()
    return np.frombuffer(bytes(headers), np.uint8).reshape(-1, NBYTES)

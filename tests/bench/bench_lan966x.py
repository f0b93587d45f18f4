"""Time the LAN966x model: frames through transmit and receive on the manual path, with counting on.

Targets: 3000 full-size frames per second and core; the time grows with the number of frames and nothing else;
memory does not grow over a million frames.
"""

import sys
from time import process_time

from lan966x_lab.driver import Board, Options
from lan966x_lab.measure.timed import timing

PATCHED = Options().patched("000/1", "000/2 v2", "001", "002")
TARGET = 3000


def rate(length: int, options: Options, frames: int) -> float:
    """Frames per second of processor time, from port 0 to port 1 of one board."""
    board = Board(options, keep=False)
    board.wire(0, 1)
    start = process_time()
    board.carry([bytes(length)] * frames)
    seconds = process_time() - start
    board.ledger.check_settled()
    assert board.ledger.count("rx", "delivered") == frames
    return frames / seconds


def speed() -> None:
    """Both option sets, small and full-size frames, and twice as many of the latter."""
    print(f"{'frame':>6}  {'patches':<8}{'frames':>8}  frames per second of processor time")
    for length, frames in ((64, 5000), (1514, 5000), (1514, 20_000)):
        for name, options in (("none", Options()), ("000-002", PATCHED)):
            result = rate(length, options, frames)
            verdict = (
                f" (target {TARGET}: {'met' if result >= TARGET else 'MISSED'})" if length == 1514 else ""
            )
            print(f"{length:>6}  {name:<8}{frames:>8}  {result:>6.0f}{verdict}")
    print(timing.machine())


def memory() -> None:
    """Blocks of memory in use, every 100 000 frames."""
    board = Board(PATCHED, keep=False)
    board.wire(0, 1)
    frames = [bytes(64)] * 1000
    board.carry(frames)
    start = sys.getallocatedblocks()
    print("\nmemory blocks more than after the first 1000 frames:")
    for hundred_thousands in range(1, 11):
        for _ in range(100):
            board.carry(frames)
        print(f"{hundred_thousands * 100_000:>9} frames  {sys.getallocatedblocks() - start:>6}", flush=True)


if __name__ == "__main__":
    speed()
    memory()

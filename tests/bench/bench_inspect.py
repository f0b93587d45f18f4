"""``lan966x-lab inspect`` on 100 000 frames of 1514 bytes, once, start to end."""

import contextlib
import os
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from lan966x_lab import data_path
from lan966x_lab.cli import main
from lan966x_lab.net import captures

FRAMES = 100_000


def run() -> None:
    """Make the file, inspect it in both forms, print the seconds."""
    recorded = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames
    full = [frame for frame in recorded if len(frame) == 1514]
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w", encoding="utf-8") as nowhere:
        path = Path(folder, "large.pcap")
        captures.write(path, list(islice(cycle(full), FRAMES)), range(FRAMES))
        print(f"{FRAMES} frames of 1514 bytes, {path.stat().st_size / 1e6:.0f} MB")
        for options in ([], ["--json"]):
            start = time.perf_counter()
            with contextlib.redirect_stdout(nowhere):
                main(["inspect", str(path), *options])
            taken = time.perf_counter() - start
            print(f"inspect {' '.join(options):<7} {taken:5.1f} s  {taken / FRAMES * 1e6:5.1f} µs per frame")


if __name__ == "__main__":
    run()

"""``import lan966x_lab`` beside ``import numpy``, each in a new Python. Target: at most 1.3 times as long."""

import subprocess
import sys
from functools import partial

from aims import judge

from lan966x_lab.measure.timed.timing import compare

MODULES = ("numpy", "lan966x_lab", "lan966x_lab.ifh", "lan966x_lab.net.frames")


def start(module: str) -> None:
    """A Python that imports the module and ends."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def main() -> None:
    """Print the table; the start of Python itself is in every row."""
    timings = compare({module: partial(start, module) for module in MODULES}, rounds=15, min_time_ns=1)
    print(timings.table(to="numpy"))
    for module in MODULES[1:]:
        judge(f"import {module} over import numpy", timings.ratio(module, "numpy"), at_most=1.3)


if __name__ == "__main__":
    main()

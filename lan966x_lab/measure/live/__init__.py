"""The live wire: real programs on two hosts, and the lab's driver and switch between them (Linux only).

`measure` runs a `Plan` (iperf3 with the patches off and on in turns, ping, ptp4l) and returns a `Recording`;
`recordings` reads those that come with the lab, for everyone else. `missing` says what this computer lacks.

``plan`` what to run; ``run`` starts it, ``worker`` is the process in which it happens; ``hosts`` the two
namespaces; ``relay`` every frame's way; ``express`` the board with a lane for plain frames.

The evidence is of the kind *timed here*; the work that was *counted* stands beside it. What makes a stream
slow is said in ``relay``.
"""

from lan966x_lab.measure.live.plan import EVERYTHING, Plan, thread_path
from lan966x_lab.measure.live.recording import Comparison, Recording, Side, load, recordings
from lan966x_lab.measure.live.run import measure
from lan966x_lab.measure.live.tools import MissingError, WireError, missing

__all__ = [
    "EVERYTHING",
    "Comparison",
    "MissingError",
    "Plan",
    "Recording",
    "Side",
    "WireError",
    "load",
    "measure",
    "missing",
    "recordings",
    "thread_path",
]

"""Where numbers come from: reported, computed from what is reported, counted, timed here.

*Reported*
    ``claims`` and ``verdict`` (what the mails say, and whether it adds up), ``profiles``, ``linerate``,
    ``interval``, ``tables``.
*Computed* from reported figures: ``model``
    ``costmodel``, ``costpaths``, ``feasible`` (what a frame costs on each path, as bands), ``twofigures``
    (seed 002's two rows); beside counts: ``datapath`` (one path, one frame size), ``ranking`` (three
    workloads).
*Counted*: ``counted``
    ``work`` (frames through the driver), ``trace`` and ``oracle`` (a header function, line by line),
    ``header_work``, ``header_ways``, ``header_gain``, ``instructions`` (seeds 000 and 002), ``rxtime``,
    ``tod``, ``replay`` (the clock), ``fifo``, ``timeout`` (seed 001), ``policies``, ``cache``,
    ``ringscript``, ``ringsim`` (seed 003), ``offload`` (seed 004), ``sixth`` (a patch to review).
*Timed here*: ``timed``, ``live``
    ``timing``, ``cold``, ``summing``; real iperf3, ping and ptp4l through the lab's driver.
"""

from lan966x_lab.measure import claims, interval, linerate, profiles
from lan966x_lab.measure.counted import ringsim, trace, work
from lan966x_lab.measure.timed import timing

__all__ = ["claims", "interval", "linerate", "profiles", "ringsim", "timing", "trace", "work"]

"""Where numbers come from: reported, computed from what is reported, counted, timed here.

*Reported*
    ``claims`` and ``verdict`` (what the mails say, and whether it adds up), ``profiles``, ``linerate``,
    ``interval``, ``tables``.
*Computed* from reported figures
    ``costmodel``, ``costpaths``, ``feasible`` (what a frame costs on each path, as bands); ``twofigures``
    (seed 002's two rows).
*Several of these side by side*
    ``datapath`` (one path, one frame size), ``ranking`` (the patches, three workloads), ``sixth`` (a patch to
    review).
*Counted*
    ``work`` (frames through the driver), ``trace`` and ``oracle`` (a header function, line by line),
    ``header_work``, ``header_ways``, ``header_gain``, ``instructions`` (seeds 000 and 002), ``rxtime``,
    ``tod``, ``replay`` (the clock), ``fifo``, ``timeout`` (seed 001), ``policies``, ``cache``,
    ``ringscript``, ``ringsim`` (seed 003), ``offload`` (seed 004).
*Timed here*
    ``timing``, ``cold``, ``summing``; ``live`` (real iperf3, ping and ptp4l through the lab's driver).
"""

from lan966x_lab.measure import claims, interval, linerate, profiles, ringsim, timing, trace, work

__all__ = ["claims", "interval", "linerate", "profiles", "ringsim", "timing", "trace", "work"]

"""Published claims, counted work, timing.

``claims``, ``profiles``
    What the mails report, and what becomes of it when it is recomputed (*reported*).
``linerate``, ``interval``
    The arithmetic for it: what a link can carry, what a rounded figure leaves open.
``trace``
    A header function run line by line: bytes loaded, bytes stored, bits tested (*counted*).
``work``
    Frames sent and received by the driver: register accesses, clock reads, header bytes, copies (*counted*).
``ringsim``
    A receive ring under load: drops, polls, interrupts, waiting time (*counted*, in virtual time).
``live``
    Real streams (iperf3, ping, ptp4l) through the lab's driver on Linux, and recordings of them (*timed here*).
``timing``
    Several ways of doing one thing, timed side by side (*timed here*).
"""

from lan966x_lab.measure import claims, interval, linerate, profiles, ringsim, timing, trace, work

__all__ = ["claims", "interval", "linerate", "profiles", "ringsim", "timing", "trace", "work"]

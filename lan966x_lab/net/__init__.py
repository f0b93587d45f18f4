"""Frames, Internet checksums, PTP messages, capture files.

``checksum``
    The Internet checksum: one sum, many ways to add it up.
``ptp``
    Which frames are PTP event messages, and what a PTP message says.
``frames``
    Take a frame apart, or put one together.
``parse``, ``build``, ``headers``
    What stands behind ``frames``: one way, the other way, and the headers as values.
``verdicts``
    Which checksums of a frame are right, as a receiver would say.
``captures``
    Frames out of pcap and pcapng files, and into pcap.
``report``
    What ``lan966x-lab inspect`` prints.
``batch``
    Many frames as one array.
"""

from importlib import import_module
from types import ModuleType

__all__ = [
    "batch",
    "build",
    "captures",
    "checksum",
    "frames",
    "headers",
    "parse",
    "ptp",
    "report",
    "verdicts",
]


def __getattr__(name: str) -> ModuleType:
    """A module, imported when it is first used: the capture library alone takes longer than all the rest."""
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

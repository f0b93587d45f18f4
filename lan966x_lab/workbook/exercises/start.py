"""The exercise of notebook 00: from the header's LEN to the bytes that the stack gets."""

from lan966x_lab import ifh
from lan966x_lab.hw.fcs import FCS_LEN

from ..checks import Check, Step

_RX = ifh.LAN966X.rx


def _step(length: int, *, edge: bool = False, **others: int) -> Step:
    header = _RX.encode({"LEN": length, **others})
    stated = ", ".join(f"{name} = {value}" for name, value in {"LEN": length, **others}.items())
    return Step(
        length - FCS_LEN,
        (header,),
        did=f"stack_bytes of a header with {stated}",
        edge=edge,
        mistakes=[
            (length, "this is LEN, and LEN counts the FCS; the stack does not want it."),
            (length - FCS_LEN - _RX.nbytes, "LEN does not count the IFH, so leave its 28 bytes alone."),
            (length - FCS_LEN + _RX.nbytes, "the stack does not want the IFH either."),
            (60, "the length is in the header; it is not the same for every frame."),
        ],
    )


stack_bytes_check = Check(
    "stack_bytes",
    [
        _step(64),
        _step(1518, SRCPORT=3, TIMESTAMP=4_054_144),
        _step(5096, SRCPORT=7, edge=True),
    ],
    hint="Return how many bytes of the frame the stack gets.",
)

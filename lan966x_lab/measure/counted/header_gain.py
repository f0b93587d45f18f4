"""What leaving the general routine saved, as the mails of seed 000 report it, and what our counts make of it.

Three tests of the claim. What did one field cost on transmit, and what on receive? What is a line worth, if
the second version of the patch, which changed nothing but the set function, sets the price? And how long must
each machine instruction that was saved have taken? Whoever receives a TCP stream also sends, so the first of
them has to count the acknowledgements.
"""

from dataclasses import dataclass
from typing import NamedTuple

from lan966x_lab.measure import claims, linerate
from lan966x_lab.measure.counted import header_work, instructions

__all__ = ["Price", "Step", "Way", "ack_gain_mbit", "price", "steps", "ways"]

LOOP, SHIFT = "published bit loop (v1)", "published byte shift (v2)"

#: What reception reads at the speed of the claims; LEN is read on the slow manual path only.
READ_BY_DMA = ("SRCPORT", "TIMESTAMP")


@dataclass(frozen=True)
class Way:
    """One direction: how many fields and bits of a header, and what v1 saved per frame."""

    name: str
    fields: int
    bits: int
    saved_ns: int

    @property
    def per_field_ns(self) -> int:
        """Time saved for each field, in ns."""
        return round(self.saved_ns / self.fields)

    def per_field_cycles(self, clock_mhz: int) -> int:
        """The same in processor cycles, at a clock that you assume: the mails name none."""
        return round(self.saved_ns / self.fields * clock_mhz / 1000)


class Price(NamedTuple):
    """What v2 saved beyond v1, per frame: ``ns`` of time and ``lines`` of our count."""

    ns: int
    lines: int

    def of(self, lines: int) -> float:
        """Time in ns that this many lines take at that price."""
        return self.ns / self.lines * lines


class Step(NamedTuple):
    """One change of the header code: the ``ns`` it saved by the claims, the ``instructions`` by count."""

    name: str
    ns: int
    instructions: int  # negative if there are more than before

    def cycles_each(self, clock_mhz: int) -> float:
        """Cycles for each instruction saved, at a clock that you assume; negative if none was saved."""
        return self.ns * clock_mhz / 1000 / self.instructions


def steps(compiler: str, arch: str) -> list[Step]:
    """The steps of the patch in instructions of this compiler and processor (``counted.instructions``)."""

    def count(form: str, args: str, job: str) -> int:
        return instructions.find(compiler, arch, form, args, job).executed

    out_of_line = {form: count(form, "run_time", "TX5") for form in ("packing", "bit_loop", "byte_shift_v2")}
    sent, received = (way.saved_ns for way in ways())
    read = count("packing", "run_time", "RX2") - count("bit_loop", "run_time", "RX2")
    routine, loop, shift = out_of_line.values()
    return [
        Step("transmit: general routine to v1", sent, routine - loop),
        Step("the same, v1 inlined with constants", sent, routine - count("bit_loop", "constant", "TX5")),
        Step("the same, nothing in its place", sent, routine),
        Step("transmit: v1 to v2", price().ns, loop - shift),
        Step("receive: general routine to v1", received, read),
    ]


def ways() -> list[Way]:
    """Transmit and receive, from the claims 000-tx-v1, 000-rx and 000-rx-packing."""
    sent, received, more = (claims.get(f"000-{name}") for name in ("tx-v1", "rx", "rx-packing"))
    rate = received.figure("after")
    was, now = (
        linerate.frame_ns(mbit, received.payload)
        for mbit in (rate, rate + int(more.stated.removeprefix("~")))
    )
    set_bits = header_work.count_sets()[LOOP].bit_tests
    read_bits = header_work.count_reads(READ_BY_DMA)[LOOP].bit_tests
    return [
        Way("transmit", len(header_work.TCP), set_bits, sent.saved_ns()),
        Way("receive", len(READ_BY_DMA), read_bits, round(was - now)),
    ]


def ack_gain_mbit(frames: int) -> float:
    """What acknowledgements alone would add to the rate of reception (000-rx), in Mbit/s.

    A frame that is sent is taken to save what 000-tx-v1 says, and one acknowledgement to go out for so many
    `frames` received.

    Raises:
        ValueError: fewer than one frame.
    """
    if frames < 1:
        raise ValueError(f"{frames} frames for each acknowledgement: give 1 or more")
    sent, received = claims.get("000-tx-v1"), claims.get("000-rx")
    rate = float(received.figure("after"))
    bits = 8 * received.payload
    return bits / (bits / rate - sent.saved_ns() / 1000 / frames) - rate


def price() -> Price:
    """The difference between v1 and v2, from the claims 000-tx-v1 and 000-tx-v2 and the lines counted."""
    counts = header_work.count_sets()
    saved = claims.get("000-tx-v2").saved_ns() - claims.get("000-tx-v1").saved_ns()
    return Price(saved, counts[LOOP].lines - counts[SHIFT].lines)

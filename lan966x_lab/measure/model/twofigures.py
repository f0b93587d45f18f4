"""One patch measured at two frame sizes: which saving per frame do both printed rows allow?

The model is a straight line. A frame with ``L`` bytes of payload takes ``T = F + b * L``, and the patch saves
``d`` of it, the same for every size: so one expects it of work on a header, which does not know what follows
it. A printed figure is rounded, so it stands for an interval of times. A saving is possible for a row when
the interval without the patch, moved down by ``d``, meets the interval with it; for two rows, when it is
possible for both.
"""

from dataclasses import dataclass
from fractions import Fraction

from lan966x_lab.measure.claims import Claim
from lan966x_lab.measure.interval import Bound, Interval
from lan966x_lab.measure.linerate import frame_ns

__all__ = ["Row", "TwoRows"]


@dataclass(frozen=True)
class Row:
    """What one printed row allows: the time per frame without and with the patch, in ns."""

    payload: int  # bytes
    before: Interval
    after: Interval

    @classmethod
    def of(cls, claim: Claim) -> "Row":
        """The row of a measured goodput.

        Raises:
            ValueError: the claim is no goodput in Mbit/s.
        """
        claim.saved_ns()  # refuses other units
        at_1_mbit = Interval(*2 * (frame_ns(1, claim.payload),))
        before, after = (at_1_mbit / claim.interval(side) for side in ("before", "after"))
        return cls(claim.payload, before, after)

    def exchanged(self) -> "Row":
        """The same two figures with their labels exchanged."""
        return Row(self.payload, self.after, self.before)

    @property
    def saving(self) -> Interval:
        """Every saving per frame that this row allows, in ns; negative where a frame takes longer."""
        return self.before - self.after

    def gain_percent(self, saving: Interval) -> Interval:
        """How much goodput rises, in percent, if the saving lies in ``saving`` (in ns, within this row's)."""
        gains = [100 * d / after for d in (saving.low, saving.high) for after in self._after(d)]
        return Interval(min(gains), max(gains))

    def _after(self, saving: Bound) -> tuple[Bound, Bound]:
        """The shortest and the longest time with the patch that go with this saving."""
        return max(self.after.low, self.before.low - saving), min(self.after.high, self.before.high - saving)

    def share_percent(self, saving: Interval) -> Interval:
        """The same saving in percent of the frame's time without the patch."""
        gain = self.gain_percent(saving)  # d / after; now d / (after + d)
        return Interval(*(100 * g / (100 + g) for g in (gain.low, gain.high)))


@dataclass(frozen=True)
class TwoRows:
    """Two rows about one patch, of different payloads."""

    big: Row
    small: Row

    def exchanged(self) -> "TwoRows":
        """The labels of the small row exchanged."""
        return TwoRows(self.big, self.small.exchanged())

    @property
    def common(self) -> Interval | None:
        """Every saving per frame that both rows allow, in ns; None when there is none."""
        one, other = self.big.saving, self.small.saving
        return Interval(max(one.low, other.low), min(one.high, other.high)) if one.meets(other) else None

    def per_byte(self, side: str) -> Interval:
        """``b`` of the line through the two times ``"before"`` or ``"after"``, in ns per byte of payload."""
        big, small = self._times(side)
        return (big - small).scaled(Fraction(1, self.big.payload - self.small.payload))

    def per_frame(self, side: str) -> Interval:
        """``F`` of that line, in ns: what a frame without payload would take."""
        big, small = self._times(side)
        apart = self.big.payload - self.small.payload
        return small.scaled(Fraction(self.big.payload, apart)) - big.scaled(
            Fraction(self.small.payload, apart)
        )

    def _times(self, side: str) -> tuple[Interval, Interval]:
        times: dict[str, tuple[Interval, Interval]] = {
            "before": (self.big.before, self.small.before),
            "after": (self.big.after, self.small.after),
        }
        return times[side]

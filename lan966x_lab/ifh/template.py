"""A header prepared once: what never changes is encoded at set-up, what varies is stamped per frame.

The idea of seed 002 (``net: ocelot: pre-compute injection frame header content``): most of a header is fixed
for a port, so copy it and change only what differs.
"""

from lan966x_lab.ifh.layout import Layout

__all__ = ["Template"]

_NOWHERE = (0, -1, 0)  # the place of an unknown field, where no value fits


class Template:
    """A header with some fields already in place.

    ``template.stamp(**varying)`` is always ``layout.encode({**fixed, **varying})``, and raises what that
    raises. So a varying field may replace a fixed one, for this one header.

    >>> from lan966x_lab.ifh import LAN966X
    >>> port1 = Template(LAN966X.tx, BYPASS=1, DSTS=1 << 1)
    >>> port1.stamp(QOS_CLASS=3, IPV=3) == LAN966X.tx.encode(BYPASS=1, DSTS=1 << 1, QOS_CLASS=3, IPV=3)
    True
    """

    def __init__(self, layout: Layout, **fixed: int) -> None:
        self.layout = layout
        self.fixed = fixed
        self.header = layout.encode(fixed)
        self._number = int.from_bytes(self.header, "big")
        everything = (1 << 8 * layout.nbytes) - 1
        self._places = {
            field.name: (field.pos, field.maximum, everything ^ field.mask) for field in layout.fields
        }

    def stamp(self, **varying: int) -> bytes:
        """The prepared header with the varying fields in place: bits of one big integer, then bytes once.

        Raises:
            UnknownFieldError, FieldRangeError, FieldOverlapError, TypeError: as ``Layout.encode``.
        """
        if not varying:
            return self.header
        number, places = self._number, self._places
        for name, value in varying.items():
            pos, maximum, others = places.get(name, _NOWHERE)
            if type(value) is not int or not 0 <= value <= maximum:
                # No plain integer that fits: encode takes it all the same, or says what is wrong.
                return self.layout.encode(self.fixed | varying)
            number = number & others | value << pos
        if self.layout.overlaps:
            self.layout.check_overlaps(self.fixed | varying)
        return number.to_bytes(self.layout.nbytes, "big")

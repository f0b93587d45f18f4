"""A header prepared once: what never changes is encoded at set-up, what varies is stamped per frame.

The idea of seed 002 (``net: ocelot: pre-compute injection frame header content``): most of a header is fixed
for a port, so copy it and change only what differs.
"""

from lan966x_lab.ifh.codecs import CODECS
from lan966x_lab.ifh.layout import Layout

__all__ = ["Template"]


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

    def stamp(self, **varying: int) -> bytes:
        """The prepared header with the varying fields in place. A field that is already right costs no write.

        Raises:
            UnknownFieldError, FieldRangeError, FieldOverlapError, TypeError: as ``Layout.encode``.
        """
        if not varying:
            return self.header
        header = bytearray(self.header)
        for name, value in varying.items():
            field = self.layout[name]
            if field.check(value) != self.fixed.get(name, 0):
                CODECS["byte_shift"].set(header, field, value)
        if self.layout.overlaps:
            self.layout.check_overlaps(self.fixed | varying)
        return bytes(header)

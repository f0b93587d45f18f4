"""The inter-frame header (IFH): what the switch and the CPU tell each other in front of every frame.

A header is one big-endian integer; bit 0 is its least significant bit; a field is a name, the position of its
lowest bit, and a width. The same bits can mean different things on injection (``tx``) and on extraction
(``rx``), so there is a layout for each.

>>> header = LAN966X.tx.encode(BYPASS=1, DSTS=1 << 1, QOS_CLASS=3, IPV=3)
>>> header.hex(" ", 4)
'00000000 80000000 00000000 00000030 00000000 81800000 00000000'
>>> LAN966X.tx.decode(header, ["DSTS", "IPV"])
{'DSTS': 2, 'IPV': 3}
"""

from typing import NamedTuple

from lan966x_lab.ifh import lan966x, ocelot, packing
from lan966x_lab.ifh.codecs import CODECS, Codec
from lan966x_lab.ifh.errors import FieldOverlapError, FieldRangeError, HeaderSizeError, UnknownFieldError
from lan966x_lab.ifh.fields import Field
from lan966x_lab.ifh.hexdigits import from_hex
from lan966x_lab.ifh.layout import Layout
from lan966x_lab.ifh.meaning import meaning
from lan966x_lab.ifh.published import PUBLISHED
from lan966x_lab.ifh.template import Template

__all__ = [
    "CODECS",
    "LAN966X",
    "OCELOT",
    "PUBLISHED",
    "Chip",
    "Codec",
    "Field",
    "FieldOverlapError",
    "FieldRangeError",
    "HeaderSizeError",
    "Layout",
    "Template",
    "UnknownFieldError",
    "from_hex",
    "meaning",
    "packing",
]


class Chip(NamedTuple):
    """The two layouts of a switch chip: ``tx`` for injection, ``rx`` for extraction."""

    tx: Layout
    rx: Layout


LAN966X = Chip(lan966x.TX, lan966x.RX)
OCELOT = Chip(ocelot.TX, ocelot.RX)

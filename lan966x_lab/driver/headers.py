"""The injection and extraction headers, with and without patches (seeds 000 2/2 and 002).

The header lies in a `CountedHeader`, so that what a codec or a template saves is counted byte by byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lan966x_lab import ifh
from lan966x_lab.driver.options import Options

TX, RX = ifh.LAN966X.tx, ifh.LAN966X.rx
IFH_LEN_BYTES = TX.nbytes


class CountedHeader(bytearray):
    """A header that counts the bytes loaded from it and stored into it, one by one or in a slice."""

    loads = 0
    stores = 0

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        self.loads += len(value) if isinstance(key, slice) else 1
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        self.stores += len(value) if isinstance(key, slice) else 1
        super().__setitem__(key, value)

    def __bytes__(self) -> bytes:
        self.loads += len(self)
        return self.uncounted()

    def uncounted(self) -> bytes:
        """The bytes as they are, for whoever looks from outside."""
        return bytes(memoryview(self))


def build(options: Options, template: ifh.Template, values: Mapping[str, int]) -> CountedHeader:
    """The injection header of one frame: `values`, which include the fixed ones of the port's `template`."""
    if options.ifh_template:
        return _from_template(template, values)
    return _field_by_field(options.ifh_codec, values)


def _field_by_field(codec: str, values: Mapping[str, int]) -> CountedHeader:
    """Zero the header, then set every field."""
    header = CountedHeader(IFH_LEN_BYTES)
    header.stores += IFH_LEN_BYTES
    for name, value in values.items():
        ifh.CODECS[codec].set(header, TX[name], value)
    return header


def _from_template(template: ifh.Template, values: Mapping[str, int]) -> CountedHeader:
    """Copy the header that was prepared for the port, then set the fields that differ from it."""
    header = CountedHeader(template.header)
    header.loads += IFH_LEN_BYTES
    header.stores += IFH_LEN_BYTES
    for name, value in values.items():
        if value != template.fixed.get(name, 0):
            ifh.CODECS["byte_shift"].set(header, TX[name], value)
    return header


def read(options: Options, header: CountedHeader) -> tuple[int, int, int]:
    """SRCPORT, LEN and TIMESTAMP of an extraction header."""
    get = ifh.CODECS[options.ifh_codec].get
    return get(header, RX["SRCPORT"]), get(header, RX["LEN"]), get(header, RX["TIMESTAMP"])

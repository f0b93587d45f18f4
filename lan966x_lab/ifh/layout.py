"""A header layout: how many bytes, which fields, and the way from values to bytes and back."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lan966x_lab.ifh import batch, ruler
from lan966x_lab.ifh.arguments import AnyBuffer, readable
from lan966x_lab.ifh.codecs import CODECS, Codec
from lan966x_lab.ifh.errors import FieldOverlapError, HeaderSizeError, UnknownFieldError
from lan966x_lab.ifh.fields import Field, disagreement

__all__ = ["Layout"]


class Layout:
    """The fields of one kind of header in one direction.

    A layout is a fixed table: ``layout["DSTS"]`` is a field, ``"DSTS" in layout`` asks for one, iteration
    gives the names, most significant field first. Fields share bits where the same bits have two readings.
    ``overlaps`` lists the pairs that do.
    """

    def __init__(self, name: str, nbytes: int, fields: Iterable[Field]) -> None:
        self.name = name
        self.nbytes = nbytes
        self.fields: tuple[Field, ...] = tuple(sorted(fields, key=lambda field: (-field.top, -field.pos)))
        self._by_name = {field.name: field for field in self.fields}
        if nbytes % 4 or len(self._by_name) < len(self.fields):
            raise ValueError(
                f"{name}: {nbytes} bytes, fields {[field.name for field in self.fields]}. "
                "Give a multiple of four bytes (headers move as 32-bit words) and every field its own name."
            )
        for field in self.fields:
            if len(field.bytes_in(nbytes)) > 8:
                raise ValueError(f"{name}: {field.name} touches more than 8 bytes. Split it into two fields.")
        self.overlaps = tuple((a, b) for a, b in combinations(self.fields, 2) if a.overlaps(b))

    def __repr__(self) -> str:
        return f"<Layout {self.name}: {len(self.fields)} fields in {self.nbytes} bytes>"

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Field:
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownFieldError(self.name, name, self) from None

    def owners(self, bit: int) -> tuple[Field, ...]:
        """The fields that own a bit of the header: one, none (the bit is reserved), or two readings of it."""
        return tuple(field for field in self.fields if field.pos <= bit <= field.top)

    def encode(
        self, values: Mapping[str, int] | None = None, /, *, codec: str = "byte_shift", **fields: int
    ) -> bytes:
        """A header with the given values; every other bit is 0.

        Values come as a mapping, as keywords, or both (a keyword then replaces the mapping's value). Fields
        that share bits may be given together only when they agree about those bits: what ``decode`` returns
        can always be encoded. A contradiction is refused, also of a 0 with a 1 (Ocelot: MASQ=1, REW_MAC=0):
        no header decodes to both values. Leave out the reading that BYPASS does not select.

        Raises:
            UnknownFieldError: no such field; the message has the nearest name.
            FieldRangeError: a value does not fit its field.
            FieldOverlapError: two values disagree about a bit that their fields share.
            TypeError: a value is not an integer.
            ValueError: no such codec.
        """
        how = _codec(codec)
        given = dict(values or {}, **fields)
        header = bytearray(self.nbytes)
        for name, value in given.items():
            how.set(header, self[name], value)
        self.check_overlaps(given)
        return bytes(header)

    def decode(
        self, header: AnyBuffer, names: Iterable[str] | None = None, *, codec: str = "byte_shift"
    ) -> dict[str, int]:
        """The values of the named fields (of all fields when ``names`` is None) of one header.

        Where fields share bits, each gives its own reading of them.

        Raises:
            HeaderSizeError: the header has not exactly ``nbytes`` bytes.
            UnknownFieldError: no such field; the message has the nearest name.
            TypeError: the header is no buffer.
            ValueError: no such codec.
        """
        how = _codec(codec)
        octets = readable(header)
        if len(octets) != self.nbytes:
            raise HeaderSizeError(
                f"{self.name} headers have {self.nbytes} bytes and this one has {len(octets)}. "
                "Cut out the header, or choose the layout that it belongs to."
            )
        return {name: how.get(octets, self[name]) for name in (self if names is None else names)}

    def encode_batch(
        self, columns: Mapping[str, ArrayLike], out: NDArray[np.uint8] | None = None
    ) -> NDArray[np.uint8]:
        """Many headers at once: a uint8 array (N, ``nbytes``); see ``batch.encode``."""
        return batch.encode(self, columns, out)

    def decode_batch(
        self, headers: NDArray[np.uint8], names: Iterable[str] | None = None
    ) -> dict[str, NDArray[Any]]:
        """The fields of many headers at once, as columns; see ``batch.decode``."""
        return batch.decode(self, headers, names)

    def ruler(self, header: AnyBuffer | None = None) -> str:
        """The layout drawn as an ASCII bit ruler, with the bits of ``header`` when it is given."""
        return ruler.draw(self, header)

    def check_overlaps(self, given: Mapping[str, int]) -> None:
        """Refuse values that disagree about a bit that their fields share.

        Raises:
            FieldOverlapError: they do.
        """
        for a, b in self.overlaps:
            if a.name in given and b.name in given:
                left, right = given[a.name], given[b.name]
                if disagreement(a, left, b, right):
                    raise FieldOverlapError(
                        f"{a.name} = {left} (bits {a.top}..{a.pos}) and {b.name} = {right} (bits {b.top}.."
                        f"{b.pos}) disagree about the bits that they share. Give one of the two."
                    )


def _codec(name: str) -> Codec:
    if name not in CODECS:
        raise ValueError(f"There is no codec {name!r}. Choose one of {', '.join(CODECS)}.")
    return CODECS[name]

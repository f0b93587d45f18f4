"""A header layout: how many bytes, which fields, and the way from values to bytes and back."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from lan966x_lab.ifh.codecs import CODECS, Codec
from lan966x_lab.ifh.errors import FieldOverlapError, HeaderSizeError, UnknownFieldError
from lan966x_lab.ifh.fields import Field

__all__ = ["Layout"]


class Layout:
    """The fields of one kind of header in one direction.

    A layout is a fixed table: ``layout["DSTS"]`` is a field, ``"DSTS" in layout`` asks for one, iteration
    gives the names, most significant field first. Fields may share bits where the same bits have two readings.
    """

    def __init__(self, name: str, nbytes: int, fields: Iterable[Field]) -> None:
        self.name = name
        self.nbytes = nbytes
        self.fields: tuple[Field, ...] = tuple(sorted(fields, key=lambda field: (-field.top, -field.pos)))
        self._by_name = {field.name: field for field in self.fields}
        if len(self._by_name) < len(self.fields):
            raise ValueError(f"{name} names a field twice. Give every field a name of its own.")
        for field in self.fields:
            field.bytes_in(nbytes)
        #: Pairs of fields that share bits.
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
        can always be encoded, a contradiction is refused.

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
        for pair in self.overlaps:
            if all(field.name in given for field in pair):
                self._refuse_contradiction(given, header, pair, how)
        return bytes(header)

    def decode(
        self,
        header: bytes | bytearray | memoryview,
        names: Iterable[str] | None = None,
        *,
        codec: str = "byte_shift",
    ) -> dict[str, int]:
        """The values of the named fields (of all fields when ``names`` is None) of one header.

        Where fields share bits, each gives its own reading of them.

        Raises:
            HeaderSizeError: the header has not exactly ``nbytes`` bytes.
            UnknownFieldError: no such field; the message has the nearest name.
            ValueError: no such codec.
        """
        how = _codec(codec)
        octets = memoryview(header).tobytes()
        if len(octets) != self.nbytes:
            raise HeaderSizeError(
                f"{self.name} headers have {self.nbytes} bytes and this one has {len(octets)}. "
                "Cut out the header, or choose the layout that it belongs to."
            )
        return {name: how.get(octets, self[name]) for name in (self if names is None else names)}

    @staticmethod
    def _refuse_contradiction(
        given: Mapping[str, int], header: bytearray, pair: tuple[Field, Field], how: Codec
    ) -> None:
        if any(how.get(header, field) != given[field.name] for field in pair):
            a, b = pair
            raise FieldOverlapError(
                f"{a.name} = {given[a.name]} (bits {a.top}..{a.pos}) and {b.name} = {given[b.name]} "
                f"(bits {b.top}..{b.pos}) disagree about the bits that they share. Give one of the two."
            )


def _codec(name: str) -> Codec:
    if name not in CODECS:
        raise ValueError(f"There is no codec {name!r}. Choose one of {', '.join(CODECS)}.")
    return CODECS[name]

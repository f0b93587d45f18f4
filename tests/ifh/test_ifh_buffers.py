"""A header in any kind of buffer: the same numbers as in plain bytes, or a refusal that says what to do."""

import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.ifh import packing

TX, RX = ifh.LAN966X
ALL = {**ifh.CODECS, **ifh.PUBLISHED}
FIELDS = [TX["DSTS"], TX["TIMESTAMP"], RX["LEN"], TX["IPV"]]


def spaced(header):
    """The header in every third byte of an array: a view with gaps."""
    room = np.zeros(3 * len(header), np.uint8)
    room[::3] = np.frombuffer(header, np.uint8)
    return room[::3]


WRITABLE = {
    "bytearray": bytearray,
    "memoryview": lambda header: memoryview(bytearray(header)),
    "memoryview of words": lambda header: memoryview(bytearray(header)).cast("I"),
    "memoryview of signed bytes": lambda header: memoryview(bytearray(header)).cast("b"),
    "memoryview backwards": lambda header: memoryview(bytearray(header[::-1]))[::-1],
    "array": lambda header: array.array("H", bytes(header)),
    "numpy bytes": lambda header: np.frombuffer(bytearray(header), np.uint8),
    "numpy words": lambda header: np.frombuffer(bytearray(header), np.uint32),
    "numpy table": lambda header: np.frombuffer(bytearray(header), np.uint8).reshape(7, 4),
    "numpy with gaps": spaced,
}
READABLE = WRITABLE | {
    "bytes": bytes,
    "read-only memoryview": memoryview,
    "numpy words with gaps": lambda header: np.repeat(np.frombuffer(header, np.uint32), 2)[::2],
}


def content(buffer):
    return memoryview(buffer).tobytes()


@pytest.mark.parametrize("kind", READABLE)
@given(header=st.binary(min_size=28, max_size=28))
def test_reading_from_any_buffer(kind, header):
    buffer = READABLE[kind](header)
    for field in FIELDS:
        for name, codec in ALL.items():
            found = codec.get(buffer, field)
            assert type(found) is int, name
            assert found == codec.get(header, field), name
        found = packing.unpack(buffer, field.top, field.pos)
        assert type(found) is int
        assert found == packing.unpack(header, field.top, field.pos)
    assert RX.decode(buffer) == RX.decode(header)
    assert RX.ruler(buffer) == RX.ruler(header)


@pytest.mark.parametrize("kind", WRITABLE)
@given(header=st.binary(min_size=28, max_size=28), share=st.fractions(0, 1))
def test_writing_to_any_buffer(kind, header, share):
    for field in FIELDS:
        value = int(field.maximum * share)
        for name, codec in ALL.items():
            expected, buffer = bytearray(header), WRITABLE[kind](header)
            codec.set(expected, field, value)
            codec.set(buffer, field, value)
            assert content(buffer) == bytes(expected), name
        expected, buffer = bytearray(header), WRITABLE[kind](header)
        for quirk in packing.Quirk:
            packing.pack(expected, value, field.top, field.pos, quirk)
            packing.pack(buffer, value, field.top, field.pos, quirk)
            assert content(buffer) == bytes(expected)


def test_what_was_silently_wrong():
    header = np.frombuffer(RX.encode(LEN=1518), np.uint8)
    assert ifh.CODECS["packing"].get(header, RX["LEN"]) == 1518
    assert packing.unpack(np.arange(1, 9, dtype=np.uint8), 31, 0) == 0x05060708


@pytest.mark.parametrize("codec", ALL.values(), ids=list(ALL))
@pytest.mark.parametrize("wrong", ["00" * 28, [0] * 28, 28, None, np.array([None] * 28)], ids=type)
def test_what_is_no_buffer_is_refused_by_name(codec, wrong):
    kind = type(wrong).__name__
    for call in (
        lambda: codec.get(wrong, TX["IPV"]),
        lambda: codec.set(wrong, TX["IPV"], 1),
        lambda: packing.unpack(wrong, 7, 0),
        lambda: packing.pack(wrong, 1, 7, 0),
        lambda: TX.decode(wrong),
    ):
        with pytest.raises(TypeError, match=rf"bytes-like .* \({kind}\)\. Make bytes of it"):
            call()


@pytest.mark.parametrize("codec", ALL.values(), ids=list(ALL))
def test_what_cannot_be_written_is_refused(codec):
    frozen = np.zeros(28, np.uint8)
    frozen.flags.writeable = False
    for header in (bytes(28), memoryview(bytes(28)), frozen):
        with pytest.raises(TypeError, match=rf"this {type(header).__name__} cannot.* bytearray\(header\)"):
            codec.set(header, TX["IPV"], 1)
    words = np.zeros(14, np.uint32)[::2]
    with pytest.raises(TypeError, match=r"this ndarray of format 'I' and shape \(7,\) has gaps"):
        codec.set(words, TX["IPV"], 1)
    assert not words.any()


@pytest.mark.parametrize("codec", ifh.CODECS.values(), ids=list(ifh.CODECS))
def test_the_length_counts_in_bytes(codec):
    words = memoryview(bytearray(24)).cast("I")
    assert codec.get(words, TX["BYPASS"]) == 0, "24 bytes have a bit 191"
    with pytest.raises(ifh.HeaderSizeError, match="header of 24 bytes"):
        codec.set(words, TX["TIMESTAMP"], 1)
    with pytest.raises(ifh.HeaderSizeError, match="header of 0 bytes"):
        codec.set(np.zeros((0, 4), np.uint8), TX["IPV"], 1)

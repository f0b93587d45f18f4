import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifh_model import model_get, model_set, places

from lan966x_lab import ifh

CODECS = list(ifh.CODECS.values())
by_name = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)


def test_there_are_four():
    assert list(ifh.CODECS) == ["packing", "bit_loop", "byte_shift", "whole_int"]
    assert all(name == codec.name and codec.idea for name, codec in ifh.CODECS.items())


@given(places())
def test_set_replaces_the_field_in_a_used_header_and_nothing_else(case):
    field, used, value = case
    for codec in CODECS:
        header = bytearray(used)
        assert codec.set(header, field, value) is None
        assert header == model_set(used, field.pos, field.width, value), codec.name


@given(places())
def test_get_reads_the_field_of_a_used_header(case):
    field, used, _ = case
    for codec in CODECS:
        for kind in (bytes, bytearray, memoryview):
            assert codec.get(kind(used), field) == model_get(used, field.pos, field.width), codec.name


@given(places(), st.integers(1, 1 << 70))
def test_a_value_that_does_not_fit_leaves_the_header_untouched(case, excess):
    field, used, _ = case
    for codec in CODECS:
        for value in (field.maximum + excess, -excess):
            header = bytearray(used)
            with pytest.raises(ifh.FieldRangeError):
                codec.set(header, field, value)
            assert header == used, codec.name


@by_name
def test_a_value_that_is_no_integer_leaves_the_header_untouched(codec):
    header = bytearray(b"\xa5" * 28)
    with pytest.raises(TypeError, match="give a whole number"):
        codec.set(header, ifh.LAN966X.tx["DSTS"], 2.0)
    assert header == b"\xa5" * 28


@by_name
@pytest.mark.parametrize("nbytes", [0, 1, 8])
def test_a_header_that_ends_before_the_field_is_refused(codec, nbytes):
    field, header = ifh.LAN966X.tx["DSTS"], bytearray(b"\xa5" * nbytes)
    with pytest.raises(ifh.HeaderSizeError, match=r"DSTS is in bits 70 to 62.*at least 9 bytes"):
        codec.set(header, field, 1)
    with pytest.raises(ifh.HeaderSizeError):
        codec.get(bytes(header), field)
    assert header == b"\xa5" * nbytes


class CountingHeader(bytearray):
    """Counts loads and stores of single bytes."""

    def __init__(self, data):
        super().__init__(data)
        self.loads = self.stores = 0

    def __getitem__(self, index):
        self.loads += isinstance(index, int)
        return super().__getitem__(index)

    def __setitem__(self, index, value):
        self.stores += isinstance(index, int)
        super().__setitem__(index, value)


@pytest.mark.parametrize(("name", "touched"), [("BYPASS", 1), ("DSTS", 2), ("TCI", 3), ("TIMESTAMP", 4)])
@pytest.mark.parametrize("codec", ["packing", "bit_loop", "byte_shift"])
def test_the_byte_codecs_load_and_store_each_touched_byte_once(codec, name, touched):
    field, header = ifh.LAN966X.tx[name], CountingHeader(bytes(28))
    ifh.CODECS[codec].set(header, field, field.maximum)
    assert (header.loads, header.stores) == (touched, touched)
    ifh.CODECS[codec].get(header, field)
    assert header.loads == 2 * touched


def test_whole_int_touches_no_single_byte():
    field, header = ifh.LAN966X.tx["DSTS"], CountingHeader(bytes(28))
    ifh.CODECS["whole_int"].set(header, field, 0x1FF)
    assert ifh.CODECS["whole_int"].get(header, field) == 0x1FF
    assert (header.loads, header.stores) == (0, 0)

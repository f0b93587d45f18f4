"""Each fault of the published forms, with the numbers that show it."""

import pytest
from hypothesis import given
from ifh_model import places

from lan966x_lab import ifh
from lan966x_lab.ifh import cint

V1, V2 = ifh.PUBLISHED["bit_loop_v1"], ifh.PUBLISHED["byte_shift_v2"]
TX, RX = ifh.LAN966X
both = pytest.mark.parametrize("codec", [V1, V2], ids=lambda codec: codec.name)
SECOND_NS = 1_000_000_000


def test_there_are_two():
    assert list(ifh.PUBLISHED) == ["bit_loop_v1", "byte_shift_v2"]


@given(places())
def test_on_a_zeroed_header_and_a_value_that_fits_both_are_right(case):
    field, used, value = case
    if field.width > 32:
        return  # size_t has 32 bits there
    right = bytearray(len(used))
    ifh.CODECS["whole_int"].set(right, field, value)
    for codec in (V1, V2):
        header = bytearray(len(used))
        codec.set(header, field, value)
        assert header == right, codec.name
        if field.width < 32:
            assert codec.get(header, field) == value


@both
def test_get_copies_bit_31_upwards(codec):
    header = bytearray(28)
    header[0] = 0x80
    raw = codec.get(header, RX["TIMESTAMP"])
    assert raw == 0xFFFF_FFFF_8000_0000
    assert raw >> 2 == 4_611_686_017_890_516_992
    right = ifh.CODECS["byte_shift"].get(header, RX["TIMESTAMP"])
    assert right >> 2 == 536_870_912


@both
def test_get_is_right_below_bit_31(codec):
    header = bytearray(RX.encode(TIMESTAMP=0x7FFF_FFFC))
    assert codec.get(header, RX["TIMESTAMP"]) >> 2 == 536_870_911


def test_every_time_from_2_to_the_29_ns_fails_which_is_46_percent():
    assert (0x8000_0000 >> 2) == 1 << 29
    assert round(100 * (SECOND_NS - (1 << 29)) / SECOND_NS, 1) == 46.3


def test_the_first_cure_kept_one_bit_too_many():
    """Where a long has 64 bits, GENMASK(length, 0) keeps bits 0 to 32; the right mask ends at length - 1."""
    raw = V1.get(bytearray(RX.encode(TIMESTAMP=0x8000_0000)), RX["TIMESTAMP"])
    assert raw & ((1 << 33) - 1) == 0x1_8000_0000
    assert (raw & ((1 << 33) - 1)) >> 2 == 1_610_612_736 > SECOND_NS
    assert (raw & ((1 << 32) - 1)) >> 2 == 536_870_912


@both
def test_set_never_clears(codec):
    header = bytearray(28)
    codec.set(header, TX["DSTS"], 0x1FF)
    codec.set(header, TX["DSTS"], 0)
    assert TX.decode(header, ["DSTS"]) == {"DSTS": 0x1FF}


def test_v2_spills_into_the_neighbour():
    header = bytearray(28)
    V2.set(header, TX["QOS_CLASS"], 8)
    assert header == (1 << 103).to_bytes(28, "big")
    assert header[15] == 0x80
    assert TX.decode(header, ["QOS_CLASS", "TCI"]) == {"QOS_CLASS": 0, "TCI": 1}

    header = bytearray(28)
    V2.set(header, TX["DSTS"], 1 << 9)
    assert header == (1 << 71).to_bytes(28, "big")
    assert TX.decode(header, ["DSTS", "ISDX"]) == {"DSTS": 0, "ISDX": 1}


def test_v1_does_not_spill():
    header = bytearray(28)
    V1.set(header, TX["QOS_CLASS"], 8)
    V1.set(header, TX["DSTS"], 1 << 9)
    assert header == bytes(28)


class Trail(bytearray):
    """Remembers every index that was stored to."""

    def __init__(self, data):
        super().__init__(data)
        self.stored = []

    def __setitem__(self, index, value):
        self.stored.append(index)
        super().__setitem__(index, value)


def test_v2_touches_the_byte_before_the_header():
    """A5."""
    header = Trail(b"\xa5" * 28)
    V2.set(header, TX["TIMESTAMP"], 0)
    assert -1 in header.stored
    assert header == b"\xa5" * 28, "ORed with 0: in Python the last byte, and unchanged"
    assert [name for name in TX if _touches_minus_1(name)] == ["TIMESTAMP"]


def _touches_minus_1(name):
    header = Trail(bytes(28))
    V2.set(header, TX[name], TX[name].maximum)
    return -1 in header.stored


def test_v1_stays_inside_the_header():
    header = Trail(bytes(28))
    V1.set(header, TX["TIMESTAMP"], 0xFFFF_FFFF)
    assert header.stored == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("convert", "value", "result"),
    [
        (cint.u8, 0x1FF, 0xFF),
        (cint.u8, -1, 0xFF),
        (cint.u32, 1 << 32, 0),
        (cint.u32, -2, 0xFFFF_FFFE),
        (cint.s32, 1 << 31, -(1 << 31)),
        (cint.s32, (1 << 31) - 1, (1 << 31) - 1),
        (cint.s32, 0xFFFF_FFFF, -1),
        (cint.s32, 1 << 32, 0),
        (cint.u64, -(1 << 31), 0xFFFF_FFFF_8000_0000),
        (cint.u64, 1 << 64, 0),
    ],
)
def test_c_integers(convert, value, result):
    assert convert(value) == result

"""The oracle's sentences, and that it sees what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.measure.counted.oracle import judge_get, judge_set

TX, RX = ifh.LAN966X
V1, V2 = ifh.PUBLISHED.values()
DIRTY = b"\xff" * 28


@pytest.mark.parametrize("codec", ifh.CODECS.values(), ids=lambda codec: codec.name)
@given(st.sampled_from(TX.fields), st.binary(min_size=28, max_size=28), st.data())
def test_the_four_are_right_or_refuse(codec, field, header, data):
    value = data.draw(st.integers(0, 2 * field.maximum + 1))
    fits = value <= field.maximum
    assert judge_set(codec, TX, field.name, value, header) == ("right" if fits else "refused")
    if fits:
        assert judge_get(codec, TX, field.name, value) == "right"


@pytest.mark.parametrize(
    ("codec", "name", "value", "header", "verdict"),
    [
        (V1, "DSTS", 0x155, bytes(28), "right"),
        (V1, "DSTS", 0, DIRTY, "DSTS reads 0x1ff"),
        (V1, "DSTS", 0x200, bytes(28), "DSTS reads 0x0"),
        (V2, "DSTS", 0x155, bytes(28), "right"),
        (V2, "DSTS", 0x200, bytes(28), "DSTS reads 0x0, ISDX became 0x1"),
        (V2, "QOS_CLASS", 8, bytes(28), "QOS_CLASS reads 0x0, TCI became 0x1"),
        (V2, "QOS_CLASS", 8, DIRTY, "QOS_CLASS reads 0x7"),
    ],
)
def test_what_the_published_forms_do(codec, name, value, header, verdict):
    assert judge_set(codec, TX, name, value, header) == verdict


def test_bit_31_of_the_published_getter():
    assert judge_get(V1, RX, "TIMESTAMP", 0x7FFF_FFFF) == "right"
    assert judge_get(V1, RX, "TIMESTAMP", 0x8000_0000) == "reads 0xffffffff80000000"
    with pytest.raises(ifh.FieldRangeError):
        judge_get(V1, RX, "TIMESTAMP", 1 << 32)


def test_other_damage():
    def set_a_reserved_bit(header, field, value):
        ifh.CODECS["byte_shift"].set(header, field, value)
        header[-1] |= 1

    def write_then_refuse(header, field, value):
        header[0] = 1
        field.check(value)

    damage = ifh.Codec("damage", "", set_a_reserved_bit, V1.get)
    assert judge_set(damage, TX, "IPV", 1) == "a reserved bit changed"
    late = ifh.Codec("late", "", write_then_refuse, V1.get)
    assert judge_set(late, TX, "IPV", 8) == "refused, but the header changed"

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.ifh import packing
from lan966x_lab.ifh.packing import NO_QUIRKS, Quirk, pack, unpack

ALL_QUIRKS = [Quirk(bits) for bits in range(8)]
MSB, LE, LSW = Quirk.MSB_ON_THE_RIGHT, Quirk.LITTLE_ENDIAN, Quirk.LSW32_IS_FIRST


def logical_bits(nbytes, quirks):
    """The model: the logical number of every physical bit, from the highest bit of the first byte on.

    It only reverses lists, and knows nothing of boxes, addresses, masks or shifts.
    """
    groups = []
    for low in range(0, nbytes, 4):
        octets = [[8 * byte + bit for bit in range(8)] for byte in range(low, min(low + 4, nbytes))]
        if not quirks & MSB:
            octets = [octet[::-1] for octet in octets]
        groups.append(octets if quirks & LE else octets[::-1])
    if not quirks & LSW:
        groups.reverse()
    return [bit for octets in groups for octet in octets for bit in octet]


def to_bits(buffer):
    return [int(digit) for byte in buffer for digit in f"{byte:08b}"]


def to_bytes(bits):
    return bytes(int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits), 8))


@st.composite
def calls(draw):
    nbytes = draw(st.integers(1, 40))
    end = draw(st.integers(0, 8 * nbytes - 1))
    start = draw(st.integers(end, min(end + 63, 8 * nbytes - 1)))
    width = start - end + 1
    value = draw(st.sampled_from([0, 2**width - 1, 2 ** (width - 1)]) | st.integers(0, 2**width - 1))
    return (
        draw(st.binary(min_size=nbytes, max_size=nbytes)),
        value,
        start,
        end,
        draw(st.sampled_from(ALL_QUIRKS)),
    )


@given(calls())
def test_pack_and_unpack_against_a_list_of_bits(call):
    used, value, start, end, quirks = call
    order = logical_bits(len(used), quirks)
    bits = to_bits(used)
    assert unpack(used, start, end, quirks) == sum(
        bit << (logical - end) for logical, bit in zip(order, bits, strict=True) if end <= logical <= start
    )
    expected = to_bytes(
        [
            value >> (logical - end) & 1 if end <= logical <= start else bit
            for logical, bit in zip(order, bits, strict=True)
        ]
    )
    buffer = bytearray(used)
    assert pack(buffer, value, start, end, quirks) is None
    assert buffer == expected
    assert unpack(buffer, start, end, quirks) == value
    view = memoryview(bytearray(used))
    pack(view, value, start, end, quirks)
    assert view == expected


@pytest.mark.parametrize("quirks", ALL_QUIRKS)
@pytest.mark.parametrize("nbytes", range(1, 41))
def test_every_logical_bit_has_one_place_of_its_own(nbytes, quirks):
    places = []
    for bit in range(8 * nbytes):
        buffer = bytearray(nbytes)
        pack(buffer, 1, bit, bit, quirks)
        places.append(bytes(buffer))
    assert sorted(places) == sorted((1 << bit).to_bytes(nbytes, "big") for bit in range(8 * nbytes))


# The eight orders of a 64-bit number as the kernel's documentation draws them: the logical byte at each place
# in memory, and whether the bits of a byte run upwards. Both directions are tested.
UP, DOWN = range(8), range(7, -1, -1)


@pytest.mark.parametrize(
    ("quirks", "octets", "bits"),
    [
        (NO_QUIRKS, "76543210", DOWN),
        (MSB, "76543210", UP),
        (LE, "45670123", DOWN),
        (MSB | LE, "45670123", UP),
        (LSW, "32107654", DOWN),
        (LSW | MSB, "32107654", UP),
        (LSW | LE, "01234567", DOWN),
        (LSW | LE | MSB, "01234567", UP),
    ],
)
def test_the_orders_of_the_documentation(quirks, octets, bits):
    order = [8 * int(octet) + bit for octet in octets for bit in bits]
    assert logical_bits(8, quirks) == order
    for place, logical in enumerate(order):
        buffer = bytearray(8)
        pack(buffer, 1 << logical, 63, 0, quirks)
        assert buffer == (1 << (63 - place)).to_bytes(8, "big")
        assert unpack(buffer, 63, 0, quirks) == 1 << logical


@pytest.mark.parametrize(
    ("quirks", "octets"),
    [
        (NO_QUIRKS, [30, 29, 28, 27, 26, 25, 24, ..., 3, 2, 1, 0]),
        (LSW, [3, 2, 1, 0, ..., 27, 26, 25, 24, 30, 29, 28]),
        (LE | LSW, [0, 1, 2, 3, ..., 24, 25, 26, 27, 28, 29, 30]),
        (LE, [28, 29, 30, 24, 25, 26, 27, ..., 0, 1, 2, 3]),  # the first three by our rule: see packing
    ],
)
def test_31_bytes_have_a_short_group_at_the_most_significant_end(quirks, octets):
    gap = octets.index(...)
    for place, octet in [
        *enumerate(octets[:gap]),
        *enumerate(octets[gap + 1 :], start=31 - len(octets[gap + 1 :])),
    ]:
        buffer = bytearray(31)
        pack(buffer, 0xFF, 8 * octet + 7, 8 * octet, quirks)
        assert buffer[place] == 0xFF


def test_a_cross_byte_field_in_a_used_buffer():
    buffer = bytearray.fromhex("ffffffff")
    pack(buffer, 0b0_0000_0000, 18, 10)
    assert buffer.hex() == "fff803ff"


# ---- a wrong call, and a value that does not fit ----


@pytest.mark.parametrize(
    ("nbytes", "start", "end"),
    [
        (4, 3, 4),  # start below end
        (4, 40, 33),  # beyond the buffer (the kernel accepted this before 8b3e26677bc6)
        (4, 32, 0),
        (0, 0, 0),
        (4, 3, -1),
        (16, 64, 0),  # 65 bits
    ],
)
@pytest.mark.parametrize("quirks", ALL_QUIRKS)
def test_a_wrong_call(nbytes, start, end, quirks):
    buffer = bytearray(b"\xa5" * nbytes)
    with pytest.raises(packing.BitRangeError, match=f"bits {start} to {end}"):
        pack(buffer, 0, start, end, quirks)
    with pytest.raises(packing.BitRangeError):
        unpack(bytes(buffer), start, end, quirks)
    assert buffer == b"\xa5" * nbytes


@pytest.mark.parametrize("value", [1 << 9, -1, 1 << 64])
def test_a_value_that_does_not_fit(value):
    buffer = bytearray(b"\xa5" * 28)
    with pytest.raises(packing.ValueTooWideError, match=rf"{value} does not fit bits 70 to 62, .*0 to 511"):
        pack(buffer, value, 70, 62)
    assert buffer == b"\xa5" * 28


def test_the_two_faults_are_different_value_errors():
    assert issubclass(packing.BitRangeError, ValueError)
    assert issubclass(packing.ValueTooWideError, ValueError)
    assert not issubclass(packing.BitRangeError, packing.ValueTooWideError)
    assert not issubclass(packing.ValueTooWideError, packing.BitRangeError)


def test_a_value_that_is_no_integer():
    buffer = bytearray(b"\xa5" * 4)
    with pytest.raises(TypeError):
        pack(buffer, 1.0, 7, 0)
    assert buffer == b"\xa5" * 4


def test_64_bits_are_the_most():
    buffer = bytearray(16)
    pack(buffer, 0xCAFE_DEAD_BEEF_CAFE, 95, 32)
    assert buffer.hex() == "00000000" + "cafedeadbeefcafe" + "00000000"
    pack(buffer, 0xCAFE_DEAD_BEEF_CAFE, 95, 32, LSW)
    assert unpack(buffer, 95, 32, LSW) == 0xCAFE_DEAD_BEEF_CAFE


def test_there_are_eight_quirk_sets():
    with pytest.raises(ValueError, match="8"):
        Quirk(8)


@pytest.mark.parametrize("quirks", [8, "MSB_ON_THE_RIGHT", None])
def test_what_is_no_quirk_is_refused(quirks: Any) -> None:
    buffer = bytearray(8)
    with pytest.raises(packing.BitRangeError, match=r"combine members of packing\.Quirk"):
        packing.pack(buffer, 1, 3, 0, quirks)
    with pytest.raises(packing.BitRangeError, match=r"combine members of packing\.Quirk"):
        packing.unpack(buffer, 3, 0, quirks)
    assert buffer == bytes(8)


@pytest.mark.parametrize("value", [1.5, "1", None, b"\1", 2.0], ids=repr)
def test_a_value_that_is_no_integer_is_refused_in_full(value):
    buffer = bytearray(2)
    with pytest.raises(TypeError) as refused:
        packing.pack(buffer, value, 11, 8)
    said = str(refused.value)
    assert repr(value) in said
    assert f"({type(value).__name__})" in said
    assert "bits 11 to 8" in said
    assert ": allowed 0 to 15; give a whole number" in said
    assert buffer == bytes(2)


@pytest.mark.parametrize("bits", [(7.0, 0), (7, 0.5), ("7", "0"), (None, 0)], ids=repr)
def test_a_bit_that_is_no_integer_is_refused_in_full(bits):
    for call in (lambda: packing.pack(bytearray(1), 1, *bits), lambda: packing.unpack(bytes(1), *bits)):
        with pytest.raises(
            TypeError, match=r"start_bit and end_bit are .*: allowed 0 or more; give two whole numbers"
        ):
            call()


def test_numpy_integers_are_integers():
    buffer = bytearray(2)
    packing.pack(buffer, np.uint16(0xFFF), np.int8(11), np.int8(0))
    assert packing.unpack(buffer, np.uint8(11), np.uint8(0)) == 0xFFF

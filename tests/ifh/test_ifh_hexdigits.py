import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh


@given(st.binary(max_size=40), st.integers(-5, 5).filter(bool), st.booleans())
def test_what_python_writes_is_read_back(octets, group, upper):
    text = octets.hex(" ", group)
    assert ifh.from_hex(f"\n {text.upper() if upper else text}\t") == octets


@given(st.lists(st.tuples(st.sampled_from(["", "0x", "0X"]), st.text("0123456789abcdefABCDEF"))))
def test_each_piece_may_say_that_it_is_hexadecimal(pieces):
    digits = "".join(piece for _, piece in pieces)
    if len(digits) % 2:
        pieces, digits = [*pieces, ("0x", "5")], f"{digits}5"
    assert ifh.from_hex(" ".join(before + piece for before, piece in pieces)) == bytes.fromhex(digits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("00 0g", r"'g' \(digit 4\) is not hexadecimal: use 0-9 and a-f\."),
        ("0x00 0X0g", r"'g' \(digit 4\)"),  # what is before the digits is none
        ("0x0x00", r"'x' \(digit 2\)"),
        ("0x0X00", r"'X' \(digit 2\)"),
        ("000x00", r"'x' \(digit 4\)"),
        ("0 x00", r"'x' \(digit 2\)"),
        ("x00", r"'x' \(digit 1\)"),
        ("0x000", "3 hex digits are not whole bytes"),
        ("٣0", r"\(digit 1\)"),  # Python takes it for a digit, hexadecimal does not
        ("000", "3 hex digits are not whole bytes"),
    ],
)
def test_what_is_not_hex_is_refused_with_its_place(text, said):
    with pytest.raises(ValueError, match=said):
        ifh.from_hex(text)

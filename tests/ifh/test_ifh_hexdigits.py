import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh


@given(st.binary(max_size=40), st.integers(-5, 5).filter(bool), st.booleans())
def test_what_python_writes_is_read_back(octets, group, upper):
    text = octets.hex(" ", group)
    assert ifh.from_hex(f"\n {text.upper() if upper else text}\t") == octets


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("00 0g", r"'g' \(digit 4\) is not hexadecimal: use 0-9 and a-f\."),
        ("0x00", r"'x' \(digit 2\)"),
        ("٣0", r"\(digit 1\)"),  # Python takes it for a digit, hexadecimal does not
        ("000", "3 hex digits are not whole bytes"),
    ],
)
def test_what_is_not_hex_is_refused_with_its_place(text, said):
    with pytest.raises(ValueError, match=said):
        ifh.from_hex(text)

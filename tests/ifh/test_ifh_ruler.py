import pytest
from ifh_model import LAYOUTS

from lan966x_lab import ifh

PAIR = ifh.Layout(
    "pair",
    8,
    [
        ifh.Field("WIDE", 24, 24),
        ifh.Field("A_FLAG", 63, 1),
        ifh.Field("OVER", 59, 4),
        ifh.Field("UNDER", 57, 5),
        ifh.Field("LOW", 0, 8),
    ],
)


def test_the_ruler_as_a_whole():
    assert PAIR.ruler(bytes.fromhex("8100000f 01000003")).splitlines() == [
        "pair, 8 bytes",
        "",
        " 63                                                           32",
        " 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1",
        "|a|  OVER |   |.................|              WIDE             |",
        "|   |  UNDER  |.................|                               |",
        " a A_FLAG",
        "",
        " 31                                                            0",
        " 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1",
        "|      WIDE     |...............................|      LOW      |",
    ]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_every_field_is_named_and_every_bit_has_its_column(layout):
    text = layout.ruler()
    for field in layout.fields:
        assert field.name in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(row) for row in rows} == {65}
    assert len(rows) >= layout.nbytes // 4


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_the_bits_of_a_header_stand_over_their_fields(layout):
    for bit in range(8 * layout.nbytes):
        header = (1 << bit).to_bytes(layout.nbytes, "big")
        digits = "".join(
            line.replace(" ", "")
            for line in layout.ruler(header).splitlines()
            if set(line) <= set(" 01") and line
        )
        assert int(digits, 2) == 1 << bit
    assert len(layout.ruler().splitlines()) < len(layout.ruler(header).splitlines())


def test_a_header_of_another_size_is_refused():
    with pytest.raises(ifh.HeaderSizeError):
        PAIR.ruler(bytes(28))

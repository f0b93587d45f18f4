"""The tables of notebook 05, against intervals that were worked out by hand."""

import pytest

from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import header_ways
from lan966x_lab.workbook.explorers.tworows import printed_rows
from lan966x_lab.workbook.figures.template import agreement_table, lines_table, savings_table, ways_table

PRINTED = printed_rows()
READINGS = {"as printed": PRINTED, "exchanged": PRINTED.exchanged()}
GAINS = [claims.get(f"{name}-gain") for name in ("002-big", "002-small")]


def test_savings():
    """8 · 1460 / 31.5 − 8 · 1460 / 32.5 µs is the least that the big row allows."""
    least, most = 11680 / 31.5 - 11680 / 32.5, 11680 / 30.5 - 11680 / 33.5
    table = savings_table(READINGS)
    assert table.headers == ["labels", "1,460 bytes allow", "700 bytes allow", "both allow"]
    assert [row[1] for row in table.rows] == [f"[{least:.1f}, {most:.1f}]"] * 2
    assert [row[3] for row in table.rows] == ["none", "[11.4, 15.1]"]
    assert "[−15.1, −10.8]" in str(table)


def test_what_is_left_of_the_stated_gains():
    rows = agreement_table(READINGS["exchanged"], GAINS).rows
    assert [row[1] for row in rows] == [
        f"{claim.stated} %: {verdict}" for claim, verdict in zip(GAINS, ("too high", "possible"), strict=True)
    ]
    assert [row[3] for row in rows] == ["[3.1, 4.1]", "[3.2, 4.3]"]
    with pytest.raises(ValueError, match="no saving fits both rows"):
        agreement_table(PRINTED, GAINS)


def test_lines():
    rows = lines_table(READINGS).rows
    assert [row[:2] for row in rows] == [
        [labels, way] for labels in ("as printed", "exchanged") for way in ("without", "with")
    ]
    assert rows[1][3] == "[-9, 8]"  # as printed, a byte would cost next to nothing with the template
    assert rows[2][2] == "[326.0, 341.5]"


@pytest.mark.parametrize("driver", header_ways.DRIVERS)
def test_ways(driver: str):
    table = ways_table(driver)
    assert len(table.rows) == 3 * len(header_ways.WAYS)
    for kind, way, calls, moved, *_ in table.rows:
        cost = header_ways.cost(driver, way, "packing", kind)
        assert (calls, moved) == (cost.calls, f"{cost.loads} + {cost.stores}")

"""The static pictures of notebook 06: well-formed, and their sentences have the numbers."""

from xml.etree import ElementTree

import pytest

from lan966x_lab.driver.skb import build_skb
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import cache
from lan966x_lab.workbook.figures.ring import (
    Stage,
    buffer_stages,
    four_speeds,
    lives_of_structures,
    miss_curves,
    speeds_table,
)
from lan966x_lab.workbook.pictures import Picture


def drawn(picture: Picture) -> str:
    ElementTree.fromstring(picture.drawing())
    return picture.drawing()


def test_an_skb_in_its_buffer():
    skb = build_skb(bytearray(1920))
    stages = [Stage.of("build_skb", skb)]
    skb.reserve(64)
    skb.put(1500)
    stages.append(Stage.of("reserve and put", skb))
    picture = buffer_stages(stages)
    assert picture.sentence.endswith(
        "At last 1,500 bytes are the frame, with 64 bytes of headroom and 36 of tailroom."
    )
    assert all(f">{word}<" in drawn(picture) for word in ("head", "data", "tail", "end", "1,600", "320"))


def test_lives():
    lives = {
        name: cache.lives(cache.journal(late=late, ring=10, frames=30))
        for name, late in (("early", False), ("late", True))
    }
    picture = lives_of_structures(lives, every=5)
    assert picture.sentence.endswith("early: from 0 to 10; late: always 0.")
    assert drawn(picture) == drawn(lives_of_structures(lives, every=5))
    assert "One structure of every 5, a row each" in drawn(picture)


def test_miss_curves_say_where_they_fall():
    curves = {"early": {8: 6.0, 16: 6.0, 32: 1.0}, "late": dict.fromkeys((8, 16, 32), 1.0)}
    picture = miss_curves(curves)
    assert picture.sentence.endswith("early 6 up to 16 KiB, 1 from 32 KiB; late 1 at any size.")
    assert all(f">{size}<" in drawn(picture) for size in (8, 16, 32))


@pytest.mark.parametrize("others", [["slower"], ["slower", "faster"], ["faster", "slower"]])
def test_four_speeds(others: list[str]):
    elsewhere = [claims.get(f"003-elsewhere-{other}") for other in others]
    picture = four_speeds(claims.get("003-netif"), claims.get("003-gro"), elsewhere)
    assert "saves 181 ns without GRO and 354 ns with it" in picture.sentence
    assert "173 ns apart" in picture.sentence
    for words in ("early 905", "late 918", "early 892", "late 917", "−3.7 %"):
        assert words in drawn(picture)


def test_four_speeds_as_a_table():
    """1448 bytes at 905 and 918 Mbit/s are 12,800 and 12,619 ns."""
    table = speeds_table(claims.get("003-netif"), claims.get("003-gro"))
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["early, Mbit/s"] == ["905", "892"]
    assert rows["late, Mbit/s"] == ["918", "917"]
    assert rows["saved per frame, ns"][0] == str(round(1448 * 8000 / 905) - round(1448 * 8000 / 918))
    for saved, allowed in zip(rows["saved per frame, ns"], rows["the same, as rounding allows"], strict=True):
        low, high = allowed.strip("[]").split(", ")
        assert int(low) < int(saved) < int(high)

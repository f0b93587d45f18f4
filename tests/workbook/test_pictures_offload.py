"""The static pictures of notebook 07: what they draw and what they say agree with where it comes from."""

from decimal import Decimal
from xml.etree import ElementTree

from lan966x_lab.measure import claims, profiles
from lan966x_lab.measure.counted import offload
from lan966x_lab.workbook.figures.offload import (
    bounds_table,
    meaning_table,
    two_profiles,
    ways_by_size,
    who_adds,
)
from lan966x_lab.workbook.figures.packets import frames_of


def texts(drawing: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith("text")]


def test_who_adds() -> None:
    frame = next(f for f in frames_of("iperf3-tcp4-csum-ok") if len(f) == 1514)
    off, on = offload.run([frame], offload=False).frames[0], offload.run([frame]).frames[0]
    picture = who_adds(frame, off, on)
    assert "the CPU adds up 1,512 bytes with the offload off and 32 with it on" in picture.sentence
    assert "the MAC adds up 1,500" in picture.sentence
    drawn = texts(picture.drawing())
    assert "CPU: 1,512 bytes, and 12 of them a pseudo-header" in drawn
    assert {"Ethernet header 14", "IPv4 header 20", "TCP header 32", "payload 1,448", "counted"} <= set(drawn)


def test_two_profiles_show_every_row_and_what_is_not_listed() -> None:
    goodput = claims.get("004-goodput")
    drawn = texts(two_profiles(goodput).drawing())
    for row in profiles.load():
        assert row.symbol in drawn
        for offload_, share in row.percent.items():
            assert (f"{share}" if share else f"not listed: < {profiles.least_listed(offload_)}") in drawn
    for side, figure in zip(profiles.OFFLOAD, goodput.both(), strict=True):
        assert f"offload {side}: {figure} Mbit/s" in drawn
        assert f"{profiles.total(side)} %" in drawn
        assert f"{100 - profiles.total(side)} %" in drawn
    assert {"adds up", "the idle task", "the rest"} <= set(drawn)
    sentence = two_profiles(goodput).sentence
    assert f"from {profiles.percent('do_csum', 'off')} % to less than" in sentence


def test_ways_by_size_names_the_slowest_and_the_fastest_way_but_no_peer() -> None:
    times = {
        name: {64: 10.0 * n, 9000: 1000.0 * n}
        for n, name in enumerate(("copy the bytes", "b", "c", "dpkt", "d", "e", "f", "g"), 1)
    }
    picture = ways_by_size(times, (1500, 900), "this machine")
    assert picture.sentence == (
        "One packet takes, with g and with b: at 64 bytes 80 and 20 ns, at 9,000 bytes 8,000 and 2,000 ns. "
        "this machine."
    )
    (ax,) = picture.body.axes
    assert len(ax.lines) == 9
    assert [line.get_label() for line in ax.lines][-1] == "do_csum, reported"


def test_what_the_listed_rows_allow() -> None:
    """do_csum: 6.95 listed, then below 1.62; idle: 4.80 and a row below 1.52, then 8.00."""
    assert [row[1:] for row in bounds_table().rows] == [["5.33", "6.95"], ["1.68", "3.20"]]


def test_what_a_share_may_mean() -> None:
    assert meaning_table(Decimal("855.4")).rows == [[1, 855], [2, 1711], [4, 3422]]

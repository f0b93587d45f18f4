"""Three ways to make a header: the same bytes, counted work written down by hand, and what reuse does."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.measure.counted import header_ways as ways

WAYS = {"every field": ways.every_field, "zeros skipped": ways.zeros_skipped, "template": ways.template}
CODECS = [codec.set for codec in ifh.CODECS.values()]


def one_integer(layout: ifh.Layout, values: dict[str, int]) -> bytes:
    """The plain model: a header is a sum of shifted values."""
    return sum(value << layout[name].pos for name, value in values.items()).to_bytes(layout.nbytes, "big")


def split(driver: ways.Driver, way: str) -> object:
    return driver.prepared if way == "template" else driver.fixed


@given(
    st.sampled_from(sorted(ways.DRIVERS)),
    st.sampled_from(CODECS),
    st.binary(min_size=28, max_size=28),
    st.data(),
)
def test_all_ways_make_the_same_header_in_any_buffer(name, put, dirt, data):
    driver = ways.DRIVERS[name]
    names = set().union(*driver.varying.values())
    varying = {n: data.draw(st.just(0) | st.integers(0, driver.layout[n].maximum), n) for n in sorted(names)}
    want = one_integer(driver.layout, {**driver.fixed, **varying})
    assert ifh.Template(driver.layout, **driver.fixed).stamp(**varying) == want
    for way, function in WAYS.items():
        header = bytearray(dirt[: driver.layout.nbytes])
        function(header, put, driver.layout, split(driver, way), varying)
        assert header == want, way


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("buffer", [bytes(16), b"\xff" * 16])
def test_the_judge(way, buffer):
    def judge(**varying):
        return ways.judge("Ocelot, 2021", way, "bit_loop", varying, buffer)

    assert judge(TCI=0x8000, REW_OP=0x100) == "right"
    assert judge(TCI=0, REW_OP=0) == "right"
    assert judge(TCI=0, REW_OP=512) == "refused"


def test_the_judge_sees_a_wrong_header(monkeypatch):
    driver = ways.DRIVERS["Ocelot, 2021"]
    wrong = replace(driver, fixed={**driver.fixed, "BYPASS": 0})
    monkeypatch.setattr(ways, "_parts", lambda *_: (ways.zeros_skipped, (driver.layout, wrong.fixed, {})))
    verdict = ways.judge("Ocelot, 2021", "template", "packing", {"TCI": 1}, bytes(16))
    assert verdict == "00000000 00000000 08000000 00000001"


# Bytes by hand. Ocelot: BYPASS 1, DEST 2 (bits 67..56), TAG_TYPE 1, TCI 2, REW_OP 2 (bits 125..117), each one
# loaded and stored; 16 bytes zeroed or copied. LAN966x: BYPASS 1, DSTS 2, QOS_CLASS 1, IPV 2, TCI 3,
# REW_CMD 2, TIMESTAMP 4; 28 bytes.
@pytest.mark.parametrize(
    ("driver", "kind", "way", "calls", "loads", "stores", "accesses"),
    [
        ("Ocelot, 2021", "plain", "every field", 5, 8, 24, 20),
        ("Ocelot, 2021", "plain", "zeros skipped", 3, 4, 20, 12),
        ("Ocelot, 2021", "plain", "template", 0, 16, 16, 8),
        ("Ocelot, 2021", "VLAN", "template", 1, 18, 18, 12),
        ("Ocelot, 2021", "VLAN and PTP", "zeros skipped", 5, 8, 24, 20),
        ("Ocelot, 2021", "VLAN and PTP", "template", 2, 20, 20, 16),
        ("Ocelot, 2024", "plain", "every field", 7, 10, 26, 24),
        ("Ocelot, 2024", "VLAN and PTP", "template", 3, 21, 21, 18),
        ("LAN966x", "plain", "every field", 5, 9, 37, 25),
        ("LAN966x", "plain", "template", 0, 28, 28, 14),
        ("LAN966x", "VLAN", "every field", 5, 9, 37, 25),
        ("LAN966x", "VLAN", "template", 3, 34, 34, 26),
        ("LAN966x", "VLAN and PTP", "every field", 7, 15, 43, 37),
        ("LAN966x", "VLAN and PTP", "template", 5, 40, 40, 38),
    ],
)
@pytest.mark.parametrize("codec", ["packing", "byte_shift"])
def test_counted_by_hand(driver, kind, way, codec, calls, loads, stores, accesses):
    counted = ways.cost(driver, way, codec, kind)
    assert counted[:4] == (calls, loads, stores, accesses)


def test_lines_follow_the_calls():
    for driver in ways.DRIVERS:
        for kind in ways.KINDS:
            every, skipped, template = (ways.cost(driver, way, "packing", kind) for way in ways.WAYS)
            assert every.calls >= skipped.calls > template.calls
            assert template.lines < min(every.lines, skipped.lines)
            assert ways.cost(driver, "every field", "byte_shift", kind).lines < every.lines


def test_a_count_does_not_depend_on_what_ran_before():
    first = ways.cost("LAN966x", "template", "byte_shift", "PTP")
    ways.cost.cache_clear()
    assert ways.cost("LAN966x", "template", "byte_shift", "PTP") == first


def test_a_mix_is_the_average():
    def cost(kind):
        return ways.cost("LAN966x", "template", "packing", kind)

    for (vlan, ptp), kind in {
        (0, 0): "plain",
        (100, 0): "VLAN",
        (0, 100): "PTP",
        (100, 100): "VLAN and PTP",
    }.items():
        assert ways.mixed("LAN966x", "template", "packing", vlan, ptp) == cost(kind)
    half = ways.mixed("LAN966x", "template", "packing", 50, 50)
    assert half == ways.Cost(
        *(Fraction(sum(column), 4) for column in zip(*map(cost, ways.KINDS), strict=True))
    )


@pytest.mark.parametrize("kind", ways.KINDS)
def test_makers_make_headers(kind):
    makers = ways.makers("Ocelot, 2021", kind, "byte_shift")
    assert list(makers) == list(ways.WAYS)
    for make in makers.values():
        make()
        assert bytes(make.args[0]) == ways.DRIVERS["Ocelot, 2021"].header(kind)


@given(st.sampled_from(sorted(ways.DRIVERS)), st.lists(st.sampled_from(ways.KINDS), max_size=6))
def test_a_copy_is_right_in_any_order(driver, kinds):
    right = [ways.DRIVERS[driver].header(kind) for kind in kinds]
    assert ways.in_turn(driver, "copy, then patch", kinds) == right


def test_what_is_left_in_the_prepared_header():
    kinds = ["plain", "VLAN and PTP", "plain"]
    for driver, zeros_help in (("Ocelot, 2021", True), ("Ocelot, 2024", True), ("LAN966x", False)):
        right = [ways.DRIVERS[driver].header(kind) for kind in kinds]
        stale = ways.in_turn(driver, "patch in place", kinds)
        assert stale[:2] == right[:2]
        assert stale[2] == right[1], "the plain frame leaves with the header of the one before"
        with_zeros = ways.in_turn(driver, "patch in place, zeros too", kinds)
        assert (with_zeros == right) is zeros_help
    # the LAN966x driver gives REW_CMD for frames with a time only, so nothing ever clears it
    left = ifh.LAN966X.tx.decode(with_zeros[2], ["TCI", "REW_CMD", "TIMESTAMP"])
    assert left == {"TCI": 0, "REW_CMD": 4, "TIMESTAMP": 5}


@pytest.mark.parametrize(
    ("start", "nbytes", "line", "lines"),
    [
        (0, 64, 64, 1),
        (0, 65, 64, 2),
        (56, 28, 64, 2),
        (56, 28, 32, 2),
        (63, 1, 64, 1),
        (63, 2, 64, 2),
        (16, 16, 64, 1),
    ],
)
def test_lines_touched(start, nbytes, line, lines):
    assert len(ways.lines_touched(start, nbytes, line)) == lines


def test_copies_copy_one_template_a_frame():
    headers = ways.copies(ports=8, frames=100)()
    assert headers.shape == (100,)
    assert headers.itemsize == 16

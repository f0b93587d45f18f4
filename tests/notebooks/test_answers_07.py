"""Notebook 07: what its first gate says of the two profiles, in words, is what they hold."""

from decimal import Decimal

from lan966x_lab.measure import profiles


def test_the_idle_task_gains_a_quarter_to_three_fifths_of_what_adding_gives_up() -> None:
    before = profiles.percent("do_csum", "off")
    assert before is not None
    assert profiles.percent("do_csum", "on") is None  # not listed: it had less than the least that is
    drop = before - profiles.least_listed("on"), before
    rise = profiles.total("on", profiles.IDLE) - profiles.total("off", profiles.IDLE)
    idle = [row.percent for row in profiles.load() if row.process == profiles.IDLE]
    unlisted = sum(1 for shares in idle if shares["off"] is None)
    gain = rise - unlisted * profiles.least_listed("off"), rise
    assert round(gain[0] / drop[1], 2) == Decimal("0.24")
    assert round(gain[1] / drop[0], 2) == Decimal("0.60")


def test_adding_is_the_fourth_of_the_rows() -> None:
    assert [row.symbol for row in profiles.load()].index("do_csum") == 3

"""Reading the time of day and completing frame times, against arithmetic of plain integers."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lan966x_lab.driver.phc import SECOND, full_time
from lan966x_lab.measure.counted import tod

TIMES = st.integers(0, (1 << 40) * SECOND)
EDGE_NS = 100 * SECOND


def test_a_reading_is_five_accesses_and_the_write_saves():
    looks, saved = tod.readout(EDGE_NS - 600)
    assert [(access.kind, access.name, access.time_ns) for access, _ in looks] == [
        ("R", "PTP_PIN_CFG[7]", 200),
        ("W", "PTP_PIN_CFG[7]", 300),
        ("R", "PTP_TOD_SEC_MSB[7]", 500),
        ("R", "PTP_TOD_SEC_LSB[7]", 700),
        ("R", "PTP_TOD_NSEC[7]", 900),
    ]
    assert [clock_ns - EDGE_NS for _, clock_ns in looks] == [-400, -300, -100, 100, 300]
    assert saved == (99, 999_999_700, EDGE_NS - 300)
    assert [access.value for access, _ in looks[2:]] == [0, 99, 999_999_700]


@pytest.mark.parametrize("before", [0, 300, 301, 310, 316, 317, 600, 1200])
def test_the_time_read_is_the_time_of_the_write(before):
    """The domain runs at its nominal rate, which is a nanosecond a nanosecond but for the rounding down."""
    looks, saved = tod.readout(EDGE_NS - before)
    assert 0 <= looks[1].clock_ns - saved.time_ns <= 1


@given(TIMES)
def test_what_is_latched_means_the_time(time_ns):
    saved = tod.latch(time_ns)
    assert saved.time_ns == time_ns
    assert saved.seconds * SECOND + saved.signed_ns == time_ns


@pytest.mark.parametrize(
    ("time_ns", "seconds", "raw_ns", "signed_ns"),
    [
        (EDGE_NS - 17, 99, 999_999_983, 999_999_983),
        (EDGE_NS - 16, 100, 0x3FFFFFF0, -16),
        (EDGE_NS - 12, 100, 0x3FFFFFF4, -12),
        (EDGE_NS - 1, 100, 0x3FFFFFFF, -1),
        (EDGE_NS, 100, 0, 0),
    ],
)
def test_slightly_negative_readings(time_ns, seconds, raw_ns, signed_ns):
    saved = tod.latch(time_ns)
    assert (saved.seconds, saved.raw_ns, saved.signed_ns) == (seconds, raw_ns, signed_ns)


@given(TIMES, st.integers(0, 3 * SECOND))
def test_the_rule_of_the_driver_is_the_driver(arrival_ns, later):
    stamp = tod.stamp(arrival_ns, arrival_ns + later)
    assert stamp.given_ns == full_time(arrival_ns + later, arrival_ns % SECOND)
    assert stamp.error_ns == later // SECOND * SECOND  # right if it took less than a second


@given(TIMES, st.integers(0, SECOND - 1))
def test_never_to_borrow_is_wrong_exactly_when_the_second_changed(arrival_ns, later):
    changed = (arrival_ns + later) // SECOND != arrival_ns // SECOND
    assert tod.stamp(arrival_ns, arrival_ns + later, "never borrow").error_ns == changed * SECOND


@given(TIMES, st.integers(0, SECOND - 1))
@example(999_999_985, 999_999_999)  # one second too many, and one not borrowed
def test_registers_as_they_read_are_wrong_only_in_the_last_16_ns(arrival_ns, later):
    stamp = tod.stamp(arrival_ns, arrival_ns + later, "take the registers as they read")
    in_the_last = (arrival_ns + later) % SECOND >= SECOND - 16
    changed = (arrival_ns + later) // SECOND != arrival_ns // SECOND
    assert stamp.error_ns == in_the_last * (1 + changed) * SECOND


def test_a_reading_before_the_arrival_is_refused():
    with pytest.raises(ValueError, match="read_ns is 4: the frame arrives at 5 ns, read then or later"):
        tod.stamp(5, 4)

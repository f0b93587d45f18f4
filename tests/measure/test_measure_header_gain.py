"""The two tests of the claim, against numbers computed by hand from the printed rates."""

import pytest

from lan966x_lab.measure.counted.header_gain import Price, Step, Way, ack_gain_mbit, price, steps, ways


def test_ways():
    """1448 bytes are 11 584 bits: 31.564 µs at 367 Mbit/s, 24.542 at 472, 21.857 at 530, 21.652 at 535."""
    transmit, receive = ways()
    assert transmit == Way("transmit", 5, 33, 7022)
    assert receive == Way("receive", 2, 36, 204)
    assert (transmit.per_field_ns, receive.per_field_ns) == (1404, 102)
    assert (transmit.per_field_cycles(600), receive.per_field_cycles(1000)) == (843, 102)


def test_price():
    """11 584 bits at 485 Mbit/s take 23.885 µs, 0.657 µs less than at 472."""
    assert price() == Price(657, 178 - 69)
    assert Price(100, 4).of(2) == pytest.approx(50)


def test_steps():
    """The general routine takes 1045 instructions, v1 511 (247 inlined), v2 189; to read, 589 and 423."""
    v1, inlined, nothing, v2, receive = steps("gcc -O2", "ARMv7-A")
    assert [s.instructions for s in (v1, inlined, nothing, v2, receive)] == [534, 798, 1045, 322, 166]
    assert (v1.ns, inlined.ns, nothing.ns, v2.ns, receive.ns) == (7022, 7022, 7022, 657, 204)
    assert Step("", 657, 322).cycles_each(600) == pytest.approx(1.224, abs=0.001)
    assert v1.cycles_each(600) == pytest.approx(7.89, abs=0.01)


@pytest.mark.parametrize(("frames", "mbit"), [(2, 101), (4, 46), (8, 22), (16, 11), (32, 5)])
def test_acknowledgements(frames, mbit):
    """By hand for 2: 11 584 bits in 21.857 - 7.022 / 2 = 18.346 µs are 631 Mbit/s, 101 more than 530."""
    assert ack_gain_mbit(frames) == pytest.approx(mbit, abs=0.6)
    assert ack_gain_mbit(10**9) == pytest.approx(0, abs=1e-6)


def test_no_frames_for_an_acknowledgement():
    with pytest.raises(ValueError, match=r"0 frames for each acknowledgement: give 1 or more"):
        ack_gain_mbit(0)

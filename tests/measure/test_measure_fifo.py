"""Waiting for the injection FIFO: counted, and priced."""

import pytest

from lan966x_lab.driver import Options
from lan966x_lab.hw.registers import Costs
from lan966x_lab.measure.counted.fifo import break_even_percent, inject

BEFORE, AFTER = Options(), Options(check_fifo_first=True)
LOOKS = "QS_INJ_STATUS"


def test_a_fifo_that_is_always_ready_by_hand() -> None:
    # 7 header words and 379 data words are asked for; one more status read looks at the watermark
    for options, ktime in ((BEFORE, 386), (AFTER, 0)):
        injection = inject(options, 100)
        assert (injection.asked, injection.refused, injection.delay_ns) == (386, 0, 0)
        assert injection.work.reads[LOOKS] == 387
        assert injection.work.ktime_reads == ktime


@pytest.mark.parametrize("ready", [0, 50, 99])
def test_a_refusal_costs_the_looks_that_the_code_makes(ready: int) -> None:
    before, after = inject(BEFORE, ready), inject(AFTER, ready)
    refused = before.refused
    assert after.refused == refused
    assert before.delay_ns == after.delay_ns == refused * 10_000
    # deadline and register, clock, wait, register: two looks and two clock reads for a refused word
    assert before.work.reads[LOOKS] == 387 + refused
    assert before.work.ktime_reads == 386 + refused
    # the first look comes on top, and the words that are taken at once need no clock
    assert after.work.reads[LOOKS] == 387 + 2 * refused
    assert after.work.ktime_reads == 2 * refused


@pytest.mark.parametrize("options", [BEFORE, AFTER])
@pytest.mark.parametrize("ready", [0, 70, 100])
def test_the_price_is_the_time_that_the_model_took(options: Options, ready: int) -> None:
    injection = inject(options, ready)
    assert injection.ns(Costs()) == injection.work.ns


def test_the_price_follows_the_costs() -> None:
    before, after = inject(BEFORE, 100), inject(AFTER, 100)
    free, dear = Costs(ktime_ns=0), Costs(ktime_ns=1000)
    assert before.ns(free) == after.ns(free) == after.ns(dear)
    assert before.ns(dear) - after.ns(dear) == 386_000


def test_break_even() -> None:
    costs = Costs(read_ns=200, ktime_ns=300)
    assert break_even_percent(costs) == 40
    assert break_even_percent(Costs(ktime_ns=0)) is None
    for ready, sign in ((30, -1), (50, 1)):
        gain = inject(BEFORE, ready).ns(costs) - inject(AFTER, ready).ns(costs)
        assert gain * sign > 0


def test_a_readiness_beyond_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="101: give 0 to 100"):
        inject(BEFORE, 101)

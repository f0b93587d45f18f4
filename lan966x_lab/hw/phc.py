"""The PTP hardware clock: three time domains, and the pins through which the CPU reads and sets them.

A domain adds its increment once per 165.625 MHz tick; the increment is nanoseconds in 5.59 fixed point. The
model counts in units of 2^-59 / 320 ns, in which a nanosecond of virtual time is 53 * increment exactly
(165.625 MHz is 53 ticks in 320 ns), so no rounding ever accumulates. Between two ticks the model
interpolates.

To read the time, the CPU has a pin SAVE it and then reads the pin's three TOD registers: the latch keeps
seconds and nanoseconds of one instant together. To set it, the pin is made IDLE, the TOD registers are
written, the pin LOADs them. DELTA adds the signed 30-bit nanoseconds of the pin's TOD register.

In the last 16 ns before a second the reading has the seconds of the next second and slightly negative
nanoseconds: 0x3ffffff0..0x3fffffff stand for -16..-1. The driver must put that right.

Facts: lan966x_ptp.c L@cc4adab164b7. OURS: where exactly the negative reading occurs, and that a change of the
increment whose domain is not disabled (PTP_DOM_CFG CLKCFG_DIS) takes effect half written.
"""

from __future__ import annotations

from functools import partial

from lan966x_lab.hw.lan966x_regs import TOD_NSEC, DomCfg, PinAction, PinCfg
from lan966x_lab.hw.registers import Door, RegisterError

PHC_COUNT = 3
PINS = 8
NOMINAL_INCREMENT = 0x304D4873ECADE305
"""ns per tick, 5.59 fixed point: 6.037735849 ns."""
TICKS, PER_NS = 53, 320
UNIT = PER_NS << 59
"""Units of the accumulator in one nanosecond."""
SECOND = 1_000_000_000
NEGATIVE = 16
"""How long before a second the reading is already the next second's, in ns."""


class Domain:
    """One time domain. `increment` is ns per tick in 5.59; `enabled` lets it run."""

    def __init__(self, door: Door) -> None:
        self._clock = door.clock
        self._units = 0
        self._since = door.clock.now_ns
        self.increment = 0
        self.enabled = False

    def _catch_up(self) -> None:
        now = self._clock.now_ns
        if self.enabled:
            self._units += (now - self._since) * TICKS * self.increment
        self._since = now

    @property
    def now_ns(self) -> int:
        """The domain's time in ns, rounded down."""
        self._catch_up()
        return self._units // UNIT

    def configure(self, increment: int, enabled: bool) -> None:
        """Go on at another rate from now on."""
        self._catch_up()
        self.increment, self.enabled = increment, enabled

    def load(self, ns: int) -> None:
        """Set the time."""
        self._catch_up()
        self._units = ns * UNIT

    def shift(self, ns: int) -> None:
        """Move the time by `ns`, which may be negative."""
        self._catch_up()
        self._units += ns * UNIT


class PtpClock:
    """The domains and their registers. Domain 0 stamps the frames of the ports."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.domains = tuple(Domain(door) for _ in range(PHC_COUNT))
        door.add("PTP_DOM_CFG", write=self._configure)
        for domain in range(PHC_COUNT):
            for half in range(2):
                door.add(f"PTP_CLK_PER_CFG[{domain}][{half}]", write=self._configure)
        for pin in range(PINS):
            door.add(f"PTP_PIN_CFG[{pin}]", write=partial(self._act, pin))
            for part in ("SEC_MSB", "SEC_LSB", "NSEC"):
                door.add(f"PTP_TOD_{part}[{pin}]", write=partial(self._guard, pin, part))

    def _configure(self, _value: int) -> None:
        config = self.door.peek("PTP_DOM_CFG")
        for number, domain in enumerate(self.domains):
            increment = domain.increment
            if not DomCfg.CLKCFG_DIS.get(config) >> number & 1:
                low, high = (self.door.peek(f"PTP_CLK_PER_CFG[{number}][{half}]") for half in range(2))
                increment = high << 32 | low
            domain.configure(increment, bool(DomCfg.ENA.get(config) >> number & 1))

    def _guard(self, pin: int, part: str, _value: int) -> None:
        if PinCfg.ACTION.get(self.door.peek(f"PTP_PIN_CFG[{pin}]")) != PinAction.IDLE:
            raise RegisterError(
                f"PTP_TOD_{part}[{pin}] was written while the pin has an action: "
                f"set ACTION in PTP_PIN_CFG[{pin}] to IDLE first"
            )

    def _act(self, pin: int, value: int) -> None:
        number = PinCfg.DOM.get(value)
        if number >= PHC_COUNT:
            raise RegisterError(f"PTP_PIN_CFG[{pin}] names domain {number}: there are 0..{PHC_COUNT - 1}")
        if PinCfg.SYNC.get(value):
            raise RegisterError(f"PTP_PIN_CFG[{pin}] SYNC is not modelled: write 0, act at once")
        domain, door = self.domains[number], self.door
        match PinCfg.ACTION.get(value):
            case PinAction.SAVE:
                seconds, ns = divmod(domain.now_ns, SECOND)
                if ns >= SECOND - NEGATIVE:
                    seconds, ns = seconds + 1, ns - SECOND
                door.poke(f"PTP_TOD_SEC_MSB[{pin}]", seconds >> 32 & 0xFFFF)
                door.poke(f"PTP_TOD_SEC_LSB[{pin}]", seconds & 0xFFFFFFFF)
                door.poke(f"PTP_TOD_NSEC[{pin}]", ns & TOD_NSEC.mask)
            case PinAction.LOAD:
                seconds = door.peek(f"PTP_TOD_SEC_MSB[{pin}]") << 32 | door.peek(f"PTP_TOD_SEC_LSB[{pin}]")
                domain.load(seconds * SECOND + TOD_NSEC.get(door.peek(f"PTP_TOD_NSEC[{pin}]")))
            case PinAction.DELTA:
                ns = TOD_NSEC.get(door.peek(f"PTP_TOD_NSEC[{pin}]"))
                domain.shift(ns - (1 << 30) if ns >> 29 else ns)
            case PinAction.IDLE:
                pass
            case action:
                raise RegisterError(
                    f"PTP_PIN_CFG[{pin}] action {action} is not modelled: "
                    "the lab has IDLE 0, LOAD 1, SAVE 2 and DELTA 4"
                )

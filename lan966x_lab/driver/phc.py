"""The PTP hardware clock as the driver offers it: get, set, shift, change the rate.

Times are integers in nanoseconds since the clock's epoch. Errors that the kernel returns as ``-E…`` are
`OSError` with that ``errno``. Facts: lan966x_ptp.c L@cc4adab164b7.
"""

from __future__ import annotations

import errno

from lan966x_lab.hw.lan966x_regs import TOD_NSEC, DomCfg, PinAction, PinCfg
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.phc import NOMINAL_INCREMENT, PHC_COUNT
from lan966x_lab.hw.registers import Door

SECOND = 1_000_000_000
TOD_ACC_PIN = 7
PHC_PORT = 0
"""The domain that stamps the frames of the ports."""
ONE_PPM = 3480517749723
"""The change of the increment that makes the clock 1 ppm faster, 5.59 fixed point."""
MAX_ADJ_PPB = 200_000
PIN_MASK = PinCfg.ACTION.mask | PinCfg.DOM.mask | PinCfg.SYNC.mask


def full_time(tod_ns: int, frame_ns: int) -> int:
    """The time of a frame whose nanosecond of the second is known, from a time of day read after it.

    If the frame's nanosecond is the larger one, the second has changed in between and one is borrowed. That
    is right as long as less than a second has passed.

    >>> full_time(100 * SECOND + 5, 999_999_998)
    99999999998
    """
    seconds, ns = divmod(tod_ns, SECOND)
    if ns < frame_ns:
        seconds -= 1
    return seconds * SECOND + frame_ns


def _check_domain(domain: int) -> None:
    whole("domain", domain, 0, PHC_COUNT - 1, f"domain {PHC_PORT} is the ports'")


class Phc:
    """Three clocks behind one access pin."""

    def __init__(self, door: Door) -> None:
        self.door = door

    def start(self) -> None:
        """Nominal rate for all domains, then let them run."""
        self.door.write("PTP_DOM_CFG", DomCfg.CLKCFG_DIS.put((1 << PHC_COUNT) - 1))
        for domain in range(PHC_COUNT):
            self._write_increment(domain, NOMINAL_INCREMENT)
        self.door.write("PTP_DOM_CFG", DomCfg.ENA.put((1 << PHC_COUNT) - 1))

    def _pin(self, action: PinAction, domain: int) -> None:
        _check_domain(domain)
        self.door.modify(
            f"PTP_PIN_CFG[{TOD_ACC_PIN}]", PinCfg.ACTION.put(action) | PinCfg.DOM.put(domain), PIN_MASK
        )

    def gettime(self, domain: int = PHC_PORT) -> int:
        """The time of day: SAVE it, then read what was saved. Five register accesses."""
        read = self.door.read
        self._pin(PinAction.SAVE, domain)
        seconds = read(f"PTP_TOD_SEC_MSB[{TOD_ACC_PIN}]") << 32
        seconds |= read(f"PTP_TOD_SEC_LSB[{TOD_ACC_PIN}]")
        ns = TOD_NSEC.get(read(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]"))
        if ns & 0x3FFFFFF0 == 0x3FFFFFF0:  # slightly negative: -16..-1 of the next second
            seconds, ns = seconds - 1, (ns & 0xF) + SECOND - 16
        return seconds * SECOND + ns

    def settime(self, time_ns: int, domain: int = PHC_PORT) -> None:
        """Set the time of day. The pin must be IDLE before its registers are written."""
        seconds, ns = divmod(time_ns, SECOND)
        if not 0 <= seconds < 1 << 48:
            raise OSError(errno.ERANGE, f"settime({time_ns}): the clock counts 0..2^48 - 1 seconds")
        self._pin(PinAction.IDLE, domain)
        self.door.write(f"PTP_TOD_SEC_MSB[{TOD_ACC_PIN}]", seconds >> 32)
        self.door.write(f"PTP_TOD_SEC_LSB[{TOD_ACC_PIN}]", seconds & 0xFFFFFFFF)
        self.door.write(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]", ns)
        self._pin(PinAction.LOAD, domain)

    def adjtime(self, delta_ns: int, domain: int = PHC_PORT) -> None:
        """Move the time: in hardware if it is less than half a second, else by reading and setting."""
        if abs(delta_ns) < SECOND // 2:
            self._pin(PinAction.IDLE, domain)
            self.door.write(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]", delta_ns & TOD_NSEC.mask)
            self._pin(PinAction.DELTA, domain)
        else:
            self.settime(self.gettime(domain) + delta_ns, domain)

    def adjfine(self, scaled_ppm: int, domain: int = PHC_PORT) -> None:
        """Run faster or slower by `scaled_ppm` / 65536 ppm of the nominal rate; 0 is the nominal rate.

        Raises:
            OSError: ERANGE, more than 200000 ppb.
        """
        _check_domain(domain)
        size = abs(scaled_ppm)
        if size * 1000 > MAX_ADJ_PPB << 16:
            most = (MAX_ADJ_PPB << 16) // 1000
            raise OSError(errno.ERANGE, f"adjfine({scaled_ppm}): allowed -{most}..{most} ({MAX_ADJ_PPB} ppb)")
        change = ONE_PPM * (size >> 16) + (ONE_PPM * (size & 0xFFFF) >> 16)
        disable = DomCfg.CLKCFG_DIS
        self.door.modify("PTP_DOM_CFG", disable.put(1 << domain), disable.mask)
        self._write_increment(domain, NOMINAL_INCREMENT + (change if scaled_ppm >= 0 else -change))
        self.door.modify("PTP_DOM_CFG", 0, disable.mask)

    def _write_increment(self, domain: int, increment: int) -> None:
        self.door.write(f"PTP_CLK_PER_CFG[{domain}][0]", increment & 0xFFFFFFFF)
        self.door.write(f"PTP_CLK_PER_CFG[{domain}][1]", increment >> 32)

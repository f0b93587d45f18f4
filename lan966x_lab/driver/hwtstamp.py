"""Which frames get a hardware time: the configuration that ``SIOCSHWTSTAMP`` brings, and what the hardware
grants.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum

from lan966x_lab.hw.lan966x_regs import RewOp


class TxType(IntEnum):
    """HWTSTAMP_TX_… (include/uapi/linux/net_tstamp.h)."""

    OFF = 0
    ON = 1
    ONESTEP_SYNC = 2
    ONESTEP_P2P = 3


class RxFilter(IntEnum):
    """HWTSTAMP_FILTER_…, same source."""

    NONE = 0
    ALL = 1
    SOME = 2
    PTP_V1_L4_EVENT = 3
    PTP_V1_L4_SYNC = 4
    PTP_V1_L4_DELAY_REQ = 5
    PTP_V2_L4_EVENT = 6
    PTP_V2_L4_SYNC = 7
    PTP_V2_L4_DELAY_REQ = 8
    PTP_V2_L2_EVENT = 9
    PTP_V2_L2_SYNC = 10
    PTP_V2_L2_DELAY_REQ = 11
    PTP_V2_EVENT = 12
    PTP_V2_SYNC = 13
    PTP_V2_DELAY_REQ = 14
    NTP_ALL = 15


TX_COMMANDS: dict[int, RewOp] = {
    TxType.OFF: RewOp.NOOP,
    TxType.ON: RewOp.TWO_STEP_PTP,
    TxType.ONESTEP_SYNC: RewOp.ONE_STEP_PTP,
}
"""What a transmit type makes of PTP frames; other types are refused with ERANGE."""
RX_FILTERS: dict[int, bool] = {filt: filt != RxFilter.NONE for filt in RxFilter if filt != RxFilter.SOME}
"""Whether a filter opens the gate; each that does is reported back as ALL. SOME is refused with ERANGE."""


@dataclass(frozen=True, slots=True)
class HwtstampConfig:
    """``struct hwtstamp_config``."""

    tx_type: int = TxType.OFF
    rx_filter: int = RxFilter.NONE


def grant(config: HwtstampConfig) -> HwtstampConfig:
    """What the hardware makes of `config`: a filter that asks for any times becomes ALL.

    Raises:
        OSError: ERANGE, a type or filter that the hardware does not have.
    """
    for name, value, known in (
        ("tx_type", config.tx_type, TX_COMMANDS),
        ("rx_filter", config.rx_filter, RX_FILTERS),
    ):
        if value not in known:
            raise OSError(errno.ERANGE, f"{name} {value}: use one of {[int(each) for each in known]}")
    opens = RX_FILTERS[config.rx_filter]
    return HwtstampConfig(TxType(config.tx_type), RxFilter.ALL if opens else RxFilter.NONE)

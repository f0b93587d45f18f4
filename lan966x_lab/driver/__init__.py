"""The driver code that the patches change: one switch for each patch (`Options`, `PATCHES`).

`Board` puts chip, driver and a small stack together; `run` lets time pass. `Ledger` proves that nothing got
lost.
"""

from lan966x_lab.driver.board import Board, Delivered, run
from lan966x_lab.driver.hwtstamp import HwtstampConfig, RxFilter, TxType
from lan966x_lab.driver.lan966x import Driver
from lan966x_lab.driver.ledger import Ledger, LedgerError
from lan966x_lab.driver.netdev import Port, TxResult
from lan966x_lab.driver.options import PATCHES, Options

__all__ = [
    "PATCHES",
    "Board",
    "Delivered",
    "Driver",
    "HwtstampConfig",
    "Ledger",
    "LedgerError",
    "Options",
    "Port",
    "RxFilter",
    "TxResult",
    "TxType",
    "run",
]

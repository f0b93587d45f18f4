"""The driver code that the patches change: one switch for each patch (`Options`, `PATCHES`).

`Board` puts chip, driver and a small stack together; `run` lets time pass. `Ledger` proves that nothing got
lost. The drivers of the other two threads stand beside it: `bcm4908` with its `RingBoard` (seed 003) and
`ravb` (seed 004), both under the checksum rules of `stack`.

Locks and barriers are left out: one thread runs here, and memory is seen in program order. A real driver
needs a lock around SAVE and the three reads of the clock, or a second reader overwrites the latched time; one
around the transmit ring and the words of an injected frame; and a write barrier before it links a descriptor,
or the device may see the link before what it leads to.
"""

from lan966x_lab.driver.board import Board, Delivered, run
from lan966x_lab.driver.hwtstamp import HwtstampConfig, RxFilter, TxType
from lan966x_lab.driver.lan966x import Driver
from lan966x_lab.driver.ledger import Ledger, LedgerError
from lan966x_lab.driver.netdev import Port, TxResult
from lan966x_lab.driver.options import PATCHES, Options
from lan966x_lab.driver.ring_board import RingBoard
from lan966x_lab.driver.stack import Stack

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
    "RingBoard",
    "RxFilter",
    "Stack",
    "TxResult",
    "TxType",
    "run",
]

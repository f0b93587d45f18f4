"""The two profiles of seed 004: where the CPU's samples fell, with receive checksum offload off and on.

``data/profiles.csv`` holds the rows that the mail lists, the top twelve of each profile. A symbol without a
percentage was not listed there; then it had less than the least listed row, which is all one can say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from lan966x_lab import data_path
from lan966x_lab.measure import tables

__all__ = ["IDLE", "OFFLOAD", "ProfileRow", "least_listed", "load", "percent", "total"]

OFFLOAD = ("off", "on")
IDLE = "swapper"  # the name under which perf shows the idle task


@dataclass(frozen=True)
class ProfileRow:
    """One symbol: the process it ran in, its share of all samples in percent, and what the function does."""

    process: str
    symbol: str
    percent: Mapping[str, Decimal | None]  # "off" and "on"; None where the mail does not list the symbol
    what: str


@cache
def load() -> tuple[ProfileRow, ...]:
    """All rows, the largest share with offload off first, as in the mail.

    Raises:
        tables.DamagedTableError: the file does not hold what it should.
    """
    columns = {"process": str, "symbol": str, "what": str} | dict.fromkeys(OFFLOAD, tables.number_or_none)
    return tuple(
        ProfileRow(row["process"], row["symbol"], {side: row[side] for side in OFFLOAD}, row["what"])
        for _, row in tables.read(data_path("profiles.csv"), columns)
    )


def percent(symbol: str, offload: str) -> Decimal | None:
    """The share of ``symbol`` in percent of all samples, or None where it is not listed.

    Raises:
        KeyError: neither profile lists the symbol.
    """
    for row in load():
        if row.symbol == symbol:
            return row.percent[offload]
    raise KeyError(f"{symbol!r} is in neither profile; listed are {', '.join(row.symbol for row in load())}")


def total(offload: str, process: str | None = None) -> Decimal:
    """The sum of the listed shares, in percent; of one process only if named (``IDLE`` for the idle task)."""
    return sum(
        (row.percent[offload] or Decimal(0) for row in load() if process in (None, row.process)), Decimal(0)
    )


def least_listed(offload: str) -> Decimal:
    """The smallest share that this profile lists: everything that is missing had less."""
    return min(share for row in load() if (share := row.percent[offload]) is not None)

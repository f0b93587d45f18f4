"""Read a table of ``data/`` and refuse it with a clear word when it is damaged."""

import csv
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from lan966x_lab import DamagedDataError

__all__ = ["DamagedTableError", "read"]


class DamagedTableError(DamagedDataError):
    """A table does not hold what it should; the message names the file, the line and the column."""

    def __init__(self, path: Path, line: int, column: str, problem: str) -> None:
        super().__init__(path, f"line {line}, column {column}: {problem}")


def read(path: Path, columns: Mapping[str, Callable[[str], Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row of a CSV file as (line number, {column: value}).

    Args:
        path: the file, UTF-8, its first line the column names.
        columns: column name → function that makes the value from the text and raises ValueError if it cannot.

    Raises:
        DamagedTableError: a column is missing or unknown, a row has too few or too many cells, or a
            value is refused.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        if strange := set(header) ^ set(columns):
            raise DamagedTableError(path, 1, min(strange), "this column is missing, or should not be there")
        for cells in rows:
            line = rows.line_num
            if len(cells) != len(header):
                column = header[min(len(cells), len(header) - 1)]
                raise DamagedTableError(path, line, column, f"{len(cells)} cells instead of {len(header)}")
            row = {}
            for column, cell in zip(header, cells, strict=True):
                try:
                    row[column] = columns[column](cell)
                except (ArithmeticError, ValueError) as error:
                    raise DamagedTableError(path, line, column, f"{cell!r} does not fit ({error})") from None
            yield line, row


def number_or_none(cell: str) -> Decimal | None:
    """A decimal number, exactly as printed, or None for an empty cell."""
    return finite(cell) if cell else None


def finite(cell: str) -> Decimal:
    """A decimal number, exactly as printed."""
    value = Decimal(cell)
    if not value.is_finite():
        raise ValueError("a number is expected")
    return value

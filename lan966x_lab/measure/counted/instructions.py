"""Machine instructions of the forms in C: how many ran, and the listings to read. A count is no duration.

``tests/bench/count_instructions.py`` compiled ``data/instructions/forms.c`` with gcc and clang for three
processors, ran every function in an emulator, compared what it did with the package's codec, and counted.

A job is one field (``"set DSTS"``, ``"get LEN"``) or a frame's header: ``"TX5"`` for TCP, ``"TX7"`` for PTP,
both with the zeroing, ``"RX2"`` for reception by DMA, ``"RX3"`` for the manual one. ``args`` says whether the
compiler knew position and width (``"constant"``, inlined) or the routine got them (``"run_time"``).

>>> find("gcc -O2", "ARMv7-A", "bit_loop", "constant", "set DSTS").loops > 0
True
>>> answer("gcc -O2", "ARMv7-A", "DSTS")
'loop'
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from lan966x_lab import data_path
from lan966x_lab.measure import tables
from lan966x_lab.measure.counted import header_work

__all__ = [
    "FORMS",
    "GETTERS",
    "TITLE",
    "Counted",
    "Cured",
    "answer",
    "cures",
    "find",
    "listing",
    "load",
    "loops",
]

TITLE = "== {} | {} | {} | {} | {}"  # of a listing: compiler, arch, form, args, job

#: The forms under the names that tables and pictures give them, as in ``header_work.FORMS``.
FORMS: Mapping[str, str] = MappingProxyType(
    {
        "packing": "general routine",
        "bit_loop": "bit loop",
        "byte_shift_v2": "byte shift (v2)",
        "byte_shift": "byte shift",
        "words": header_work.CONSTANT_WORDS,
        "template": "template",
    }
)
#: The functions of ``cure.c``, in the words of notebook 02.
GETTERS: Mapping[str, str] = MappingProxyType(
    {
        "published": "published",
        "first_cure": "first cure, GENMASK(length, 0)",
        "one_less": "GENMASK(length - 1, 0)",
        "merged": "merged cure, a 1 of 64 bits",
    }
)
_LABEL = re.compile(r"L\d+")
_AS_GOOD = 1.25  # times the instructions of the byte shift


@dataclass(frozen=True)
class Counted:
    """One function in machine code, called once."""

    compiler: str  # with its optimisation level: "gcc -O2"
    arch: str  # "x86-64", "ARMv7-A", "MIPS32r2"
    form: str  # of FORMS
    args: str  # "constant" or "run_time"
    job: str
    executed: int  # instructions that ran, the return included
    length: int  # instructions that there are, in all functions that the call went through
    loops: int  # jumps back in them
    lines: int  # pieces of 32 bytes, a line of the Cortex-A7's instruction cache, that were executed from
    version: str  # of the compiler


@cache
def load() -> tuple[Counted, ...]:
    """All rows of ``data/instructions/counts.csv``.

    Raises:
        tables.DamagedTableError: the file does not hold what it should.
    """
    columns: dict[str, Any] = dict.fromkeys(("compiler", "arch", "form", "args", "job"), str)
    columns |= dict.fromkeys(("executed", "length", "loops", "lines"), int) | {"version": str}
    return tuple(Counted(**row) for _, row in tables.read(data_path("instructions", "counts.csv"), columns))


@dataclass(frozen=True)
class Cured:
    """What a getter of ``data/instructions/cure.c`` made of TIMESTAMP when it ran."""

    compiler: str
    arch: str
    getter: str  # of GETTERS
    written: int  # by the switch, 32 bits
    read: int  # by the getter, 64 bits
    version: str  # of the compiler


@cache
def cures() -> tuple[Cured, ...]:
    """All rows of ``data/instructions/cure.csv``.

    Raises:
        tables.DamagedTableError: the file does not hold what it should.
    """
    columns: dict[str, Any] = dict.fromkeys(("compiler", "arch", "getter", "version"), str)
    columns |= dict.fromkeys(("written", "read"), _hexadecimal)
    return tuple(Cured(**row) for _, row in tables.read(data_path("instructions", "cure.csv"), columns))


def find(compiler: str, arch: str, form: str, args: str, job: str) -> Counted:
    """The row of one function.

    Raises:
        KeyError: nobody counted that; the message lists what each part may be.
    """
    rows = _by_key()
    key = (compiler, arch, form, args, job)
    if key not in rows:
        choices = "; ".join(", ".join(dict.fromkeys(part)) for part in zip(*rows, strict=True))
        raise KeyError(f"{' | '.join(key)} was not counted. There are {choices}, not all combined.")
    return rows[key]


def listing(compiler: str, arch: str, form: str, field: str, way: str = "set") -> tuple[str, ...]:
    """The machine code that sets (or gets) one field with constants, line by line: labels and instructions.

    Raises:
        KeyError: no such listing is stored.
    """
    title = TITLE.format(compiler, arch, form, "constant", f"{way} {field}")
    if title not in _listings():
        raise KeyError(
            f"{title[3:]} is not in listings.txt, which holds every form with constants, field by field"
        )
    return _listings()[title]


def loops(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The loops of a listing: for each jump back to a label, the indexes of the label and of the jump."""
    labels: dict[str, int] = {}
    found = []
    for index, line in enumerate(lines):
        if line.endswith(":"):
            name = line[:-1]
            if not _LABEL.fullmatch(name):
                labels.clear()  # another function, with labels of its own
            labels[name] = index
        else:
            goal = re.split(r"[ ,]", line)[-1]
            if _LABEL.fullmatch(goal) and goal in labels:
                found.append((labels[goal], index))
    return found


def answer(compiler: str, arch: str, field: str, way: str = "set") -> str:
    """Did the compiler make of the bit loop with constants what the byte shift with constants is?

    ``"yes"``: at most a quarter more instructions run. ``"unrolled"``: no loop is left, but the bits still go
    one by one. ``"loop"``: a loop is left.
    """
    bits, shift = (
        find(compiler, arch, form, "constant", f"{way} {field}") for form in ("bit_loop", "byte_shift")
    )
    if bits.executed <= _AS_GOOD * shift.executed:
        return "yes"
    return "loop" if bits.loops else "unrolled"


def _hexadecimal(cell: str) -> int:
    return int(cell, 16)


@cache
def _by_key() -> dict[tuple[str, str, str, str, str], Counted]:
    return {(row.compiler, row.arch, row.form, row.args, row.job): row for row in load()}


@cache
def _listings() -> dict[str, tuple[str, ...]]:
    text = data_path("instructions", "listings.txt").read_text(encoding="utf-8")
    pieces = (piece.strip("\n").split("\n") for piece in text.split("\n\n"))
    return {title: tuple(lines) for title, *lines in pieces}

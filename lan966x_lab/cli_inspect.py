"""``lan966x-lab inspect``: what is in a capture, and which of its checksums are right."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from tqdm import tqdm

from lan966x_lab.net import report
from lan966x_lab.net.captures import CaptureError, Reader, Record

__all__ = ["frame_from_hex", "run_inspect"]

_LARGE = 8 << 20  # bytes; a smaller file is done before a bar would help
_LINES = 256  # printed at a time
_LONGEST_HEX = 1 << 21  # characters; no frame is longer
_OFFSET = re.compile(r"\s*(?:0x)?([0-9a-f]{4,8})(:\s|\s\s)\s*", re.IGNORECASE)  # before a hexdump's line
_SEPARATOR = re.compile(r"0x|[\s:,.-]+", re.IGNORECASE)


def run_inspect(options: argparse.Namespace) -> int:
    """Print the frames of a file, or the one in hex on standard input; return 0, or 2 after a message.

    A capture that ends early gives its frames, a warning on standard error, and 0.

    Args:
        options: ``file`` (a path, or ``-`` for standard input), ``limit`` (None, or how many frames at most),
            ``json`` (one object a line, and no totals).

    Raises:
        BrokenPipeError: nobody reads standard output any more.
    """
    if options.limit is not None and options.limit < 1:
        return _fail(f"--limit {options.limit}: the number of frames must be 1 or more")
    try:
        if options.file == "-":
            frame = frame_from_hex(_standard_input())
            _print([Record(frame, 0, len(frame))], None, options)
        else:
            _print_file(options)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except CaptureError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"cannot read {options.file}: {error.strerror}")
    return 0


def frame_from_hex(text: str) -> bytes:
    """The bytes that hex digits say; blanks, line ends, ``: , . -`` and ``0x`` may stand between bytes.

    A line may begin with its offset, as in the dumps of tcpdump, xxd and Wireshark.

    Raises:
        CaptureError: there are no digits, other characters, or half a byte.
    """
    frame = bytearray()
    for number, line in enumerate(text.splitlines(), 1):
        offset = _OFFSET.match(line)
        if offset and int(offset[1], 16) == len(frame):
            # The characters stand behind two blanks in xxd and tcpdump, behind three in Wireshark and tshark.
            line = line[offset.end() :].split("  " if offset[2][0] == ":" else "   ")[0]
        for digits in filter(None, _SEPARATOR.split(line)):
            try:
                frame += bytes.fromhex(digits)
            except ValueError:
                found = f"{digits[:20]!r} in line {number} is not whole bytes of hex digits"
                raise CaptureError(f"standard input: {found}; give two digits a byte, 0-9 and a-f") from None
    if not frame:
        raise CaptureError("standard input: no hex digits; pipe the bytes of a frame, or name a capture file")
    return bytes(frame)


def _standard_input() -> str:
    if sys.stdin.isatty():
        raise CaptureError("name a capture file, or pipe the hex of a frame into `lan966x-lab inspect`")
    octets = sys.stdin.buffer.read(_LONGEST_HEX + 1)
    if len(octets) > _LONGEST_HEX:
        raise CaptureError("standard input: more than the hex of one frame; name a capture file instead")
    if b"\0" in octets:
        raise CaptureError("standard input: binary data, not hex; to read a piped capture, name /dev/stdin")
    return octets.decode(errors="replace")


def _print_file(options: argparse.Namespace) -> None:
    with open(options.file, "rb") as stream:
        reader = Reader(stream, options.file)
        _print(_with_progress(reader, os.fstat(stream.fileno()).st_size), reader, options)
    if reader.truncated:
        print(f"lan966x-lab: {reader.truncated}", file=sys.stderr)


def _with_progress(reader: Reader, size: int) -> Iterator[Record]:
    """The records, with a bar on standard error where it does not disturb."""
    shown = size > _LARGE and sys.stderr.isatty() and not sys.stdout.isatty()
    with tqdm(total=size, unit="B", unit_scale=True, leave=False, disable=not shown) as bar:
        for record in reader:
            yield record
            bar.update(reader.position - bar.n)


def _print(records: Iterable[Record], reader: Reader | None, options: argparse.Namespace) -> None:
    """Print what there is to say of the records; ``reader`` is where they come from, if from a file."""
    entries = report.entries(islice(records, options.limit))
    if options.json:
        _print_lines(json.dumps(report.as_json(entry)) for entry in entries)
        return
    totals = report.Totals()
    print(report.heading())
    if reader is None:
        _print_lines(map(report.as_line, entries))
        return
    # The reader is asked for each line, because a pcapng file may describe a finer clock on the way.
    _print_lines(
        report.as_line(entry, totals.first_ns, reader.decimals) for entry in map(totals.add, entries)
    )
    print(f"\n{totals.text(reader.decimals)}")


def _print_lines(lines: Iterator[str]) -> None:
    while some := list(islice(lines, _LINES)):
        print("\n".join(some))


def _fail(message: str) -> int:
    print(f"lan966x-lab: {message}", file=sys.stderr)
    return 2

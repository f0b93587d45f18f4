"""Tell about the frames of a capture: one entry a frame, as JSON or as a line, and the totals.

``lan966x-lab inspect`` prints what this module makes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, NamedTuple

from lan966x_lab.net import frames, ptp, verdicts
from lan966x_lab.net.captures import Record
from lan966x_lab.net.verdicts import Checks, Verdict

__all__ = ["Entry", "Totals", "as_json", "as_line", "entries", "heading", "time_text"]

_BATCH = 2048  # frames whose checksums are added up together
_COLUMNS = "{:>5} {:>12} {:>6}  {:<31}  {:<24}  {}"
_WORDS = {verdict: verdict.replace("_", " ") for verdict in Verdict}
_EXPLAINED = {
    Verdict.WRONG: "a receiver drops the frame",
    Verdict.PARTIAL: "only the pseudo-header sum, seen at a sender whose hardware adds the rest; no error",
    Verdict.ABSENT: "0 in UDP over IPv4, the sender chose to send none",
    Verdict.NOT_CHECKABLE: "a fragment, a frame that was cut off, or lengths that cannot be true",
}


class Entry(NamedTuple):
    """What there is to say about one frame."""

    number: int  # from 1
    time_ns: int
    length: int  # bytes on the wire
    frame: frames.Frame
    ptp_class: int  # as ``ptp.classify`` says; general PTP messages have the class 0
    checks: Checks


def entries(records: Iterable[Record]) -> Iterator[Entry]:
    """An entry for each record, read in batches."""
    source, index = iter(records), 0
    while batch := list(islice(source, _BATCH)):
        parsed = [frames.parse(record.frame, record.fcs_length) for record in batch]
        for record, frame, checks in zip(batch, parsed, verdicts.check_batch(parsed), strict=True):
            index += 1
            length = max(record.wire_length, len(record.frame))
            yield Entry(index, record.time_ns, length, frame, ptp.classify(record.frame), checks)


def as_json(entry: Entry) -> dict[str, Any]:
    """The entry as ``inspect --json`` prints it, one object a line.

    ``index`` from 1; ``time_ns`` since 1970, 0 where there is none; ``length`` in bytes on the wire;
    ``layers`` from the outside in; ``ptp`` null or the message, its ``correction`` in 2**-16 ns;
    ``checksums`` a verdict for each one that is there; ``notes`` for people: where reading ended, why a
    checksum is wrong or not checkable, what else is unusual.
    """
    return {
        "index": entry.number,
        "time_ns": entry.time_ns,
        "length": entry.length,
        "layers": list(entry.frame.layers),
        "ptp": _ptp_json(entry),
        "checksums": {name: check.verdict.value for name, check in entry.checks.items()},
        "notes": list(_notes(entry)),
    }


def heading() -> str:
    """The line above the lines of ``as_line``."""
    return _COLUMNS.format("frame", "time/s", "bytes", "layers", "checksums", "notes")


def as_line(entry: Entry, start_ns: int = 0, decimals: int = 6) -> str:
    """The entry for people: time since ``start_ns``, length, layers, verdicts, PTP message, oddities.

    ``decimals`` of the seconds: 6 or 9, the same for all lines of a capture.
    """
    checksums = ", ".join(f"{name} {_WORDS[check.verdict]}" for name, check in entry.checks.items())
    return _COLUMNS.format(
        entry.number,
        time_text(entry.time_ns - start_ns, decimals),
        entry.length,
        _layers_text(entry.frame.layers),
        checksums,
        "; ".join(_notes(entry)),
    ).rstrip()


def time_text(time_ns: int, decimals: int = 6) -> str:
    """Seconds with that many decimals, up to 9; what lies behind them is cut off."""
    sign, (seconds, ns) = "-" if time_ns < 0 else "", divmod(abs(time_ns), 10**9)
    return f"{sign}{seconds}.{ns:09}"[: decimals - 9 or None]


class Totals:
    """Counts of what passed by."""

    def __init__(self) -> None:
        self.frames = 0
        self.bytes = 0
        self.first_ns = 0
        self.last_ns = 0
        self.layers: Counter[tuple[str, ...]] = Counter()
        self.ptp: Counter[tuple[str, int]] = Counter()  # by message type and class
        self.checksums: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)

    def add(self, entry: Entry) -> Entry:
        """Count one more frame, and hand it on."""
        if self.frames == 0:
            self.first_ns = entry.time_ns
        self.frames += 1
        self.bytes += entry.length
        self.last_ns = entry.time_ns
        self.layers[entry.frame.layers] += 1
        if entry.ptp_class or entry.frame.ptp:
            self.ptp[_type_name(entry.frame.ptp), entry.ptp_class] += 1
        for name, check in entry.checks.items():
            self.checksums[name][check.verdict] += 1
        return entry

    def text(self, decimals: int = 6) -> str:
        """The totals for people: several lines; ``decimals`` as for ``as_line``."""
        head = f"{self.frames} frame{'s' * (self.frames != 1)}, {self.bytes} bytes"
        if self.frames:
            head += f", {time_text(self.last_ns - self.first_ns, decimals)} s from {_date(self.first_ns)}"
        lines = [head]
        lines += [
            f"{count:>8}  {_layers_text(layers) or 'nothing read'}"
            for layers, count in self.layers.most_common()
        ]
        if self.ptp:
            lines += ["", f"{'PTP':>8}  {'message':<24}class"]
            lines += [
                f"{count:>8}  {name:<24}{number:#04x} {ptp.describe(number) if number else 'none'}"
                for (name, number), count in self.ptp.most_common()
            ]
        if self.checksums:
            seen = [v for v in Verdict if any(counts[v] for counts in self.checksums.values())]
            lines += ["", "checksum" + "".join(f"   {_WORDS[verdict]}" for verdict in seen)]
            lines += [
                f"{name:>8}" + "".join(f"   {counts[verdict] or '-':>{len(verdict)}}" for verdict in seen)
                for name, counts in self.checksums.items()
            ]
            lines += [
                f"{_WORDS[verdict]}: {_EXPLAINED[verdict]}" for verdict in seen if verdict in _EXPLAINED
            ]
        return "\n".join(lines)


def _ptp_json(entry: Entry) -> dict[str, Any] | None:
    message = entry.frame.ptp
    if message is None:  # a class without a message that can be read: version 1
        return {"class": entry.ptp_class, "type": None, "sequence": None} if entry.ptp_class else None
    return {
        "class": entry.ptp_class,
        "type": _type_name(message),
        "sequence": message.sequence,
        "version": f"{message.version}.{message.minor_version}",
        "domain": message.domain,
        "correction": message.correction,
        "truncated": message.truncated,
    }


def _type_name(message: ptp.PtpMessage | None) -> str:
    if message is None:
        return "not version 2"
    kind = message.message_type
    return kind.name if isinstance(kind, ptp.MessageType) else f"reserved {kind:#x}"


@lru_cache
def _layers_text(layers: tuple[str, ...]) -> str:
    """The layers in one line; a run of the same one is counted."""
    runs = [(layer, len(list(run))) for layer, run in groupby(layers)]
    return " ".join(layer if count == 1 else f"{count}x{layer}" for layer, count in runs)


def _notes(entry: Entry) -> Iterator[str]:
    frame, message = entry.frame, entry.frame.ptp
    if message or entry.ptp_class:
        sequence = "" if message is None or message.sequence is None else f" #{message.sequence}"
        yield f"{_type_name(message)}{sequence}, class {entry.ptp_class:#04x}"
    if message and message.truncated:
        yield message.truncated
    if frame.stopped:
        yield frame.stopped.reason
    upper = frame.upper
    carries = upper is not None and upper.protocol != frames.Protocol.NO_NEXT_HEADER
    if upper and carries and (len(upper.source), upper.protocol) not in frames.TRANSPORTS:
        yield "its checksum, if any, is not checkable"
    for name, check in entry.checks.items():
        if check.verdict is Verdict.WRONG or (check.verdict is Verdict.NOT_CHECKABLE and not frame.stopped):
            yield f"{name}: {check.reason}"
    if entry.length > len(frame.octets):
        yield f"{len(frame.octets)} bytes captured"
    if frame.padding.strip(b"\0"):
        yield "padding is not zero"


def _date(time_ns: int) -> str:
    try:
        return f"{datetime(1970, 1, 1) + timedelta(seconds=time_ns // 10**9):%Y-%m-%d %H:%M:%S} UTC"
    except OverflowError:  # a capture may claim any time
        return f"{time_text(time_ns)} s after 1970"

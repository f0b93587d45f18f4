"""The exercise of notebook 07: tell a right TCP checksum from a wrong one and from a partial one."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lan966x_lab.net import checksum, frames, verdicts

from ..checks import Check, Step
from ..figures.packets import frames_of
from ..tables import Table, table

__all__ = ["Segment", "segments", "survey", "tell_check"]

_FIELD = slice(16, 18)  # where TCP keeps its checksum


class Segment(NamedTuple):
    """A TCP segment as it arrives, header and payload, and the folded sum of its pseudo-header."""

    octets: bytes
    pseudo_sum: int


def segments(capture: str) -> list[Segment]:
    """The TCP segments of a capture, in order."""
    found = []
    for octets in frames_of(capture):
        cover = verdicts.plan(frames.parse(octets)).get("tcp")
        if isinstance(cover, verdicts.Cover):
            found.append(Segment(octets[cover.start : cover.stop], cover.pseudo_sum))
    return found


def survey(tell: Callable[[bytes, int], str], captures: Sequence[str]) -> Table:
    """What ``tell`` says of every TCP segment of some captures, beside what the lab says."""
    rows = []
    for name in captures:
        lab = [verdicts.check(frames.parse(octets))["tcp"].verdict.value for octets in frames_of(name)]
        try:
            yours = [str(tell(*segment)) for segment in segments(name)]
        except NotImplementedError:
            rows.append([name, "not started", _counts(lab), "—"])
        else:
            same = sum(mine == theirs for mine, theirs in zip(yours, lab, strict=True))
            rows.append([name, _counts(yours), _counts(lab), f"{same} of {len(lab)}"])
    return table(
        rows, ["capture", "your tell", "the lab", "agreement"], "Every TCP segment of three captures"
    )


def _counts(words: Sequence[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in Counter(words).most_common())


_OK = segments("iperf3-tcp4-csum-ok")
_PARTIAL = segments("iperf3-tcp4-csum-partial")[0]
_DATA = next(segment for segment in _OK if len(segment.octets) > 100)
_ODD = next(segment for segment in _OK if len(segment.octets) % 2)


def _with_field(segment: Segment, field: int) -> Segment:
    octets = bytearray(segment.octets)
    octets[_FIELD] = field.to_bytes(2, "big")
    return segment._replace(octets=bytes(octets))


def _flipped(segment: Segment) -> Segment:
    return segment._replace(octets=segment.octets[:-1] + bytes([segment.octets[-1] ^ 0x10]))


def _coincidence(segment: Segment) -> Segment:
    """A right segment whose checksum equals the sum of its pseudo-header: the first word makes up for it."""
    field = _with_field(segment, segment.pseudo_sum)
    rest = bytes(2) + field.octets[2:]
    first = checksum.internet_checksum(rest, segment.pseudo_sum)
    return field._replace(octets=first.to_bytes(2, "big") + rest[2:])


def _step(want: str, segment: Segment, did: str, *mistakes: tuple[object, str], edge: bool = False) -> Step:
    return Step(want, tuple(segment), did=f"called tell with {did}", mistakes=mistakes, edge=edge)


tell_check = Check(
    "tell",
    [
        _step(
            "right",
            _DATA,
            "a segment that arrived intact",
            (
                "wrong",
                "over segment and pseudo-header together, the sum is 0xffff; it is not inverted, so not 0.",
            ),
        ),
        _step("wrong", _flipped(_DATA), "the same segment, one bit of its payload flipped"),
        _step(
            "partial",
            _PARTIAL,
            "a segment as its sender's capture shows it",
            ("wrong", "bytes 16 and 17 hold the sum of the pseudo-header, as it is."),
        ),
        _step(
            "partial",
            _flipped(_PARTIAL),
            "the same, one bit of its payload flipped",
            ("wrong", "nobody has added up the payload yet, so nothing can be said of it."),
        ),
        _step("right", _ODD, "a segment of odd length that arrived intact", edge=True),
        _step(
            "wrong",
            _with_field(_DATA, checksum.combine(0, _DATA.pseudo_sum, 1)),
            "a segment whose field holds the pseudo-header sum with its bytes swapped",
            ("partial", "the field is big-endian: byte 16 is the high one."),
            edge=True,
        ),
        _step(
            "right",
            _coincidence(_DATA),
            "an intact segment whose checksum happens to equal the pseudo-header sum",
            ("partial", "first ask whether it is right; only a segment that is not can be partial."),
            edge=True,
        ),
    ],
    hint="add up segment and pseudo-header with checksum.ones_sum, and look at the sum of an intact one.",
)

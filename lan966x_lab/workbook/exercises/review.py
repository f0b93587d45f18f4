"""The capstone of notebook 08: review a sixth patch. Your review is judged by running what it says."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

from lan966x_lab.measure.counted.sixth import (
    REPAIRS,
    Outcome,
    Poll,
    each_frame,
    once_per_poll,
    run,
    saved_ns,
    waiting,
)

from ..checks import Check, Step
from ..palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..tables import Table, table

__all__ = ["COVER_LETTER", "KEYS", "VERDICTS", "poll_picture", "repairs_table", "review_check"]

KEYS = ("fails_at", "saved_accesses", "saved_ns", "repair", "verdict")
VERDICTS = ("apply", "change", "reject")
POLLS = (1, 8, 64)
OF = 8  # frames in the poll whose saving in ns is asked for

COVER_LETTER = """\
read the time of day once per poll

With a receive filter set, the driver completes the time of every frame, and for each of
them it reads the time of day: five register accesses. All frames of a poll come within
microseconds of each other, so one reading serves them all. Read it when the poll begins
and hand it to the frames.

This takes five register accesses off every frame. PTP users get back all that the gate of
seed 000 gave to everybody else. The second that changes between arrival and reading is
borrowed as before. No functional change intended.
"""
"""The sixth patch's message. Invented: nobody has sent it."""

_PROOFS = (
    waiting(OF),
    Poll(8_000_000_500, (7_999_998_000, 8_000_000_100)),
    Poll(5_400_000_000, (5_399_999_000, 5_400_010_000, 5_400_030_000)),
    Poll(7_999_995_000, (7_999_991_000, 8_000_003_000)),
)
"""Where a repair has to be right: all wait, a second ends before the poll, frames come meanwhile, both."""


def poll_picture(poll: Poll, repair: str | None = None) -> Picture:
    """One poll in both ways: when frames arrive, when the clock is read, and by how much each time is off.

    Args:
        poll: the frames.
        repair: a name of ``REPAIRS``; with it there is a third lane.

    Raises:
        ValueError: no repair has this name.
    """
    if repair is not None and repair not in REPAIRS:
        raise ValueError(f"there is no repair {repair!r}: choose from {', '.join(REPAIRS)}")
    ways = {"as it is": run(each_frame, poll), "sixth patch": run(once_per_poll, poll)}
    if repair is not None:
        ways["your repair"] = run(REPAIRS[repair], poll)
    arrivals = ways["as it is"].arrived
    moments = [poll.begin_ns, *arrivals, *(at for way in ways.values() for at in way.readings)]
    first, last = min(moments), max(moments)
    left, right = 130, WIDTH - 120
    scale = (right - left) / max(1, last - first)
    end = 84 + 44 * len(ways)
    svg = Svg(WIDTH, end + 50, "a poll: arrivals, readings of the clock, errors")
    svg.text(20, 28, f"A poll that takes {len(arrivals)} frames", size=15, bold=True)
    svg.text(WIDTH - 20, 28, "counted", size=12, anchor="end", fill=EVIDENCE["counted"].strong, bold=True)
    begin = left + (poll.begin_ns - first) * scale
    svg.line(begin, 44, begin, end, stroke=INK, dash="4 3")
    svg.text(
        begin, end + 18, "the poll begins", size=11, anchor="middle" if begin > 120 else "start", fill=MUTED
    )
    svg.text(left - 12, 68, "frames arrive", anchor="end", size=12)
    for at in arrivals:
        svg.circle(left + (at - first) * scale, 64, 5, fill=TONES[2].soft, stroke=TONES[2].strong)
    for row, (name, way) in enumerate(ways.items()):
        y, tone = 88 + 44 * row, (BEFORE, AFTER, TONES[3])[row]
        svg.line(left, y + 18, right, y + 18, stroke=HAIRLINE)
        svg.text(left - 12, y + 22, name, anchor="end", bold=True)
        for at in way.readings:
            svg.rect(left + (at - first) * scale - 2, y + 6, 4, 24, fill=tone.strong)
        for at, error in zip(way.arrived, way.errors_ns, strict=True):
            if error:
                x = left + (at - first) * scale
                svg.text(x, y + 22, "✗", size=14, anchor="middle", fill=TONES[5].strong, bold=True)
        off = sum(error != 0 for error in way.errors_ns)
        words = f"{off} of {len(way.times)} wrong" if off else "all right"
        svg.text(
            WIDTH - 20, y + 22, words, anchor="end", bold=bool(off), fill=TONES[5].strong if off else INK
        )
    svg.line(left, end, right, end, stroke=EDGE)
    svg.text(right, end + 18, f"{(last - first) / 1000:,.1f} µs", size=11, anchor="end", fill=MUTED)
    svg.rect(20, end + 30, 4, 12, fill=INK)
    svg.text(30, end + 40, "a reading of the clock, five register accesses", size=11, fill=MUTED)
    svg.text(330, end + 40, "✗ a frame that gets a wrong time", size=11, fill=MUTED)
    return Picture(svg, _say(ways, repair))


def _say(ways: Mapping[str, Outcome], repair: str | None) -> str:
    now, six = ways["as it is"], ways["sixth patch"]
    said = (
        f"The poll takes {len(now.times)} frames. As it is, the driver makes {now.accesses} register "
        f"accesses for the clock, with the sixth patch {six.accesses}. "
    )
    said += "Both give every frame its time." if six.is_right else f"The sixth patch gives {_wrong(six)}."
    if repair is not None:
        mended = ways["your repair"]
        found = "gives every frame its time" if mended.is_right else f"gives {_wrong(mended)}"
        said += f" With your repair ({repair}) it makes {mended.accesses} and {found}."
    return said


def _wrong(way: Outcome) -> str:
    worst = min(way.errors_ns, key=lambda error: -abs(error))
    wrong = sum(error != 0 for error in way.errors_ns)
    return f"{wrong} of them a wrong time, off by {worst / 1e9:+.0f} s".replace("-", "−")


def repairs_table() -> Table:
    """What a reviewer could ask for, by name, and what each costs for 8 frames that wait."""
    rows = [[name, run(way, waiting(OF)).accesses] for name, way in REPAIRS.items()]
    return table(
        rows, ["what you can ask for", "accesses"], f"Register accesses for the clock, {OF} frames that wait"
    )


# ---- the check ----


def _look(part: Callable[[Mapping[str, Any]], str]) -> Callable[[Any, tuple[Any, ...]], str]:
    def look(review: Any, _: tuple[Any, ...]) -> str:
        if not isinstance(review, Mapping) or review.keys() != set(KEYS):
            return f"no dictionary with the keys {', '.join(KEYS)}"
        if open_keys := [key for key in KEYS if _is_open(review[key])]:
            raise NotImplementedError(f"fill in {open_keys[0]!r}")
        try:
            return part(review)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            return f"{error.args[0] if error.args else error}"

    return look


def _is_open(given: Any) -> bool:
    """Whether the stub's dots still stand somewhere in it."""
    if isinstance(given, Mapping):
        return any(map(_is_open, given.values()))
    return given is ... or (isinstance(given, tuple | list) and any(map(_is_open, given)))


def _poll(review: Mapping[str, Any]) -> Poll:
    given = review["fails_at"]
    if isinstance(given, Poll):
        return given
    if not isinstance(given, tuple | list) or len(given) != 2 or not isinstance(given[1], tuple | list):
        raise ValueError("no pair (begin_ns, [arrival_ns, …])")
    return Poll(given[0], tuple(given[1]))


def _fails(review: Mapping[str, Any]) -> str:
    poll = _poll(review)
    if not run(each_frame, poll).is_right:
        return "the driver as it is gets it wrong, too"  # none is known; then the patch is not to blame
    return "the times are the same" if run(once_per_poll, poll).is_right else FAILS


FAILS = "the driver gives right times, the sixth patch a wrong one"


def _counts(review: Mapping[str, Any]) -> str:
    given, missed = review["saved_accesses"], []
    if not isinstance(given, Mapping) or set(given) != set(POLLS):
        return f"no dictionary with the keys {', '.join(map(str, POLLS))}"
    for frames in POLLS:
        saved = run(each_frame, waiting(frames)).accesses - run(once_per_poll, waiting(frames)).accesses
        if type(given[frames]) is not int or given[frames] != saved:
            missed.append(f"{given[frames]!r} for a poll of {frames}")
    return f"not what is counted: {missed[0]}" if missed else COUNTS


COUNTS = "all three numbers are those that are counted"


def _model(review: Mapping[str, Any]) -> str:
    given, band = review["saved_ns"], saved_ns(OF)
    if isinstance(given, bool) or not isinstance(given, Real):
        return f"no number: {given!r}"
    ns = float(given)
    half = _last_digit(ns) / 2  # 3,000 stands for all that is rounded to it
    if not band.low - half <= ns <= band.high + half:
        return f"{given} ns, which the figures do not allow"
    return MODEL


def _last_digit(given: float) -> int:
    """What one step of the last digit that is not 0 is worth, in a number such as 3,000; 0 for any other."""
    if not given.is_integer() or not given % 10 == 0 != given:
        return 0
    digits = f"{given:.0f}"
    return int(10 ** (len(digits) - len(digits.rstrip("0"))))


MODEL = "a time that the figures allow"


def _repaired(review: Mapping[str, Any]) -> str:
    name = review["repair"]
    if not isinstance(name, str) or name not in REPAIRS:
        return f"none of the four: {name!r}"
    way = REPAIRS[name]
    wrong = [poll for poll in (*_PROOFS, _poll(review)) if not run(way, poll).is_right]
    if wrong:
        return f"wrong times in {len(wrong)} of {len(_PROOFS) + 1} polls"
    if run(way, waiting(OF)).accesses >= run(each_frame, waiting(OF)).accesses:
        return "right times, and nothing is saved"
    return REPAIRED


REPAIRED = "right times in every poll, and the saving stays"


def _concluded(review: Mapping[str, Any]) -> str:
    verdict = review["verdict"]
    return verdict if verdict in VERDICTS else f"none of {', '.join(VERDICTS)}: {verdict!r}"


def _starts(words: str) -> Callable[[Any], bool]:
    return lambda seen: isinstance(seen, str) and seen.startswith(words)


def _step(want: str, did: str, part: Callable[[Mapping[str, Any]], str], *why: tuple[str, str]) -> Step:
    """One question to the review; ``why`` are pairs: how what is seen begins, and the reason."""
    reasons = [(_starts(words), reason) for words, reason in why]
    return Step(want, None, did, _look(part), mistakes=reasons)


_KEEP = ("no ", "keep the form that the stub has, and its keys.")

review_check = Check(
    "review",
    [
        _step(
            FAILS,
            "ran the poll under fails_at both ways",
            _fails,
            (
                "the times are the same",
                "every frame had arrived before the patch read the clock, and full_time copes with a second "
                "that ends before the reading. The reading comes about 300 ns after begin_ns. Which frames "
                "does a poll take that came later?",
            ),
            ("a poll begins", "the first frame brings the interrupt: let it arrive before begin_ns."),
            _KEEP,
            ("", "this cannot happen on a wire; change the times."),
        ),
        _step(
            COUNTS,
            f"counted register accesses for polls of {', '.join(map(str, POLLS))} frames that wait",
            _counts,
            (
                f"not what is counted: {5 * POLLS[0]} for",
                "one frame has one reading, with and without the patch.",
            ),
            ("not what is counted", "one reading is left in every poll, and a reading is five accesses."),
            _KEEP,
            ("", "give whole numbers."),
        ),
        _step(
            MODEL,
            f"compared saved_ns with the cost model, per frame, for a poll of {OF} frames",
            _model,
            ("no number", "give nanoseconds, a plain number."),
            (
                "",
                f"the figures give the price of one reading; {OF - 1} of {OF} readings are saved, and "
                f"{OF} frames share that.",
            ),
        ),
        _step(
            REPAIRED,
            "ran what you ask for on your poll and on four others",
            _repaired,
            ("right times, and", "that is the driver as it is: you ask the author to withdraw the patch."),
            (
                "wrong times",
                "draw it, with poll_picture(poll, repair), for a poll that begins before a second ends and "
                "takes a frame after it, and for one whose frames came before the second ended.",
            ),
            ("", "copy the words from the table."),
        ),
        _step(
            "change",
            "held the verdict against your own evidence",
            _concluded,
            ("apply", "you have shown a poll in which a frame gets a wrong time."),
            (
                "reject",
                "what you ask for keeps the saving and is right in every poll: wait for a second version.",
            ),
            ("", f"choose one of {', '.join(VERDICTS)}."),
        ),
    ],
    hint="begin with fails_at: a pair (begin_ns, [arrival_ns, …]) in which some frame gets a wrong time.",
)

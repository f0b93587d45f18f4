"""One page per learner: what they wrote, what each check saw, and the points. No line of a hidden test."""

from collections.abc import Sequence

from ...svg import clean
from .page import heading, number, page, table
from .prose import prose
from .results import Piece, Result, State
from .submissions import Damaged

__all__ = ["feedback"]

_SIGN = {
    State.RIGHT: ("✓", "right"),
    State.PARTLY: ("◐", "partly"),
    State.WRONG: ("✗", "wrong"),
    State.NOT_STARTED: ("–", "waiting"),
    State.NOT_RUN: ("–", "wrong"),
    State.WAITING: ("…", "waiting"),
    State.BLANK: ("–", "waiting"),
}
"""A sign, and the class that gives the bar beside it a colour; the state stands there in words, too."""
_NARRATION = ("Did", "Should have seen", "Saw", "Why", "Next", "It says")
_MONO = ("Did", "Should have seen", "Saw")
_HOW_TO_READ = (
    "A check stops at the first thing that is not right. Repair that, run the visible checks in your "
    "notebook, and more may turn up. The grader also runs hidden checks: the same questions, asked with "
    "other values."
)


def feedback(student: str, results: Sequence[Result], failed: Sequence[Damaged] = ()) -> bytes:
    """The page of one learner, as a complete HTML file.

    Args:
        student: whose page it is.
        results: the learner's exercises, in the order in which they shall stand.
        failed: the learner's files that could not be graded.
    """
    points, most = sum(one.points for one in results), sum(one.most for one in results)
    waiting = sum(one.waiting for one in results)
    parts = [heading(1, f"Feedback for {student}")]
    if results:
        parts.append(
            f'<p class="total"><strong>{number(points)} of {number(most)} points</strong>{_wait(waiting)}</p>'
        )
        parts.append(f'<p class="muted">{clean(_HOW_TO_READ)}</p>')
    if len(results) > 1:
        rows = [
            [f'<a href="#{clean(one.exercise)}">{clean(one.title)}</a>', number(one.points), number(one.most)]
            for one in results
        ]
        parts.append(table(["Exercise", "Points", "Of"], rows, "Your exercises", frozenset({1, 2})))
    for each in failed:
        parts.append(heading(2, each.path))
        parts.append(f'<div class="verdict wrong"><p>This file {clean(each.why)}.</p></div>')
    parts += [_exercise(one) for one in results]
    return page(f"Feedback for {student}", "\n".join(parts))


def _exercise(result: Result) -> str:
    parts = [heading(2, result.title, result.exercise)]
    parts.append(
        f"<p><strong>{number(result.points)} of {number(result.most)} points</strong>{_wait(result.waiting)} "
        f'<span class="muted">· <code>{clean(result.path)}</code></span></p>'
    )
    if result.notes:
        notes = "".join(f"<li>{clean(note)}</li>" for note in result.notes)
        parts.append(f"{heading(3, 'What the grader noticed')}<ul>{notes}</ul>")
    parts += [_piece(piece) for piece in result.pieces]
    body = "\n".join(parts)
    return f"<section>\n{body}\n</section>"


def _piece(piece: Piece) -> str:
    if not piece.is_scored:
        return heading(3, piece.name) + (_text(piece) if piece.state is State.ANSWER else _blank())
    sign, colour = _SIGN[piece.state]
    got = "? " if piece.points is None else f"{number(piece.points)} "
    top = (
        f"<header><strong>{sign} {clean(piece.name)}: {piece.state}</strong>"
        f"<span>{got}of {number(piece.most)} points</span></header>"
    )
    if piece.state in (State.WAITING, State.BLANK):
        body = _text(piece) if piece.state is State.WAITING else _blank()
        return f'{heading(3, piece.name)}{body}<div class="verdict {colour}">{top}</div>'
    first = (
        f"<p>It calls {clean(piece.calls)}, which is not right yet: begin there.</p>" if piece.calls else ""
    )
    return f'<div class="verdict {colour}">{top}{first}{_verdict(piece.text)}</div>'


def _text(piece: Piece) -> str:
    if piece.is_code:
        label, shown = clean(f"your {piece.name}"), clean(piece.text.strip("\n"))
        return f'<pre tabindex="0" role="region" aria-label="{label}"><code>{shown}</code></pre>'
    return prose(piece.text.strip("\n"))


def _blank() -> str:
    return '<p class="muted">As it was handed out: nothing was written here.</p>'


def _verdict(text: str) -> str:
    """The narration as a list of terms; whatever is no narration stays a paragraph."""
    parts: list[str] = []
    terms: list[str] = []
    for line in text.splitlines():
        term, colon, rest = line.partition(": ")
        if colon and term in _NARRATION:
            value = ' class="value"' if term in _MONO else ""
            terms.append(f"<dt>{term}</dt><dd{value}>{clean(rest)}</dd>")
        elif terms:
            terms.append(f"<dt></dt><dd>{clean(line)}</dd>")
        else:
            parts.append(f"<p>{clean(line)}</p>")
    return "".join(parts) + (f"<dl>{''.join(terms)}</dl>" if terms else "")


def _wait(points: float) -> str:
    return f", and {number(points)} wait for a person" if points else ""

"""What grading found out about a submission, and where it is kept so that a run can be resumed."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from lan966x_lab.files import write

__all__ = ["Piece", "Result", "State", "Stop", "Store", "key"]


class State(StrEnum):
    """How a piece of an exercise stands."""

    RIGHT = "right"
    PARTLY = "partly right"
    WRONG = "not right yet"
    NOT_STARTED = "not started"
    NOT_RUN = "not run"
    WAITING = "waits for a person"
    BLANK = "not answered"
    ANSWER = "answered"


class Stop(StrEnum):
    """Why the grader itself put an error into a cell: the names of those errors."""

    TIME_LIMIT = "TimeLimit"
    ENDED = "KernelEnded"
    NOT_RUN = "NotRun"
    LAB_CHANGED = "LabChanged"


@dataclass(frozen=True)
class Piece:
    """One cell of the hand-out: an answer, a check or an essay.

    Args:
        name: its grade_id.
        state: ``ANSWER`` or ``BLANK`` for a cell without points.
        text: what the learner wrote (answer, essay), or the narrated verdict (check).
        points: None while a person has to give them.
        most: what it is worth.
        is_code: whether ``text`` is a program.
        calls: of a check that failed, an earlier function that the answer calls and that is not right either.
    """

    name: str
    state: State
    text: str
    points: float | None = 0.0
    most: float = 0.0
    is_code: bool = False
    calls: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether it is worth points."""
        return self.most > 0

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The sentences that stand for the mistakes: the reason, or else the step that failed, or the head.

        A hunt that catches a part has one for each fault that it missed.
        """
        head, *lines = self.text.splitlines() or [""]
        for start, words in (("Why: ", ""), ("Did: ", "wrong at: ")):
            for line in lines:
                if line.startswith(start):
                    return (words + line.removeprefix(start),)
        if ": wrong." in head and lines:
            return (lines[0],)
        return tuple(line for line in lines if line.startswith("Missed ")) or (head,)


@dataclass(frozen=True)
class Result:
    """One graded submission, in the order of the hand-out."""

    student: str
    exercise: str
    title: str
    path: str
    key: str
    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """What the checks gave; essays that wait are not in it."""
        return sum(piece.points or 0.0 for piece in self.pieces)

    @property
    def most(self) -> float:
        """What the exercise is worth, essays included."""
        return sum(piece.most for piece in self.pieces)

    @property
    def waiting(self) -> float:
        """Points that a person still has to give or refuse."""
        return sum(piece.most for piece in self.pieces if piece.state is State.WAITING)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Result":
        """The result that ``to_json`` came from.

        Raises:
            KeyError, TypeError, ValueError: it came from elsewhere.
        """
        pieces = tuple(Piece(**{**piece, "state": State(piece["state"])}) for piece in document["pieces"])
        return cls(**{**document, "pieces": pieces, "notes": tuple(document["notes"])})


def key(*parts: bytes | str | int) -> str:
    """A hash of all that a result depends on, in order."""
    whole = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "replace")
        whole.update(len(raw).to_bytes(8) + raw)
    return whole.hexdigest()


class Store:
    """Results on disk, one file each, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, wanted: str) -> Result | None:
        """The result under a key, or None when there is none that can be read."""
        try:
            result = Result.from_json(json.loads(self._path(wanted).read_bytes()))
        except (OSError, KeyError, TypeError, ValueError):
            return None
        return result if result.key == wanted else None

    def put(self, result: Result) -> None:
        """Keep a result.

        Raises:
            OSError: it cannot be written.
        """
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False)
        write(self._path(result.key), f"{text}\n".encode("utf-8", "replace"))

    def _path(self, wanted: str) -> Path:
        return self.folder / f"{wanted[:24]}.json"

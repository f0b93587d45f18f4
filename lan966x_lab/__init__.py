"""lan966x_lab: a workbook on making a network driver fast.

The parts, from the ground up (imports go down only):

``ifh``, ``net``
    The inter-frame header; frames, checksums, PTP messages, capture files.
``hw``
    Device models at register level.
``driver``
    The code that the five patch threads change, one switch per patch.
``measure``
    Published claims, counted work, timing.
``workbook``
    Pictures, widgets, prediction gates, checks.
"""

from pathlib import Path
from typing import Any

__version__ = "0.1.0"
__all__ = ["GET_BACK", "DamagedDataError", "SentenceError", "__version__", "data_path"]

GET_BACK = (
    "It belongs to the lab: in a checkout run `git checkout -- data`, "
    "in an installation run `pip install --force-reinstall lan966x-lab`."
)
"""What to do about a file of ``data`` that is missing or damaged, wherever that is noticed."""


class SentenceError(Exception):
    """Base of errors whose ``__init__`` makes the sentence that they hold."""

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: without this, they would call ``__init__`` with the finished sentence."""
        return type(self).__new__, (type(self), *self.args), vars(self)


class DamagedDataError(SentenceError, ValueError):
    """A file of the lab's data does not hold what it should; says what is wrong, and how to get it back."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} is damaged: {problem}. {GET_BACK}")


def data_path(*parts: str) -> Path:
    """The path of a file in the lab's ``data`` folder, wherever the lab is installed.

    A wheel carries the folder inside the package (``_data``); in a checkout it stands beside the package.

    Raises:
        FileNotFoundError: the file is not there; the message says how to get it back.
    """
    package = Path(__file__).resolve().parent
    carried = package / "_data"
    root = carried if carried.is_dir() else package.parent / "data"
    path = root.joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. {GET_BACK}")
    return path

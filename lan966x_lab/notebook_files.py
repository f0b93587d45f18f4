"""Where the notebooks lie, how a learner gets a copy, and how a changed one is put back.

Two kinds of home exist. In a checkout the notebooks stand beside the package, and git knows how they were. An
installation carries them inside the wheel, and ``copy_to`` lays a working copy where the learner wants it.
Nothing here ever overwrites a learner's work: a copy skips what exists, and a reset saves it first.
"""

import hashlib
import subprocess
import tempfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath

from lan966x_lab.files import write

__all__ = [
    "FIRST",
    "SETTINGS",
    "WORKING_FOLDER",
    "Restored",
    "changed",
    "checkout",
    "copy_to",
    "for_learners",
    "pristine",
    "reset",
    "unwritable",
]

FIRST = "00_start_here.ipynb"
WORKING_FOLDER = Path("lan966x_lab_notebooks")
# For JUPYTER_CONFIG_PATH: no question about news (a default: what the learner sets still wins), and kernels
# that say when they are new.
SETTINGS = Path(__file__).resolve().parent / "jupyter_config"
_CARRIED = ("lan966x_lab", "_notebooks")  # where the wheel keeps them: see pyproject.toml, force-include


@dataclass(frozen=True)
class Restored:
    """One notebook that ``reset`` put back, and where the learner's version is now (None: it was missing)."""

    notebook: Path
    saved_as: Path | None


def checkout() -> Path | None:
    """The root of the checkout that the package runs from, or None in an installation."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "notebooks").is_dir() else None


def pristine() -> dict[str, bytes]:
    """The notebooks as they were published, by path relative to their folder.

    In a checkout git's HEAD knows them. An unpacked archive has no git: then, as in an installation, the copy
    that pip installed does.

    Raises:
        FileNotFoundError: neither has any.
    """
    home = checkout()
    notebooks = dict(_from_git(home / "notebooks")) if home else {}
    notebooks = notebooks or dict(_from_installation())
    if not notebooks:
        raise FileNotFoundError(
            "no published notebooks found: neither git nor the installation has a copy. "
            "Get one with `pip install --force-reinstall lan966x-lab`, or clone the repository."
        )
    return notebooks


def changed(folder: str) -> list[str]:
    """The files of ``folder`` ("data", "notebooks") that are not as published, by path; [] when nobody knows.

    In a checkout git's HEAD knows how they were; in an installation the record of what pip wrote does.
    """
    if home := checkout():
        return (_git(home, "diff", "--name-only", "-z", "HEAD", folder) or b"").decode().split("\0")[:-1]
    return [
        str(PurePosixPath(folder, *file.parts[2:]))
        for file in _installed()
        if file.parts[:2] == ("lan966x_lab", f"_{folder}") and not _as_recorded(file)
    ]


def for_learners() -> dict[str, bytes]:
    """What a learner works on: lessons and exercises as published, without the teacher's ``solutions``."""
    return {name: content for name, content in pristine().items() if not name.startswith("solutions/")}


def copy_to(folder: Path) -> list[Path]:
    """Lay a working copy of the published notebooks in ``folder``; what is already there stays as it is.

    Returns:
        The files that were written, in order.
    """
    written = []
    for name, content in for_learners().items():
        target = folder / name
        if not target.exists():
            write(target, content)
            written.append(target)
    return written


def reset(folder: Path, names: Mapping[str, bytes], *, dry_run: bool = False) -> Iterator[Restored]:
    """Put every notebook of ``names`` in ``folder`` back that differs, after saving the learner's version.

    ``01_x.ipynb`` is saved beside itself as ``01_x.mine.ipynb``, then ``01_x.mine-2.ipynb``, and so on.
    Nothing is written on a ``dry_run``.
    """
    for name, content in names.items():
        notebook = folder / name
        mine = notebook.read_bytes() if notebook.exists() else None
        if mine == content:
            continue
        saved_as = None if mine is None else _free_name(notebook)
        if not dry_run:
            if saved_as is not None and mine is not None:
                write(saved_as, mine)
            write(notebook, content)
        yield Restored(notebook, saved_as)


def unwritable(folder: Path) -> str | None:
    """Why nothing can be written in ``folder`` (made if missing), or None when all is well."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _from_git(folder: Path) -> Iterator[tuple[str, bytes]]:
    names = _git(folder, "ls-tree", "-r", "-z", "--name-only", "HEAD", ".")
    for name in (names or b"").decode().split("\0"):
        if name.endswith(".ipynb") and (content := _git(folder, "show", f"HEAD:./{name}")) is not None:
            yield name, content


def _git(folder: Path, *arguments: str) -> bytes | None:
    # A class shares a checkout that belongs to somebody else: git refuses to read it unless told otherwise.
    # It is the tree that this code runs from, so reading it asks for no further trust.
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
    except (OSError, subprocess.CalledProcessError):  # no git here, no repository, or nothing committed
        return None


def _installed() -> list[metadata.PackagePath]:
    try:
        return sorted(metadata.files("lan966x-lab") or [])
    except metadata.PackageNotFoundError:
        return []


def _as_recorded(file: metadata.PackagePath) -> bool:
    """Whether a file has the hash that pip's record gives it (or the record gives none)."""
    if file.hash is None:
        return True
    path = Path(str(file.locate()))
    found = hashlib.new(file.hash.mode, path.read_bytes() if path.is_file() else b"")
    return urlsafe_b64encode(found.digest()).decode().rstrip("=") == file.hash.value


def _from_installation() -> Iterator[tuple[str, bytes]]:
    for file in _installed():
        if file.parts[:2] == _CARRIED and file.suffix == ".ipynb":
            yield str(PurePosixPath(*file.parts[2:])), Path(str(file.locate())).read_bytes()


def _free_name(notebook: Path) -> Path:
    number = 1
    while True:
        path = notebook.with_name(f"{notebook.stem}.mine{'' if number == 1 else f'-{number}'}.ipynb")
        if not path.exists():
            return path
        number += 1

"""Write a file whole or not at all: the one way in which the lab writes what is yours."""

import errno
import os
import secrets
import stat
from pathlib import Path

__all__ = ["WriteError", "write"]

_ROOM = "Make room on that disk, or choose another place."
_RIGHTS = "Choose another folder, or make this one writable."
_ADVICE = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _RIGHTS,
    errno.EISDIR: "Name a file in it.",
    errno.ENOTDIR: "A folder on the way to it is a file: choose another place.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


class WriteError(OSError):
    """A file could not be written; ``errno``, ``strerror`` and ``filename`` say why and which."""

    def __str__(self) -> str:
        advice = _ADVICE.get(self.errno or 0, "Choose another place.")
        return f"cannot write {self.filename}: {self.strerror}. What was there before still is. {advice}"


def write(path: Path, content: bytes) -> None:
    """Write all of ``content`` or nothing: who reads ``path`` sees the old file or the whole new one.

    The folders above it are made if they are missing. A file that exists keeps its permissions, a symbolic
    link stays one, and a device or a pipe is refused: the new file would take its place.

    Raises:
        WriteError: nothing was written, and what was there before still is.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{secrets.token_hex(8)}.part")  # short, however long the name of the target is
    try:
        permissions = _permissions(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("xb") as file:
                file.write(content)
            if permissions is not None:
                draft.chmod(permissions)
            os.replace(draft, target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WriteError(error.errno, error.strerror or str(error), str(path)) from error


def _permissions(target: Path) -> int | None:
    """Those of the file that is there; None when there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    return stat.S_IMODE(mode)

"""The one writer of files: whole or not at all, and an error that names the file and the next step."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lan966x_lab import files

NEW, OLD = b"new\n", b"old\n"


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if not path.is_dir()
    }


def test_a_new_file_gets_the_folders_above_it_and_the_permissions_that_the_umask_leaves(
    tmp_path: Path,
) -> None:
    umask = os.umask(0o027)
    try:
        files.write(tmp_path / "a" / "b" / "x.json", NEW)
    finally:
        os.umask(umask)
    assert everything(tmp_path) == {"a/b/x.json": NEW}
    assert stat.S_IMODE((tmp_path / "a" / "b" / "x.json").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o444])
def test_a_file_that_exists_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(OLD)
    path.chmod(mode)
    files.write(path, NEW)
    assert everything(tmp_path) == {"x": NEW}
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(Path("there", "x"))
    for content in (OLD, NEW):  # first the link leads nowhere
        files.write(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "x").read_bytes() == content
    assert everything(tmp_path) == {"link": NEW, "there/x": NEW}


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    files.write(tmp_path / ("x" * 255), NEW)
    assert everything(tmp_path) == {"x" * 255: NEW}


def test_who_reads_meanwhile_sees_one_of_the_two(tmp_path: Path) -> None:
    path, contents = tmp_path / "x", {bytes([i]) * 200_000 for i in range(4)}
    files.write(path, bytes(200_000))
    seen, done = set(), threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for content in [*contents] * 25:
            files.write(path, content)
    finally:
        done.set()
        reader.join()
    assert seen <= contents
    assert [item.name for item in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("before", [{}, {"x": OLD}])
def test_a_disk_that_is_full_half_way_changes_nothing(before: dict[str, bytes], tmp_path: Path) -> None:
    """The system itself stops the write after 4096 bytes: the limit for files, in a process of its own."""
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    program = (
        "import resource, sys, pathlib; from lan966x_lab import files\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: files.write(pathlib.Path(sys.argv[1]), bytes(100_000))\n"
        "except files.WriteError as error: print(error.errno, error, sep='\\n')"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "x")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == str(errno.EFBIG)
    assert said[1].startswith(
        f"cannot write {tmp_path / 'x'}: File too large. What was there before still is."
    )
    assert everything(tmp_path) == before


def folder(place: Path) -> Path:
    (place / "x").mkdir()
    return place / "x"


def pipe(place: Path) -> Path:
    os.mkfifo(place / "x")
    return place / "x"


def loop(place: Path) -> Path:
    (place / "x").symlink_to(place / "x")
    return place / "x"


def below_a_file(place: Path) -> Path:
    (place / "x").write_bytes(OLD)
    return place / "x" / "y"


def long(place: Path) -> Path:
    return place / ("x" * 256)


@pytest.mark.parametrize(
    ("make", "number", "advice"),
    [
        (folder, errno.EISDIR, "Name a file in it."),
        (pipe, errno.EINVAL, "Choose another place."),
        (loop, errno.ELOOP, "Choose another place."),
        (below_a_file, errno.ENOTDIR, "A folder on the way to it is a file: choose another place."),
        (long, errno.ENAMETOOLONG, "Choose a shorter name."),
    ],
)
def test_what_cannot_be_written_is_said_and_left(make, number: int, advice: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = make(tmp_path)
    before = sorted((item.name, item.lstat().st_mode) for item in tmp_path.iterdir())
    with pytest.raises(files.WriteError) as caught:
        files.write(path, NEW)
    assert (caught.value.errno, caught.value.filename) == (number, str(path))
    assert str(caught.value).startswith(f"cannot write {path}: ")
    assert str(caught.value).endswith(f". What was there before still is. {advice}")
    assert sorted((item.name, item.lstat().st_mode) for item in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "Make room on that disk, or choose another place."),
        (errno.EACCES, "Choose another folder, or make this one writable."),
    ],
)
@pytest.mark.parametrize("call", ["replace", "open"])
def test_the_advice_fits_the_reason(
    call: str, number: int, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(*((os, "replace") if call == "replace" else (Path, "open")), refuse)
    with pytest.raises(files.WriteError, match="cannot write") as caught:
        files.write(tmp_path / "x", NEW)
    assert str(caught.value).endswith(advice)
    assert everything(tmp_path) == {}


def test_an_interrupt_leaves_nothing_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "x").write_bytes(OLD)
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write(tmp_path / "x", NEW)
    assert everything(tmp_path) == {"x": OLD}

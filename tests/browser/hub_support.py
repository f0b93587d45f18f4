"""Starts a JupyterHub as a teacher would, for Unix users that exist as long as a test runs."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE_BIN = Path(__file__).parent / "node_modules" / ".bin"
PATH = os.pathsep.join([str(NODE_BIN), os.environ["PATH"]])
ENVIRONMENT = os.environ | {"PATH": PATH}
_NOBODY = 65534


def needed() -> None:
    """Skip, loudly, where no hub with real users can be had."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("not root, so NO HUB WAS STARTED: it needs three Unix users (run the tests with sudo)")
    for program, remedy in (
        ("useradd", "apt install passwd"),
        ("node", "apt install nodejs npm"),
        ("configurable-http-proxy", "npm ci --prefix tests/browser"),
    ):
        if shutil.which(program, path=PATH) is None:
            pytest.skip(f"no {program} here, so NO HUB WAS STARTED; install it ({remedy})")


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="lan966x-lab-test-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


def shared_python(folder: Path) -> str:
    """A Python with the lab that every user of this machine can run: this one, or else a copy in ``folder``.

    A home of root is closed to others, and so is a Python or a clone in it. Then the parts that others cannot
    reach are copied (linked where possible), and an environment is made of them. A copied Python finds its
    library by LD_LIBRARY_PATH only, and JupyterHub hands that on: use ``ENVIRONMENT``.
    """
    if _runs(sys.executable):
        return sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix)
    if not _runs(str(base / "bin" / version)):
        for part in (f"bin/{version}", f"lib/{version}", *_shared_libraries(base)):
            _copy(base / part, folder / "base" / part, "site-packages", "test")
        base = folder / "base"
        ENVIRONMENT["LD_LIBRARY_PATH"] = str(base / "lib")
    home = folder / "env"
    make = [base / "bin" / version, "-m", "venv", "--without-pip", home]
    subprocess.run(make, check=True, env=ENVIRONMENT)
    packages = Path(sysconfig.get_path("purelib"))
    for part in ("share", "etc"):
        _reach(Path(sys.prefix, part), home / part)
    lab = [str(ROOT)]
    if not _opens(ROOT):
        for part in ("lan966x_lab", "notebooks", "data", "pyproject.toml", ".git"):
            _copy(ROOT / part, folder / "clone" / part)
        lab = [str(folder / "clone")]
    if not _opens(packages):
        _copy(packages, folder / "packages")
        packages = folder / "packages"
    (home / "lib" / version / "site-packages" / "lab.pth").write_text(
        "\n".join([*lab, f"import site; site.addsitedir({str(packages)!r})"])
    )
    return str(home / "bin" / "python")


def _shared_libraries(base: Path) -> list[str]:
    return [str(path.relative_to(base)) for path in (base / "lib").glob("libpython*.so*")]


def _as_nobody(*command: str) -> bool:
    with contextlib.suppress(OSError):
        done = subprocess.run(
            command, user=_NOBODY, group=_NOBODY, extra_groups=[], cwd="/", env={}, capture_output=True
        )
        return done.returncode == 0
    return False


def _runs(python: str) -> bool:
    return _as_nobody(python, "-c", "import encodings")


def _opens(folder: Path) -> bool:
    return _as_nobody("/bin/ls", str(folder))


def _reach(source: Path, target: Path) -> None:
    if _opens(source):
        target.symlink_to(source)
    else:
        _copy(source, target)


def _copy(source: Path, target: Path, *without: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copy(source, target)
    else:
        shutil.copytree(source, target, copy_function=_link, ignore=shutil.ignore_patterns(*without))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@dataclass(frozen=True)
class Account:
    """A Unix user that the hub made, with the password that it printed."""

    name: str
    password: str
    uid: int
    home: Path


class Hub:
    """A running JupyterHub."""

    def __init__(self, command: list[str], port: int, log: Path) -> None:
        self.port, self.url, self._log = port, f"http://127.0.0.1:{port}", log
        with log.open("w") as file:
            self._process = subprocess.Popen(command, env=ENVIRONMENT, stdout=file, stderr=subprocess.STDOUT)
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def stop(self, way: signal.Signals = signal.SIGTERM) -> int:
        """End the hub, as systemd does (SIGTERM) or as Ctrl-C (SIGINT); its exit status."""
        self._process.send_signal(way)
        try:
            return self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    @property
    def log(self) -> str:
        return self._log.read_text()

    def _wait(self) -> None:
        for _ in range(600):
            if self._process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.url}/hub/health", timeout=5).close()
                return
            time.sleep(0.1)
        raise RuntimeError(f"JupyterHub did not start:\n{self.log[-3000:]}")


@contextmanager
def removed(names: list[str]) -> Iterator[None]:
    """Take the accounts ``names`` off this machine at the end, whatever happened, with all they still run."""
    try:
        yield
    finally:
        for name in names:
            for process in processes_of(_uid(name)):
                os.kill(process, signal.SIGKILL)
            subprocess.run(["userdel", "--force", "--remove", name], capture_output=True, check=False)


def _uid(name: str) -> int:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(name).pw_uid
    return -1


def accounts(output: str) -> list[Account]:
    """The accounts that the hub said it made."""
    found = re.findall(r"Made the account (\S+), password (\S+) ", output)
    entries = [pwd.getpwnam(name) for name, _ in found]
    return [
        Account(entry.pw_name, word, entry.pw_uid, Path(entry.pw_dir))
        for entry, (_, word) in zip(entries, found, strict=True)
    ]


def free_port() -> int:
    """A port that is free and so are the two after it."""
    while True:
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                for offset in (1, 2):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
                return port


def listens(port: int) -> bool:
    """Whether something takes connections on ``port`` of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def processes_of(uid: int) -> dict[int, str]:
    """All processes that belong to the user ``uid``: number and command line.

    One that has ended and waits for its parent to ask how (a zombie) has no command line and does not count.
    """
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            line = (folder / "cmdline").read_bytes()
            if line and folder.stat().st_uid == uid:
                found[int(folder.name)] = line.replace(b"\0", b" ").decode()
    return found


def memory_of(uid: int) -> int:
    """Bytes that the processes of the user ``uid`` take; shared pages are divided among their users (PSS)."""
    kilobytes = 0
    for process in processes_of(uid):
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            kilobytes += sum(map(int, re.findall(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)))
    return 1024 * kilobytes


def status(url: str) -> int:
    """The HTTP status that anybody gets at ``url``."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code

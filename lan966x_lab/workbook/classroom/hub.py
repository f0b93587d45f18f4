"""A class on one machine: what must be there before JupyterHub starts, its configuration, and the start.

Every learner is a Unix user of this machine: the operating system keeps them apart, not a promise of
ours. This is why the hub needs root and refuses to start without.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template

from lan966x_lab import files, notebook_files
from lan966x_lab.doctor import Finding, Verdict

__all__ = [
    "ADDRESS",
    "CONFIG",
    "LEARNER_BYTES",
    "PORT",
    "Classroom",
    "examine",
    "make_accounts",
    "places",
    "serve",
    "write",
]

ADDRESS, PORT = "127.0.0.1", 8000
CONFIG = "jupyterhub_config.py"
PROXY = "configurable-http-proxy"
LEARNER_BYTES = 250_000_000  # a JupyterLab with one kernel that draws: HUB.md says how it was measured
SYSTEM_BYTES = 1_000_000_000  # the hub, its proxy and the operating system
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")  # what useradd(8) accepts everywhere
_FIRST_LEARNER_UID = 1000  # below it are the system's own accounts: UID_MIN in login.defs(5)
_PASSWORD = "abcdefghjkmnpqrstuvwxyz23456789"  # no l and 1, no o and 0: it is typed from paper
_SEARCH = (
    "/usr/sbin:/sbin:/usr/bin:/bin"  # where the tools for accounts are, also for a root without sbin in PATH
)
_NOBODY = 65534  # the user who may do nothing, on every Linux
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True)
class Classroom:
    """Who learns, and where the hub listens: ``port`` for browsers, the two after it for its own parts.

    Raises:
        ValueError: a name that no Unix account can have, an address of another kind, or a port out of range.
    """

    learners: tuple[str, ...]
    address: str = ADDRESS
    port: int = PORT

    def __post_init__(self) -> None:
        for name in self.learners:
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is no name for a Unix account: a small letter, "
                    "then small letters, digits, - and _, at most 32 in all"
                )
        if not re.fullmatch(r"[A-Za-z0-9.-]+", self.address):
            raise ValueError(f"address {self.address!r}: give an IPv4 address or a host's name")
        if not 1 <= self.port <= 65533:
            raise ValueError(f"port {self.port}: choose one from 1 to 65533 (the two after it are used too)")

    @property
    def url(self) -> str:
        """What a learner types into a browser."""
        host = socket.getfqdn() if self.address == "0.0.0.0" else self.address
        return f"http://{host}:{self.port}"

    def missing(self) -> list[str]:
        """The learners who have no account on this machine yet."""
        return [name for name in self.learners if _uid(name) is None]


def _uid(name: str) -> int | None:
    import pwd  # not on Windows, where the lab is used too, without a hub

    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def places() -> int:
    """How many learners fit in the memory of this machine (or container), at least one."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if _CGROUP_LIMIT.is_file() and (limit := _CGROUP_LIMIT.read_text().strip()).isdigit():
        memory = min(memory, int(limit))
    return max(1, (memory - SYSTEM_BYTES) // LEARNER_BYTES)


def examine(classroom: Classroom, *, make_accounts: bool = False) -> Iterator[Finding]:
    """What keeps the hub from starting, with one remedy each; nothing when all is well.

    Args:
        classroom: what shall be started.
        make_accounts: missing accounts will be made, so they are no obstacle.
    """
    if sys.platform != "linux":
        yield _wrong(
            "the hub", f"made for Linux, and this is {sys.platform}", "a Linux machine, or see HUB.md"
        )
        return
    yield from _programs()
    if os.geteuid() != 0:
        detail = "it is not root, so it could neither check passwords nor keep learners apart"
        yield _wrong("the hub", detail, f"`sudo {Path(sys.argv[0]).absolute()} hub …`")
        return
    yield from _accounts(classroom, make_accounts)
    yield from _ports(classroom)
    yield from _readable()


def _wrong(subject: str, detail: str, remedy: str) -> Finding:
    return Finding(Verdict.WRONG, subject, detail, remedy)


def _programs() -> Iterator[Finding]:
    if find_spec("jupyterhub") is None:
        what = "-e '.[classroom]'" if notebook_files.checkout() else "'lan966x-lab[classroom]'"
        yield _wrong("JupyterHub", "not installed", f"`{sys.executable} -m pip install {what}`")
    if shutil.which("node") is None:
        yield _wrong("node", "not found, and the proxy runs on it", "`sudo apt-get install nodejs npm`")
    if shutil.which(PROXY) is None:
        yield _wrong(PROXY, "not found; all browsers go through it", f"`sudo npm install -g {PROXY}@5.0`")


def _accounts(classroom: Classroom, make: bool) -> Iterator[Finding]:
    missing = classroom.missing()
    if missing and not make:
        detail = f"no account on this machine: {', '.join(missing)}"
        yield _wrong("learners", detail, "make them (adduser), or let the hub do it: --make-accounts")
    if missing and make and shutil.which("useradd", path=_SEARCH) is None:
        yield _wrong("useradd", "not found, so no account can be made", "make them as your system does")
    for name in classroom.learners:
        if (uid := _uid(name)) is not None and uid < _FIRST_LEARNER_UID:
            yield _wrong(name, f"an account of the system (uid {uid})", "leave it out of --users")


def _ports(classroom: Classroom) -> Iterator[Finding]:
    mine = ((classroom.address, 0), ("127.0.0.1", 1), ("127.0.0.1", 2))
    for address, offset in mine:
        port = classroom.port + offset
        try:
            family, kind, protocol, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the hub and its proxy do
                probe.bind(where)
        except OSError as error:
            remedy = "choose another --port (it and the two after it must be free), or another --address"
            yield _wrong(f"port {port} of {address}", f"{error.strerror}", remedy)


def _readable() -> Iterator[Finding]:
    """Whether another user can run this Python and find the lab: tried, as somebody who may do nothing."""
    command = [sys.executable, "-P", "-c", "import jupyterhub, jupyterlab.labapp, lan966x_lab.notebook_files"]
    kept = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ
    }  # by JupyterHub
    try:
        tried = subprocess.run(
            command, user=_NOBODY, group=_NOBODY, extra_groups=[], cwd="/",
            env=kept, capture_output=True, text=True, check=False,
        )  # fmt: skip
        trouble = tried.stderr.strip().splitlines()[-1:] if tried.returncode else []
    except OSError as error:
        trouble = [error.strerror or str(error)]
    if trouble:
        detail = f"{sys.executable} does not run for other users ({trouble[0]})"
        remedy = (
            "install the lab where everybody may read, with a Python that everybody may read: "
            "`/usr/bin/python3 -m venv /opt/lan966x`, then `/opt/lan966x/bin/pip install` as in HUB.md"
        )
        yield _wrong("Python", detail, remedy)


def make_accounts(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Make a Unix account for each of ``names``, with a home that only its owner enters.

    Yields:
        Name and password as soon as the account is there: the password is kept nowhere else, hand it out.

    Raises:
        OSError: the system refused; what was made before stays.
    """
    for name in names:
        password = "".join(secrets.choice(_PASSWORD) for _ in range(10))
        _as_root(["useradd", "--create-home", "--key", "HOME_MODE=0700", "--shell", "/bin/bash", name])
        _as_root(["chpasswd"], f"{name}:{password}\n")
        yield name, password


def _as_root(command: list[str], words: str = "") -> None:
    environment = os.environ | {"PATH": _SEARCH}
    done = subprocess.run(command, input=words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise OSError(f"{' '.join(command)} failed: {done.stderr.strip() or done.returncode}")


def write(classroom: Classroom, folder: Path) -> Path:
    """Write the configuration into ``folder``, which then only its owner enters; returns the file.

    Raises:
        FileExistsError: there is one already, and it may have been edited; or ``folder`` is a file, or holds
            things that others may see now. Nothing was changed.
    """
    target = folder / CONFIG
    if target.exists():
        raise FileExistsError(f"{target} is there already. Edit it, or name another folder.")
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is no folder. Name a new one.")
    if folder.is_dir() and folder.stat().st_mode & 0o077 and any(folder.iterdir()):
        raise FileExistsError(
            f"{folder} is in use, and not closed to others, as the hub's secrets need it. Name a new folder."
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    template = resources.files(__package__).joinpath(f"{CONFIG}.template").read_text(encoding="utf-8")
    learners = "".join(f'    "{name}",\n' for name in classroom.learners)
    filled = Template(template).substitute(
        address=f'"{classroom.address}"', port=classroom.port, learners=f"{{\n{learners}}}"
    )
    files.write(target, filled.encode())
    return target


def serve(classroom: Classroom) -> None:
    """Run JupyterHub until it is told to stop (Ctrl-C); nothing but the learners' homes outlives it."""
    from jupyterhub.app import JupyterHub

    with tempfile.TemporaryDirectory(prefix="lan966x-lab-hub-") as folder:
        JupyterHub.launch_instance(["-f", str(write(classroom, Path(folder)))])

"""Run a program where it can write almost nowhere, reach nobody, and read little that is not its own (Linux).

    python -I -S jail.py SPEC PROGRAM ARGUMENT …

A script of the standard library alone, because it runs before every kernel. It runs twice. The first time it
sets limits and starts itself again under ``unshare``, with user, network, mount, process and IPC namespaces
of its own. The second time it builds what the program sees:

* the folders of ``hide`` are empty, and those of ``keep`` that lie inside them are back in their place;
* every file system is read-only, but for the folders of ``write`` and two small ones in memory
  (``/tmp``, ``/dev/shm``), which vanish with the program;
* no network device is up, and no socket of the host is in sight (``/run`` is empty);
* ``/dev`` has no disks, ``/proc`` no processes of the host, and nothing gives a capability back.

Where that is not possible it fails before the program starts; ``sandbox`` finds out once, and then uses the
first half alone, which stops a program that eats memory and ends it with the process that started it.

SPEC is JSON: ``inside`` (whether to build the jail), ``hide``, ``keep``, ``write`` (lists of folders that
exist), ``work`` (where the program starts), ``memory`` and ``file`` (limits, bytes).

Sources: mount(2), mount_setattr(2) (Linux 5.12), unshare(1), user_namespaces(7), prctl(2).
"""

import ctypes
import json
import os
import resource
import signal
import sys
from typing import Any

MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 0x1000, 0x4000, 0x40000
AT_RECURSIVE, AT_FDCWD, SYS_MOUNT_SETATTR = 0x8000, -100, 442  # the number is the same on every architecture
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
PR_SET_PDEATHSIG = 1
DEVICES = ("null", "zero", "full", "random", "urandom")
NAMESPACES = ("--user", "--map-root-user", "--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child")
NO_WAY_BACK = ("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")
SCRATCH = "size=256m,mode=1777"


def die_with_parent() -> None:
    """Ask the kernel to kill this process when the thread that started it ends (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(spec: dict[str, Any], program: list[str]) -> None:
    """Outside: set the limits, and become ``program`` or, for a jail, ``unshare`` with this script in it."""
    die_with_parent()
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, spec["file"])
    if sys.platform == "linux":  # macOS counts what every program shares
        _limit(resource.RLIMIT_AS, spec["memory"])
    if spec["inside"]:
        again = [sys.executable, "-I", "-S", __file__, "--inside", json.dumps(spec), *program]
        _become([spec["unshare"], *NAMESPACES, *again])
    os.chdir(spec["work"])
    _become(program)


def inside(spec: dict[str, Any], program: list[str]) -> None:
    """In the new namespaces: build what the program sees, and become it."""
    # what is opened here is closed when the program begins
    opened = {path: os.open(path, os.O_PATH) for path in [*spec["keep"], *spec["write"]]}
    devices = {f"/dev/{name}": os.open(f"/dev/{name}", os.O_PATH) for name in DEVICES}
    _mount("none", "/", flags=MS_REC | MS_PRIVATE)
    _mount("proc", "/proc", "proc")
    for hidden in sorted(spec["hide"], key=len):  # the outer ones first: most inner ones have gone with them
        if not os.path.isdir(hidden):
            continue
        _mount("tmpfs", hidden, "tmpfs", MS_NOSUID | MS_NODEV, SCRATCH)
        for path, handle in opened.items():
            if path == hidden or path.startswith(hidden.rstrip("/") + "/"):
                os.makedirs(path, exist_ok=True)
                _mount(f"/proc/self/fd/{handle}", path, flags=MS_BIND | MS_REC)
    _mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "size=64k,mode=755")
    for path, handle in devices.items():
        os.close(os.open(path, os.O_CREAT, 0o666))
        _mount(f"/proc/self/fd/{handle}", path, flags=MS_BIND)
    os.symlink("/proc/self/fd", "/dev/fd")
    os.mkdir("/dev/shm")
    _mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, SCRATCH)
    for path in spec["write"]:  # a mount of its own, so that it can stay writable
        _mount(path, path, flags=MS_BIND)
    _set_attributes("/", AT_RECURSIVE, put=MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID)
    for path in ["/tmp", "/dev/shm", *spec["write"]]:
        _set_attributes(path, 0, clear=MOUNT_ATTR_RDONLY)
    os.chdir(spec["work"])
    _become([spec["setpriv"], *NO_WAY_BACK, *program])


def _limit(which: int, most: int) -> None:
    hard = resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def _become(program: list[str]) -> None:
    os.execv(program[0], program)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _mount(what: str, where: str, kind: str = "none", flags: int = 0, data: str = "") -> None:
    _check(
        _libc().mount(what.encode(), os.fsencode(where), kind.encode(), flags, data.encode()), "mount", where
    )


def _set_attributes(where: str, flags: int, *, put: int = 0, clear: int = 0) -> None:
    attributes = (ctypes.c_uint64 * 4)(
        put, clear, 0, 0
    )  # struct mount_attr: set, clr, propagation, userns_fd
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    done = _libc().syscall(
        SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(where), flags, ctypes.byref(attributes), size
    )
    _check(done, "mount_setattr", where)


def _check(done: int, call: str, where: str) -> None:
    if done:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}", where)


if __name__ == "__main__":
    stage, first = (inside, 2) if sys.argv[1] == "--inside" else (main, 1)
    stage(json.loads(sys.argv[first]), sys.argv[first + 1 :])

"""Where submissions run: a process group, a folder and, on Linux, a jail of their own.

Two processes share the work. The *grader* (nbgrader, the gradebook, the hidden tests) runs as the teacher and
never executes a learner's code. The *kernel* does, in the jail that ``jail`` builds; both talk over sockets
in the one folder that they share. So the kernel can neither read the solution nor write its own points.
"""

import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lan966x_lab
from lan966x_lab import notebook_files

from . import jail

__all__ = ["Protection", "environment", "examine", "jail_spec", "kernel_command"]

MEMORY = 3 << 30
"""Bytes of address space that a kernel may have."""
FILE = 64 << 20
"""Bytes that one file may have."""

_SYSTEM = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
_PASSED = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONPATH")
_OTHERS = ("/home", "/root", "/tmp", "/var/tmp", "/run")


@dataclass(frozen=True)
class Protection:
    """What stands between a learner's code and this computer.

    ``hide`` are folders that the kernel finds empty; ``reason`` says why there is no jail, "" when there is.
    """

    hide: tuple[str, ...]
    reason: str = ""

    @property
    def sentence(self) -> str:
        """For the summary: what held while these submissions ran."""
        limits = "limits on time and memory" if sys.platform == "linux" else "a limit on time"
        always = f"Each submission ran in a process and a folder of its own, with {limits}"
        if not self.reason:
            return (
                f"{always}, without a network, and with everything but that folder read-only; home folders, "
                "the submissions, the solutions and these results were out of its sight."
            )
        return (
            f"{always}, and nothing more: {self.reason}. Its code could use the network and write wherever "
            "you can. Grade submissions that you do not trust in a container or a virtual machine."
        )


def examine(hide: Sequence[Path]) -> Protection:
    """Find out whether the jail can be built here, by building one.

    Args:
        hide: what no submission may see, beside home and temporary folders; files and missing folders are
            left out.
    """
    wanted = [Path.home(), Path(tempfile.gettempdir()), *map(Path, _OTHERS), *hide]
    folders = sorted({str(path.resolve()) for path in wanted if path.is_dir()} - {"/"})
    if sys.platform != "linux":
        return Protection((), f"the jail needs Linux, and this is {sys.platform}")
    missing = [name for name in ("unshare", "setpriv") if not shutil.which(name, path=_SYSTEM)]
    if missing:
        return Protection((), f"{' and '.join(missing)} is not installed (util-linux)")
    protection = Protection(tuple(folders))
    with tempfile.TemporaryDirectory(prefix="lan966x-") as folder:
        command = kernel_command(protection, Path(folder).resolve(), [sys.executable, "-c", "pass"])
        tried = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if tried.returncode:
        said = (tried.stderr.strip().splitlines() or [f"status {tried.returncode}"])[-1]
        return Protection((), f"this computer does not allow user namespaces, of which it is made ({said})")
    return protection


def jail_spec(protection: Protection, shared: Path) -> dict[str, Any]:
    """What ``jail`` is told; ``shared`` is the one folder that the kernel may write in."""
    package = Path(lan966x_lab.__file__).resolve().parent
    home = notebook_files.checkout()
    keep: list[str | Path] = [
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        sys.base_exec_prefix,
        package,
        site.getusersitepackages(),
    ]
    keep += [path for path in sys.path if path and Path(path).resolve() != home]
    keep += [home / "data"] if home else []
    return {
        "inside": not protection.reason,
        "hide": protection.hide,
        "keep": sorted({str(path) for each in keep if (path := Path(each).resolve()).is_dir()}),
        "write": [str(shared)],
        "work": str(shared / "work") if (shared / "work").is_dir() else str(shared),
        "memory": MEMORY,
        "file": FILE,
        "unshare": shutil.which("unshare", path=_SYSTEM),
        "setpriv": shutil.which("setpriv", path=_SYSTEM),
    }


def kernel_command(protection: Protection, shared: Path, program: Sequence[str]) -> list[str]:
    """The command that runs ``program`` in its jail, or where there is none with its limits only."""
    spec = json.dumps(jail_spec(protection, shared))
    return [sys.executable, "-I", "-S", jail.__file__, spec, *program]


def environment(shared: Path) -> dict[str, str]:
    """The variables of a submission's processes: nothing of the teacher's but where Python is.

    Home, settings and temporary files lie in ``shared``; a secret that stands in a variable stays outside.
    """
    scripts = sysconfig.get_path("scripts")  # nbgrader calls alembic by its name
    home = str(shared)
    variables = {name: os.environ[name] for name in _PASSED if name in os.environ}
    return variables | {
        "PATH": os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]),
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONHASHSEED": "0",
        "HOME": home,
        "TMPDIR": str(shared / "tmp"),
        "IPYTHONDIR": f"{home}/ipython",
        "JUPYTER_PATH": f"{home}/jupyter",
        "JUPYTER_CONFIG_DIR": f"{home}/config",
        "JUPYTER_DATA_DIR": f"{home}/data",
        "JUPYTER_RUNTIME_DIR": f"{home}/ipc",
        "MPLCONFIGDIR": f"{home}/matplotlib",
        "MPLBACKEND": "agg",
        # one submission a core, and no address space for threads that would only wait for each other
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }

"""What the live wire needs from this computer, and what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable

PACKAGE_OF = {
    "ip": "iproute2",
    "ethtool": "ethtool",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "sleep": "coreutils",
    "iperf3": "iperf3",
    "ping": "iputils-ping",
    "ptp4l": "linuxptp",
    "setpriv": "util-linux",
}
"""The programs, and the Debian packages that have them."""
ALWAYS = ("ip", "ethtool", "unshare", "nsenter", "setpriv", "sleep")
_SEARCH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


class WireError(RuntimeError):
    """The live wire could not be built, or a program on it failed. The message says what to do."""


class MissingError(WireError):
    """This computer lacks something; the message says what, and how to get it."""


def find(program: str) -> str:
    """The path of a program; that of an ordinary user often leaves out the folder of the system's tools.

    Raises:
        MissingError: it is not installed.
    """
    path = shutil.which(program, path=_SEARCH)
    if path is None:
        raise MissingError(_install([program]))
    return path


def missing(programs: Iterable[str] = ("iperf3", "ping", "ptp4l")) -> str:
    """What this computer lacks for the live wire, in words, with the next step; "" when everything is there.

    Args:
        programs: what shall run on the wire, beside what is needed to build it.
    """
    if sys.platform != "linux":
        return (
            f"The live wire needs Linux (network namespaces, AF_PACKET); this is {sys.platform}. "
            "Use a recording: lan966x_lab.measure.live.recordings()."
        )
    absent = [program for program in (*ALWAYS, *programs) if shutil.which(program, path=_SEARCH) is None]
    if absent:
        return _install(absent)
    failed = subprocess.run([*private_network(), "true"], capture_output=True, text=True, check=False)
    if failed.returncode:
        return (
            f"A network namespace cannot be made here ({failed.stderr.strip()}). Run as root (sudo), or "
            "allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1 "
            "user.max_user_namespaces=10000, "
            "and on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0; in a container: --privileged."
        )
    return ""


def _install(absent: Iterable[str]) -> str:
    absent = list(absent)
    packages = dict.fromkeys(PACKAGE_OF[program] for program in absent)
    return (
        f"The live wire needs {', '.join(absent)}: not installed. "
        f"On Debian and Ubuntu: sudo apt-get install {' '.join(packages)}"
    )


def private_network() -> list[str]:
    """The command prefix that gives a program a network of its own, as root or as anyone else."""
    return [find("unshare"), "-n"] if os.geteuid() == 0 else [find("unshare"), "-Urn"]

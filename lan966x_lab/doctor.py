"""Examine the set-up: one line for each thing the lab needs, one remedy for each that is wrong."""

import os
import platform
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import metadata
from pathlib import Path
from tempfile import gettempdir

from lan966x_lab import GET_BACK, data_path, notebook_files

__all__ = ["BROWSERS", "Finding", "Verdict", "examine", "installation", "writable_folders"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_DISTRIBUTION = "lan966x-lab"
_REINSTALL = "install the lab again: `make lab`, or `pip install --upgrade lan966x-lab`"
_GET_BACK = GET_BACK.removeprefix("It belongs to the lab: ").rstrip(".")
_KERNEL_SECONDS = 60
_KERNEL_REMEDY = f"`{sys.executable} -m ipykernel install --sys-prefix`"


class Verdict(Enum):
    """How a finding stands: fine, worth knowing, or in the way of learning."""

    OK = "ok"
    NOTE = "note"
    WRONG = "WRONG"


@dataclass(frozen=True)
class Finding:
    """One line of the examination; ``remedy`` is what to do about it, empty when nothing is to be done."""

    verdict: Verdict
    subject: str
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" Remedy: {self.remedy}." if self.remedy else ""
        return f"{self.verdict.value:<5}  {self.subject}: {self.detail}.{remedy}"


def examine(folder: Path) -> Iterator[Finding]:
    """Look at everything that a notebook in ``folder`` needs, the quick things first."""
    yield from installation()
    yield from _carefully(
        _data, _loopback, _widgets_in_the_page, partial(_folders, folder), _kernel, _browser
    )


def installation() -> Iterator[Finding]:
    """Look at Python and the packages only: fast enough for the first cell of a notebook."""
    yield from _carefully(_requirements)


def _carefully(*checks: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    for check in checks:
        try:
            yield from check()
        except ImportError as error:  # also metadata.PackageNotFoundError: the lab itself is not installed
            yield Finding(Verdict.WRONG, f"package {error.name}", str(error), _REINSTALL)


def _requirements() -> Iterator[Finding]:
    from packaging.requirements import Requirement

    yield _python(str(metadata.metadata(_DISTRIBUTION)["Requires-Python"]))
    for requirement in map(Requirement, metadata.requires(_DISTRIBUTION) or []):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _package(requirement.name, str(requirement.specifier))


def _python(wanted: str) -> Finding:
    from packaging.specifiers import SpecifierSet

    found = platform.python_version()
    if SpecifierSet(wanted).contains(found, prereleases=True):
        return Finding(Verdict.OK, "Python", f"{found} at {sys.executable}")
    remedy = "install such a Python, then `make clean` and `make lab`"
    return Finding(Verdict.WRONG, "Python", f"{found}, the lab needs {wanted}", remedy)


def _package(name: str, wanted: str) -> Finding:
    from packaging.specifiers import SpecifierSet

    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(Verdict.WRONG, name, f"not installed, the lab needs {wanted}", _REINSTALL)
    if not SpecifierSet(wanted).contains(found, prereleases=True):
        return Finding(Verdict.WRONG, name, f"{found}, the lab needs {wanted}", _REINSTALL)
    return Finding(Verdict.OK, name, found)


def _data() -> Iterator[Finding]:
    """Every file that the READMEs of the data list in the first column of their tables."""
    names = []
    try:
        for folder in ("", "captures"):
            text = data_path(folder, "README.md").read_text(encoding="utf-8")
            for cell in re.findall(r"^\| *`?([\w-]+[./][^|]*)\|", text, re.MULTILINE):
                names += [Path(folder, name.strip()) for name in cell.replace("`", "").split(",")]
        for name in names:
            data_path(*name.parts)
    except FileNotFoundError as error:
        yield Finding(Verdict.WRONG, "data", str(error).removesuffix(f". {GET_BACK}"), _GET_BACK)
    else:
        yield Finding(Verdict.OK, "data", f"{len(names)} files in place")
        yield from _changed_data()


def _changed_data() -> Iterator[Finding]:
    """Files of the data that are not as published, where git (in a checkout) or pip's record knows it."""
    if changed := notebook_files.changed("data"):
        verdict = Verdict.NOTE if notebook_files.checkout() else Verdict.WRONG  # in a checkout one may edit
        yield Finding(verdict, "data", f"not as published: {', '.join(changed)}", _GET_BACK)


def _loopback() -> Iterator[Finding]:
    """The browser, JupyterLab and the kernel talk over 127.0.0.1, and the lab needs no other network."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError as error:
        remedy = "switch the loopback interface on (`ip link set lo up`), or loosen the firewall or sandbox"
        yield Finding(Verdict.WRONG, "loopback", f"127.0.0.1 cannot be reached ({error})", remedy)
    else:
        yield Finding(Verdict.OK, "loopback", "127.0.0.1 answers; no other network is needed")


def _widgets_in_the_page() -> Iterator[Finding]:
    """ipywidgets has two halves: the kernel's, and an extension that JupyterLab serves to the browser."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    subject, name = "widget extension", "@jupyter-widgets/jupyterlab-manager"
    where = jupyter_path("labextensions")
    extension = get_federated_extensions(where).get(name)
    if extension is None:
        detail = "JupyterLab does not find it, so widgets would stay blank"
        remedy = "`pip install --force-reinstall jupyterlab_widgets` in the environment that runs JupyterLab"
        yield Finding(Verdict.WRONG, subject, detail, remedy)
    elif any(off.split(":")[0] == name for off in get_page_config(where).get("disabledExtensions", [])):
        yield Finding(Verdict.WRONG, subject, "switched off", f"`jupyter labextension enable {name}`")
    else:
        yield Finding(Verdict.OK, subject, f"{extension['version']}, served to the page")


def _folders(notebooks: Path) -> Iterator[Finding]:
    for use, folder in writable_folders(notebooks).items():
        if reason := notebook_files.unwritable(folder):
            remedy = "make it writable, or choose another place (set HOME, JUPYTER_*_DIR or IPYTHONDIR)"
            yield Finding(Verdict.WRONG, use, f"cannot write in {folder} ({reason})", remedy)
        else:
            yield Finding(Verdict.OK, use, f"{folder} is writable")


def writable_folders(notebooks: Path) -> dict[str, Path]:
    """The folders that a session writes in, by what it writes there."""
    from jupyter_core.paths import jupyter_config_dir, jupyter_runtime_dir

    return {
        "notebook folder": notebooks,
        "Jupyter's settings": Path(jupyter_config_dir()),
        "Jupyter's run files": Path(jupyter_runtime_dir()),
        "IPython's history": Path(os.environ.get("IPYTHONDIR") or Path.home() / ".ipython"),
        "temporary files": Path(gettempdir()),
    }


def _kernel() -> Iterator[Finding]:
    if problem := _kernel_problem():
        yield Finding(Verdict.WRONG, "kernel python3", problem, _KERNEL_REMEDY)
    else:
        yield Finding(Verdict.OK, "kernel python3", "starts and imports the lab")


def _kernel_problem() -> str | None:
    """Start what a notebook would start, away from the checkout, and import what the notebooks import."""
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_client.manager import start_new_kernel

    try:
        manager, client = start_new_kernel(
            _KERNEL_SECONDS, "python3", cwd=gettempdir(), stderr=subprocess.DEVNULL
        )
    except NoSuchKernel:
        return "not registered"
    except (RuntimeError, OSError) as error:
        return f"does not start ({error})"
    try:
        answer = client.execute_interactive(
            "import lan966x_lab, ipywidgets", timeout=_KERNEL_SECONDS, output_hook=lambda message: None
        )["content"]
    except TimeoutError:
        return f"gives no answer in {_KERNEL_SECONDS} s"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    if answer["status"] == "ok":
        return None
    return f"is another Python's: it cannot import the lab ({answer['ename']}: {answer['evalue']})"


def _browser() -> Iterator[Finding]:
    """A learner needs any browser; only the browser tests need this one."""
    if path := next(filter(None, map(shutil.which, BROWSERS)), None):
        yield Finding(Verdict.OK, "Chromium", path)
    else:
        detail = "not found; only the browser tests need it"
        yield Finding(Verdict.NOTE, "Chromium", detail, "`apt install chromium` to run those")

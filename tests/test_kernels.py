"""A kernel that is new says so when a name is missing: real kernels, and nothing else is touched."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.manager import KernelManager

from lan966x_lab import kernels, notebook_files
from lan966x_lab.kernels import NEW, USUAL, Specs

SET_UP = "from lan966x_lab import workbook as wb\nwb.banner()"
QUIET = ["--IPKernelApp.log_level=ERROR"]


class Kernel:
    """A real kernel, started as a server starts it; ``run`` gives the error's name and what stderr shows."""

    def __init__(self, specs: KernelSpecManager) -> None:
        self.manager = KernelManager(kernel_name="python3", kernel_spec_manager=specs)
        self.manager.start_kernel(extra_arguments=QUIET)
        self._connect()

    def _connect(self) -> None:
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def restart(self) -> None:
        """As the button does it."""
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self._connect()

    def run(self, code: str) -> tuple[str, str]:
        said: list[str] = []

        def output(message: dict) -> None:  # type: ignore[type-arg]
            if message["msg_type"] == "stream" and message["content"]["name"] == "stderr":
                said.append(message["content"]["text"])

        answer = self.client.execute_interactive(code, timeout=60, output_hook=output)["content"]
        return answer.get("ename", ""), "".join(said)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    made = Kernel(Specs())
    yield made
    made.close()


def test_a_new_kernel_says_that_it_is_new_until_the_set_up_cell_ran_and_again_after_a_restart(
    kernel: Kernel, tmp_path: Path
) -> None:
    new = ("NameError", f"wb is not known. {NEW}\n")
    assert kernel.run("wb.banner()") == new
    assert kernel.run("x = 1\nx") == ("", "")  # no other cell counts as the set-up cell
    assert kernel.run("wb.banner()") == new
    assert kernel.run(SET_UP) == ("", "")
    assert kernel.run("header") == ("NameError", f"header is not known. {USUAL}\n")
    kernel.restart()
    assert kernel.run("wb.banner()") == new
    profile = [path for path in (tmp_path / "ipython").rglob("*") if path.is_file()]
    assert not [
        path for path in profile if b"lan966x" in path.read_bytes() and path.suffix in (".py", ".json")
    ]


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("raise NameError('x')", "NameError", f"A name is not known. {NEW}\n"),
        ("def f():\n    y\n    y = 1\nf()", "UnboundLocalError", ""),
        ("1 / 0", "ZeroDivisionError", ""),
    ],
)
def test_only_a_missing_name_is_explained(code: str, error: str, said: str, kernel: Kernel) -> None:
    assert kernel.run(code) == (error, said)


def test_a_kernel_that_another_server_starts_is_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    other = Kernel(KernelSpecManager())
    try:
        assert other.run("wb.banner()") == ("NameError", "")
    finally:
        other.close()


def test_the_kernel_keeps_its_name_its_pictures_and_its_command() -> None:
    theirs, ours = KernelSpecManager().get_kernel_spec("python3"), Specs().get_kernel_spec("python3")
    assert ours.argv == [*theirs.argv, "--IPKernelApp.extra_extensions=lan966x_lab.kernels"]
    assert (ours.display_name, ours.resource_dir) == (theirs.display_name, theirs.resource_dir)
    assert Specs().get_kernel_spec("python3").argv == ours.argv  # not once more for each question
    assert Specs().find_kernel_specs() == KernelSpecManager().find_kernel_specs()
    with pytest.raises(NoSuchKernel):
        Specs().get_kernel_spec("cobol")


@pytest.mark.parametrize(("name", "program"), [("other", "ipykernel_launcher"), ("python3", "xpython")])
def test_kernels_that_are_not_the_labs_are_left_alone(
    name: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "kernels" / name
    place.mkdir(parents=True)
    argv = ["python", "-m", program, "-f", "{connection_file}"]
    (place / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "x", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert Specs().get_kernel_spec(name).argv == argv


def test_a_server_with_the_labs_settings_uses_it(tmp_path: Path) -> None:
    """Jupyter's own account of its configuration, in a home without any."""
    environment = os.environ | {
        "JUPYTER_CONFIG_PATH": str(notebook_files.SETTINGS),
        "JUPYTER_CONFIG_DIR": str(tmp_path),
    }
    command = [sys.executable, "-m", "jupyter_server", "--show-config-json"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(shown)["ServerApp"]["kernel_spec_manager_class"] == f"{kernels.__name__}.Specs"


def test_it_costs_a_kernel_little() -> None:
    code = "import sys, lan966x_lab.kernels; print(*{'numpy', 'matplotlib', 'ipywidgets'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "\n"

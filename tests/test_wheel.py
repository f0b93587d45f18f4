"""The wheel, built by way of the source archive, works in an empty environment outside the tree."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "artifacts", "node_modules", "dist", "build", "__pycache__", ".*_cache", "*.mine*"
)


def run(*command: str | Path, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command and return it with its output; fail with that output if it failed."""
    # Jupyter's own files come from the environment that runs the tests, as the packages do.
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT", "LANG") if name in os.environ}
    environment = keep | {
        "JUPYTER_PATH": str(Path(sys.prefix, "share", "jupyter")),
        "PYTHONWARNINGS": "error",
    }
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, env=environment)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive, which was built from a copy of the tree."""
    home = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, home / "tree", ignore=LEFT_OUT)
    command = (sys.executable, "-W", "ignore", "-m", "build", "--no-isolation", "--outdir", home / "dist")
    subprocess.run([*map(str, command), str(home / "tree")], check=True, capture_output=True)
    (built,) = (home / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def lab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command ``lan966x-lab`` of an environment with nothing of the lab but the wheel.

    Its dependencies are borrowed from the environment that runs the tests, so nothing is downloaded.
    """
    home = tmp_path_factory.mktemp("outside") / "env"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    paths = sysconfig.get_paths(scheme="venv", vars={"base": str(home), "platbase": str(home)})
    python = Path(paths["scripts"]) / "python"
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    )
    subprocess.run(list(map(str, pip)), check=True, capture_output=True)
    Path(paths["purelib"], "borrowed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return Path(paths["scripts"]) / "lan966x-lab"


def test_the_wheel_carries_the_notebooks_and_the_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for source, carried in (("notebooks", "_notebooks"), ("data", "_data")):
        files = {path.relative_to(ROOT / source) for path in (ROOT / source).rglob("*") if path.is_file()}
        published = {
            path for path in files if ".mine" not in path.name and ".ipynb_checkpoints" not in path.parts
        }
        assert published
        assert {f"lan966x_lab/{carried}/{path.as_posix()}" for path in published} <= names


def test_the_package_runs_outside_the_tree(lab: Path, tmp_path: Path) -> None:
    code = (
        "import json, lan966x_lab as lab; print(json.dumps([lab.__file__, str(lab.data_path('README.md'))]))"
    )
    module, data = map(Path, json.loads(run(lab.with_name("python"), "-c", code, cwd=tmp_path).stdout))
    assert module.is_relative_to(lab.parent.parent)
    assert data == module.parent / "_data" / "README.md"


def test_decode_runs_outside_the_tree(lab: Path, tmp_path: Path) -> None:
    done = run(lab, "decode", "00" * 28, cwd=tmp_path)
    assert "DSTS" in done.stdout


def test_the_doctor_is_content_outside_the_tree(lab: Path, tmp_path: Path) -> None:
    done = run(lab, "doctor", cwd=tmp_path)
    assert "All is well." in done.stdout
    assert "kernel python3: starts and imports the lab" in done.stdout


def test_reset_finds_the_carried_notebooks(lab: Path, tmp_path: Path) -> None:
    (tmp_path / "lan966x_lab_notebooks").mkdir()
    done = run(lab, "reset", "00", cwd=tmp_path)
    assert "put back, it was missing" in done.stdout
    stored = tmp_path / "lan966x_lab_notebooks" / "00_start_here.ipynb"
    assert stored.read_bytes() == (ROOT / "notebooks" / "00_start_here.ipynb").read_bytes()


def test_the_hub_s_configuration_is_carried(lab: Path, tmp_path: Path) -> None:
    run(lab, "hub", "--users", "alice", "--write", "class", cwd=tmp_path)
    assert '"alice"' in (tmp_path / "class" / "jupyterhub_config.py").read_text()

"""A skipped test is said loudly, and is a failure where nothing may be skipped (CI)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = """
import pytest

def test_fine(): pass

@pytest.mark.skip(reason="no browser here")
def test_skipped(): pass
"""
FINE = "def test_fine(): pass\n"


@pytest.mark.parametrize(
    ("source", "no_skips", "workers", "status"),
    [
        (SKIPPING, "", [], 0),
        (SKIPPING, "1", [], 1),
        (SKIPPING, "1", ["-p", "xdist", "-n", "1"], 1),
        (FINE, "1", [], 0),
    ],
    ids=["loud", "refused", "refused with workers", "fine"],
)
def test_status(source: str, no_skips: str, workers: list[str], status: int, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            os.devnull,
            "--rootdir",
            str(tmp_path),
            *workers,
            str(tmp_path),
        ],
        env=os.environ | {"LAN966X_NO_SKIPS": no_skips, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert ("NOT TESTED HERE" in done.stdout) == (source == SKIPPING)
    assert ("1 skipped: no browser here" in done.stdout) == (source == SKIPPING)

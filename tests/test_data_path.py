"""Where the lab finds its data, from any working directory."""

import subprocess
import sys
from pathlib import Path

import pytest

import lan966x_lab


def test_it_does_not_depend_on_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert lan966x_lab.data_path("claims.csv").is_file()
    assert lan966x_lab.data_path("captures", "README.md").is_file()


def test_a_missing_file_is_named_with_the_way_to_get_it_back() -> None:
    with pytest.raises(FileNotFoundError, match=r"no_such\.csv is missing.*git checkout.*pip install"):
        lan966x_lab.data_path("no_such.csv")


def test_a_damaged_file_is_named_with_the_way_to_get_it_back() -> None:
    error = lan966x_lab.DamagedDataError(Path("data", "claims.csv"), "nothing in it")
    assert str(error) == f"{Path('data', 'claims.csv')} is damaged: nothing in it. {lan966x_lab.GET_BACK}"


def test_importing_the_lab_loads_nothing_heavy() -> None:
    code = (
        "import sys, lan966x_lab; print(*{'numpy', 'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "\n"

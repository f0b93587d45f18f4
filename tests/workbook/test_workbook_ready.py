"""The set-up line of a notebook, and the docstrings' examples."""

import doctest
import importlib
import importlib.metadata
import pkgutil
import sys

import pytest

from lan966x_lab import __version__, workbook
from lan966x_lab.workbook import ready


def test_ready(capsys: pytest.CaptureFixture[str]) -> None:
    workbook.banner()
    assert capsys.readouterr().out == f"lan966x_lab {__version__} ready\n"


def test_an_old_package_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(ready, "version", lambda name: "7.6.0" if name == "ipywidgets" else real(name))
    workbook.banner()
    out = capsys.readouterr().out
    assert out.startswith(f"lan966x_lab {__version__} is not ready:\n- ipywidgets 7.6.0 does not fit, ")
    assert 'run `pip install "ipywidgets' in out


def test_a_missing_package_an_old_python_no_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(ready, "version", missing)
    assert any(problem.startswith("numpy is missing: run `pip install") for problem in ready.problems())
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    assert ready.problems()[0].startswith("Python 3.9 is too old, 3.11 is needed")
    monkeypatch.setattr(ready, "requires", missing)
    assert ready.problems()[-1].startswith("lan966x-lab is not installed here: run `pip install -e .`")


@pytest.mark.parametrize("name", sorted(module.name for module in pkgutil.iter_modules(workbook.__path__)))
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"lan966x_lab.workbook.{name}"))
    assert result.failed == 0

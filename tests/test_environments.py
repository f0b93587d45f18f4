"""One set of ranges, said three times: pyproject.toml, constraints.txt (pip), environment.yml (conda)."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = [Requirement(line) for lines in PROJECT["optional-dependencies"].values() for line in lines]
CONDA_NAMES = {"matplotlib": "matplotlib-base", "jupyter-client": "jupyter_client"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

PINS = [
    Requirement(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line
]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def pinned_version(name: str, python: str) -> str:
    """The one version that constraints.txt pins for a package on a Linux machine with this Python."""
    machine = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": "linux",
        "os_name": "posix",
    }
    fitting = [
        pin
        for pin in PINS
        if pin.name.lower() == name.lower() and (pin.marker is None or pin.marker.evaluate(machine))
    ]
    assert len(fitting) == 1, f"{name} on Python {python}: {fitting}; run `make constraints`"
    (specifier,) = fitting[0].specifier
    assert specifier.operator == "=="
    return specifier.version


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("requirement", RUNTIME + EXTRAS, ids=str)
def test_every_direct_dependency_is_pinned_inside_its_range(requirement: Requirement, python: str) -> None:
    assert requirement.specifier.contains(pinned_version(requirement.name, python))


def test_constraints_name_no_host_and_no_option() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*==[\w.]+( ; [\w.<>=!' ()]+)?", line), line


def test_conda_environment_has_only_the_keys_and_channels_it_should() -> None:
    assert set(CONDA) == {"name", "channels", "dependencies"}
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]


def test_conda_environment_pins_python_to_a_minor_that_the_project_allows() -> None:
    python = CONDA["dependencies"][0]
    minor = re.fullmatch(r"python=(3\.\d+)", python)
    assert minor is not None, python
    assert SpecifierSet(PROJECT["requires-python"]).contains(f"{minor[1]}.0")


def test_conda_environment_has_the_ranges_of_pyproject() -> None:
    conda = CONDA["dependencies"][1:-2]
    assert all(isinstance(line, str) and " " not in line for line in conda)
    expected = {CONDA_NAMES.get(r.name, r.name): r.specifier for r in RUNTIME}
    assert {Requirement(line).name: Requirement(line).specifier for line in conda} == expected


def test_conda_environment_installs_the_lab_with_pip_last() -> None:
    assert CONDA["dependencies"][-2:] == ["pip", {"pip": ["-e ."]}]

"""The one line of a notebook's set-up cell: what runs here, and the remedy when it is too old."""

import sys
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from lan966x_lab import __version__

_OLDEST_PYTHON = (3, 11)


def problems() -> list[str]:
    """What is missing or too old in this environment, each with its remedy; empty when all is well."""
    found = []
    if sys.version_info < _OLDEST_PYTHON:
        have, need = ".".join(map(str, sys.version_info[:2])), ".".join(map(str, _OLDEST_PYTHON))
        found.append(f"Python {have} is too old, {need} is needed: install it, then run `make lab` again.")
    try:
        wanted = [Requirement(line) for line in requires("lan966x-lab") or []]
    except PackageNotFoundError:
        return [*found, "lan966x-lab is not installed here: run `pip install -e .` in the lab's folder."]
    for need_ in wanted:
        if need_.marker is not None and not need_.marker.evaluate({"extra": ""}):
            continue
        remedy = f'run `pip install "{need_.name}{need_.specifier}"` and restart the kernel.'
        try:
            have = version(need_.name)
        except PackageNotFoundError:
            found.append(f"{need_.name} is missing: {remedy}")
        else:
            if not need_.specifier.contains(have, prereleases=True):
                found.append(f"{need_.name} {have} does not fit, {need_.specifier} is needed: {remedy}")
    return found


def banner() -> None:
    """Print one line, ``lan966x_lab 0.1.0 ready``, or each problem with its remedy."""
    found = problems()
    print(f"lan966x_lab {__version__} {'ready' if not found else 'is not ready:'}")
    for problem in found:
        print(f"- {problem}")

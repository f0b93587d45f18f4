"""A real browser on a real JupyterLab, for every test in this folder."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lab import CHROMIUM_FLAGS, VIEWPORT, LabPage, LabServer
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is; without one the browser tests are skipped, and tests/conftest.py says so loudly."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium here, so NO NOTEBOOK WAS OPENED IN A BROWSER; install it (apt install chromium)")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium: str) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": chromium, "args": CHROMIUM_FLAGS}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """JupyterLab on 127.0.0.1 with a copy of the notebooks; nothing a test does reaches the originals."""
    folder = tmp_path_factory.mktemp("lab")
    notebooks = folder / "notebooks"
    shutil.copytree(ROOT / "notebooks", notebooks, ignore=shutil.ignore_patterns(".*", "*.mine*"))
    with LabServer(folder, notebooks) as running:
        yield running


@contextmanager
def window(server: LabServer, browser: Browser, name: str) -> Iterator[LabPage]:
    """A browser window on that server, closed with its kernel; screenshots go to artifacts/``name``."""
    context = browser.new_context(viewport=VIEWPORT)
    try:
        lab = LabPage(server, context.new_page(), ROOT / "artifacts" / name)
        yield lab
        lab.shut_down_kernels()
    finally:
        context.close()


@pytest.fixture
def lab(server: LabServer, browser: Browser, request: pytest.FixtureRequest) -> Iterator[LabPage]:
    """A window of its own for one test."""
    with window(server, browser, re.sub(r"[^\w.]+", "_", request.node.name).strip("_")) as page:
        yield page


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured. It is never asserted: a slow machine is not a fault of the lab."""
    lines = [
        f"{value}  {report.nodeid.split('::')[-1]}"
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == "measured"
    ]
    if lines:
        terminalreporter.section("measured in the browser")
        for line in lines:
            terminalreporter.line(line)

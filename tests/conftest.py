"""What a skipped test means: a loud line for a learner, a failure where LAN966X_NO_SKIPS is set (CI)."""

import atexit
import itertools
import os
import shutil
import signal
import tempfile
from pathlib import Path

import nbval.kernel
import pytest
from hypothesis import settings
from jupyter_client.manager import KernelManager

# A deadline would test how busy this computer is.
settings.register_profile("lab", deadline=None)
settings.load_profile("lab")


def pytest_configure() -> None:
    """Let Ctrl-C reach the programs that tests start, and nbval's kernels start side by side.

    In a background job of a shell Ctrl-C is ignored. A kernel's TCP ports are chosen before it starts, so
    another worker's kernel can take one of them, and the first one never answers; a Unix socket has a name of
    its own.
    """
    if os.name == "posix":
        sockets = Path(tempfile.mkdtemp(prefix="nbval-"))
        atexit.register(shutil.rmtree, sockets, ignore_errors=True)
        names = (str(sockets / str(number)) for number in itertools.count())
        nbval.kernel.KernelManager = lambda **options: KernelManager(
            transport="ipc", ip=next(names), **options
        )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not tested, and why, so that nobody takes a green line for more than it is."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    terminalreporter.section("NOT TESTED HERE", sep="!", bold=True, yellow=True)
    for reason in sorted({_reason(report) for report in skipped}):
        count = sum(_reason(report) == reason for report in skipped)
        terminalreporter.line(f"{count} skipped: {reason}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run for a skip where everything that a test may want is there."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("LAN966X_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")

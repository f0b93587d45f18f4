"""The process that forks for each job: how jobs end, how they are stopped, and that nothing is left."""

import os
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lan966x_lab.workbook.classroom.grader import warm
from lan966x_lab.workbook.classroom.grader.warm import Ended, Warm

SERVER = """
import pathlib, time
from lan966x_lab.workbook.classroom.grader.warm import serve
began = time.time_ns()

def do(path):
    names = {"began": began}
    exec(pathlib.Path(path).read_text(), names)
    return names.get("status", 0)

serve(do)
"""
SLEEPS = "import time; time.sleep(600)"


@pytest.fixture
def server() -> Iterator[Warm]:
    made = Warm([sys.executable, "-W", "error", "-c", SERVER], os.environ)
    yield made
    made.close()


def do(
    server: Warm, code: str, folder: Path, *, seconds: float = 60, cancelled: threading.Event | None = None
) -> tuple[Ended, str]:
    """Run a job, and return how it ended and what it printed."""
    (folder / "work").mkdir(exist_ok=True)
    job, log = folder / "job", folder / "log"
    job.write_text(textwrap.dedent(code))
    variables = {"MARK": "job", "TMPDIR": str(folder)}
    ended = server.run(job, variables, folder / "work", log, seconds, cancelled or threading.Event())
    return ended, log.read_text() if log.exists() else ""


def test_each_job_has_its_own_environment_folder_and_log(server: Warm, tmp_path: Path) -> None:
    code = """
        import os, sys, tempfile
        print(dict(os.environ), sys.stdin.read(), os.getcwd(), tempfile.gettempdir())
    """
    ended, said = do(server, code, tmp_path)
    assert ended == Ended(0, "")
    assert "'MARK': 'job'" in said
    assert "PATH" not in said
    assert said.split()[-2:] == [str(tmp_path / "work"), str(tmp_path)]


def test_jobs_share_the_imports_and_nothing_else(server: Warm, tmp_path: Path) -> None:
    """Both are children of one process; what the first one changes, the second does not see."""
    code = "import os, sys; print(began, os.getppid(), hasattr(sys, 'spoilt')); sys.spoilt = 1"
    said = [do(server, code, tmp_path)[1].split() for _ in range(2)]
    assert said[0] == said[1]
    assert said[0][2] == "False"


@pytest.mark.parametrize(
    ("code", "status", "says"),
    [
        ("status = 3", 3, ""),
        ("raise ValueError('so')", 1, "ValueError: so"),
        ("raise SystemExit", 1, "SystemExit"),
        ("import os; os._exit(7)", 7, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
    ],
)
def test_how_a_job_ends_by_itself(code: str, status: int, says: str, server: Warm, tmp_path: Path) -> None:
    ended, said = do(server, code, tmp_path)
    assert ended == Ended(status, "")
    assert says in said
    assert do(server, "status = 5", tmp_path)[0].status == 5  # and the process goes on


def test_a_job_that_does_not_end_is_killed_with_its_group(server: Warm, tmp_path: Path) -> None:
    code = f"import os; print(os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '600'), flush=True); {SLEEPS}"
    do(server, "", tmp_path)  # it is warm now
    ended, said = do(server, code, tmp_path, seconds=2)
    assert ended == Ended(-9, "it did not end within 2 s")
    wait_until_gone(int(said))
    assert do(server, "status = 5", tmp_path)[0].status == 5  # a new process does the next job


def test_a_job_that_fills_the_disk_is_stopped(
    server: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "DISK", 4 << 20)
    ended, _ = do(
        server, f"import pathlib; pathlib.Path('x').write_bytes(bytes(5 << 20)); {SLEEPS}", tmp_path
    )
    assert ended.why == "it wrote more than the 4 MiB that are allowed"


def test_a_job_is_stopped_when_that_is_asked(server: Warm, tmp_path: Path) -> None:
    cancelled = threading.Event()
    cancelled.set()
    assert do(server, SLEEPS, tmp_path, cancelled=cancelled)[0].why == "it was interrupted"


def test_a_process_that_ends_without_a_reply(tmp_path: Path) -> None:
    server = Warm([sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(4)"], os.environ)
    assert do(server, "", tmp_path)[0] == Ended(4, "")
    server.close()


def test_whatever_happens_outside_ends_it(
    server: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, said = do(server, "import os; print(os.getppid())", tmp_path)
    assert ended.status == 0

    def interrupted(*lists: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(warm.select, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        do(server, "", tmp_path)
    wait_until_gone(int(said))
    server.close()  # once more is no mistake


def wait_until_gone(pid: int) -> None:
    """Wait until a process has ended; a zombie has."""
    end = time.monotonic() + 20
    while True:
        try:
            if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return
        except OSError:
            return
        assert time.monotonic() < end, "waited for 20 s"
        time.sleep(0.05)

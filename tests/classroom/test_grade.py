"""Grading end to end, with nbgrader: every nasty submission in one run, and each gets its clear line."""

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from grading_support import GOOD, NAME, copied, hand_in, named, submission, without, write_solution
from nbformat import NotebookNode

from lan966x_lab.cli import main
from lan966x_lab.workbook.classroom.grader import autograde, grading, report, sandbox
from lan966x_lab.workbook.classroom.grader.grading import Graded, GradingError, Plan, grade
from lan966x_lab.workbook.classroom.grader.results import Piece, Result, State, Store, key
from lan966x_lab.workbook.classroom.grader.submissions import Submission, exercises

CELL_SECONDS = 5
ENDLESS = "    while True:\n        pass"
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'


def spy(port: int, places: list[Path]) -> str:
    """A cell that tries what it must not do, and says in an exception what it could do."""
    return f"""
import os, pathlib, pwd, socket, subprocess
done = []
for place in [*{[str(place) for place in places]!r}, pwd.getpwuid(os.getuid()).pw_dir]:
    try:
        pathlib.Path(place, "lan966x_probe").write_text("x")
        done.append("wrote")
    except OSError:
        pass
    try:
        done += ["read" for _ in pathlib.Path(place).rglob("*.ipynb")][:1]
    except OSError:
        pass
try:
    socket.create_connection(("127.0.0.1", {port}), 2).close()
    done.append("connected")
except OSError:
    pass
subprocess.Popen(["sleep", "{port}.5"], start_new_session=True)
raise RuntimeError(f"could do: {{done}}")
"""


DEAF = """
def total(values):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
SPOILS = """
def total(values):
    it = 0
    while values:
        it += values.pop()
    return it
"""
WARNS = """
import sys
def total(values):
    print("a warning", file=sys.stderr)
    return sum(values)
"""
DISK = """
import time
for n in range(9):
    open(f'{n}', 'wb').write(bytes(40 << 20))
while True:
    time.sleep(0.1)
"""
KILLS = "import os, signal\ndef double(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n    return 2 * x"
REBINDS = """
import lan966x_lab.workbook.checks as checks
checks.Verdict.require = lambda self: self
double_check = lambda names: None
def double(x):
    return 0
"""


def nasty(port: int, places: list[Path]) -> dict[str, NotebookNode]:
    """The submissions that are run, by student. What can stand in one notebook does: each costs seconds."""
    several = copied(
        submission(
            {
                "double": f"def double(x):\n{ENDLESS}",
                "total": SPOILS,
                "spell": 'def spell(digit):\n    return "one"',
                "essay_why": "Because it counts.",
            },
            behind={"setup": "import a_module_that_does_not_exist"},
        ),
        "spell",
        'def spell(digit):\n    return "one"  # the copy',
    )
    forged = submission(
        {
            "double": "def double(x):\n    get_ipython().displayhook(2)\n    return 0",
            "total": WARNS,
            "spell": "def spell(digit):\n    return bytearray(1 << 40)",
        }
    )
    named(forged, "check_double").source = "assert True"
    for each in forged.cells:
        each.metadata["tags"] = ["skip-execution"]
        if each.cell_type == "code":
            each.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "2"})]
    floods = submission(
        behind={
            "setup": "for _ in range(100):\n    print('x' * 100_000)",
            "double": "from IPython.display import HTML, display\ndisplay(HTML('x' * 40_000_000))",
        }
    )
    return {
        "good": submission({"essay_why": "Because."}),
        "blank": submission(good=False),
        "several": several,
        "deaf": submission({"total": DEAF}),
        "ends the kernel": submission({"total": "import os\ndef total(values):\n    os._exit(0)"}),
        "spy": submission(
            {"double": KILLS, "total": "def total(values):\n    raise SystemExit"},
            behind={"setup": spy(port, places)},
        ),
        "floods": without(floods, "check_double"),
        "forges": forged,
        "rebinds": submission({"double": REBINDS}),
        HOSTILE.replace("/", "∕"): submission(
            {
                "double": f"def double(x):\n    raise ValueError({HOSTILE!r})",
                "total": "def total(values):\n    raise ValueError(In[-1])",
                "essay_why": HOSTILE,
            }
        ),
        "fills the disk": submission(behind={"setup": DISK}),
    }


@dataclass(frozen=True)
class Run:
    """One run over all of them, and where everything lies."""

    top: Path
    graded: Graded
    connections: int
    left: list[str]

    def result(self, student: str) -> Result:
        (found,) = (one for one in self.graded.results if one.student == student)
        return found

    def piece(self, student: str, name: str) -> Piece:
        (found,) = (piece for piece in self.result(student).pieces if piece.name == name)
        return found


@pytest.fixture(scope="module")
def batch() -> Iterator[Run]:
    """All of them, in a temporary folder that nobody else uses."""
    top = Path(tempfile.mkdtemp(prefix="lg-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(top / "tmp"))
        (top / "tmp").mkdir()
        yield grade_all(top)
    shutil.rmtree(top)


def grade_all(top: Path) -> Run:
    folder, out = top / "handed in", top / "out"
    out.mkdir()
    plan = plan_for(top, cell_seconds=CELL_SECONDS)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        for student, notebook in nasty(port, [folder, out, plan.solutions]).items():
            file = "my homework" if student == "floods" else NAME
            hand_in(notebook, folder / student / f"{file}.ipynb")
        hand_in("{broken", folder / "damaged" / f"{NAME}.ipynb")
        graded = grade(plan)
        left = [
            *(str(path) for path in (top / "tmp").iterdir()),
            *(a for a in running() if a == f"sleep {port}.5"),
        ]
        connections = 0
        try:
            server.accept()[0].close()
            connections = 1
        except TimeoutError:
            pass
    report.write_all(graded, out)
    return Run(top, graded, connections, left)


def plan_for(top: Path, *, jobs: int = 2, cell_seconds: int = 30) -> Plan:
    solutions = write_solution(top / "solutions")
    return Plan(top / "handed in", top / "out", exercises(solutions), solutions, jobs, cell_seconds)


def test_nothing_is_left_behind(batch: Run) -> None:
    assert batch.left == []


def test_a_good_submission_gets_its_points_and_the_essay_waits(batch: Run) -> None:
    result = batch.result("good")
    assert (result.points, result.most, result.waiting, result.notes) == (7, 11, 4, ())
    assert [piece.state for piece in result.pieces if piece.is_scored] == [State.RIGHT] * 3 + [State.WAITING]
    assert batch.piece("good", "check_double").text == "double: right. Hidden checks passed (3)."
    assert batch.piece("good", "double").text == GOOD["double"]


def test_a_blank_submission_says_not_started(batch: Run) -> None:
    result = batch.result("blank")
    assert (result.points, result.waiting) == (0, 0)
    assert batch.piece("blank", "check_spell").text == "Not started.\nIt says: look the word up in a table"
    assert batch.piece("blank", "check_double").text.startswith(
        "double: not started.\nIt says: add x to itself"
    )
    assert [piece.state for piece in result.pieces if not piece.is_scored] == [State.BLANK] * 3
    assert batch.piece("blank", "essay_why").state is State.BLANK


def test_several_mistakes_each_with_its_line(batch: Run) -> None:
    check = batch.piece("several", "check_double")
    assert (check.points, check.text) == (
        0,
        f"Stopped after {CELL_SECONDS} s: an endless loop, or very slow.",
    )
    assert "argument 1 was changed; leave it as it was" in batch.piece("several", "check_total").text
    assert batch.piece("several", "check_spell").state is State.PARTLY
    assert batch.piece("several", "check_spell").points == 1
    notes = "\n".join(batch.result("several").notes)
    assert "spell stands in 2 cells (8, 9): cell 9 was taken." in notes
    begin = "In the cell that begins import a_module_that_does_not_exist: it raised ModuleNotFoundError: "
    assert f"{begin}No module named" in notes
    assert batch.result("several").points == 1


def test_a_loop_that_cannot_be_interrupted_costs_what_comes_after(batch: Run) -> None:
    assert batch.piece("deaf", "check_double").points == 2
    assert "did not end within" in batch.piece("deaf", "check_total").text
    assert "could not be interrupted" in batch.piece("deaf", "check_total").text
    assert batch.piece("deaf", "check_spell").state is State.NOT_RUN
    assert batch.piece("deaf", "check_spell").text.startswith("Not run: check_total did not end within")
    assert batch.result("deaf").points == 2


def test_a_kernel_that_ends_costs_what_comes_after(batch: Run) -> None:
    assert batch.piece("ends the kernel", "check_double").points == 2
    assert batch.piece("ends the kernel", "check_total").text == (
        "The kernel ended in check_total, or in a cell before it."
    )
    assert batch.piece("ends the kernel", "check_spell").state is State.NOT_RUN
    assert batch.result("ends the kernel").points == 2


def test_exits_and_signals(batch: Run) -> None:
    """In the jail the kernel is the first process: its own signals do not end it. SystemExit is an error."""
    if not batch.graded.protection.reason:
        assert batch.piece("spy", "check_double").points == 2
    assert batch.piece("spy", "check_total").points == 0
    assert "SystemExit" in batch.piece("spy", "check_total").text
    assert batch.piece("spy", "check_spell").points == 2


def test_what_floods_is_cut_and_the_points_stay(batch: Run) -> None:
    """10 MB on stdout, and 40 MB in one output."""
    assert batch.result("floods").points == 7
    assert all(path.stat().st_size < 100_000 for path in (batch.top / "out").rglob("*.*"))


def test_forged_outputs_and_checks_count_nothing(batch: Run) -> None:
    assert batch.piece("forges", "check_double").points == 0
    assert batch.piece("forges", "check_double").text.startswith("double: wrong, step 1 of")
    assert batch.piece("forges", "check_total").points == 3  # a warning on stderr is no mistake
    assert batch.piece("forges", "check_spell").text == "The check was stopped by MemoryError"
    assert "The cell check_double was changed: it was put back as handed out." in batch.result("forges").notes


def test_a_lab_that_was_rebound_is_noticed(batch: Run) -> None:
    for name in ("check_double", "check_total", "check_spell"):
        piece = batch.piece("rebinds", name)
        assert (piece.points, piece.state) == (0, State.NOT_RUN)
        assert piece.text.startswith(
            "Not run: your notebook changes lan966x_lab.workbook.checks.Verdict.require"
        )


def test_a_check_that_was_deleted_comes_back(batch: Run) -> None:
    assert batch.piece("floods", "check_double").points == 2
    assert batch.result("floods").notes[:2] == (
        f"The file is called my homework.ipynb, and is the exercise {NAME}.",
        "The cell check_double is missing: it was put back.",
    )


def test_what_cannot_be_graded_has_its_line_and_costs_only_itself(batch: Run) -> None:
    lines = {one.student: one.why for one in batch.graded.failed}
    assert lines.keys() == {"damaged", "fills the disk"}
    assert lines["damaged"].startswith("is no notebook: line 1 is no JSON")
    assert lines["fills the disk"].startswith("could not be graded: it wrote ")
    assert len(batch.graded.results) == 10


def test_the_jail_held(batch: Run) -> None:
    """Written nowhere, read nothing, reached nobody; and the summary says that it held."""
    if batch.graded.protection.reason and not os.environ.get("LAN966X_NO_SKIPS"):
        pytest.skip(f"NO JAIL WAS TESTED: {batch.graded.protection.reason}")
    assert "RuntimeError: could do: []" in batch.result("spy").notes[0]
    assert batch.connections == 0
    assert not list(batch.top.rglob("lan966x_probe"))
    assert not (Path.home() / "lan966x_probe").exists()
    summary = (batch.top / "out" / "summary.html").read_text()
    assert "without a network, and with everything but that folder read-only" in summary


def test_no_page_shows_hidden_tests_or_runs_what_a_learner_wrote(batch: Run) -> None:
    pages = {path.stem: path.read_text() for path in (batch.top / "out").rglob("*.html")}
    assert len(pages) == 12 + 1  # one a student, and the summary
    for text in pages.values():
        assert "secret_steps" not in text
        assert "BEGIN HIDDEN" not in text
        assert "<script" not in text
        assert "<img src=x" not in text
        assert "http" not in text.replace('http-equiv="', "").replace("http://www.w3.org/2000/svg", "")
    hostile = HOSTILE.replace("/", "∕")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages[hostile]
    assert "The verdict quotes the hidden tests, so it is not shown here." in pages[hostile]


def test_the_points_file(batch: Run) -> None:
    rows = {row["student"]: row for row in rows_of(batch.top / "out" / "points.csv")}
    assert len(rows) == 12
    good = {"student": "good", NAME: "7", "total": "7", "of": "11", "waiting": "4", "remarks": ""}
    assert rows["good"] == good
    assert rows["damaged"][NAME] == ""
    assert "is no JSON" in rows["damaged"]["remarks"]
    checks = {(row["student"], row["check"]): row for row in rows_of(batch.top / "out" / "checks.csv")}
    assert len(checks) == 4 * 10
    assert checks["blank", "check_double"]["verdict"] == "double: not started."
    assert checks["several", "essay_why"]["points"] == ""


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# resume -----------------------------------------------------------------------------------------------------


@pytest.fixture
def short() -> Iterator[Path]:
    """A temporary folder whose path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="lg-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_a_run_that_was_killed_or_interrupted_goes_on(short: Path) -> None:
    """SIGKILL after the first result, Ctrl-C while a kernel runs; the third run does only the rest."""
    for student in "ab":
        hand_in(submission(), short / "in" / student / f"{NAME}.ipynb")
    write_solution(short / "solutions")
    results = short / "out" / "results"
    with start(short) as first:
        wait_for(lambda: len(list(results.glob("*.json"))) >= 1)
        first.kill()
    kept = {path.name: path.stat().st_mtime_ns for path in results.glob("*.json")}
    wait_for(lambda: not [line for line in running() if str(short) in line])
    with start(short) as second:
        wait_for(lambda: [line for line in below(second.pid) if "ipykernel" in line])
        second.send_signal(signal.SIGINT)
        _, said = second.communicate(timeout=60)
    assert second.returncode == 130, said
    assert "interrupted, nothing is left running" in said
    assert "the same command goes on from there" in said
    wait_for(
        lambda: not [line for line in running() if str(short) in line]
    )  # the kernel dies with its parent
    assert kept == {path.name: path.stat().st_mtime_ns for path in results.glob("*.json")}
    assert not list(results.glob(".*"))
    with start(short) as third:
        said, _ = third.communicate(timeout=300)
    assert third.returncode == 0
    assert f"2 graded ({len(kept)} of them in an earlier run), 0 could not be graded." in said
    after = {path.name: path.stat().st_mtime_ns for path in results.glob("*.json")}
    assert kept.items() < after.items()


def start(short: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lan966x_lab", "grade", str(short / "in"), "-o", str(short / "out")]
    command += ["--solutions", str(short / "solutions"), "--jobs", "1"]
    return subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(short)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of every process but this one and those that are over."""
    lines = subprocess.run(
        ["ps", "axww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 3) for line in lines.splitlines()]
    return {
        int(pid): (int(parent), args)
        for pid, parent, stat, args in rows
        if int(pid) != os.getpid() and not stat.startswith("Z")
    }


def running() -> list[str]:
    """The command lines of all these processes."""
    return [args for _, args in processes().values()]


def below(pid: int) -> list[str]:
    """The command lines of a process's children and theirs; a run that was killed has no part in them."""
    every = processes()
    found, family = [], {pid}
    while children := {child for child, (parent, _) in every.items() if parent in family} - family:
        found += [every[child][1] for child in children]
        family |= children
    return found


def wait_for(condition: Any) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited for two minutes"
        time.sleep(0.02)


def test_without_a_jail_it_grades_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sandbox, "_SYSTEM", "")
    hand_in(
        submission({"total": "import os\ndef total(values):\n    os._exit(0)"}), tmp_path / "in" / "ann.ipynb"
    )
    call = ["grade", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    call += ["--solutions", str(write_solution(tmp_path / "solutions"))]
    assert main(call) == 0
    said = capsys.readouterr().out
    assert "Without a jail: unshare and setpriv is not installed (util-linux)." in said
    assert "1 graded, 0 could not be graded." in said
    assert "ann,2,2,11,0," in (tmp_path / "out" / "points.csv").read_text()
    assert (
        "could use the network and write wherever you can" in (tmp_path / "out" / "summary.html").read_text()
    )


# wrong calls, and what else may go wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["nowhere", "-o", "out"], 2, "there is no folder"),
        (["in", "-o", "in/out"], 2, "lies in the submissions: name a folder outside"),
        (["in", "-o", "in"], 2, "lies in the submissions"),
        (["in", "-o", "out", "--jobs", "0"], 2, "--jobs is 0, and at least 1 is asked for"),
        (["in", "-o", "out", "--cell-seconds", "-1"], 2, "--cell-seconds is -1"),
        (["in", "-o", "out", "--solutions", "in"], 2, "name the folder of the solutions"),
        (["in", "-o", "file"], 1, "cannot write in"),
        (["in", "-o", "out", "--solutions", "bad"], 1, "is no notebook that Jupyter can read"),
        (["in", "-o", "out", "--solutions", "solutions"], 2, "it holds a folder for each student"),
    ],
)
def test_a_wrong_call_says_what_to_do(
    arguments: list[str],
    status: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "file").write_text("")
    hand_in("{}", tmp_path / "bad" / "x.ipynb")
    write_solution(tmp_path / "solutions")
    monkeypatch.chdir(tmp_path)
    assert main(["grade", *arguments]) == status
    assert says in capsys.readouterr().err


def test_nbgrader_missing_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(grading.importlib.util, "find_spec", lambda name: None)
    assert main(["grade", "in", "-o", "out"]) == 1
    assert ".venv/bin/python -m pip install -c constraints.txt -e '.[classroom]'" in capsys.readouterr().err
    monkeypatch.setattr(grading.notebook_files, "checkout", lambda: None)
    assert grading.missing().endswith("pip install 'lan966x-lab[classroom]'")
    monkeypatch.setattr(sys, "platform", "win32")
    assert "WSL" in grading.missing()


def test_a_damaged_submission_alone_is_a_failure_and_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in("", tmp_path / "in" / "ann" / "x.ipynb")
    solutions = write_solution(tmp_path / "solutions")
    call = ["grade", str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--solutions", str(solutions)]
    assert main(call) == 1
    assert "ann/x.ipynb: is empty; save the notebook" in capsys.readouterr().out
    assert "This file is empty" in (tmp_path / "out" / "feedback" / "ann.html").read_text()


def test_a_grader_that_stops_costs_one_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The grader's own process dies, or what it left cannot be used: a line, and no traceback."""
    hand_in(submission(), tmp_path / "handed in" / "ann.ipynb")
    monkeypatch.setattr(grading, "_prepare", lambda top, *rest: (top / "course" / "nbgrader").mkdir())
    monkeypatch.setattr(grading, "_folders", lambda shared: (shared / "tmp").mkdir(parents=True))
    (line,) = grade(plan_for(tmp_path)).failed
    assert line.why.startswith("could not be graded: FileNotFoundError: ")
    monkeypatch.undo()
    monkeypatch.setattr(grading, "_prepare", lambda top, *rest: (top / "course" / "nbgrader").mkdir())
    (line,) = grade(plan_for(tmp_path)).failed
    assert line.why.startswith("could not be graded: the grader stopped: ")
    assert "NbGraderException: No assignment with ID" in line.why


def test_solutions_that_nbgrader_refuses(tmp_path: Path) -> None:
    hand_in(submission(), tmp_path / "handed in" / "ann.ipynb")
    plan = plan_for(tmp_path)
    broken = replace(plan.exercises[NAME], content=b"{}")
    with pytest.raises(GradingError, match=r"nbgrader refuses the solutions: [\w.]+Error: "):
        grade(replace(plan, exercises={NAME: broken}))


def test_a_temporary_folder_with_a_long_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(submission(), tmp_path / "handed in" / "ann.ipynb")
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with pytest.raises(GradingError, match="too long for sockets: set TMPDIR to a shorter one"):
        grade(plan_for(tmp_path))


@pytest.mark.parametrize(
    ("data", "got", "says"),
    [
        ({"text/plain": "1", "text/markdown": "test_x: caught 1 of 3."}, 1, "test_x: caught 1 of 3."),
        ({"text/plain": "3", "text/markdown": "test_x: caught 3 of 3."}, 3, "test_x: caught 3 of 3."),
        ({"text/plain": "1"}, 1, "1 of 3 points."),
        ({"text/plain": "x: right."}, 3, "x: right."),
        ({}, 3, "Right."),
    ],
)
def test_a_part_of_the_points_comes_with_its_narration(data: dict[str, str], got: int, says: str) -> None:
    cell = nbformat.v4.new_code_cell("x")
    cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]
    assert autograde._verdict(cell, None, got, 3, frozenset()) == says


def test_the_store_keeps_what_it_got_and_nothing_else(tmp_path: Path) -> None:
    piece = Piece("check", State.PARTLY, "x: wrong.\nDid: y", 1.5, 2)
    result = Result("ann", NAME, "Title", "ann/x.ipynb", key("a", b"b", 3), (piece,), ("note",))
    store = Store(tmp_path / "results")
    assert store.get(result.key) is None
    store.put(result)
    assert store.get(result.key) == result
    (path,) = (tmp_path / "results").iterdir()
    assert store.get(result.key[:24] + "0" * 40) is None  # same file, another key
    for content in ("", "[]", "{}", json.dumps({**result.to_json(), "pieces": [{"state": "?"}]})):
        path.write_text(content)
        assert store.get(result.key) is None


def test_the_lab_counts_with_every_program_and_every_file_of_its_data(tmp_path: Path) -> None:
    package, data = tmp_path / "package", tmp_path / "data"
    for path in (package / "a.py", package / "part" / "b.py", data / "x.csv", data / "live" / "y.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    before = grading.lab_digest(package, data)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "a.pyc").write_text("made when it runs")
    assert grading.lab_digest(package, data) == before
    seen = {before}
    for path in (package / "part" / "b.py", data / "live" / "y.json"):
        path.write_text("2")
        seen.add(grading.lab_digest(package, data))
    (package / "a.py").rename(package / "c.py")
    seen.add(grading.lab_digest(package, data))
    (data / "x.csv").unlink()
    seen.add(grading.lab_digest(package, data))
    assert len(seen) == 5


def test_what_another_lab_graded_is_graded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs over one submission; between them a function of the lab changes, and changes back."""
    hand_in(submission(), tmp_path / "handed in" / "ann.ipynb")
    graded_by = []

    def run_all(plan: Plan, protection: object, todo: list[Submission]) -> Iterator[Result]:
        for each in todo:
            graded_by.append(plan.lab)
            yield Result(each.student, each.exercise.name, "T", each.path, grading._key(plan, each), ())

    monkeypatch.setattr(grading, "_run_all", run_all)
    plan = plan_for(tmp_path)
    assert plan.lab == grading.lab_digest()
    for lab in (plan.lab, plan.lab, "changed", "changed", plan.lab):
        (result,) = grade(replace(plan, lab=lab)).results
        assert result.student == "ann"
    assert graded_by == [plan.lab, "changed"]


def test_a_key_depends_on_every_part_and_on_their_borders() -> None:
    assert len({key("a", "b"), key("ab", ""), key("ab"), key("a", b"c"), key("b", "a"), key("a", 1)}) == 6
    assert key("a", b"b") == key(b"a", "b")

"""The command line: what it prints, what it refuses, and that it never loses a learner's work."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from lan966x_lab import GET_BACK, __version__, cli, doctor, notebook_files
from lan966x_lab.doctor import Finding, Verdict

ROOT = Path(__file__).parent.parent
TWO_STEP = "0000000580000021c0000000000000700000000043800000 00000000"


def fields(table: str) -> dict[str, list[str]]:
    """The rows of a printed header: field name to bits, raw, value, meaning."""
    lines = [line for line in table.splitlines()[2:] if not line.startswith("Reserved")]
    return {row[0]: row[1:] for row in (re.split(r" {2,}", line) for line in lines)}


# decode


@pytest.mark.parametrize(
    "words", [[TWO_STEP], TWO_STEP.split(), [TWO_STEP.replace(" ", "")], [TWO_STEP.upper()]]
)
def test_decode_prints_every_field_of_the_worked_example(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", *words]) == 0
    rows = fields(capsys.readouterr().out)
    set_fields = {name: int(row[2]) for name, row in rows.items() if row[2] != "0"}
    # facts.md section 1: port 0, priority 7, two-step id 5, IPv4
    assert set_fields == {
        "TIMESTAMP": 5,
        "BYPASS": 1,
        "REW_CMD": 4,
        "PDU_TYPE": 7,
        "QOS_CLASS": 7,
        "DSTS": 1,
        "IPV": 7,
    }
    assert rows["DSTS"][:2] == ["70..62", "000000001"]
    assert rows["REW_CMD"][1] == f"{4:010b}"


@pytest.mark.parametrize(
    ("layout", "nbytes", "present", "absent"),
    [
        ("lan966x-rx", 28, "LEN", "BYPASS"),
        ("lan966x-tx", 28, "BYPASS", "LEN"),
        ("ocelot-rx", 16, None, None),
        ("ocelot-tx", 16, None, None),
    ],
)
def test_decode_knows_four_layouts(
    layout: str, nbytes: int, present: str | None, absent: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", "--layout", layout, "ff" * nbytes]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{layout}, {nbytes} bytes\n")
    rows = fields(out)
    assert present is None or present in rows
    assert absent not in rows
    for bits, raw, value, *_ in rows.values():
        high, low = map(int, bits.split(".."))
        assert raw == "1" * (high - low + 1)
        assert int(value) == int(raw, 2)


def test_decode_says_which_reserved_bits_are_set(capsys: pytest.CaptureFixture[str]) -> None:
    header = (1 << 140 | 1 << 15 | 1 << 71).to_bytes(28, "big").hex()
    assert cli.main(["decode", "--layout", "lan966x-rx", header]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Reserved bits that are set: 15, 140"
    assert cli.main(["decode", "00" * 28]) == 0
    assert "Reserved" not in capsys.readouterr().out


@pytest.mark.parametrize(("nbytes", "layout"), [(28, "lan966x-tx"), (16, "ocelot-tx")])
def test_decode_takes_the_injection_layout_of_that_length(
    nbytes: int, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", "00" * nbytes]) == 0
    assert capsys.readouterr().out.startswith(layout)


@pytest.mark.parametrize(
    "arguments",
    [["0x" + "5a" * 28], ["0X5a5a5a5a"] * 7, ["0x5a"] * 28, ["5", "a5a"] * 14, ["0x5", "0xa"] * 28],
)
def test_decode_takes_digits_as_they_are_printed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", "5a" * 28]) == 0
    plain = capsys.readouterr().out
    assert cli.main(["decode", *arguments]) == 0
    assert capsys.readouterr().out == plain


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["00" * 27], "27 bytes"),
        (["00" * 29], "29 bytes"),
        (["00" * 28, "--layout", "ocelot-tx"], "28 bytes"),
        (["00" * 16, "--layout", "lan966x-rx"], "16 bytes"),
        ([""], "0 bytes"),
        (["00"], "a header of 1 byte has"),
        (["0" * 55], "55 hex digits"),
        (["00" * 27 + "0g"], "'g' (digit 56)"),
        (["0x" + "00" * 27], "27 bytes"),
        (["0x00", "0X0g"], "'g' (digit 4)"),
        (["000x00"], "'x' (digit 4)"),
        (["٠" * 56], "'٠' (digit 1)"),
    ],
)
def test_decode_refuses_what_is_no_header(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", *arguments]) == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.out == ""


def test_decode_refuses_an_unknown_layout(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["decode", "--layout", "lan969x", "00"])
    assert "lan966x-rx" in capsys.readouterr().err


# the command as a whole


def test_both_ways_to_call_it_say_the_version() -> None:
    for command in ([sys.executable, "-m", "lan966x_lab"], [Path(sys.executable).with_name("lan966x-lab")]):
        out = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
        assert out == f"lan966x-lab {__version__}\n"


def test_the_command_line_loads_nothing_heavy() -> None:
    code = (
        "import sys, lan966x_lab.cli as cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sorted({'numpy', 'matplotlib', 'ipywidgets', 'jupyterlab', 'IPython'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == ""


def test_a_closed_pipe_is_no_crash() -> None:
    command = f"{sys.executable} -m lan966x_lab decode {'00' * 28} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_what_a_closed_pipe_still_held_is_no_crash() -> None:
    """The reader is gone before the first byte comes, which the test above leaves to chance."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "lan966x_lab", "decode", "00" * 28]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, env=buffered, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_ends_any_command_with_a_word_and_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(folder: Path) -> Iterator[Finding]:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "examine", interrupted)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err == "lan966x-lab: interrupted.\n"


# reset


@pytest.fixture
def notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a learner's notebooks, and the published ones they came from."""
    published = {
        "00_start_here.ipynb": b"zero\n",
        "01_read.ipynb": b"one\n",
        "exercises/01_read.ipynb": b"x\n",
    }
    monkeypatch.setattr(notebook_files, "pristine", lambda: published)
    folder = tmp_path / "work"
    notebook_files.copy_to(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_reset_saves_the_learners_version_each_time(
    notebooks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for attempt in (b"first\n", b"second\n"):
        (notebooks / "01_read.ipynb").write_bytes(attempt)
        assert cli.main(["reset", "--folder", str(notebooks)]) == 0
    assert contents(notebooks) == {
        "00_start_here.ipynb": b"zero\n",
        "01_read.ipynb": b"one\n",
        "01_read.mine.ipynb": b"first\n",
        "01_read.mine-2.ipynb": b"second\n",
        "exercises/01_read.ipynb": b"x\n",
    }
    assert "01_read.ipynb: put back, yours is now 01_read.mine-2.ipynb" in capsys.readouterr().out


def test_reset_brings_a_missing_notebook_back(notebooks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(notebooks)
    (notebooks / "exercises" / "01_read.ipynb").unlink()
    assert cli.main(["reset", "--folder", str(notebooks)]) == 0
    assert contents(notebooks) == before
    assert "it was missing" in capsys.readouterr().out


def test_reset_leaves_unchanged_notebooks_alone(notebooks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in notebooks.rglob("*")}
    assert cli.main(["reset", "--folder", str(notebooks)]) == 0
    assert {path: path.stat().st_mtime_ns for path in notebooks.rglob("*")} == before
    assert capsys.readouterr().out == "Nothing to do: all 3 notebooks are as published.\n"


def test_reset_dry_run_writes_nothing(notebooks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (notebooks / "01_read.ipynb").write_bytes(b"mine\n")
    before = contents(notebooks)
    assert cli.main(["reset", "--dry-run", "--folder", str(notebooks)]) == 0
    assert contents(notebooks) == before
    assert "would be put back, yours would become 01_read.mine.ipynb" in capsys.readouterr().out


def test_reset_takes_only_the_notebooks_named(notebooks: Path) -> None:
    for name in ("00_start_here.ipynb", "01_read.ipynb"):
        (notebooks / name).write_bytes(b"mine\n")
    assert cli.main(["reset", "01", "--folder", str(notebooks)]) == 0
    assert (notebooks / "00_start_here.ipynb").read_bytes() == b"mine\n"
    assert (notebooks / "01_read.ipynb").read_bytes() == b"one\n"


def test_reset_refuses_names_and_folders_that_are_not_there(
    notebooks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(notebooks)
    assert cli.main(["reset", "00", "09", "--folder", str(notebooks)]) == 2
    assert "'09'" in capsys.readouterr().err
    assert cli.main(["reset", "--folder", str(notebooks / "nowhere")]) == 2
    assert contents(notebooks) == before


def test_reset_saves_before_it_replaces(notebooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fills while the published notebook is written, both versions are still complete."""
    (notebooks / "01_read.ipynb").write_bytes(b"mine\n")
    replace, calls = os.replace, []

    def full_on_the_second(source: str, target: Path) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full_on_the_second)
    assert cli.main(["reset", "--folder", str(notebooks)]) == 1
    assert (notebooks / "01_read.ipynb").read_bytes() == b"mine\n"
    assert (notebooks / "01_read.mine.ipynb").read_bytes() == b"mine\n"
    assert len(contents(notebooks)) == 4  # no temporary file is left


def test_a_copy_never_overwrites(notebooks: Path) -> None:
    (notebooks / "01_read.ipynb").write_bytes(b"mine\n")
    (notebooks / "00_start_here.ipynb").unlink()
    assert [path.name for path in notebook_files.copy_to(notebooks)] == ["00_start_here.ipynb"]
    assert (notebooks / "01_read.ipynb").read_bytes() == b"mine\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_in_a_checkout_the_published_notebooks_are_those_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notebooks" / "exercises").mkdir(parents=True)
    stored = {"01_ä.ipynb": b"committed\n", "exercises/01.ipynb": b"exercise\n"}
    for name, content in stored.items():
        (tmp_path / "notebooks" / name).write_bytes(content)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "notebooks" / "01_ä.ipynb").write_bytes(b"changed\n")
    monkeypatch.setattr(notebook_files, "checkout", lambda: tmp_path)
    assert notebook_files.pristine() == stored


def test_without_git_and_installation_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notebook_files, "checkout", lambda: None)
    monkeypatch.setattr(notebook_files.metadata, "files", lambda name: None)
    assert cli.main(["reset", "--folder", str(tmp_path)]) == 1
    assert "pip install --force-reinstall" in capsys.readouterr().err


# open


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The flags that JupyterLab would have been started with."""
    calls: list[list[str]] = []
    monkeypatch.setattr(cli, "_jupyter_lab", lambda flags: calls.append(flags) or 0)
    return calls


def test_open_uses_the_notebooks_of_the_checkout(
    opened: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert cli.main([]) == 0
    (flags,) = opened
    assert f"--ServerApp.root_dir={ROOT.resolve()}" in flags
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in flags
    assert "--no-browser" in flags
    assert "address" in capsys.readouterr().out


def test_open_leaves_the_browser_to_a_display(
    opened: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    assert cli.main(["open"]) == 0
    assert cli.main(["open", "--no-browser"]) == 0
    assert ["--no-browser" in flags for flags in opened] == [False, True]


def test_open_in_a_folder_works_on_a_copy(opened: list[list[str]], notebooks: Path, tmp_path: Path) -> None:
    (notebooks / "01_read.ipynb").write_bytes(b"mine\n")
    assert cli.main(["open", str(notebooks)]) == 0
    assert f"--ServerApp.root_dir={notebooks.resolve()}" in opened[0]
    assert "--LabApp.default_url=/lab/tree/00_start_here.ipynb" in opened[0]
    assert (notebooks / "01_read.ipynb").read_bytes() == b"mine\n"


@pytest.mark.parametrize("place", ["HOME", "folder"])
def test_open_says_which_place_is_not_writable(
    place: str,
    opened: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    obstacle = tmp_path / "a file, not a folder"
    obstacle.write_text("")
    if place == "HOME":
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
            monkeypatch.setenv(name, str(obstacle / "jupyter"))
    assert cli.main(["open"] if place == "HOME" else ["open", str(obstacle / "work")]) == 1
    assert str(obstacle) in capsys.readouterr().err
    assert opened == []


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address that ``lan966x-lab open`` prints, of a real server."""
    places = ("CONFIG", "RUNTIME", "DATA")
    environment = os.environ | {f"JUPYTER_{place}_DIR": str(tmp_path / place) for place in places}
    process = subprocess.Popen(
        [sys.executable, "-m", "lan966x_lab", "open", "--no-browser"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        assert process.stderr is not None
        addresses = (re.search(r"http://127\.0\.0\.1\S+", line) for line in process.stderr)
        address = next(filter(None, addresses), None)
        assert address is not None, "the server ended before it printed an address"
        yield address[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        watchdog.cancel()


def test_the_printed_address_leads_to_the_first_notebook_without_a_news_question(server: str) -> None:
    base, token = re.fullmatch(
        r"(http://[^/]+)/lab/tree/notebooks/00_start_here\.ipynb\?(token=\w+)", server
    ).groups()

    def get(path: str) -> bytes:
        with urllib.request.urlopen(f"{base}{path}?{token}", timeout=30) as answer:
            return bytes(answer.read())

    for _ in range(100):  # the address is printed a moment before the server listens
        with contextlib.suppress(urllib.error.URLError):
            get("/api/status")
            break
        time.sleep(0.1)
    assert b"JupyterLab" in get("/lab/tree/notebooks/00_start_here.ipynb")
    assert json.loads(get("/api/contents/notebooks/00_start_here.ipynb"))["type"] == "notebook"
    settings = json.loads(get("/lab/api/settings/@jupyterlab/apputils-extension:notification"))
    assert settings["schema"]["properties"]["fetchNews"]["default"] == "false"
    kernel = json.loads(get("/api/kernelspecs"))["kernelspecs"]["python3"]
    assert kernel["spec"]["argv"][-1] == "--IPKernelApp.extra_extensions=lan966x_lab.kernels"
    assert kernel["resources"]["logo-svg"]  # the launcher shows it


# doctor


def test_the_doctor_finds_this_set_up_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    out = capsys.readouterr().out
    for subject in (
        "Python",
        "jupyterlab",
        "ipywidgets",
        "numpy",
        "widget extension",
        "kernel python3",
        "Chromium",
    ):
        assert f" {subject}: " in out
    assert out.splitlines()[-1] == "All is well."


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A set-up whose kernel need not be started; break one thing of it."""
    monkeypatch.setattr(doctor, "_kernel_problem", lambda: None)
    return monkeypatch


def wrong(folder: Path) -> list[Finding]:
    found = [finding for finding in doctor.examine(folder) if finding.verdict is Verdict.WRONG]
    assert all(finding.remedy and str(finding).count("\n") == 0 for finding in found)
    return found


def test_the_doctor_sees_an_old_python(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    healthy.setattr(doctor.platform, "python_version", lambda: "3.10.2")
    (finding,) = wrong(tmp_path)
    assert "3.10.2, the lab needs >=3.11" in finding.detail


def test_the_doctor_sees_a_missing_and_an_outdated_package(
    healthy: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = doctor.metadata.version

    def version(name: str) -> str:
        if name == "dpkt":
            raise doctor.metadata.PackageNotFoundError(name)
        return "7.0" if name == "ipywidgets" else real(name)

    healthy.setattr(doctor.metadata, "version", version)
    assert {finding.subject: finding.detail.split(",")[0] for finding in wrong(tmp_path)} == {
        "dpkt": "not installed",
        "ipywidgets": "7.0",
    }


def test_the_doctor_sees_that_the_lab_is_not_installed(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def metadata(name: str) -> None:
        raise doctor.metadata.PackageNotFoundError(name)

    healthy.setattr(doctor.metadata, "metadata", metadata)
    (finding,) = wrong(tmp_path)
    assert finding.subject == "package lan966x-lab"


def test_the_doctor_sees_a_broken_import(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    healthy.setitem(sys.modules, "jupyterlab_server.config", None)
    (finding,) = wrong(tmp_path)
    assert "jupyterlab_server.config" in finding.subject


def test_the_doctor_looks_for_every_data_file_that_git_knows(tmp_path: Path) -> None:
    finding = next(doctor._data())
    tracked = subprocess.run(
        ["git", "ls-files", "data"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    files = [name for name in tracked.stdout.split() if not name.endswith("README.md")]
    # the folder of the captures has a line of its own; without git (an archive) there is nothing to compare
    assert not files or finding.detail == f"{len(files) + 1} files in place"


@pytest.mark.parametrize(
    "name", ["claims.csv", "captures/ping-odd.pcap", "live/everything-sizes.json", "README.md"]
)
def test_the_doctor_sees_a_deleted_data_file(name: str, healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = doctor.data_path

    def data_path(*parts: str) -> Path:
        path = real(*parts)
        if path == real(name):
            raise FileNotFoundError(f"{path} is missing. {GET_BACK}")
        return path

    healthy.setattr(doctor, "data_path", data_path)
    (finding,) = wrong(tmp_path)
    assert finding.subject == "data"
    assert finding.detail == f"{real(name)} is missing"
    assert f"It belongs to the lab: {finding.remedy}." == GET_BACK


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_in_a_checkout_the_doctor_notes_a_data_file_that_is_not_as_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data" / "live").mkdir(parents=True)
    for name in ("ä.csv", "live/001.json"):
        (tmp_path / "data" / name).write_bytes(b"whole\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(notebook_files, "checkout", lambda: tmp_path)
    assert list(doctor._changed_data()) == []
    (tmp_path / "data" / "live" / "001.json").write_bytes(b"wh")
    (tmp_path / "data" / "ä.csv").unlink()
    (finding,) = doctor._changed_data()
    assert finding.verdict is Verdict.NOTE
    assert finding.detail == "not as published: data/live/001.json, data/ä.csv"
    assert f"It belongs to the lab: {finding.remedy}." == GET_BACK


def test_in_an_installation_the_doctor_sees_a_data_file_that_is_not_as_pip_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip's own record, of a wheel with two data files, one notebook and a file without a hash."""
    place, rows = tmp_path / "lan966x_lab", ["lan966x_lab/_data/none.csv,,"]
    names = ["_data/claims.csv", "_data/live/001.json", "_notebooks/00.ipynb"]
    for name in [*names, "_data/none.csv"]:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"whole\n")
    digest = "NmEpHigQe7lAFC00a9s6htpoQVrn_kUTdNQDxgN7n6U"
    rows += [f"lan966x_lab/{name},sha256={digest},6" for name in names]
    (tmp_path / "lan966x_lab-0.dist-info").mkdir()
    (tmp_path / "lan966x_lab-0.dist-info" / "RECORD").write_text("\n".join(rows))
    (tmp_path / "lan966x_lab-0.dist-info" / "METADATA").write_text("Name: lan966x-lab\nVersion: 0\n")
    (distribution,) = metadata.distributions(path=[str(tmp_path)])
    monkeypatch.setattr(notebook_files, "checkout", lambda: None)
    monkeypatch.setattr(notebook_files.metadata, "files", lambda name: distribution.files)
    assert list(doctor._changed_data()) == []
    for name in ("_data/claims.csv", "_notebooks/00.ipynb", "_data/none.csv"):
        (place / name).write_bytes(b"wh")
    (place / "_data" / "live" / "001.json").unlink()
    (finding,) = doctor._changed_data()
    assert finding.verdict is Verdict.WRONG
    assert finding.detail == "not as published: data/claims.csv, data/live/001.json"


def test_without_git_and_without_an_installation_nobody_knows_how_the_data_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(notebook_files, "checkout", lambda: tmp_path)
    assert notebook_files.changed("data") == []
    monkeypatch.setattr(notebook_files, "checkout", lambda: None)
    monkeypatch.setattr(notebook_files.metadata, "files", missing)
    assert notebook_files.changed("data") == []


def test_the_doctor_sees_a_computer_that_cannot_talk_to_itself(
    healthy: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(address: object, timeout: float) -> None:
        raise ConnectionRefusedError("not allowed")

    healthy.setattr(doctor.socket, "create_connection", refuse)
    (finding,) = wrong(tmp_path)
    assert finding.subject == "loopback"
    assert "not allowed" in finding.detail


def test_the_doctor_sees_a_page_without_widgets(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import jupyter_core.paths

    healthy.setattr(jupyter_core.paths, "jupyter_path", lambda *parts: [str(tmp_path)])
    (finding,) = wrong(tmp_path)
    assert "widgets would stay blank" in finding.detail


def test_the_doctor_sees_widgets_switched_off(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import jupyterlab_server.config

    name = "@jupyter-widgets/jupyterlab-manager"
    page = {"disabledExtensions": [f"{name}:plugin"]}
    healthy.setattr(jupyterlab_server.config, "get_page_config", lambda where: page)
    (finding,) = wrong(tmp_path)
    assert finding.detail == "switched off"


def test_the_doctor_sees_a_folder_it_cannot_write(healthy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    obstacle = tmp_path / "file"
    obstacle.write_text("")
    (finding,) = wrong(obstacle)
    assert finding.subject == "notebook folder"
    assert str(obstacle) in finding.detail


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (None, "not registered"),
        (["no-such-python"], "does not start"),
        (
            [sys.executable, "-I", "-S", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "does not start",
        ),
    ],
)
def test_the_doctor_sees_a_kernel_that_cannot_start(
    argv: list[str] | None, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import jupyter_client.kernelspec as kernelspec

    def spec(self: object, name: str) -> kernelspec.KernelSpec:
        if argv is None:
            raise kernelspec.NoSuchKernel(name)
        return kernelspec.KernelSpec(argv=argv, display_name="broken", language="python")

    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", spec)
    assert problem in str(doctor._kernel_problem())


def test_the_doctor_sees_a_kernel_of_another_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A module that shadows the lab stands for a Python where the lab is not installed."""
    (tmp_path / "lan966x_lab.py").write_text("raise ModuleNotFoundError(\"No module named 'lan966x_lab'\")")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "another Python's" in str(doctor._kernel_problem())


def test_a_missing_chromium_is_a_note(
    healthy: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    healthy.setattr(doctor.shutil, "which", lambda name: None)
    assert cli.main(["doctor"]) == 0
    assert "note   Chromium: not found" in capsys.readouterr().out
    assert wrong(tmp_path) == []


def test_the_doctors_status_says_that_something_is_wrong(
    healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    healthy.setattr(doctor.platform, "python_version", lambda: "3.10.2")
    assert cli.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "WRONG  Python: 3.10.2" in out
    assert "Remedy: " in out
    assert out.splitlines()[-1] == "1 problem found."

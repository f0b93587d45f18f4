"""The jail from inside: what a program in it can do, and what it cannot."""

import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from lan966x_lab.workbook.classroom.grader import sandbox
from lan966x_lab.workbook.classroom.grader.sandbox import (
    Protection,
    environment,
    examine,
    jail_spec,
    kernel_command,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="the jail is made of Linux's namespaces")

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    for name in ("work", "tmp", "ipc"):
        (tmp_path / "shared" / name).mkdir(parents=True)
    return (tmp_path / "shared").resolve()


@pytest.fixture
def protection(tmp_path: Path) -> Protection:
    (tmp_path / "teacher").mkdir()
    found = examine([tmp_path / "teacher", tmp_path / "missing"])
    if found.reason and not os.environ.get("LAN966X_NO_SKIPS"):
        pytest.skip(f"NO JAIL WAS TESTED: {found.reason}")
    assert not found.reason
    return found


def inside(protection: Protection, shared: Path, code: str) -> Any:
    """What a program in the jail prints, as JSON."""
    program = [sys.executable, "-c", "import json\n" + textwrap.dedent(code)]
    command = kernel_command(protection, shared, program)
    done = subprocess.run(command, env=environment(shared), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@linux
def test_only_its_own_folder_can_be_written(protection: Protection, shared: Path, tmp_path: Path) -> None:
    places = [
        tmp_path / "teacher",
        Path.home(),
        Path("/etc"),
        Path("/dev"),
        Path("/run"),
        Path("/proc/sys/kernel"),
    ]
    places += [Path(sys.prefix), Path(sandbox.__file__).parent, Path("/var/tmp"), Path("/")]
    code = f"""
        wrote = []
        for place in {[str(place) for place in places]!r}:
            try:
                open(place + "/lan966x_probe", "w")
                wrote.append(place)
            except OSError:
                pass
        for place in (".", "/tmp", "/dev/shm"):
            open(place + "/lan966x_probe", "w").write("x")
        print(json.dumps(wrote))
    """
    assert inside(protection, shared, code) == []
    assert (shared / "work" / "lan966x_probe").is_file()
    probes = [place / "lan966x_probe" for place in [*places, Path("/tmp"), Path("/dev/shm")]]
    left = [str(probe) for probe in probes if probe.exists()]
    for probe in left:  # a jail that leaks must not spoil the next run
        os.unlink(probe)
    assert left == []


@linux
def test_what_is_hidden_is_empty_and_what_is_needed_is_there(
    protection: Protection, shared: Path, tmp_path: Path
) -> None:
    (tmp_path / "teacher" / "solution").write_text("secret")
    code = f"""
        import os, pathlib, lan966x_lab, numpy
        from lan966x_lab import net
        teacher = pathlib.Path({str(tmp_path / "teacher")!r})
        print(json.dumps([
            teacher.exists() and os.listdir(teacher),
            os.path.exists({str(CHECKOUT / "notebooks")!r}),
            os.path.exists({str(CHECKOUT / ".git")!r}),
            sorted(os.listdir("/dev")),
            os.listdir("/run"),
            os.getcwd(),
            len([name for name in os.listdir("/proc") if name.isdigit()]),
            str(lan966x_lab.data_path("claims.csv").is_file()),
        ]))
    """
    teacher, notebooks, git, devices, run_folder, work, processes, data = inside(
        Protection((*protection.hide, str(CHECKOUT))), shared, code
    )
    assert teacher in (False, [])
    assert (notebooks, git, run_folder, work, processes, data) == (
        False,
        False,
        [],
        str(shared / "work"),
        1,
        "True",
    )
    assert devices == ["fd", "full", "null", "random", "shm", "urandom", "zero"]


@linux
def test_there_is_no_network_and_no_way_to_the_hosts_sockets(
    protection: Protection, shared: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind("\0lan966x-abstract")  # visible to everybody in the same network namespace
        local.listen()
        port = server.getsockname()[1]
        code = f"""
            import socket
            failed = []
            inet, unix = socket.AF_INET, socket.AF_UNIX
            for family, address in ((inet, ("127.0.0.1", {port})), (unix, "\\0lan966x-abstract"),
                                    (inet, ("192.0.2.1", 80))):
                try:
                    socket.socket(family).connect(address)
                    failed.append(None)
                except OSError as error:
                    failed.append(error.errno)
            print(json.dumps(failed))
        """
        assert None not in inside(protection, shared, code)
        server.settimeout(0.2)
        with pytest.raises(TimeoutError):
            server.accept()


@linux
def test_there_is_no_way_back(protection: Protection, shared: Path, tmp_path: Path) -> None:
    code = f"""
        import os, subprocess
        tried = ["mount -o remount,rw /", "umount /run", "unshare -Urm true", "unshare -r true",
                 "mount -t tmpfs x {shared}", "chroot / true", "nsenter -t 1 -m true"]
        status = [subprocess.run(["sh", "-c", each], capture_output=True).returncode != 0 for each in tried]
        caps = [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")]
        print(json.dumps([status, sorted(set(caps))]))
    """
    assert inside(protection, shared, code) == [[True] * 7, ["0000000000000000"]]


@linux
def test_limits_hold_with_and_without_a_jail(shared: Path, tmp_path: Path) -> None:
    code = """
        import resource
        caught = []
        try:
            bytearray(1 << 40)
        except MemoryError:
            caught.append("memory")
        try:
            with open("big", "wb") as file:
                file.truncate(1 << 40)
        except OSError:
            caught.append("file")
        print(json.dumps([caught, resource.getrlimit(resource.RLIMIT_CORE)]))
    """
    assert inside(Protection((), "there is none"), shared, code) == [["memory", "file"], [0, 0]]


def test_no_variable_of_the_teacher_goes_in(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("LANG", "C.UTF-8")
    variables = environment(shared)
    assert "SECRET_TOKEN" not in variables
    assert variables["LANG"] == "C.UTF-8"
    assert variables["HOME"] == str(shared)
    assert all(
        str(shared) in variables[name] for name in ("TMPDIR", "IPYTHONDIR", "JUPYTER_PATH", "MPLCONFIGDIR")
    )


@pytest.mark.parametrize(
    ("platform", "search", "says"),
    [
        ("darwin", os.defpath, "the jail needs Linux, and this is darwin"),
        ("linux", "", "unshare and setpriv is not installed (util-linux)"),
    ],
)
def test_where_there_is_no_jail_it_says_why(
    platform: str, search: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sandbox, "_SYSTEM", search)
    found = examine([])
    assert found.reason == says
    assert says in found.sentence
    assert "could use the network and write wherever you can" in found.sentence


@linux
def test_a_kernel_that_refuses_namespaces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(sandbox, "_SYSTEM", f"{tmp_path}{os.pathsep}{sandbox._SYSTEM}")
    assert examine([]).reason == (
        "this computer does not allow user namespaces, of which it is made "
        "(unshare: unshare failed: Operation not permitted)"
    )


def test_the_folders_that_are_kept_exist_and_none_is_the_checkout(shared: Path) -> None:
    spec = jail_spec(Protection(("/home",)), shared)
    assert all(Path(path).is_dir() for path in spec["keep"])
    assert str(CHECKOUT) not in spec["keep"]
    assert spec["write"] == [str(shared)]


@linux
def test_the_jailed_program_dies_with_its_parent(protection: Protection, shared: Path) -> None:
    """Whoever starts it may be killed in any way: nothing is left."""
    command = kernel_command(protection, shared, [sys.executable, "-c", "import time; time.sleep(600)"])
    code = f"import subprocess, time; subprocess.Popen({command!r}, start_new_session=True); time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", code])
    marker = str(shared)
    wait_for(lambda: len(processes(marker)) >= 3)  # the parent, unshare, and the program
    parent.kill()
    parent.wait()
    wait_for(lambda: not processes(marker))


def processes(marker: str) -> list[int]:
    """The processes whose command line or directory names ``marker``."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if int(path.name) == os.getpid():
                continue
            if marker in (path / "cmdline").read_bytes().decode(errors="replace") or marker in os.readlink(
                path / "cwd"
            ):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def wait_for(condition: Any) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited for 20 s"
        time.sleep(0.05)

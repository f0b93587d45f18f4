"""`lan966x-lab hub`: the configuration it writes, what it refuses in which words, and what a learner gets."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jupyter_client.manager import KernelManager
from jupyter_core.paths import jupyter_config_path, jupyter_path
from jupyter_server.extension.config import ExtensionConfigManager
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
from jupyterhub.app import JupyterHub
from jupyterhub.auth import Authenticator, PAMAuthenticator
from jupyterhub.proxy import ConfigurableHTTPProxy
from jupyterhub.spawner import LocalProcessSpawner, Spawner
from jupyterlab.labapp import LabApp
from jupyterlab_server.config import get_federated_extensions, get_page_config
from traitlets.config import PyFileConfigLoader

from lan966x_lab import cli, notebook_files
from lan966x_lab.workbook.classroom import hub, learner

ROOT = Path(__file__).parents[2]
OWNERS = {one.__name__: one for one in (JupyterHub, Authenticator, ConfigurableHTTPProxy, Spawner)}
SERVERS = {one.__name__: one for one in (ServerApp, KernelManager, MappingKernelManager)}


def written(folder: Path, *more: str) -> Any:
    """The configuration as JupyterHub loads it."""
    assert cli.main(["hub", "--users", "alice", "bob", "--write", str(folder), *more]) == 0
    return PyFileConfigLoader(hub.CONFIG, path=str(folder)).load_config()


# The configuration


def test_only_settings_that_exist_are_set(tmp_path: Path) -> None:
    config = written(tmp_path / "class")
    assert set(config) == set(OWNERS)
    unknown = [
        f"{owner}.{name}"
        for owner in config
        for name in config[owner]
        if name not in OWNERS[owner].class_traits()
    ]
    assert unknown == []
    flags = [re.fullmatch(r"--(\w+)\.(\w+)=\w+", argument) for argument in config.Spawner.args]
    assert flags
    for flag in flags:
        assert flag is not None
        assert flag[2] in SERVERS[flag[1]].class_traits()


def test_the_classes_it_names_are_those_that_keep_learners_apart(tmp_path: Path) -> None:
    config = written(tmp_path / "class")
    app = JupyterHub(config=config)
    assert app.authenticator_class is PAMAuthenticator
    assert app.spawner_class is LocalProcessSpawner


def test_safe_by_default(tmp_path: Path) -> None:
    config = written(tmp_path / "class")
    assert config.JupyterHub.bind_url == "http://127.0.0.1:8000"
    assert config.JupyterHub.hub_bind_url == "http://127.0.0.1:8001"
    assert config.ConfigurableHTTPProxy.api_url == "http://127.0.0.1:8002"
    assert config.Authenticator.allowed_users == {"alice", "bob"}
    for owner, name in (
        ("Authenticator", "allow_all"),
        ("Authenticator", "admin_users"),
        ("JupyterHub", "admin_access"),
    ):
        assert name not in config[owner]
    assert "--KernelManager.transport=ipc" in config.Spawner.args


def test_the_given_address_and_port_are_written(tmp_path: Path) -> None:
    config = written(tmp_path / "class", "--address", "0.0.0.0", "--port", "9000")
    assert config.JupyterHub.bind_url == "http://0.0.0.0:9000"
    assert config.JupyterHub.hub_bind_url == "http://127.0.0.1:9001"  # never the open address
    assert config.ConfigurableHTTPProxy.api_url == "http://127.0.0.1:9002"


def test_what_the_hub_remembers_lies_beside_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    config = written(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert config.JupyterHub.db_url == f"sqlite:///{folder / 'jupyterhub.sqlite'}"
    assert Path(config.JupyterHub.cookie_secret_file).parent == folder
    assert Path(config.ConfigurableHTTPProxy.pid_file).parent == folder


def test_learners_start_in_a_working_copy_on_the_first_notebook(tmp_path: Path) -> None:
    config = written(tmp_path / "class")
    assert config.Spawner.notebook_dir == "~/lan966x_lab_notebooks"
    assert config.Spawner.default_url == "/lab/tree/00_start_here.ipynb"
    assert config.Spawner.cmd == [sys.executable, "-P", "-m", learner.__name__]


def test_a_learner_s_name_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    written(tmp_path / "class")
    text = (tmp_path / "class" / hub.CONFIG).read_text()
    assert '\nLEARNERS = {\n    "alice",\n    "bob",\n}\n' in text


def test_the_printed_command_is_how_the_hub_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """tests/browser/test_hub.py runs it."""
    written(tmp_path / "class")
    assert (
        f"\n  {sys.executable} -m jupyterhub -f {tmp_path / 'class' / hub.CONFIG}\n"
        in capsys.readouterr().out
    )


def test_a_configuration_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / hub.CONFIG).write_text("mine")
    assert cli.main(["hub", "--users", "alice", "--write", str(tmp_path)]) == 1
    assert (tmp_path / hub.CONFIG).read_text() == "mine"
    assert "Edit it, or name another folder." in capsys.readouterr().err


def test_a_folder_that_is_in_use_keeps_its_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or `--write` with the path of temporary files would lock everybody else out of them."""
    tmp_path.chmod(0o755)
    (tmp_path / "others").touch()
    assert cli.main(["hub", "--users", "alice", "--write", str(tmp_path)]) == 1
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["others"]
    assert "is in use, and not closed to others" in capsys.readouterr().err


@pytest.mark.usefixtures("ready")
def test_a_file_is_no_folder_and_no_account_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hub, "_uid", lambda name: None)
    monkeypatch.setattr(hub, "make_accounts", lambda names: pytest.fail("it made them"))
    file = tmp_path / "file"
    file.write_text("mine")
    assert cli.main(["hub", "--users", "alice", "--make-accounts", "--write", str(file)]) == 1
    assert f"{file} is no folder. Name a new one." in capsys.readouterr().err
    assert file.read_text() == "mine"


# What it refuses


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where everything is there, and the learner's account too."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(hub, "find_spec", lambda name: object())
    monkeypatch.setattr(hub.shutil, "which", lambda name, path=None: f"/usr/bin/{name}")
    monkeypatch.setattr(hub, "_uid", lambda name: 1234)
    monkeypatch.setattr(
        hub.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, "", "")
    )
    monkeypatch.setattr(hub, "_ports", lambda classroom: iter(()))  # other tests may hold any port
    monkeypatch.setattr(hub, "serve", lambda classroom: pytest.fail("it started"))


def closed(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def without(*names: str) -> Callable[..., str | None]:
    return lambda name, path=None: None if name in names else f"/usr/bin/{name}"


REFUSALS: dict[str, tuple[str, Any, str, str]] = {
    "jupyterhub": (
        "find_spec",
        lambda name: None,
        "JupyterHub: not installed",
        "pip install -e '.[classroom]'`.",
    ),
    "node": ("shutil.which", without("node"), "node: not found", "`sudo apt-get install nodejs npm`."),
    "proxy": (
        "shutil.which",
        without(hub.PROXY),
        f"{hub.PROXY}: not found",
        f"`sudo npm install -g {hub.PROXY}@5.0`.",
    ),
    "user": ("os.geteuid", lambda: 1000, "the hub: it is not root, so it could neither check", " hub …`."),
    "windows": ("sys.platform", "win32", "the hub: made for Linux, and this is win32", "a Linux machine, or"),
    "account": ("_uid", lambda name: None, "learners: no account on this machine: alice", "--make-accounts."),
    "system": (
        "_uid",
        lambda name: 33,
        "alice: an account of the system (uid 33)",
        "leave it out of --users.",
    ),
    "python": (
        "subprocess.run",
        lambda command, **_: subprocess.CompletedProcess(command, 1, "", "Traceback\nNo module named x"),
        f"Python: {sys.executable} does not run for other users (No module named x)",
        "install the lab where everybody may read, with a Python that everybody may read",
    ),
    "closed": (
        "subprocess.run",
        closed,
        f"Python: {sys.executable} does not run",
        "/usr/bin/python3 -m venv",
    ),
}


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("case", REFUSALS)
def test_a_refused_start_has_one_sentence_and_one_remedy(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where, instead, sentence, remedy = REFUSALS[case]
    monkeypatch.setattr(f"{hub.__name__}.{where}", instead)
    assert cli.main(["hub", "--users", "alice"]) == 1
    *wrong, last = capsys.readouterr().out.splitlines()
    assert len(wrong) == 1
    said, _, advice = wrong[0].partition(" Remedy: ")
    assert said.startswith(f"WRONG  {sentence}")
    assert remedy in advice
    assert last == "Nothing was started, and nothing was changed."


@pytest.mark.usefixtures("ready")
def test_python_is_tried_as_a_user_who_may_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/browser/test_hub.py tries it for real, as root."""
    tried: list[dict[str, Any]] = []

    def run(command: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
        tried.append({"python": command[0], **how})
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(hub.subprocess, "run", run)
    assert list(hub.examine(hub.Classroom(("alice",)))) == []
    (one,) = tried
    assert (one["python"], one["cwd"]) == (sys.executable, "/")
    assert (one["user"], one["group"], one["extra_groups"]) == (65534, 65534, [])


@pytest.mark.parametrize("offset", range(3))
def test_a_port_that_is_taken_is_named(offset: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = [str(finding) for finding in hub._ports(hub.Classroom(("alice",), port=port - offset))]
    sentence = f"WRONG  port {port} of 127.0.0.1: Address already in use. Remedy: choose another --port"
    assert any(line.startswith(sentence) for line in found)


@pytest.mark.parametrize("address", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_that_is_not_this_machine_s_is_named(address: str) -> None:
    found = [str(finding) for finding in hub._ports(hub.Classroom(("alice",), address))]
    assert any(line.startswith(f"WRONG  port 8000 of {address}: ") for line in found)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--users", "Bob"], "'Bob' is no name for a Unix account"),
        (["--users", "ok", "a:b"], "'a:b' is no name for a Unix account"),
        (["--users", "a" * 33], "at most 32 in all"),
        (["--users", 'x",}\nimport os'], "is no name for a Unix account"),
        (["--users", "alice", "--address", "::"], "address '::': give an IPv4 address or a host's name"),
        (["--users", "alice", "--address", '"; x'], "give an IPv4 address or a host's name"),
        (["--users", "alice", "--port", "0"], "port 0: choose one from 1 to 65533"),
        (["--users", "alice", "--port", "65534"], "port 65534: choose one from 1 to 65533"),
    ],
)
def test_a_wrong_call_writes_nothing(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["hub", *arguments, "--write", str(tmp_path / "class")]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "class").exists()


@pytest.mark.usefixtures("ready")
def test_accounts_are_made_only_after_every_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hub, "_uid", lambda name: None)
    monkeypatch.setattr(hub.shutil, "which", without("node", "useradd"))
    monkeypatch.setattr(hub, "make_accounts", lambda names: pytest.fail("it made them"))
    assert cli.main(["hub", "--users", "alice", "--make-accounts"]) == 1
    assert re.search(
        r"useradd: not found, .*Remedy: make them as your system does\.", capsys.readouterr().out
    )


# What it says


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_the_start_says_where_who_how_many_and_how_it_ends(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started = []
    monkeypatch.setattr(hub, "serve", started.append)
    monkeypatch.setattr(hub, "places", lambda: 17)
    arguments = ["--users", "alice", "bob", "alice", "--address", address, "--port", "9000"]
    assert cli.main(["hub", *arguments]) == 0
    assert started == [hub.Classroom(("alice", "bob"), address, 9000)]
    said = capsys.readouterr().out
    assert re.search(r"Learners open http://\S+:9000 and sign in with .*: alice, bob\.", said)
    assert "http://0.0.0.0" not in said
    assert "Memory for 17 at the same time (about 250 MB each)" in said
    assert "Ctrl-C ends it" in said
    assert ("Only this machine can reach it" in said) == (address == "127.0.0.1")
    assert ("PASSWORDS CROSS THE NETWORK UNENCRYPTED" in said) == (address == "0.0.0.0")


@pytest.mark.parametrize(
    ("gigabytes", "limit", "expected"),
    [
        (24, None, 92),
        (24, "max\n", 92),
        (24, "2000000000\n", 4),
        (4, "99000000000\n", 12),
        (1, None, 1),
        (0.1, None, 1),
    ],
)
def test_as_many_learners_as_fit(
    gigabytes: float, limit: str | None, expected: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sizes = {"SC_PAGE_SIZE": 1000, "SC_PHYS_PAGES": int(gigabytes * 1_000_000)}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(hub, "_CGROUP_LIMIT", tmp_path / "memory.max")
    if limit is not None:
        (tmp_path / "memory.max").write_text(limit)
    assert hub.places() == expected


# Accounts


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for useradd and chpasswd that note what they were given."""
    for name in ("useradd", "chpasswd"):
        tool = tmp_path / name
        notes = f'echo {name} "$@" >> {tmp_path}/notes'
        tool.write_text(f"#!/bin/sh\n{notes}\n[ {name} = useradd ] || cat >> {tmp_path}/notes\n")
        tool.chmod(0o755)
    monkeypatch.setattr(hub, "_SEARCH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def test_passwords_are_long_differ_and_never_stand_in_a_command_line(tools: Path) -> None:
    made = dict(hub.make_accounts(["alice", "bob"]))
    assert list(made) == ["alice", "bob"]
    assert made["alice"] != made["bob"]
    assert all(re.fullmatch(r"[a-km-z2-9]{10}", password) for password in made.values())
    notes = (tools / "notes").read_text().splitlines()
    assert notes == [
        "useradd --create-home --key HOME_MODE=0700 --shell /bin/bash alice",
        "chpasswd",
        f"alice:{made['alice']}",
        "useradd --create-home --key HOME_MODE=0700 --shell /bin/bash bob",
        "chpasswd",
        f"bob:{made['bob']}",
    ]


def test_a_system_that_makes_no_account_is_quoted(tools: Path) -> None:
    (tools / "useradd").write_text("#!/bin/sh\necho no space >&2\nexit 1\n")
    with pytest.raises(OSError, match=r"useradd .* alice failed: no space"):
        next(hub.make_accounts(["alice"]))


@pytest.mark.usefixtures("ready")
def test_a_password_is_shown_although_the_next_account_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def add(command: list[str], words: str = "") -> None:
        if command[-1] == "bob":
            raise OSError("useradd bob failed: no space")

    monkeypatch.setattr(hub, "_uid", lambda name: None)
    monkeypatch.setattr(hub, "_as_root", add)
    assert cli.main(["hub", "--users", "alice", "bob", "--make-accounts"]) == 1
    said = capsys.readouterr()
    assert re.search(r"Made the account alice, password \w{10} ", said.out)
    assert "bob failed: no space" in said.err


# What a learner gets


def test_the_home_is_closed_and_the_notebooks_are_copied_without_solutions(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    learner.prepare(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    folder = tmp_path / notebook_files.WORKING_FOLDER
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*.ipynb")}
    assert notebook_files.FIRST in copied
    assert copied == {name for name in notebook_files.pristine() if not name.startswith("solutions/")}


def test_signing_in_again_overwrites_nothing(tmp_path: Path) -> None:
    learner.prepare(tmp_path)
    folder = tmp_path / notebook_files.WORKING_FOLDER
    (folder / notebook_files.FIRST).write_text("mine")
    missing = next(path for path in sorted(folder.glob("*.ipynb")) if path.name != notebook_files.FIRST)
    missing.unlink()
    learner.prepare(tmp_path)
    assert (folder / notebook_files.FIRST).read_text() == "mine"
    assert missing.is_file()


def test_a_full_disk_does_not_lock_a_learner_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(notebook_files, "copy_to", full)
    learner.prepare(tmp_path)
    assert "The notebooks were not copied: [Errno 28] No space left on device" in capsys.readouterr().err


def test_a_learner_becomes_a_server_that_trusts_no_file_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    became: list[list[str]] = []
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_PATH"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sys, "argv", ["learner", "--port=1"])
    monkeypatch.setattr(os, "execv", lambda program, arguments: became.append([program, *arguments]))
    before = os.umask(0o022)
    try:
        learner.main()
    finally:
        mask = os.umask(before)
    assert became == [[sys.executable, sys.executable, "-P", "-m", "jupyterhub.singleuser", "--port=1"]]
    assert mask == 0o077
    kernel = Path(os.environ["JUPYTER_RUNTIME_DIR"]).relative_to(tmp_path) / f"kernel-{'0' * 36}-ipc-5"
    assert len(f"/home/{'a' * 32}/{kernel}") < 108  # unix(7)


def test_learners_do_not_see_the_tools_of_the_teacher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JupyterLab's own reading of the settings, with nbgrader installed beside it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", "")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setattr(os, "execv", lambda program, arguments: None)
    before = os.umask(0o022)
    try:
        learner.main()
    finally:
        os.umask(before)
    where = jupyter_path("labextensions")
    assert "@jupyter/nbgrader" in get_federated_extensions(where)
    assert "@jupyter/nbgrader" in get_page_config(where)["disabledExtensions"]
    servers = ExtensionConfigManager(read_config_path=jupyter_config_path()).get_jpserver_extensions()
    assert servers["jupyterlab"]
    nbgrader = {name: on for name, on in servers.items() if name.startswith("nbgrader.")}
    assert nbgrader
    assert not any(nbgrader.values())
    command = [sys.executable, "-m", "jupyter_server", "--show-config-json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(shown)["ServerApp"]["kernel_spec_manager_class"] == "lan966x_lab.kernels.Specs"


def test_open_leaves_out_the_button_that_calls_an_untouched_exercise_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """nbgrader's Validate asks whether a cell raises, and a visible check shows its verdict instead."""
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setattr(LabApp, "launch_instance", lambda flags: None)
    assert cli.main(["open", "--no-browser"]) == 0
    disabled = get_page_config(jupyter_path("labextensions"))["disabledExtensions"]
    assert "@jupyter/nbgrader" in disabled


def test_a_checkout_of_somebody_else_still_has_its_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = notebook_files.pristine()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")  # on some machines git is told to trust every folder
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.delenv("GIT_CONFIG_COUNT", raising=False)
    refused = subprocess.run(
        ["git", "-C", ROOT, "ls-tree", "HEAD"], capture_output=True, text=True, check=False
    )
    if (ROOT / ".git").exists():
        assert "dubious ownership" in refused.stderr
    assert notebook_files.pristine() == mine


# The page


def test_the_values_for_kubernetes_are_yaml_and_their_hook_is_python() -> None:
    page = (ROOT / "notebooks" / "HUB.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    values = yaml.safe_load(block)
    assert set(values) == {"singleuser", "cull"}
    python, flag, code = values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    assert (python, flag) == ("python", "-c")
    compile(code, "postStart", "exec")
    assert values["singleuser"]["memory"]["guarantee"] == f"{hub.LEARNER_BYTES // 1_000_000}M"

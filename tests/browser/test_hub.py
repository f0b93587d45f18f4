"""`lan966x-lab hub` as a class meets it: three Unix users in three browsers, and none reaches another's work.

Root only, and with node and the proxy: `.ci/run` installs them. Elsewhere the skip says what is missing.
"""

import json
import os
import re
import signal
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hub_support
import pytest
from hub_support import Account, Hub
from lab import VIEWPORT, LabPage, spread
from playwright.sync_api import Browser, BrowserContext

NOTEBOOK = "00_start_here.ipynb"
FOLDER = "lan966x_lab_notebooks"
_PREFIX = f"lab{os.getpid()}"  # nobody has such a name already
NAMES = [_PREFIX + name for name in ("alice", "bob", "carol")]

# What alice tries in a cell. Her own notebook must open, or the refusals would prove nothing.
SPY = """
import json, os, pathlib, urllib.request

def attempt(action):
    try:
        return repr(action())[:40]
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'code', '')}".strip()

def get(port, path):
    return attempt(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10).status)

def ports(uid):  # /proc/net/tcp tells everybody: state 0A listens, the eighth column is the user
    rows = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and int(row[7]) == uid]

case = json.loads(CASE)
theirs = pathlib.Path(case["home"])
result = {
    "me": os.getuid(),
    "own notebook": attempt(lambda: open(case["notebook"]).read(1)),
    "list home": attempt(lambda: list(theirs.iterdir())),
    "read notebook": attempt(lambda: (theirs / case["folder"] / case["notebook"]).read_bytes()),
    "write notebook": attempt(lambda: (theirs / case["folder"] / "x.ipynb").write_text("x")),
    "key of their kernel": attempt(lambda: list((theirs / ".jupyter-run").iterdir())),
    "what the hub remembers": attempt(lambda: open(case["database"], "rb").read(1)),
    "their ports, past the proxy": [get(port, case["path"] + "/api/contents") for port in ports(case["uid"])],
    "the hub's own port": get(case["port"] + 1, "/hub/api/users"),
    "the proxy's own port": get(case["port"] + 2, "/api/routes"),
}
print(json.dumps(result))
"""


class Desk:
    """A learner at a browser of their own; what ``LabPage`` needs of a server."""

    def __init__(self, hub: Hub, account: Account, context: BrowserContext) -> None:
        self.account, self.context = account, context
        self.url = f"{hub.url}/user/{account.name}"
        self.page = context.new_page()
        artifacts = Path(__file__).parents[2] / "artifacts"
        self.lab = LabPage(self, self.page, artifacts / f"hub_{account.name.removeprefix(_PREFIX)}")

    def get(self, path: str) -> Any:
        return self.context.request.get(self.url + path).json()

    def sign_in(self, hub: Hub, password: str) -> None:
        self.page.goto(f"{hub.url}/hub/login")
        self.page.get_by_label("Username").fill(self.account.name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()

    def status(self, url: str) -> int:
        return self.context.request.get(url, max_redirects=20).status


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    """The Python that the class uses."""
    hub_support.needed()
    with hub_support.open_folder() as folder:
        yield hub_support.shared_python(folder)


def command(python: str, *arguments: str) -> list[str]:
    return [python, "-m", "lan966x_lab", "hub", *arguments]


def test_three_users_work_side_by_side_and_none_reaches_another(
    python: str, browser: Browser, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    port = hub_support.free_port()
    with hub_support.removed(NAMES), hub_support.open_folder() as folder:
        # as a teacher: accounts and configuration, then an edit, then the command that was printed
        arguments = [
            "--users",
            *NAMES,
            "--make-accounts",
            "--port",
            str(port),
            "--write",
            str(folder / "class"),
        ]
        written = subprocess.run(
            command(python, *arguments), env=hub_support.ENVIRONMENT, capture_output=True, text=True
        )
        assert written.returncode == 0, written.stdout + written.stderr
        learners = hub_support.accounts(written.stdout)
        assert [learner.name for learner in learners] == NAMES
        with (folder / "class" / "jupyterhub_config.py").open("a") as config:
            config.write('\nc.Spawner.args.append("--LabApp.expose_app_in_browser=True")\n')
        start = re.search(r"^  (\S.*-m jupyterhub -f .*)$", written.stdout, re.MULTILINE)
        assert start is not None, written.stdout
        hub = Hub(start[1].split(), port, tmp_path / "hub.log")
        try:
            contexts = [browser.new_context(viewport=VIEWPORT) for _ in learners]
            desks = [Desk(hub, *pair) for pair in zip(learners, contexts, strict=True)]
            try:
                class_in_session(hub, desks, record_property)
                doors_between(hub, desks, folder / "class")
            finally:
                for context in contexts:
                    context.close()
        finally:
            ended = hub.stop()
        assert ended == 0, hub.log[-3000:]
        assert {
            name: hub_support.processes_of(name.uid)
            for name in learners
            if hub_support.processes_of(name.uid)
        } == {}
        assert not any(hub_support.listens(port + offset) for offset in range(3))
        for learner in learners:  # the work stays
            assert (learner.home / FOLDER / NOTEBOOK).is_file()


def class_in_session(hub: Hub, desks: list[Desk], record: Callable[[str, object], None]) -> None:
    """All sign in, and each server starts while the others do; then each opens, runs, and moves a widget."""
    alice = desks[0]
    alice.sign_in(hub, "not the password")
    alice.page.get_by_text("Invalid username or password").wait_for()
    for desk in desks:
        desk.sign_in(hub, desk.account.password)
        desk.page.wait_for_url(lambda url: "/hub/login" not in url)
        desk.lab.ask_for(NOTEBOOK)
    for desk in desks:
        desk.page.wait_for_url("**/user/*/lab/tree/**", wait_until="commit", timeout=180_000)
        desk.lab.wait_for_kernel()
    for desk in desks:
        desk.lab.run_all()
        explorer = desk.lab.explorers().first
        redraw = spread(desk.lab.move(explorer))
        megabytes = hub_support.memory_of(desk.account.uid) // 1_000_000
        record("measured", f"{desk.account.name.removeprefix(_PREFIX)}: {redraw}; memory {megabytes} MB")
        desk.lab.screenshot("after-run")
    for desk in desks:
        assert desk.page.get_by_role("menuitem", name="Kernel").count() == 1
        assert desk.page.get_by_role("menuitem", name="Nbgrader").count() == 0  # the teacher's
        assert desk.lab.complaints() == []
        kernel = desk.get("/api/kernelspecs")["kernelspecs"]["python3"]["spec"]
        assert kernel["argv"][-1].endswith("=lan966x_lab.kernels")  # so a new one says that it is new


def doors_between(hub: Hub, desks: list[Desk], state: Path) -> None:
    """By browser, by file and by port: alice gets into her own, and into nothing of bob's."""
    alice, bob, _ = desks
    for one in desks:
        for other in desks:
            assert one.status(f"{other.url}/api/contents") == (200 if one is other else 403)
    assert alice.status(f"{bob.url}/lab") == 403
    assert alice.status(f"{hub.url}/hub/api/users") == 403
    assert hub_support.status(f"{bob.url}/api/contents") == 403  # a stranger
    assert stranger_lands_at_login(f"{bob.url}/lab")
    for desk in desks:
        assert desk.account.home.stat().st_mode & 0o777 == 0o700
    case = {
        "path": f"/user/{bob.account.name}",
        "uid": bob.account.uid,
        "home": str(bob.account.home),
        "folder": FOLDER,
        "notebook": NOTEBOOK,
        "database": str(state / "jupyterhub.sqlite"),
        "port": hub.port,
    }
    (output,) = run_cell(alice, SPY.replace("CASE", repr(json.dumps(case))))
    assert output["output_type"] == "stream", output
    result = json.loads(output["text"] if isinstance(output["text"], str) else "".join(output["text"]))
    assert result.pop("me") == alice.account.uid
    assert result.pop("own notebook") == "'{'"
    by_file = (
        "list home",
        "read notebook",
        "write notebook",
        "key of their kernel",
        "what the hub remembers",
    )
    assert {name: result.pop(name) for name in by_file} == dict.fromkeys(by_file, "PermissionError")
    # One of bob's ports is his server. Each kernel has one more: it takes what forked children print, if that
    # comes with a secret, and tells nothing (ipykernel's iostream). A kernel tells by sockets in his home.
    answers = result.pop("their ports, past the proxy")
    assert [answer for answer in answers if "HTTPError" in answer or answer.isdigit()] == ["HTTPError 403"]
    for kernel in (bob.account.home / ".jupyter-run").glob("kernel-*.json"):
        assert json.loads(kernel.read_text())["transport"] == "ipc"
    assert result == {"the hub's own port": "HTTPError 403", "the proxy's own port": "HTTPError 403"}


def stranger_lands_at_login(url: str) -> bool:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return urllib.parse.urlsplit(answer.url).path == "/hub/login"


def run_cell(desk: Desk, source: str) -> list[dict[str, Any]]:
    """Write a notebook of one cell into the learner's folder, run it in their browser; its outputs."""
    cell = {
        "cell_type": "code",
        "id": "spy",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": [cell]}
    (desk.account.home / FOLDER / "spy.ipynb").write_text(json.dumps(notebook))
    desk.lab.shut_down_kernels()
    desk.lab.open("spy.ipynb")
    desk.lab.run_all()
    outputs: list[dict[str, Any]] = desk.lab.cells()[0]["outputs"]
    return outputs


def test_a_hub_started_here_leaves_nothing_behind(python: str, tmp_path: Path) -> None:
    """Without --write: the account's home and its work are all that outlives the hub."""
    port, name = hub_support.free_port(), f"{_PREFIX}dora"
    with hub_support.removed([name]):
        hub = Hub(
            command(python, "--users", name, "--make-accounts", "--port", str(port)),
            port,
            tmp_path / "hub.log",
        )
        said = hub.log
        states = list(Path("/tmp").glob("lan966x-lab-hub-*"))
        assert hub.stop(signal.SIGINT) == 0  # Ctrl-C
        (account,) = hub_support.accounts(said)
        assert f"Learners open http://127.0.0.1:{port} " in said
        assert account.home.stat().st_mode & 0o777 == 0o700
        assert not any(hub_support.listens(port + offset) for offset in range(3))
        assert states
        assert not any(state.exists() for state in states)

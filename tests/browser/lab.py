"""Drives JupyterLab in a browser: start the server, open a notebook, run it, move a control, look."""

import contextlib
import itertools
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, TimeoutError

VIEWPORT = {"width": 1280, "height": 800}
CHROMIUM_FLAGS = [
    "--no-sandbox",  # CI runs as root, which Chromium's sandbox refuses
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_SETTINGS = {
    # without these, JupyterLab asks the network for news and saves over what a test compares
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}
# The keys that move a control forth and back. JupyterLab takes the bare arrow keys from a list not open.
_KEYS = {
    "number": (["ArrowUp"], ["ArrowDown"]),
    "select-one": (["Space", "ArrowDown", "Enter"], ["Space", "ArrowUp", "Enter"]),
    "checkbox": (["Space"], ["Space"]),
    "text": (["End", "0", "Enter"], ["End", "Backspace", "Enter"]),
    "submit": (["Space"], ["Space"]),  # a button
}
_CURRENT = "window.jupyterapp.shell.currentWidget"
_OURS = {"include": [[".jp-OutputArea-output"], [".jp-MarkdownOutput"]]}  # the rest is JupyterLab's
_CONTROL = "input[type=number], select, input[type=checkbox], input[type=text], button"
_ANSWER = ".lab-picture .widget-html-content, .lab-status .widget-html-content"
_NAME = "e => (e.labels?.[0] ?? e).textContent.trim() || e.type"
# Takes three times: the last key press, the last change that the browser reports of a control, and the frame
# that shows another picture or another sentence than now.
_WATCH = """parts => {
    const shown = () => parts.map(part => part.innerHTML).join();
    const was = shown();
    const listening = new AbortController();
    const times = window.labTimes = {pressed: 0, changed: 0, drawn: 0};
    const note = (name, event) => document.addEventListener(
        event, () => { times[name] = performance.now() }, {capture: true, signal: listening.signal});
    note('pressed', 'keydown'); note('changed', 'change'); note('changed', 'click');
    const watcher = new MutationObserver(() => {
        if (shown() === was) return;
        watcher.disconnect();
        listening.abort();
        requestAnimationFrame(() => setTimeout(() => { times.drawn = performance.now() }));
    });
    for (const part of parts) watcher.observe(part, {childList: true, subtree: true});
}"""


class Redraw(NamedTuple):
    """What the answer to one move of a control took, in milliseconds, until the frame that shows it.

    A list that is open needs time of its own to close after the key press, so there are two beginnings.
    """

    control: str
    after_key: float
    after_change: float


class LabServer:
    """A JupyterLab server of its own: own port, own settings, no token, nothing shared with the user's."""

    def __init__(self, folder: Path, notebooks: Path) -> None:
        self.notebooks = notebooks
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        settings = self._folder / "settings"
        for name, values in _SETTINGS.items():
            path = settings / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        own = {
            "JUPYTERLAB_SETTINGS_DIR": settings,
            "JUPYTERLAB_WORKSPACES_DIR": self._folder / "workspaces",
            "JUPYTER_CONFIG_DIR": self._folder / "config",
            "JUPYTER_RUNTIME_DIR": self._folder / "runtime",
            "JUPYTER_DATA_DIR": self._folder / "data",
            "IPYTHONDIR": self._folder / "ipython",
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
        command += [
            f"--port={self.port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.notebooks}",
        ]
        command += [
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--LabApp.expose_app_in_browser=True",
        ]
        self._log = (self._folder / "server.log").open("w+")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **{name: str(path) for name, path in own.items()}},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def get(self, path: str) -> Any:
        """The server's answer to ``GET path``, as Python objects."""
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def _wait(self) -> None:
        for _ in range(600):
            if self._process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                self.get("/api/status")
                return
            time.sleep(0.1)
        self._log.seek(0)
        raise RuntimeError(f"JupyterLab did not start:\n{self._log.read()[-3000:]}")


class LabPage:
    """One browser window on JupyterLab, and everything in it that a test must not overlook.

    ``console`` collects the browser's warnings and errors since the notebook stood open (it warns when
    JupyterLab starts slowly), ``outside`` each request that leaves this machine.
    """

    def __init__(self, server: LabServer, page: Page, artifacts: Path) -> None:
        self.server, self.page, self.artifacts = server, page, artifacts
        self.console: list[str] = []
        self.outside: list[str] = []
        self.name = ""
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.console.append(f"exception: {error}"))
        page.on("request", self._watch)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.console.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _watch(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)

    def open(self, name: str) -> None:
        """Open the notebook ``name`` and wait for its kernel; running earlier asks for a kernel instead."""
        self.ask_for(name)
        self.wait_for_kernel()

    def ask_for(self, name: str) -> None:
        """Go to the notebook ``name``, and do not wait: other windows can load meanwhile."""
        self.name = name
        self.page.goto(f"{self.server.url}/lab/tree/{name}?reset", wait_until="commit")

    def wait_for_kernel(self) -> None:
        """Wait until the notebook stands open and can run."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self._until(lambda: self._kernel() == "idle", 60, f"the kernel of {self.name} did not become idle")
        # the server may know of the kernel before the page does; a run would then do nothing
        self.page.evaluate(f"{_CURRENT}.sessionContext.ready")
        self.console.clear()

    def _kernel(self) -> str:
        for session in self.server.get("/api/sessions"):
            if session["path"] == self.name and session["kernel"]["connections"] > 0:
                return str(session["kernel"]["execution_state"])
        return "none"

    def run_all(self, seconds: int = 120) -> float:
        """Run all cells; how many seconds it took, until every cell has run and every widget is drawn."""
        start = time.perf_counter()
        self.page.evaluate(
            "() => { window.labRan = null; window.jupyterapp.commands.execute('notebook:run-all-cells')"
            ".then(() => { window.labRan = true }) }"
        )
        self.page.wait_for_function("window.labRan === true", timeout=seconds * 1000)
        self._until(lambda: self._kernel() == "idle", seconds, f"{self.name} is still running")
        took = time.perf_counter() - start
        self.page.wait_for_timeout(300)  # widgets draw after the cell that shows them has ended
        return took

    def cells(self) -> list[dict[str, Any]]:
        """The notebook's cells with their outputs as JupyterLab holds them now."""
        cells: list[dict[str, Any]] = self.page.evaluate(
            f"{_CURRENT}.content.model.sharedModel.cells.map(cell => cell.toJSON())"
        )
        return cells

    def complaints(self) -> list[str]:
        """Everything that went wrong: error outputs, stderr, cells not run, the console, outside requests."""
        found = [*self.console, *(f"outside request: {url}" for url in self.outside)]
        for cell in self.cells():
            if cell["cell_type"] != "code" or not "".join(cell["source"]).strip():
                continue
            first = "".join(cell["source"]).strip().splitlines()[0]
            if cell["execution_count"] is None:
                found.append(f"not run: {first}")
            for output in cell["outputs"]:
                if output["output_type"] == "error":
                    found.append(f"{output['ename']}: {output['evalue']} in the cell {first}")
                if output.get("name") == "stderr":
                    found.append(f"stderr {''.join(output['text'])[:200]!r} in the cell {first}")
        return found

    def violations(self, *themes: str) -> list[str]:
        """What axe-core finds wrong, for a reader with other eyes or hands, in what the lab renders."""
        found = []
        for theme in themes:
            self._theme(f"JupyterLab {theme}")
            for violation in Axe().run(self.page, context=_OURS).response["violations"]:
                places = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
                found.append(f"{theme}: {violation['id']} ({violation['help']}): {places}")
        self._theme("JupyterLab Light")
        return found

    def explorers(self) -> Locator:
        """The explorer widgets on the page, in order."""
        return self.page.locator(".lab-explorer")

    def move(self, explorer: Locator) -> list[Redraw]:
        """Move every control of ``explorer`` by keyboard, forth and back.

        The presses come at the pace of a person: a widget sends nothing new before its last change is
        acknowledged, and the server's small packets wait up to 40 ms for that (Nagle's algorithm and delayed
        ACKs).

        Raises:
            AssertionError: a control changed neither picture nor sentence, whatever the others had done.
        """
        explorer.scroll_into_view_if_needed()
        parts = [part.element_handle() for part in explorer.locator(_ANSWER).all()]
        redraws = []
        silent = explorer.locator(_CONTROL).all()
        for _ in range(2):  # some buttons have something to do only after the controls behind them
            for control in silent.copy():
                answers = [
                    self._press(control, keys, parts) for keys in _KEYS[control.evaluate("e => e.type")]
                ]
                if any(answers):
                    silent.remove(control)
                redraws += [answer for answer in answers if answer]
            silent.reverse()
        assert not silent, f"no answer to {[control.evaluate(_NAME) for control in silent]}"
        return redraws

    def _press(self, control: Locator, keys: list[str], parts: list[Any]) -> Redraw | None:
        """Press ``keys`` on ``control``; None if that changed nothing in ``parts``."""
        control.focus()
        self.page.wait_for_timeout(200)
        self.page.evaluate(_WATCH, parts)
        for key in keys:
            self.page.keyboard.press(key)
        try:
            self.page.wait_for_function("labTimes.changed", timeout=300)  # at the end of its range it stays
            self.page.wait_for_function("labTimes.drawn", timeout=2000)
        except TimeoutError:
            return None
        times = self.page.evaluate("labTimes")
        name = control.evaluate(_NAME)
        return Redraw(name, times["drawn"] - times["pressed"], times["drawn"] - times["changed"])

    def _theme(self, name: str) -> None:
        change = "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
        self.page.evaluate(change, name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
        self.page.wait_for_timeout(300)

    def screenshot(self, name: str) -> Path:
        """What the window shows now, as artifacts/<test>/<name>.png (never committed)."""
        path = self.artifacts / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    def screens(self, *themes: str) -> None:
        """The whole notebook as pictures 1600 pixels high, in each theme (Light, Dark): light-00.png, …"""
        panel = self.page.locator(".jp-NotebookPanel-notebook .jp-WindowedPanel-outer")
        last = panel.locator(".jp-Cell").last
        height = VIEWPORT["height"] + int(panel.evaluate("e => e.scrollHeight"))
        for theme in themes:
            self._theme(f"JupyterLab {theme}")
            end = self._stretch(panel, last, height)
            box = panel.bounding_box()
            assert box is not None
            top = box["y"]
            for page in itertools.count():
                clip = {**box, "y": top, "height": min(1600, end - top)}
                self.page.screenshot(path=self.artifacts / f"{theme.lower()}-{page:02}.png", clip=clip)
                top += 1600
                if top >= end:
                    break
        self._theme("JupyterLab Light")
        self.page.set_viewport_size(VIEWPORT)

    def _stretch(self, panel: Locator, last: Locator, height: int) -> float:
        """Make the window so tall that nothing has to be scrolled; returns where the ``last`` cell ends.

        Cells are laid out when they show, so a window that was tall enough may be too short a moment later.
        """
        while True:
            self.page.set_viewport_size({**VIEWPORT, "height": height})
            bottoms = [0.0, -1.0]
            while bottoms[-1] != bottoms[-2]:
                panel.evaluate("e => { e.scrollTop = 0 }")
                self.page.wait_for_timeout(400)
                box = last.bounding_box()
                assert box is not None
                bottoms.append(box["y"] + box["height"])
            if bottoms[-1] <= height:
                return bottoms[-1]
            height = int(bottoms[-1]) + VIEWPORT["height"]

    def shut_down_kernels(self) -> None:
        """Stop the kernel of the open notebook; the next test starts cold."""
        self.page.evaluate(f"{_CURRENT}?.sessionContext.shutdown()")

    def _until(self, met: Any, seconds: float, complaint: str) -> None:
        end = time.monotonic() + seconds
        while not met():
            if time.monotonic() > end:
                raise AssertionError(complaint)
            self.page.wait_for_timeout(100)


def spread(redraws: list[Redraw]) -> str:
    """Median and slowest, for the summary."""
    after_key = statistics.median(redraw.after_key for redraw in redraws)
    after_change = statistics.median(redraw.after_change for redraw in redraws)
    slowest = max(redraws, key=lambda redraw: redraw.after_change)
    controls = len({redraw.control for redraw in redraws})
    return (
        f"{controls} controls, change to drawn frame: median {after_change:.0f} ms, "
        f"max {slowest.after_change:.0f} ms ({slowest.control}); key press to drawn frame: "
        f"median {after_key:.0f} ms, max {max(redraw.after_key for redraw in redraws):.0f} ms"
    )

"""nbgrader's way to run a submission, made to end: whatever a cell does, the rest gets a clear line.

nbgrader gives a check cell full points unless it holds an error, and partial points for a number that stands
in its output. So a check that was not run must hold an error, and of a check that was run only its own reply
counts: what the learner's code displays meanwhile (a number, a warning on stderr) is no verdict.
"""

import ast
import time
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade
from traitlets import Integer, List

from ..cells import called
from . import guard
from .results import Stop

__all__ = ["GuardedExecute"]

_START = 60
"""Seconds to import what the checks use, before anything of the learner runs."""
_MOST_OUTPUT = 100_000
"""Characters kept of what one cell puts out; more is dropped as it arrives."""
_GUARD = f"__import__({guard.__name__!r}, fromlist=['watch'])"


class GuardedExecute(Execute):  # type: ignore[misc]
    """Runs cell by cell, with a limit per cell (``timeout``) and one for all (``total``), in seconds."""

    total = Integer(300).tag(config=True)
    watched: Any = List([]).tag(config=True)
    """The modules that the exercise's checks use."""

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run all cells; the same contract as the base."""
        self._stopped = ""
        self._per_cell: int = self.timeout  # type: ignore[has-type]
        self._end = time.monotonic() + self.total
        self._is_watched = False
        ran: tuple[NotebookNode, dict[str, Any]] = super().preprocess(nb, resources, km)
        return ran

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run one cell, or put the reason into it why it was not run."""
        if cell.cell_type != "code":
            return cell, resources
        if not self._stopped:
            self._run(cell, resources, index)
        elif is_grade(cell):
            _put(cell, Stop.NOT_RUN, f"Not run: {self._stopped}.")
        return cell, resources

    def _run(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> None:
        left = self._end - time.monotonic()
        name = called(cell)
        if left <= 0:
            self._stopped = f"the {self.total} s for the whole notebook are over"
            _put(cell, Stop.NOT_RUN, f"Not run: {self._stopped}.")
            return
        self._kept = 0
        try:
            if not self._is_watched:
                self.timeout = _START
                self._ask(f"{_GUARD}.watch({list(self.watched)!r})")
                self._is_watched = True
            self.timeout = max(1, min(self._per_cell, round(left)))
            if is_grade(cell) and (names := self._ask(f"{_GUARD}.changed()")) != []:
                what = ", ".join(names[:3]) if isinstance(names, list) else "the grader's own guard"
                _put(
                    cell,
                    Stop.LAB_CHANGED,
                    f"Not run: your notebook changes {what}, on which the check relies.",
                )
                return
            super().preprocess_cell(cell, resources, index)
        except CellTimeoutError:  # it was interrupted, and did not care
            self._stopped = f"{name} did not end within {self.timeout} s, and could not be interrupted"
            _put(cell, Stop.TIME_LIMIT, f"{self._stopped}.")
        except DeadKernelError:
            self._stopped = f"the kernel ended in {name}, or in a cell before it"
            _put(cell, Stop.ENDED, f"The kernel ended in {name}, or in a cell before it.")

    def _ask(self, expression: str) -> Any:
        """The value of an expression in the kernel; None when it has none that can be read."""
        message = self.kc.execute("", silent=True, store_history=False, user_expressions={"it": expression})
        reply = self.wait_for_reply(message)
        if reply is None:
            raise CellTimeoutError("no reply")
        found = reply["content"].get("user_expressions", {}).get("it", {})
        try:
            return ast.literal_eval(found["data"]["text/plain"])
        except (KeyError, ValueError, SyntaxError):
            self.log.warning("%s: %s", expression, found)
            return None

    def on_cell_executed(self, **kwargs: Any) -> None:
        """Tell a limit from an error, and let only a check's own reply count."""
        cell, reply = kwargs["cell"], kwargs["execute_reply"]["content"]
        super().on_cell_executed(**kwargs)
        if reply["status"] == "error" and reply.get("ename") == "CellTimeoutError":
            _put(cell, Stop.TIME_LIMIT, f"Stopped after {self.timeout} s: an endless loop, or very slow.")
        elif is_grade(cell) and reply["status"] == "error":
            _put(cell, str(reply.get("ename", "")), str(reply.get("evalue", "")))
        elif is_grade(cell) and reply["status"] == "ok":
            cell.outputs = [out for out in cell.outputs if out.output_type == "execute_result"][-1:]
        elif is_grade(cell):
            _put(cell, Stop.NOT_RUN, "Not run: the kernel refused it after what came before.")

    def output(self, outs: list[NotebookNode], msg: Any, display_id: Any, cell_index: int) -> Any:
        """Keep an output, unless the cell has put out too much already; results and errors are kept."""
        content = msg["content"]
        if msg["msg_type"] in ("stream", "display_data"):
            self._kept += len(str(content.get("text") or content.get("data") or ""))
            if self._kept > _MOST_OUTPUT:
                return None
        return super().output(outs, msg, display_id, cell_index)


def _put(cell: NotebookNode, name: str, sentence: str) -> None:
    cell.outputs = [NotebookNode(output_type="error", ename=str(name), evalue=sentence, traceback=[])]

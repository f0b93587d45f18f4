"""A notebook's set-up cell: what runs here, the remedy when it does not fit, a hint for a missing name."""

import gc

from IPython.core.getipython import get_ipython
from IPython.display import display

from lan966x_lab import __version__, doctor, kernels

from .svg import clean
from .twin import Twin

# Pictures are 820 pixels wide. On a wide screen JupyterLab's lines of prose would be twice as long, so the
# cells of a notebook that has this banner, and of no other, keep to a column.
_COLUMN = """<style>
@media (min-width: 1400px) {
  .jp-Notebook:has(.lab-ready) .jp-Cell { max-width: 1040px; margin-inline: auto; }
}
</style>"""


class _Banner(Twin):
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def html(self) -> str:
        return f'<div class="lab-ready">{"<br>".join(map(clean, self._lines))}</div>\n{_COLUMN}'

    def text(self) -> str:
        return "\n".join(self._lines)


def banner() -> None:
    """Show one line, ``lan966x_lab 0.1.0 ready``, or each problem of the installation with its remedy.

    In a notebook, a name that is not defined is from now on met with the usual reason: cells were run out of
    order, or the kernel was restarted. And on a wide screen JupyterLab sets the notebook as a column.
    """
    wrong = [finding for finding in doctor.installation() if finding.verdict is doctor.Verdict.WRONG]
    lines = [f"lan966x_lab {__version__} {'is not ready:' if wrong else 'ready'}"]
    lines += [
        f"- {finding.subject}: {finding.detail}. Remedy: {finding.remedy}, and restart the kernel."
        for finding in wrong
    ]
    display(_Banner(lines))  # type: ignore[no-untyped-call]
    if shell := get_ipython():
        kernels.explain_missing_names(shell, kernels.USUAL)
        _spare_the_imports()


def _spare_the_imports() -> None:
    """Let the garbage collector pass over all that exists now, which is what the imports made.

    Timed here: a full collection visited it in 60 ms, in the middle of a redraw that takes 35.
    """
    gc.unfreeze()  # a set-up cell that runs again leaves garbage of its own
    gc.collect()
    gc.freeze()

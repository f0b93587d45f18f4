"""A notebook's set-up cell: what runs here, the remedy when it does not fit, a hint for a missing name."""

from IPython.core.getipython import get_ipython

from lan966x_lab import __version__, doctor, kernels


def banner() -> None:
    """Print one line, ``lan966x_lab 0.1.0 ready``, or each problem of the installation with its remedy.

    In a notebook, a name that is not defined is from now on met with the usual reason: cells were run out of
    order, or the kernel was restarted.
    """
    wrong = [finding for finding in doctor.installation() if finding.verdict is doctor.Verdict.WRONG]
    print(f"lan966x_lab {__version__} {'is not ready:' if wrong else 'ready'}")
    for finding in wrong:
        print(f"- {finding.subject}: {finding.detail}. Remedy: {finding.remedy}, and restart the kernel.")
    if shell := get_ipython():
        kernels.explain_missing_names(shell, kernels.USUAL)

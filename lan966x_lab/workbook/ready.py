"""The one line of a notebook's set-up cell: what runs here, and the remedy when it does not fit."""

from lan966x_lab import __version__, doctor


def banner() -> None:
    """Print one line, ``lan966x_lab 0.1.0 ready``, or each problem of the installation with its remedy."""
    wrong = [finding for finding in doctor.installation() if finding.verdict is doctor.Verdict.WRONG]
    print(f"lan966x_lab {__version__} {'is not ready:' if wrong else 'ready'}")
    for finding in wrong:
        print(f"- {finding.subject}: {finding.detail}. Remedy: {finding.remedy}, and restart the kernel.")

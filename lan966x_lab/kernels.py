"""A missing name is met with its usual reason, also in a kernel in which the set-up cell has not run yet.

The lab's own JupyterLab (``lan966x-lab open``, ``lan966x-lab hub``) finds its kernels with ``Specs``: they
have this module loaded as an IPython extension: ``jupyter_config/jupyter_server_config.json`` says so.
Nobody's profile and no installed kernel is touched, and a JupyterLab that was started otherwise is as ever.
"""

import sys
from types import TracebackType
from typing import Any

from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec, KernelSpecManager

__all__ = ["NEW", "USUAL", "Specs", "explain_missing_names", "load_ipython_extension"]

NEW = (
    "The kernel is new: run the set-up cell first (the first code cell; Run, Run All Above Selected Cell). "
    "Or the name is misspelt here."
)
USUAL = (
    "Either a cell above defines it and has not run since the kernel began; "
    "then choose Run, Run All Above Selected Cell. Or the name is misspelt here."
)


class Specs(KernelSpecManager):
    """Jupyter's own, but the kernel python3 also loads this module."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """The installed kernel; to IPython's a word is added at the end of its command.

        Raises:
            jupyter_client.kernelspec.NoSuchKernel: there is none of this name.
        """
        spec = super().get_kernel_spec(kernel_name)
        if kernel_name == NATIVE_KERNEL_NAME and "ipykernel_launcher" in spec.argv:
            spec.argv = [*spec.argv, f"--IPKernelApp.extra_extensions={__name__}"]
        return spec


def load_ipython_extension(shell: Any) -> None:
    """What IPython calls when a kernel begins; the set-up cell of a notebook then says ``USUAL``."""
    explain_missing_names(shell, NEW)


def explain_missing_names(shell: Any, reason: str) -> None:
    """From now on let ``reason`` follow the error, wherever a cell uses a name that is not defined."""

    def explain(
        shell: Any,
        kind: type[BaseException],
        error: NameError,
        traceback: TracebackType | None,
        tb_offset: int | None = None,
    ) -> None:
        shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
        if kind is NameError:  # and not UnboundLocalError: no cell mends that
            print(f"{error.name or 'A name'} is not known. {reason}", file=sys.stderr)

    shell.set_custom_exc((NameError,), explain)

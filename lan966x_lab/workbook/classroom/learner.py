"""Becomes a learner's JupyterLab: JupyterHub starts this as the learner, so nothing here runs as root.

That matters: root must not write in a home that belongs to someone else, where any name may be a link.
"""

import os
import sys
from pathlib import Path

from lan966x_lab import notebook_files

__all__ = ["main", "prepare"]

# Sockets of the kernels lie here, and the path of a socket must stay below 108 bytes (unix(7)); Jupyter's own
# choice, .local/share/jupyter/runtime, leaves too few for a long name.
_RUNTIME = ".jupyter-run"
# nbgrader is the teacher's. The lab's settings leave its panels and buttons out, these leave its servers out.
_SETTINGS = Path(__file__).resolve().parent / "jupyter_config"


def prepare(home: Path) -> None:
    """Close ``home`` to other users, and lay a working copy of the notebooks in it, overwriting nothing."""
    home.chmod(0o700)
    try:
        notebook_files.copy_to(home / notebook_files.WORKING_FOLDER)
    except OSError as error:  # a full disk: a learner who can still read can still delete
        print(f"The notebooks were not copied: {error}", file=sys.stderr)


def main() -> None:
    """Prepare the home, then turn into the server that JupyterHub talks to."""
    home = Path.home()
    os.umask(0o077)
    prepare(home)
    os.environ["JUPYTER_RUNTIME_DIR"] = str(home / _RUNTIME)
    os.environ["JUPYTER_CONFIG_PATH"] = f"{_SETTINGS}{os.pathsep}{notebook_files.SETTINGS}"
    # -P: what lies in the home must not be taken for a module. A new program, to give the lab's memory back.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "jupyterhub.singleuser", *sys.argv[1:]])


if __name__ == "__main__":
    main()

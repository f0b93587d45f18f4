"""The grader's process: ``python -m …classroom.grader.worker`` (see ``autograde``, ``warm``)."""

import sys

# jsonschema takes it for international addresses if it can: no notebook has one, and the import takes 1.5 s
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

import nbgrader.converters  # noqa: E402, F401  # before the fork, so once for all submissions

from .autograde import main  # noqa: E402
from .warm import serve  # noqa: E402

if __name__ == "__main__":
    serve(main)

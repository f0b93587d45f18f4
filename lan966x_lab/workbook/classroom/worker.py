"""The grader's process: ``python -m lan966x_lab.workbook.classroom.worker JOB`` (see ``autograde``)."""

import sys

# jsonschema takes it for international addresses if it can: no notebook has one, and the import takes 1.5 s
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

from .autograde import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""``python -m lan966x_lab`` is the same as ``lan966x-lab``."""

import sys

from lan966x_lab.cli import main

sys.exit(main())

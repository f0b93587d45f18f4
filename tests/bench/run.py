"""Run every ``bench_*.py`` beside this file, or those whose name begins as given: ``run.py ifh checksum``.

Each is a script that prints its own tables; what they print is timed here, on this computer, in this minute.
"""

import runpy
import sys
from pathlib import Path


def main(wanted: list[str]) -> int:
    """Run the scripts in order of their names; 2 when one that was asked for does not exist."""
    scripts = {
        path.stem.removeprefix("bench_"): path for path in sorted(Path(__file__).parent.glob("bench_*.py"))
    }
    unknown = [start for start in wanted if not any(name.startswith(start) for name in scripts)]
    if unknown:
        print(f"no bench begins with {', '.join(unknown)}; there are {', '.join(scripts)}", file=sys.stderr)
        return 2
    for name, path in scripts.items():
        if not wanted or any(name.startswith(start) for start in wanted):
            print(f"\n== {name} ==", flush=True)
            runpy.run_path(str(path), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The command line: ``lan966x-lab``, or ``python -m lan966x_lab``.

Each command is one function and imports what it needs when it runs, so that ``--help`` answers at once.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from lan966x_lab import __version__, notebook_files

__all__ = ["main"]

_INTERRUPTED = 128 + 2  # as a shell says it of a program that Ctrl-C (SIGINT) ended
_LAYOUTS = ("lan966x-tx", "lan966x-rx", "ocelot-tx", "ocelot-rx")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done; 1: something is wrong; 2: called wrongly; 130: interrupted (Ctrl-C).
    """
    parser = _parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given or ["open"])
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        status = run(options)
        sys.stdout.flush()  # here, where a closed pipe is no crash
        return status
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _fail("interrupted.", status=_INTERRUPTED)
    except ModuleNotFoundError as error:
        return _fail(f"{error}. Install the lab again: `make lab`, or `pip install lan966x-lab`.", status=1)
    except OSError as error:
        return _fail(str(error), status=1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lan966x-lab",
        description="A workbook on making a network driver fast. Without a command it opens the notebooks.",
    )
    parser.add_argument("--version", action="version", version=f"lan966x-lab {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = commands.add_parser("open", help="open the notebooks in JupyterLab (the default)")
    command.add_argument("folder", nargs="?", type=Path, help="work on a copy in this folder")
    command.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    command.set_defaults(run=_open)

    command = commands.add_parser("doctor", help="examine the set-up, with a remedy for each problem")
    command.set_defaults(run=_doctor)

    command = commands.add_parser("decode", help="print the fields of an inter-frame header given in hex")
    command.add_argument("hex", nargs="+", metavar="HEX", help="28 bytes (LAN966x) or 16 (Ocelot)")
    command.add_argument("--layout", choices=_LAYOUTS, help="default: the injection layout of that length")
    command.set_defaults(run=_decode)

    command = commands.add_parser(
        "inspect",
        help="list the frames of a capture, with a verdict on every checksum",
        description="List the frames of a pcap or pcapng file, with a verdict on every checksum. "
        "Without a file, or with -, read the hex of one frame from standard input.",
    )
    command.add_argument("file", nargs="?", default="-", metavar="FILE", help="a capture of Ethernet frames")
    command.add_argument("--limit", type=int, metavar="N", help="stop after N frames")
    command.add_argument("--json", action="store_true", help="print one JSON object a line, and no totals")
    command.set_defaults(run=_inspect)

    command = commands.add_parser(
        "wire",
        help="run iperf3, ping and ptp4l through the lab's driver, patches off and on (Linux)",
        description="Run real programs on two hosts that only the lab's driver and switch connect, "
        "with the patches off and on in turns.",
    )
    option = command.add_argument
    option(
        "--patch", nargs="+", default=["all"], help="which to switch on: 000/1, '000/2 v2', … (default: all)"
    )
    option("--seconds", type=int, default=3, metavar="N", help="of one iperf3 run (default: 3)")
    option("--rounds", type=int, default=5, metavar="N", help="off and on take turns (default: 5)")
    option("--path", choices=("manual", "fdma"), help="default: fdma, or manual for patch 001 alone")
    option("--gro", action="store_true", help="generic receive offload, on both sides")
    option("--udp", type=int, action="append", default=[], metavar="BYTES", help="also UDP, this payload")
    option("--no-tcp", action="store_true", help="leave TCP out")
    option("--ping", action="store_true", help="first send 10 echo requests")
    option("--ptp", action="store_true", help="at last run ptp4l for 15 s, with software time stamps")
    option("--full-model", action="store_true", help="every frame through the full register model: slower")
    option(
        "--access-time",
        type=float,
        default=1.0,
        metavar="X",
        help="real ns waited for each ns that a register access costs in the model (default: 1)",
    )
    option("--save", type=Path, metavar="FILE", help="write a recording (JSON)")
    command.set_defaults(run=_wire)

    command = commands.add_parser(
        "handout",
        help="make the students' notebooks from the solutions",
        description="Make the students' notebooks from the teacher's: blanks for solutions, no hidden tests.",
    )
    option = command.add_argument
    option("solutions", nargs="?", type=Path, metavar="SOLUTIONS", help="default: the lab's own")
    option("-o", "--output", type=Path, metavar="FOLDER", help="default: notebooks/exercises, or exercises")
    option("--check", action="store_true", help="say what differs, and write nothing")
    command.set_defaults(run=_handout)

    command = commands.add_parser(
        "grade",
        help="grade a folder of submissions, without a network",
        description="Grade SUBMISSIONS/STUDENT/…/*.ipynb: points as CSV, feedback pages for the students, "
        "and a summary of the mistakes. Stop it with Ctrl-C; the same command goes on.",
    )
    option = command.add_argument
    option("submissions", type=Path, metavar="SUBMISSIONS", help="a folder with a folder for each student")
    option("-o", "--output", type=Path, required=True, metavar="OUT", help="where the results go")
    option("--solutions", type=Path, metavar="FOLDER", help="default: the lab's own")
    option(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="at a time (default: one a core)"
    )
    option("--cell-seconds", type=int, default=30, metavar="N", help="a cell may take (default: 30)")
    command.set_defaults(run=_grade)

    command = commands.add_parser(
        "hub",
        help="serve the workbook to a class on this machine (Linux, as root)",
        description="Serve the workbook to a class on this machine with JupyterHub: one Unix user a learner.",
    )
    option = command.add_argument
    option("--users", nargs="+", required=True, metavar="NAME", help="who may sign in: Unix accounts")
    option("--make-accounts", action="store_true", help="make those that are missing, and print passwords")
    option("--address", default="127.0.0.1", help="to listen on (default: 127.0.0.1, this machine alone)")
    option("--port", type=int, default=8000, help="and the two after it (default: 8000)")
    option("--write", type=Path, metavar="FOLDER", help="do not start: write the configuration, to be edited")
    command.set_defaults(run=_hub)

    command = commands.add_parser("reset", help="put changed notebooks back; yours are kept beside them")
    command.add_argument("notebook", nargs="*", help="only these, by the start of their name (default: all)")
    command.add_argument("--folder", type=Path, help="where they lie (default: where `open` looks)")
    command.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    command.set_defaults(run=_reset)
    return parser


def _open(options: argparse.Namespace) -> int:
    from lan966x_lab.doctor import writable_folders

    home = notebook_files.checkout()
    if home and not options.folder:  # one folder up, so that links to the source and the data work
        root, folder, first = home, home / "notebooks", f"notebooks/{notebook_files.FIRST}"
    else:
        root = folder = options.folder or notebook_files.WORKING_FOLDER
        first = notebook_files.FIRST
    for use, path in writable_folders(folder).items():
        if reason := notebook_files.unwritable(path):
            return _fail(f"cannot write in {path} ({use}: {reason}). `doctor` says what to do.", status=1)
    if folder == root:
        written = notebook_files.copy_to(folder)
        print(f"{len(written)} notebooks copied to {folder}; what was already there stays as it is.")
    flags = [f"--ServerApp.root_dir={root.resolve()}", f"--LabApp.default_url=/lab/tree/{first}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--allow-root")
    if options.no_browser or not _has_display():
        print("Open the address that JupyterLab prints below in a browser. Ctrl-C twice ends it.", flush=True)
        flags.append("--no-browser")
    return _jupyter_lab(flags)


def _jupyter_lab(flags: list[str]) -> int:
    from jupyterlab.labapp import LabApp

    folders = [str(notebook_files.SETTINGS), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, folders))
    LabApp.launch_instance(flags)
    return 0


def _has_display() -> bool:
    always = sys.platform in ("win32", "darwin")
    return always or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _doctor(options: argparse.Namespace) -> int:
    from lan966x_lab.doctor import Verdict, examine

    home = notebook_files.checkout()
    wrong = 0
    for finding in examine(home / "notebooks" if home else Path.cwd()):
        print(finding, flush=True)
        wrong += finding.verdict is Verdict.WRONG
    print(f"{wrong} problem{'s' if wrong != 1 else ''} found." if wrong else "All is well.")
    return 1 if wrong else 0


def _decode(options: argparse.Namespace) -> int:
    from lan966x_lab import ifh

    try:
        header = ifh.from_hex(" ".join(options.hex))
    except ValueError as error:
        return _fail(str(error))
    layouts = {}
    for name in _LAYOUTS:
        chip, way = name.split("-")
        layouts[name] = getattr(getattr(ifh, chip.upper()), way)
    fitting = [name for name, layout in layouts.items() if layout.nbytes == len(header)]
    if not fitting or options.layout not in (None, *fitting):
        lengths = ", ".join(f"{name} {layout.nbytes}" for name, layout in layouts.items())
        return _fail(
            f"a header of {len(header)} byte{'s' * (len(header) != 1)} has no such layout. "
            f"Bytes of each layout: {lengths}."
        )
    chosen = options.layout or fitting[0]
    layout = layouts[chosen]
    values = layout.decode(header)
    rows = [("field", "bits", "raw", "value", "meaning")]
    for field in layout.fields:
        value = values[field.name]
        words = ifh.meaning(layout, field.name, value)
        rows.append((field.name, f"{field.top}..{field.pos}", f"{value:0{field.width}b}", str(value), words))
    print(f"{chosen}, {len(header)} bytes")
    print(_table(rows))
    number = int.from_bytes(header, "big")
    reserved = [bit for bit in range(8 * len(header)) if number >> bit & 1 and not layout.owners(bit)]
    if reserved:
        print(f"Reserved bits that are set: {', '.join(map(str, reserved))}")
    return 0


def _inspect(options: argparse.Namespace) -> int:
    from lan966x_lab.cli_inspect import run_inspect

    return run_inspect(options)


def _wire(options: argparse.Namespace) -> int:
    from lan966x_lab.cli_wire import run_wire

    return run_wire(options)


def _handout(options: argparse.Namespace) -> int:
    from lan966x_lab.cli_classroom import run_handout

    return run_handout(options)


def _grade(options: argparse.Namespace) -> int:
    from lan966x_lab.cli_classroom import run_grade

    return run_grade(options)


def _hub(options: argparse.Namespace) -> int:
    from lan966x_lab.cli_hub import run_hub

    return run_hub(options)


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _reset(options: argparse.Namespace) -> int:
    home = notebook_files.checkout()
    folder: Path = options.folder or (home / "notebooks" if home else notebook_files.WORKING_FOLDER)
    if not folder.is_dir():
        return _fail(f"there is no folder {folder}: name yours with --folder.")
    published = notebook_files.for_learners()
    wanted = {
        name: content
        for name, content in published.items()
        if not options.notebook or any(name.startswith(start) for start in options.notebook)
    }
    for start in options.notebook:
        if not any(name.startswith(start) for name in published):
            return _fail(f"no notebook starts with {start!r}. There are: {', '.join(published)}.")
    count = 0
    for done in notebook_files.reset(folder, wanted, dry_run=options.dry_run):
        put, becomes = ("would be put", "would become") if options.dry_run else ("put", "is now")
        kept = f"yours {becomes} {done.saved_as.name}" if done.saved_as else "it was missing"
        print(f"{done.notebook}: {put} back, {kept}")
        count += 1
    if not count:
        print(f"Nothing to do: all {len(wanted)} notebooks are as published.")
    return 0


def _fail(message: str, *, status: int = 2) -> int:
    print(f"lan966x-lab: {message}", file=sys.stderr)
    return status

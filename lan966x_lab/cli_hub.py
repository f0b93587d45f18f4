"""``lan966x-lab hub``: the workbook for a class on one machine."""

from __future__ import annotations

import argparse
import os
import sys

from lan966x_lab.workbook.classroom import hub

__all__ = ["run_hub"]


def run_hub(options: argparse.Namespace) -> int:
    """Start a hub here, or write its configuration; 1 when something is in the way, 2 when called wrongly.

    Args:
        options: ``users`` (names), ``address``, ``port``, ``make_accounts``, ``write`` (a folder, or None).
    """
    try:
        classroom = hub.Classroom(tuple(dict.fromkeys(options.users)), options.address, options.port)
    except ValueError as error:
        print(f"lan966x-lab hub: {error}.", file=sys.stderr)
        return 2
    changes = options.make_accounts or not options.write
    if changes and (wrong := list(hub.examine(classroom, make_accounts=options.make_accounts))):
        print(*wrong, "Nothing was started, and nothing was changed.", sep="\n")
        return 1
    config = hub.write(classroom, options.write) if options.write else None
    if options.make_accounts:
        for name, password in hub.make_accounts(classroom.missing()):
            print(f"Made the account {name}, password {password} (shown this once)", flush=True)
    if config:
        print(f"Written: {config}. Edit it; the top says what you change. This starts the hub, as root:")
        print(f"  {sys.executable} -m jupyterhub -f {config.resolve()}")
        return 0
    print(_introduction(classroom), flush=True)
    hub.serve(classroom)
    return 0


def _introduction(classroom: hub.Classroom) -> str:
    here = classroom.address in ("127.0.0.1", "localhost")
    lines = [
        f"Learners open {classroom.url} and sign in with their Unix name and password: "
        f"{', '.join(classroom.learners)}.",
        "Each works in their own home, which no other learner can read; the notebooks are copied there.",
        f"Memory for {hub.places()} at the same time (about {hub.LEARNER_BYTES // 1_000_000} MB each); "
        f"they share {os.cpu_count()} cores.",
        "Only this machine can reach it; --address 0.0.0.0 lets others in."
        if here
        else "PASSWORDS CROSS THE NETWORK UNENCRYPTED: trust the network, or see --write for a certificate.",
        "Ctrl-C ends it. The work stays in the homes.",
    ]
    return "\n".join(lines)

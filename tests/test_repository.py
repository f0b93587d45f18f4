"""What the repository may hold: no address of a registry, no place on a machine, no lock with either."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SELF = Path(__file__).relative_to(ROOT)
BINARY = {".pcap", ".pcapng", ".png"}
# in pieces, since this file may not name them either
HOSTS = (("pypi", "org"), ("python" + "hosted",), ("npm" + "js",), ("anaconda", "org"), ("deb", "debian"))
REGISTRIES = re.compile("|".join(r"\.".join(host) for host in HOSTS))
# a place on the machine of whoever wrote it: a home or a work folder, not /usr/bin or /tmp
MACHINE_PATHS = re.compile(r"(?<![\w./~-])/(?:root|home|Users|work|mnt)/\w")
MOST_BYTES = 1_000_000


def committed() -> list[Path]:
    """The files that git knows; without git (an unpacked archive), nothing can be said."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    paths = [Path(name) for name in done.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file()]


FILES = committed()
TEXTS = [path for path in FILES if path.suffix not in BINARY]
only_in_a_repository = pytest.mark.skipif(
    not FILES, reason="this tree is no git repository, so its files are unknown"
)


def offenders(pattern: re.Pattern[str]) -> list[str]:
    """Lines of committed files, this one excepted, that match."""
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in TEXTS
        if path != SELF
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


@only_in_a_repository
def test_no_file_names_a_registry() -> None:
    assert offenders(REGISTRIES) == []


@only_in_a_repository
def test_no_file_names_a_place_on_somebodys_machine() -> None:
    examples = "tests/notebooks/test_notebook_rules.py"  # bad notebooks, made up
    assert [line for line in offenders(MACHINE_PATHS) if not line.startswith(examples)] == []


@only_in_a_repository
def test_no_lock_with_addresses_is_committed() -> None:
    assert [path for path in FILES if re.fullmatch(r"uv\.lock|pylock.*\.toml|poetry\.lock", path.name)] == []


@only_in_a_repository
def test_text_files_end_with_one_newline_and_have_unix_line_ends() -> None:
    contents = {path: (ROOT / path).read_bytes() for path in TEXTS}
    assert [path for path, text in contents.items() if text and not text.endswith(b"\n")] == []
    assert [path for path, text in contents.items() if text.endswith(b"\n\n") or b"\r" in text] == []


@only_in_a_repository
def test_no_file_is_larger_than_it_must_be() -> None:
    assert [path for path in FILES if (ROOT / path).stat().st_size > MOST_BYTES] == []


@only_in_a_repository
def test_every_data_file_is_listed_with_its_source() -> None:
    listed = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    captures = (ROOT / "data" / "captures" / "README.md").read_text(encoding="utf-8")
    for path in FILES:
        if path.parts[0] == "data" and path.name != "README.md":
            name = path.relative_to("data").as_posix()
            folder = f"{path.parent.relative_to('data').as_posix()}/"
            there = f"`{name}`" in listed or (f"`{folder}`" in listed and path.name in captures)
            assert there, f"data/README.md says nothing of {name}"


@pytest.mark.parametrize("document", ["README.md", "data/README.md"])
def test_links_lead_somewhere(document: str) -> None:
    home = (ROOT / document).parent
    targets = re.findall(r"\]\(([^)#\s]+)\)", (ROOT / document).read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (home / target).exists()] == []


def test_the_readme_lists_every_notebook_and_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    notebooks = [path.name for path in (ROOT / "notebooks").glob("*.ipynb") if ".mine" not in path.name]
    assert [name for name in notebooks if f"(notebooks/{name})" not in readme] == []
    usage = subprocess.run(
        [sys.executable, "-m", "lan966x_lab", "--help"], capture_output=True, text=True, check=True
    )
    commands = re.findall(r"^ {4}(\w+) ", usage.stdout, re.MULTILINE)
    assert {"open", "doctor", "decode", "reset"} <= set(commands)
    assert [command for command in commands if f"`lan966x-lab {command}" not in readme] == []


def test_the_patterns_see_what_they_should() -> None:
    assert REGISTRIES.search("https://" + ".".join(HOSTS[0]) + "/simple")
    assert MACHINE_PATHS.search("see /root/x")
    assert MACHINE_PATHS.search("('/home/me')")
    assert not MACHINE_PATHS.search("net/root/x and ~/work/x and ../home/x")


def test_module_names_of_tests_are_unique() -> None:
    """pytest imports them by their bare names."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))

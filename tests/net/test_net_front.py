"""``lan966x_lab.net`` hands out its modules, and loads none before it is asked."""

import subprocess
import sys

import pytest

from lan966x_lab import net

LAZY = """
import sys
from lan966x_lab import net
assert "dpkt" not in sys.modules and "numpy" not in sys.modules
assert net.checksum.ones_sum(b"\\1") == 0x100
assert "dpkt" not in sys.modules
net.captures.read
"""


def test_modules_come_when_they_are_used() -> None:
    subprocess.run([sys.executable, "-c", LAZY], check=True)


@pytest.mark.parametrize("name", net.__all__)
def test_every_module_is_there(name: str) -> None:
    module = getattr(net, name)
    assert module.__name__ == f"lan966x_lab.net.{name}"
    assert set(module.__all__) <= set(dir(module))


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'chekcsum'"):
        net.chekcsum  # noqa: B018

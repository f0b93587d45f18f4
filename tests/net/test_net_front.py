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


def test_frames_is_the_door_to_both_ways() -> None:
    """Whatever ``parse`` and ``build`` offer, ``frames`` offers: there and back through one name."""
    for half in (net.parse, net.build):
        for name in half.__all__:
            assert getattr(net.frames, name) is getattr(half, name)
            assert name in net.frames.__all__
    packet = net.frames.ipv4("10.0.0.1", "10.0.0.2", 17, net.frames.udp(4000, 5000, b"hello"))
    frame = net.frames.ethernet("02:00:00:00:00:02", "02:00:00:00:00:01", 0x0800, packet)
    assert net.frames.parse(frame).payload == b"hello"


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'chekcsum'"):
        net.chekcsum  # noqa: B018

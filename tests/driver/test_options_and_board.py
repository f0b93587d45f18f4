"""The switches and the board refuse what they cannot mean."""

from typing import Any

import pytest

from lan966x_lab.driver import PATCHES, Board, Options


@pytest.mark.parametrize("wrong", [{"late_skb": "yes"}, {"gro": 1}, {"ifh_template": None}])
def test_a_switch_is_true_or_false(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a switch is True or False"):
        Options(**wrong)


@pytest.mark.parametrize("wrong", [{"ifh_codec": "bits"}, {"path": "dma"}])
def test_a_name_is_one_of_the_known_ones(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="choose one of"):
        Options(**wrong)


def test_every_patch_can_be_applied() -> None:
    assert Options().patched(*PATCHES) != Options()
    with pytest.raises(KeyError, match="choose from"):
        Options().patched("009")


@pytest.mark.parametrize("port", [-1, 8, 99])
def test_a_port_that_is_not_there_is_refused(port: int) -> None:
    board = Board()
    for refused in (
        lambda: board.send(bytes(60), port),
        lambda: board.wire(0, port),
        lambda: board.wire(port, 1),
    ):
        with pytest.raises(ValueError, match="choose 0 to 7"):
            refused()
    assert not any(board.queues)
    assert board.chip.ports[0].wire is None

"""The colours are judged from the table itself: contrast, and distance for colour-blind readers."""

from itertools import combinations

import numpy as np
import pytest

from lan966x_lab.workbook import palette

JUPYTERLAB = {"light": "#ffffff", "dark": "#111111", "dark, raised": "#212121"}

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear light
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(linear: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear sRGB."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = to_xyz @ np.clip(linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21),
        ("#ffffff", "#ffffff", 1),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.0),
    ],
)
def test_contrast_is_wcags(one: str, other: str, ratio: float) -> None:
    assert palette.contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert palette.contrast(other, one) == palette.contrast(one, other)


@pytest.mark.parametrize("tone", [*palette.TONES, palette.SLATE], ids=lambda tone: tone.name)
def test_tones_carry_text(tone: palette.Tone) -> None:
    assert palette.contrast(palette.PANEL, tone.strong) >= 4.5, "white text on the tone, the tone as text"
    for ink in (palette.INK, palette.MUTED):
        assert palette.contrast(ink, tone.soft) >= 4.5
    assert palette.contrast(tone.strong, tone.soft) >= 3


def test_text_and_lines_on_the_panel() -> None:
    assert palette.contrast(palette.INK, palette.PANEL) >= 7
    assert palette.contrast(palette.MUTED, palette.PANEL) >= 4.5
    assert palette.contrast(palette.EDGE, palette.PANEL) >= 3


@pytest.mark.parametrize("background", JUPYTERLAB.values(), ids=JUPYTERLAB)
def test_marks_show_in_both_themes(background: str) -> None:
    for name, colour in palette.MARK.items():
        assert palette.contrast(colour, background) >= 3, name


@pytest.mark.parametrize("matrix", DEFICIENCIES.values(), ids=DEFICIENCIES)
def test_tones_stay_apart(matrix: np.ndarray) -> None:
    seen = {tone.name: lab(matrix @ np.array(palette.rgb(tone.strong))) for tone in palette.TONES}
    for (one, a), (other, b) in combinations(seen.items(), 2):
        assert np.linalg.norm(a - b) >= 12, f"{one} and {other} look alike"


def test_colour_is_never_the_only_signal() -> None:
    assert len({tone.hatch for tone in palette.TONES}) == len(palette.TONES)
    assert len({tone.strong for tone in palette.EVIDENCE.values()}) == 3
    assert palette.tone(len(palette.TONES)) == palette.tone(0)

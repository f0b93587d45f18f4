"""The picture and the table of all claims: every claim is there, with its own verdict, and drawn to scale."""

from xml.etree import ElementTree

import pytest

from lan966x_lab.measure import claims
from lan966x_lab.measure.claims import Verdict
from lan966x_lab.workbook.figures.claims import LEFT, RIGHT, VERDICT_TONES, claims_picture, claims_table
from lan966x_lab.workbook.palette import AFTER, PANEL, SLATE, contrast

ALL = claims.load()


def nodes(drawing: str, tag: str) -> list[ElementTree.Element]:
    return [node for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith(tag)]


def test_every_claim_has_a_line_and_its_verdict() -> None:
    texts = nodes(claims_picture(ALL).drawing(), "}text")
    at = {node.text: node.get("y") for node in texts}
    verdicts = {node.get("y"): node.text for node in texts if node.text in set(Verdict)}
    for claim in ALL:
        assert verdicts[at[claim.id]] == claim.verdict
    assert len(verdicts) == len(ALL)
    assert {f"seed {claim.seed}" for claim in ALL} < set(at)
    assert not [text for text in at if text and text.endswith("…")]


def test_bars_are_to_scale_and_start_at_nothing() -> None:
    drawing = claims_picture(claims.by_seed("001")).drawing()
    bars = [node for node in nodes(drawing, "}rect") if node.get("height") == "11"]
    shown = [c for c in claims.by_seed("001") if c.kind in ("goodput", "gain")]
    assert [bar.get("fill") for bar in bars] == [(SLATE if c.stated else AFTER).strong for c in shown]
    for bar, claim in zip(bars, shown, strict=True):
        assert float(bar.get("x", "")) == LEFT  # no loss in this seed, so the axis starts at 0
        assert float(bar.get("width", "")) == pytest.approx(
            (RIGHT - LEFT) * float(claim.gain_percent) / 80, abs=0.01
        )


def test_frames_hold_what_is_stated() -> None:
    drawing = claims_picture(claims.by_seed("000")).drawing()
    frames = [n for n in nodes(drawing, "}rect") if n.get("stroke-dasharray") and n.get("height") == "17"]
    spans = [(float(f.get("x", "")) + 2, float(f.get("width", "")) - 4) for f in frames]
    scale = (RIGHT - LEFT) / 40  # the largest end: 110 of 367 Mbit/s are 29.97 %, 485.5 / 366.5 is +32.5 %
    expected = [(63 / 4.57, 77 / 4.57), (90 / 3.67, 110 / 3.67), (100 / 3.67, 40)]  # >100 ends with the axis
    for (x, width), (low, high) in zip(spans, expected, strict=True):
        assert x == pytest.approx(LEFT + low * scale, abs=0.02)
        assert width == pytest.approx((high - low) * scale, abs=0.02)


def test_a_loss_points_to_the_left_and_is_named() -> None:
    drawing = claims_picture([claims.get("002-small"), claims.get("002-big")]).drawing()
    loss, gain = (n for n in nodes(drawing, "}rect") if n.get("height") == "11")
    zero = float(gain.get("x", ""))
    assert float(loss.get("x", "")) + float(loss.get("width", "")) == pytest.approx(zero, abs=0.02)
    assert "−3.66 %" in {n.text for n in nodes(drawing, "}text")}


def test_the_sentence_counts_the_verdicts() -> None:
    shown = [claims.get(name) for name in ("002-big", "002-small", "001-gain-v1", "001-gain", "001-ready")]
    assert str(claims_picture(sorted(shown, key=lambda c: c.seed))) == (
        "2 of 5 published claims hold; 1 is off (001-gain-v1); 1 is inconsistent (002-small); "
        "1 is not measurable (001-ready)."
    )


def test_the_table_says_the_same() -> None:
    rows = claims_table(ALL).rows
    assert [(row[4], row[3]) for row in rows] == [(claim.id, str(claim.verdict)) for claim in ALL]
    printed = {row[4]: row[1:3] for row in rows}
    assert printed["000-tx-v1"] == ["367 → 472 Mbit/s", "+28.61 %"]
    assert printed["002-packing-share"] == ["stated: 2.5–5 %", ""]
    assert printed["004-do-csum"] == ["6.95 % of samples", ""]


def test_a_verdict_can_be_read() -> None:
    assert set(VERDICT_TONES) == set(Verdict)
    assert len(set(VERDICT_TONES.values())) == len(Verdict)
    assert all(contrast(tone.strong, PANEL) >= 4.5 for tone in VERDICT_TONES.values())


def test_one_claim_is_enough_and_none_is_not() -> None:
    assert "1 of 1 published claims hold" in claims_picture([claims.get("003-fast-speed")]).sentence
    with pytest.raises(ValueError, match="no claim to show"):
        claims_picture([])

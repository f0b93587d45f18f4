"""The explorer of the two printed rows, without a browser."""

import xml.etree.ElementTree as ET

import pytest

from lan966x_lab.workbook.explorers.tworows import HIGH, LOW, TwoRowsExplorer

SVG = "{http://www.w3.org/2000/svg}"


def texts(explorer: TwoRowsExplorer) -> list[str]:
    return [element.text or "" for element in ET.fromstring(explorer.static().drawing()).iter(f"{SVG}text")]


def marks(explorer: TwoRowsExplorer) -> tuple[int, int]:
    """Discs and crosses of the panel: two lines a cross."""
    root = ET.fromstring(explorer.static().drawing())
    crosses = [line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "1.8"]
    discs = [disc for disc in root.iter(f"{SVG}circle") if disc.get("r") == "4.5"]
    return len(discs), len(crosses) // 2


def test_sentences():
    explorer = TwoRowsExplorer()
    assert explorer.status == (
        "Labels as printed, 0.0 µs saved: at 1,460 bytes the times stay 11.4 µs apart, save more; "
        "at 700 bytes the times stay 10.8 µs apart, save less."
    )
    explorer.saving.value = 12_000
    assert "at 1,460 bytes the times meet; at 700 bytes the times stay 22.8 µs apart" in explorer.status
    explorer.all.value = True
    assert explorer.status.endswith(
        "No saving fits both rows: 11.4 to 34.3 µs and −15.1 to −10.8 µs do not meet."
    )
    explorer.labels.label = "of the small frames exchanged"
    assert explorer.status == (
        "Labels of the small frames exchanged, 12.0 µs saved: at 1,460 bytes the times meet; "
        "at 700 bytes the times meet. Both rows allow 11.4 to 15.1 µs."
    )


@pytest.mark.parametrize(("saving", "apart"), [(11_400, "less than 0.1"), (11_309, "0.1"), (11_209, "0.2")])
def test_times_that_do_not_meet_are_never_zero_apart(saving, apart):
    status = TwoRowsExplorer(saving, exchanged=True).status
    assert f"at 1,460 bytes the times stay {apart} µs apart, save more" in status


@pytest.mark.parametrize("saving", range(LOW, HIGH + 1, 500))
def test_as_printed_no_saving_meets_both(saving):
    explorer = TwoRowsExplorer(saving)
    assert texts(explorer).count("✗ apart") >= 1


@pytest.mark.parametrize(
    ("saving", "meet"), [(11_409, 1), (11_410, 2), (15_130, 2), (15_131, 1), (40_000, 0)]
)
def test_exchanged_the_range_is_exact(saving, meet):
    assert texts(TwoRowsExplorer(saving, exchanged=True)).count("✓ meet") == meet


def test_what_was_tried_stays_on_the_panel_per_labels():
    explorer = TwoRowsExplorer()
    for saving in (12_000, 20_000, 12_000):
        explorer.saving.value = saving
    assert marks(explorer) == (2, 7)  # three savings, three rows
    explorer.labels.value = True
    assert marks(explorer) == (3, 0)
    explorer.labels.value = False
    assert marks(explorer) == (2, 7)


def test_a_saving_out_of_range_becomes_the_nearest():
    explorer = TwoRowsExplorer()
    explorer.saving.value = 10**6
    assert explorer.saving.value == HIGH
    assert "40.0 µs saved" in explorer.status


def test_two_instances_share_nothing_and_draw_the_same():
    one, two = TwoRowsExplorer(), TwoRowsExplorer()
    assert one.static().drawing() == two.static().drawing()
    one.saving.value = 12_000
    assert marks(two) == (0, 3)
    assert two.saving.value == 0

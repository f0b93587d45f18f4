"""The workbook's own parts in a real browser, in a small notebook that holds each of them."""

from collections.abc import Callable, Iterator

import base_notebook
import nbformat
import pytest
from conftest import window
from lab import LabPage, LabServer, spread
from playwright.sync_api import Browser, expect


@pytest.fixture(scope="module")
def base(server: LabServer, browser: Browser) -> Iterator[LabPage]:
    """The notebook, run from top to bottom."""
    nbformat.write(base_notebook.notebook(), server.notebooks / "base.ipynb")
    with window(server, browser, "base") as lab:
        lab.open("base.ipynb")
        lab.run_all()
        yield lab


@pytest.fixture(autouse=True)
def nothing_overlooked(base: LabPage) -> Iterator[None]:
    """Each test ends without an error anywhere."""
    yield
    assert base.complaints() == []


def test_control_redraws_by_keyboard(base: LabPage, record_property: Callable[[str, object], None]) -> None:
    explorers = base.explorers()
    assert explorers.count() == 3
    second = explorers.nth(1).locator(".lab-picture").inner_html()
    redraws = base.move(explorers.nth(0))
    record_property("measured", spread(redraws))
    assert {redraw.control for redraw in redraws} == {
        "Value (0–255)", "First bit", "Value as text", "Shade set bits", "Clear"
    }  # fmt: skip
    field = explorers.nth(0).get_by_label("Value (0–255)")
    field.fill("5")
    field.press("ArrowUp")
    expect(explorers.nth(0).get_by_role("status")).to_have_text("6 has 2 of 8 bits set.")
    assert explorers.nth(1).locator(".lab-picture").inner_html() == second, "one instance moved the other"
    same = [explorers.nth(i).locator(".lab-picture svg").inner_html() for i in (0, 2)]
    assert same[0] == same[1], "the same instance, shown twice, differs"


def test_bad_input_is_met_kindly(base: LabPage) -> None:
    explorer = base.explorers().nth(1)
    picture = explorer.locator(".lab-picture").inner_html()
    field = explorer.get_by_label("Value as text")
    field.fill("0x1ff")
    field.press("Enter")
    expect(explorer.get_by_role("status")).to_contain_text("Value = 511 does not fit")
    assert explorer.locator(".lab-picture").inner_html() == picture
    base.screenshot("bad-input")
    field.fill("0x1f")
    field.press("Enter")
    expect(explorer.get_by_role("status")).to_have_text("31 has 5 of 8 bits set.")
    explorer.get_by_role("button", name="Clear").press("Space")
    expect(explorer.get_by_role("status")).to_have_text("0 has 0 of 8 bits set.")


def test_every_control_has_a_name(base: LabPage) -> None:
    explorer = base.explorers().nth(1)
    for role, name in {
        "spinbutton": "Value (0–255)",
        "combobox": "First bit",
        "textbox": "Value as text",
        "checkbox": "Shade set bits",
        "button": "Clear",
        "img": "eight bits",
    }.items():
        expect(explorer.get_by_role(role, name=name, exact=True)).to_have_count(1)


def test_gate_by_keyboard(base: LabPage) -> None:
    gate = base.page.locator(".lab-gate")
    gate.scroll_into_view_if_needed()
    gate.get_by_role("radio").first.focus()
    base.page.keyboard.press("Tab")
    base.page.keyboard.press("Space")
    for _ in range(2):
        base.page.keyboard.press("Tab")
    base.page.keyboard.press("Enter")
    expect(gate.get_by_role("status")).to_contain_text("You said B; the answer is A.")
    expect(gate.get_by_role("img")).to_be_visible()
    base.screenshot("gate")


def test_pictures_of_the_whole(base: LabPage) -> None:
    """For the eye: screenshots of the notebook in both themes."""
    base.screens("Light", "Dark")


def test_pictures_show_before_anything_runs(base: LabPage, server: LabServer, browser: Browser) -> None:
    """A fresh clone is a notebook that JupyterLab does not trust: it drops inline SVG, but shows images."""
    ran = base_notebook.notebook()
    ran.cells = [nbformat.from_dict(cell) for cell in base.cells()]
    nbformat.write(ran, server.notebooks / "stored.ipynb")
    with window(server, browser, "stored") as lab:
        lab.open("stored.ipynb")
        images = lab.page.locator(".jp-OutputArea-output figure img")
        expect(images).to_have_count(3)
        for index in range(3):
            images.nth(index).scroll_into_view_if_needed()
            lab.page.wait_for_function(
                "image => image.naturalWidth > 0", arg=images.nth(index).element_handle()
            )
        lab.screens("Light")


def test_axe_finds_what_is_wrong_and_nothing_else(base: LabPage) -> None:
    assert base.violations("Light", "Dark") == []
    output = base.page.locator(".jp-OutputArea-output").first
    output.evaluate("e => e.insertAdjacentHTML('beforeend', '<img src=\"data:,\" id=\"nameless\">')")
    (found,) = base.violations("Light")
    assert found.startswith("Light: image-alt")
    output.evaluate("e => e.querySelector('#nameless').remove()")

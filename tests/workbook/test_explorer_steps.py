"""The step explorer without a browser: controls, bad input, sentences, every form on every field."""

import re
import xml.etree.ElementTree as ET

import pytest

from lan966x_lab import ifh
from lan966x_lab.measure.counted.header_work import FORMS
from lan966x_lab.workbook.explorers.steps import EXAMPLES, STARTS, StepExplorer, code_lines
from lan966x_lab.workbook.svg import WIDTH

SVG = "{http://www.w3.org/2000/svg}"


def play(
    form: str, operation: str = "set", field: str = "DSTS", value: str = "", start: str = ""
) -> StepExplorer:
    """An explorer that stands at the last step."""
    explorer = StepExplorer(form, operation, field)
    if value:
        explorer.value.value = value
    if start:
        explorer.start.value = start
    explorer.last.click()
    return explorer


def texts(explorer: StepExplorer) -> list[str]:
    root = ET.fromstring(explorer.static().drawing())
    return [(element.text or "").replace("\u00a0", " ") for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("operation", ["set", "get"])
@pytest.mark.parametrize("field", EXAMPLES)
def test_every_form_plays_every_field_inside_the_picture(form, operation, field):
    explorer = play(form, operation, field)
    assert explorer.status.startswith(f"Step {explorer.step.max} of {explorer.step.max} ")
    right = "The header is right." if operation == "set" else "which is right."
    assert explorer.status.endswith(right)
    largest = max(
        float(element.get("x", 0)) + float(element.get("width", 0))
        for element in ET.fromstring(explorer.static().drawing()).iter(f"{SVG}rect")
    )
    assert largest <= WIDTH


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("operation", ["set", "get"])
@pytest.mark.parametrize("field", ["TCI", "TIMESTAMP"])
def test_the_longest_run_fits(form, operation, field):
    explorer = play(form, operation, field, hex(ifh.LAN966X.tx[field].maximum))
    circles = ET.fromstring(explorer.static().drawing()).iter(f"{SVG}circle")
    assert max(float(circle.get("cx", 0)) for circle in circles) <= WIDTH - 14


def test_buttons_move_and_stop_at_the_ends():
    explorer = StepExplorer()
    assert explorer.step.value == 0
    assert explorer.status == "Before the first line. The bit loop will set DSTS to 0x155, in 39 steps."
    explorer.back.click()
    assert explorer.step.value == 0
    explorer.next.click()
    assert explorer.step.value == 1
    explorer.last.click()
    assert explorer.step.value == explorer.step.max == 39
    explorer.next.click()
    assert explorer.step.value == 39
    explorer.first.click()
    assert explorer.step.value == 0


def test_a_step_shows_its_line_its_byte_and_its_counts():
    explorer = StepExplorer("byte shift")
    explorer.step.value = 5
    assert explorer.status == "Step 5 of 12 reads and writes byte 20. So far: 1 load, 1 store, 0 bit tests."
    shown = texts(explorer)
    assert "RW" in shown
    assert "▶" in shown
    root = ET.fromstring(explorer.static().drawing())
    bold = [
        e.text or "" for e in root.iter(f"{SVG}text") if e.get("font-weight") and e.get("font-size") == "11.5"
    ]
    assert bold[0].replace("\u00a0", " ").strip().startswith("header[index] = ")


def test_a_bit_test_is_said():
    explorer = StepExplorer()
    explorer.step.value = 6
    assert explorer.status == "Step 6 of 39 tests a bit. So far: 1 load, 0 stores, 1 bit test."


def test_the_whole_integer_takes_all_bytes():
    explorer = StepExplorer("whole integer")
    explorer.step.value = 2
    assert "reads all 28 bytes" in explorer.status
    explorer.last.click()
    assert "writes all 28 bytes" in explorer.status


def test_the_byte_in_front_of_the_header():
    explorer = StepExplorer("published byte shift (v2)", "set", "TIMESTAMP")
    explorer.step.value = 20
    assert "reads and writes byte −1, which lies in front of the header" in explorer.status
    assert "−1" in texts(explorer)


@pytest.mark.parametrize(
    ("choices", "ending"),
    [
        (("published bit loop (v1)", "set", "DSTS", "0", "dirty: all bits 1"), "wrong: DSTS reads 0x1ff."),
        (
            ("published byte shift (v2)", "set", "QOS_CLASS", "8"),
            "wrong: QOS_CLASS reads 0x0, TCI became 0x1.",
        ),
        (
            ("published bit loop (v1)", "get", "TIMESTAMP", "0x80000000"),
            "It returns 0xffffffff80000000, but the header holds 0x80000000.",
        ),
        (("byte shift", "get", "TIMESTAMP", "0x80000000"), "It returns 0x80000000, which is right."),
    ],
)
def test_the_last_step_says_what_went_wrong(choices, ending):
    assert play(*choices).status.endswith(ending)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("fish", "DSTS = 'fish' is no whole number"),
        ("", "DSTS = '' is no whole number"),
        ("-1", "DSTS = -1 does not fit"),
        ("512", "DSTS = 512 does not fit: the field takes 0 to 511 (9 bits)"),
        ("0x100000000", "DSTS = 4294967296 does not fit"),
        ("<script>", "DSTS = '<script>' is no whole number"),
    ],
)
def test_bad_values_are_met_kindly(typed, said):
    explorer = play("byte shift")
    picture = explorer.static()
    explorer.value.value = typed
    assert explorer.status.startswith(said)
    assert explorer.status.endswith("The picture shows the last good view.")
    assert "<script>" not in explorer._status.value
    assert explorer.static() is picture
    explorer.value.value = "0x1"
    assert explorer.status.endswith("The header is right.")


def test_a_new_field_brings_its_own_value():
    explorer = StepExplorer()
    for name, example in EXAMPLES.items():
        explorer.field.value = name
        assert explorer.value.value == hex(example)
        assert example <= ifh.LAN966X.rx[name].maximum if name == "LEN" else ifh.LAN966X.tx[name].maximum


def test_the_end_stays_the_end_and_the_label_tells_the_range():
    explorer = play("bit loop")
    for form in FORMS:
        explorer.form.value = form
        assert explorer.step.value == explorer.step.max
        assert explorer.step.description == f"Step (0–{explorer.step.max})"
    explorer.first.click()
    explorer.form.value = "bit loop"
    assert explorer.step.value == 0


def test_two_instances_share_nothing():
    one, two = StepExplorer(), StepExplorer("byte shift")
    before = two.static().drawing()
    one.field.value = "TIMESTAMP"
    one.last.click()
    assert two.static().drawing() == before
    assert one.static().drawing() == play("bit loop", field="TIMESTAMP").static().drawing()


def test_the_same_controls_draw_the_same_bytes():
    assert play("general routine").static().drawing() == play("general routine").static().drawing()


def test_a_dirty_header_keeps_its_other_bits():
    explorer = play("byte shift", value="0", start=list(STARTS)[1])
    header = re.findall(r"ui-monospace[^>]*>([0-9a-f]{2})</text>", explorer.static().drawing())
    assert "".join(header) == "ff" * 19 + "803f" + "ff" * 7


def test_the_source_has_no_docstring_and_keeps_its_numbers():
    source = 'def f(x):\n    """One.\n\n    Two.\n    """\n    y = x\n    return y\n'
    assert code_lines(source) == ((1, "def f(x):"), (6, "    y = x"), (7, "    return y"))
    assert code_lines("def f(x):\n    return x\n") == ((1, "def f(x):"), (2, "    return x"))

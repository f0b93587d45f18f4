"""The checks of notebook 05 on right answers and on plausible wrong ones, with the sentence each gets."""

import pytest

from lan966x_lab.ifh import CODECS, OCELOT
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.template import make_template_check, saving_check

TX, put = OCELOT.tx, CODECS["packing"].set


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (..., Rung.NOT_DEFINED, "Next: try savings in the explorer"),
        ((11_400, 15_100), Rung.RIGHT, "right"),  # as the table and the picture print it
        ((11_310, 15_230), Rung.RIGHT, "right"),  # 11 409.03… and 15 130.02… are the ends
        ((11_309, 15_130), Rung.WRONG, "Why: a saving has to fit both rows"),
        ((11_410, 15_231), Rung.WRONG, "Why: a saving has to fit both rows"),
        ((11_509, 15_031), Rung.RIGHT, "right"),
        ((11_510, 15_130), Rung.WRONG, "Why: smaller ones fit, too."),
        ((11_410, 15_030), Rung.WRONG, "Why: larger ones fit, too."),
        ((11_409.04, 15_130.02), Rung.RIGHT, "right"),
        ((11_410, 15_130), Rung.RIGHT, "right"),
        ([11_500, 15_100], Rung.RIGHT, "right"),
        ((12_000, 15_100), Rung.WRONG, "Why: smaller ones fit, too."),
        ((11_500, 14_000), Rung.WRONG, "Why: larger ones fit, too."),
        ((10_900, 15_100), Rung.WRONG, "Why: a saving has to fit both rows"),
        ((-15_130, 34_294), Rung.WRONG, "Why: a saving has to fit both rows"),
        (12_000, Rung.WRONG, "Why: write saving = (…, …), in ns."),
        (("11_400", 15_100), Rung.WRONG, "Why: write saving = (…, …), in ns."),
        ((True, 15_100), Rung.WRONG, "Why: write saving = (…, …), in ns."),
        ((11.4, 15.1), Rung.WRONG, "Why: these look like µs"),
        ((11, 15), Rung.WRONG, "Why: these look like µs"),
        ((15_100, 11_500), Rung.WRONG, "Why: give the smallest first, then the largest."),
        ((float("nan"), 15_130), Rung.WRONG, "Why: a saving has to fit both rows"),
    ],
)
def test_saving(answer, rung, said):
    verdict = saving_check({"__name__": "notebook", "saving": answer})
    assert verdict.rung is rung, verdict.text()
    assert said in verdict.text()
    assert rung is Rung.RIGHT or "15130" not in verdict.text().replace(repr(answer), "")


def copies_and_compares(fixed):
    held, prepared = dict(fixed), TX.encode(fixed)

    def stamp(varying):
        header = bytearray(prepared)
        for name, value in varying.items():
            if value != held.get(name, 0):
                put(header, TX[name], value)
        return bytes(header)

    return stamp


def sets_all_that_varies(fixed):
    prepared = TX.encode(fixed)

    def stamp(varying):
        header = bytearray(prepared)
        for name, value in varying.items():
            put(header, TX[name], value)
        return header

    return stamp


def skips_every_zero(fixed):
    prepared = TX.encode(fixed)

    def stamp(varying):
        header = bytearray(prepared)
        for name, value in varying.items():
            if value:
                put(header, TX[name], value)
        return bytes(header)

    return stamp


def patches_in_place(fixed):
    prepared = bytearray(TX.encode(fixed))

    def stamp(varying):
        for name, value in varying.items():
            if value:
                put(prepared, TX[name], value)
        return bytes(prepared)

    return stamp


def sets_zeros_in_place(fixed):
    """The trap of the lesson: right as long as each frame names every field."""
    prepared = bytearray(TX.encode(fixed))

    def stamp(varying):
        for name, value in varying.items():
            put(prepared, TX[name], value)
        return bytes(prepared)

    return stamp


def compares_and_patches_in_place(fixed):
    """Right in all but the last step: there BYPASS = 0 stays for the next frame."""
    held, good = dict(fixed), copies_and_compares(fixed)
    without = copies_and_compares({**fixed, "BYPASS": 0})

    def stamp(varying):
        if "BYPASS" in varying:
            held["BYPASS"] = varying["BYPASS"]
        return (good if held["BYPASS"] else without)(varying)

    return stamp


def names_its_fields(fixed):
    good = copies_and_compares(fixed)
    return lambda varying: good({name: varying[name] for name in ("TCI", "REW_OP")} | varying)


def changes_bytes(fixed):
    prepared = TX.encode(fixed)

    def stamp(varying):
        for name, value in varying.items():
            put(prepared, TX[name], value)
        return prepared

    return stamp


def starts_stamp_later(fixed):
    def stamp(varying):
        raise NotImplementedError("stamp comes next")

    return stamp


def hands_out_one_buffer(fixed):
    prepared, header = TX.encode(fixed), bytearray(16)

    def stamp(varying):
        header[:] = prepared
        for name, value in varying.items():
            put(header, TX[name], value)
        return header

    return stamp


def encodes_each_time(fixed):
    return lambda varying: TX.encode({**fixed, **varying})


def prepares_nothing(fixed):
    return lambda varying: TX.encode(varying)


def gives_a_header(fixed):
    return TX.encode(fixed)


def masks(fixed):
    stamp = copies_and_compares(fixed)
    return lambda varying: stamp({name: value & TX[name].maximum for name, value in varying.items()})


def not_started(fixed):
    raise NotImplementedError("prepare the header")


def stops_inside(fixed):
    def stamp(varying):
        return varying["NAME"]

    return stamp


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (copies_and_compares, Rung.RIGHT, "Visible checks passed (8)."),
        (sets_all_that_varies, Rung.RIGHT, "Visible checks passed (8)."),
        (starts_stamp_later, Rung.NOT_STARTED, "It says: stamp comes next"),
        (sets_zeros_in_place, Rung.WRONG, "Why: a later frame holds what an earlier one set"),
        (names_its_fields, Rung.WRONG, "Why: a frame names only what it sets"),
        (changes_bytes, Rung.WRONG, "Make a copy: bytearray(header)."),
        (compares_and_patches_in_place, Rung.ALMOST, "Why: a later frame holds what an earlier one set"),
        (not_started, Rung.NOT_STARTED, "It says: prepare the header"),
        (gives_a_header, Rung.WRONG, "Why: return the function."),
        (prepares_nothing, Rung.WRONG, "Why: what is fixed is missing."),
        (patches_in_place, Rung.WRONG, "Why: a later frame holds what an earlier one set"),
        (hands_out_one_buffer, Rung.WRONG, "Why: the headers changed after they were handed out"),
        (encodes_each_time, Rung.WRONG, "Why: the fixed fields are set anew for each frame"),
        (stops_inside, Rung.WRONG, "KeyError: 'NAME'"),
        (masks, Rung.ALMOST, "Why: a value that does not fit has to be refused."),
        (skips_every_zero, Rung.ALMOST, "Why: a zero was skipped where the prepared header holds a 1"),
    ],
)
def test_make_template(answer, rung, said):
    verdict = make_template_check(answer)
    assert said in verdict.text(), verdict.text()
    assert verdict.rung is rung


@pytest.mark.parametrize("answer", [changes_bytes, stops_inside])
def test_an_error_is_not_called_a_str(answer):
    """What stamp raised is shown in words; that the words are no list helps nobody."""
    verdict = make_template_check(answer)
    assert "Error: " in verdict.text()
    assert "Why" not in verdict.text()


def test_the_zeros_fail_where_a_frame_leaves_fields_out():
    assert "step 4 of 8" in make_template_check(sets_zeros_in_place).text()

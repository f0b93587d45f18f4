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
        ((11_409, 15_130), Rung.WRONG, "a saving has to fit both rows"),  # 11 409.03… is the end
        ((11_410, 15_130), Rung.RIGHT, "right"),
        ([11_500, 15_100], Rung.RIGHT, "right"),
        ((12_000, 15_100), Rung.WRONG, "Why: smaller ones fit, too."),
        ((11_500, 14_000), Rung.WRONG, "Why: larger ones fit, too."),
        ((10_900, 15_100), Rung.WRONG, "Why: a saving has to fit both rows"),
        ((-15_130, 34_294), Rung.WRONG, "Why: a saving has to fit both rows"),
        (12_000, Rung.WRONG, "Why: write saving = (…, …), in ns."),
        ((11.4, 15.1), Rung.WRONG, "Why: write saving = (…, …), in ns."),
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
        (copies_and_compares, Rung.RIGHT, "Visible checks passed (7)."),
        (sets_all_that_varies, Rung.RIGHT, "Visible checks passed (7)."),
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

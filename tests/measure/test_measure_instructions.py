"""The stored counts and listings agree with each other, and with what the forms must cost at least."""

import re
from itertools import product

import pytest

from lan966x_lab import data_path, ifh
from lan966x_lab.measure import tables
from lan966x_lab.measure.counted import header_work
from lan966x_lab.measure.counted import instructions as counted

COMPILERS = [f"{name} -O{level}" for name in ("gcc", "clang") for level in (2, 3)]
ARCHES = ["x86-64", "ARMv7-A", "MIPS32r2"]
SETS = [f"set {name}" for name in header_work.PTP]
GETS = [f"get {name}" for name in header_work.READ]
SEND, RECEIVE = ["TX5", "TX7"], ["RX2", "RX3"]
BOTH = ["constant", "run_time"]

EXPECTED = {
    *product(["packing", "bit_loop", "byte_shift"], BOTH, SETS + GETS + SEND + RECEIVE),
    *product(["byte_shift_v2"], BOTH, SETS + SEND),
    *product(["words"], ["constant"], SEND + RECEIVE),
    *product(["template"], ["constant"], SEND),
}


def stored_listings() -> list[tuple[counted.Counted, tuple[str, ...]]]:
    pairs = []
    for row in counted.load():
        if row.args == "constant" and " " in row.job:
            way, field = row.job.split()
            pairs.append((row, counted.listing(row.compiler, row.arch, row.form, field, way)))
    return pairs


def test_every_form_was_counted_with_every_compiler() -> None:
    rows = [(r.compiler, r.arch, r.form, r.args, r.job) for r in counted.load()]
    assert len(rows) == len(set(rows))
    assert set(rows) == {(c, a, *rest) for c, a, rest in product(COMPILERS, ARCHES, EXPECTED)}
    assert {form for _, _, form, _, _ in rows} == set(counted.FORMS)


def test_counts_are_possible() -> None:
    for row in counted.load():
        assert 0 < row.lines <= min(row.executed, row.length), row
        assert row.loops or row.executed <= row.length, row  # what has no loop runs no instruction twice


def test_one_compiler_made_the_rows_of_one_name() -> None:
    for name in ("gcc", "clang"):
        assert len({r.version for r in counted.load() if r.compiler.startswith(name)}) == 1


def test_listings_say_what_the_counts_say() -> None:
    pairs = stored_listings()
    assert len(pairs) == len(COMPILERS) * len(ARCHES) * len(
        {e for e in EXPECTED if e[1] == "constant" and " " in e[2]}
    )
    for row, lines in pairs:
        code = [line for line in lines if line.startswith("    ")]
        assert len(code) == row.length, row
        assert len(counted.loops(lines)) == row.loops, row
        returns = r"    (ret|bx\w* +lr|pop\w* .*pc\}|jr +ra)"
        assert any(re.match(returns, line) for line in code), row
        if not any(line.startswith("L") for line in lines):
            assert row.executed == row.length, row


def test_a_header_costs_at_least_its_fields() -> None:
    """TCP's five fields out of line: what the calls cost one by one, but for what the accessors add."""
    for compiler, arch, form in product(COMPILERS, ARCHES, ["packing", "bit_loop", "byte_shift"]):
        fields = [counted.find(compiler, arch, form, "run_time", f"set {name}") for name in header_work.TCP]
        frame = counted.find(compiler, arch, form, "run_time", "TX5").executed
        assert abs(frame - sum(f.executed for f in fields)) < 0.2 * frame + 30


def test_constants_never_cost_more() -> None:
    for row in counted.load():
        if row.args == "run_time":
            constant = counted.find(row.compiler, row.arch, row.form, "constant", row.job)
            assert constant.executed < row.executed, row


@pytest.mark.parametrize("arch", ARCHES)
def test_the_answer_to_the_reviewer(arch: str) -> None:
    """With -O2 gcc leaves a loop from nine bits on; clang leaves none, but the bits one by one."""
    for field in ("DSTS", "REW_CMD", "TCI", "TIMESTAMP"):
        assert counted.answer("gcc -O2", arch, field) == "loop"
        assert counted.answer("clang -O2", arch, field) == "unrolled"
    assert counted.answer("clang -O2", arch, "BYPASS") == "yes"


@pytest.mark.parametrize("arch", ARCHES)
def test_a_zeroed_header_helps_clang_only(arch: str) -> None:
    """Where the compiler sees the zeroing, clang joins the bits; gcc keeps the loop."""

    def ratio(compiler: str) -> float:
        bits, shift = (
            counted.find(compiler, arch, form, "constant", "TX5") for form in ("bit_loop", "byte_shift")
        )
        return bits.executed / shift.executed

    assert ratio("clang -O2") < 1.3
    assert ratio("gcc -O2") > 3


def test_positions_in_the_source_are_those_of_the_layouts() -> None:
    """The emulated results were compared when they were made; this holds the C against the layouts."""
    source = data_path("instructions", "forms.c").read_text(encoding="utf-8")
    written = re.findall(r"([SG]ET)_FIELD\(way, (\w+), (\d+), (\d+)\)", source)
    assert len(written) == len(SETS + GETS)
    for way, name, pos, width in written:
        field = (ifh.LAN966X.tx if way == "SET" else ifh.LAN966X.rx)[name]
        assert (int(pos), int(width)) == (field.pos, field.width)


def test_listings_name_no_place() -> None:
    text = data_path("instructions", "listings.txt").read_text(encoding="utf-8")
    assert not re.search(r"/\w+/|<|file format", text)


def test_every_getter_ran_with_every_compiler() -> None:
    keys = [(c.compiler, c.arch, c.getter, c.written) for c in counted.cures()]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(product(COMPILERS, ARCHES, counted.GETTERS, (0x1234_0000, 0x8000_0000)))
    versions = {(c.compiler, c.version) for c in counted.cures()}
    assert versions == {(r.compiler, r.version) for r in counted.load()}


def test_a_mask_of_33_bits_cures_on_no_machine() -> None:
    """What C defines came out as it must; what it does not define came out wrong every time."""
    for cured in counted.cures():
        sign = 0xFFFF_FFFF << 32 if cured.written >> 31 else 0
        right = {"published": cured.written | sign, "one_less": cured.written, "merged": cured.written}
        if cured.getter in right:
            assert cured.read == right[cured.getter], cured
        elif cured.arch == "x86-64":  # its long has 64 bits
            assert cured.read == cured.written | sign & 1 << 32, cured
        else:
            assert cured.read != cured.written, cured


def test_damaged_cures_are_refused(tmp_path, monkeypatch) -> None:
    good = data_path("instructions", "cure.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cure.csv").write_text("\n".join([good[0], good[1].replace("0x12340000", "much", 1)]))
    monkeypatch.setattr(counted, "data_path", lambda *parts: tmp_path / parts[-1])
    with pytest.raises(tables.DamagedTableError, match=r"cure\.csv is damaged: line 2, column written"):
        counted.cures.__wrapped__()


def test_loops_of_a_listing() -> None:
    lines = [
        "f:",
        "L1:",
        "    ldrb    r1, [r0]",
        "L2:",
        "    cbz     r1, L3",
        "    bne     L1",
        "L3:",
        "    bx      lr",
    ]
    assert counted.loops(lines) == [(1, 5)]
    assert counted.loops(["f:", "L1:", "    nop", "g:", "    b       L1", "L1:"]) == []
    assert counted.loops(["f:", "L1:", "    bne     a2,a3,L1"]) == [(1, 2)]


def test_what_was_not_counted_is_refused() -> None:
    with pytest.raises(
        KeyError, match=r"icc -O2 .* was not counted\. There are gcc -O2, .*x86-64, .*packing"
    ):
        counted.find("icc -O2", "x86-64", "packing", "constant", "TX5")
    with pytest.raises(KeyError, match=r"words .* is not in listings\.txt"):
        counted.listing("gcc -O2", "x86-64", "words", "DSTS")


def test_damage_is_refused(tmp_path, monkeypatch) -> None:
    good = data_path("instructions", "counts.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "counts.csv").write_text(
        "\n".join([good[0], good[1].replace(good[1].split(",")[5], "many", 1)])
    )
    monkeypatch.setattr(counted, "data_path", lambda *parts: tmp_path / parts[-1])
    with pytest.raises(tables.DamagedTableError, match=r"counts\.csv is damaged: line 2, column executed"):
        counted.load.__wrapped__()

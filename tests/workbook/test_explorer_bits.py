"""The bit explorer without a browser: every control is moved, every sentence read."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.workbook.explorers.bits import READINGS, BitExplorer
from lan966x_lab.workbook.figures.bitrows import reserved

TX, RX = ifh.LAN966X
TWO_STEP = "00000005 80000021 c0000000 00000070 00000000 43800000 00000000"


def drawn(explorer: BitExplorer) -> str:
    drawing = explorer.static().drawing()
    ElementTree.fromstring(drawing)
    return drawing


def header_of(explorer: BitExplorer) -> bytes:
    return ifh.from_hex(explorer.hex.value)


def controls(explorer: BitExplorer) -> tuple[object, ...]:
    return tuple(
        control.value
        for control in (explorer.reading, explorer.hex, explorer.field, explorer.value, explorer.bit)
    )


def test_it_begins_with_a_field_and_what_it_says() -> None:
    explorer = BitExplorer(ifh.from_hex(TWO_STEP))
    assert explorer.status == "DSTS is 9 bits, 70 to 62, in bytes 19 and 20. It is 1: port 0."
    assert controls(explorer) == (TX, TWO_STEP, "DSTS", "1", 70)
    assert "(header &gt;&gt; 62) &amp; 0x1ff = 0b000000001 = 0x1 = 1" in drawn(explorer)
    assert "7 of 38 fields are not 0" in drawn(explorer)
    assert "All fields are 0" in drawn(BitExplorer())


@pytest.mark.parametrize("typed", ["341", "0x155", "0b101010101", " 0x1 55 "])
def test_a_value_may_be_typed_in_any_base_and_stays_as_typed(typed: str) -> None:
    explorer = BitExplorer()
    explorer.value.value = typed
    assert explorer.status == "DSTS goes from 0 to 341: ports 0, 2, 4, 6, CPU. 5 bits changed."
    assert header_of(explorer) == TX.encode(DSTS=341)
    assert explorer.value.value == typed
    explorer.value.value = "0b101010101 "
    assert explorer.status == "DSTS stays as it is, 341: ports 0, 2, 4, 6, CPU."


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("512", "DSTS = 512 does not fit; type a number from 0 to 511 (0x1ff)."),
        ("-1", "DSTS = -1 does not fit"),
        ("port 3", "DSTS = 'port 3' is no whole number"),
        ("", "DSTS = '' is no whole number"),
    ],
)
def test_a_value_that_does_not_fit_changes_nothing(typed: str, said: str) -> None:
    explorer = BitExplorer(TX.encode(DSTS=5))
    before = drawn(explorer)
    explorer.value.value = typed
    assert explorer.status.startswith(said)
    assert explorer.status.endswith("The picture shows the last good view.")
    assert drawn(explorer) == before
    assert header_of(explorer) == TX.encode(DSTS=5)
    explorer.field.value = "IPV"
    assert explorer.value.value == "0"


def test_a_pasted_header_is_decoded() -> None:
    explorer = BitExplorer()
    explorer.hex.value = f"\n{TWO_STEP.replace(' ', '').upper()} "
    assert explorer.status == (
        "A new header. 7 of 38 fields are not 0: TIMESTAMP, BYPASS, REW_CMD, PDU_TYPE, QOS_CLASS, DSTS, IPV."
    )
    assert explorer.value.value == "1"
    assert "two-step PTP" in drawn(explorer)
    explorer.hex.value = "ff" * 28
    assert explorer.status == "A new header. 38 of 38 fields are not 0."
    assert "38 of 38 fields are not 0; 29 reserved bits set" in drawn(explorer)
    assert "… and 29 more" in drawn(explorer)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("00" * 27, "27 bytes, 1 too few: this header has 28 bytes, 56 hex digits."),
        ("00" * 29, "29 bytes, 1 too many"),
        ("00" * 16, "to read them, choose “Ocelot, injection”."),
        ("0" * 55, "55 hex digits are not whole bytes"),
        ("0000 00xy", "'x' (digit 7) is not hexadecimal"),
        ("", "0 bytes, 28 too few"),
    ],
)
def test_what_is_no_header_is_met_kindly(typed: str, said: str) -> None:
    explorer = BitExplorer(ifh.from_hex(TWO_STEP))
    before = drawn(explorer)
    explorer.hex.value = typed
    assert said in explorer.status
    assert drawn(explorer) == before
    explorer.bit.value = 3
    assert explorer.hex.value == TWO_STEP


def test_the_same_bytes_in_the_other_direction() -> None:
    explorer = BitExplorer(ifh.from_hex(TWO_STEP), field="BYPASS")
    explorer.reading.value = RX
    assert explorer.status == (
        "The same 28 bytes, read on extraction: LEN = 8,192, "
        "where injection has BYPASS = 1, MASQ = 0, MASQ_PORT = 0."
    )
    assert controls(explorer) == (RX, TWO_STEP, "LEN", "8192", 191)
    assert "on injection" in drawn(explorer)
    explorer.bit.value = 190
    explorer.flip.click()
    assert explorer.status.startswith(
        "Bit 190 goes from 0 to 1. It belongs to LEN, which goes from 8,192 to 12,288:"
    )
    explorer.reading.value = TX
    assert "BYPASS = 1, MASQ = 1, MASQ_PORT = 0, where extraction has LEN = 12,288." in explorer.status
    assert explorer.field.value == "MASQ"
    assert "on extraction" in drawn(explorer)


def test_a_field_of_both_directions_stays_chosen() -> None:
    explorer = BitExplorer(field="TCI")
    explorer.reading.value = RX
    assert explorer.field.value == "TCI"
    assert "LEN" in explorer.field.options
    assert "BYPASS" not in explorer.field.options


def test_a_reserved_bit_gets_its_owner_in_the_other_direction() -> None:
    explorer = BitExplorer()
    explorer.field.value = "reserved"
    explorer.reading.value = RX
    assert (explorer.bit.value, explorer.field.value) == (185, "LEN")


def test_the_bit_chooses_its_field() -> None:
    explorer = BitExplorer(TX.encode(DSTS=1))
    explorer.bit.value = 62
    assert explorer.status == (
        "Bit 62, which is bit 6 of byte 20, is 1. "
        "DSTS is 9 bits, 70 to 62, in bytes 19 and 20. It is 1: port 0."
    )
    explorer.bit.value = 61
    assert explorer.field.value == "FLOOD"
    explorer.bit.value = 138
    assert explorer.field.value == "reserved"
    assert explorer.status.endswith(
        "Bits 185–178, 140–136, 15–0 are reserved on injection: no field owns them."
    )
    explorer.bit.value = 500
    assert explorer.bit.value == 223


def test_reserved_bits_have_no_value_and_can_be_flipped() -> None:
    explorer = BitExplorer()
    explorer.field.value = "reserved"
    assert explorer.bit.value == 185
    explorer.value.value = "3"
    assert explorer.status.startswith("Reserved bits have no value; choose a field, or flip one of the bits.")
    explorer.flip.click()
    assert explorer.status == (
        "Bit 185 goes from 0 to 1. It is reserved on injection: no field owns it. It should be 0."
    )
    assert "All fields are 0; 1 reserved bit set" in drawn(explorer)
    assert explorer.value.value == ""


def test_two_owners_of_a_bit_within_one_direction() -> None:
    explorer = BitExplorer(ifh.OCELOT.tx.encode(REW_OP=0b1_0101_0011), ifh.OCELOT.tx, "REW_OP")
    explorer.bit.value = 123
    assert explorer.field.value == "REW_OP", "the chosen one of two owners stays"
    explorer.bit.value = 126
    assert explorer.field.value == "MASQ"
    explorer.bit.value = 123
    assert explorer.field.value == "MASQ_PORT"
    assert ">or<" in drawn(explorer)


def test_each_length_of_header_keeps_its_bytes() -> None:
    explorer = BitExplorer(ifh.from_hex(TWO_STEP))
    explorer.reading.value = ifh.OCELOT.rx
    assert explorer.status.startswith("Ocelot, extraction.")
    assert header_of(explorer) == bytes(16)
    assert explorer.bit.max == 127
    assert explorer.bit.description == "Bit (0–127)"
    explorer.flip.click()
    explorer.reading.value = TX
    assert explorer.hex.value == TWO_STEP
    explorer.reading.value = ifh.OCELOT.tx
    assert header_of(explorer) == b"\x40" + bytes(15)


def test_clear_all() -> None:
    explorer = BitExplorer(ifh.from_hex(TWO_STEP))
    explorer.clear.click()
    assert explorer.status == "All 224 bits are 0."
    assert header_of(explorer) == bytes(28)
    assert explorer.value.value == "0"


def test_two_explorers_do_not_move_each_other() -> None:
    one, other = BitExplorer(), BitExplorer()
    before = drawn(other)
    one.field.value, one.value.value = "IPV", "7"
    one.reading.value = RX
    assert drawn(other) == before
    assert controls(other)[2:] == ("DSTS", "0", 70)


def test_a_header_of_another_length_is_refused() -> None:
    with pytest.raises(ifh.HeaderSizeError, match="16 bytes, 12 too few"):
        BitExplorer(bytes(16))


OPERATIONS = st.one_of(
    st.tuples(st.just("reading"), st.sampled_from(list(READINGS.values()))),
    st.tuples(st.just("field"), st.integers(0, 50)),
    st.tuples(st.just("value"), st.integers(-1, 1 << 33).map(str)),
    st.tuples(st.just("bit"), st.integers(0, 223)),
    st.tuples(st.just("hex"), st.binary(min_size=27, max_size=28).map(bytes.hex)),
    st.tuples(st.sampled_from(["flip", "clear"]), st.none()),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(OPERATIONS, max_size=12))
def test_controls_and_picture_always_agree(operations: list[tuple[str, object]]) -> None:
    """Whatever is done: the header is a plain integer, and every control shows the same state."""
    explorer = BitExplorer()
    model = {28: 0, 16: 0}
    for name, value in operations:
        control = getattr(explorer, name)
        layout: ifh.Layout = explorer.reading.value
        chosen = None if explorer.field.value == "reserved" else layout[explorer.field.value]
        if name == "flip":
            model[layout.nbytes] ^= 1 << explorer.bit.value
            control.click()
        elif name == "clear":
            model[layout.nbytes] = 0
            control.click()
        elif name == "field":
            assert isinstance(value, int)
            control.value = control.options[value % len(control.options)]
        else:
            if name == "hex" and layout.nbytes == len(bytes.fromhex(str(value))):
                model[layout.nbytes] = int(str(value), 16)
            if name == "value" and chosen and 0 <= int(str(value)) <= chosen.maximum:
                model[layout.nbytes] = model[layout.nbytes] & ~chosen.mask | int(str(value)) << chosen.pos
            control.value = value
        # once more, so that a text that was refused gives way to the state
        explorer.bit.value = (explorer.bit.value + 1) % (explorer.bit.max + 1)
        layout = explorer.reading.value
        assert int.from_bytes(header_of(explorer), "big") == model[layout.nbytes]
        bit = explorer.bit.value
        if explorer.field.value == "reserved":
            assert any(run.pos <= bit <= run.top for run in reserved(layout))
            assert explorer.value.value == ""
        else:
            field = layout[explorer.field.value]
            assert field.pos <= bit <= field.top
            assert int(explorer.value.value, 0) == model[layout.nbytes] >> field.pos & field.maximum
        drawn(explorer)

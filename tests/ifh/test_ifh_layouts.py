import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifh_model import LAYOUTS, VIEWS, assignments, model_get, model_set, widths

from lan966x_lab import ifh

CODECS = list(ifh.CODECS)


# ---- the tables ----


@pytest.mark.parametrize(("layout", "view"), VIEWS)
def test_every_bit_belongs_to_the_field_of_the_view_or_is_reserved_in_it(layout, view):
    bit = 8 * layout.nbytes - 1
    for name, width in widths(view):
        for _ in range(width):
            owners = [field.name for field in layout.owners(bit)]
            if name == "-":
                other_views = {n for other, v in VIEWS if other is layout and v != view for n, _ in widths(v)}
                assert set(owners) <= other_views, f"bit {bit} is reserved in this view"
            else:
                assert name in owners, f"bit {bit}"
            bit -= 1
    assert bit == -1


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_the_views_of_a_layout_name_all_its_fields(layout):
    named = {name for other, view in VIEWS if other is layout for name, _ in widths(view)} - {"-"}
    assert named == set(layout)
    for other, view in VIEWS:
        if other is layout:
            for name, width in widths(view):
                assert name == "-" or layout[name].width == width


def reserved(layout):
    """The runs of bits without an owner, as (highest, lowest)."""
    bits = [bit for bit in range(8 * layout.nbytes) if not layout.owners(bit)]
    runs = []
    for _, run in itertools.groupby(enumerate(bits), lambda item: item[1] - item[0]):
        members = [bit for _, bit in run]
        runs.append((members[-1], members[0]))
    return runs[::-1]


def test_the_reserved_bits_are_those_of_the_sources():
    assert reserved(ifh.LAN966X.rx) == [(140, 136), (15, 0)]
    assert reserved(ifh.LAN966X.tx) == [(185, 178), (140, 136), (15, 0)]
    assert reserved(ifh.OCELOT.rx) == [(127, 127), (70, 57), (36, 36)]
    assert reserved(ifh.OCELOT.tx) == [(84, 68), (55, 47), (42, 41), (36, 31)]


def test_fields_share_bits_on_ocelot_injection_only():
    shared = {layout.name: [(a.name, b.name) for a, b in layout.overlaps] for layout in LAYOUTS}
    assert shared == {
        "LAN966X.tx": [],
        "LAN966X.rx": [],
        "OCELOT.tx": [("MASQ", "REW_MAC"), ("MASQ_PORT", "REW_OP")],
        "OCELOT.rx": [],
    }


def test_directions_of_the_lan966x_differ_in_len_and_what_it_overlays():
    tx, rx = set(ifh.LAN966X.tx), set(ifh.LAN966X.rx)
    assert tx - rx == {"BYPASS", "MASQ", "MASQ_PORT"}
    assert rx - tx == {"LEN"}
    assert all(ifh.LAN966X.tx[name].overlaps(ifh.LAN966X.rx["LEN"]) for name in tx - rx)
    assert (len(tx), len(rx)) == (38, 36)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_every_field_says_what_it_is(layout):
    assert all(field.doc for field in layout.fields)


def test_a_layout_is_read_like_a_table():
    layout = ifh.LAN966X.tx
    assert layout["DSTS"] == ifh.Field("DSTS", 62, 9, layout["DSTS"].doc)
    assert "DSTS" in layout
    assert "LEN" not in layout
    assert list(layout) == [field.name for field in layout.fields]
    assert list(layout)[:2] == ["TIMESTAMP", "BYPASS"]
    assert len(layout) == 38
    assert repr(layout) == "<Layout LAN966X.tx: 38 fields in 28 bytes>"


# ---- encode and decode ----


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    ("words", "values"),
    [
        (
            "00000000 80000000 00000000 00000030 00000000 81800000 00000000",
            {"BYPASS": 1, "DSTS": 1 << 1, "QOS_CLASS": 3, "IPV": 3},
        ),
        (
            "00000005 80000021 c0000000 00000070 00000000 43800000 00000000",
            {
                "BYPASS": 1,
                "DSTS": 1 << 0,
                "QOS_CLASS": 7,
                "IPV": 7,
                "REW_CMD": 4,
                "PDU_TYPE": 7,
                "TIMESTAMP": 5,
            },
        ),
    ],
)
def test_the_headers_that_easyframes_makes(codec, words, values):
    header = bytes.fromhex(words)
    assert ifh.LAN966X.tx.encode(values, codec=codec) == header
    decoded = ifh.LAN966X.tx.decode(header, codec=codec)
    assert {name: value for name, value in decoded.items() if value} == values


@given(assignments(), st.sampled_from(CODECS))
def test_decode_takes_out_what_encode_put_in(case, codec):
    layout, values = case
    header = layout.encode(values, codec=codec)
    assert layout.decode(header, values, codec=codec) == values
    whole = bytes(layout.nbytes)
    for name, value in values.items():
        whole = model_set(whole, layout[name].pos, layout[name].width, value)
    assert header == whole


@given(st.sampled_from(LAYOUTS), st.data(), st.sampled_from(CODECS))
def test_any_header_decodes_to_values_that_encode_again(layout, data, codec):
    header = data.draw(st.binary(min_size=layout.nbytes, max_size=layout.nbytes))
    values = layout.decode(header, codec=codec)
    assert values == {f.name: model_get(header, f.pos, f.width) for f in layout.fields}
    again = int.from_bytes(layout.encode(values), "big")
    owned = sum(1 << bit for bit in range(8 * layout.nbytes) if layout.owners(bit))
    assert again == int.from_bytes(header, "big") & owned


@pytest.mark.parametrize(("layout", "view"), VIEWS)
def test_bitstruct_makes_the_same_headers(layout, view):
    bitstruct = pytest.importorskip("bitstruct")
    items = widths(view)
    names = [name for name, _ in items if name != "-"]
    form = "".join(f"{'p' if name == '-' else 'u'}{width}" for name, width in items)

    @given(st.fixed_dictionaries({name: st.integers(0, layout[name].maximum) for name in names}))
    def check(values):
        header = bitstruct.pack(form, *(values[name] for name in names))
        assert layout.encode(values) == header
        assert layout.decode(header, names) == values

    check()


def test_headers_come_as_any_buffer():
    header = ifh.OCELOT.rx.encode(TCI=5)
    for kind in (bytes, bytearray, memoryview):
        assert ifh.OCELOT.rx.decode(kind(header), ["TCI"]) == {"TCI": 5}


def test_keywords_and_mapping_go_together_and_the_keyword_wins():
    layout = ifh.LAN966X.tx
    assert layout.encode({"DSTS": 1, "IPV": 2}, DSTS=4) == layout.encode(DSTS=4, IPV=2)
    assert layout.encode() == bytes(28)


# ---- errors ----


def test_an_unknown_field_is_answered_with_the_nearest_name():
    with pytest.raises(
        ifh.UnknownFieldError, match=r"LAN966X.tx has no field 'dst'. The nearest name is DSTS."
    ):
        ifh.LAN966X.tx.encode(dst=1)
    with pytest.raises(KeyError) as caught:
        ifh.LAN966X.rx.decode(bytes(28), ["SRC_PORT"])
    assert caught.value.nearest == "SRCPORT"
    with pytest.raises(ifh.UnknownFieldError):
        ifh.LAN966X.tx["LEN"]
    with pytest.raises(ifh.UnknownFieldError):
        ifh.LAN966X.tx[3]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("value", [8, -1, 1 << 70])
def test_a_value_that_does_not_fit_is_refused_with_its_range(codec, value):
    with pytest.raises(ifh.FieldRangeError, match=rf"QOS_CLASS = {value} .*0 to 7 \(3 bits\)") as caught:
        ifh.LAN966X.tx.encode(QOS_CLASS=value, codec=codec)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.field, caught.value.value, caught.value.maximum) == ("QOS_CLASS", value, 7)


@pytest.mark.parametrize("value", [1.0, "1", None, b"\x01"])
def test_a_value_that_is_no_integer_is_refused(value):
    with pytest.raises(TypeError, match=r"IPV is .*: allowed 0 to 7; give a whole number"):
        ifh.LAN966X.tx.encode(IPV=value)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("excess", [-1, 1, -12, 12])
def test_a_header_of_another_size_is_refused(layout, excess):
    with pytest.raises(ifh.HeaderSizeError, match=f"have {layout.nbytes} bytes and this one has"):
        layout.decode(bytes(layout.nbytes + excess))


def test_an_unknown_codec_is_answered_with_the_names():
    for act in (ifh.OCELOT.tx.encode, lambda codec: ifh.OCELOT.tx.decode(bytes(16), codec=codec)):
        with pytest.raises(ValueError, match="Choose one of packing, bit_loop, byte_shift, whole_int"):
            act(codec="bit_loop_v1")


def test_two_readings_of_the_same_bits_may_agree_but_not_disagree():
    layout = ifh.OCELOT.tx
    with pytest.raises(ifh.FieldOverlapError, match=r"MASQ_PORT = 3 .* REW_OP = 3 .*Give one of the two"):
        layout.encode(MASQ_PORT=3, REW_OP=3)
    with pytest.raises(ifh.FieldOverlapError):
        layout.encode(REW_MAC=1, MASQ=0)
    assert layout.encode(MASQ_PORT=3, REW_OP=3 << 5 | 7) == layout.encode(REW_OP=3 << 5 | 7)


def test_decode_takes_a_buffer_not_a_number():
    with pytest.raises(TypeError, match="bytes-like"):
        ifh.OCELOT.tx.decode(16)


@pytest.mark.parametrize(
    ("nbytes", "fields", "why"),
    [
        (6, [], "multiple of four"),
        (4, [ifh.Field("A", 0, 1), ifh.Field("A", 1, 1)], "its own name"),
        (12, [ifh.Field("A", 4, 64)], "more than 8 bytes"),
    ],
)
def test_a_table_with_a_slip_is_refused(nbytes, fields, why):
    with pytest.raises(ValueError, match=why):
        ifh.Layout("slip", nbytes, fields)
    with pytest.raises(ifh.HeaderSizeError):
        ifh.Layout("slip", 4, [ifh.Field("A", 31, 2)])


@pytest.mark.parametrize(("pos", "width"), [(-1, 3), (0, 0)])
def test_a_field_has_a_place_and_a_width(pos, width):
    with pytest.raises(ValueError, match="pos counts from 0 and width from 1"):
        ifh.Field("A", pos, width)

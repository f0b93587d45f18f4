import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifh_model import LAYOUTS, ODD, assignments, values_of

from lan966x_lab import ifh
from lan966x_lab.ifh import batch

TX, RX = ifh.LAN966X
REAL_BLOCK = batch.BLOCK
DTYPES = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", ">u2", ">u4", ">i8", "?")


@pytest.fixture(autouse=True, scope="module")
def short_blocks():
    """Blocks of three rows, so that small batches cross their borders."""
    batch.BLOCK = 3
    yield
    batch.BLOCK = REAL_BLOCK


def dtype_for(draw, maximum):
    fitting = [kind for kind in DTYPES if maximum <= (1 if kind == "?" else np.iinfo(kind).max)]
    return np.dtype(draw(st.sampled_from(fitting)))


@st.composite
def batches(draw):
    """A layout and columns for it: arrays of any integer dtype and stride, lists, single values."""
    layout, chosen = draw(assignments())
    length = draw(st.integers(0, 11))
    columns = {}
    for name in chosen:
        field = layout[name]
        if draw(st.booleans()):
            columns[name] = draw(values_of(field))
            continue
        values = draw(st.lists(values_of(field), min_size=length, max_size=length))
        form = draw(st.sampled_from(["list", "array", "strided", "backwards"]))
        if form == "list":
            columns[name] = values
            continue
        array = np.array(values, dtype_for(draw, max(values, default=0)))
        if form == "strided":
            array = np.repeat(array, 2)[::2]
        elif form == "backwards":
            array = array[::-1].copy()[::-1]
        columns[name] = array
    return layout, columns


def rows_of(columns):
    """The batch as one dict of plain integers for each row."""
    lengths = [len(column) for column in columns.values() if np.ndim(column)]
    return [
        {name: int(column[row]) if np.ndim(column) else column for name, column in columns.items()}
        for row in range(lengths[0] if lengths else 1)
    ]


@given(batches())
def test_a_batch_is_its_headers_encoded_one_by_one(case):
    layout, columns = case
    headers = layout.encode_batch(columns)
    expected = [layout.encode(row) for row in rows_of(columns)]
    assert headers.dtype == np.uint8
    assert headers.shape == (len(expected), layout.nbytes)
    assert headers.tobytes() == b"".join(expected)


@given(batches(), st.sampled_from(["tight", "slots", "backwards"]))
def test_out_receives_the_batch_whatever_was_there_before(case, form):
    layout, columns = case
    length, width = len(rows_of(columns)), layout.nbytes + 20
    slots = np.full((length, width), 0xA5, np.uint8)
    out = {
        "tight": np.full((length, layout.nbytes), 0xA5, np.uint8),
        "slots": slots[:, 4 : 4 + layout.nbytes],
        "backwards": slots[::-1, 4 : 4 + layout.nbytes],
    }[form]
    assert layout.encode_batch(columns, out) is out
    assert np.array_equal(out, layout.encode_batch(columns))
    assert (slots[:, :4] == 0xA5).all()
    assert (slots[:, 4 + layout.nbytes :] == 0xA5).all()


def headers_of(data, layout, length):
    raw = data.draw(st.binary(min_size=length * layout.nbytes, max_size=length * layout.nbytes))
    return np.frombuffer(raw, np.uint8).reshape(length, layout.nbytes)


@given(st.sampled_from((*LAYOUTS, ODD)), st.integers(0, 11), st.data())
def test_decode_gives_the_columns_of_the_headers_decoded_one_by_one(layout, length, data):
    headers = headers_of(data, layout, length)
    expected = [layout.decode(header.tobytes()) for header in headers]
    slots = np.full((length, 64), 0xA5, np.uint8)
    slots[:, 10 : 10 + layout.nbytes] = headers
    columns_first = headers.T.copy().T
    for form in (headers, slots[:, 10 : 10 + layout.nbytes], columns_first, headers[::-1].copy()[::-1]):
        columns = layout.decode_batch(form)
        assert list(columns) == list(layout)
        for name, column in columns.items():
            assert column.tolist() == [row[name] for row in expected]
            assert column.dtype == np.min_scalar_type(layout[name].maximum)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_column_has_the_smallest_dtype_that_holds_its_field(layout):
    for name, column in layout.decode_batch(np.zeros((1, layout.nbytes), np.uint8)).items():
        width = layout[name].width
        assert column.dtype.itemsize == next(size for size in (1, 2, 4, 8) if 8 * size >= width)
        assert column.dtype.kind == "u"


@given(st.sampled_from((*LAYOUTS, ODD)), st.integers(0, 7), st.data())
def test_what_was_decoded_can_be_encoded_again(layout, length, data):
    headers = headers_of(data, layout, length)
    again = b"".join(layout.encode(layout.decode(header.tobytes())) for header in headers)
    assert layout.encode_batch(layout.decode_batch(headers)).tobytes() == again


def test_headers_of_any_shape():
    headers = np.arange(2 * 3 * 28, dtype=np.uint8).reshape(2, 3, 28)
    flat = RX.decode_batch(headers.reshape(6, 28), ["LEN"])["LEN"]
    assert np.array_equal(RX.decode_batch(headers, ["LEN"])["LEN"], flat.reshape(2, 3))
    assert RX.decode_batch(headers[0, 0], ["LEN"])["LEN"] == flat[0]
    assert RX.decode_batch(headers[0, 0], ["LEN"])["LEN"].shape == ()
    assert RX.decode_batch(headers[:, :0], ["LEN"])["LEN"].shape == (2, 0)


def test_names_choose_the_columns_and_their_order():
    assert list(RX.decode_batch(np.zeros((2, 28), np.uint8), ["LEN", "SRCPORT"])) == ["LEN", "SRCPORT"]


def test_single_values_take_their_number_of_rows_from_out():
    assert TX.encode_batch({"BYPASS": 1}).tobytes() == TX.encode(BYPASS=1)
    assert TX.encode_batch({}).shape == (1, 28)
    out = np.full((4, 28), 0xA5, np.uint8)
    TX.encode_batch({"BYPASS": np.uint8(1), "DSTS": np.array(2)}, out)
    assert out.tobytes() == 4 * TX.encode(BYPASS=1, DSTS=2)


def test_no_temporary_is_larger_than_the_result():
    short, batch.BLOCK = batch.BLOCK, REAL_BLOCK
    try:
        length = 100_000
        rng = np.random.default_rng(966)
        names = ["BYPASS", "DSTS", "QOS_CLASS", "IPV", "TCI", "REW_CMD", "TIMESTAMP"]
        columns = {name: rng.integers(0, TX[name].maximum + 1, length) for name in names}
        slots = np.zeros((length, 64), np.uint8)
        tracemalloc.start()
        TX.encode_batch(columns, slots[:, :28])
        _, peak = tracemalloc.get_traced_memory()
        assert peak < 4 * length, "into out: two words for each row of a block, and no more"
        tracemalloc.reset_peak()
        start, _ = tracemalloc.get_traced_memory()
        result = RX.decode_batch(slots[:, :28], ["SRCPORT", "LEN", "TIMESTAMP"])
        _, peak = tracemalloc.get_traced_memory()
        assert peak - start < 2 * sum(column.nbytes for column in result.values())
    finally:
        tracemalloc.stop()
        batch.BLOCK = short


# ---- errors; nothing is written then ----


def refused(layout, columns, error, match, rows=3):
    out = np.full((rows, layout.nbytes), 0xA5, np.uint8)
    with pytest.raises(error, match=match) as caught:
        layout.encode_batch(columns, out)
    assert (out == 0xA5).all()
    with pytest.raises(error, match=match):
        layout.encode_batch(columns)
    return caught.value


@given(
    st.sampled_from(TX.fields), st.integers(0, 6), st.booleans(), st.sampled_from(["i8", "u8", ">i8", "i2"])
)
def test_a_value_that_does_not_fit_is_named_with_its_row(field, row, negative, kind):
    wrong = -1 if negative else field.maximum + 1
    if not np.iinfo(kind).min <= wrong <= np.iinfo(kind).max:
        return
    values = np.zeros(7, kind)
    values[row] = wrong
    error = refused(
        TX, {"BYPASS": 1, field.name: values}, ifh.FieldRangeError, f"{field.name} = {wrong} in row", 7
    )
    assert (error.field, error.value, error.maximum, error.row) == (field.name, wrong, field.maximum, row)


def test_refusals():
    refused(TX, {"DSTS": 512}, ifh.FieldRangeError, "DSTS = 512 does not fit")
    refused(TX, {"DSTS": [1, 2, 3], "IPV": -1}, ifh.FieldRangeError, "IPV = -1")
    refused(TX, {"DSTS": 1 << 70}, ifh.FieldRangeError, "DSTS")
    refused(TX, {"DST": [1, 2, 3]}, ifh.UnknownFieldError, "nearest name is DSTS")
    refused(TX, {"DST": 1}, ifh.UnknownFieldError, "nearest name is DSTS")
    refused(TX, {"DSTS": np.ones(3)}, TypeError, "DSTS takes one integer or a column")
    refused(
        TX, {"DSTS": [1, 2.0, 3]}, TypeError, r"DSTS is 2.0 \(float\): allowed 0 to 511; give a whole number"
    )
    refused(TX, {"DSTS": [[1], [2], [3]]}, TypeError, "allowed 0 to 511; give a whole number")
    refused(TX, {"DSTS": [1, 1 << 70, 1]}, ifh.FieldRangeError, "DSTS = .* in row 1 does not fit")
    refused(TX, {"DSTS": np.ones((3, 1), int)}, TypeError, r"shape \(3, 1\)")
    refused(TX, {"DSTS": 1.0}, TypeError, "allowed 0 to 511; give a whole number")
    refused(TX, {"DSTS": [1, 2, 3], "IPV": [1, 2]}, ValueError, "'DSTS': 3, 'IPV': 2")


def test_two_readings_of_the_same_bits():
    layout = ifh.OCELOT.tx
    for columns in (
        {"MASQ_PORT": [1, 2, 3, 4], "REW_OP": [32, 64, 96, 3]},
        {"MASQ_PORT": 1, "REW_OP": [32, 32, 32, 64]},
        {"MASQ_PORT": [1, 1, 1, 2], "REW_OP": 32},
        {"MASQ_PORT": 1, "REW_OP": 64},
    ):
        refused(layout, columns, ifh.FieldOverlapError, "MASQ_PORT = .* disagree", 4)
    agreed = layout.encode_batch({"MASQ_PORT": [1, 2, 3, 4], "REW_OP": [32, 64, 96, 131]})
    assert np.array_equal(agreed, layout.encode_batch({"REW_OP": [32, 64, 96, 131]}))


def test_an_out_that_cannot_take_the_batch():
    read_only = np.zeros((3, 28), np.uint8)
    read_only.flags.writeable = False
    for out in (
        np.zeros((2, 28), np.uint8),
        np.zeros((3, 16), np.uint8),
        np.zeros((3, 28), np.int8),
        np.zeros((28, 3), np.uint8).T,
        read_only,
    ):
        with pytest.raises(ValueError, match=r"Give a writable uint8 array of shape \(3, 28\)"):
            TX.encode_batch({"DSTS": [1, 2, 3]}, out)
        assert not out.any()


def test_out_is_an_array():
    out = bytearray(3 * 28)
    with pytest.raises(TypeError, match=r"out is a bytearray. Give a uint8 array of shape \(3, 28\)"):
        TX.encode_batch({"DSTS": [1, 2, 3]}, out)  # type: ignore[arg-type]
    assert not any(out)


@pytest.mark.parametrize("headers", [bytes(28), np.zeros((2, 28), np.int8), [[0] * 28]])
def test_headers_are_a_uint8_array(headers):
    with pytest.raises(TypeError, match=r"uint8 array, not as .*np\.frombuffer"):
        RX.decode_batch(headers)


@pytest.mark.parametrize("shape", [(2, 16), (28, 2), (), (0,)])
def test_headers_of_another_size(shape):
    with pytest.raises(ifh.HeaderSizeError, match=r"have 28 bytes and this array has shape"):
        RX.decode_batch(np.zeros(shape, np.uint8))
    with pytest.raises(ifh.UnknownFieldError):
        RX.decode_batch(np.zeros((2, 28), np.uint8), ["BYPASS"])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.int64])
def test_columns_may_lie_in_the_result(dtype):
    """More rows than one block, so that what is written for the first rows would spoil later ones."""
    rows = 2 * batch.BLOCK + 1
    room = np.zeros((rows, TX.nbytes), np.uint8)
    flat = room.reshape(-1)[: rows * np.dtype(dtype).itemsize].view(dtype)
    flat[:] = np.arange(rows) % 251
    inside = room[:, 27] if dtype is np.uint8 else flat
    expected = TX.encode_batch({"DSTS": inside.copy(), "PN_CC": flat.copy(), "BYPASS": 1})
    found = TX.encode_batch({"DSTS": inside, "PN_CC": flat, "BYPASS": 1}, room)
    assert found is room
    assert np.array_equal(room, expected)


def test_a_ragged_list_is_refused_by_its_faulty_member():
    with pytest.raises(TypeError, match=r"DSTS is \[2\] \(list\): allowed 0 to 511; give"):
        TX.encode_batch({"DSTS": [1, [2]]})

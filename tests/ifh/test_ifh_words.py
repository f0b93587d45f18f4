"""The constants of ``ifh.words`` against the layouts, which come from the driver's header file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.ifh import words
from lan966x_lab.measure.counted.trace import run

TX, RX = ifh.LAN966X
SENT = ("DSTS", "QOS_CLASS", "IPV", "TCI", "REW_CMD", "TIMESTAMP")
values = st.tuples(*(st.integers(0, TX[name].maximum) for name in SENT))


@given(values, st.binary(min_size=28, max_size=28))
def test_sent_is_what_the_layout_encodes(given_values, dirty):
    header = bytearray(dirty)
    words.set_sent(header, *given_values)
    named = dict(zip(SENT, given_values, strict=True))
    assert header == TX.encode(BYPASS=1, **named, codec="whole_int")


@given(st.binary(min_size=28, max_size=28))
def test_received_is_what_the_layout_decodes(header):
    read = RX.decode(header, ["SRCPORT", "LEN", "TIMESTAMP"], codec="whole_int")
    assert words.get_received(header) == tuple(read.values())


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("wrong", [lambda top: top + 1, lambda top: -1])
def test_what_does_not_fit_is_refused_and_named(name, wrong):
    fitting = dict.fromkeys(SENT, 0)
    header = bytearray(b"\xa5" * 28)
    with pytest.raises(ifh.FieldRangeError, match=name):
        words.set_sent(header, *(fitting | {name: wrong(TX[name].maximum)}).values())
    assert header == b"\xa5" * 28


def test_no_byte_is_read_and_each_is_written_once():
    sent, received = (
        run(words.set_sent, bytes(28), 1, 2, 3, 4).counts,
        run(words.get_received, bytes(28)).counts,
    )
    assert (sent.loads, sent.stores, sent.bit_tests) == (0, 28, 0)
    assert (received.loads, received.stores, received.bit_tests) == (12, 0, 0)

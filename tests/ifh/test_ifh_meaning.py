import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifh_model import LAYOUTS, values_of

from lan966x_lab import ifh

LAN_TX, LAN_RX = ifh.LAN966X
OCELOT_TX, OCELOT_RX = ifh.OCELOT


@pytest.mark.parametrize(
    ("layout", "field", "value", "words"),
    [
        (LAN_TX, "DSTS", 0, "no port"),
        (LAN_TX, "DSTS", 1 << 8, "port CPU"),
        (LAN_TX, "DSTS", 0b1_0000_1010, "ports 1, 3, CPU"),
        (LAN_TX, "BYPASS", 1, "straight to the ports in DSTS"),
        (LAN_TX, "REW_CMD", 0, "no operation"),
        (LAN_TX, "REW_CMD", 3, "one-step PTP"),
        (LAN_TX, "REW_CMD", 4, "two-step PTP"),
        (LAN_TX, "REW_CMD", 9, "not used by the driver"),
        (LAN_TX, "PDU_TYPE", 7, "IPv4"),
        (LAN_TX, "PDU_TYPE", 8, "IPv6"),
        (LAN_TX, "TIMESTAMP", 5, "timestamp id 5"),
        (LAN_RX, "TIMESTAMP", 0x8000_0000, "arrived 536,870,912 ns after a full second"),
        (LAN_RX, "TIMESTAMP", 0x8000_0001, "arrived 536,870,912.25 ns after a full second"),
        (LAN_RX, "TIMESTAMP", 0xFFFF_FFFC, "no time of day: 1,073,741,823 ns is a second or more"),
        (LAN_RX, "LEN", 68, "68 bytes, the last 4 of them the frame check sequence"),
        (LAN_RX, "LEN", 3, "no frame: the frame check sequence alone has 4 bytes"),
        (LAN_RX, "SRCPORT", 3, "port 3"),
        (LAN_RX, "SRCPORT", 8, "the CPU port"),
        (LAN_RX, "TCI", 0, "customer tag (0x8100), priority 0, not drop eligible, VLAN 0"),
        (LAN_RX, "TCI", 1 << 16 | 0xB064, "service tag (0x88a8), priority 5, drop eligible, VLAN 100"),
        (LAN_RX, "CPUQ", 0b101, "queues 0, 2"),
        (LAN_RX, "DSCP", 46, ""),
        (OCELOT_TX, "REW_OP", 3 | 5 << 3, "two-step PTP, timestamp id 5"),
        (OCELOT_TX, "REW_OP", 2, "one-step PTP"),
        (OCELOT_TX, "DEST", 0b11, "ports 0, 1"),
        (OCELOT_TX, "TAG_TYPE", 1, "service tag (0x88a8)"),
        (OCELOT_RX, "TCI", 5 << 13 | 100, "priority 5, not drop eligible, VLAN 100"),
        (OCELOT_RX, "SRC_PORT", 6, "port 6"),
    ],
)  # fmt: skip
def test_words(layout, field, value, words):
    assert ifh.meaning(layout, field, value) == words


@given(st.sampled_from([(layout, field) for layout in LAYOUTS for field in layout.fields]), st.data())
def test_every_value_of_every_field_can_be_asked_for(case, data):
    layout, field = case
    assert isinstance(ifh.meaning(layout, field.name, data.draw(values_of(field))), str)


def test_wrong_questions():
    with pytest.raises(ifh.UnknownFieldError):
        ifh.meaning(LAN_TX, "LEN", 1)
    with pytest.raises(ifh.FieldRangeError):
        ifh.meaning(LAN_TX, "IPV", 8)


def test_every_reading_belongs_to_a_field():
    from lan966x_lab.ifh.meaning import _READINGS

    names = {layout.name: layout for layout in LAYOUTS}
    for where, field in _READINGS:
        assert any(
            field in layout for name, layout in names.items() if name == where or name.split(".")[0] == where
        )

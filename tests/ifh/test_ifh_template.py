import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifh_model import assignments

from lan966x_lab import ifh

TX = ifh.LAN966X.tx


@given(assignments(), st.data())
def test_a_stamped_header_is_the_encoded_one(case, data):
    layout, values = case
    varying_names = data.draw(st.sets(st.sampled_from(sorted(values)))) if values else set()
    fixed = {name: value for name, value in values.items() if name not in varying_names}
    varying = {name: values[name] for name in varying_names}
    template = ifh.Template(layout, **fixed)
    assert template.stamp(**varying) == layout.encode(values)
    assert template.stamp() == layout.encode(fixed), "a stamp leaves the template as it was"


def test_a_stamp_may_replace_a_fixed_field_for_one_header():
    template = ifh.Template(TX, BYPASS=1, DSTS=0x1FF)
    assert template.stamp(DSTS=0) == TX.encode(BYPASS=1)
    assert template.stamp(DSTS=1) == TX.encode(BYPASS=1, DSTS=1)
    assert template.stamp(DSTS=0x1FF) == template.stamp() == TX.encode(BYPASS=1, DSTS=0x1FF)


def test_the_common_frame_costs_nothing():
    template = ifh.Template(TX, BYPASS=1, DSTS=2)
    assert template.stamp() is template.stamp()


def test_fields_that_share_bits():
    template = ifh.Template(ifh.OCELOT.tx, MASQ_PORT=3)
    with pytest.raises(ifh.FieldOverlapError, match="MASQ_PORT = 3"):
        template.stamp(REW_OP=0)
    with pytest.raises(ifh.FieldOverlapError):
        template.stamp(REW_OP=3)
    assert template.stamp(REW_OP=3 << 5 | 3) == ifh.OCELOT.tx.encode(REW_OP=3 << 5 | 3)
    with pytest.raises(ifh.FieldOverlapError):
        ifh.Template(ifh.OCELOT.tx, MASQ=1, REW_MAC=0)


@pytest.mark.parametrize(
    ("given", "error"),
    [({"DST": 1}, ifh.UnknownFieldError), ({"IPV": 8}, ifh.FieldRangeError), ({"IPV": 0.0}, TypeError)],
)
def test_errors_come_at_set_up_and_at_the_stamp(given, error):
    with pytest.raises(error):
        ifh.Template(TX, **given)
    template = ifh.Template(TX, BYPASS=1)
    with pytest.raises(error):
        template.stamp(DSTS=1, **given)
    assert template.stamp() == TX.encode(BYPASS=1)


@given(assignments(), st.data())
def test_integers_of_other_types_are_stamped_alike(case, data):
    layout, values = case
    template = ifh.Template(layout)
    kinds = {name: data.draw(st.sampled_from([int, np.uint64, bool])) for name in values}
    varying = {
        name: kind(value) if kind is not bool or value < 2 else value
        for (name, value), kind in zip(values.items(), kinds.values(), strict=True)
    }
    assert template.stamp(**varying) == layout.encode(values)
    assert type(template.stamp(**varying)) is bytes


def test_two_varying_fields_that_share_bits_and_agree():
    template = ifh.Template(ifh.OCELOT.tx, BYPASS=1, REW_OP=0x1FF)
    varying = {"MASQ_PORT": 5, "REW_OP": 5 << 5 | 3}
    assert template.stamp(**varying) == ifh.OCELOT.tx.encode(BYPASS=1, **varying)

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.driver.skb import skb_from_frame
from lan966x_lab.driver.tx_slots import TxSlots
from lan966x_lab.hw.memory import Dma, OwnershipError
from lan966x_lab.hw.ring import DescriptorRing

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.binary(min_size=1, max_size=20)),
        st.tuples(st.just("push without mappings"), st.binary(min_size=1, max_size=20)),
        st.tuples(st.just("pop"), st.none()),
    ),
    max_size=60,
)


def slots_on(length: int) -> TxSlots:
    dma = Dma()
    return TxSlots(dma, DescriptorRing.allocate(dma, "<II", length))


@given(st.integers(1, 5), STEPS)
def test_frames_come_back_in_order_and_every_mapping_with_them(length, steps):
    """The model is a queue: what it holds stands in the slots from `tail` on, mapped as it was pushed."""
    slots, model, pushed = slots_on(length), deque(), 0
    for what, data in steps:
        before = (list(slots.frames), slots.head, slots.tail, slots.used)
        slots.dma.fails = lambda what=what: what == "push without mappings"
        if what == "pop":
            if model:
                skb, sent = model.popleft()
                assert slots.pop() is skb
                assert bytes(skb) == sent[1:]
            else:
                with pytest.raises(OwnershipError, match="empty slot"):
                    slots.pop()
                assert (slots.frames, slots.head, slots.tail, slots.used) == before
        else:
            skb = skb_from_frame(data)
            if len(model) == length:
                with pytest.raises(OwnershipError, match=f"all {length} slots hold frames"):
                    slots.push(skb)
                assert (slots.frames, slots.head, slots.tail, slots.used) == before
            elif what == "push":
                assert slots.head == pushed % length
                bus = slots.push(skb)
                assert slots.dma.device_read(bus, len(data)) == data
                skb.pull(1)  # a driver may shorten what it has given: the mapping stays as it was
                model.append((skb, data))
                pushed += 1
            else:
                assert slots.push(skb) is None
                assert (slots.frames, slots.head, slots.tail, slots.used) == before
            assert not skb.freed
        assert (slots.used, slots.is_full) == (len(model), len(model) == length)
        assert slots.dma.live == len(model)
        assert slots.head == pushed % length
        assert slots.tail == (pushed - len(model)) % length
        standing = [slots.frames[(slots.tail + n) % length] for n in range(length)]
        assert [sent.skb for sent in standing[: len(model)]] == [skb for skb, _ in model]
        assert standing[len(model) :] == [None] * (length - len(model))


def test_a_frame_that_is_unmapped_behind_its_back_is_not_lost():
    """An error in `pop` leaves the frame where it stands."""
    slots = slots_on(2)
    skb = skb_from_frame(b"frame")
    bus = slots.push(skb)
    sent = slots.frames[0]
    slots.frames[0] = sent._replace(bus=bus + 4)
    with pytest.raises(OwnershipError, match="is not mapped"):
        slots.pop()
    slots.frames[0] = sent
    assert slots.used == 1
    assert slots.pop() is skb

from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.driver.fdma_chain import Chain
from lan966x_lab.driver.fdma_rx import RxRing
from lan966x_lab.driver.skb import SkbSlab
from lan966x_lab.hw.fdma import DCB_WORDS, INJ_CHANNEL, INVALID_DATA
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.ring import DescriptorRing


class Notes:
    """A door without a device behind it: what was written, how the chain ended at that moment, and the mask
    where only some bits were replaced.
    """

    def __init__(self) -> None:
        self.written: list[tuple[str, int, int | None, int | None]] = []
        self.chain: Chain

    def write(self, name: str, value: int) -> None:
        self.written.append((name, value, self.chain.tail, None))

    def modify(self, name: str, value: int, mask: int) -> None:
        self.written.append((name, value, self.chain.tail, mask))


@given(st.integers(2, 6), st.sampled_from([0x1000, 0x6_9000_1000]), st.integers(1, 20), st.integers(0, 20))
def test_the_chain_ends_at_what_was_appended_last(length, address, appended, activate_after):
    """Followed from the first DCB that still stands in it: in order, up to the one whose nextptr is 1."""
    door = Notes()
    dcbs = DescriptorRing(memoryview(bytearray(32 * length)), address, DCB_WORDS, length)
    chain = door.chain = Chain(door, INJ_CHANNEL, dcbs)  # type: ignore[arg-type]
    assert (chain.tail, chain.is_active) == (None, False)
    expected = []
    for n in range(appended):
        if n == activate_after:
            chain.activate()
            end = (n - 1) % length if n else None
            expected += [
                (f"FDMA_DCB_LLP[{INJ_CHANNEL}]", address & 0xFFFFFFFF, end, None),
                (f"FDMA_DCB_LLP1[{INJ_CHANNEL}]", address >> 32, end, None),
                (f"FDMA_CH_CFG[{INJ_CHANNEL}]", 0x13, end, None),
                ("FDMA_CH_ACTIVATE", 1 << INJ_CHANNEL, end, 0xFF),
            ]
        if n >= activate_after:
            expected.append(("FDMA_CH_RELOAD", 1 << INJ_CHANNEL, n % length, 0xFF))
        chain.append(n % length, 100 + n, 0x1000 * (n + 1), 200 + n)
    assert door.written == expected
    assert chain.is_active == (activate_after < appended)
    assert chain.tail == (appended - 1) % length
    first = max(0, appended - length)
    index, walked = first % length, []
    while True:
        nextptr, *words = dcbs.read(index)
        walked.append(words)
        if nextptr == INVALID_DATA:
            break
        index = dcbs.index_of(nextptr)
    assert walked == [[100 + n, 0x1000 * (n + 1), 200 + n] for n in range(first, appended)]


@given(
    st.sampled_from(["memory", "dma", "slab", ""]),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([1518, 9018]),
)
def test_a_receive_ring_is_filled_or_nothing_is_left_behind(source, after, late, max_len):
    parts = {"memory": Memory(), "dma": Dma(), "slab": SkbSlab()}
    plan = iter([False] * after + [True])
    if source:
        parts[source].fails = lambda: next(plan, False)
    ring = RxRing(Lan966x().door, parts["dma"], parts["memory"], parts["slab"], max_len, 4)
    must_work = not source or (source == "slab" and late)
    assert ring.fill(late=late) == must_work
    if must_work:
        assert [slot.skb is None for slot in ring.slots] == [late] * 4
        assert (ring.chain.tail, parts["slab"].live, parts["dma"].live) == (3, 0 if late else 4, 4)
        ring.free()
    assert (parts["memory"].live_pages, parts["dma"].live, parts["slab"].live) == (0, 0, 0)
    assert not parts["dma"]._by_page

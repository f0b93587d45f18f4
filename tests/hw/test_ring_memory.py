import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.hw.memory import (
    PAGE_SIZE,
    Direction,
    Dma,
    FragCache,
    Memory,
    OwnershipError,
    PagePool,
)

TO, FROM = Direction.TO_DEVICE, Direction.FROM_DEVICE


def test_two_buffers_of_1920_bytes_fit_a_page():
    memory = Memory()
    cache = FragCache(memory)
    fragments = [cache.alloc(1920) for _ in range(4)]
    assert [(f.page.number, f.offset) for f in fragments if f] == [(0, 2176), (0, 256), (1, 2176), (1, 256)]
    assert memory.pages_allocated == 2
    for fragment in fragments:
        assert fragment is not None
        fragment.free()
    assert memory.live_pages == 1  # the cache still carves page 1
    cache.drain()
    assert memory.live_pages == 0


def test_a_fragment_is_freed_once():
    cache = FragCache(Memory())
    fragment = cache.alloc(100)
    assert fragment is not None
    fragment.free()
    with pytest.raises(OwnershipError, match="already freed"):
        fragment.free()
    with pytest.raises(ValueError, match=r"1\.\.4096"):
        cache.alloc(4097)


def test_a_page_is_freed_once():
    page = Memory().alloc_pages(2)
    assert page is not None
    assert len(page.data) == 4 * PAGE_SIZE
    page.put()
    with pytest.raises(OwnershipError, match="already freed"):
        page.put()


def test_a_failed_page_leaves_the_cache_usable():
    memory = Memory()
    cache = FragCache(memory)
    assert cache.alloc(3000) is not None
    memory.fails = lambda: True
    assert cache.alloc(3000) is None
    assert cache.alloc(1000) is not None  # what is left of the old page
    assert memory.failures == 1


def test_data_crosses_at_map_sync_and_unmap_only():
    dma, buffer = Dma(), bytearray(b"old!")
    bus = dma.map_single(buffer, FROM)
    assert bus is not None
    dma.device_write(bus, b"new!")
    assert buffer == b"old!"
    dma.sync_single_for_cpu(bus, 2)
    assert buffer == b"ned!"[:2] + b"d!"
    dma.unmap_single(bus, 4, FROM)
    assert buffer == b"new!"


def test_an_unmap_wipes_out_what_was_written_since_the_sync():
    # fc57062f98b0: build_skb writes into the page, then the unmap syncs it again
    for sync, left in ((True, b"frame...."), (False, b"frame+skb")):
        dma, page = Dma(), bytearray(b".........")
        bus = dma.map_single(page, FROM)
        assert bus is not None
        dma.device_write(bus, b"frame")
        dma.sync_single_for_cpu(bus, 5)
        page[5:] = b"+skb"
        dma.unmap_single(bus, 9, FROM, sync=sync)
        assert page == left


def test_to_device_is_a_snapshot():
    dma, buffer = Dma(), bytearray(b"abc")
    bus = dma.map_single(buffer, TO)
    assert bus is not None
    buffer[:] = b"xyz"
    assert dma.device_read(bus, 3) == b"abc"
    dma.sync_single_for_device(bus, 3)
    assert dma.device_read(bus + 1, 2) == b"yz"
    with pytest.raises(OwnershipError, match=r"mapped to device"):
        dma.device_write(bus, b"q")


def test_wrong_unmaps():
    dma = Dma()
    bus = dma.map_single(bytearray(1532), FROM)
    assert bus is not None
    with pytest.raises(OwnershipError, match="unmapped with 0 bytes from device, mapped with 1532 bytes"):
        dma.unmap_single(bus, 0, FROM)
    with pytest.raises(OwnershipError, match="to device, mapped"):
        dma.unmap_single(bus, 1532, TO)
    with pytest.raises(OwnershipError, match="not mapped"):
        dma.unmap_single(bus + 64, 1532, FROM)
    assert dma.live == 1
    dma.unmap_single(bus, 1532, FROM)
    with pytest.raises(OwnershipError, match="unmapped twice"):
        dma.unmap_single(bus, 1532, FROM)
    assert dma.live == 0


def test_the_device_stays_inside_its_mappings():
    dma = Dma()
    bus = dma.map_single(bytearray(100), FROM)
    assert bus is not None
    dma.device_write(bus + 96, b"four")
    with pytest.raises(OwnershipError, match="leave the mapping"):
        dma.device_write(bus + 97, b"four")
    with pytest.raises(OwnershipError, match="nothing is mapped"):
        dma.device_read(0x123, 4)
    dma.unmap_single(bus, 100, FROM)
    with pytest.raises(OwnershipError, match="nothing is mapped"):
        dma.device_write(bus, b"late")


def test_coherent_memory():
    dma = Dma()
    view, bus = dma.alloc_coherent(64)
    dma.device_write(bus + 8, b"dev")
    assert bytes(view[8:11]) == b"dev"
    assert len(dma.coherent(bus + 16)) == 48
    with pytest.raises(OwnershipError, match="free_coherent it"):
        dma.unmap_single(bus, 64, FROM)
    dma.free_coherent(bus)
    with pytest.raises(OwnershipError, match="not mapped"):
        dma.free_coherent(bus)
    streaming = dma.map_single(bytearray(4), TO)
    assert streaming is not None
    with pytest.raises(OwnershipError, match="unmap it"):
        dma.free_coherent(streaming)
    with pytest.raises(OwnershipError, match="not in coherent"):
        dma.coherent(streaming)


def test_addresses_come_round_without_meeting():
    dma = Dma()
    dma._next = (0xF000_0000 >> 12) - 1
    keep = dma.map_single(bytearray(1), TO)
    wide = dma.map_single(bytearray(3 * PAGE_SIZE), TO)
    dma._next = dma._next - 3
    again = dma.map_single(bytearray(1), TO)
    assert len({keep, wide, again}) == 3
    assert all(a is not None and a < 1 << 32 for a in (keep, wide, again))
    assert dma.live == 3


def test_a_failed_map_takes_nothing():
    dma = Dma(fails=lambda: True)
    assert dma.map_single(bytearray(4), TO) is None
    assert (dma.live, dma.failures) == (0, 1)


def test_page_pool_maps_once_and_recycles():
    memory, dma = Memory(), Dma()
    pool = PagePool(memory, dma, order=0, size=2)
    first = pool.alloc()
    assert first is not None
    first.recycle()
    with pytest.raises(OwnershipError, match="already back"):
        first.recycle()
    assert pool.alloc() is first
    assert (dma.maps, pool.recycled, pool.in_flight) == (1, 1, 1)
    others = [pool.alloc() for _ in range(3)]
    for page in (first, *others):
        assert page is not None
        page.recycle()
    assert len(pool.idle) == 2
    assert memory.live_pages == dma.live == 2
    pool.destroy()
    assert memory.live_pages == dma.live == 0
    with pytest.raises(OwnershipError, match="destroyed"):
        pool.alloc()
    with pytest.raises(OwnershipError, match="already destroyed"):
        pool.destroy()


def test_a_page_in_flight_outlives_its_pool():
    memory, dma = Memory(), Dma()
    pool = PagePool(memory, dma, order=1, size=2)
    page = pool.alloc()
    assert page is not None
    pool.destroy()
    assert memory.live_pages == dma.live == 1
    page.recycle()
    assert memory.live_pages == dma.live == 0


@given(st.lists(st.booleans(), max_size=20))
def test_page_pool_gives_up_cleanly(failures: list[bool]):
    memory, dma = Memory(), Dma()
    pool = PagePool(memory, dma, order=0, size=1)
    pages = []
    for n, failure in enumerate(failures):
        (dma if n % 2 else memory).fails = lambda failure=failure: failure
        page = pool.alloc()
        memory.fails = dma.fails = lambda: False
        if page is not None:
            pages.append(page)
    assert memory.live_pages == dma.live == pool.in_flight == len(pages)

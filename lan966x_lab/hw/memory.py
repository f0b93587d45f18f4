"""Simulated memory: pages, page fragments, a page pool, and the table of DMA mappings.

Three owners take turns with a receive buffer: the allocator, the driver, the device. Every hand-over is
checked here, so that a leak, a double free, a wrong unmap or a device that writes where it may not becomes an
error with numbers instead of a corrupted frame.

The mapping table behaves like an IOMMU with bounce buffers (the kernel's swiotlb): a bus address is valid
only between map and unmap, and data crosses only at a map, a sync or an unmap. A forgotten sync therefore
shows stale bytes, and a second sync wipes out what the CPU wrote in between, as it did on the LAN966x
(L@fc57062f98b0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from lan966x_lab.hw.limits import whole

PAGE_SHIFT = 12
PAGE_SIZE = 1 << PAGE_SHIFT
MAX_ORDER = 10
_BUS_FIRST_PAGE = 0x1000_0000 >> PAGE_SHIFT
_BUS_LAST_PAGE = 0xF000_0000 >> PAGE_SHIFT


class OwnershipError(RuntimeError):
    """A page, fragment or mapping was freed twice, leaked, or touched outside its bounds."""


def never() -> bool:
    """The default of every ``fails`` hook: no allocation fails."""
    return False


@dataclass(slots=True, eq=False)
class Page:
    """``PAGE_SIZE << order`` bytes with a reference count."""

    memory: Memory = field(repr=False)
    number: int
    order: int
    data: bytearray = field(repr=False)
    refs: int = 1

    def put(self) -> None:
        """Drop one reference; the last one frees the page."""
        if self.refs <= 0:
            raise OwnershipError(f"put_page: page {self.number} was already freed")
        self.refs -= 1
        if self.refs == 0:
            self.memory.pages_freed += 1


class Memory:
    """The page allocator. `fails` is asked before every allocation; True makes it fail."""

    def __init__(self, fails: Callable[[], bool] = never) -> None:
        self.fails = fails
        self.pages_allocated = 0
        self.pages_freed = 0
        self.failures = 0

    @property
    def live_pages(self) -> int:
        """Pages (of any order) that are allocated now."""
        return self.pages_allocated - self.pages_freed

    def alloc_pages(self, order: int = 0) -> Page | None:
        """A page of ``PAGE_SIZE << order`` bytes (order 0 to 10), or None when memory is short."""
        whole("order", order, 0, MAX_ORDER)
        if self.fails():
            self.failures += 1
            return None
        self.pages_allocated += 1
        return Page(self, self.pages_allocated - 1, order, bytearray(PAGE_SIZE << order))


@dataclass(slots=True, eq=False)
class Fragment:
    """A piece of a page: what ``napi_alloc_frag`` returns. `view` is its memory."""

    page: Page
    offset: int
    size: int
    view: memoryview = field(repr=False)
    freed: bool = False

    def free(self) -> None:
        """``skb_free_frag``: give the piece back, once."""
        if self.freed:
            raise OwnershipError(
                f"skb_free_frag: fragment at {self.offset} of page {self.page.number} was already freed"
            )
        self.freed = True
        self.page.put()


class FragCache:
    """Carves pages into fragments, from the end downwards, as ``page_frag_alloc`` does.

    The lab carves 4 KiB pages. (The kernel takes 32 KiB at a time when it can; the share of a page per buffer
    is then a little smaller.)
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._page: Page | None = None
        self._left = 0

    def alloc(self, size: int) -> Fragment | None:
        """A fragment of `size` bytes (1..4096), or None when memory is short."""
        if not 0 < size <= PAGE_SIZE:
            raise ValueError(f"fragment of {size} bytes: the allowed range is 1..{PAGE_SIZE}")
        if self._page is None or size > self._left:
            page = self.memory.alloc_pages()
            if page is None:
                return None
            self.drain()
            self._page, self._left = page, PAGE_SIZE
        self._left -= size
        self._page.refs += 1
        view = memoryview(self._page.data)[self._left : self._left + size]
        return Fragment(self._page, self._left, size, view)

    def drain(self) -> None:
        """Drop the cache's own reference to the page it carves."""
        if self._page is not None:
            self._page.put()
        self._page, self._left = None, 0


class Direction(Enum):
    """Which way data crosses a mapping."""

    TO_DEVICE = "to device"
    FROM_DEVICE = "from device"


@dataclass(slots=True, eq=False)
class _Mapping:
    view: memoryview
    length: int
    direction: Direction | None  # None: coherent memory, both sides see every write at once
    bounce: memoryview


class Dma:
    """Bus addresses and who may use them. `fails` is asked before every map.

    Bus addresses are 32 bits wide and not reused soon, so that a stale one is caught.
    """

    def __init__(self, fails: Callable[[], bool] = never) -> None:
        self.fails = fails
        self.failures = 0
        self.maps = 0
        self.unmaps = 0
        self._by_page: dict[int, tuple[int, _Mapping]] = {}
        self._next = _BUS_FIRST_PAGE

    @property
    def live(self) -> int:
        """Streaming mappings that were not unmapped yet."""
        return self.maps - self.unmaps

    # The CPU's side

    def map_single(self, view: bytearray | memoryview, direction: Direction) -> int | None:
        """Lend `view` to the device; returns its bus address, or None (``dma_mapping_error``)."""
        if self.fails():
            self.failures += 1
            return None
        self.maps += 1
        view = memoryview(view)
        return self._enter(_Mapping(view, len(view), direction, memoryview(bytearray(view))))

    def unmap_single(self, address: int, length: int, direction: Direction, *, sync: bool = True) -> None:
        """End the loan. Length and direction must be those of the map; ``sync=False`` copies nothing."""
        mapping = self._exact(address, "dma_unmap_single")
        self._same(mapping, address, length, direction)
        if sync and direction is Direction.FROM_DEVICE:
            mapping.view[:] = mapping.bounce
        self._leave(address, mapping)
        self.unmaps += 1

    def sync_single_for_cpu(self, address: int, length: int) -> None:
        """Show the CPU what the device wrote at `address`; the mapping stays."""
        mapping, offset = self._find(address, length, "dma_sync_single_for_cpu")
        mapping.view[offset : offset + length] = mapping.bounce[offset : offset + length]

    def sync_single_for_device(self, address: int, length: int) -> None:
        """Show the device what the CPU wrote at `address`; the mapping stays."""
        mapping, offset = self._find(address, length, "dma_sync_single_for_device")
        mapping.bounce[offset : offset + length] = mapping.view[offset : offset + length]

    def alloc_coherent(self, size: int) -> tuple[memoryview, int]:
        """Memory that both sides see at once (descriptors): the CPU's view of it and its bus address."""
        view = memoryview(bytearray(whole("size", size, 1, advice="in bytes")))
        return view, self._enter(_Mapping(view, size, None, view))

    def free_coherent(self, address: int) -> None:
        """Give coherent memory back."""
        mapping = self._exact(address, "dma_free_coherent")
        if mapping.direction is not None:
            raise OwnershipError(f"dma_free_coherent: {address:#x} is a streaming mapping: unmap it")
        self._leave(address, mapping)

    # The device's side

    def coherent(self, address: int) -> memoryview:
        """The device's view of coherent memory, from `address` to its end."""
        mapping, offset = self._find(address, 1, "device")
        if mapping.direction is not None:
            raise OwnershipError(f"device: descriptors at {address:#x} are not in coherent memory")
        return mapping.bounce[offset:]

    def device_read(self, address: int, length: int) -> bytes:
        """The device reads; an address outside a mapping is an IOMMU fault."""
        mapping, offset = self._find(address, length, "device read")
        return bytes(mapping.bounce[offset : offset + length])

    def device_write(self, address: int, data: bytes | memoryview) -> None:
        """The device writes; an address outside a mapping is an IOMMU fault."""
        mapping, offset = self._find(address, len(data), "device write")
        if mapping.direction is Direction.TO_DEVICE:
            raise OwnershipError(f"device write to {address:#x}: it is mapped {mapping.direction.value}")
        mapping.bounce[offset : offset + len(data)] = data

    # The table

    def _enter(self, mapping: _Mapping) -> int:
        pages = max(1, -(-mapping.length >> PAGE_SHIFT))
        first = self._next
        while True:
            if first + pages > _BUS_LAST_PAGE:
                first = _BUS_FIRST_PAGE
            if all(page not in self._by_page for page in range(first, first + pages)):
                break
            first += 1
        self._next = first + pages
        for page in range(first, first + pages):
            self._by_page[page] = (first, mapping)
        return first << PAGE_SHIFT

    def _leave(self, address: int, mapping: _Mapping) -> None:
        first = address >> PAGE_SHIFT
        for page in range(first, first + max(1, -(-mapping.length >> PAGE_SHIFT))):
            del self._by_page[page]

    def _exact(self, address: int, who: str) -> _Mapping:
        first, mapping = self._by_page.get(address >> PAGE_SHIFT, (None, None))
        if mapping is None or first is None or first << PAGE_SHIFT != address:
            raise OwnershipError(f"{who}: {address:#x} is not mapped (never mapped, or unmapped twice)")
        return mapping

    def _find(self, address: int, length: int, who: str) -> tuple[_Mapping, int]:
        first, mapping = self._by_page.get(address >> PAGE_SHIFT, (0, None))
        if mapping is None:
            raise OwnershipError(f"{who}: {length} bytes at {address:#x}: nothing is mapped there")
        offset = address - (first << PAGE_SHIFT)
        if length < 0:
            raise OwnershipError(f"{who}: {length} bytes at {address:#x}: a length is 0 or more")
        if offset + length > mapping.length:
            raise OwnershipError(
                f"{who}: {length} bytes at {address:#x} leave the mapping, which ends "
                f"{mapping.length - offset} bytes after that address"
            )
        return mapping, offset

    @staticmethod
    def _same(mapping: _Mapping, address: int, length: int, direction: Direction) -> None:
        if mapping.direction is None:
            raise OwnershipError(f"dma_unmap_single: {address:#x} is coherent memory: free_coherent it")
        if (length, direction) != (mapping.length, mapping.direction):
            raise OwnershipError(
                f"dma_unmap_single: {address:#x} unmapped with {length} bytes {direction.value}, "
                f"mapped with {mapping.length} bytes {mapping.direction.value}"
            )


@dataclass(slots=True, eq=False)
class PoolPage:
    """A page of a `PagePool`, mapped for the device as long as the pool owns it."""

    pool: PagePool = field(repr=False)
    page: Page
    bus_address: int
    out: bool = False

    def recycle(self) -> None:
        """``page_pool_put_full_page``: back to the pool, once."""
        self.pool.put(self)


class PagePool:
    """Pages that go round: allocated and mapped once, used for many frames (``net/core/page_pool.c``).

    Args:
        order: pages are ``PAGE_SIZE << order`` bytes.
        size: how many idle pages the pool keeps; further ones are unmapped and freed.
    """

    def __init__(self, memory: Memory, dma: Dma, order: int, size: int) -> None:
        self.memory, self.dma = memory, dma
        self.order, self.size = whole("order", order, 0, MAX_ORDER), whole("size", size, 0)
        self.length = PAGE_SIZE << order
        self.idle: list[PoolPage] = []
        self.in_flight = 0
        self.recycled = 0
        self.destroyed = False

    def alloc(self) -> PoolPage | None:
        """A mapped page, synced for the device; None when memory or mappings are short."""
        if self.destroyed:
            raise OwnershipError("page_pool_alloc: the pool was destroyed")
        if self.idle:
            page = self.idle.pop()
            self.dma.sync_single_for_device(page.bus_address, self.length)
            self.recycled += 1
        else:
            raw = self.memory.alloc_pages(self.order)
            if raw is None:
                return None
            address = self.dma.map_single(raw.data, Direction.FROM_DEVICE)
            if address is None:
                raw.put()
                return None
            page = PoolPage(self, raw, address)
        page.out = True
        self.in_flight += 1
        return page

    def put(self, page: PoolPage) -> None:
        """Take `page` back; a destroyed or full pool unmaps and frees it."""
        if not page.out:
            raise OwnershipError(f"page_pool_put: page {page.page.number} is already back in its pool")
        page.out = False
        self.in_flight -= 1
        if self.destroyed or len(self.idle) >= self.size:
            self._release(page)
        else:
            self.idle.append(page)

    def destroy(self) -> None:
        """Free the idle pages; pages still in flight are freed when they come back."""
        if self.destroyed:
            raise OwnershipError("page_pool_destroy: the pool was already destroyed")
        self.destroyed = True
        while self.idle:
            self._release(self.idle.pop())

    def _release(self, page: PoolPage) -> None:
        self.dma.unmap_single(page.bus_address, self.length, Direction.FROM_DEVICE, sync=False)
        page.page.put()

"""The socket buffer: one frame in one buffer, with room before it and behind it.

Four positions divide the buffer, as in ``struct sk_buff``::

    head (0)        data            tail                end
      |  headroom    |    the frame   |     tailroom     |  shared info
      +--------------+----------------+------------------+-------------

``push`` and ``pull`` move ``data``, ``put`` and ``trim`` move ``tail``. None of them may leave the buffer:
the kernel panics there (``skb_over_panic``, ``skb_under_panic``), the lab raises `SkbError` with the same
numbers.

The structure and its data are two allocations. Who makes the structure, and when, is what seed 003 is about:
see `alloc_skb` (structure and data together, long before the frame arrives) and `build_skb` (structure around
data that the device has already written).

Sources: include/linux/skbuff.h, net/core/skbuff.c. Sizes are those of a 64-bit Arm kernel; that of the shared
info is not confirmed by a source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

SMP_CACHE_BYTES = 64
NET_SKB_PAD = 64
NET_IP_ALIGN = 0
ETH_HLEN = 14
ETH_ALEN = 6
ETH_ZLEN = 60
ETH_FCS_LEN = 4
VLAN_HLEN = 4
ETH_P_802_2 = 0x0004
ETH_P_802_3_MIN = 0x0600


def skb_data_align(size: int) -> int:
    """``SKB_DATA_ALIGN``: `size` bytes rounded up to whole cache lines."""
    return (size + SMP_CACHE_BYTES - 1) & -SMP_CACHE_BYTES


SK_BUFF = 256
"""Bytes of one ``struct sk_buff``, rounded up to cache lines: what an allocation has to zero."""
SHARED_INFO = skb_data_align(320)
"""Bytes of ``struct skb_shared_info``: it lies behind ``end``, in the same allocation as the data."""


def skb_truesize(size: int) -> int:
    """``SKB_TRUESIZE``: what a socket is charged for `size` bytes of buffer."""
    return size + SK_BUFF + SHARED_INFO


class SkbError(ValueError):
    """An operation would leave the buffer, or touch an skb that was already freed."""


class IpSummed(IntEnum):
    """What is known about the checksums of an skb (``skb->ip_summed``)."""

    NONE = 0
    """The device checked nothing: the stack has to."""
    UNNECESSARY = 1
    """The device verified the checksums of ``csum_level + 1`` headers."""
    COMPLETE = 2
    """``csum`` holds the sum of everything from ``data`` to ``tail``."""
    PARTIAL = 3
    """To be sent: the sum from ``csum_start`` to the end belongs at ``csum_start + csum_offset``."""


@dataclass(slots=True, eq=False)
class Skb:
    """One frame. Positions are byte offsets into `buffer`; ``head`` is 0.

    `csum` is a folded 16-bit one's-complement sum in network order, not inverted (the form that
    `net.checksum` uses). `csum_start` is an offset into `buffer`, `csum_offset` is relative to it. Times are
    integers in nanoseconds.
    """

    buffer: bytearray | memoryview = field(repr=False)
    end: int
    truesize: int
    data: int = 0
    tail: int = 0
    ip_summed: IpSummed = IpSummed.NONE
    csum: int = 0
    csum_level: int = 0
    csum_start: int = 0
    csum_offset: int = 0
    mac_header: int | None = None
    protocol: int = 0
    port: int | None = None
    priority: int = 0
    vlan_proto: int = 0x8100
    vlan_tci: int | None = None
    hwtstamp: int | None = None
    wants_hw_timestamp: bool = False
    frag_list: list[Skb] = field(default_factory=list, repr=False)
    born: int = 0
    slab: SkbSlab | None = field(default=None, repr=False)
    release: Callable[[], None] | None = field(default=None, repr=False)
    users: int = 1

    @property
    def head(self) -> int:
        """The first byte of the buffer."""
        return 0

    @property
    def headroom(self) -> int:
        """Bytes that `push` can still take."""
        return self.data

    @property
    def tailroom(self) -> int:
        """Bytes that `put` can still take."""
        return self.end - self.tail

    def __len__(self) -> int:
        return self.tail - self.data

    def __bool__(self) -> bool:
        return True  # an empty skb is an skb

    def __bytes__(self) -> bytes:
        return bytes(self.buffer[self.data : self.tail])

    def view(self) -> memoryview:
        """The frame's bytes, writable, without a copy."""
        return memoryview(self.buffer)[self.data : self.tail]

    def reserve(self, n: int) -> None:
        """Make `n` more bytes of headroom in an empty skb."""
        if len(self):
            raise SkbError(
                f"reserve({n}) on an skb that holds {len(self)} bytes: reserve before the first put"
            )
        if not 0 <= n <= self.tailroom:
            raise self._over(n, "reserve")
        self.data += n
        self.tail += n

    def put(self, n: int) -> memoryview:
        """Append `n` bytes at the tail; returns them, to be written."""
        if not 0 <= n <= self.tailroom:
            raise self._over(n, "put")
        start = self.tail
        self.tail += n
        return memoryview(self.buffer)[start : self.tail]

    def put_data(self, data: bytes | bytearray | memoryview) -> None:
        """Append a copy of `data`."""
        self.put(len(data))[:] = data

    def push(self, n: int) -> memoryview:
        """Prepend `n` bytes before the data; returns them, to be written."""
        if not 0 <= n <= self.headroom:
            raise SkbError(
                f"skb_under_panic: len:{len(self)} push:{n} headroom:{self.headroom}; "
                f"reserve at least {n} bytes before the frame"
            )
        self.data -= n
        return memoryview(self.buffer)[self.data : self.data + n]

    def pull(self, n: int) -> memoryview:
        """Take `n` bytes off the front; returns them. `csum` is left alone: see `stack.pull_rcsum`."""
        if not 0 <= n <= len(self):
            raise SkbError(f"pull({n}) from an skb of {len(self)} bytes: take 0..{len(self)}")
        start = self.data
        self.data += n
        return memoryview(self.buffer)[start : self.data]

    def trim(self, length: int) -> None:
        """Cut the frame to `length` bytes. `csum` is left alone: see `stack.trim_rcsum`."""
        if not 0 <= length <= len(self):
            raise SkbError(f"trim to {length} of an skb of {len(self)} bytes: the length is 0..{len(self)}")
        self.tail = self.data + length

    def expand(self, headroom: int, tailroom: int) -> None:
        """``pskb_expand_head``: make sure of this much room; moves the frame where it is missing."""
        if self.headroom >= headroom and self.tailroom >= tailroom:
            return
        shift = max(headroom, self.headroom) - self.data
        room = skb_data_align(self.tail + shift + max(tailroom, self.tailroom))
        buffer = bytearray(room)
        buffer[shift : shift + self.tail] = self.buffer[: self.tail]
        if self.release is not None:
            self.release()
            self.release = None
        self.buffer, self.end, self.truesize = buffer, room, skb_truesize(room)
        self.data += shift
        self.tail += shift
        self.csum_start += shift
        if self.mac_header is not None:
            self.mac_header += shift

    def pad_to(self, length: int) -> None:
        """``skb_put_padto``: append zero bytes until the frame has `length` bytes."""
        missing = length - len(self)
        if missing > 0:
            self.expand(0, missing)
            self.put(missing)[:] = bytes(missing)

    @property
    def freed(self) -> bool:
        """Whether the last user has freed it."""
        return self.users == 0

    def get(self) -> Skb:
        """``skb_get``: one more user, who has to free it as well."""
        if self.freed:
            raise SkbError("skb_get: this skb was already freed")
        self.users += 1
        return self

    def free(self) -> None:
        """``kfree_skb``: drop one user; the last gives structure and data back to whoever they came from."""
        if self.freed:
            raise SkbError("kfree_skb: this skb was already freed")
        self.users -= 1
        if self.users:
            return
        for skb in self.frag_list:
            skb.free()
        if self.slab is not None:
            self.slab.freed += 1
        if self.release is not None:
            self.release()

    def _over(self, n: int, what: str) -> SkbError:
        return SkbError(
            f"skb_over_panic: len:{len(self)} {what}:{n} tail:{self.tail} end:{self.end}; "
            f"the tailroom is {self.tailroom} bytes"
        )


def alloc_skb(size: int, headroom: int = NET_SKB_PAD + NET_IP_ALIGN) -> Skb:
    """A new structure and buffer: `headroom` bytes reserved, at least `size` bytes of room behind them."""
    if size < 0 or headroom < 0:
        raise SkbError(f"alloc_skb(size={size}, headroom={headroom}): both must be 0 or more")
    room = skb_data_align(headroom + size)
    skb = Skb(bytearray(room), end=room, truesize=skb_truesize(room))
    skb.reserve(headroom)
    return skb


def build_skb(buffer: bytearray | memoryview, frag_size: int | None = None) -> Skb:
    """A new structure around `frag_size` bytes that somebody else allocated (default: all of `buffer`).

    The caller must have left `SHARED_INFO` bytes free at the end; what remains before it is the skb's room.
    ``data`` stands at 0: `Skb.reserve` the headroom, then `Skb.put` what the device wrote.
    """
    size = len(buffer) if frag_size is None else frag_size
    if not SHARED_INFO <= size <= len(buffer):
        raise SkbError(
            f"build_skb: frag_size {size}, allowed {SHARED_INFO}..{len(buffer)}: "
            f"the shared info takes {SHARED_INFO} bytes of the buffer"
        )
    return Skb(buffer, end=size - SHARED_INFO, truesize=skb_truesize(size - SHARED_INFO))


def skb_from_frame(
    frame: bytes | bytearray | memoryview, headroom: int = NET_SKB_PAD + NET_IP_ALIGN, tailroom: int = 0
) -> Skb:
    """An skb that holds a copy of `frame`, as the stack hands it to a driver."""
    skb = alloc_skb(len(frame) + tailroom, headroom)
    skb.put_data(frame)
    return skb


def eth_type_trans(skb: Skb) -> int:
    """Note where the Ethernet header is, pull it, and set ``protocol``; returns the protocol.

    A type field below 0x600 is a length: the protocol is then 802.2 (4).
    """
    skb.mac_header = skb.data
    header = skb.pull(ETH_HLEN)
    ethertype = int.from_bytes(header[12:14], "big")
    skb.protocol = ethertype if ethertype >= ETH_P_802_3_MIN else ETH_P_802_2
    return skb.protocol


class SkbSlab:
    """Where ``sk_buff`` structures come from. It counts what seed 003 changes.

    With ``bulk`` 0 every structure is fetched alone (``kmem_cache_alloc``); with ``bulk`` n the NAPI cache
    fetches n at a time (the kernel's figure is 16). A structure is zeroed when it is handed out:
    ``zeroed_bytes``. `age` says how many structures were zeroed after this one: a large age means that its
    cache lines have been pushed out since.
    """

    def __init__(self, bulk: int = 0, fails: Callable[[], bool] = lambda: False) -> None:
        if bulk < 0:
            raise ValueError(f"bulk {bulk}: 0 (no cache) or the number of structures fetched at once")
        self.bulk = bulk
        self.fails = fails
        self.cached = 0
        self.calls = 0
        self.allocated = 0
        self.freed = 0
        self.failures = 0

    @property
    def live(self) -> int:
        """Structures that are out."""
        return self.allocated - self.freed

    @property
    def zeroed_bytes(self) -> int:
        """Bytes of structures zeroed so far."""
        return self.allocated * SK_BUFF

    def age(self, skb: Skb) -> int:
        """How many structures were handed out after `skb`."""
        return self.allocated - skb.born

    def take(self, make: Callable[[], Skb]) -> Skb | None:
        """Account for one structure and build the skb with `make`; None when memory is short."""
        if self.cached == 0:
            if self.fails():
                self.failures += 1
                return None
            self.calls += 1
            self.cached = max(self.bulk, 1)
        self.cached -= 1
        skb = make()
        self.allocated += 1
        skb.born = self.allocated
        skb.slab = self
        return skb

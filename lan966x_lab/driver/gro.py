"""Generic receive offload: several TCP segments go up the stack as one packet.

What it saves is the way up: one traversal instead of one for each segment. What it costs without checksum
offload is that the driver's core adds up every segment here, before it may be merged: the reason why seed 003
expected that GRO could make this device slower.

Only plain segments are merged: IPv4 without options or fragments, flags ACK or ACK with PSH, the next
sequence number, the same addresses, ports, acknowledgement and window, the same length (a shorter one ends
the packet), 64 KiB at most. Everything else goes up alone, and after what was held of its flow, so that no
order changes.

Source: net/core/gro.c, net/ipv4/tcp_offload.c; one flow is held where the kernel holds eight to a bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lan966x_lab.driver.skb import IpSummed, Skb
from lan966x_lab.net import checksum

ETH_P_IP, TCP = 0x0800, 6
MAX_BYTES = 65536
ACK, PSH = 0x10, 0x08


@dataclass(slots=True)
class _Held:
    skb: Skb
    flow: bytes
    next_seq: int
    size: int
    total: int


@dataclass(slots=True)
class Gro:
    """Holds one packet that is being put together.

    Attributes:
        segments: skbs that came.
        packets: calls of `up`.
        bytes_summed: bytes that were added up to verify segments.
    """

    up: Callable[[Skb], object]
    segments: int = 0
    packets: int = 0
    bytes_summed: int = 0
    _held: _Held | None = field(default=None, repr=False)

    def receive(self, skb: Skb) -> None:
        """``napi_gro_receive``: one skb, after `eth_type_trans`."""
        self.segments += 1
        plain = self._plain(skb)
        held = self._held
        if plain is None:
            self.flush()
            self._pass(skb)
            return
        flow, seq, size, total, is_push = plain
        if (
            held is not None
            and flow == held.flow
            and seq == held.next_seq
            and size <= held.size
            and held.total + size <= MAX_BYTES
        ):
            held.skb.frag_list.append(skb)
            held.next_seq = (seq + size) % 2**32
            held.total += size
            is_push |= size < held.size
        else:
            self.flush()
            self._held = _Held(skb, flow, (seq + size) % 2**32, size, total)
        if is_push:
            self.flush()

    def flush(self) -> None:
        """Hand up what is held: at the end of a poll, and before a frame that does not fit."""
        held, self._held = self._held, None
        if held is not None:
            self._pass(held.skb)

    def _pass(self, skb: Skb) -> None:
        self.packets += 1
        self.up(skb)

    def _plain(self, skb: Skb) -> tuple[bytes, int, int, int, bool] | None:
        """Flow, sequence number, payload bytes, packet bytes and "push" of a segment that may be merged."""
        packet = skb.view()
        if skb.protocol != ETH_P_IP or len(packet) < 40 or packet[0] != 0x45 or packet[9] != TCP:
            return None
        total, offset = int.from_bytes(packet[2:4], "big"), (packet[32] >> 4) * 4
        flags = packet[33]
        size = total - 20 - offset
        if offset < 20 or size <= 0 or total > len(packet) or int.from_bytes(packet[6:8], "big") & 0x3FFF:
            return None
        if flags & ~PSH != ACK or not self._is_right(skb, packet, total):
            return None
        flow = bytes(skb.buffer[skb.data - 14 : skb.data])
        flow += b"".join(packet[a:b] for a, b in ((12, 24), (28, 32), (34, 36), (40, 20 + offset)))
        return flow, int.from_bytes(packet[24:28], "big"), size, total, bool(flags & PSH)

    def _is_right(self, skb: Skb, packet: memoryview, total: int) -> bool:
        """Verify a segment, and note it: the stack need not do it again."""
        if skb.ip_summed is not IpSummed.UNNECESSARY:
            if checksum.ones_sum(packet[:20]) != 0xFFFF:
                return False
            pseudo_header = checksum.pseudo_header_sum(
                bytes(packet[12:16]), bytes(packet[16:20]), TCP, total - 20
            )
            self.bytes_summed += 12 + total
            if checksum.ones_sum(packet[20:total], pseudo_header) != 0xFFFF:
                return False
            skb.ip_summed = IpSummed.UNNECESSARY
        return True

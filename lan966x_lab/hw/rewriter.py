"""The rewriter: what a port changes in a frame on its way out.

It inserts a VLAN tag, and it writes the time into a one-step Sync. Where the time goes is not found out from
the frame: PDU_TYPE says what the headers before the PTP message are, and a wrong PDU_TYPE puts the time into
the wrong bytes (L@57ee9584fd86).

OURS: the UDP checksum is updated when it is not 0; the IPv4 header length is taken from the frame.
"""

from __future__ import annotations

from lan966x_lab.hw.lan966x_regs import PduType
from lan966x_lab.net import checksum

TPIDS = (0x8100, 0x88A8)
ORIGIN_TIMESTAMP = 34
"""Where the originTimestamp (6 bytes of seconds, 4 of nanoseconds) stands in a Sync (IEEE 1588-2008, 13.6).
"""
UDP_LEN = 8


def insert_tag(frame: bytes, tci: int) -> bytes:
    """`frame` with a VLAN tag behind the addresses. `tci` is the IFH field: bit 16 chooses the tag type
    (0x8100, 0x88a8), bits 15..0 are PCP, DEI and VID.
    """
    return frame[:12] + TPIDS[tci >> 16].to_bytes(2, "big") + (tci & 0xFFFF).to_bytes(2, "big") + frame[12:]


def _after_tags(frame: bytes) -> int:
    """Where the header behind the EtherType starts."""
    at = 12
    while int.from_bytes(frame[at : at + 2], "big") in TPIDS:
        at += 4
    return at + 2


def one_step(frame: bytes, pdu_type: int, time_ns: int) -> bytes:
    """`frame` with `time_ns` as its originTimestamp, at the place that `pdu_type` says.

    A frame that ends before that place stays as it is.
    """
    start = udp = _after_tags(frame)
    if pdu_type == PduType.IPV4:
        udp = start + 4 * (frame[start] & 15) if start < len(frame) else start
    elif pdu_type == PduType.IPV6:
        udp = start + 40
    at = (udp + UDP_LEN if pdu_type else start) + ORIGIN_TIMESTAMP
    if at + 10 > len(frame):
        return frame
    seconds, ns = divmod(time_ns, 1_000_000_000)
    stamp = (seconds & (1 << 48) - 1).to_bytes(6, "big") + ns.to_bytes(4, "big")
    out = bytearray(frame)
    out[at : at + 10] = stamp
    if pdu_type:
        _fix_udp_checksum(out, udp + 6, frame[at : at + 10], stamp)
    return bytes(out)


def _fix_udp_checksum(frame: bytearray, at: int, old: bytes, new: bytes) -> None:
    value = int.from_bytes(frame[at : at + 2], "big")
    if value == 0:
        return
    for i in range(0, len(old), 2):
        value = checksum.update(
            value, int.from_bytes(old[i : i + 2], "big"), int.from_bytes(new[i : i + 2], "big")
        )
    frame[at : at + 2] = (value or 0xFFFF).to_bytes(2, "big")

"""What a link can carry, and what a goodput means per frame.

Goodput counts payload only. On the wire each frame also has headers, a frame check sequence, a preamble and a
gap, so the payload never gets the whole link. All results are exact (``Fraction``).

Sizes: IEEE 802.3 for the frame, RFC 791, 768, 9293 and 7323 for the headers. iperf3 and perf print *MBytes*
of 2^20 bytes, and iperf3 prints Mbit/s of 10^6 bits (their sources say so).
"""

from fractions import Fraction

from lan966x_lab.measure.interval import Exact

__all__ = ["HEADERS", "frame_bytes", "frame_ns", "goodput", "line_rate", "wire_bytes"]

MBYTE = 2**20
ETHERNET_HEADER = 14
SHORTEST_FRAME = 60  # header and padding, without the frame check sequence
AROUND_FRAME = 8 + 4 + 12  # preamble and start delimiter, frame check sequence, inter-frame gap

HEADERS = {
    "tcp": 20 + 20 + 12,  # IPv4, TCP, the time-stamp option that Linux sends in every segment
    "udp": 20 + 8,  # IPv4, UDP
}


def frame_bytes(payload: int, transport: str = "tcp") -> int:
    """Length in bytes of the Ethernet frame that carries ``payload`` bytes, without frame check sequence.

    Raises:
        ValueError: a negative payload, or a transport that is not in ``HEADERS``.
    """
    if payload < 0:
        raise ValueError(f"payload is {payload} bytes; it has to be 0 or more")
    if transport not in HEADERS:
        raise ValueError(f"transport {transport!r} is unknown; known are {', '.join(HEADERS)}")
    return max(SHORTEST_FRAME, ETHERNET_HEADER + HEADERS[transport] + payload)


def wire_bytes(payload: int, transport: str = "tcp") -> int:
    """Bytes of link time that one such frame takes: 1538 for 1448 bytes of TCP payload."""
    return frame_bytes(payload, transport) + AROUND_FRAME


def line_rate(payload: int, transport: str = "tcp", link_mbit: int = 1000) -> Fraction:
    """The highest goodput of a link, in Mbit/s: 941.48 for 1448 bytes of TCP payload at 1 Gbit/s."""
    return Fraction(link_mbit * payload, wire_bytes(payload, transport))


def goodput(mbytes: Exact, seconds: Exact) -> Fraction:
    """Goodput in Mbit/s of ``mbytes`` (of 2^20 bytes, as iperf3 prints them) sent in ``seconds``."""
    return Fraction(mbytes) * MBYTE * 8 / (Fraction(seconds) * 10**6)


def frame_ns(mbit: Exact, payload: int) -> Fraction:
    """Time from one frame to the next, in ns, at a goodput of ``mbit`` Mbit/s: 24 543 ns at 472 Mbit/s."""
    return Fraction(8000 * payload) / Fraction(mbit)

"""PTP: which frames are PTP event messages, and what a PTP message says.

``classify`` answers the question that a network driver asks for every frame: does this one need a timestamp?
It gives the value of the kernel's ``ptp_classify_raw`` (net/core/ptp_classifier.c, include/linux/ptp_classify.h).
"""

from __future__ import annotations

from lan966x_lab.net.batch import BytesLike, as_bytes

__all__ = ["classify"]

NONE = 0x00
V1 = 0x01
V2 = 0x02
VMASK = 0x0F
IPV4 = 0x10
IPV6 = 0x20
L2 = 0x40
PMASK = 0x70
VLAN = 0x80

PTP_EV_PORT = 319
PTP_GEN_PORT = 320
PTP_GEN_BIT = 0x08

_ETH_P_IP = b"\x08\x00"
_ETH_P_IPV6 = b"\x86\xdd"
_ETH_P_1588 = b"\x88\xf7"
_ETH_P_8021Q = b"\x81\x00"
_IPPROTO_UDP = 17


def classify(frame: BytesLike) -> int:
    """The kernel's PTP class of an Ethernet frame: a version, a transport and perhaps ``VLAN``, or ``NONE``.

    Only event messages have a class: UDP destination port 319, or EtherType 0x88F7 with bit 3 of the message
    type clear. The traps are the kernel's own: one 802.1Q tag (0x8100) and no other; no IPv6 extension header;
    no later IPv4 fragment; the version is the low nibble of the second octet, whatever it says.
    """
    octets = as_bytes(frame)
    tag = 4 if octets[12:14] == _ETH_P_8021Q else 0
    ethertype = octets[12 + tag : 14 + tag]
    try:
        if ethertype == _ETH_P_IP:
            if octets[23 + tag] != _IPPROTO_UDP or octets[20 + tag] & 0x1F or octets[21 + tag]:
                return NONE
            transport, udp = IPV4, 14 + tag + 4 * (octets[14 + tag] & 0x0F)
        elif ethertype == _ETH_P_IPV6:
            if octets[20 + tag] != _IPPROTO_UDP:
                return NONE
            transport, udp = IPV6, 54 + tag
        elif ethertype == _ETH_P_1588:
            if octets[14 + tag] & PTP_GEN_BIT:
                return NONE
            return octets[15 + tag] & VMASK | L2 | (VLAN if tag else 0)
        else:
            return NONE
        if octets[udp + 2] << 8 | octets[udp + 3] != PTP_EV_PORT:
            return NONE
        return octets[udp + 9] & VMASK | transport | (VLAN if tag else 0)
    except IndexError:  # a load past the end of the frame gives no class
        return NONE

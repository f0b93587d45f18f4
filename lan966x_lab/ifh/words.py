"""The LAN966x header when every position is known beforehand: seven words, shifts by constants.

The other forms take a field as an argument and find its bytes at run time. Here nothing is left to find: each
number below is where a field stands inside one of the seven 32-bit words, which go out most significant byte
first. It serves these fields and no others; ``tests/ifh/test_ifh_words.py`` holds it against the layouts.
"""

from struct import Struct

from lan966x_lab.ifh.arguments import Header
from lan966x_lab.ifh.lan966x import TX

__all__ = ["get_received", "set_sent"]

SEVEN_WORDS, THREE_WORDS = Struct(">7I"), Struct(">3I")


def set_sent(
    header: bytearray, dsts: int, qos_class: int, ipv: int, tci: int, rew_cmd: int = 0, timestamp: int = 0
) -> None:
    """Write the whole header of a frame to send: BYPASS set, these fields, 0 everywhere else.

    Raises:
        FieldRangeError: a value does not fit its field; the header is then as it was.
    """
    if dsts >> 9 | qos_class >> 3 | ipv >> 3 | tci >> 17 | rew_cmd >> 10 | timestamp >> 32:
        # one is too large or negative; this says which
        TX.encode(DSTS=dsts, QOS_CLASS=qos_class, IPV=ipv, TCI=tci, REW_CMD=rew_cmd, TIMESTAMP=timestamp)
    header[:] = SEVEN_WORDS.pack(
        timestamp,  # bits 223 to 192
        1 << 31 | rew_cmd << 3,  # BYPASS is 1
        0,
        tci << 7 | qos_class << 4,
        dsts >> 2,  # DSTS lies across two words
        (dsts & 3) << 30 | ipv << 23,
        0,  # bits 31 to 0
    )


def get_received(header: Header) -> tuple[int, int, int]:
    """SRCPORT, LEN and TIMESTAMP of a received frame: the first three words hold them all."""
    timestamp, second, third = THREE_WORDS.unpack(header[:12])
    return third >> 13 & 0xF, second >> 18, timestamp

"""The header work of one frame, in every form: what transmit sets and receive reads, to count and to time.

A TCP frame sets five fields, 33 bits; a PTP frame that asks for a timestamp sets two more; a received frame
has three fields read (LEN on the manual path only). Source: ``lan966x_main.c``, commit 03c601927b67.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from lan966x_lab import ifh
from lan966x_lab.ifh import words
from lan966x_lab.measure.counted import trace
from lan966x_lab.measure.counted.trace import Counts

__all__ = ["CONSTANT_WORDS", "FORMS", "PTP", "READ", "TCP", "count_reads", "count_sets", "reads", "sets"]

TX, RX = ifh.LAN966X

#: The forms of a set and a get, each under the name that tables, pictures and explorers give it.
FORMS: Mapping[str, ifh.Codec] = MappingProxyType(
    {
        "general routine": ifh.CODECS["packing"],
        "bit loop": ifh.CODECS["bit_loop"],
        "byte shift": ifh.CODECS["byte_shift"],
        "whole integer": ifh.CODECS["whole_int"],
        "published bit loop (v1)": ifh.PUBLISHED["bit_loop_v1"],
        "published byte shift (v2)": ifh.PUBLISHED["byte_shift_v2"],
    }
)
CONSTANT_WORDS = "constant words"  # the whole header at once: no codec

TCP: Mapping[str, int] = MappingProxyType({"BYPASS": 1, "DSTS": 1 << 1, "QOS_CLASS": 3, "IPV": 3, "TCI": 100})
PTP: Mapping[str, int] = MappingProxyType({**TCP, "REW_CMD": 4, "TIMESTAMP": 5})
READ = ("SRCPORT", "LEN", "TIMESTAMP")


def sets(values: Mapping[str, int] = TCP) -> dict[str, Callable[[], object]]:
    """For each form, a function that makes a header of zeros and sets these fields (``TCP`` or ``PTP``)."""
    pairs = [(TX[name], value) for name, value in values.items()]

    def each(codec: ifh.Codec) -> None:
        header = bytearray(TX.nbytes)
        for field, value in pairs:
            codec.set(header, field, value)

    def at_once() -> None:
        words.set_sent(bytearray(TX.nbytes), *_varying(values))

    return {name: partial(each, codec) for name, codec in FORMS.items()} | {CONSTANT_WORDS: at_once}


def reads() -> dict[str, Callable[[], object]]:
    """For each form, a function that reads the three fields of one received header."""
    header = RX.encode(SRCPORT=1, LEN=1518, TIMESTAMP=0x1234_5678)
    fields = [RX[name] for name in READ]

    def each(codec: ifh.Codec) -> None:
        for field in fields:
            codec.get(header, field)

    return {name: partial(each, codec) for name, codec in FORMS.items()} | {
        CONSTANT_WORDS: partial(words.get_received, header)
    }


def count_sets(values: Mapping[str, int] = TCP) -> dict[str, Counts]:
    """For each form, what it takes to set these fields in a header of zeros."""
    counted = {name: trace.counted_set(codec, TX, values) for name, codec in FORMS.items()}
    at_once = trace.run(words.set_sent, bytes(TX.nbytes), *_varying(values)).counts
    return counted | {CONSTANT_WORDS: at_once}


def count_reads(names: tuple[str, ...] = READ) -> dict[str, Counts]:
    """For each form, what it takes to read these fields; the constant words read all three in any case."""
    counted = {name: trace.counted_get(codec, RX, names) for name, codec in FORMS.items()}
    return counted | {CONSTANT_WORDS: trace.run(words.get_received, bytes(RX.nbytes)).counts}


def _varying(values: Mapping[str, int]) -> list[int]:
    """The values that the constant words take: all but BYPASS, which is one of the constants."""
    return [value for name, value in values.items() if name != "BYPASS"]

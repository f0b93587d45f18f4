"""Time the header codecs: batches beside a plain copy of as many bytes, single headers beside other codecs.

Targets. At 100 000 headers: encoding the 7 fields of a transmitted frame takes at most 5 times as long as
``np.copyto`` of the same bytes, decoding the 3 fields of a received one at most 3 times; per header they are
20 and 14 times as fast as compiled bitstruct. One header at a time: the fastest form in Python, constant
words, has 0.65 times the speed of compiled bitstruct, 12 times that of bitstruct in Python, 60 times that of
construct, 150 times that of scapy; a template that stamps a plain frame is twice as fast as compiled
bitstruct.
"""

from collections.abc import Callable, Mapping

import bitstruct
import bitstruct.c
import construct
import numpy as np
from aims import judge, no_compiled_tier
from scapy.fields import BitField
from scapy.packet import Packet

from lan966x_lab import ifh
from lan966x_lab.ifh import words
from lan966x_lab.measure.timed import timing

TX, RX = ifh.LAN966X
SENT = {"BYPASS": 1, "DSTS": 2, "QOS_CLASS": 3, "IPV": 3, "TCI": 100, "REW_CMD": 4, "TIMESTAMP": 5}
READ = ("SRCPORT", "LEN", "TIMESTAMP")
POSITIONAL = "bitstruct, C, positional"
FASTEST = "lab, constant words"
AIMS = {POSITIONAL: 0.65, "bitstruct, Python": 12, "construct": 60, "scapy": 150}
ROWS = 100_000


def batches() -> None:
    """Whole batches beside the copy; one call a turn: each finds the caches as the others left them."""
    rng = np.random.default_rng(966)
    wide = {name: rng.integers(0, TX[name].maximum + 1, ROWS) for name in SENT}
    small = {name: column.astype(np.min_scalar_type(TX[name].maximum)) for name, column in wide.items()}
    headers = TX.encode_batch(small)
    copy, out = np.empty_like(headers), np.empty_like(headers)
    slots = np.zeros((ROWS, 2048), np.uint8)
    slots[:, : RX.nbytes] = headers
    every = RX.decode_batch(headers)
    floor = {"np.copyto": lambda: np.copyto(copy, headers)}
    pack, unpack = positional(headers[0].tobytes())
    one_by_one = {
        f"{POSITIONAL}, 1000 packs": lambda: [pack() for _ in range(1000)],
        f"{POSITIONAL}, 1000 unpacks": lambda: [unpack() for _ in range(1000)],
    }

    print(f"{ROWS} headers of {TX.nbytes} bytes, all at once")
    aims = {"encode 7, smallest dtypes": 5, "encode 7, int64": 5, "decode 3": 3}
    result = timing.compare(
        floor
        | {
            "encode 7, smallest dtypes": lambda: TX.encode_batch(small, out),
            "encode 7, int64": lambda: TX.encode_batch(wide, out),
            "decode 3": lambda: RX.decode_batch(headers, READ),
        }
        | one_by_one,
        rounds=61,
        min_time_ns=1,
    )
    print(result)
    for name, aim in aims.items():
        judge(f"{name}, time over the copy", result.ratio(name, "np.copyto"), at_most=aim)
    for name, theirs, aim in zip(
        ("encode 7, smallest dtypes", "decode 3"), one_by_one, (20, 14), strict=True
    ):
        speed = result.ratio(theirs, name) * ROWS / 1000
        judge(f"{name}, speed over {POSITIONAL}, per header", speed, at_least=aim)
    for what in ("encode 7 over the copy", "encode and decode 36 over the copy", "batch over bitstruct, C"):
        no_compiled_tier(f"numba, {what}")

    print("\nThe same with more to do")
    more: dict[str, Callable[[], object]] = {
        "encode 7, int64, new array": lambda: TX.encode_batch(wide),
        "encode 36": lambda: RX.encode_batch(every, out),
        "decode 36": lambda: RX.decode_batch(headers),
        "decode 3 from 2 KiB slots": lambda: RX.decode_batch(slots[:, : RX.nbytes], READ),
    }
    print(timing.compare(floor | more, rounds=15, min_time_ns=1))


def single_headers() -> None:
    """One header a call: every codec of the lab, the template, and the peers."""
    header = TX.encode(SENT)
    port = ifh.Template(TX, BYPASS=1, DSTS=2)
    encoders: dict[str, Callable[[], object]] = {
        f"lab, {codec}": lambda codec=codec: TX.encode(SENT, codec=codec) for codec in ifh.CODECS
    }
    stamped = "lab, template, plain frame: 3 fields stamped"
    encoders |= {
        FASTEST: lambda: words.set_sent(bytearray(28), 2, 3, 3, 100, 4, 5),
        "lab, template, nothing to stamp: the ready header": port.stamp,
        stamped: lambda: port.stamp(QOS_CLASS=0, IPV=0, TCI=0),
        "lab, template, tagged frame: 3 fields stamped": lambda: port.stamp(QOS_CLASS=3, IPV=3, TCI=0x6064),
        "lab, template, all 7 fields": lambda: port.stamp(**SENT),
    }
    decoders: dict[str, Callable[[], object]] = {
        f"lab, {codec}": lambda codec=codec: RX.decode(header, READ, codec=codec) for codec in ifh.CODECS
    }
    decoders[FASTEST] = lambda: words.get_received(header)
    encoders[POSITIONAL], decoders[POSITIONAL] = positional(header)
    for name, (encode, decode) in peers(header).items():
        encoders[name], decoders[name] = encode, decode
    for title, cases in (("encode 7 fields", encoders), ("decode 3 fields", decoders)):
        print(f"\n{title} of one header")
        result = timing.compare(cases, rounds=11)
        print(result.table(to=POSITIONAL))
        for peer, aim in AIMS.items():
            judge(f"constant words, speed over {peer}", result.ratio(peer, FASTEST), at_least=aim)
        if stamped in cases:
            judge(
                f"template, 3 fields stamped, speed over {POSITIONAL}",
                result.ratio(POSITIONAL, stamped),
                at_least=2,
            )


def positional(header: bytes) -> tuple[Callable[[], object], Callable[[], object]]:
    """Compiled bitstruct at its best, (pack, unpack): values in the order of the format, no names."""
    form, names = _bitstruct(_segments(TX, SENT))
    pack, unpack = bitstruct.c.compile(form), bitstruct.c.compile(_bitstruct(_segments(RX, READ))[0])
    values = [SENT[name] for name in names]
    assert pack.pack(*values) == TX.encode(SENT)
    return lambda: pack.pack(*values), lambda: unpack.unpack(header)


def peers(header: bytes) -> Mapping[str, tuple[Callable[[], object], Callable[[], object]]]:
    """Other libraries, each compiled in advance where it can be, as (encode, decode); proved equal first."""
    sent, read = _segments(TX, SENT), _segments(RX, READ)
    form, names = _bitstruct(sent)
    read_form, read_names = _bitstruct(read)
    libraries = {}
    for label, module in (("bitstruct, C", bitstruct.c), ("bitstruct, Python", bitstruct)):
        pack, unpack = module.compile(form, names), module.compile(read_form, read_names)
        libraries[label] = (lambda pack=pack: pack.pack(SENT), lambda unpack=unpack: unpack.unpack(header))
    builder, parser = _construct(sent), _construct(read)
    libraries["construct"] = (lambda: builder.build(SENT), lambda: parser.parse(header))
    tx_packet, rx_packet = _scapy("Tx", sent), _scapy("Rx", read)
    libraries["scapy"] = (lambda: bytes(tx_packet(**SENT)), lambda: rx_packet(header))

    right = RX.decode(header, READ)
    for label, (encode, decode) in libraries.items():
        assert encode() == header, label
        found = decode()
        values = {name: getattr(found, name) if label == "scapy" else found[name] for name in READ}
        assert values == right, label
    return libraries


def _segments(layout: ifh.Layout, names: object) -> list[tuple[str, int]]:
    """The header from its highest bit on as (name, width); the bits between the fields have an empty name."""
    segments, bit = [], 8 * layout.nbytes
    for field in layout.fields:
        if field.name in names:
            segments += [("", bit - field.top - 1)] if bit > field.top + 1 else []
            segments.append((field.name, field.width))
            bit = field.pos
    return segments + ([("", bit)] if bit else [])


def _bitstruct(segments: list[tuple[str, int]]) -> tuple[str, list[str]]:
    form = "".join(f"{'u' if name else 'p'}{width}" for name, width in segments)
    return form, [name for name, _ in segments if name]


def _construct(segments: list[tuple[str, int]]) -> construct.Construct:
    fields = [
        name / construct.BitsInteger(width) if name else construct.Padding(width) for name, width in segments
    ]
    return construct.BitStruct(*fields).compile()


def _scapy(name: str, segments: list[tuple[str, int]]) -> type[Packet]:
    fields = [BitField(name or f"gap{at}", 0, width) for at, (name, width) in enumerate(segments)]
    return type(name, (Packet,), {"name": name, "fields_desc": fields})


if __name__ == "__main__":
    batches()
    single_headers()

"""What a codec did, judged by the plain model: a header is one integer, and a set replaces some of its bits.

The verdict is a short text, so that a table of forms and cases can be read at a glance. ``"right"`` means the
model's header to the last bit; ``"refused"`` means an error and a header left alone; everything else says
what a reader of the header would find.
"""

from lan966x_lab.ifh import Codec, Field, FieldRangeError, Layout

__all__ = ["judge_get", "judge_set"]


def judge_set(codec: Codec, layout: Layout, name: str, value: int, header: bytes | None = None) -> str:
    """The verdict on setting one field in a header, one of zeros if none is given.

    >>> from lan966x_lab.ifh import CODECS, LAN966X, PUBLISHED
    >>> judge_set(CODECS["byte_shift"], LAN966X.tx, "QOS_CLASS", 8)
    'refused'
    >>> judge_set(PUBLISHED["byte_shift_v2"], LAN966X.tx, "QOS_CLASS", 8)
    'QOS_CLASS reads 0x0, TCI became 0x1'
    """
    before = bytes(layout.nbytes) if header is None else header
    buffer = bytearray(before)
    field = layout[name]
    try:
        codec.set(buffer, field, value)
    except FieldRangeError:
        return "refused" if buffer == before else "refused, but the header changed"
    was, now = int.from_bytes(before, "big"), int.from_bytes(buffer, "big")
    if now == was & ~field.mask | value << field.pos and value <= field.maximum:
        return "right"
    held = _read(now, field)
    found = [f"{name} reads {held:#x}"] if held != value else []
    found += [
        f"{other.name} became {_read(now, other):#x}"
        for other in layout.fields
        if not other.overlaps(field) and _read(now, other) != _read(was, other)
    ]
    return ", ".join(found) or "a reserved bit changed"


def judge_get(codec: Codec, layout: Layout, name: str, value: int) -> str:
    """The verdict on reading one field back from a header that holds this value and zeros.

    Raises:
        FieldRangeError: the value does not fit its field.
    """
    field = layout[name]
    header = (field.check(value) << field.pos).to_bytes(layout.nbytes, "big")
    read = codec.get(header, field)
    return "right" if read == value else f"reads {read:#x}"


def _read(word: int, field: Field) -> int:
    return word >> field.pos & field.maximum

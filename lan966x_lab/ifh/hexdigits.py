"""Bytes from the hex digits that a person types or pastes."""

from string import hexdigits

__all__ = ["from_hex"]

_PREFIXES = ("0x", "0X")


def from_hex(text: str) -> bytes:
    """The bytes that the digits say; blanks and line ends may stand anywhere, and ``0x`` before each piece.

    >>> from_hex("0000 0005 8").hex(" ")
    Traceback (most recent call last):
    ...
    ValueError: 9 hex digits are not whole bytes: one digit is missing or too many.
    >>> from_hex("0000 0005 80").hex(" ")
    '00 00 00 05 80'
    >>> from_hex("0x00000005 0x80").hex(" ")
    '00 00 00 05 80'

    Raises:
        ValueError: a character that is no hex digit, or half a byte; the message says where (``0x`` does not
            count).
    """
    digits = "".join(piece[2:] if piece[:2] in _PREFIXES else piece for piece in text.split())
    stranger = next((i for i, character in enumerate(digits) if character not in hexdigits), None)
    if stranger is not None:
        raise ValueError(f"{digits[stranger]!r} (digit {stranger + 1}) is not hexadecimal: use 0-9 and a-f.")
    if len(digits) % 2:
        raise ValueError(f"{len(digits)} hex digits are not whole bytes: one digit is missing or too many.")
    return bytes.fromhex(digits)

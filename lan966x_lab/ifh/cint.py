"""C integers, made visible: each function says which type a C expression has, and does what that type does.

Python's integers have no width. C's do, and faults of the published header code come from it, so a line that
imitates C names the type: ``u64(value | s32(1 << i))``.
"""

__all__ = ["s32", "u8", "u32", "u64"]


def u8(value: int) -> int:
    """The value as ``u8``: the low 8 bits, so what is shifted past bit 7 is lost.

    >>> hex(u8(0x1FF << 4))
    '0xf0'
    """
    return value & 0xFF


def u32(value: int) -> int:
    """The value as ``u32``: the low 32 bits. On a 32-bit ARM ``size_t`` and ``unsigned long`` are this.

    >>> hex(u32(-1))
    '0xffffffff'
    """
    return value & 0xFFFF_FFFF


def s32(value: int) -> int:
    """The value as ``int``: the low 32 bits, of which bit 31 counts -2147483648.

    ISO C does not define ``1 << 31``; this is what gcc and clang make of it.

    >>> s32(1 << 31)
    -2147483648
    """
    return (u32(value) ^ 0x8000_0000) - 0x8000_0000


def u64(value: int) -> int:
    """The value as ``u64``: the low 64 bits. A negative ``int`` becomes 64 bits with its sign copied upwards.

    >>> hex(u64(s32(1 << 31)))
    '0xffffffff80000000'
    """
    return value & 0xFFFF_FFFF_FFFF_FFFF

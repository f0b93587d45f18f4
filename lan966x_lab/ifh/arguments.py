"""The door of the codecs: what a caller hands in becomes what the code behind it can count on.

A header may come in any buffer: ``bytes``, ``bytearray``, a ``memoryview`` of any format, a numpy array.
Behind the door its length is in bytes, and a byte of it is a plain ``int``; a numpy array would give integers
of 8 bits, which overflow without a word. ``bytes`` and ``bytearray`` pass as they are.
"""

from collections.abc import Callable
from functools import wraps
from operator import index
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from lan966x_lab.ifh.fields import Field

__all__ = [
    "AnyBuffer",
    "Header",
    "Writable",
    "for_reading",
    "for_writing",
    "packs_any_buffer",
    "readable",
    "unpacks_any_buffer",
    "writable",
]

Header: TypeAlias = bytes | bytearray | memoryview  # behind the door
AnyBuffer: TypeAlias = Header | NDArray[np.uint8]
Writable: TypeAlias = bytearray | memoryview | NDArray[np.uint8]
Function = TypeVar("Function", bound=Callable[..., Any])

# A tuple that stands ready; ``bytes | bytearray`` would be made anew at each call.
_PLAIN = (bytes, bytearray)


def for_writing(function: Callable[[Any, Field, int], None]) -> Callable[[Writable, Field, int], None]:
    """Let ``function(header, field, value)`` write to any buffer that ``writable`` takes."""

    @wraps(function)
    def checked(header: Any, field: Field, value: int) -> None:
        function(header if isinstance(header, bytearray) else writable(header), field, value)

    return checked


def for_reading(function: Callable[[Any, Field], int]) -> Callable[[AnyBuffer, Field], int]:
    """Let ``function(header, field)`` read from any buffer that ``readable`` takes."""

    @wraps(function)
    def checked(header: Any, field: Field) -> int:
        return function(header if isinstance(header, _PLAIN) else readable(header), field)

    return checked


def packs_any_buffer(pack: Function) -> Function:
    """Let ``pack`` write to any buffer that ``writable`` takes, and refuse numbers that are none."""

    @wraps(pack)
    def checked(buffer: Any, value: int, start_bit: int, end_bit: int, quirks: int = 0) -> None:
        start_bit, end_bit = _bits(start_bit, end_bit)
        try:
            value = index(value)
        except TypeError:
            raise TypeError(
                f"the value of bits {start_bit} to {end_bit} is {_short(value)}: "
                f"allowed 0 to {2 ** max(0, start_bit - end_bit + 1) - 1}; give a whole number"
            ) from None
        pack(writable(buffer), value, start_bit, end_bit, quirks)

    return cast(Function, checked)


def unpacks_any_buffer(unpack: Function) -> Function:
    """Let ``unpack`` read from any buffer that ``readable`` takes, and refuse numbers that are none."""

    @wraps(unpack)
    def checked(buffer: Any, start_bit: int, end_bit: int, quirks: int = 0) -> int:
        start_bit, end_bit = _bits(start_bit, end_bit)
        return cast(int, unpack(readable(buffer), start_bit, end_bit, quirks))

    return cast(Function, checked)


def _bits(start_bit: int, end_bit: int) -> tuple[int, int]:
    try:
        return index(start_bit), index(end_bit)
    except TypeError:
        raise TypeError(
            f"start_bit and end_bit are {_short(start_bit)} and {_short(end_bit)}: allowed 0 or more; "
            "give two whole numbers, the higher bit and the lower one, such as 7 and 0"
        ) from None


def readable(header: AnyBuffer) -> bytes | bytearray:
    """The bytes of any buffer, in the order of its elements.

    Raises:
        TypeError: it is no buffer of numbers.
    """
    if isinstance(header, _PLAIN):
        return header
    return _view(header).tobytes()


def writable(header: AnyBuffer) -> bytearray | memoryview:
    """The buffer itself, as bytes that can be replaced.

    Raises:
        TypeError: it is no buffer of numbers, cannot be written, or its bytes lie apart.
    """
    if isinstance(header, bytearray):
        return header
    view = _view(header)
    if view.readonly:
        raise TypeError(
            f"a header to write to is a bytearray or another buffer that can be written, and this "
            f"{type(header).__name__} cannot. Make a copy: bytearray(header)."
        )
    if view.ndim == 1 and view.format == "B":
        return view
    if not view.c_contiguous:
        raise TypeError(
            f"this {type(header).__name__} of format {view.format!r} and shape {view.shape} has gaps between "
            "its elements. Give a contiguous one, a view of single bytes, or bytearray(header)."
        )
    return view.cast("B") if view.nbytes else bytearray()


def _view(header: Any) -> memoryview:
    try:
        view = memoryview(header)
    except (TypeError, ValueError):
        view = None
    if view is None or "O" in view.format:
        raise TypeError(
            f"a header is a bytes-like object (bytes, bytearray, numpy array), not {_short(header)}. "
            "Make bytes of it first: bytes(...), or bytes.fromhex(...) of hex digits."
        )
    return view


def _short(value: object) -> str:
    return f"{value!r:.40} ({type(value).__name__})"

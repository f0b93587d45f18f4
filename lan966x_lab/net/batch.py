"""Many frames at once: a batch is an (N, W) uint8 array, rows zero-padded, with the N lengths beside it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

__all__ = ["BytesLike", "Frames", "Lengths", "as_bytes", "check", "integer", "stack"]

BytesLike: TypeAlias = bytes | bytearray | memoryview | npt.NDArray[np.uint8]
Frames: TypeAlias = npt.NDArray[np.uint8]
Lengths: TypeAlias = npt.NDArray[np.intp]


def as_bytes(data: BytesLike) -> bytes:
    """The octets of any object with a buffer, in the order of its elements, whatever its format or strides.

    Raises:
        TypeError: the object has no buffer of numbers (a str, a list of integers, an int).
    """
    if type(data) is bytes:
        return data
    if isinstance(data, np.ndarray) and not data.dtype.hasobject:
        return data.tobytes()
    try:
        view = memoryview(cast(Any, data))
    except TypeError:
        view = None
    if view is None or "O" in view.format:
        raise TypeError(
            f"a bytes-like object is needed (bytes, bytearray, numpy array), not {data!r:.40} "
            f"({type(data).__name__}); make bytes of it first: bytes(...), or bytes.fromhex(...) of hex"
        )
    return view.tobytes()


def integer(name: str, value: object, allowed: str) -> int:
    """The value as a plain ``int``, which never overflows as numpy's integers do; its range is not checked.

    >>> integer("port", 1.5, "0 to 7")
    Traceback (most recent call last):
    TypeError: port is 1.5 (float): allowed 0 to 7; give a whole number

    Raises:
        TypeError: it is no integer; the message says what is ``allowed``.
    """
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name} is {value!r:.40} ({type(value).__name__}): allowed {allowed}; give a whole number"
        ) from None


def stack(frames: Sequence[BytesLike]) -> tuple[Frames, Lengths]:
    """Put frames of any lengths into one batch: the rows and their lengths.

    W is the longest length, rounded up to a multiple of 4 so that rows can be read as 32-bit words. The batch
    takes N * W bytes: split a long list into pieces of some thousand frames.

    Raises:
        TypeError: a frame is not bytes-like.
    """
    octets = [as_bytes(frame) for frame in frames]
    lengths = np.fromiter(map(len, octets), np.intp, len(octets))
    width = (int(lengths.max(initial=0)) + 3) // 4 * 4
    rows = np.frombuffer(bytearray().join(frame.ljust(width, b"\0") for frame in octets), np.uint8)
    return rows.reshape(len(octets), width), lengths


def check(frames: Frames, lengths: npt.ArrayLike) -> Lengths:
    """Refuse what is not a batch; return the lengths as an array. That the padding is zero is not checked.

    Raises:
        TypeError: the frames are not an array of uint8, or the lengths are not integers.
        ValueError: the shapes do not fit each other, or a length is not within 0..W.
    """
    if not isinstance(frames, np.ndarray) or frames.dtype != np.uint8:
        kind = frames.dtype if isinstance(frames, np.ndarray) else type(frames).__name__
        raise TypeError(f"frames must be an (N, W) array of uint8, not {kind}; batch.stack() makes one")
    if frames.ndim != 2:
        raise ValueError(f"frames must have the shape (N, W), not {frames.shape}; batch.stack() makes it")
    counts: npt.NDArray[Any] = np.asarray(lengths)
    if counts.shape != (len(frames),):
        raise ValueError(f"{len(frames)} frames need lengths of shape ({len(frames)},), not {counts.shape}")
    if counts.dtype.kind not in "iu" and counts.size:
        raise TypeError(f"lengths must be integers, not {counts.dtype}")
    bad = np.flatnonzero((counts < 0) | (counts > frames.shape[1]))
    if bad.size:
        raise ValueError(
            f"length {counts[bad[0]]} of frame {bad[0]} is not within 0..{frames.shape[1]}, the row's width"
        )
    return counts.astype(np.intp, copy=False)

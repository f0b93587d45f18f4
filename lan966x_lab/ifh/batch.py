"""Many headers at once, on numpy.

Two ideas make it fast. A header is a row of big-endian 32-bit words, so a field costs a shift or two for a
whole column of values, whatever its width. And the work goes in blocks of rows, so that what one step writes
is still in the cache when the next step reads it. Temporaries are as long as one block, not as the batch.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lan966x_lab.ifh.errors import FieldRangeError, HeaderSizeError
from lan966x_lab.ifh.fields import Field, disagreement

if TYPE_CHECKING:
    from lan966x_lab.ifh.layout import Layout

__all__ = ["BLOCK", "decode", "encode"]

#: Rows in a block: 224 KiB of LAN966x headers, so that a block and its temporaries fit a second-level cache.
BLOCK = 8192


def encode(
    layout: "Layout", columns: Mapping[str, ArrayLike], out: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Headers from columns of values: a uint8 array of shape (N, ``layout.nbytes``).

    A column is a sequence or array of N integers (any integer dtype), or one integer for all rows. Bits of
    fields that have no column are 0. Without any column of length N there are as many rows as ``out`` has, or
    one. ``out`` receives the result when it is given: a uint8 array of that shape, each row contiguous; the
    rows may lie apart, as in ``slots[:, :28]``.

    Raises:
        UnknownFieldError, FieldRangeError, FieldOverlapError, TypeError: as ``Layout.encode``, with the row.
        ValueError: columns of different lengths, or ``out`` of a wrong shape, type or stride.
        Nothing is written then.
    """
    scalars: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, values in columns.items():
        array = np.asarray(values)
        if array.ndim:
            arrays[name] = _checked(layout[name], array)
        else:
            scalars[name] = values
    base = np.frombuffer(layout.encode(scalars), ">u4")
    shape = (_common_length(arrays, 1 if out is None else len(out)), layout.nbytes)
    _check_overlaps(layout, {**scalars, **arrays}, shape[0])
    if out is None:
        out = np.empty(shape, np.uint8)
    _check_out(out, shape)

    words = out.view(">u4")
    sums, part = np.empty((2, min(BLOCK, len(out))), np.uint32)
    for rows in _blocks(len(out)):
        total, share = sums[: rows.stop - rows.start], part[: rows.stop - rows.start]
        for k in range(words.shape[1]):
            lowest = 8 * layout.nbytes - 32 * (k + 1)
            total.fill(base[k])
            for name, array in arrays.items():
                field = layout[name]
                if field.pos < lowest + 32 and lowest <= field.top:
                    _shift(array[rows], field.pos - lowest, share)
                    np.bitwise_or(total, share, out=total)
            words[rows, k] = total
    return out


def decode(
    layout: "Layout", headers: NDArray[np.uint8], names: Iterable[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Columns of values from headers: for each named field an array of shape ``headers.shape[:-1]``.

    ``headers`` is a uint8 array of shape (..., ``layout.nbytes``); it is not copied, so it may be a view into
    larger buffers (``slots[:, :28]``). A column has the smallest unsigned dtype that holds its field.

    Raises:
        HeaderSizeError: the last axis has not ``layout.nbytes`` bytes.
        UnknownFieldError: no such field; the message has the nearest name.
        TypeError: not a uint8 array.
    """
    fields = [layout[name] for name in (layout if names is None else names)]
    if not isinstance(headers, np.ndarray) or headers.dtype != np.uint8:
        kind = getattr(headers, "dtype", type(headers).__name__)
        raise TypeError(f"headers come as a uint8 array, not as {kind}. Use np.frombuffer(data, np.uint8).")
    if headers.shape[-1:] != (layout.nbytes,):
        raise HeaderSizeError(
            f"{layout.name} headers have {layout.nbytes} bytes and this array has shape {headers.shape}. "
            f"Give an array of shape (..., {layout.nbytes})."
        )
    columns = {
        field.name: np.empty(headers.shape[:-1], np.min_scalar_type(field.maximum)) for field in fields
    }
    for outer in np.ndindex(headers.shape[:-2]):
        table = np.atleast_2d(headers[outer])
        for rows in _blocks(len(table)):
            for field in fields:
                np.atleast_1d(columns[field.name][(*outer, ...)])[rows] = _read(table[rows], field)
    return columns


def _read(rows: NDArray[np.uint8], field: Field) -> NDArray[Any]:
    """One field of a block, through the smallest word (1, 2, 4 or 8 bytes) that covers it."""
    nbytes = rows.shape[1]
    held = field.bytes_in(nbytes)
    size = next(size for size in (1, 2, 4, 8) if size >= len(held))
    start = min(held.start, nbytes - size)
    window = rows[:, start : start + size]
    if window.strides[1] != 1:
        window = np.ascontiguousarray(window)
    values = window.view(f">u{size}")[:, 0].astype(f"u{size}")
    values >>= values.dtype.type(field.pos - 8 * (nbytes - start - size))
    values &= values.dtype.type(field.maximum)
    return values


def _shift(values: NDArray[Any], places: int, out: NDArray[np.uint32]) -> None:
    """The 32 bits of ``values << places`` that belong to one word; ``places`` may be negative."""
    if places >= 0:
        np.left_shift(values, np.uint32(places), out=out, dtype=np.uint32, casting="unsafe")
    else:
        np.right_shift(values, values.dtype.type(-places), out=out, casting="unsafe")


def _blocks(length: int) -> Iterator[slice]:
    """The rows 0 to ``length``, a block at a time."""
    return (slice(start, min(start + BLOCK, length)) for start in range(0, length, BLOCK))


def _checked(field: Field, values: NDArray[Any]) -> NDArray[Any]:
    """The values as unsigned integers, once all of them are known to fit."""
    if values.dtype.kind not in "iub" or values.ndim != 1:
        raise TypeError(
            f"{field.name} takes one integer or a column of integers, not an array of {values.dtype} "
            f"with shape {values.shape}."
        )
    # Seen as unsigned, a negative number is a very large one: a single maximum finds both faults.
    unsigned = values.view(values.dtype.str.replace("i", "u").replace("b", "u"))
    if len(values) and unsigned.max() > field.maximum:
        row = int((unsigned > field.maximum).argmax())
        raise FieldRangeError(field.name, int(values[row]), field.maximum, row)
    return unsigned


def _check_overlaps(layout: "Layout", columns: Mapping[str, Any], length: int) -> None:
    for a, b in layout.overlaps:
        if a.name in columns and b.name in columns:
            pair = [np.broadcast_to(columns[field.name], length) for field in (a, b)]
            for rows in _blocks(length):
                left, right = (column[rows].astype(np.uint64) for column in pair)
                differ = disagreement(a, left, b, right) != 0
                if differ.any():
                    row = differ.argmax()
                    layout.check_overlaps({a.name: int(left[row]), b.name: int(right[row])})


def _common_length(arrays: Mapping[str, NDArray[Any]], otherwise: int) -> int:
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns have different lengths: {lengths}. Give one length, or single values.")
    return next(iter(lengths.values()), otherwise)


def _check_out(out: NDArray[np.uint8], shape: tuple[int, int]) -> None:
    if out.shape != shape or out.dtype != np.uint8 or out.strides[1] != 1 or not out.flags.writeable:
        raise ValueError(
            f"out has shape {out.shape}, dtype {out.dtype}, strides {out.strides}. "
            f"Give a writable uint8 array of shape {shape} with contiguous rows."
        )

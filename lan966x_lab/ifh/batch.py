"""Many headers at once, on numpy.

Two ideas make it fast. Up to four bytes of a header are one big-endian word, so a field costs a shift or two
for a whole column of values, whatever its width. And the work goes in blocks of rows, so that what one step
writes is still in the cache when the next step reads it. Temporaries are one block long at most.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lan966x_lab.ifh.errors import FieldRangeError, HeaderSizeError
from lan966x_lab.ifh.fields import Field, disagreement

if TYPE_CHECKING:
    from lan966x_lab.ifh.layout import Layout

__all__ = ["BLOCK", "decode", "encode"]

#: Rows in a block. With more, the headers of a block (0.4 MiB) and 64-bit columns beside them no longer stay
#: in the cache from one field to the next; with fewer, the price of a numpy call (about a microsecond) begins
#: to show. Timed in turns at 4096 to 32768 rows.
BLOCK = 16384

Column = NDArray[Any]


def encode(
    layout: "Layout", columns: Mapping[str, ArrayLike], out: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Headers from columns of values: a uint8 array of shape (N, ``layout.nbytes``).

    A column is a sequence or array of N integers (any integer dtype), or one integer for all rows. Bits of
    fields that have no column are 0. Without any column of length N there are as many rows as ``out`` has, or
    one. ``out`` receives the result when it is given: a uint8 array of that shape, each row contiguous; the
    rows may lie apart, as in ``slots[:, :28]``. Columns may be views of it; it is written last.

    Raises:
        UnknownFieldError, FieldRangeError, FieldOverlapError, TypeError: as ``Layout.encode``.
        TypeError: ``out`` is no array.
        ValueError: columns of different lengths, or ``out`` of a wrong shape, dtype or stride.
        Nothing is written then.
    """
    scalars: dict[str, Any] = {}
    arrays: dict[str, Column] = {}
    for name, values in columns.items():
        if _is_column(values):
            arrays[name] = _checked(layout[name], values)
        else:
            scalars[name] = values
    base = layout.encode(scalars)
    length = _common_length(arrays, 1 if out is None else len(out))
    _check_overlaps(layout, {**scalars, **arrays}, length)
    if out is None:
        out = np.empty((length, layout.nbytes), np.uint8)
    else:
        _check_out(out, (length, layout.nbytes))
        # A column that may lie in ``out`` is copied first: it would change under the hands of its reader.
        arrays = {
            name: column.copy() if np.may_share_memory(column, out) else column
            for name, column in arrays.items()
        }

    words = list(_words(layout, base, arrays))
    targets = [_view(out, word.held) for word in words]
    sums, parts = np.empty((2, min(BLOCK, length)), np.uint32)
    for rows in _blocks(length):
        total, part = sums[: rows.stop - rows.start], parts[: rows.stop - rows.start]
        out[rows] = 0
        for word, target in zip(words, targets, strict=True):
            _add_up(word, rows, total, part)
            np.copyto(target[rows], total, casting="unsafe")
    return out


def decode(
    layout: "Layout", headers: NDArray[np.uint8], names: Iterable[str] | None = None
) -> dict[str, Column]:
    """Columns of values from headers: for each named field an array of shape ``headers.shape[:-1]``.

    ``headers`` is a uint8 array of shape (..., ``layout.nbytes``). It is not copied as long as each header is
    contiguous and all are equally spaced, so it may be a view into larger buffers (``slots[:, :28]``).
    A column has the smallest unsigned dtype that holds its field.

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
    table = headers.reshape(-1, layout.nbytes)
    if table.strides[1] != 1:
        table = np.ascontiguousarray(table)
    readings = [_reading(field, table) for field in fields]
    columns = [np.empty(len(table), np.min_scalar_type(field.maximum)) for field in fields]
    for rows in _blocks(len(table)):
        for (word, shift, mask), column in zip(readings, columns, strict=True):
            values = word[rows].astype(word.dtype.newbyteorder("="))
            if shift:
                values >>= shift
            if mask:
                values &= mask
            np.copyto(column[rows], values, casting="unsafe")
    shape = headers.shape[:-1]
    return {field.name: column.reshape(shape) for field, column in zip(fields, columns, strict=True)}


class _Word(NamedTuple):
    """Bytes of the header that are written as one word: where, their constant bits, and what columns add.

    Beside each column stands the number of places by which its values go up to get to this word. It is
    negative for the upper part of a field that begins in a later word.
    """

    held: range
    constant: int
    shares: list[tuple[Column, int]]


def _words(layout: "Layout", base: bytes, arrays: Mapping[str, Column]) -> Iterator[_Word]:
    """The words to write, no byte twice; the bytes between them are 0 in every row.

    A word starts at the first byte that may not be 0, and has four bytes, or fewer at the end of the header.
    """
    fields = [layout[name] for name in arrays]
    landing = {at for at, byte in enumerate(base) if byte}
    landing.update(*(field.bytes_in(layout.nbytes) for field in fields))
    end = 0
    for start in sorted(landing):
        if start >= end:
            end = start + next(size for size in (4, 2, 1) if start + size <= layout.nbytes)
            lowest, above = 8 * (layout.nbytes - end), 8 * (layout.nbytes - start)
            reaching = [field for field in fields if field.pos < above and lowest <= field.top]
            shares = [(arrays[field.name], field.pos - lowest) for field in reaching]
            yield _Word(range(start, end), int.from_bytes(base[start:end], "big"), shares)


def _add_up(word: _Word, rows: slice, total: NDArray[np.uint32], part: NDArray[np.uint32]) -> None:
    """The word's value for some rows, into ``total``; ``part`` is scratch space."""
    if not word.shares:
        total.fill(word.constant)
        return
    (first, places), *others = word.shares
    _shift(first[rows], places, total)
    for column, places in others:
        _shift(column[rows], places, part)
        np.bitwise_or(total, part, out=total)
    if word.constant:
        np.bitwise_or(total, np.uint32(word.constant), out=total)


def _shift(values: Column, places: int, out: NDArray[np.uint32]) -> None:
    """The low 32 bits of ``values << places``; ``places`` may be negative."""
    if places < 0:
        np.right_shift(values, values.dtype.type(-places), out=out, casting="unsafe")
    else:
        np.copyto(out, values, casting="unsafe")
        if places:
            np.left_shift(out, np.uint32(places), out=out)


def _reading(field: Field, table: NDArray[np.uint8]) -> tuple[Column, Any, Any]:
    """How to read a field: the smallest word that covers it, the places to go down, the mask.

    Places and mask are None where there is nothing to do.
    """
    nbytes = table.shape[1]
    held = field.bytes_in(nbytes)
    size = next(size for size in (1, 2, 4, 8) if size >= len(held))
    start = min(held.start, nbytes - size)
    word = _view(table, range(start, start + size))
    places = field.pos - 8 * (nbytes - start - size)
    kind = np.dtype(f"u{size}").type
    return word, kind(places) or None, kind(field.maximum) if places + field.width < 8 * size else None


def _view(table: NDArray[np.uint8], held: range) -> Column:
    """Some bytes of every row, seen as one big-endian word."""
    return table[:, held.start : held.stop].view(f">u{len(held)}")[:, 0]


def _blocks(length: int) -> Iterator[slice]:
    """The rows 0 to ``length``, a block at a time."""
    return (slice(start, min(start + BLOCK, length)) for start in range(0, length, BLOCK))


def _is_column(values: Any) -> bool:
    try:
        return np.ndim(values) > 0
    except ValueError:  # a list that holds lists of several lengths; what is wrong in it is said by its field
        return True


def _checked(field: Field, values: Any) -> Column:
    """The values as unsigned integers, once all of them are known to fit."""
    if not isinstance(values, np.ndarray):
        # One by one, because numpy makes floats of some lists of integers: of [], of [0, 2**64 - 1].
        numbers = [field.check(value, row) for row, value in enumerate(values)]
        return np.array(numbers, np.min_scalar_type(field.maximum))
    if values.dtype.kind not in "iub" or values.ndim != 1:
        raise TypeError(
            f"{field.name} takes one integer or a column of integers, not an array of {values.dtype} "
            f"with shape {values.shape}."
        )
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    # Seen as unsigned, a negative number is larger than any positive one of its type: one maximum finds both.
    limit = min(field.maximum, np.iinfo(values.dtype).max)
    unsigned: Column = values.view(values.dtype.str.replace("i", "u"))
    if len(values) and unsigned.max() > limit:
        row = int((unsigned > limit).argmax())
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


def _common_length(arrays: Mapping[str, Column], otherwise: int) -> int:
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns have different lengths: {lengths}. Give one length, or single values.")
    return next(iter(lengths.values()), otherwise)


def _check_out(out: NDArray[np.uint8], shape: tuple[int, int]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}. Give a uint8 array of shape {shape}.")
    fits = out.shape == shape and out.dtype == np.uint8 and out.flags.writeable
    if not fits or (out.size and out.strides[1] != 1):
        raise ValueError(
            f"out has shape {out.shape}, dtype {out.dtype}, strides {out.strides}. "
            f"Give a writable uint8 array of shape {shape} with contiguous rows."
        )

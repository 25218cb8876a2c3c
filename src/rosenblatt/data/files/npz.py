"""Reading of NPZ files, which hold NumPy arrays."""

import io
import zipfile
import zlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from rosenblatt.data.files.sources import Place
from rosenblatt.errors import DataError

LABELS = "biufU"  # kinds of dtypes that labels may have
SURROGATES = 0xD800, 0xDFFF  # the first and the last


class Arrays(NamedTuple):
    """The arrays of an NPZ file."""

    X: Any
    y: Any
    names: list[str] | None


def arrays_of(place: Place) -> Arrays:
    """Read X, y and, if present, the names from an NPZ file; a sparse X is stored as data, indices, indptr and shape.

    Raises
    ------
    DataError
        The file is not NPZ, or lacks an array, or holds Python objects, which are never loaded.
    """
    try:
        with place.open_at_once() as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except DataError:  # a ValueError, too
        raise
    except (OSError, ValueError, KeyError, EOFError, AttributeError, TypeError) as error:
        raise _not_npz(place, error) from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError) as error:
        raise _not_npz(place, error) from error
    sparse = {"data", "indices", "indptr", "shape"} <= set(arrays)
    if "y" not in arrays or not (sparse or "X" in arrays):
        there = ", ".join(arrays) or "nothing"
        raise DataError(
            f"{place.name}: arrays X and y were expected (or data, indices, indptr, shape and y), not {there}."
        )
    X: Any = arrays.get("X")
    y = arrays["y"]
    if sparse:
        try:
            shape = tuple(int(size) for size in arrays["shape"].ravel())
            X = scipy.sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise DataError(f"{place.name}: its arrays are not a CSR matrix: {error}.") from error
    if X.ndim != 2 or y.ndim != 1 or len(y) != X.shape[0] or X.dtype.kind not in "biuf":
        raise DataError(
            f"{place.name}: X must be a table of numbers and y hold a label for each row; their shapes are {X.shape} "
            f"and {y.shape}."
        )
    if y.dtype.kind not in LABELS:
        raise DataError(
            f"{place.name}: labels were expected in y, words, whole numbers or booleans, but their type is {y.dtype}. "
            "Save words as y.astype(str)."
        )
    if _has_surrogates(y):
        raise DataError(f"{place.name}: a label in y has characters that are not Unicode text.")
    names = [str(name) for name in arrays["names"].ravel()] if "names" in arrays else None
    return Arrays(X, y, names if names is not None and len(names) == X.shape[1] else None)


def _has_surrogates(words: Any) -> bool:
    """Is there half of a pair of surrogates?  Python can hold it, but no file of text can."""
    if words.dtype.kind != "U" or not words.size or not words.dtype.itemsize:
        return False
    characters = np.ascontiguousarray(words, dtype=words.dtype.newbyteorder("=")).view(np.uint32)
    return bool(((characters >= SURROGATES[0]) & (characters <= SURROGATES[1])).any())


def _not_npz(place: Place, error: Exception) -> DataError:
    said = str(error).splitlines()[0].rstrip(".") if str(error) else "it is damaged"
    return DataError(f"{place.name}: it cannot be read as npz: {said}.")

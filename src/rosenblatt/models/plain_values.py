"""Plain values as arrays and JSON: numbers, strings, arrays, sparse matrices, and containers of these.

JSON has no form for most of them. Each then becomes an object whose key names the form.
"""

import math
import re
from typing import Any

import numpy as np

from rosenblatt.base.json_forms import NON_FINITE
from rosenblatt.base.schema import Arrays, Source
from rosenblatt.models.labels import DTYPES, MAX_LABEL_CHARACTERS

NUMBERS = (*DTYPES["bool"], *DTYPES["int"], *DTYPES["float"])  # names of dtypes
TYPES: dict[str, type] = {
    **{f"numpy.{name}": np.dtype(name).type for name in NUMBERS},
    **{each.__name__: each for each in (bool, int, float, str, object)},
}
STRINGS = re.compile(r"<U[0-9]{1,6}")
SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
MAX_DEPTH = 30


class PlainWriter:
    """Takes values apart: arrays go to `arrays` under numbers, all else becomes JSON.

    A subclass takes other values apart in `pack_other`. Its messages begin with `where`.
    """

    def __init__(self, where: str = "The model", arrays: Arrays | None = None) -> None:
        self.where = where
        self.arrays: Arrays = {} if arrays is None else arrays

    def pack_other(self, value: Any) -> Any:
        """Return a value of another class as JSON, or raise."""
        raise NotImplementedError

    def pack(self, value: Any) -> Any:
        """Return a value as JSON."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic) and value.dtype.name in NUMBERS:
            return {"scalar": self.pack(value.item()), "dtype": value.dtype.name}
        if isinstance(value, np.ndarray):
            return self._pack_array(value)
        if type(value).__name__ in SPARSE and hasattr(value, "indptr"):
            parts = {name: self.pack(getattr(value, name)) for name in ("data", "indices", "indptr")}
            return {"sparse": type(value).__name__, **parts, "shape": list(value.shape)}
        packed = self._pack_container(value)
        return self._pack_type(value) if packed is None else packed

    def _pack_array(self, array: Any) -> Any:
        if array.dtype.name in NUMBERS:
            key = str(len(self.arrays))
            self.arrays[key] = np.array(array, order="C")
            only_by_columns = array.flags.f_contiguous and not array.flags.c_contiguous  # products then round alike
            return {"array": key, "order": "F" if only_by_columns else "C"}
        if array.dtype.kind == "U":
            return {"strings": array.ravel().tolist(), "dtype": array.dtype.str, "shape": list(array.shape)}
        if array.dtype.kind == "O":
            return {"objects": [self.pack(each) for each in array.ravel()], "shape": list(array.shape)}
        return self.pack_other(array)

    def _pack_container(self, value: Any) -> Any:
        if type(value) is list:
            return [self.pack(each) for each in value]
        if type(value) is tuple:
            return {"tuple": [self.pack(each) for each in value]}
        if type(value) is dict:
            return {"dict": [[self.pack(key), self.pack(part)] for key, part in value.items()]}
        if type(value) is slice:
            return {"slice": [self.pack(end) for end in (value.start, value.stop, value.step)]}
        return None

    def _pack_type(self, value: Any) -> Any:
        if isinstance(value, np.dtype) and (value.name in (*NUMBERS, "object") or value.kind == "U"):
            return {"dtype": value.str if value.kind == "U" else value.name}
        name = next((name for name, each in TYPES.items() if value is each), None)
        return self.pack_other(value) if name is None else {"type": name}


class PlainReader:
    """Builds values from what a `PlainWriter` wrote, after a check. A subclass builds others in `unpack_other`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.depth = 0

    def unpack_other(self, kept: Any) -> Any:
        """Return the value of another class, or raise."""
        raise NotImplementedError

    def unpack(self, kept: Any) -> Any:
        """Return the value that `pack` wrote.

        Raises
        ------
        DataError
            Nothing writes this.
        """
        if self.depth > MAX_DEPTH:
            raise self.source.refusal(f"has values inside values, more than {MAX_DEPTH} deep")
        self.depth += 1
        value = self._unpack(kept)
        self.depth -= 1
        return value

    def _unpack(self, kept: Any) -> Any:
        match kept:
            case None | bool() | int() | str() | float():
                return kept
            case list():
                return [self.unpack(each) for each in kept]
            case {"float": str(word), **rest} if not rest and word in NON_FINITE:
                return NON_FINITE[word]
            case {"scalar": value, "dtype": dtype, **rest} if not rest and dtype in NUMBERS:
                return self._scalar(self.unpack(value), dtype)
            case {"tuple": list(items), **rest} if not rest:
                return tuple(self.unpack(each) for each in items)
            case {"dict": list(pairs), **rest} if not rest:
                return {self.unpack(key): self.unpack(part) for key, part in pairs}
            case {"slice": [start, stop, step], **rest} if not rest:
                return slice(*(self.unpack(end) for end in (start, stop, step)))
            case {"type": str(name), **rest} if not rest and name in TYPES:
                return TYPES[name]
            case {"dtype": str(name), **rest} if not rest and (name in (*NUMBERS, "object") or STRINGS.fullmatch(name)):
                return np.dtype(name)
        return self._array(kept)

    def _scalar(self, value: Any, dtype: str) -> Any:
        number = np.dtype(dtype).type(value)
        if type(value) not in (bool, int, float) or not (number == value or value != value):
            raise self.source.refusal(f"has {str(value)[:40]!r}, which is not a number of type {dtype}")
        return number

    def _array(self, kept: Any) -> Any:
        match kept:
            case {"array": str(key), "order": "C" | "F" as order, **rest} if not rest:
                array = self.source.array(key)
                if not isinstance(array, np.ndarray) or array.dtype.name not in NUMBERS:
                    raise self.source.refusal(f"has an array {key!r} of an unknown type")
                return np.require(array, requirements=[order, "A", "W"])
            case {"strings": list(items), "dtype": str(dtype), "shape": list(shape), **rest} if not rest:
                fits = STRINGS.fullmatch(dtype) and all(type(each) is str for each in items)
                if fits and len(items) * int(dtype[2:]) < MAX_LABEL_CHARACTERS:
                    return np.array(items, dtype=dtype).reshape(self._shape(shape, len(items)))
            case {"objects": list(items), "shape": list(shape), **rest} if not rest:
                array = np.empty(len(items), dtype=object)
                array[:] = [None] * len(items)
                for i, each in enumerate(items):
                    array[i] = self.unpack(each)
                return array.reshape(self._shape(shape, len(items)))
            case {
                "sparse": str(form),
                "data": data,
                "indices": indices,
                "indptr": indptr,
                "shape": list(shape),
                **rest,
            } if not rest and form in SPARSE:
                return self._sparse(form, [self.unpack(part) for part in (data, indices, indptr)], shape)
        return self.unpack_other(kept)

    def _shape(self, shape: list[Any], size: int) -> tuple[int, ...]:
        if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) != size:
            raise self.source.refusal(f"has an array of the impossible shape {str(shape)[:40]}")
        return tuple(shape)

    def _sparse(self, form: str, parts: list[Any], shape: list[Any]) -> Any:
        import scipy.sparse

        made = getattr(scipy.sparse, form)(tuple(parts), shape=tuple(shape))
        made.check_format(full_check=True)
        return made

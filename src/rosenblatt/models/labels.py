"""The class labels, the column names and the encoding of a model as JSON, and back."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.schema import Facts, Source
from rosenblatt.errors import DataError

MAX_LABEL_CHARACTERS = 2**24  # number of labels times the length of the longest: what an array of strings takes
TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
DTYPES = {
    "bool": ("bool",),
    "int": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "float": ("float16", "float32", "float64"),
    "str": ("str", "object"),
}


def pack_labels(classes: NDArray[Any]) -> Facts:
    """Class labels as JSON, with their dtype."""
    kind, dtype = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(classes.dtype.kind), classes.dtype.name
    labels = classes.tolist()
    if len(labels) < 2:
        raise DataError(f"The model knows one class so far, {labels[0]!r}; it can be saved when it knows two.")
    if classes.dtype.kind in "UO" and all(isinstance(label, str) for label in labels):
        kind, dtype = "str", "str" if classes.dtype.kind == "U" else "object"
    if kind is None or dtype not in DTYPES[kind]:
        raise DataError(
            f"Class labels can be saved if they are integers, floats, booleans or strings; these are {labels[:3]}, of "
            f"type {classes.dtype}."
        )
    return {"kind": kind, "dtype": dtype, "labels": labels}


def unpack_labels(source: Source) -> NDArray[Any]:
    """Class labels from JSON, after a check."""
    kind, dtype, labels = (source.fact(name) for name in ("kind", "dtype", "labels"))
    source.end()
    if not isinstance(kind, str) or kind not in TYPES or dtype not in DTYPES[kind] or not isinstance(labels, list):
        raise source.refusal("has labels of an unknown kind")
    if len(labels) < 2 or not all(type(label) is TYPES[kind] for label in labels):
        raise source.refusal(f"must have two or more labels of the kind {kind!r}")
    if not all(a < b for a, b in pairwise(labels)) or (kind == "float" and not all(map(math.isfinite, labels))):
        raise source.refusal("has labels that are not in increasing order")
    if dtype == "str" and len(labels) * max(map(len, labels)) > MAX_LABEL_CHARACTERS:
        raise source.refusal("has too many labels, or one that is too long")
    with np.errstate(over="ignore"):
        classes = np.array(labels, dtype=dtype)
    if classes.tolist() != labels:
        raise source.refusal(f"has labels that do not fit the type {dtype!r}")
    return classes


def pack_columns(model: Any) -> Facts:
    """The number of columns and their names, if there are names."""
    names = getattr(model, "feature_names_in_", None)
    if model.n_features_in_ == 0:
        raise DataError("The model has no columns yet; it can be saved when it has learned from a row that has names.")
    return {"count": int(model.n_features_in_), "names": None if names is None else list(names)}


def unpack_columns(model: Any, source: Source) -> None:
    """Give a model its number of columns and their names, after a check."""
    count, names = source.fact("count"), source.fact("names")
    source.end()
    if type(count) is not int or not 1 <= count < 2**62:
        raise source.refusal("must have a count of at least 1")
    model.n_features_in_ = count
    if names is not None:
        if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
            raise source.refusal(f"must have {count} strings as names")
        model.feature_names_in_ = np.array(names, dtype=object)


def pack_encoding(model: Any) -> Any:
    """The model's `encoding_`, or None."""
    encoding = getattr(model, "encoding_", None)
    if encoding is not None and not isinstance(encoding, dict):
        raise DataError(f"encoding_ must be a dict that can be written as JSON, not a {type(encoding).__name__}.")
    return encoding


def unpack_encoding(model: Any, source: Source) -> None:
    """Give a model its `encoding_`, if it has one."""
    encoding = source.fact("encoding")
    if encoding is not None and not isinstance(encoding, dict):
        raise source.refusal("has an encoding that is not an object")
    if encoding is not None:
        model.encoding_ = encoding

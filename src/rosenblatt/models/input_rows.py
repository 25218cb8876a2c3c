"""Rows of a file for a saved model: columns are found by name and encoded as in training."""

from typing import Any, cast

import numpy as np

from rosenblatt.base.text_tables.dialect import FIND_ALL, DialectOptions
from rosenblatt.base.text_tables.gaps import LEAVE_OUT_OR_FILL
from rosenblatt.data.files.encoding import COUNT_FROM_0, Column, Encoding
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.files.sources import Format, places
from rosenblatt.data.raw_table import read_raw
from rosenblatt.errors import DataError

MAX_LISTED_NAMES = 8


def classifier_of(model: Any) -> Any:
    """The classifier at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def seen_by(model: Any, X: Any) -> Any:
    """The rows that reach the classifier: transformed by the steps of the pipeline before it, if there is one."""
    return model[:-1].transform(X) if hasattr(model, "steps") else X


def starts_with_a_transformer(model: Any) -> bool:
    """Whether the first step of a pipeline is a transformer of scikit-learn, which may take words and missing cells."""
    return hasattr(model, "steps") and type(model.steps[0][1]).__module__.startswith("sklearn.")


def rows_for(
    fitted: Any,
    source: str,
    target: str | None,
    format: Format | None,  # noqa: A002
    text: DialectOptions = FIND_ALL,
) -> Data:
    """Read rows for a fitted model; `text` is what the user says about the text of a table.

    Labels are read if `target` is given; otherwise the file need not have them.

    Raises
    ------
    DataError
        The columns of the file cannot be those that the model was trained on.
    """
    kind = places(source, format)[0].format
    record = getattr(classifier_of(fitted), "encoding_", None) or {}
    names = getattr(fitted, "feature_names_in_", None)
    if not hasattr(fitted, "n_features_in_"):
        first = type(fitted.steps[0][1]).__name__
        raise DataError(f"{source}: the model starts with {first}, which takes no table. Predict in Python: load(...).")
    if kind == "libsvm":
        if names is not None or "columns" in record:
            raise DataError(f"{source}: {_unnamed(names)}")
        return _libsvm_rows(source, target, record.get("zero_based"), int(fitted.n_features_in_), text)
    if kind in ("vw", "npz"):
        bits = int(fitted.n_features_in_).bit_length() - 1
        return read(source, target, format=kind, hash_bits=bits if kind == "vw" else None, **cast(Any, text._asdict()))
    if "columns" in record:
        known = Encoding.from_dict(record)
        encoding = Encoding(known.columns, None, known.hash_bits)
    elif names is not None and starts_with_a_transformer(fitted):
        X, y, dialect = read_raw(source, list(names), target, format, text)
        return Data(X, np.empty(0) if y is None else y, encoding=Encoding((), target), dialect=dialect)
    elif names is not None:
        encoding = Encoding(tuple(Column(str(name), "number") for name in names))
    else:
        raise DataError(
            f"{source}: the file is a table with named columns, but this model was trained on data without them."
        )
    try:
        return read(source, target, format=format, encoding=encoding, **cast(Any, text._asdict()))
    except DataError as error:
        if error.remedy is not LEAVE_OUT_OR_FILL:
            raise
        raise DataError(
            f"{error.args[0]} The model has no value for a gap in this column. Write a value into the cell, leave the "
            "row out of the file, or fit the model with --missing mean, most-frequent or level."
        ) from error


def _unnamed(names: Any) -> str:
    """Say that LIBSVM text does not fit a model with named columns, and what does."""
    listed = [] if names is None else [repr(name) for name in names[:MAX_LISTED_NAMES]]
    if names is not None and len(names) > MAX_LISTED_NAMES:
        listed.append("...")
    return (
        "the file is LIBSVM text, whose columns have no names, but this model was trained on columns with names. "
        f"Give a table that has them (CSV, Parquet, JSON lines){': ' if listed else ''}{', '.join(listed)}."
    )


def _libsvm_rows(source: str, target: str | None, zero_based: bool | None, width: int, text: DialectOptions) -> Data:
    """Read LIBSVM text whose columns count as those that the model was trained on; None if the model does not tell."""
    try:
        known: dict[str, Any] = {"width": width, "zero_based": zero_based}
        return read(source, target, format="libsvm", **known, **cast(Any, text._asdict()))
    except DataError as error:
        if error.remedy is not COUNT_FROM_0 or zero_based is None:
            raise
        raise DataError(
            f"{error.args[0]} The model was trained on columns that count from 1: number the columns of this file so."
        ) from error

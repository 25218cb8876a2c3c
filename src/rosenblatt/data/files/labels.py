"""Conversion of the label column of a table to labels: integers, booleans or strings.

Labels that differ in the file stay different: no number is rounded, and no word loses its spaces.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.text_tables.gaps import MISSING_LABEL
from rosenblatt.base.text_tables.labels import MAX_WHOLE_FLOAT, NOT_A_LABEL, TextLabels
from rosenblatt.errors import DataError

INT64_LIMIT = 2**63
DTYPES = {"boolean": bool, "number": np.int64, "word": str}
Troubles = dict[int, str]  # by row, what is wrong with its label


def labels_of(column: Any, target: str, rule: TextLabels | None) -> tuple[NDArray[Any], Troubles]:
    """Convert a column of an Arrow table to labels; also say what is wrong with the rows whose label cannot be used.

    Parameters
    ----------
    column : the column; cells of a text table are strings
    target : its name, for messages
    rule : how the cells of a text table become labels; None for a column that has a type

    Raises
    ------
    DataError
        A column of this type cannot hold labels.
    """
    import pyarrow
    from pyarrow import types

    kind = column.type
    if rule is None and types.is_boolean(kind):
        return np.asarray(column.fill_null(False).to_numpy(), dtype=bool), _missing(column)
    if rule is None and types.is_integer(kind) and kind != pyarrow.uint64():
        return np.asarray(column.fill_null(0).to_numpy(), dtype=np.int64), _missing(column)
    if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise DataError(f"column {target!r}: labels, words or whole numbers, were expected, but it holds {kind}.")
    if types.is_temporal(kind):
        column = column.cast(pyarrow.string())
    values, codes = distinct(column)
    numeric = types.is_floating(kind) or types.is_decimal(kind) or kind == pyarrow.uint64()
    dtype = DTYPES[rule.kind] if rule is not None else np.int64 if numeric else str
    labels, wrong = [], Troubles()
    for k, value in enumerate(values):
        try:
            labels.append(_whole(value) if numeric else _label(value, rule))
        except ValueError as error:
            labels.append(dtype())
            wrong[k] = str(error)
    troubles = _missing(column)
    for row in np.flatnonzero(np.isin(codes, list(wrong))).tolist() if wrong else []:
        troubles[row] = wrong[int(codes[row])]
    return np.array([*labels, dtype()], dtype=dtype)[codes], troubles


def _missing(column: Any) -> Troubles:
    if not column.null_count:
        return {}
    return dict.fromkeys(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist(), MISSING_LABEL)


def _label(value: Any, rule: TextLabels | None) -> Any:
    word = value if isinstance(value, str) else repr(value)
    if value is None or not word.strip():
        raise ValueError(MISSING_LABEL)
    if "\0" in word:  # NumPy would cut it off at the end of a word
        raise ValueError(f"a label without the character 0 was expected, not {word!r:.40}")
    label = word if rule is None else rule.label(word)
    return label if isinstance(label, str) else _fitting(label)


def _whole(number: Any) -> int:
    """Convert a float, decimal or integer to the integer that it is."""
    if number != number:
        raise ValueError(MISSING_LABEL)
    if not abs(number) < float("inf") or int(number) != number:
        raise ValueError(f"{NOT_A_LABEL}, not {number:g}")
    return _fitting(int(number))


def _fitting(number: int) -> int:
    if not -INT64_LIMIT <= number < INT64_LIMIT:
        raise ValueError(f"a label that is a number must fit 64 bits, which {number} does not")
    return number


def may_be_rounded(column: Any) -> bool:
    """Are these floats, some of which may stand for integers that no float can hold?"""
    import pyarrow

    if not pyarrow.types.is_floating(column.type) or column.null_count == len(column):
        return False
    return bool(np.nanmax(np.abs(column.drop_null().to_numpy())) >= MAX_WHOLE_FLOAT)


def distinct(column: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Give the distinct values of a column, and the number of the value of each row, -1 if it is missing."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    joined = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    joined = joined if isinstance(joined, pyarrow.DictionaryArray) else pyarrow.concat_arrays(joined.chunks)
    codes = joined.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return joined.dictionary.to_pylist(), codes

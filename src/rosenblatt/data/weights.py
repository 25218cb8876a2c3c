"""Weights of classes and rows: `class_weight` and `sample_weight`."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.validation import Codes, Floats, Matrix
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import parameter, worded


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: Codes | None, weights: Floats | None = None
) -> Floats:
    """Compute the weight of each class; `codes` are the class numbers and `weights` the weights of the rows."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        from sklearn.utils import compute_class_weight  # a verdict needs no scikit-learn

        every = np.arange(len(classes))
        if codes is None or len(np.unique(codes)) < len(classes):
            balanced = parameter("class_weight", class_weight)
            raise DataError(worded(f"{{it}} needs rows of each of the classes {classes.tolist()}.", it=balanced))
        return np.asarray(compute_class_weight("balanced", classes=every, y=codes, sample_weight=weights))
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ParameterError(f"class_weight names {unknown[0]!r}, which is not one of the classes {labels}.")
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def row_weights(sample_weight: Any, codes: Codes, classes: NDArray[Any]) -> Floats:
    """Compute the weight of each row: 1 if none is given; a row of weight 0 is ignored.

    Raises
    ------
    DataError
        The weights are not one finite number of at least 0 for each row, or ignore all rows of a class.
    """
    weights = chunk_weights(sample_weight, len(codes))
    if sample_weight is not None:
        ignored = np.setdiff1d(codes, codes[weights > 0])
        if len(ignored):
            raise DataError(
                f"sample_weight is zero for every row of class {classes.tolist()[ignored[0]]!r}; leave those rows out, "
                "or give one a weight."
            )
    return weights


def chunk_weights(sample_weight: Any, n: int) -> Floats:
    """Compute the weight of each of n rows, which may be some of those to come: 1 if none is given.

    Raises
    ------
    DataError
        The weights are not one finite number of at least 0 for each row.
    """
    if sample_weight is None:
        return np.ones(n)
    if np.ma.is_masked(sample_weight):
        raise DataError("sample_weight must hold a number for each row; some are masked.")
    try:
        given = np.asarray(sample_weight)
        weights = given.astype(np.float64) if given.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"sample_weight must hold a number for each row: {error}") from error
    if weights is None:
        raise DataError(f"sample_weight must hold a number for each row; its type is {given.dtype}.")
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise DataError(f"sample_weight must hold one number for each of the {n} rows; its shape is {weights.shape}.")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"Every weight must be a finite number of at least 0; sample_weight[{row}] is {weights[row]}.")
    return weights


def distinct_rows(points: Matrix, codes: Codes, weights: Floats, *, as_given: bool) -> tuple[Codes, Floats]:
    """Merge equal rows: give the number of the first of them, and the sum of their weights.

    Rows are equal if their numbers and their labels are. With as_given=True the merged rows keep the order of their
    first appearance. Otherwise their order depends only on what they hold, so k copies are the same as a weight of k,
    wherever they stand, and dense rows are the same as sparse ones.
    """
    X = scipy.sparse.csr_array(points, copy=True)
    X.eliminate_zeros()
    indices = X.indices.astype(np.int64, copy=False)
    totals: dict[bytes, float] = {}
    first: dict[bytes, int] = {}
    for i in np.flatnonzero(weights).tolist():
        held = slice(X.indptr[i], X.indptr[i + 1])
        key = codes[i].tobytes() + indices[held].tobytes() + X.data[held].tobytes()
        first.setdefault(key, i)
        totals[key] = totals.get(key, 0.0) + float(weights[i])
    keys = list(first) if as_given else sorted(first)
    return np.array([first[key] for key in keys]), np.array([totals[key] for key in keys])

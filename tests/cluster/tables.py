"""Tables in memory, and the same tables as Dask's collections."""

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
import scipy.sparse
from numpy.typing import NDArray


def table(n: int, d: int, k: int = 2, *, noise: float = 0.3, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and labels of k classes; without noise a hyperplane, or a linear machine, separates the classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, k)) + noise * rng.standard_normal((n, k))
    if not noise:  # leave a margin
        first, second = np.sort(scores, axis=1)[:, -1], np.sort(scores, axis=1)[:, -2]
        X, scores = X[first - second > 0.1], scores[first - second > 0.1]
    return X, np.array(list("abcdefgh"))[scores.argmax(axis=1)]


def in_blocks(X: Any, y: Any, cuts: Sequence[int]) -> tuple[Any, Any]:
    """Arrays of Dask with blocks of so many rows; a sparse matrix becomes sparse blocks."""
    ends = np.cumsum(cuts).tolist()
    assert ends[-1] == len(y)
    labels = da.from_array(y, chunks=(tuple(cuts),))
    if not scipy.sparse.issparse(X):
        return da.from_array(X, chunks=(tuple(cuts), X.shape[1])), labels
    blocks = [
        da.from_delayed(_delayed(X[end - n : end]), shape=(n, X.shape[1]), dtype=X.dtype)
        for n, end in zip(cuts, ends, strict=True)
    ]
    return da.concatenate(blocks), labels


def _delayed(block: Any) -> Any:
    import dask

    return dask.delayed(block)


def equal_cuts(n: int, shards: int) -> list[int]:
    """Sizes of so many nearly equal blocks."""
    return np.diff(np.linspace(0, n, shards + 1).astype(int)).tolist()  # type: ignore[no-any-return]


def same_bits(one: Any, other: Any) -> bool:
    """Have two models the same weights and counts?"""
    arrays = np.array_equal(one.coef_, other.coef_) and np.array_equal(one.intercept_, other.intercept_)
    counts = np.array_equal(one.mistakes_per_epoch_, other.mistakes_per_epoch_) and one.n_updates_ == other.n_updates_
    return bool(arrays and counts and one.stop_reason_ is other.stop_reason_)

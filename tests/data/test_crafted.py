"""Malformed arrays that claim a wrong size end in a result or an error, never in foreign memory."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import DataError, Perceptron

X = np.eye(6)
Y = np.array([0, 1, 0, 1, 0, 1])


class Liar:
    """A table that says it is wider than what is read from it."""

    columns = ("a", "b")
    shape = (6, 10**6)
    ndim = 2

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        del copy
        return np.arange(12.0).reshape(6, 2).astype(dtype or float)


class Contrary(str):
    """A label that is less than every other."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


def broken_csr(**parts: Any) -> Any:
    matrix = sparse.csr_array(X)
    for name, part in parts.items():
        setattr(matrix, name, part)
    return matrix


def test_index_arrays_in_foreign_byte_order_are_read_as_what_they_mean() -> None:
    plain = sparse.csr_array(X)
    swapped = broken_csr(indices=plain.indices.astype(">i4"), indptr=plain.indptr.astype(">i4"))
    assert Perceptron().fit(swapped, Y).coef_.tolist() == Perceptron().fit(plain, Y).coef_.tolist()


@pytest.mark.parametrize(
    "parts",
    [
        {"indptr": np.arange(7) * 1.0},
        {"indices": np.arange(6).reshape(2, 3)},
        {"data": np.ones((2, 3))},
        {"indices": np.arange(6) + 2**31},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_index_arrays_of_the_wrong_kind_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="not a valid CSR matrix"):
        Perceptron().fit(broken_csr(**parts), Y)


def test_what_is_read_from_a_table_counts_and_not_what_it_says() -> None:
    model = Perceptron().partial_fit(Liar(), Y, classes=[0, 1])
    assert model.n_features_in_ == 2
    with pytest.raises(DataError, match="features"):
        model.partial_fit(np.zeros((1, 10**6)), [0])


def test_labels_that_lie_about_their_order_are_refused_or_learned() -> None:
    labels = np.array([Contrary(word) for word in "abcabc"], dtype=object)
    try:
        model = Perceptron().fit(X, labels)
    except DataError:
        return
    assert set(model.predict(X)) <= set(labels)

"""Arrays whose columns have names; in everything else they are arrays of NumPy and SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from rosenblatt import DataError, Perceptron, separability
from rosenblatt.data.named_arrays import named

NAMES = ["p", "q"]
X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.array([0, 0, 0, 1])


@pytest.fixture(params=["array", "matrix"])
def table(request: pytest.FixtureRequest) -> Any:
    return named(X if request.param == "array" else scipy.sparse.csr_array(X), NAMES)


def dense(part: Any) -> Any:
    return part.toarray() if scipy.sparse.issparse(part) else np.asarray(part)


def test_numbers_are_in_place() -> None:
    assert np.shares_memory(named(X, NAMES), X)
    matrix = scipy.sparse.csr_array(X)
    assert np.shares_memory(named(matrix, NAMES).data, matrix.data)
    assert named(X, None) is X


@pytest.mark.parametrize("rows", [slice(1, 3), [2, 0], np.array([True, False, True, False])], ids=str)
def test_names_stay_when_rows_are_chosen(table: Any, rows: Any) -> None:
    assert table[rows].columns == NAMES
    assert (dense(table[rows]) == X[rows]).all()


@pytest.mark.parametrize("key", [(slice(None), [1, 0]), (slice(None), slice(0, 1)), (0, 1)], ids=str)
def test_other_columns_have_no_names(table: Any, key: Any) -> None:
    assert getattr(table[key], "columns", None) is None


def test_what_is_computed_is_plain() -> None:
    table = named(X, NAMES)
    assert type(table + 1) is np.ndarray
    assert type(table[0]) is np.ndarray
    assert isinstance(table.sum(), float)
    assert type(table.mean(axis=0)) is np.ndarray


def test_names_go_through_a_split_and_into_the_model(table: Any) -> None:
    left, right = train_test_split(table, random_state=0)
    assert left.columns == right.columns == NAMES
    model = Perceptron().fit(table, Y)
    assert model.feature_names_in_.tolist() == NAMES
    assert {name for name, _ in model.ranked_weights()} == set(NAMES)
    assert (model.coef_ == Perceptron().fit(X, Y).coef_).all()
    assert model.predict(table).tolist() == Y.tolist()


def test_names_go_into_certificates(table: Any) -> None:
    certificate = separability(table, Y).certificate
    assert certificate is not None
    assert certificate.body["data"]["names"] == NAMES
    assert certificate.verify(X, Y)


def test_other_names_are_refused(table: Any) -> None:
    model = Perceptron().fit(table, Y)
    with pytest.raises(DataError, match="Feature names unseen at fit time:\n- z"):
        model.predict(named(X, ["p", "z"]))


def test_other_libraries_take_them(table: Any) -> None:
    assert LogisticRegression().fit(table, Y).coef_.shape == (1, 2)

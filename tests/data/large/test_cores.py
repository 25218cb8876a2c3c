"""Work in parts, on several threads, has the results of the whole."""

import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn import clone

from rosenblatt import DataError, Perceptron
from rosenblatt.data.large import cores
from rosenblatt.data.large.cores import in_parts, threads


@pytest.fixture(params=[1, 2, 3, 7])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many parts, however few numbers there are."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(cores, "cores", lambda: request.param)
    monkeypatch.setattr(cores, "PART_NUMBERS", 1)
    return int(request.param)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 10, 100])
def test_the_parts_are_all_rows_in_order(parts: int, rows: int) -> None:
    seen = in_parts(lambda start, stop: (start, stop, threading.get_ident()), rows, 1000)
    assert len(seen) == max(1, min(parts, rows))
    assert [start for start, _, _ in seen] == [0, *(stop for _, stop, _ in seen[:-1])]
    assert seen[-1][1] == rows
    sizes = [stop - start for start, stop, _ in seen]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.usefixtures("parts")
def test_an_error_in_any_part_is_raised() -> None:
    def work(start: int, stop: int) -> None:
        if start <= 99 < stop:
            raise DataError("row 99")

    with pytest.raises(DataError, match="row 99"):
        in_parts(work, 100, 100)


def test_few_numbers_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: 8)
    assert in_parts(lambda start, stop: (start, stop), 1000, cores.PART_NUMBERS) == [(0, 1000)]


@pytest.mark.parametrize(("asked", "expected"), [("1", 1), ("3", 3), ("99", 4), ("0", 1), ("", 4), ("2,3", 4)])
def test_threads_are_limited_as_elsewhere(asked: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "cores", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert threads() == expected


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_predictions_in_parts_are_those_of_the_whole(parts: int, storage: Any, classes: int) -> None:
    """Each row is also predicted alone."""
    rng = np.random.default_rng(parts)
    dense = rng.integers(-3, 4, (50, 4)).astype(float)
    X, y = storage(dense), rng.integers(0, classes, 50)
    model = Perceptron(max_epochs=2, average="averaged").fit(X, y)
    alone = [model.predict(storage(dense[i : i + 1]))[0] for i in range(50)]
    assert model.predict(X).tolist() == alone
    scores = np.vstack([model.decision_function(storage(dense[i : i + 1])) for i in range(50)])
    assert model.decision_function(X).tobytes() == scores.reshape(model.decision_function(X).shape).tobytes()


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_the_first_bad_number_is_named(storage: Any) -> None:
    X = np.ones((40, 3))
    X[33, 1], X[11, 2] = np.nan, np.inf
    with pytest.raises(DataError, match=r"row 11, column 2.*inf"):
        Perceptron().fit(storage(X), np.arange(40) % 2)


@pytest.mark.usefixtures("parts")
def test_disordered_columns_in_any_part_are_put_in_order() -> None:
    dense = np.arange(1.0, 31.0).reshape(10, 3)
    given = scipy.sparse.csr_array(dense)
    for row in (1, 8):
        own = slice(3 * row, 3 * row + 3)
        given.indices[own], given.data[own] = given.indices[own][::-1].copy(), given.data[own][::-1].copy()
    given.has_sorted_indices = False
    y = np.arange(10) % 2
    averaged = Perceptron(max_epochs=3, average="averaged")
    one, other = clone(averaged).fit(given, y), clone(averaged).fit(dense, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)

"""Tests of splits, folds and the learning curve, by hand and against scikit-learn."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from rosenblatt import Kozinec, Perceptron, Scaling
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.report.report import CURVE_FRACTIONS, fold_accuracies, learning_curve, split
from tests.report.test_report import ABOVE, GRID

LABELS = st.lists(st.sampled_from(["a", "b", "c"]), min_size=20, max_size=60).filter(
    lambda y: len(set(y)) == 3 and min(map(y.count, set(y))) >= 3
)


class Memory(ClassifierMixin, BaseEstimator):
    """Predicts the labels of rows it was trained on (known by their first column), and "unknown" for others."""

    seen: list[Any] = []  # noqa: RUF012  (copies share it, so that the test hears of them)

    def fit(self, X: Any, y: Any) -> "Memory":
        self.classes_ = np.unique(y)
        self.known_ = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        self.seen.append(X[:, 0].tolist())
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.known_.get(x, "unknown") for x in X[:, 0].tolist()])


# ---------------------------------------------------------------------------------------------------------------------
# Rows to learn from, and rows to test on


@given(LABELS, st.sampled_from([0.2, 0.3, 0.5]), st.integers(0, 5))
def test_a_split_has_each_class_in_its_share(labels: list[str], share: float, seed: int) -> None:
    y = np.array(labels)
    train, test = split(y, share, seed)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert train.tolist() == sorted(train)
    assert test.tolist() == sorted(test)
    assert len(test) == int(np.ceil(share * len(y)))
    for label in "abc":
        assert abs((y[test] == label).sum() - share * (y == label).sum()) < 2
        assert (y[train] == label).any()


def test_a_split_can_be_made_again() -> None:
    y = np.array(["a", "b"] * 50)
    first, again, other = split(y, 0.2, 1), split(y, 0.2, 1), split(y, 0.2, 2)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert first[1].tolist() != other[1].tolist()


def test_no_split() -> None:
    train, test = split(np.array([0, 1, 0]), None, 0)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2], [])


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_a_share_of_the_rows_is_between_0_and_1(share: float) -> None:
    with pytest.raises(ParameterError, match=rf"^--test must be a fraction .* such as 0\.2, not {share:g}\.$"):
        split(np.array([0, 1] * 9), share, 0)


@pytest.mark.parametrize(
    ("y", "share"),
    [(["a", "a", "b"], 0.2), (["a", "a", "b", "b"], 0.2), (["a", "a", "b", "b"], 0.9), (["a", "b"], 0.5)],
)
def test_too_few_rows_for_a_split(y: list[str], share: float) -> None:
    with pytest.raises(DataError) as error:
        split(np.array(y), share, 0)
    one_sentence(str(error.value), "--test")


@pytest.mark.parametrize(("y", "folds"), [("aab", 2), ("ababa", 3)])
def test_too_few_rows_for_folds(y: str, folds: int) -> None:
    with pytest.raises(DataError) as error:
        fold_accuracies(Perceptron(), np.ones((len(y), 1)), np.array(list(y)), folds, 0)
    one_sentence(str(error.value), f"--cv {folds}")


def one_sentence(text: str, option: str) -> None:
    """Assert that the text is one sentence for a user of the command, without words of scikit-learn."""
    assert option in text
    assert text.endswith(".")
    assert "\n" not in text
    for word in ("test_size", "n_samples", "n_splits", "train_size", "populated", "aforementioned", "np."):
        assert word not in text


def test_a_class_of_one_row_is_not_told_to_take_fewer_folds_than_there_can_be() -> None:
    with pytest.raises(DataError) as error:
        fold_accuracies(Perceptron(), np.ones((3, 1)), np.array(["a", "a", "b"]), 2, 0)
    assert "smaller" not in str(error.value)


# ---------------------------------------------------------------------------------------------------------------------
# Folds and the learning curve


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_every_row_is_tested_once(folds: int) -> None:
    X, y = np.arange(25.0)[:, np.newaxis], np.array(list("aabbc") * 5)
    Memory.seen.clear()
    shares = fold_accuracies(Memory(), X, y, folds, seed=3)
    assert len(shares) == folds
    assert [share.right for share in shares] == [0] * folds  # no row was learned from and tested
    assert sum(share.n for share in shares) == 25
    tested = [set(range(25)) - set(seen) for seen in Memory.seen]
    assert sorted(itertools.chain(*tested)) == list(range(25))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [Perceptron(max_epochs=3), make_pipeline(Scaling(), Kozinec(C=1.0))])
@pytest.mark.parametrize("seed", [0, 1])
def test_folds_are_those_of_scikit_learn(model: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    shares = fold_accuracies(model, X, y, 4, seed)
    expected = cross_val_score(model, X, y, cv=StratifiedKFold(4, shuffle=True, random_state=seed))
    assert [share.value for share in shares] == pytest.approx(expected)


def test_of_sparse_rows_too() -> None:
    X, y = scipy.sparse.csr_array(GRID), ABOVE
    assert fold_accuracies(Perceptron(), X, y, 3, 0) == fold_accuracies(Perceptron(), GRID, y, 3, 0)


@pytest.mark.parametrize("model", [Perceptron(order="cyclic"), make_pipeline(Scaling(), Kozinec())])
def test_the_curve_ends_where_the_fit_does(model: Any) -> None:
    train, test = split(ABOVE, 0.3, 0)
    points = learning_curve(model, GRID, ABOVE, train, test, 0)
    whole = clone(model).fit(GRID[train], ABOVE[train])
    last = points[-1]
    assert last.rows == len(train)
    assert last.training.right == sum(whole.predict(GRID[train]) == ABOVE[train])
    assert (last.others.right, last.others.n) == (sum(whole.predict(GRID[test]) == ABOVE[test]), len(test))


def test_the_curve_adds_rows_to_each_class_in_its_share() -> None:
    X, y = np.arange(60.0)[:, np.newaxis], np.array(["a", "a", "b"] * 20)
    train, test = np.arange(48), np.arange(48, 60)
    Memory.seen.clear()
    points = learning_curve(Memory(), X, y, train, test, 0)
    assert [point.rows for point in points] == [len(seen) for seen in Memory.seen] == [6, 11, 20, 35, 48]
    for size, seen in zip(CURVE_FRACTIONS, Memory.seen, strict=True):
        labels = [str(y[int(x)]) for x in seen]
        assert (labels.count("a"), labels.count("b")) == (np.ceil(size * 32), np.ceil(size * 16))
        assert seen == sorted(seen)
    assert all(set(few) < set(more) for few, more in itertools.pairwise(Memory.seen))
    assert [point.training.value for point in points] == [1.0] * 5
    assert [point.others for point in points] == [points[0].others] * 5
    assert (points[0].others.right, points[0].others.n) == (0, 12)


def test_sizes_that_are_too_small_for_the_model_are_left_out() -> None:
    train, test = split(ABOVE, 0.3, 0)
    points = learning_curve(Perceptron(held_out=0.2), GRID, ABOVE, train, test, 0)
    assert points
    assert points[-1].rows == len(train)

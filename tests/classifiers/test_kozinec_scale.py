"""Kozinec's coef_ and intercept_ have the scale of the objective: |w|^2 / 2 + C sum xi^2, with margins of 1 - xi."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC, LinearSVC

from rosenblatt import Kozinec

IRIS = load_iris()
X, Y = IRIS.data[50:], np.where(IRIS.target[50:] == 1, -1, 1)  # versicolor and virginica, which overlap
EASY, SIGNS = IRIS.data[:100], np.where(IRIS.target[:100] == 0, -1, 1)  # setosa and versicolor


def objective(w: Any, b: float, C: float, penalised: float) -> float:
    """Of the overlapping classes; `penalised` is the part of the bias in w."""
    slack = np.maximum(0, 1 - Y * (X @ w + b))
    return float(0.5 * (w @ w + penalised**2) + C * (slack @ slack))


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_objective_is_that_of_linear_svc(C: float) -> None:
    """LIBLINEAR minimises the same function, with a constant of 1 at the end of each row."""
    ours = Kozinec(C=C, bias=1.0, epsilon=1e-9).fit(X, Y)
    peer = LinearSVC(loss="squared_hinge", C=C, tol=1e-10, max_iter=10**6, dual=False).fit(X, Y)
    found, theirs = (objective(m.coef_[0], m.intercept_[0], C, m.intercept_[0]) for m in (ours, peer))
    assert found == pytest.approx(theirs, rel=1e-6)
    assert ours.coef_ == pytest.approx(peer.coef_, rel=1e-3)
    assert ours.intercept_ == pytest.approx(peer.intercept_, rel=1e-3)
    assert ours.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-3)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_no_other_length_is_better(C: float) -> None:
    model = Kozinec(C=C, bias=1.0, epsilon=1e-9).fit(X, Y)
    w, b = model.coef_[0], model.intercept_[0]
    least = objective(w, b, C, b)
    assert all(objective(k * w, k * b, C, k * b) > least for k in (0.5, 0.99, 1.01, 2.0))


@pytest.mark.parametrize("bias", ["free", 1.0, 0.0])
@pytest.mark.parametrize("epsilon", [None, 1e-3, 1e-9])
def test_without_slack_the_nearest_row_scores_one(bias: Any, epsilon: float | None) -> None:
    model = Kozinec(bias=bias, epsilon=epsilon).fit(EASY, SIGNS)
    assert model.functional_margin(EASY, SIGNS).min() == pytest.approx(1, rel=1e-12)
    assert np.sign(model.decision_function(EASY)).tolist() == SIGNS.tolist()


def test_without_slack_it_is_the_hyperplane_of_libsvm() -> None:
    ours, peer = Kozinec(epsilon=1e-9).fit(EASY, SIGNS), SVC(kernel="linear", C=1e6, tol=1e-9).fit(EASY, SIGNS)
    assert ours.coef_ == pytest.approx(peer.coef_, rel=1e-5)
    assert ours.intercept_ == pytest.approx(peer.intercept_, rel=1e-5)
    assert ours.dual_coef_ @ ours.support_vectors_ == pytest.approx(ours.coef_, rel=1e-9)
    assert np.abs(ours.dual_coef_).sum() == pytest.approx(np.linalg.norm(ours.coef_) ** 2, rel=1e-5)


def test_the_vector_of_the_hull_has_a_name_of_its_own() -> None:
    """Between (0, 0) and (3, 4) it is (3, 4), of length 5 = 2 margins; coef_ is that divided by 25 / 2."""
    model = Kozinec(epsilon=1e-9).fit([[0, 0], [3, 4]], [0, 1])
    assert model.hull_vector_.tolist() == [3, 4]
    assert model.hull_weights_.tolist() == [1, 1]
    assert model.coef_[0] == pytest.approx([3 / 12.5, 4 / 12.5], rel=1e-15)
    assert model.margin_bounds_ == pytest.approx((2.5, 2.5), rel=1e-12)
    assert math.hypot(*model.coef_[0]) * 2.5 == pytest.approx(1, rel=1e-12)

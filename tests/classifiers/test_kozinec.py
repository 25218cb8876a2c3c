"""The estimator Kozinec: attributes, invariance to the form of the data, stop reasons, refused input.

Margins are known by hand, by a plain search in the plane, or from the same data moved or scaled.
"""

import math
import pickle
import re
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import BudgetWarning, DataError, Kozinec, OverlapWarning, ParameterError, Perceptron

EASY = np.array([[0.0, 0], [0, 2], [3, 1], [5, 1]]), np.array([-1, -1, 1, 1])  # margin 1.5, w = (3, 0), b = -4.5
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
any_solver = pytest.mark.parametrize("solver", ["auto", "kozinec", "mdm", "away", "wolfe"])
any_storage = pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])


def blobs(seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Normal points, moved apart along a direction: separable, even through the origin."""
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=4), rng.normal(size=(60, 4))
    y = np.where(X @ u > 0, 1, -1)
    return X + y[:, np.newaxis] * u / np.linalg.norm(u), y


NOISY = blobs(7)[0], np.random.default_rng(7).permutation(blobs(7)[1])


# ---------------------------------------------------------------------------------------------------------------------
# What it holds


@any_storage
@pytest.mark.parametrize("bias", ["free", 0.0, 2.0])
@any_solver
def test_attributes_of_a_margin_found(solver: Any, bias: Any, storage: Callable[[Any], Any]) -> None:
    X, y = blobs()
    model = Kozinec(solver=solver, bias=bias, epsilon=0.01).fit(storage(X), y)
    assert (model.stop_reason_, model.classes_.tolist()) == ("gap_closed", [-1, 1])
    assert (np.diff(model.support_) > 0).all()
    assert type(model.support_vectors_) is type(storage(X))
    vectors = scipy.sparse.csr_array(model.support_vectors_).toarray()
    assert np.array_equal(vectors, X[model.support_])
    assert model.dual_coef_.shape == (1, len(model.support_))
    signs, shares = np.sign(model.dual_coef_[0]), model.hull_weights_
    assert signs.tolist() == y[model.support_].tolist()
    sums = [shares[signs < 0].sum(), shares[signs > 0].sum()] if bias == "free" else [shares.sum()]
    assert sums == pytest.approx([1.0] * len(sums), abs=1e-14)
    assert model.coef_ == pytest.approx(model.dual_coef_ @ vectors, abs=1e-14)
    assert model.hull_vector_[: X.shape[1]] == pytest.approx((signs * shares) @ vectors, abs=1e-14)
    assert model.functional_margin(X, y).min() == pytest.approx(1, rel=1e-12)
    assert bias == "free" or model.intercept_ == pytest.approx(bias * model.dual_coef_.sum(axis=1) * bias, abs=1e-13)
    lower, upper = model.margin_bounds_
    assert type(lower) is type(upper) is float
    if bias == "free":
        assert lower * (1 - 1e-9) <= model.hyperplane_.margin(X, y)
        assert 0.5 * np.linalg.norm(model.hull_vector_) <= upper * (1 + 1e-9)
    assert 0 < lower <= upper <= lower / 0.99
    assert model.n_iter_ == len(model.mistakes_per_epoch_)
    assert model.mistakes_per_epoch_[-1] == (model.predict(X) != y).sum() == 0
    history = model.history_
    assert history.dtype.names == ("row", "lower", "upper", "active")
    assert model.n_updates_ == len(history) - 1 > 0
    assert (history["row"][0], history["active"][0]) == (-1, len(sums))
    assert ((history["row"][1:] >= 0) & (history["row"][1:] < len(X))).all()
    assert (np.diff(history["upper"]) <= 0).all()
    assert history["lower"].max() <= history["upper"].min()
    assert history[-1].item()[1:] == (lower, upper, len(model.support_))


def test_with_slack_the_mistakes_of_the_last_pass_are_those_of_the_answer() -> None:
    for C in (1e-12, 0.1, 10.0, 1e5):
        model = Kozinec(C=C).fit(*NOISY)
        assert model.mistakes_per_epoch_[-1] == (model.predict(NOISY[0]) != NOISY[1]).sum() > 0


@any_solver
def test_slab_is_two_parallels_through_the_support_vectors(solver: Any) -> None:
    """With weights that sum to 1 in each class, the support vectors lie off it by the gap of |w|, in the mean."""
    X, y = blobs()
    model = Kozinec(solver=solver, epsilon=1e-9 if solver in ("auto", "wolfe") else 1e-2).fit(X, y)
    low, high = model.slab_
    assert low.w.tolist() == high.w.tolist() == model.hyperplane_.w.tolist()
    assert low.b - model.hyperplane_.b == pytest.approx(model.hyperplane_.b - high.b)
    assert low.margin(X[y < 0], y[y < 0]) == pytest.approx(0, abs=1e-12)  # the nearest lie on it, the others beyond
    assert high.margin(X[y > 0], y[y > 0]) == pytest.approx(0, abs=1e-12)
    off = [(low if y[i] < 0 else high).distance(X[i]) for i in model.support_]
    lower, upper = model.margin_bounds_
    assert model.hull_weights_ @ off == pytest.approx(2 * (upper - lower), abs=1e-9)


def test_slab_by_hand_and_where_there_is_none() -> None:
    """XOR with slack: w = 0 by symmetry. Such a Hyperplane has scores, but no plane and no margin."""
    model = Kozinec().fit(*EASY)
    low, high = model.slab_  # x1 = 0 and x1 = 3
    assert [*low.weights, *high.weights] == pytest.approx([2 / 3, 0, 0, 2 / 3, 0, -2])
    with pytest.warns(OverlapWarning):
        model.fit(*XOR)
    with pytest.raises(AttributeError, match="does not separate the classes"):
        _ = model.slab_
    model = Kozinec(C=1.0).fit(*XOR)
    assert model.functional_margin(*XOR).tolist() == [0, 0, 0, 0]
    with pytest.raises(ParameterError, match="w is zero"):
        model.geometric_margin(*XOR)
    assert not hasattr(model, "slab_")


@pytest.mark.parametrize("name", ["coef_", "intercept_", "hyperplane_", "slab_"])
def test_before_fit_there_is_nothing_and_it_says_so(name: str) -> None:
    assert not hasattr(Kozinec(), name)
    with pytest.raises(NotFittedError, match="This Kozinec instance is not fitted yet"):
        getattr(Kozinec(), name)


@any_storage
@pytest.mark.parametrize("model", [Kozinec(), Kozinec(C=0.1, bias=1.0), Perceptron()], ids=str)
def test_margins_are_those_of_the_hyperplane(model: Any, storage: Callable[[Any], Any]) -> None:
    X, signs = blobs()
    labels = np.where(signs > 0, "yes", "no")
    model.fit(storage(X), labels)
    plane, wrong = model.hyperplane_, np.where(signs > 0, "no", "yes")
    assert model.functional_margin(storage(X), labels) == pytest.approx(plane.functional_margin(X, signs), abs=1e-12)
    assert model.geometric_margin(storage(X), labels) == pytest.approx(plane.geometric_margin(X, signs), abs=1e-12)
    assert model.geometric_margin(X, wrong).tolist() == (-model.geometric_margin(X, labels)).tolist()
    for margins in (model.functional_margin, model.geometric_margin):
        with pytest.raises(DataError, match=r"y\[0\] is 'maybe', which is not one of the known classes"):
            margins(X, ["maybe", *labels[1:]])
        with pytest.raises(DataError, match="X has 60 rows but y has 59 labels"):
            margins(X, labels[1:])
        with pytest.raises(DataError, match="features"):
            margins(X[:, 1:], labels)


def test_margins_exist_for_two_classes_only() -> None:
    model = Perceptron().partial_fit(XOR[0], [0, 1, 2, 0], classes=[0, 1, 2])
    for margins in (model.functional_margin, model.geometric_margin):
        with pytest.raises(AttributeError, match="two classes only; this classifier has 3"):
            margins(XOR[0], [0, 1, 2, 0])


# ---------------------------------------------------------------------------------------------------------------------
# The same answer


def apart(A: list[complex], B: list[complex]) -> float:
    """Return the distance of two disjoint hulls in the plane: of a point of one from a segment of the other."""

    def off(p: complex, a: complex, b: complex) -> float:
        t = ((p - a) * (b - a).conjugate()).real / (abs(b - a) ** 2 or 1.0)
        return abs(p - a - min(max(t, 0.0), 1.0) * (b - a))

    return min(off(p, a, b) for P, Q in ((A, B), (B, A)) for p in P for a in Q for b in Q)


@pytest.mark.filterwarnings("ignore::rosenblatt.OverlapWarning")
@given(
    st.lists(st.lists(st.integers(-6, 6), min_size=2, max_size=2), min_size=2, max_size=9),
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-5, 5)),
    st.lists(st.booleans(), min_size=9, max_size=9),
    st.sampled_from(["auto", "mdm", "away", "wolfe"]),
)
def test_any_points_in_the_plane_are_separated_best_or_proved_to_overlap(
    X: list[list[int]], plane: tuple[int, int, int], coin: list[bool], solver: Any
) -> None:
    """The largest margin is known. The weights of a proof are summed as exact fractions."""
    y = [plane[0] * a + plane[1] * b > plane[2] if any(plane[:2]) else coin[i] for i, (a, b) in enumerate(X)]
    assume(len(set(y)) == 2)
    model = Kozinec(solver=solver).fit(X, y)
    if model.stop_reason_ == "gap_closed":
        best = apart(*([complex(*x) for x, label in zip(X, y, strict=True) if label is side] for side in (False, True)))
        lower, upper = model.margin_bounds_
        assert lower * (1 - 1e-12) <= best / 2 <= upper * (1 + 1e-12)
        assert upper - lower <= 1e-3 * upper
        assert model.predict(X).tolist() == y
    else:
        assert model.stop_reason_ == "proved_overlap"
        signed = np.sign(model.dual_coef_[0]) * model.hull_weights_
        weights = [Fraction(float(v)).limit_denominator(10**6) for v in signed]
        rows = [[1, *X[i]] for i in model.support_]
        assert [sum(v * x[j] for v, x in zip(weights, rows, strict=True)) for j in range(3)] == [0, 0, 0]
        assert sum(abs(v) for v in weights) == 2
        assert [v > 0 for v in weights] == [y[i] for i in model.support_]


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (-7, 3), ("a", "b"), (False, True), (0.0, 1.0)], ids=str)
def test_labels_of_any_kind(labels: tuple[Any, Any]) -> None:
    X, y = blobs()
    model, other = Kozinec().fit(X, y), Kozinec().fit(X, [labels[int(sign > 0)] for sign in y])
    assert pickle.dumps([model.coef_, model.intercept_]) == pickle.dumps([other.coef_, other.intercept_])
    assert other.predict(X).tolist() == [labels[int(sign > 0)] for sign in y]


@pytest.mark.parametrize("C", [math.inf, 1.0])
def test_data_of_any_form(C: float) -> None:
    X, y = blobs()[0].astype(np.float32).astype(np.float64), blobs()[1]
    model = Kozinec(C=C, epsilon=1e-9).fit(X, y)
    sparse = scipy.sparse.csr_array(X)
    for form in (sparse, sparse.tocsc(), pd.DataFrame(X), X.astype(np.float32), X.tolist(), np.asfortranarray(X)):
        other = Kozinec(C=C, epsilon=1e-9).fit(form, y.tolist())
        assert other.coef_ == pytest.approx(model.coef_, abs=1e-7)
        assert other.margin_bounds_ == pytest.approx(model.margin_bounds_, rel=1e-8)
        assert other.support_.tolist() == model.support_.tolist()
        assert other.predict(form).tolist() == y.tolist()


@any_solver
@pytest.mark.parametrize("C", [math.inf, 1.0])
def test_what_keeps_distances_keeps_the_margin(solver: Any, C: float) -> None:
    """Reordering, translation, rotation, swapped classes; without slack also copies of all rows."""
    X, y = blobs()
    epsilon, off = (1e-9, 1e-7) if solver in ("auto", "wolfe") else (1e-3, 0.1)
    model = Kozinec(C=C, solver=solver, epsilon=epsilon).fit(X, y)
    rng = np.random.default_rng(1)
    order, turn = rng.permutation(60), np.linalg.qr(rng.normal(size=(4, 4)))[0]
    for moved, labels, w in [
        (X[order], y[order], model.coef_),
        (X + np.array([5.0, -3.0, 20.0, 1.0]), y, model.coef_),
        (X @ turn, y, model.coef_ @ turn),
        (X, -y, -model.coef_),
        *([(np.repeat(X, 3, axis=0), np.repeat(y, 3), model.coef_)] if math.isinf(C) else []),
    ]:
        other = Kozinec(C=C, solver=solver, epsilon=epsilon).fit(moved, labels)
        assert other.margin_bounds_ == pytest.approx(model.margin_bounds_, rel=2 * epsilon)
        assert other.coef_ == pytest.approx(w, abs=off)


@any_solver
@pytest.mark.parametrize("k", [-300, -40, 3, 40, 300])
def test_a_power_of_two_scales_everything_exactly(solver: Any, k: int) -> None:
    """Multiplying by a power of two rounds nothing. The price of slack scales with the square."""
    X, y = blobs()
    for C in (math.inf, 1.0):
        model = Kozinec(C=C, solver=solver, epsilon=0.01).fit(X, y)
        scaled = Kozinec(C=C * 4.0**-k, solver=solver, epsilon=0.01).fit(X * 2.0**k, y)
        assert scaled.margin_bounds_ == tuple(bound * 2.0**k for bound in model.margin_bounds_)
        assert scaled.coef_.tolist() == (model.coef_ * 2.0**-k).tolist()
        assert scaled.hull_vector_.tolist() == (model.hull_vector_ * 2.0**k).tolist()
        assert scaled.hull_weights_.tolist() == model.hull_weights_.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# How it stops, and what it refuses


OVERLAP = r"^No hyperplane separates the classes: convex combinations of {} rows .*Lower C, for example to C=1\.0"
BUDGET = r"max_epochs=3 passes.* has {} on the wrong side.* between [-\d.e]+ and [-\d.e]+\. Raise max_epochs or epsilon"
SLOW = {"solver": "kozinec", "epsilon": 1e-9, "max_epochs": 3}
VERDICTS: list[tuple[Any, Any, dict[str, Any], str, tuple[type[Warning], str] | None]] = [
    (XOR[0], [0, 0, 0, 1], {}, "gap_closed", None),
    (XOR[0], [0, 1, 1, 1], {}, "gap_closed", None),
    (*XOR, {"C": 1.0}, "gap_closed", None),
    ([[1], [2], [5]], ["a", "a", "b"], {}, "gap_closed", None),
    ([[3, 4], [0, 0]], [0, 1], {}, "gap_closed", None),
    (*blobs(), {"epsilon": None}, "separated", None),
    (*XOR, {}, "proved_overlap", (OverlapWarning, OVERLAP.format(4))),
    (*XOR, {"epsilon": None, "bias": 1.0}, "proved_overlap", (OverlapWarning, OVERLAP.format(4))),
    ([[1], [2], [3]], [0, 1, 0], {}, "proved_overlap", (OverlapWarning, OVERLAP.format(3))),
    ([[1, 2], [1, 2]], [0, 1], {}, "proved_overlap", (OverlapWarning, OVERLAP.format(2))),
    (np.zeros((3, 2)), [0, 1, 0], {}, "proved_overlap", (OverlapWarning, OVERLAP.format(2))),
    # Separable, but not by a hyperplane through the origin, which is a row.
    (XOR[0], [0, 0, 0, 1], {"bias": 0}, "proved_overlap", (OverlapWarning, "through the origin.*bias='free'")),
    (*blobs(), SLOW, "budget", (BudgetWarning, BUDGET.format("no rows"))),
    (*NOISY, SLOW, "budget", (BudgetWarning, BUDGET.format(r"\d+ rows?"))),
    (*blobs(), {"epsilon": 1e-300}, "rounding", (ConvergenceWarning, "^Rounding prevents.*no rows.*Raise epsilon")),
]


@pytest.mark.parametrize(("X", "y", "options", "reason", "told"), VERDICTS)
def test_how_it_stops_and_what_it_says(X: Any, y: Any, options: Any, reason: str, told: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Kozinec(**options).fit(X, y)
    assert str(model.stop_reason_) == reason == model.stop_reason_
    assert re.fullmatch(r"[A-Z].* .*\.", model.stop_reason_.sentence)
    assert [(each.category.__name__, each.filename) for each in caught] == (
        [(told[0].__name__, __file__)] if told else []
    )
    assert not told or re.search(told[1], str(caught[0].message)), str(caught[0].message)
    assert (model.predict(X) == y).all() or reason in ("proved_overlap", "budget") or "C" in options


REFUSED: list[tuple[Any, Any, dict[str, Any], type[Exception], str]] = [
    ([[0], [1], [2]], [0, 1, 2], {}, DataError, r"y has 3 classes\. Wrap it, as in OneVsOne"),
    ([[0], [1]], ["a", "a"], {}, DataError, r"at least 2 classes; its 2 labels are of one class, \['a'\]"),
    ([[0], [math.nan]], [0, 1], {}, DataError, "contains NaN: row 1, column 0 is nan"),
    ([[0], [1]], [0, 1, 1], {}, DataError, "X has 2 rows but y has 3 labels"),
    ([[0], [1]], None, {}, DataError, "y is None"),
    ([[0], [1e101]], [0, 1], {}, DataError, r"length 1e\+101, .* by a factor of a power of two"),
    (scipy.sparse.csr_array([[0], [1e-101]]), [0, 1], {}, DataError, "length 1e-101, .* by a factor of a power of two"),
    (
        *EASY,
        {"epsilon": None, "C": 1.0},
        ParameterError,
        r"epsilon=None.*\(C=1\.0\).*epsilon as a number, or C=inf",
    ),
]


@pytest.mark.parametrize(("X", "y", "options", "error", "message"), REFUSED)
def test_what_is_refused_leaves_what_was_learned(X: Any, y: Any, options: Any, error: Any, message: str) -> None:
    model = Kozinec().fit(*EASY).set_params(**options)
    before = pickle.dumps(vars(model))
    with pytest.raises(error, match=message):
        model.fit(X, y)
    assert pickle.dumps(vars(model)) == before


def test_an_interrupt_leaves_what_was_learned_and_a_new_fit_forgets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Kozinec().fit(pd.DataFrame(blobs()[0], columns=list("abcd")), blobs()[1])
    before = pickle.dumps(vars(model))
    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.hulls.search.Search.advance", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.fit(*XOR)
    assert pickle.dumps(vars(model)) == before
    assert pickle.dumps(vars(model.fit(*EASY))) == pickle.dumps(vars(Kozinec().fit(*EASY)))


def test_data_are_only_read_wherever_they_are(tmp_path: Path) -> None:
    X, y = blobs()
    np.save(tmp_path / "X.npy", X)
    model = Kozinec().fit(X, y)
    joblib.dump(model, tmp_path / "model")
    assert np.array_equal(X, blobs()[0])
    assert X.flags.writeable
    X.flags.writeable = y.flags.writeable = False
    for data in (X, np.load(tmp_path / "X.npy", mmap_mode="r"), scipy.sparse.csr_array(X)):
        assert Kozinec().fit(data, y).coef_ == pytest.approx(model.coef_, abs=1e-12)
    assert joblib.load(tmp_path / "model").decision_function(X).tolist() == model.decision_function(X).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# With scikit-learn, and at the limits


@pytest.mark.parametrize("wrapper", [OneVsOneClassifier, OneVsRestClassifier])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_more_classes_by_the_wrapper_that_the_message_names(load: Any, wrapper: Any) -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    assert cross_val_score(wrapper(Kozinec(C=1.0)), *load(return_X_y=True), cv=folds).mean() > 0.9


def test_in_a_pipeline_and_a_search_with_names_and_one_row() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), Kozinec())
    search = GridSearchCV(pipeline, {"kozinec__C": [0.01, 1.0, 100.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    model = Kozinec(C=1.0).fit(X, y)
    assert model.predict_one(X.iloc[0].to_numpy()) == model.predict(X[:1])[0]
    assert dict(model.ranked_weights()) == dict(zip(X.columns, model.coef_[0], strict=True))
    with pytest.raises(DataError, match="feature names"):
        model.predict(X[X.columns[::-1]])


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("solver", ["auto", "wolfe"])
def test_a_margin_of_a_hundred_millionth_of_the_radius(solver: Any, epsilon: float) -> None:
    """Scikit-learn's breast cancer data: it is between 4.1371e-5 and 4.1372e-5 by linear and quadratic programs."""
    X, y = load_breast_cancer(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if epsilon == 1e-12 else "error", ConvergenceWarning)
        model = Kozinec(solver=solver, epsilon=epsilon).fit(X, y)
    lower, upper = model.margin_bounds_
    assert model.stop_reason_ == "gap_closed" or (epsilon == 1e-12 and model.stop_reason_ == "rounding")
    assert 4.1371e-5 * (1 - epsilon) <= lower <= upper <= 4.1372e-5 * (1 + epsilon)
    assert lower * (1 - 1e-9) <= model.hyperplane_.margin(X, 2 * y - 1)


def test_rows_far_from_the_origin_do_not_stall() -> None:
    """The rows moved by a million have the same margin; its bounds are found after a few steps."""
    X, y = np.array([[-1.0], [0], [5], [9], [-9], [-7], [6], [9]]), [0, 0, 1, 0, 0, 1, 0, 0]
    near, far = Kozinec(C=1e6).fit(X, y), Kozinec(C=1e6).fit(X + 1e6, y)
    assert max(near.margin_bounds_[0], far.margin_bounds_[0]) <= min(near.margin_bounds_[1], far.margin_bounds_[1])
    assert (far.stop_reason_, far.n_updates_ < 1000) == ("gap_closed", True)


@pytest.mark.parametrize("solver", ["auto", "wolfe"])
def test_with_hardly_a_price_on_slack_w_joins_the_means_and_with_a_huge_one_there_is_no_slack(solver: Any) -> None:
    """If slack alone counts, all weights of a class are equal; with classes of equal size, b is midway."""
    X = blobs()[0]
    means = X[30:].mean(axis=0), X[:30].mean(axis=0)
    model = Kozinec(C=1e-12, solver=solver, epsilon=1e-9).fit(X, np.arange(60) < 30)
    assert model.hull_vector_ == pytest.approx(means[1] - means[0], abs=1e-9)
    ratio = model.intercept_[0] / np.linalg.norm(model.coef_) * np.linalg.norm(means[1] - means[0])
    assert ratio == pytest.approx(-(means[1] - means[0]) @ (means[1] + means[0]) / 2, abs=1e-4)
    assert Kozinec(C=1e15, solver=solver).fit(*EASY).margin_bounds_ == pytest.approx((1.5, 1.5), rel=1e-9)

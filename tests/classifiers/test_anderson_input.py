"""Input of the generalised Anderson task: rows, bad input, degenerate input; and its attributes."""

import math
import pickle
import re
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import rosenblatt.classifiers.gaussians.gaussians as read
from rosenblatt import Anderson, BudgetWarning, DataError, OneVsAll, OneVsOne, ParameterError

I2, NAN, INF = np.eye(2), math.nan, math.inf
WIDE, PAIRS = np.random.default_rng(4).standard_normal((61, 60)), np.arange(61) % 2
#: The boundary y = 2 is touched at (0, 2), (4, 2) and (2, 2): a radius of 2, weights of 1/2, 1/2 and 1.
THREE = [[0, 0], [4, 0], [2, 3]], [I2, I2, np.diag([4, 0.25])], ["low", "low", "top"]
TWO = [[0, 0], [6, 0]], [I2, 4 * I2], ["a", "b"]  # the boundary is x = 2, the radius 2
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def sound(model: Anderson, radius: float | None = None) -> None:
    """Check what holds for every result; `radius` is the largest radius, where it is known."""
    lower, upper = model.radius_bounds_
    assert lower <= upper
    assert radius is None or lower * (1 - 1e-9) <= radius <= upper * (1 + 1e-9)
    assert 0 <= model.worst_error_bounds_[0] <= model.worst_error_bounds_[1] <= 1
    certificate = model.certificate_
    assert certificate.verify_gaussians(model.means_, model.covariances_, model.component_labels_)
    assert model.hyperplane_.w.any()
    assert np.isin(model.predict(model.means_), model.classes_).all()
    for numbers in (model.hyperplane_.weights, model.decision_function(model.means_), model.contact_points()):
        assert np.isfinite(numbers).all()
    assert ((model.component_errors_ >= 0) & (model.component_errors_ <= 1)).all()
    lowers, uppers = model.history_["lower"], model.history_["upper"]
    assert (lowers[1:] >= lowers[:-1]).all()
    assert (uppers[1:] <= uppers[:-1]).all()
    assert (lowers[-1], uppers[-1]) == (lower, upper)
    assert 0 <= model.n_iter_ == len(model.history_) - 1 <= model.max_iter


def blobs(*centres: tuple[float, float]) -> np.ndarray:
    """60 rows around each centre, in columns of very different scales."""
    rng = np.random.default_rng(0)
    around = [rng.standard_normal((60, 2)) @ [[1, 0.4], [0, 0.8]] + centre for centre in centres]
    return np.concatenate(around) * [1e-3, 50.0] + [7.0, -1e3]


NEAR = blobs((0, 0), (4, 3)), np.repeat(["a", "b"], 60)
FAR = blobs((0, 0), (0, 40), (60, 0), (60, 40)), np.repeat(["a", "b"], 120)
SEEDED: dict[str, Any] = {"n_components": 2, "random_state": 0}


@pytest.mark.parametrize("ridge", [0, 1e-6, 0.5])
@pytest.mark.parametrize("covariance", ["full", "diag", "tied"])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_gaussian_a_class_is_the_likeliest(ridge: float, covariance: Any, weighted: bool) -> None:
    X, y = NEAR
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else np.ones(len(y))
    model = Anderson(ridge=ridge, covariance_type=covariance).fit(X, y, weights if weighted else None)
    assert model.component_labels_.tolist() == ["a", "b"]
    more = ridge * np.diag(np.cov(X.T, aweights=weights, ddof=0).diagonal())
    for k, own in enumerate([y == "a", y == "b"]):
        C = np.cov(X[own].T, aweights=weights[own], ddof=0) * (I2 if covariance == "diag" else 1) + more
        np.testing.assert_allclose(model.means_[k], np.average(X[own], axis=0, weights=weights[own]), rtol=1e-12)
        np.testing.assert_allclose(model.covariances_[k], C, rtol=1e-9, atol=1e-15)
    sound(model)


@pytest.mark.parametrize("covariance", ["full", "diag", "tied"])
@pytest.mark.parametrize("components", [2, "bic"])
def test_several_gaussians_are_those_of_scikit_learn(components: Any, covariance: Any) -> None:
    """The blobs are so far apart that each row belongs to one, so the Gaussians are also those of the blobs."""
    X, y = FAR
    model = Anderson(n_components=components, max_components=3, covariance_type=covariance, random_state=0).fit(X, y)
    assert model.component_labels_.tolist() == ["a", "a", "b", "b"]
    centre, scale = X.mean(axis=0), X.std(axis=0)
    for label in "ab":
        rows, own = X[y == label], np.flatnonzero(model.component_labels_ == label)
        own = own[np.argsort(model.means_[own, 1])]
        mixture = GaussianMixture(2, covariance_type=covariance, reg_covar=1e-6, random_state=0)
        order = np.argsort(mixture.fit((rows - centre) / scale).means_[:, 1])
        C = mixture.covariances_
        theirs = {"full": C, "diag": C[:, :, np.newaxis] * I2, "tied": np.stack([C, C])}[covariance][order]
        hands = np.array([np.cov(part.T, bias=True) for part in (rows[:60], rows[60:])])
        hands = {"full": hands, "diag": hands * I2, "tied": np.stack([hands.mean(axis=0)] * 2)}[covariance]
        np.testing.assert_allclose(model.means_[own], mixture.means_[order] * scale + centre, rtol=1e-9)
        np.testing.assert_allclose(model.means_[own], [rows[:60].mean(axis=0), rows[60:].mean(axis=0)], rtol=1e-9)
        np.testing.assert_allclose(model.covariances_[own], theirs * np.outer(scale, scale), rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(model.covariances_[own], hands + 1e-6 * np.diag(scale**2), rtol=1e-6, atol=1e-12)
    sound(model)


@pytest.mark.parametrize(("most", "chosen"), [(1, "ab"), (2, "abb"), (3, "abbb")])
def test_bic_takes_as_many_as_there_are_blobs(most: int, chosen: str) -> None:
    X, y = blobs((0, 0), (60, 0), (60, 60), (60, 120)), np.repeat(["a", "b"], [60, 180])
    model = Anderson(n_components="bic", max_components=most, random_state=0).fit(X, y)
    assert "".join(model.component_labels_) == chosen


@quiet
def test_a_random_state_makes_it_repeatable() -> None:
    for seed in (lambda: 5, lambda: np.random.RandomState(5)):
        one, two = (Anderson(n_components=3, random_state=seed()).fit(NEAR[0][::3], NEAR[1][::3]) for _ in range(2))
        for name in ("means_", "covariances_", "coef_"):
            assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


def same(one: Anderson, two: Anderson) -> None:
    np.testing.assert_allclose(one.means_, two.means_, rtol=1e-9)
    np.testing.assert_allclose(one.covariances_, two.covariances_, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(one.radius_bounds_, two.radius_bounds_, rtol=1e-5)


@pytest.mark.parametrize("options", [{}, SEEDED])
def test_order_copies_and_rows_of_no_weight(options: dict[str, Any]) -> None:
    (X, y), rng = FAR, np.random.default_rng(2)
    order, copies = rng.permutation(len(y)), rng.integers(0, 4, len(y))
    same(Anderson(**options).fit(X[order], y[order]), Anderson(**options).fit(X, y))
    counted = Anderson(**options).fit(X, y, copies)
    same(counted, Anderson(**options).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)))
    same(counted, Anderson(**options).fit(X[copies > 0], y[copies > 0], copies[copies > 0]))
    for far in (1e6, 1e200):  # wherever a row of no weight is
        same(Anderson(**options).fit([*X, [far, far]], [*y, "a"], [*copies, 0]), counted)


def test_the_form_of_rows_does_not_count() -> None:
    X, y = np.random.default_rng(3).integers(-9, 9, (40, 2)) + np.repeat([[0.0], [12]], 20, axis=0), np.arange(40) // 20
    named = Anderson().fit(pd.DataFrame(X, columns=["u", "v"]), y)
    assert named.feature_names_in_.tolist() == ["u", "v"]
    for form in (np.array, np.ndarray.tolist, scipy.sparse.csr_array, scipy.sparse.coo_matrix, np.float32, np.int8):
        model = Anderson().fit(form(X), y)
        assert model.coef_.tobytes() == named.coef_.tobytes()
        assert not hasattr(model, "feature_names_in_")


def test_many_classes_are_for_wrappers() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match=r"y has 3 classes.*OneVsOne"):
        Anderson().fit(X, y)
    for wrapper in (OneVsOne, OneVsAll):
        model = wrapper(Anderson()).fit(X, y)
        assert model.score(X, y) > 0.9
        for member in model.estimators_:
            sound(member)


def test_pipelines_cross_validation_and_clones() -> None:
    X, y = (part[50:] for part in load_iris(return_X_y=True))
    model, scaled = Anderson(epsilon=1e-9).fit(X, y), make_pipeline(StandardScaler(), Anderson(epsilon=1e-9)).fit(X, y)
    assert (model.predict(X) == scaled.predict(X)).all()  # the task does not depend on scales
    assert cross_val_score(scaled, X, y).mean() > 0.9
    copy = clone(Anderson(covariance_type="diag", ridge=0.1, max_error=0.2).fit(X, y))
    assert copy.get_params() == Anderson(covariance_type="diag", ridge=0.1, max_error=0.2).get_params()
    assert not hasattr(copy, "radius_bounds_")


BAD: dict[str, list[Any]] = {
    "means": [
        *((bad, r"means must be .*shape \(m, d\)") for bad in (None, 3, [], [0, 6], [TWO[0]], np.zeros((2, 0)))),
        *((bad, "means must be") for bad in ([[0, 0], [6]], [["x", "y"]] * 2, "ab", object(), [[0, 1j], [6, 0]])),
        *(([[0, bad], [6, 0]], "finite.*mean of Gaussian 0") for bad in (NAN, -INF, None)),
        *((bad, "means") for bad in (np.array([[0, 1j], [6, 0]]), [[0, 10**400], [6, 0]], np.zeros((2, 2), "M8[D]"))),
        (np.ma.masked_equal(TWO[0], 6), "means.*mask"),
        ([[0, 1e101], [6, 0]], r"means reach 1e\+101"),
    ],
    "covariances": [
        *((bad, r"shape \(2, 2, 2\).*its shape is") for bad in (None, I2, [I2], [I2] * 3, [[[1]], [[1]]])),
        *((bad, "covariances must be") for bad in ([I2, [[1, 0], [0]]], [["x", "y"]] * 2, [I2, [[1, 0], [0, 1j]]])),
        *(([I2, [[1, 0], [0, bad]]], "finite.*covariance of Gaussian 1") for bad in (NAN, INF)),
        *((bad, "covariances") for bad in (np.array([I2, 1j * I2]), [I2, [[10**400, 0], [0, 1]]])),
        (np.ma.masked_equal([I2, I2], 1), "covariances.*mask"),
        ([I2, 1e101 * I2], r"covariances reach 1e\+101"),
        ([I2, [[1, 0.5], [0.25, 1]]], r"Gaussian 1 is not symmetric: \[0, 1\] is 0.5, but \[1, 0\] is 0.25"),
        *(([I2, bad], "Gaussian 1 is not positive semidefinite: .* -1,") for bad in (-I2, [[1, 2], [2, 1]])),
    ],
    "labels": [
        *((bad, rf"2 .* {len(bad)} ") for bad in (["a"], ["a", "b", "b"])),
        *((bad, "one kind") for bad in (["a", 1], np.array(["a", 1], dtype=object))),
        *(([0.5, 1.5], "continuous"), ([["a", "b"]], r"labels\[0\] is \['a', 'b'\]\. .* one class label for each row")),
        *((None, "None"), (["a", "a"], "at least 2 classes"), ([0, NAN], "NaN")),
        (np.ma.masked_equal([0, 1], 1), "masked"),
    ],
}


def refuses(model: Anderson, call: str, given: Any, message: str) -> str:
    """Return the message; check that the model keeps the same objects."""
    held, history, before = dict(vars(model)), model.history_.tobytes(), model.predict(THREE[0]).tolist()
    with pytest.raises((DataError, ParameterError), match=message) as refused:
        getattr(model, call)(*given)
    assert vars(model).keys() == held.keys()
    assert all(vars(model)[name] is value for name, value in held.items())
    assert (model.history_.tobytes(), model.predict(THREE[0]).tolist()) == (history, before)
    return str(refused.value)


@pytest.mark.parametrize(("name", "bad", "message"), [(name, *case) for name, cases in BAD.items() for case in cases])
def test_what_is_refused_is_named_and_changes_nothing(name: str, bad: Any, message: str) -> None:
    given = {**dict(zip(BAD, TWO, strict=True)), name: bad}
    said = refuses(Anderson().fit_gaussians(*THREE), "fit_gaussians", given.values(), message)
    assert not re.search(r"\b[Xy]\b", said), f"{said}: X and y are what `fit` takes"


@quiet
@pytest.mark.parametrize(
    ("options", "call", "given", "message"),
    [
        ({"solver": "bahadur"}, "fit_gaussians", THREE, "one Gaussian of each class, .* here are 3 Gaussians"),
        ({"solver": "bahadur"}, "fit_gaussians", (TWO[0], [I2, np.diag([1, 0])], [0, 1]), "here one is singular"),
        ({}, "fit_gaussians", (*THREE[:2], [0, 1, 2]), "labels has 3 classes.*OneVsOne"),
        *(({"n_components": k}, "fit", (*NEAR, np.full(120, 0.5)), "must be whole numbers") for k in (2, "bic")),
        *(({"n_components": 2}, "fit", (*NEAR, np.full(120, big)), "sample_weight") for big in (1e12, 1e30)),
        ({"n_components": 61}, "fit", NEAR, "Class 'a' has 60 rows, too few for 61 Gaussians"),
        ({"n_components": 2, "ridge": 0}, "fit", ([[0, 0]] * 3 + [[1, 1]] * 3, [0] * 3 + [1] * 3), "Raise ridge"),
        *(({}, "fit", (NEAR[0] * s, NEAR[1]), said) for s, said in ((1e60, "covariances reach"), (1e200, "too large"))),
    ],
)
def test_what_is_refused_late_changes_nothing(options: Any, call: str, given: Any, message: str) -> None:
    refuses(Anderson().fit_gaussians(*THREE).set_params(**options), call, given, message)


def test_the_form_of_gaussians_does_not_count() -> None:
    plain, (means, covariances, labels) = Anderson().fit_gaussians(*TWO), TWO
    for kind in (float, object, np.float32, np.uint8, int):
        form = np.ma.array if kind is int else np.array
        model = Anderson().fit_gaussians(form(means, dtype=kind), form(covariances, dtype=kind), tuple(labels))
        assert model.coef_.tobytes() == plain.coef_.tobytes()
    named = pd.DataFrame(means, columns=["u", "v"])
    model = Anderson().fit_gaussians(named, [pd.DataFrame(C) for C in covariances], np.array(labels, dtype=object))
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert model.predict(named).tolist() == labels


def scaled(s: Any, about: float = 0.0, spread: float = 1.0) -> Any:
    return np.array(THREE[0]) * s + about, np.array(THREE[1]) * np.outer(s, s) * spread, THREE[2]


def drawn(m: int, d: int, rank: int, about: float = 0.0) -> Any:
    rng, labels = np.random.default_rng(m + d), np.arange(m) % 2
    C = (roots := rng.standard_normal((m, d, rank))) @ roots.transpose(0, 2, 1)
    return rng.standard_normal((m, d)) + 9 * labels[:, np.newaxis] + about, (C + C.transpose(0, 2, 1)) / 2, labels


ALONG, ACROSS, BOTH = np.diag([1.0, 0]), np.diag([0, 1.0]), np.arange(200) % 2
DEGENERATE: dict[str, tuple[Any, float | None]] = {
    **{f"d=1, {a}, {b}": (([[0], [3]], [[[a]], [[b]]], [0, 1]), r) for a, b, r in ((1, 4, 1), (0, 1, 3), (0, 0, INF))},
    "d=1, in between": (([[0], [3], [1]], [[[1]]] * 3, [0, 0, 1]), 0),
    **{f"one mean {k}": (([[1, 2]] * 2, C, [0, 1]), 0) for k, C in enumerate(([I2, I2], [0 * I2] * 2, [ALONG, I2]))},
    "one repeated": (([[0, 0]] * 100 + [[6, 0]], [I2] * 100 + [4 * I2], [0] * 100 + [1]), 2),
    "constant column": (([[0, 5], [6, 5]], [ALONG] * 2, [0, 1]), 3),
    "points": (([[0, 0], [6, 1], [5, 5]], [0 * I2] * 3, [0, 1, 1]), INF),
    "parallel lines": (([[0, 0], [0, 5]], [ALONG] * 2, [0, 1]), INF),
    "crossing lines": (([[0, 0], [5, 0]], [ALONG, ACROSS], [0, 1]), 5),
    "one line": (([[0, 0], [5, 5]], [np.ones((2, 2))] * 2, [0, 1]), 2.5),
    "planes": (([[0, 0, 0], [3, 0, 0]], [np.diag([1, 1, 0]), np.diag([0, 1, 1])], [0, 1]), 3),
    "two hundred": ((np.c_[BOTH * 4, np.arange(200) // 2], [I2] * 200, BOTH), 2),
    "sixty dimensions": (([[-3] + [0] * 59, [3] + [0] * 59], [np.eye(60)] * 2, [0, 1]), 3),
    "offset": (scaled([1, 1], about=1e8), 2),
    **{f"columns times {s}": (scaled([s, 1 / s]), 2) for s in (1e-8, 1e-30)},
    **{f"covariances times {s}": (scaled([1, 1], spread=s), 2 / math.sqrt(s)) for s in (1e-30, 1e30)},
    **{f"{m} of rank {rank}": (drawn(m, 3, rank), None) for m in (2, 4, 30) for rank in (1, 2)},
    "lines, offset": (drawn(4, 3, 1, about=1e8), None),
}
SETTINGS: list[dict[str, Any]] = [
    *({}, {"solver": "ascent", "epsilon": 1e-15}, {"max_error": 0.01}),
    *({"solver": "gradient", "max_iter": 40}, {"solver": "gradient", "max_iter": 40, "max_error": 0.4}),
]
every_case = pytest.mark.parametrize("name", DEGENERATE)


@quiet
@every_case
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_degenerate_gaussians_have_sound_answers(name: str, options: dict[str, Any]) -> None:
    given, radius = DEGENERATE[name]
    model = Anderson(**options).fit_gaussians(*given)
    sound(model, radius)
    proved = {"target", "impossible"} if "max_error" in options else {"gap_closed", "proved_overlap"}
    assert model.stop_reason_ in {"budget" if "max_iter" in options else "rounding", "rounding", *proved}


@quiet
@every_case
def test_the_weights_of_each_class_sum_to_one(name: str) -> None:
    model = Anderson(max_iter=1).fit_gaussians(*DEGENERATE[name][0])
    sound(model, DEGENERATE[name][1])
    sums = [model.dual_weights_[model.component_labels_[model.tight_] == label].sum() for label in model.classes_]
    assert sums == pytest.approx([1, 1]) or math.isinf(model.radius_bounds_[1])  # then nothing is proved


@quiet
@pytest.mark.parametrize("solver", ["auto", "ascent", "gradient"])
@pytest.mark.parametrize("apart", [1e9, 1e100, 1e-155, 1e-200])
@pytest.mark.parametrize("variance", [1, 1e-150])
def test_extremes_are_answered_or_refused(apart: float, variance: float, solver: Any) -> None:
    model = Anderson(solver=solver, max_iter=50)
    with suppress(DataError):
        model.fit_gaussians([[0, 0], [apart, 0]], [variance * I2, 3 * variance * I2], [0, 1])
    if hasattr(model, "means_"):
        sound(model)


def test_the_smallest_of_covariances_are_lifted_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix lacks less than a float can show; the search for a ridge makes at most 2100 doublings."""
    asked, ask = iter(range(2200)), vars(read)["is_semidefinite"]
    monkeypatch.setattr(read, "is_semidefinite", lambda C: next(asked) >= 0 and ask(C))
    with suppress(DataError):
        read.checked([[0, 0, 0], [1, 1, 1]], [5e-324 * np.array([[4.0, -3, -2], [-3, 4, 2], [-2, 2, 1]])] * 2)


@quiet
@pytest.mark.parametrize("ridge", [0, 1e-6])
@pytest.mark.parametrize("X", [WIDE, WIDE[:10], WIDE[:2], WIDE[:3, :1], 0 * WIDE[:4], 0 * WIDE[:7, :2] + 0.1])
def test_few_or_degenerate_rows_have_sound_answers(X: Any, ridge: float) -> None:
    sound(Anderson(ridge=ridge).fit(X, PAIRS[: len(X)]))


@pytest.mark.parametrize(("s", "about"), [([1e-8, 1e8], 0), ([1e8, 1e-8], 0), ([1e-30, 1e30], 0), ([1e3, 1], 1e8)])
@pytest.mark.parametrize("options", [{}, SEEDED])
def test_scales_and_offsets_of_rows_do_not_count(s: Any, about: float, options: dict[str, Any]) -> None:
    X, y = FAR
    model, moved = Anderson(**options).fit(X, y), Anderson(**options).fit(X * s + about, y)
    sound(moved)
    assert moved.radius_bounds_ == pytest.approx(model.radius_bounds_, rel=1e-4)


@pytest.mark.parametrize("solver", ["auto", "bahadur", "ascent", "gradient"])
def test_targets_and_budgets(solver: Any) -> None:
    """The least worst error is 2.275 %."""
    assert Anderson(solver=solver, max_error=0.03).fit_gaussians(*TWO).stop_reason_ == "target"
    assert Anderson(solver=solver, max_error=0.02).fit_gaussians(*TWO).stop_reason_ == "impossible"
    given = TWO[0], [np.diag([1, 3]), [[4, 1], [1, 2]]], TWO[2]
    with pytest.warns(BudgetWarning, match="max_iter=1 steps"):
        model = Anderson(solver=solver, max_iter=1, epsilon=1e-12).fit_gaussians(*given)
    assert (model.stop_reason_, model.n_iter_) == ("budget", 1)
    sound(model)


@pytest.mark.parametrize("solver", ["bahadur", "ascent", "gradient"])
def test_the_first_line_is_the_start(solver: Any) -> None:
    """The start is halfway between the scaled means; Bahadur's uses the mean covariance, as in Fisher's rule."""
    covariances = np.array([np.diag([1, 3]), np.diag([3.4, 1])])
    with pytest.warns(BudgetWarning):
        model = Anderson(solver=solver, max_iter=2, epsilon=1e-14).fit_gaussians([[0, 0], [6, 6]], covariances, [0, 1])
    *w, b = model.history_["w"][0]
    start = np.linalg.solve(covariances.mean(axis=0), [6, 6]) if solver == "bahadur" else np.array([6, 6])
    assert w / np.linalg.norm(w) == pytest.approx(start / np.linalg.norm(start))
    assert solver == "bahadur" or b == pytest.approx(-3 * sum(w))


@quiet
@pytest.mark.parametrize(("given", "solver"), [(TWO, "bahadur"), (THREE, "gradient"), (drawn(6, 3, 5), "ascent")])
def test_contact_points_and_the_best_of_all_steps(given: Any, solver: Any) -> None:
    model = Anderson(solver=solver, max_iter=60, epsilon=1e-9).fit_gaussians(*given)
    sound(model)
    best = np.argmax(model.history_["radius"])
    assert np.append(model.coef_, model.intercept_).tobytes() == model.history_["w"][best].tobytes()
    assert model.radius_bounds_[0] == pytest.approx(model.history_["radius"][best])
    y, inverse = np.where(model.component_labels_ == model.classes_[1], 1, -1), np.linalg.inv(model.covariances_)
    for t, (v, radius, _, _) in enumerate(model.history_):
        away = (points := model.contact_points(t)) - model.means_
        assert np.einsum("ij,ijk,ik->i", away, inverse, away) == pytest.approx(radius**2)
        assert (y * (points @ v[:-1] + v[-1])).min() == pytest.approx(0, abs=1e-9 * np.abs(v).sum())


def test_those_that_hold_the_hyperplane() -> None:
    """A Gaussian far away has no weight; the weighted contact points of the two classes are the same point."""
    means, covariances, labels = [[2, 99], *THREE[0]], [I2, *THREE[1]], ["top", *THREE[2]]
    model = Anderson(epsilon=1e-12).fit_gaussians(means, covariances, labels)
    assert model.tight_.tolist() == [1, 2, 3]
    assert model.dual_weights_ == pytest.approx([0.5, 0.5, 1], abs=1e-4)
    assert model.contact_points() == pytest.approx(np.array([[2, 97], [0, 2], [4, 2], [2, 2]]), abs=1e-4)


def test_before_and_after_fit() -> None:
    model, names = Anderson(solver="ascent", ridge=0.5), {"coef_", "intercept_", "hyperplane_", "worst_error_bounds_"}
    for name in names | {"component_errors_", "distribution_free_bound_", "certificate_", "n_iter_"}:
        with pytest.raises(NotFittedError):
            getattr(model, name)
    with pytest.raises(NotFittedError):
        model.contact_points()
    assert not any(hasattr(model, name) for name in ("radius_bounds_", "history_", "means_", "tight_", "classes_"))
    assert repr(model) == "Anderson(ridge=0.5, solver='ascent')"
    assert model.get_params() == {**Anderson().get_params(), "solver": "ascent", "ridge": 0.5}
    twin = pickle.loads(pickle.dumps(model.fit_gaussians(*THREE)))  # noqa: S301
    sound(twin, 2)
    assert (twin.radius_bounds_, twin.history_.tobytes()) == (model.radius_bounds_, model.history_.tobytes())


# ---------------------------------------------------------------------------------------------------------------------
# Weights and copies, and models that are sent elsewhere


@quiet
@pytest.mark.parametrize("solver", ["auto", "ascent", "gradient"])
def test_weights_are_copies_to_the_last_bit(solver: Any) -> None:
    """Also for the lecture's gradient, whose many steps would make another hyperplane of a difference in rounding."""
    rng = np.random.default_rng(8)
    X, y, weights = rng.normal(size=(25, 3)), np.arange(25) % 2, rng.integers(0, 5, 25)
    X[3:6] = X[0]  # equal rows, of both classes
    copies = rng.permutation(np.repeat(np.arange(25), weights))
    model, copied = Anderson(solver=solver, max_iter=60), Anderson(solver=solver, max_iter=60)
    model.fit(X, y, sample_weight=weights)
    copied.fit(X[copies], y[copies])
    assert model.covariances_.tobytes() == copied.covariances_.tobytes()
    assert model.history_.tobytes() == copied.history_.tobytes()


@quiet
def test_scikit_learns_checks_of_the_gradient() -> None:
    model = Anderson(solver="gradient", max_iter=100)
    estimator_checks.check_sample_weight_equivalence_on_dense_data("Anderson", model)
    estimator_checks.check_sample_weight_equivalence_on_sparse_data("Anderson", model)
    estimator_checks.check_estimators_pickle("Anderson", model)


@quiet
def test_exact_numbers_of_a_search_are_not_pickled() -> None:
    model = Anderson(solver="gradient", max_iter=9).fit_gaussians(*THREE)
    assert "exact" in vars(model._gaussians)
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert loaded.certificate_.to_json() == model.certificate_.to_json()

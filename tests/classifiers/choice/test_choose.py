"""The choice of an algorithm, held against trials that are made again by hand."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline

from rosenblatt import Kessler, Kozinec, OneVsAll, Perceptron, Scaling
from rosenblatt.classifiers.choice import candidates, trials
from rosenblatt.classifiers.choice.candidates import Candidate, Task
from rosenblatt.classifiers.choice.choose import choose
from rosenblatt.classifiers.choice.trials import Trials
from rosenblatt.errors import ParameterError


def rows_of(n: int, d: int, *, noise: float, seed: int = 0, classes: int = 2) -> tuple[Any, Any]:
    """Normal points. The class is where a sum of the columns lies, which noise blurs."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    lead = X @ np.linspace(1, 2, d) / np.sqrt(d) + noise * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(lead, np.linspace(0, 1, classes + 1)[1:-1]), lead)


def by_hand(estimator: Any, X: Any, y: Any, folds: int, repeats: int) -> tuple[int, int]:
    """How many rows are predicted correctly by models that did not learn from them, and how many rows."""
    right = seen = 0
    parts = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        for train, test in parts.split(X, y):
            right += int((clone(estimator).fit(X[train], y[train]).predict(X[test]) == y[test]).sum())
            seen += len(test)
    return right, seen


@pytest.mark.parametrize(("noise", "classes"), [(0.0, 2), (0.6, 2), (0.4, 3)])
def test_trials_are_those_made_by_hand_and_the_best_or_one_nearly_as_good_is_chosen(noise: float, classes: int) -> None:
    X, y = rows_of(60, 4, noise=noise, classes=classes)
    choice = choose(X, y)
    task = Task.of(X, classes, None, {}, None, 0)
    assert len(choice.tried) >= 4
    for candidate, trial in choice.tried:
        assert (trial.right, trial.n) == by_hand(task.estimator(candidate), X, y, 5, 3)
    most = max(trial.right for _, trial in choice.tried) / 180
    assert choice.tried[0][1].right == 180 * most
    near = [
        candidate.settings["C"]
        for candidate, trial in choice.tried
        if "C" in candidate.settings and most - trial.right / 180 <= 0.25 * (most * (1 - most) / 60) ** 0.5
    ]
    chosen, trial = next(
        one for one in choice.tried if not near or one[0].settings.get("C") == min(near)
    )  # the first one, the best, if no margin with slack is near
    assert (choice.algorithm, choice.scale) == chosen[:2]
    parameters = choice.estimator[-1].get_params()
    assert parameters.get("C", parameters.get("estimator__C")) == chosen.settings.get("C")
    assert choice.why.startswith(f"{chosen.words}: {100 * trial.right / 180:.1f} % right of rows not learned")
    assert ("may be luck" in choice.why) == (trial.right < 180 * most)
    assert f"({len(choice.tried)} candidates, 5 folds of 60 rows, 3 times)" in choice.why


def test_barely_separable_noise_is_not_taken_for_a_margin() -> None:
    """100 rows of 60 columns are separable whatever their labels are; slack or an average predicts better."""
    chosen = [choose(*rows_of(100, 60, noise=1.0, seed=seed)) for seed in range(2)]
    assert all(any(candidate.words == "the largest margin" for candidate, _ in one.tried) for one in chosen)
    assert any(one.tried[0][0].words != "the largest margin" for one in chosen)


def test_equal_trials_take_the_largest_margin() -> None:
    X = np.r_[np.linspace(-9, -5, 12), np.linspace(5, 9, 12)][:, np.newaxis]
    choice = choose(X, np.repeat([0, 1], 12))
    assert choice.tried[0][1].right == choice.tried[0][1].n
    assert choice.tried[0][0] == Candidate("kozinec", "standardize", {})
    assert isinstance(choice.estimator, Pipeline)


def test_too_few_rows_for_trials() -> None:
    X, y = np.array([[-3.0], [-2.0], [2.0]]), np.array([0, 0, 1])
    choice = choose(X, y)
    assert (choice.algorithm, choice.scale, choice.tried) == ("kozinec", "standardize", [])
    assert choice.why == (
        "a class has 1 row, too few to try candidates on rows not learned from; a hyperplane separates them, so the "
        "largest margin is used"
    )
    mixed = choose(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]))
    assert mixed.algorithm == "averaged"
    assert mixed.why.endswith("no hyperplane was found that separates them, so the averaged perceptron is used")
    alone = choose(np.arange(30.0)[:, np.newaxis], np.r_[np.zeros(29), 1])
    assert (alone.algorithm, alone.tried) == ("kozinec", [])


def test_numbers_that_nothing_can_learn_from_are_not_called_few() -> None:
    """The largest float64 is below 1.8e308: the distance from the mean does not fit, so that no candidate can learn."""
    X = np.random.default_rng(0).choice([-1.7e308, 1.7e308], (60, 3))
    choice = choose(X, np.arange(60) % 2)
    assert choice.why.startswith("no candidate could learn from parts of the rows; ")


def test_what_the_user_settles() -> None:
    X, y = rows_of(60, 3, noise=0.5)
    assert choose(X, y, scale="none").scale is None
    assert isinstance(choose(X, y, scale="none").estimator, Kozinec | Perceptron)
    priced = choose(X, y, settings={"C": 0.5})
    assert [candidate.settings for candidate, _ in priced.tried] == [{"C": 0.5}]
    assert priced.estimator[-1].C == 0.5
    cyclic = choose(X, y, settings={"order": "cyclic"}, passes=3, seed=4)
    model = cyclic.estimator[-1]
    assert (model.order, model.average, model.max_epochs, model.random_state) == ("cyclic", "averaged", 3, 4)
    with pytest.raises(
        ParameterError, match=r"--set ordr=1: --algorithm auto tries averaged, kozinec, anderson, .*'order'"
    ):
        choose(X, y, settings={"ordr": 1})


def test_sparse_rows_are_divided_if_that_helps() -> None:
    """A column in a small unit tells the class, and one in a large unit is noise."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(80) / 1000, 1000 * rng.standard_normal((80, 3))])
    y = (X[:, 0] > 0).astype(int)
    choice = choose(scipy.sparse.csr_array(X), y)
    assert choice.scale == "divide"
    assert {candidate.scale for candidate, _ in choice.tried} == {None, "divide"}
    assert choice.estimator[0].how == "divide"


def test_a_small_class_is_not_given_up_for_slack() -> None:
    """A margin with slack is as often right, but finds fewer rows of the small class."""
    rng = np.random.default_rng(1)
    X = np.r_[rng.standard_normal((400, 2)), rng.standard_normal((30, 2)) + 1.2]
    choice = choose(X, np.repeat([0, 1], [400, 30]))
    (first, most), *others = choice.tried
    assert first.algorithm == choice.algorithm == "averaged"
    assert any(
        "C" in candidate.settings and trial.right == most.right and trial.balanced < most.balanced - 0.01
        for candidate, trial in others
    )


def unequal(overlap: float) -> tuple[Any, Any]:
    """Many rows of one class, few of another. Without weights, few of those are found if they overlap much."""
    rng = np.random.default_rng(1)
    X = np.r_[rng.standard_normal((600, 2)), rng.standard_normal((40, 2)) + overlap]
    return X, np.repeat([0, 1], [600, 40])


def test_imbalance_is_told_or_weighted() -> None:
    choice = choose(*unequal(1.2))
    tried = {candidate.words: trial for candidate, trial in choice.tried}
    weighted = tried["the averaged perceptron, class_weight = balanced"]
    plain = choice.tried[0][1]
    assert weighted.balanced > plain.balanced + 0.05
    assert choice.estimator[-1].get_params().get("class_weight") is None
    assert "--set class_weight=balanced" in choice.hint
    assert f"{100 * weighted.balanced:.1f} %" in choice.hint
    balanced = choose(*rows_of(100, 3, noise=0.5))
    assert not balanced.hint
    assert all("class_weight" not in candidate.settings for candidate, _ in balanced.tried)


def test_weights_of_classes_are_taken_if_they_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.classifiers.choice.choose.MAX_LOSS", 100.0)
    choice = choose(*unequal(1.2))
    assert choice.estimator[-1].class_weight == "balanced"
    assert choice.why.startswith("the averaged perceptron, class_weight = balanced: ")
    assert not choice.hint


def test_many_long_rows_are_told_from_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = rows_of(60, 3, noise=0.3, classes=3)
    task, slack = Task.of(X, 3, "none", {}, None, 0), Candidate("kozinec", None, {"C": 1.0})
    assert isinstance(task.estimator(slack), Kessler)
    for limit in ("MAX_LONG_NUMBERS", "MAX_LONG_WORK"):
        with monkeypatch.context() as changed:
            changed.setattr(candidates, limit, 100)
            assert isinstance(task.estimator(slack), OneVsAll)
    assert isinstance(task.estimator(Candidate("kozinec", None, {})), Kessler)


def test_gaussians_of_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long clouds that cross each other: pairs of classes need hyperplanes of their own."""
    X, y = make_classification(
        334, 5, n_informative=5, n_redundant=0, n_classes=5, n_clusters_per_class=1, random_state=1
    )
    choice = choose(X, y)
    assert (choice.algorithm, choice.estimator[-1].__class__.__name__) == ("anderson", "OneVsOne")
    assert choice.why.startswith("Anderson's rule for Gaussians, one class against one: ")
    assert not Task.of(X, 5, None, {}, 3, 0).may_be_gaussian
    assert Task.of(X, 3, None, {}, None, 0).may_be_gaussian
    assert not Task.of(X, 2, None, {}, None, 0).may_be_gaussian
    monkeypatch.setattr(candidates, "MAX_GAUSSIAN_WORK", 100)
    assert not Task.of(X, 5, None, {}, None, 0).may_be_gaussian


def test_work_is_limited_by_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows_of(60, 3, noise=0.3)
    monkeypatch.setattr(candidates, "MAX_NEWTON_WORK", 10)
    assert Task.of(X, 2, None, {}, None, 0).prices() == []
    assert {candidate.algorithm for candidate, _ in choose(X, y).tried} == {"averaged"}
    monkeypatch.setattr(trials, "MAX_ROWS", 20)
    made = Trials(X, y, X.size, 0)
    assert len(made.y) == 20
    assert np.bincount(made.y).tolist() == [10, 10]
    assert (np.diff(made.rows) > 0).all()
    rare = Trials(np.r_[X, X[:2]], np.r_[y * 0, 1, 1], X.size, 0)
    assert np.bincount(rare.y).tolist()[1] == 2
    assert (rare.folds, rare.are_possible) == (2, True)


def test_equal_seeds_choose_equally() -> None:
    X, y = rows_of(80, 5, noise=0.8)
    assert choose(X, y, seed=3).tried == choose(X, y, seed=3).tried
    assert isinstance(choose(X, y).estimator[0], Scaling)

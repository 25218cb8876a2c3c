"""Classes that come later: as if declared for two classes, and by the definition of the rule for more."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import DataError, ParameterError, PassiveAggressive, Perceptron, Pocket, save
from rosenblatt.classifiers.single_rows.vocabulary import names_of
from tests.classifiers.single_rows.test_dict_rows import contents, stream

MODELS: dict[str, Any] = {
    "plain": Perceptron,
    "averaged": lambda **o: Perceptron(average="averaged", learning_rate=0.3, **o),
    "voted": lambda **o: Perceptron(average="voted", **o),
    "aggressive": PassiveAggressive,
    "pocket": Pocket,
}


@pytest.mark.parametrize("weights", [None, {0: 2.0, 1: 0.5}])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", MODELS)
def test_two_classes_as_they_come_are_two_classes_declared(kind: str, first: int, weights: Any) -> None:
    rows = [({"w1": 1.0, "w2": 0.3}, first), ({"w2": -1.0}, first), *stream(2)]
    declared, growing = MODELS[kind](class_weight=weights), MODELS[kind](class_weight=weights)
    for x, y in rows:
        if hasattr(growing, "classes_"):
            known = growing.classes_.tolist()
            assert growing.predict_one(x) == (known[0] if len(known) == 1 else declared.predict_one(x))
        declared.learn_one(x, y, classes=[0, 1])
        growing.learn_one(x, y, new_classes=True)
    assert contents(growing) == contents(declared)


def test_three_classes_as_they_come_follow_the_definition() -> None:
    """Whole numbers, so that plain Python gives the exact weights of each class by name."""
    rng = np.random.default_rng(0)
    rows = [({f"w{j}": float(rng.integers(-3, 4)) for j in rng.choice(5, 3, replace=False)}, y) for y in "bbaaacbadcab"]
    model = Perceptron()
    weights: dict[str, dict[str, float]] = {}
    w: dict[str, float] = {}  # while there are two classes at most: positive for the later of them
    for x, y in rows:
        model.learn_one(x, y, new_classes=True)
        x = x | {"": 1.0}
        if y not in weights and len(weights) == 2:  # two vectors become three
            low, high = sorted(weights)
            weights = {low: {name: -v for name, v in w.items()}, high: dict(w)}
        elif y not in weights and len(weights) == 1 and y > min(weights):
            w = {name: -v for name, v in w.items()}
        weights.setdefault(y, {})
        if len(weights) < 3:
            sign = 1.0 if y == max(weights) else -1.0
            if sign * sum(w.get(name, 0.0) * v for name, v in x.items()) <= 0:
                w = {name: w.get(name, 0.0) + sign * x.get(name, 0.0) for name in {**w, **x}}
            continue
        scores = {c: sum(own.get(name, 0.0) * v for name, v in x.items()) for c, own in weights.items()}
        best = max(scores[c] for c in scores if c != y)
        if scores[y] <= best:
            rival = max(c for c in scores if c != y and scores[c] == best)
            for c, step in ((y, 1.0), (rival, -1.0)):
                weights[c] = {name: weights[c].get(name, 0.0) + step * x.get(name, 0.0) for name in {**weights[c], **x}}
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    names = model.feature_names_in_.tolist()
    assert model.coef_.tolist() == [[weights[c].get(name, 0.0) for name in names] for c in "abcd"]
    assert model.intercept_.tolist() == [weights[c].get("", 0.0) for c in "abcd"]


@pytest.mark.parametrize("kind", MODELS)
def test_a_third_class_changes_no_prediction_among_the_first_two(kind: str) -> None:
    rows, model = stream(2), MODELS[kind]()
    for x, y in rows:
        model.learn_one(x, y, new_classes=True)
    classes, grown = model._with_class(-1, model.classes_, model._wide_learner)
    assert classes.tolist() == [-1, 0, 1]
    names = names_of(model)
    compared = 0
    for x, _ in rows:
        row = names.row(x, 1.0).row
        if model._wide_learner.winners(row, -1.0) == model._wide_learner.winners(row, 1.0):  # else it is a tie
            compared += 1
            assert grown.winners(row, -1.0) - 1 == model._wide_learner.winners(row, -1.0)
    assert compared > len(rows) // 2


def test_two_aggressive_vectors_have_the_margins_of_one() -> None:
    model = PassiveAggressive(C=float("inf"), bias=0).learn_one({"a": 2.0}, 1, classes=[0, 1])
    assert (2.0 * model.coef_).tolist() == [[1.0]]
    model.learn_one({"b": 1.0}, 2, new_classes=True)
    assert 2.0 * (model.coef_[1, 0] - model.coef_[0, 0]) == 1.0


def test_rows_as_arrays_may_bring_new_classes_too() -> None:
    model = Perceptron().learn_one([1.0, 0.0], "x", new_classes=True)
    assert model.predict([[5.0, 5.0], [0.0, 0.0]]).tolist() == ["x", "x"]
    model.learn_one([0.0, 1.0], "y", new_classes=True).learn_one([1.0, 1.0], "z", new_classes=True)
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.partial_fit([[1.0, 0.0]], ["x"]).predict_one([1.0, 0.0]) == "x"


def test_what_needs_two_classes_says_so(tmp_path: Any) -> None:
    model = Perceptron(warm_start=True).learn_one([1.0], "x", new_classes=True)
    for learn in (model.partial_fit, model.fit):
        with pytest.raises(DataError, match="knows one class so far, 'x', and two are needed"):
            learn([[1.0], [2.0]], ["x", "x"])
    with pytest.raises(DataError, match="it can be saved when it knows two"):
        save(model, tmp_path / "model")


def test_labels_of_another_kind_and_start_weights_are_refused() -> None:
    model = Perceptron().learn_one([1.0], "x", new_classes=True)
    with pytest.raises(DataError, match="class labels of one kind"):
        model.learn_one([1.0], 3, new_classes=True)
    with pytest.raises(DataError, match="To take new classes as they come, pass new_classes=True"):
        model.learn_one([1.0], "y")
    started = Perceptron(init=[1.0, 0.0]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="for new classes, set init=None"):
        started.learn_one([1.0], 2, new_classes=True)

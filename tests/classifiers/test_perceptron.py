"""The theorems of the perceptron, and the effect of its parameters."""

import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import BudgetWarning, DataError, LeastRisk, Perceptron, StopReason
from rosenblatt.classifiers.perceptron import Voted
from rosenblatt.classifiers.training.order import ORDERS
from rosenblatt.data.validation import rows as as_rows

TIES = ["mistake", "positive", "negative"]
AND = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float), np.array([0, 0, 0, 1])
XOR = AND[0], np.array([0, 1, 1, 0])


class Planted(NamedTuple):
    """Integer rows that the integer weights U separate, so that bounds can be checked without rounding."""

    X: np.ndarray
    y: np.ndarray
    bound: float  # (R/gamma)^2, times 2 with more than two classes


@st.composite
def planted(draw: st.DrawFn, classes: int = 2) -> Planted:
    d = draw(st.integers(1, 4))
    whole = st.integers(-6, 6)
    rows = draw(st.lists(st.tuples(*[whole] * d), min_size=2, max_size=12))
    U = np.array(draw(st.lists(st.tuples(*[whole] * (d + 1)), min_size=classes, max_size=classes)))
    Z = np.c_[np.array(rows), np.ones(len(rows), dtype=int)]
    scores = np.sort(Z @ U.T, axis=1)
    leads = scores[:, -1] - scores[:, -2]
    assume((leads > 0).any())
    Z, y = Z[leads > 0], np.argmax(Z @ U.T, axis=1)[leads > 0]
    assume(len(np.unique(y)) == classes)
    length = ((U[1] - U[0]) ** 2).sum() if classes == 2 else 2 * (U**2).sum()
    return Planted(Z[:, :-1].astype(float), y, (Z**2).sum(axis=1).max() * length / leads[leads > 0].min() ** 2)


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize("order", ORDERS)
@given(planted())
def test_novikoff_bounds_the_updates_in_every_order(order: Any, tie: Any, data: Planted) -> None:
    model = Perceptron(order=order, tie=tie, max_epochs=10**6).fit(data.X, data.y)
    assert model.n_updates_ <= data.bound
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert model.mistakes_per_epoch_[-1] == 0
    assert (model.predict(data.X) == data.y).all()


@pytest.mark.parametrize("order", ORDERS)
@given(planted(classes=3))
def test_kesler_bounds_the_updates_of_three_classes(order: Any, data: Planted) -> None:
    model = Perceptron(order=order, max_epochs=10**6).fit(data.X, data.y)
    assert model.n_updates_ <= data.bound
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert (model.predict(data.X) == data.y).all()


@pytest.mark.parametrize("order", ORDERS)
@given(planted(), st.sampled_from([1.0, 5.0, 40.0]))
def test_a_margin_is_reached_within_its_bound(order: Any, data: Planted, margin: float) -> None:
    """With w += y x whenever y w.x <= m:  |w|^2 <= k (R^2 + 2m)  and  |w| >= k gamma,  so  k <= (R^2 + 2m)/gamma^2."""
    radius = 1 + (data.X**2).sum(axis=1).max()
    model = Perceptron(order=order, margin=margin, max_epochs=10**6).fit(data.X, data.y)
    assert model.n_updates_ <= data.bound * (1 + 2 * margin / radius)
    assert (np.where(data.y == 1, 1, -1) * model.decision_function(data.X)).min() > margin


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_one_row_at_a_time_in_chunks_or_at_once_is_one_epoch(classes: int, average: Any, data: st.DataObject) -> None:
    case = data.draw(planted(classes=classes))
    X, y = case.X * 0.1, case.y  # not representable, so that rounding takes part
    labels = np.unique(y)
    cut = data.draw(st.integers(1, len(X)))
    whole = Perceptron(average=average).partial_fit(X, y, labels)
    chunks = Perceptron(average=average).partial_fit(X[:cut], y[:cut], labels)
    if cut < len(X):
        chunks.partial_fit(scipy.sparse.csr_array(X[cut:]), y[cut:])
    stream = Perceptron(average=average)
    for x, label in zip(X, y, strict=True):
        stream.learn_one(x, label, classes=labels)
    sparse = Perceptron(average=average)
    for i, label in enumerate(y):
        sparse.learn_one(scipy.sparse.csr_array(X[i : i + 1]), label, classes=labels)
    epoch = Perceptron(average=average, order="cyclic", max_epochs=1)
    with warnings.catch_warnings(action="ignore", category=BudgetWarning):
        epoch.fit(X, y)
    for model in (chunks, stream, sparse, epoch):
        assert model._learner.answer.tobytes() == whole._learner.answer.tobytes()
        assert model.n_updates_ == whole.n_updates_
        assert (model.decision_function(X) == whole.decision_function(X)).all()
        assert [model.predict_one(x) for x in X] == whole.predict(X).tolist()
        assert model.predict_one(scipy.sparse.csr_array(X[:1])) == whole.predict(X)[0]


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_dense_and_sparse_fit_and_predict_alike(classes: int, average: Any, data: st.DataObject) -> None:
    case = data.draw(planted(classes=classes))
    X, model = case.X * 0.1, Perceptron(average=average, max_epochs=10**6)
    dense, votes = model.fit(X, case.y)._learner.answer, model.decision_function(X)
    sparse = model.fit(scipy.sparse.csr_array(X), case.y)._learner.answer
    assert dense.tobytes() == sparse.tobytes()
    if average == "voted":
        assert (model.decision_function(scipy.sparse.csc_array(X)) == votes).all()
    assert (model.predict(X) == model.predict(scipy.sparse.coo_array(X))).all()


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data(), rate=st.floats(1e-6, 1e6))
def test_the_learning_rate_scales_the_weights_and_changes_nothing_else(
    classes: int, average: Any, data: st.DataObject, rate: float
) -> None:
    """From zero weights: the same updates, and weights equal to the last bit, whatever the rate rounds to."""
    case = data.draw(planted(classes=classes))
    unit = Perceptron(average=average, max_epochs=10**6).fit(case.X * 0.1, case.y)
    model = Perceptron(average=average, max_epochs=10**6, learning_rate=rate).fit(case.X * 0.1, case.y)
    assert model.mistakes_per_epoch_.tolist() == unit.mistakes_per_epoch_.tolist()
    assert (model._scale * model._learner.answer == rate * unit._learner.answer).all()
    assert (model.predict(case.X) == unit.predict(case.X)).all()


def test_a_stop_reason_compares_as_its_word() -> None:
    model = Perceptron().fit(*AND)
    assert model.stop_reason_ == "mistake_free"
    assert model.stop_reason_ in ("budget", "mistake_free")
    assert model.stop_reason_ != StopReason.BUDGET
    assert json.dumps(model.stop_reason_) == '"mistake_free"'
    assert model.stop_reason_.sentence.endswith(".")


def test_a_stream_of_single_rows_counts_as_one_pass() -> None:
    model = Perceptron(order="cyclic").fit(*AND)
    before, passes = model.n_updates_, model.n_iter_
    for x, label in zip([[-1.0, 0.0], [5.0, 5.0], [1.0, 1.0]], [1, 0, 1], strict=True):
        model.learn_one(x, label)
    # (3, 2; -4): row 0 scores -7, wrong: (2, 2; -3); row 1 scores 17, wrong: (-3, -3; -4); row 2 scores -10, wrong
    assert model.mistakes_per_epoch_[passes:].tolist() == [3]
    assert model.n_iter_ == passes + 1
    assert model.n_updates_ == before + 3
    assert model.stop_reason_ == "stream"


def test_a_stream_of_tables_keeps_the_names_of_the_first() -> None:
    frame = pandas.DataFrame({"a": [1.0, -1.0], "b": [0.0, 1.0]})
    model = Perceptron().partial_fit(frame, [0, 1], classes=[0, 1]).learn_one([2.0, 1.0], 0)
    model.partial_fit(frame, [0, 1], classes=[0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_iter_ == 2
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.partial_fit(frame.to_numpy(), [0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_weights_that_are_handed_out_are_not_those_that_learn() -> None:
    model = Perceptron(order="cyclic").fit(*AND)
    model.coef_[:] = 0.0
    assert model.coef_.tolist() == [[3.0, 2.0]]


def test_a_model_loaded_as_a_memory_map_goes_on_learning(tmp_path: Path) -> None:
    joblib.dump(Perceptron(order="cyclic").fit(*AND), tmp_path / "model")
    model = joblib.load(tmp_path / "model", mmap_mode="r")
    assert model.learn_one([1.0, 0.0], 1).coef_.tolist() == [[4.0, 2.0]]  # scores -1, wrong: (3, 2; -4) + (1, 0; 1)


def test_no_memory_for_more_votes_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(arrays: Any) -> Any:
        raise MemoryError(len(arrays))

    learner = Voted(np.zeros(3), np.ones(2), 0.0, 0.0)
    monkeypatch.setattr(np, "concatenate", full)
    with pytest.raises(MemoryError, match=r"1 of 3 numbers.*average='averaged'"):
        learner.learn(as_rows(AND[0], 1.0), np.array([-1, -1, -1, 1], dtype=np.int8), np.arange(4), np.ones(4))


def test_voted_answers_by_the_votes_of_all_weight_vectors() -> None:
    """Two rows, no bias, by hand: w = (0,0), then (1,0) after row 0, then (1,1) after row 1 for two rows."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]), np.array([1, 1, 1, 0])
    model = Perceptron(average="voted", bias=0).partial_fit(X, y, classes=[0, 1])
    # votes: (1,0) followed row 0; (1,1) followed rows 1, 2, 3
    assert model.decision_function([[2.0, -1.0], [-2.0, 1.0], [1.0, -1.0]]).tolist() == [4.0, -4.0, 1.0 - 3.0]
    assert model.predict([[2.0, -1.0], [-2.0, 1.0]]).tolist() == [1, 0]
    for name in ("hyperplane_", "coef_", "intercept_"):
        with pytest.raises(AttributeError, match=f"A voted perceptron has no {name}: it answers with the votes"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="has no coef_"):
        model.ranked_weights()
    assert not hasattr(LeastRisk(Perceptron(average="voted")).fit(X, y), "coef_")


def test_the_budget_warns_with_what_to_do_next() -> None:
    with pytest.warns(
        BudgetWarning, match=r"max_epochs=7 passes.*still made \d+ mistakes.*raise max_epochs.*'averaged'"
    ):
        model = Perceptron(max_epochs=7).fit(*XOR)
    assert str(model.stop_reason_) == "budget"
    assert model.n_iter_ == len(model.mistakes_per_epoch_) == 7
    with pytest.raises(BudgetWarning) as told:  # warnings are errors here
        Perceptron(max_epochs=7).fit(*XOR)
    command = told.value.args[0].command
    assert command.startswith("Perceptron used its budget of 7 passes, and the last pass still made ")
    assert command.endswith("no budget is enough; --algorithm averaged is the usual answer.")
    assert "raise --passes" in command
    assert model.n_updates_ == model.mistakes_per_epoch_.sum()


@pytest.mark.parametrize("average", ["averaged", "voted", True])
def test_all_passes_are_the_normal_end_of_averaging(average: Any) -> None:
    """Warnings are errors here, also in the folds of a search."""
    X, y = np.tile(XOR[0], (4, 1)), np.tile(XOR[1], 4)
    found = GridSearchCV(Perceptron(average=average), {"max_epochs": [2, 3]}, cv=2).fit(X, y)
    assert found.best_estimator_.stop_reason_ == "budget"


def test_random_order_is_not_called_free_of_mistakes_before_all_rows_are() -> None:
    """One row in a thousand decides: most passes of draws with replacement miss it or meet it late."""
    X = np.r_[np.full((999, 1), 1.0), [[-1.0]]]
    y = np.r_[np.ones(999), 0.0]
    for seed in range(30):
        model = Perceptron(order="random", random_state=seed).fit(X, y)
        assert (model.predict(X) == y).all()


@pytest.mark.parametrize(("order", "index"), [("first", 1), ("worst", 2)])
def test_first_and_worst_choose_the_row_they_say(order: Any, index: int) -> None:
    """From w = (1, 0): row 0 is right, row 1 is wrong by 1, row 2 by 3."""
    X, y = np.array([[1.0], [-1.0], [-3.0], [-2.0]]), np.array([1, 1, 1, 0])
    with pytest.warns(BudgetWarning):
        model = Perceptron(order=order, init=[1.0, 0.0], max_epochs=1).fit(X, y)
    assert model.n_updates_ == 1
    assert model.coef_[0, 0] == 1.0 + X[index, 0]


def test_warm_start_goes_on_from_the_last_weights() -> None:
    two = Perceptron(order="cyclic", max_epochs=2)
    one = Perceptron(order="cyclic", max_epochs=1, warm_start=True)
    with pytest.warns(BudgetWarning):
        two.fit(*XOR)
    for _ in range(2):
        with pytest.warns(BudgetWarning):
            one.fit(*XOR)
    assert one.coef_.tolist() == two.coef_.tolist()
    with pytest.raises(DataError, match="not one of the known classes"):
        one.fit(XOR[0], [0, 1, 2, 0])


def test_class_weight_multiplies_the_step() -> None:
    """From 0 every first row is a mistake: w = weight * y * x."""
    X = np.array([[2.0], [3.0]])
    for label, sign, weight in ((1, 1.0, 5.0), (0, -1.0, 0.25)):
        model = Perceptron(class_weight={1: 5.0, 0: 0.25}).partial_fit(X[:1], [label], classes=[0, 1])
        assert model.coef_[0, 0] == weight * sign * 2.0
        assert model.intercept_[0] == weight * sign
    balanced = Perceptron(order="cyclic", class_weight="balanced", max_epochs=1)
    with pytest.warns(BudgetWarning):
        balanced.fit([[1.0], [1.0], [1.0], [-1.0]], [1, 1, 1, 0])
    # weights 4/(2*3) and 4/(2*1): row 0 gives (2/3; 2/3), row 3 then scores 0 and adds 2 (1; -1)
    assert balanced.coef_[0, 0] == pytest.approx(2 / 3 + 2)
    assert balanced.intercept_[0] == pytest.approx(2 / 3 - 2)


def test_bias_constant_scales_how_fast_the_intercept_learns() -> None:
    model = Perceptron(bias=3.0).partial_fit([[2.0]], [1], classes=[0, 1])
    assert model.coef_.tolist() == [[2.0]]
    assert model.intercept_.tolist() == [9.0]  # weight 3, times the constant 3
    assert model.hyperplane_.b == 9.0


@pytest.mark.parametrize(("tie", "expected"), [("mistake", 0), ("negative", 0), ("positive", 1)])
def test_predict_at_a_score_of_exactly_zero(tie: Any, expected: int) -> None:
    model = Perceptron(tie=tie, init=[1.0, 0.0]).fit([[1.0], [-1.0]], [1, 0])
    assert model.n_updates_ == 0
    assert model.predict([[0.0]]).tolist() == [expected]
    assert model.predict_one([0.0]) == expected


@pytest.mark.parametrize(("tie", "expected"), [("mistake", "a"), ("negative", "a"), ("positive", "c")])
def test_predict_where_classes_share_the_largest_score(tie: Any, expected: str) -> None:
    model = Perceptron(tie=tie, bias=0).partial_fit([[0.0]], ["b"], classes=list("abc"))
    assert model.coef_.tolist() == [[0.0]] * 3  # a row of zeros teaches nothing
    assert model.predict([[1.0]]).tolist() == [expected]


def test_scores_too_large_for_a_float_still_have_their_sign() -> None:
    """1e200 * 1e200 overflows and 1e-200 * 1e-200 is lost to underflow; the sign of the exact sum decides."""
    X, y = np.array([[1e200, 1.0], [-1e200, 1.0]]), np.array([1, 0])
    model = Perceptron(init=[1e200, 0.0, 0.0]).fit(X, y)
    assert model.n_updates_ == 0
    assert model.predict(X).tolist() == [1, 0]
    tiny = Perceptron(init=[1e-200, 0.0, 0.0], bias=0).fit([[1e-200, 0.0], [-1e-200, 0.0]], y)
    assert tiny.n_updates_ == 0


@given(planted(), st.permutations(["u", "v"]))
def test_labels_may_be_called_anything(data: Planted, names: list[str]) -> None:
    model = Perceptron(order="cyclic", max_epochs=10**6).fit(data.X, data.y)
    renamed = Perceptron(order="cyclic", max_epochs=10**6).fit(data.X, np.array(names)[data.y])
    sign = 1 if names == ["u", "v"] else -1
    assert (renamed.coef_ == sign * model.coef_).all()
    assert renamed.n_updates_ == model.n_updates_


def test_ranked_weights_of_two_and_three_classes() -> None:
    frame = pandas.DataFrame({"small": [1.0, -1.0], "large": [-5.0, 5.0]})
    assert [name for name, _ in Perceptron().fit(frame, [1, 0]).ranked_weights()] == ["large", "small"]
    two = Perceptron(order="cyclic").fit(*AND)
    assert two.ranked_weights() == two.ranked_weights(1) == [("x1", 3.0), ("x2", 2.0)]
    assert two.ranked_weights(0) == [("x1", -3.0), ("x2", -2.0)]
    three = Perceptron().fit(np.eye(3), list("abc"))
    assert three.ranked_weights("b")[0][0] == "x2"
    with pytest.raises(ValueError, match=r"must be one of .*'a'.*not 'z'"):
        three.ranked_weights("z")
    with pytest.raises(AttributeError, match="two classes"):
        _ = three.hyperplane_


def test_works_inside_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    setosa = np.where(y == 0, "setosa", "other")
    pipe = make_pipeline(StandardScaler(), Perceptron())
    assert cross_val_score(pipe, X, setosa, cv=5).tolist() == [1.0] * 5
    search: Any = GridSearchCV(pipe, {"perceptron__average": [None, "averaged"]}, cv=3).fit(X, setosa)
    assert search.best_score_ == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)
        for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
            assert wrapper(Perceptron(average="averaged")).fit(X, y).score(X, y) > 0.9

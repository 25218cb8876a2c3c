"""`partial_fit` of one against all and one against one: each member learns as it would alone."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

from rosenblatt import (
    DataError,
    Kozinec,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from rosenblatt.models.save import from_bytes, to_bytes

rng = np.random.default_rng(5)
codes = rng.permutation(np.arange(60) % 4)
X = np.rint(8 * (np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[codes] + rng.normal(0, 0.5, (60, 2))))
CLASSES = np.array(["a", "b", "c", "d"])
Y = CLASSES[codes]
WEIGHTS = rng.integers(0, 3, 60) + 0.5
CHUNKS = [slice(0, 1), slice(1, 20), slice(20, 23), slice(23, 60)]
MEMBERS = [
    Perceptron(),
    Perceptron(average="averaged", learning_rate=0.3),
    Perceptron(average="voted"),
    PassiveAggressive(C=0.5),
    Pocket(),
    SGDClassifier(random_state=0),
]


def in_chunks(model: Any, table: Any = X, **metadata: Any) -> Any:
    for rows in CHUNKS:
        own = {name: value[rows] for name, value in metadata.items()}
        model.partial_fit(table[rows], Y[rows], classes=CLASSES, **own)
    return model


def alone(scheme: Any, member: Any, weights: Any = None) -> list[Any]:
    """The members, each trained by a loop over the chunks."""
    parts: list[tuple[Any, Any]]
    if scheme is OneVsAll:
        parts = [(np.ones(60, dtype=bool), label == Y) for label in CLASSES]
    else:
        parts = [(np.isin(Y, pair), Y) for pair in combinations(CLASSES, 2)]
    found = []
    for among, labels in parts:
        model = clone(member)
        for rows in CHUNKS:
            kept = np.arange(60)[rows][among[rows]]
            if len(kept):
                own = {} if weights is None else {"sample_weight": weights[kept]}
                model.partial_fit(X[kept], labels[kept], classes=np.unique(labels[among]), **own)
        found.append(model)
    return found


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_members_learn_as_they_do_alone(scheme: Any, member: Any) -> None:
    model = in_chunks(scheme(member))
    for ours, theirs in zip(model.estimators_, alone(scheme, member), strict=True):
        assert ours.decision_function(X).tobytes() == theirs.decision_function(X).tobytes()
        assert getattr(ours, "n_updates_", 0) == getattr(theirs, "n_updates_", 0)
    assert model.classes_.tolist() == CLASSES.tolist()
    assert np.isin(model.predict(X), CLASSES).all()


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_the_members(scheme: Any, routing: bool) -> None:
    with sklearn.config_context(enable_metadata_routing=routing):
        member = Perceptron().set_partial_fit_request(sample_weight=True) if routing else Perceptron()
        model = in_chunks(scheme(member), sample_weight=WEIGHTS)
    for ours, theirs in zip(model.estimators_, alone(scheme, Perceptron(), WEIGHTS), strict=True):
        assert ours.coef_.tobytes() == theirs.coef_.tobytes()
    assert model.coef_.tobytes() != in_chunks(scheme(Perceptron())).coef_.tobytes()


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
def test_chunks_storages_and_saved_models_give_the_same_bits(scheme: Any) -> None:
    whole = scheme(Perceptron()).partial_fit(X, Y, classes=CLASSES[::-1])
    assert whole.coef_.tobytes() == in_chunks(scheme(Perceptron())).coef_.tobytes()
    assert whole.coef_.tobytes() == in_chunks(scheme(Perceptron()), scipy.sparse.csr_array(X)).coef_.tobytes()
    half = scheme(Perceptron()).partial_fit(X[:30], Y[:30], classes=CLASSES)
    loaded = from_bytes(to_bytes(half))
    assert loaded.partial_fit(X[30:], Y[30:]).coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_it_goes_on_where_fit_ended() -> None:
    first, later = codes[:40] < 2, codes[40:] < 2
    model = OneVsAll(Perceptron(max_epochs=5)).fit(X[:40][first], Y[:40][first])
    expected = Perceptron(max_epochs=5).fit(X[:40][first], Y[:40][first] == "b")
    model.partial_fit(X[40:][later], Y[40:][later])
    expected.partial_fit(X[40:][later], Y[40:][later] == "b")
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    with pytest.raises(DataError, match="not one of the known classes"):
        model.partial_fit(X, Y)


@pytest.mark.parametrize("member", [Perceptron(), SGDClassifier()], ids=str)
def test_a_pair_without_rows_votes_for_neither(member: Any) -> None:
    """Rows of class a alone: the pairs of b, c and d have had none, so their scores are 0."""
    model = OneVsOne(member).partial_fit(X[codes == 0], Y[codes == 0], classes=CLASSES)
    of_others = [a > 0 for a, _ in model.pairs_]
    assert not model._member_scores(X)[:, of_others].any()
    if isinstance(member, Perceptron):
        assert model.coef_.shape == (6, 2)
        assert from_bytes(to_bytes(model)).predict(X).tolist() == model.predict(X).tolist()


def test_what_was_taken_before_does_not_change() -> None:
    model = in_chunks(OneVsOne(Perceptron()))
    coef, members = model.coef_, model.estimators_
    before, weights = coef.copy(), members[0].coef_.copy()
    in_chunks(model)
    assert coef.tobytes() == before.tobytes() != model.coef_.tobytes()
    assert members[0].coef_.tobytes() == weights.tobytes()


def test_an_error_changes_nothing() -> None:
    class Fussy(Perceptron):
        def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
            if hasattr(self, "classes_") and "d" in self.classes_:
                raise DataError("No more of d.")
            return super().partial_fit(X, y, classes, sample_weight)

    model = OneVsOne(Fussy()).partial_fit(X, Y, classes=CLASSES)
    before = model.coef_
    with pytest.raises(DataError, match="No more"):
        model.partial_fit(X, Y)
    assert model.coef_.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("estimator", "why"),
    [
        (Kozinec(), "its estimator, Kozinec, needs all rows at once. Perceptron, PassiveAggressive and Pocket learn"),
        (Perceptron(order="random"), r"Perceptron\(order='random'\) chooses among all rows"),
        (Perceptron(held_out=0.2), r"Perceptron\(held_out=0.2\) is for `fit`"),
    ],
)
def test_members_that_need_all_rows(estimator: Any, why: str) -> None:
    model = OneVsAll(estimator)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match=f"OneVsAll has no partial_fit here: {why}"):
        model.partial_fit(X, Y, classes=CLASSES)


def test_wrong_input_is_said() -> None:
    with pytest.raises(DataError, match="The first call must name all classes"):
        OneVsAll(Perceptron()).partial_fit(X, Y)
    with pytest.raises(DataError, match=r"sample_weight must hold one number for each of the 60 rows"):
        OneVsOne(Perceptron()).partial_fit(X, Y, classes=CLASSES, sample_weight=[1.0])
    model = in_chunks(OneVsOne(Perceptron()), pd.DataFrame(X, columns=["u", "v"]))
    with pytest.raises(DataError, match=r"differs from the known classes \['a', 'b', 'c', 'd'\]"):
        model.partial_fit(X, Y, classes=["a", "b"])
    with pytest.raises(DataError, match="feature names"):
        model.partial_fit(pd.DataFrame(X, columns=["v", "u"]), Y)

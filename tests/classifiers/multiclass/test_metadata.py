"""`sample_weight` and other metadata reach the estimators inside wrappers, through scikit-learn's metadata routing."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    BatchPerceptron,
    DataError,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    Perceptron,
)
from rosenblatt.classifiers.perceptron import Average
from rosenblatt.classifiers.training.order import Order
from tests.support.separability_oracle import long_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WRAPPERS = [OneVsAll, OneVsOne, Kessler, LeastRisk]
MEMBERS = [
    BatchPerceptron(max_epochs=7),
    BatchPerceptron(max_epochs=7, class_weight="balanced"),
    NearestMean(),
    KernelPerceptron(max_epochs=3, kernel="linear"),
    LogisticRegression(),
]
random = np.random.default_rng(0)
codes = np.arange(60) % 3
X = np.rint(8 * (np.array([[0, 0], [1, 0], [0, 1]])[codes] + random.normal(0, 0.7, (60, 2))))
Y = np.array(["a", "b", "c"])[codes]
WEIGHTS = random.integers(0, 5, 60) + 0.25
COUNTS = random.integers(0, 6, 60)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighed(member: Any) -> Any:
    return clone(member).set_fit_request(sample_weight=True)


class Notebook(ClassifierMixin, BaseEstimator):
    """A classifier of two classes that notes what its fit is given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, source: Any = None) -> Self:
        self.classes_ = np.unique(y)
        self.noted_ = np.asarray(X), np.asarray(y), sample_weight, source
        return self

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


# ---------------------------------------------------------------------------------------------------------------------
# The answer is that of the estimator alone with these weights


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_members_of_one_against_all(member: Any) -> None:
    model, plain = OneVsAll(weighed(member)).fit(X, Y, sample_weight=WEIGHTS), OneVsAll(member).fit(X, Y)
    for c, found in enumerate(model.estimators_):
        alone = clone(member).fit(X, codes == c, sample_weight=WEIGHTS)
        assert found.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
    assert model.decision_function(X).tobytes() != plain.decision_function(X).tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_members_of_one_against_one_get_the_weights_of_their_rows(member: Any) -> None:
    model, plain = OneVsOne(weighed(member)).fit(X, Y, sample_weight=WEIGHTS), OneVsOne(member).fit(X, Y)
    for pair, found in zip(["ab", "ac", "bc"], model.estimators_, strict=True):
        among = np.isin(Y, list(pair))
        alone = clone(member).fit(X[among], Y[among], sample_weight=WEIGHTS[among])
        assert found.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
    assert model._member_scores(X).tobytes() != plain._member_scores(X).tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("member", [MEMBERS[0], MEMBERS[1]], ids=str)
def test_each_long_row_has_the_weight_of_its_row(member: Any) -> None:
    model = Kessler(weighed(member)).fit(X, Y, sample_weight=WEIGHTS)
    rows = [[*map(Fraction, x), Fraction(1)] for x in X]
    long = np.array([[float(v) for v in z] for _, _, z in long_rows(rows, codes.tolist(), 3)])
    signs = np.resize([1.0, -1.0], len(long))
    alone = clone(member).set_params(bias=0.0)
    alone.fit(long * signs[:, None], signs > 0, sample_weight=[w for w in WEIGHTS for _ in range(2)])
    assert model.estimator_.coef_.tobytes() == alone.coef_.tobytes()
    assert model.coef_.tobytes() != Kessler(member).fit(X, Y).coef_.tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("member", [BatchPerceptron(max_epochs=7), NearestMean(), LogisticRegression()], ids=str)
def test_estimator_of_least_risk(member: Any) -> None:
    model, alone = LeastRisk(weighed(member)).fit(X, Y, sample_weight=WEIGHTS), clone(member)
    alone.fit(X, Y, sample_weight=WEIGHTS)
    assert model.estimator_.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
    assert model.coef_.tobytes() != clone(member).fit(X, Y).coef_.tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("average", [None, "averaged", "voted"])
def test_members_that_share_passes_learn_as_they_do_alone(scheme: Any, average: Average | None) -> None:
    """In the given order each member meets its own rows as it does alone; rows of weight 0 are left out."""
    member = Perceptron(order="cyclic", average=average, max_epochs=5)
    weights = np.where(np.arange(60) % 7 == 1, 0.0, WEIGHTS)
    assert scheme(member).shares_passes
    model = scheme(weighed(member)).fit(X, Y, sample_weight=weights)
    every = np.ones(60, dtype=bool)
    parts = [(every, codes == c) for c in range(3)]
    if scheme is OneVsOne:
        parts = [(np.isin(codes, [a, b]), codes == b) for a, b in [(0, 1), (0, 2), (1, 2)]]
    for (among, positive), found in zip(parts, model.estimators_, strict=True):
        alone = clone(member).fit(X[among], positive[among], sample_weight=weights[among])
        assert found.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
        assert found.mistakes_per_epoch_.tolist() == alone.mistakes_per_epoch_.tolist()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("order", ["shuffled", "random"])
def test_members_that_share_passes_take_weights_of_one_for_none_and_of_zero_for_absence(
    scheme: Any, order: Order
) -> None:
    member, kept = Perceptron(order=order, max_epochs=5), np.arange(60) % 7 != 1
    found = [
        scheme(weighed(member)).fit(X[rows], Y[rows], sample_weight=weights)._member_scores(X).tobytes()
        for rows, weights in [
            (slice(None), None),
            (slice(None), np.ones(60)),
            (kept, np.full(kept.sum(), 2.5)),
            (slice(None), 2.5 * kept),
        ]
    ]
    assert found[0] == found[1]
    assert found[2] == found[3]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_weights_without_routing_are_those_with_it(wrapper: Any) -> None:
    inner = BatchPerceptron(max_epochs=7)
    model = wrapper(inner).fit(X, Y, sample_weight=WEIGHTS)
    with sklearn.config_context(enable_metadata_routing=True):
        expected = wrapper(weighed(inner)).fit(X, Y, sample_weight=WEIGHTS)
    assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# Inside scikit-learn's own meta-estimators


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_cross_validation_trains_with_the_weights(wrapper: Any) -> None:
    """Before, the weights reached `score` only, and `fit` was unweighted without a word."""
    inner = weighed(BatchPerceptron(max_epochs=7))
    model = wrapper(inner).set_score_request(sample_weight=True)
    found = cross_validate(
        model, X, Y, params={"sample_weight": WEIGHTS}, cv=3, return_estimator=True, return_indices=True
    )
    folds = zip(found["indices"]["train"], found["indices"]["test"], strict=True)
    for fitted, score, (train, test) in zip(found["estimator"], found["test_score"], folds, strict=True):
        alone = wrapper(inner).fit(X[train], Y[train], sample_weight=WEIGHTS[train])
        assert fitted.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
        plain = wrapper(inner).fit(X[train], Y[train])
        assert fitted.decision_function(X).tobytes() != plain.decision_function(X).tobytes()
        right = alone.predict(X[test]) == Y[test]
        assert score == pytest.approx(WEIGHTS[test][right].sum() / WEIGHTS[test].sum(), rel=1e-12)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_scikit_learns_one_against_the_rest(member: Any) -> None:
    ours, theirs = (
        wrapper(weighed(member)).fit(X, Y, sample_weight=WEIGHTS) for wrapper in (OneVsAll, OneVsRestClassifier)
    )
    assert ours.decision_function(X).tobytes() == np.ascontiguousarray(theirs.decision_function(X)).tobytes()


@pytest.mark.usefixtures("routing")
def test_weights_through_a_pipeline_inside_and_outside() -> None:
    scaler, inner = StandardScaler().set_fit_request(sample_weight=False), weighed(NearestMean())
    inside = OneVsAll(make_pipeline(scaler, inner)).fit(X, Y, sample_weight=WEIGHTS)
    outside = make_pipeline(scaler, OneVsAll(inner)).fit(X, Y, sample_weight=WEIGHTS)
    by_hand = OneVsAll(inner).fit(StandardScaler().fit_transform(X), Y, sample_weight=WEIGHTS)
    expected = by_hand.decision_function(StandardScaler().fit_transform(X))
    assert outside.decision_function(X).tobytes() == expected.tobytes()
    assert inside.decision_function(X) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.usefixtures("routing")
def test_wrappers_inside_wrappers() -> None:
    model = LeastRisk(OneVsOne(weighed(NearestMean()))).fit(X, Y, sample_weight=WEIGHTS)
    alone = OneVsOne(weighed(NearestMean())).fit(X, Y, sample_weight=WEIGHTS)
    assert model.estimator_.coef_.tobytes() == alone.coef_.tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_another_name_for_the_weights(wrapper: Any) -> None:
    inner = BatchPerceptron(max_epochs=7)
    renamed = wrapper(clone(inner).set_fit_request(sample_weight="counts")).fit(X, Y, counts=WEIGHTS)
    expected = wrapper(weighed(inner)).fit(X, Y, sample_weight=WEIGHTS)
    assert renamed.decision_function(X).tobytes() == expected.decision_function(X).tobytes()


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_score_with_weights_by_hand(wrapper: Any) -> None:
    """Rows 0 and 1 are right, row 2 is wrong: (5 + 1) / (5 + 1 + 2)."""
    model = wrapper(BatchPerceptron()).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    assert model.score([[0], [3], [3]], [0, 1, 0], sample_weight=[5, 1, 2]) == 0.75


# ---------------------------------------------------------------------------------------------------------------------
# What the members are given


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("form", [list, np.float32, pd.Series, lambda w: pd.Series(w, index=range(99, 39, -1))])
def test_forms_of_weights(form: Any) -> None:
    inner = weighed(NearestMean())
    model, expected = (OneVsOne(inner).fit(X, Y, sample_weight=w) for w in (form(WEIGHTS), WEIGHTS))
    assert model.coef_.tobytes() == expected.coef_.tobytes()


@pytest.mark.usefixtures("routing")
def test_other_metadata_is_cut_to_the_rows_if_it_has_one_entry_each() -> None:
    member = Notebook().set_fit_request(sample_weight=True, source=True)
    table, labels = np.arange(8.0).reshape(4, 2), ["a", "b", "c", "b"]
    model = OneVsOne(member).fit(table, labels, sample_weight=[1, 2, 3, 4], source=["p", "q", "r", "s"])
    noted = [(y.tolist(), list(weights), source) for _, y, weights, source in (m.noted_ for m in model.estimators_)]
    assert noted == [
        (["a", "b", "b"], [1, 2, 4], ["p", "q", "s"]),
        (["a", "c"], [1, 3], ["p", "r"]),
        (["b", "c", "b"], [2, 3, 4], ["q", "r", "s"]),
    ]
    whole = OneVsAll(member).fit(table, labels, source="a file")
    assert [member.noted_[2:] for member in whole.estimators_] == [(None, "a file")] * 3


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_weight_zero_do_not_count(wrapper: Any, classes: int) -> None:
    """With two classes, every long row of one sign belongs to a row of weight 0."""
    rows = [i for c in range(classes) for i in np.flatnonzero(codes == c)]
    table, labels, weights = X[rows], Y[rows], np.resize([0.0, 2.0], len(rows))
    inner = weighed(BatchPerceptron(max_epochs=7))
    model = wrapper(inner).fit(table, labels, sample_weight=weights)
    left = weights > 0
    expected = wrapper(inner).fit(table[left], labels[left], sample_weight=weights[left])
    assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# The risk counts rows with the weights that the estimator learns with


@pytest.mark.usefixtures("routing")
def test_risk_with_weights_by_hand() -> None:
    """Scores -3 -1 1 2, states no yes no yes, weights 1 5 1 1.

    With threshold 0, rows 1 and 2 are wrong: (5 + 1)/8. With the threshold between -3 and -1, row 2 alone: 1/8.
    Unweighted, that threshold has risk 1/4, and so has the one between 1 and 2, whose gap is narrower.
    """
    scores, states = [[-3.0], [-1.0], [1.0], [2.0]], ["no", "yes", "no", "yes"]
    member = Notebook().set_fit_request(sample_weight=True, source=False)
    model = LeastRisk(member).fit(scores, states, sample_weight=[1, 5, 1, 1])
    assert (model.risk_before_, model.risk_, model.offsets_.tolist()) == (0.75, 0.125, [2.0])
    model = LeastRisk(member).fit(scores, states, sample_weight=[1, 1, 5, 1])
    assert (model.risk_before_, model.risk_, model.offsets_.tolist()) == (0.75, 0.125, [-1.5])


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("size", [1.0, 2.0**-1060, 2.0**1015])
def test_weights_of_the_risk_are_copies(size: float) -> None:
    class Column(Notebook):
        def decision_function(self, X: Any) -> Any:
            return np.column_stack([X, np.zeros(len(X))])

    penalty = [[0.0, 0.1, 2.0], [0.7, 0.0, 1.0], [1.0, 3.0, 0.0]]
    rows = np.repeat(np.arange(60), COUNTS)
    member = Column().set_fit_request(sample_weight=True, source=False)
    model = LeastRisk(member, penalty).fit(X, Y, sample_weight=COUNTS * size)
    copies = LeastRisk(member, penalty).fit(X[rows], Y[rows])
    assert model.offsets_.tolist() == copies.offsets_.tolist()
    assert (model.risk_, model.risk_before_) == pytest.approx((copies.risk_, copies.risk_before_), rel=1e-15)
    assert model.offsets_.tolist() != LeastRisk(member, penalty).fit(X, Y).offsets_.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_metadata_without_routing(wrapper: Any) -> None:
    """As in scikit-learn's OneVsRestClassifier."""
    with pytest.raises(ValueError, match=rf"{wrapper.__name__}\.fit is only supported if enable_metadata_routing=True"):
        wrapper(BatchPerceptron()).fit(X, Y, sample_weight=WEIGHTS, colour=WEIGHTS)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_members_without_weights_say_so(wrapper: Any) -> None:
    inner = Kozinec(bias=1.0, C=1.0)
    said = f"{wrapper.__name__}.fit cannot use sample_weight, because Kozinec.fit takes none: Kozinec counts every row"
    with pytest.raises(ParameterError, match=said):
        wrapper(inner).fit(X, Y == "a", sample_weight=WEIGHTS)
    wrapper(inner).fit(X, Y == "a", sample_weight=None)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_weights_that_nobody_asked_for(wrapper: Any) -> None:
    inner = BatchPerceptron(max_epochs=7)
    with pytest.raises(UnsetMetadataPassedError, match=r"not explicitly set as requested or not requested"):
        wrapper(inner).fit(X, Y, sample_weight=WEIGHTS)
    refused = clone(inner).set_fit_request(sample_weight=False)
    with pytest.raises(TypeError, match="unexpected argument"):
        wrapper(refused).fit(X, Y, sample_weight=WEIGHTS)
    with pytest.raises(TypeError, match="unexpected argument"):
        wrapper(weighed(inner)).fit(X, Y, colour=WEIGHTS)
    plain, none = wrapper(inner).fit(X, Y), wrapper(weighed(inner)).fit(X, Y, sample_weight=None)
    assert plain.decision_function(X).tobytes() == none.decision_function(X).tobytes()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (WEIGHTS[:40], r"one number for each of the 60 rows; its shape is \(40,\)"),  # each pair has 40 rows
        (np.repeat(WEIGHTS, 2), r"one number for each of the 60 rows; its shape is \(120,\)"),  # as many as long rows
        (np.where(codes == 1, 0, WEIGHTS), "sample_weight is zero for every row of class 'b'"),
        (np.append(WEIGHTS[:-1], -1), r"at least 0; sample_weight\[59\] is -1.0"),
    ],
)
def test_bad_weights(wrapper: Any, weights: Any, message: str) -> None:
    model = wrapper(weighed(BatchPerceptron(max_epochs=7)))
    with pytest.raises(DataError, match=message):
        model.fit(X, Y, sample_weight=weights)
    assert not hasattr(model, "classes_")

"""One against all and one against one: members equal models trained alone, votes by hand, claims by exact regions."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rosenblatt import (
    BatchPerceptron,
    BudgetWarning,
    DataError,
    KernelPerceptron,
    Kozinec,
    OneVsAll,
    OneVsOne,
    OverlapWarning,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    StopReason,
)
from rosenblatt.classifiers.perceptron import Plain
from tests.support.effort import NIGHTLY

Table = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
numbers = st.floats(-8, 8, width=32, allow_subnormal=False)  # float32 holds them, so that all storages mean the same
STORAGES: dict[str, Callable[[Any], Any]] = {
    "dense": np.asarray,
    "float32": np.float32,
    "sparse": scipy.sparse.csr_array,
}
if NIGHTLY:  # one more version of every kernel to compile
    STORAGES["sparse float32"] = lambda X: scipy.sparse.csr_array(np.float32(X))
MEMBERS = [
    Perceptron(max_epochs=6),
    Perceptron(max_epochs=6, average="averaged", tie="positive"),
    Perceptron(max_epochs=6, average="voted", learning_rate=0.3),
    Perceptron(max_epochs=6, margin=2.0, bias=0.5, class_weight="balanced"),
    PassiveAggressive(max_epochs=6, C=0.7),
    PassiveAggressive(max_epochs=6, variant="II", class_weight="balanced"),
    Pocket(max_epochs=6),
    Pocket(max_epochs=6, tie="negative", class_weight="balanced"),
]
SEPARATE = [
    Perceptron(order="first"),
    Perceptron(order="worst"),
    PassiveAggressive(order="worst"),
    Perceptron(held_out=0.4),
    Perceptron(warm_start=True),
    Pocket(warm_start=True, max_epochs=5),
    Kozinec(C=1.0),
    BatchPerceptron(max_epochs=20),
    KernelPerceptron(max_epochs=5),
    RidgeClassifier(),
    LinearSVC(random_state=0),
]


@st.composite
def tables(draw: st.DrawFn, least: int = 2) -> Table:
    k, d = draw(st.integers(least, 4)), draw(st.integers(1, 3))
    y = draw(st.permutations([*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=8))]))
    X = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    return np.array(X), np.array(y)


def blobs(k: int, seed: int = 0, n: int = 60, spread: float = 1.0) -> Table:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + spread * rng.normal(size=(k, 2))[y], y


def assert_same(member: Any, alone: Any, X: Any) -> None:
    """Check equality to the last bit."""
    assert member._learner.answer.tobytes() == alone._learner.answer.tobytes()
    assert member.mistakes_per_epoch_.tobytes() == alone.mistakes_per_epoch_.tobytes()
    assert (member.n_updates_, member.n_iter_) == (alone.n_updates_, alone.n_iter_)
    assert member.stop_reason_ is alone.stop_reason_
    assert member.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
    if isinstance(member, Pocket):
        assert (member.n_errors_, member.history_.tolist()) == (alone.n_errors_, alone.history_.tolist())


# ---------------------------------------------------------------------------------------------------------------------
# In shared passes each member learns what it would learn alone


@pytest.mark.parametrize("member", MEMBERS, ids=str)
@given(
    table=tables(),
    order=st.sampled_from(["cyclic", "shuffled", "random"]),
    storage=st.sampled_from(sorted(STORAGES)),
    block=st.sampled_from([1, 30, 100, 2**21]),
    seed=st.integers(0, 9),
)
def test_one_against_all_equals_the_estimator_alone(
    member: Any, table: Table, order: str, storage: str, block: int, seed: int
) -> None:
    X, y = STORAGES[storage](table[0]), table[1]
    member = clone(member).set_params(order=order, random_state=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.classifiers.training.passes.BLOCK_BYTES", block)
        model = OneVsAll(member).fit(X, y)
    classes = range(1, 2) if y.max() == 1 else range(y.max() + 1)
    assert len(model.estimators_) == len(classes)
    for c, found in zip(classes, model.estimators_, strict=True):
        assert_same(found, clone(member).fit(X, y == c), X)
    assert model.n_iter_ == max(found.n_iter_ for found in model.estimators_)
    for name in ("coef_", "intercept_"):
        assert hasattr(model, name) == hasattr(model.estimators_[0], name)  # a vote has none
        if hasattr(model, name):
            parts = [getattr(found, name).tobytes() for found in model.estimators_]
            assert getattr(model, name).tobytes() == b"".join(parts)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
@given(tables(), st.sampled_from(sorted(STORAGES)), st.sampled_from([1, 30, 100, 2**21]))
def test_one_against_one_in_order_equals_the_estimator_on_two_classes(
    member: Any, table: Table, storage: str, block: int
) -> None:
    X, y = STORAGES[storage](table[0]), table[1]
    member = clone(member).set_params(order="cyclic")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.classifiers.training.passes.BLOCK_BYTES", block)
        model = OneVsOne(member).fit(X, y)
    assert model.pairs_ == list(itertools.combinations(range(y.max() + 1), 2))
    for pair, found in zip(model.pairs_, model.estimators_, strict=True):
        among = np.isin(y, pair)
        assert found.classes_.tolist() == list(pair)
        assert_same(found, clone(member).fit(X[among], y[among]), X)


def learned_as_drawn(member: Any, X: Any, y: Any, seed: int) -> tuple[Any, list[int], bool]:
    """Learn from the rows with y != 0 as numpy draws them; return the model, mistakes per pass, if one was clean."""
    rng, among, n = np.random.RandomState(seed), y != 0, len(y)
    passes: list[int] = []
    model, last = (clone(member).set_params(order="cyclic") for _ in range(2))  # rows come in the order drawn here
    if isinstance(member, Perceptron):
        last.set_params(average=None)  # it shows whether the weights that learn are right
    while len(passes) < member.max_epochs:
        drawn = rng.permutation(n) if member.order == "shuffled" else rng.randint(n, size=n)
        part = drawn[among[drawn]]
        if len(part):
            model.partial_fit(X[part], y[part], classes=[-1, 1])
            last.partial_fit(X[part], y[part], classes=[-1, 1])
        passes.append(int(last.mistakes_per_epoch_[-1]) if len(part) else 0)
        learned = hasattr(last, "classes_")
        if learned and passes[-1] == 0 and (last.functional_margin(X[among], y[among]) > 0).all():
            return model, passes, True
    assume(learned)
    return model, passes, False


@pytest.mark.parametrize("member", [MEMBERS[i] for i in (0, 1, 2, 4, 5)], ids=str)
@given(tables(3), st.sampled_from(["shuffled", "random"]), st.sampled_from([1, 2**21]), st.integers(0, 9))
def test_one_against_one_in_a_drawn_order_takes_from_it_what_is_its_own(
    member: Any, table: Table, order: str, block: int, seed: int
) -> None:
    X, y = table
    changed = {"tie": "mistake"} if isinstance(member, Perceptron) else {}
    member = clone(member).set_params(order=order, random_state=seed, class_weight=None, **changed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.classifiers.training.passes.BLOCK_BYTES", block)
        model = OneVsOne(member).fit(X, y)
    for (a, b), found in zip(model.pairs_, model.estimators_, strict=True):
        driven, passes, clean = learned_as_drawn(member, X, (y == b).astype(int) - (y == a), seed)
        assert found.mistakes_per_epoch_.tolist() == passes
        assert found._learner.answer.tobytes() == driven._learner.answer.tobytes()
        assert found.decision_function(X).tobytes() == driven.decision_function(X).tobytes()
        assert (found.n_updates_, found.stop_reason_ is StopReason.MISTAKE_FREE) == (driven.n_updates_, clean)


def test_a_pass_is_cut_into_blocks_that_members_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 rows of 16 bytes in blocks of 100 bytes: 10 blocks of 6 rows; the 3 members process each block in turn."""
    met, learn = [], Plain.learn

    def watched(self: Any, rows: Any, y: Any, order: Any, weight: Any) -> Any:
        met.append(order.tolist())
        return learn(self, rows, y, order, weight)

    monkeypatch.setattr(Plain, "learn", watched)
    monkeypatch.setattr("rosenblatt.classifiers.training.passes.BLOCK_BYTES", 100)
    OneVsAll(Perceptron(order="cyclic", max_epochs=1)).fit(*blobs(3))
    assert met == [list(range(i, i + 6)) for i in range(0, 60, 6) for _ in range(3)]


@pytest.mark.parametrize("member", SEPARATE, ids=str)
def test_members_that_cannot_share_are_fitted_one_by_one(member: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("rosenblatt.classifiers.multiclass.decomposition.train_together")
    X, y = blobs(3)
    for c, found in enumerate(OneVsAll(member).fit(X, y).estimators_):
        alone = clone(member).fit(X, y == c)
        assert found.decision_function(X).tobytes() == alone.decision_function(X).tobytes()
    model = OneVsOne(member).fit(X, y)
    for pair, found in zip(model.pairs_, model.estimators_, strict=True):
        among = np.isin(y, pair)
        alone = clone(member).fit(X[among], y[among])
        assert found.decision_function(X).tobytes() == alone.decision_function(X).tobytes()


# ---------------------------------------------------------------------------------------------------------------------
# How members are heard


def without_ties(scores: Any) -> Any:
    """Return the rows whose best score is clearly above the next."""
    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2] > 1e-9


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("member", [Perceptron(order="cyclic"), Kozinec(C=1.0), RidgeClassifier()], ids=str)
@pytest.mark.parametrize(("scheme", "theirs"), [(OneVsAll, OneVsRestClassifier), (OneVsOne, OneVsOneClassifier)])
def test_scikit_learns_schemes(scheme: Any, theirs: Any, member: Any, k: int) -> None:
    (X, y), grid = blobs(k), np.random.default_rng(1).uniform(-4, 4, (500, 2))
    ours, peer = scheme(member).fit(X, y), theirs(member).fit(X, y)
    sure = without_ties(peer.decision_function(grid))
    assert sure.sum() > 490
    assert ours.predict(grid)[sure].tolist() == peer.predict(grid)[sure].tolist()
    if scheme is OneVsAll:
        assert ours.decision_function(grid).tolist() == peer.decision_function(grid).tolist()


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("member", [*MEMBERS, *SEPARATE], ids=str)
def test_two_classes_are_the_estimator_alone(scheme: Any, member: Any) -> None:
    X, codes = blobs(2, spread=2.0)
    y = np.array(["no", "yes"])[codes]
    model, alone = scheme(member).fit(X, y), clone(member).fit(X, y)
    scores = alone.decision_function(X)
    assert model.decision_function(X).tobytes() == scores.tobytes()
    assert model.predict(X).tolist() == alone.predict(X).tolist()
    assert model.claims(X).tolist() == [[s < 0, s > 0] for s in scores.tolist()]


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("member", [MEMBERS[0], MEMBERS[1], MEMBERS[4], Pocket(max_epochs=6)], ids=str)
@given(table=tables(), random=st.randoms(use_true_random=False), order=st.sampled_from(["cyclic", "shuffled"]))
def test_other_names_for_the_classes(scheme: Any, member: Any, table: Table, random: Any, order: str) -> None:
    X, y = table
    member = clone(member).set_params(
        order=order, **({} if isinstance(member, PassiveAggressive) else {"tie": "mistake"})
    )
    names = np.array(random.sample("abcdefgh", int(y.max()) + 1))
    ours, theirs = scheme(member).fit(X, y), scheme(member).fit(X, names[y])
    scores = ours.decision_function(X)
    sure = np.abs(scores) > 0 if scores.ndim == 1 else without_ties(scores)
    assert theirs.predict(X)[sure].tolist() == names[ours.predict(X)[sure]].tolist()
    column = [theirs.classes_.tolist().index(name) for name in names]
    assert theirs.claims(X)[:, column].tolist() == ours.claims(X).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# Weights of classes, warnings, errors


def test_one_against_one_weighs_by_label_and_one_against_all_the_class_and_the_rest() -> None:
    X, codes = blobs(3)
    y = np.array(list("abc"))[codes]
    weights = {"a": 3.0, "b": 0.25}
    for member in (Perceptron(order="cyclic", max_epochs=5), LinearSVC(random_state=0)):
        model = OneVsOne(clone(member).set_params(class_weight=weights)).fit(X, y)
        for pair, own, found in zip(["ab", "ac", "bc"], ["ab", "a", "b"], model.estimators_, strict=True):
            among = np.isin(y, list(pair))
            alone = clone(member).set_params(class_weight={label: weights[label] for label in own})
            assert found.coef_.tobytes() == alone.fit(X[among], y[among]).coef_.tobytes()
            assert found.coef_.tobytes() != clone(member).fit(X[among], y[among]).coef_.tobytes()
    X, y = blobs(3)
    member = Perceptron(max_epochs=5, class_weight={True: 4.0, False: 0.5})
    for c, found in enumerate(OneVsAll(member).fit(X, y).estimators_):
        assert_same(found, clone(member).fit(X, y == c), X)
        assert found.coef_.tobytes() != Perceptron(max_epochs=5).fit(X, y == c).coef_.tobytes()


def test_weights_for_a_class_that_is_none() -> None:
    X, y = blobs(3)
    for model in (OneVsOne(Perceptron(class_weight={7: 2.0})), OneVsAll(Perceptron(class_weight={1: 2, 7: 2.0}))):
        with pytest.raises(ParameterError, match="class_weight names 7, which is not one of the classes"):
            model.fit(X, y)


IN_A_ROW = [[0], [1], [2]], ["a", "b", "c"]  # b is between the others
BETWEEN = [[0], [2], [1], [10], [12], [11]], ["a", "a", "b", "c", "c", "d"]  # b is between a, d between c


@pytest.mark.filterwarnings("default::rosenblatt.BudgetWarning")
@pytest.mark.parametrize(
    ("model", "data", "category", "message"),
    [
        (OneVsAll(Perceptron()), IN_A_ROW, BudgetWarning, "1 of 3 classifiers did not .*: Perceptron used its budget"),
        (OneVsAll(Kozinec()), IN_A_ROW, OverlapWarning, "1 of 3 classifiers did not .*: No hyperplane separates"),
        (OneVsOne(Perceptron()), BETWEEN, BudgetWarning, "2 of 6 classifiers did not .*max_epochs=100"),
        (
            OneVsOne(Kozinec()),
            BETWEEN,
            OverlapWarning,
            "2 of 6 classifiers did not reach their goal. The first warning",
        ),
        (
            OneVsAll(PassiveAggressive(C=np.inf)),
            IN_A_ROW,
            BudgetWarning,
            "1 of 3 classifiers .*Aggressive used",
        ),
        (OneVsAll(Perceptron()), ([[0], [1], [2]], [0, 1, 0]), BudgetWarning, "^Perceptron used its budget"),
        (OneVsOne(Perceptron()), ([[0], [1], [2]], [0, 1, 0]), BudgetWarning, "^Perceptron used its budget"),
    ],
)
def test_one_warning_says_how_many(model: Any, data: Any, category: Any, message: str) -> None:
    with pytest.warns(category, match=message) as said:
        model.fit(*data)
    assert [(warning.category.__name__, warning.filename) for warning in said] == [(category.__name__, __file__)]
    ends = [member.stop_reason_ for member in model.estimators_]
    short = sum(end not in ("mistake_free", "gap_closed") for end in ends)
    assert len(ends) == 1 or str(said[0].message).startswith(f"{short} of {len(ends)} ")


class Noisy(RidgeClassifier):
    def fit(self, X: Any, y: Any) -> Self:
        warnings.warn("a remark", UserWarning, stacklevel=2)
        warnings.warn(f"not converged on {len(y)} rows", ConvergenceWarning, stacklevel=2)
        super().fit(X, y)
        return self


def test_other_warnings_pass_through() -> None:
    with pytest.warns() as said:
        OneVsOne(Noisy()).fit([[0], [1], [2], [3]], ["a", "b", "c", "c"])
    assert [str(w.message) for w in said if w.category is UserWarning] == ["a remark"] * 3
    ends = [str(w.message) for w in said if w.category is ConvergenceWarning]
    assert ends == ["3 of 3 classifiers did not reach their goal. The first warning: not converged on 2 rows"]


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
def test_a_member_that_warns_many_times_counts_once(scheme: Any) -> None:
    class Nagging(RidgeClassifier):
        def fit(self, X: Any, y: Any) -> Self:
            for k in range(5 * (True in y or "b" in y)):
                warnings.warn(f"warning {k}", ConvergenceWarning, stacklevel=2)
            super().fit(X, y)
            return self

    with pytest.warns(ConvergenceWarning) as said:
        scheme(Nagging()).fit([[0], [1], [2], [3]], ["a", "b", "c", "c"])
    members = {OneVsAll: "3 of 3", OneVsOne: "2 of 3"}[scheme]
    assert [str(w.message) for w in said] == [
        f"{members} classifiers did not reach their goal. The first warning: warning 0"
    ]


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize(
    "estimator", [LinearRegression(), KNeighborsClassifier(), StandardScaler(), Perceptron, "x", None]
)
def test_what_is_no_classifier_with_scores_is_refused(scheme: Any, estimator: Any) -> None:
    with pytest.raises(ParameterError, match=rf"{scheme.__name__}\(estimator\) must be a classifier of two classes"):
        scheme(estimator).fit(*IN_A_ROW)


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
def test_errors_and_what_a_failed_fit_leaves(scheme: Any) -> None:
    X, y = blobs(3)
    model = scheme(Perceptron())
    for ask in (model.predict, model.decision_function, model.claims):
        with pytest.raises(NotFittedError):
            ask(X)
    assert not any(hasattr(model, name) for name in ("coef_", "intercept_", "n_iter_", "pairs_"))
    before = model.fit(X, y).decision_function(X).tobytes()
    with pytest.raises(DataError, match="at least 2 classes"):
        model.fit(X[:, :1], np.zeros(60))
    with pytest.raises(DataError, match="too large for floats"):
        model.set_params(estimator__learning_rate=1e9).fit([[1.7e308], [1e308], [1.7e308]], ["a", "b", "c"])
    with pytest.raises(ParameterError, match="max_epochs"):
        model.set_params(estimator__max_epochs=0).fit(X[:, :1], np.arange(60) % 4)
    assert (model.n_features_in_, model.classes_.tolist()) == (2, [0, 1, 2])
    assert model.decision_function(X).tobytes() == before
    for ask in (model.predict, model.decision_function, model.claims):
        with pytest.raises(DataError, match="X has 3 features"):
            ask(np.zeros((1, 3)))


@pytest.mark.parametrize("member", [RidgeClassifier(), LinearSVC(random_state=0), KernelPerceptron()], ids=str)
def test_what_members_have_not_it_has_not(member: Any) -> None:
    X, y = blobs(3)
    model = OneVsAll(member).fit(X, y)
    for name in ("coef_", "intercept_"):
        assert hasattr(model, name) == hasattr(model.estimators_[0], name)
    assert hasattr(model, "n_iter_") == (getattr(model.estimators_[0], "n_iter_", None) is not None)


def test_in_the_company_of_scikit_learn() -> None:
    X, y = blobs(3)
    model = OneVsOne(Perceptron(order="cyclic", max_epochs=3))
    assert model.get_params()["estimator__order"] == "cyclic"
    copy = clone(model).set_params(estimator__max_epochs=4)
    assert (copy.estimator.max_epochs, model.estimator.max_epochs) == (4, 3)
    assert not hasattr(model.fit(X, y).estimator, "coef_")
    search = GridSearchCV(OneVsAll(Perceptron(average="averaged")), {"estimator__max_epochs": [1, 10]}, cv=3).fit(X, y)
    alone = OneVsAll(Perceptron(average="averaged", max_epochs=search.best_params_["estimator__max_epochs"])).fit(X, y)
    assert search.best_estimator_.coef_.tobytes() == alone.coef_.tobytes()
    inside = OneVsAll(make_pipeline(StandardScaler(), Perceptron())).fit(X, y)
    outside = make_pipeline(StandardScaler(), OneVsAll(Perceptron())).fit(X, y)
    assert inside.decision_function(X).tobytes() == outside.decision_function(X).tobytes()
    frame = pd.DataFrame(X, columns=["height", "weight"])
    named = OneVsAll(Perceptron()).fit(frame, y)
    assert named.feature_names_in_.tolist() == ["height", "weight"]
    assert named.predict(frame).tolist() == OneVsAll(Perceptron()).fit(X, y).predict(X).tolist()
    with pytest.raises(DataError, match="feature names"):
        named.predict(frame[["weight", "height"]])


@pytest.mark.parametrize("wrapper", [OneVsAll, OneVsOne])
def test_a_random_state_that_is_a_parameter_is_not_drawn_from(wrapper: Any) -> None:
    """scikit-learn clones the estimator, so a second fit starts from the same state and gives the same weights."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    state = np.random.RandomState(7)
    model = wrapper(Perceptron(random_state=state, max_epochs=3))
    with warnings.catch_warnings(action="ignore"):
        first = model.fit(X, y).decision_function(X)
        assert (model.fit(X, y).decision_function(X) == first).all()
    assert state.randint(1 << 30) == np.random.RandomState(7).randint(1 << 30)

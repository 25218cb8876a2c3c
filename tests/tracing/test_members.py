"""Traces of one-against-all and one-against-one: each member learns as it would alone, and as in `fit`."""

import pickle
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kessler,
    Kozinec,
    NearestMean,
    OneVsAll,
    OneVsOne,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    StopReason,
    Trace,
    trace,
)
from tests.tracing.test_tracer import blobs

pytestmark = pytest.mark.filterwarnings(
    "ignore::rosenblatt.BudgetWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

X, Y = blobs(3, 30, 4.0, 7)
INNER: dict[str, Any] = {
    "shuffled": Perceptron(max_epochs=9),
    "random": Perceptron(max_epochs=9, order="random", random_state=np.random.RandomState(4)),
    "worst": Perceptron(max_epochs=30, order="worst"),
    "averaged": Perceptron(max_epochs=9, average="averaged", learning_rate=0.3),
    "held out": Perceptron(max_epochs=9, held_out=0.3),
    "PA": PassiveAggressive(max_epochs=5),
    "pocket": Pocket(max_epochs=9),
    "batch": BatchPerceptron(max_epochs=9),
    "kozinec": Kozinec(C=1.0, solver="wolfe"),
    "kernel": KernelPerceptron(max_epochs=9),
    "anderson": Anderson(solver="ascent"),
}
every_scheme = pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])


def weights(member: Any) -> tuple[bytes, bytes]:
    """The weights that a model predicts with."""
    if isinstance(member, KernelPerceptron):
        return member.dual_coef_.tobytes(), b""
    return member.coef_.tobytes(), member.intercept_.tobytes()


def answered(run: Trace) -> tuple[bytes, bytes]:
    last = run[-1]
    if run.kind == "kernel":
        return np.array(last.weights).tobytes(), b""
    w = np.array(last.w if last.answer is None else last.answer)
    return w[:-1].tobytes(), (w[-1:] * run.bias).tobytes()


@every_scheme
@pytest.mark.parametrize("inner", INNER)
def test_a_trace_is_what_fit_does(scheme: Any, inner: str) -> None:
    """The weights, updates and stop reason of each member are equal to the last bit."""
    model = scheme(clone(INNER[inner]))
    run = trace(model, X, Y)
    model.fit(X, Y)
    assert run.classes == tuple(model.classes_)
    assert len(run.members) == len(model.estimators_) == 3
    for told, member in zip(run.members, model.estimators_, strict=True):
        alone = run.member(told.task)
        assert alone.stop_reason is told.stop_reason is member.stop_reason_
        assert alone.classes == told.classes == tuple(member.classes_.tolist())
        if hasattr(member, "n_updates_"):
            assert alone[-1].updates == member.n_updates_
        if inner == "anderson":  # which answers with the best of its hyperplanes
            assert [step.w for step in alone] == [tuple(w) for w in member.history_["w"][1:].tolist()]
        elif inner == "kozinec":  # whose bias is found once more at the end
            expected = member.hull_vector_ if inner == "kozinec" else member.coef_[0]
            np.testing.assert_allclose(alone[-1].w[:-1], expected, rtol=1e-9, atol=1e-12)
        elif inner != "held out":  # which answers as after its best pass
            assert answered(alone) == weights(member)
    assert Trace.from_jsonl(run.to_jsonl()) == run


@pytest.mark.parametrize("inner", ["averaged", "PA", "pocket", "batch", "kozinec", "kernel"])
def test_one_against_all_is_the_run_of_each_class_against_the_rest(inner: str) -> None:
    estimator = INNER[inner].set_params(order="cyclic") if "order" in INNER[inner].get_params() else INNER[inner]
    run = trace(OneVsAll(estimator), X, Y)
    names = ["a against the rest", "b against the rest", "c against the rest"]
    assert [member.task for member in run.members] == names
    for name, label in zip(names, "abc", strict=True):
        alone = trace(estimator, X, label == Y)
        assert run.member(name).steps == tuple(replace(step, task=name) for step in alone)
        assert run.member(name).start == alone.start
        assert run.member(name).stop_reason is alone.stop_reason


@pytest.mark.parametrize("inner", ["averaged", "PA", "pocket", "batch", "kozinec", "kernel"])
def test_one_against_one_is_the_run_of_each_pair_on_its_own_rows(inner: str) -> None:
    """Row numbers count among all rows, not among those of the member."""
    estimator = INNER[inner].set_params(order="cyclic") if "order" in INNER[inner].get_params() else INNER[inner]
    run = trace(OneVsOne(estimator), X, Y)
    for member, (negative, positive) in zip(run.members, combinations("abc", 2), strict=True):
        assert member.task == f"{positive} against {negative}"
        among = np.flatnonzero((negative == Y) | (positive == Y))
        alone = trace(estimator, X[among], Y[among])
        found = run.member(member.task)
        for step, expected in zip(found, alone, strict=True):
            index = None if expected.index is None else int(among[expected.index])
            active = None if expected.active is None else tuple(among[list(expected.active)].tolist())
            assert step == replace(expected, task=member.task, index=index, active=active)


@every_scheme
@pytest.mark.parametrize("inner", ["shuffled", "kernel"])
def test_members_come_one_after_the_other(scheme: Any, inner: str) -> None:
    run = trace(scheme(INNER[inner]), X, Y)
    tasks = [step.task for step in run]
    assert list(dict.fromkeys(tasks)) == [member.task for member in run.members]
    assert tuple(step for member in run.members for step in run.member(member.task)) == run.steps
    for step in run:
        assert step.index is not None
        assert step.x == tuple(X[step.index])
    assert run.start == tuple(member.start for member in run.members)
    assert len(run.to_table().columns) == len(run.member(run.members[0].task).to_table().columns) + 1


def test_cut_off_in_the_middle_of_a_member() -> None:
    whole = trace(OneVsAll(Perceptron(order="cyclic", max_epochs=2)), X, Y)
    first = len(whole.member("a against the rest"))
    for m in (0, 5, first, first + 3, len(whole)):
        cut = trace(OneVsAll(Perceptron(order="cyclic", max_epochs=2)), X, Y, max_steps=m)
        assert cut.steps == whole.steps[:m]
        assert cut.start == whole.start
        assert cut.stop_reason is (None if m < len(whole) else StopReason.BUDGET)
    cut = trace(OneVsAll(Perceptron(order="cyclic", max_epochs=2)), X, Y, max_steps=first + 3)
    assert [member.stop_reason for member in cut.members] == [StopReason.BUDGET, None, None]


def test_the_reason_is_that_of_the_first_who_missed_its_goal() -> None:
    """Of (0), (2) and (1) on a line, the one in the middle cannot be told from the rest."""
    run = trace(OneVsAll(Perceptron(max_epochs=50)), [[0], [1], [2]], ["a", "b", "c"])
    assert [str(member.stop_reason) for member in run.members] == ["mistake_free", "budget", "mistake_free"]
    assert run.stop_reason is StopReason.BUDGET
    run = trace(OneVsOne(Perceptron(max_epochs=50)), [[0], [1], [2]], ["a", "b", "c"])
    assert run.stop_reason is StopReason.MISTAKE_FREE


def test_two_classes_have_one_member() -> None:
    for scheme, task, labels in (
        (OneVsAll, "b against the rest", (False, True)),
        (OneVsOne, "b against a", ("a", "b")),
    ):
        run = trace(scheme(Perceptron()), X[Y != "c"], Y[Y != "c"])
        assert [(member.task, member.classes) for member in run.members] == [(task, labels)]


def test_refuses_what_it_cannot_follow_and_changes_nothing() -> None:
    with pytest.raises(ParameterError, match=r"step by step, such as Perceptron\(\) .* not NearestMean\(\)"):
        trace(OneVsAll(NearestMean()), X, Y)
    with pytest.raises(ParameterError, match="step by step"):
        trace(OneVsAll(OneVsOne(Perceptron())), X, Y)
    with pytest.raises(ParameterError, match="step by step"):
        trace(Kessler(Perceptron()), X, Y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="must be a classifier of two classes"):
        trace(OneVsAll(None), X, Y)  # type: ignore[arg-type]
    run = trace(OneVsAll(Perceptron()), X, Y)
    with pytest.raises(ParameterError, match=r"must be one of \['a against the rest', .* Did you mean 'b against"):
        run.member("b against rest")
    with pytest.raises(ParameterError, match="has no members"):
        run.member("a against the rest").member("a")
    rng = np.random.RandomState(3)
    model = OneVsOne(Perceptron(random_state=rng))
    before = pickle.dumps(rng)
    trace(model, X, Y)
    assert pickle.dumps(rng) == before
    assert not hasattr(model, "estimators_")

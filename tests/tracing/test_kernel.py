"""Traces of the kernel perceptron: scores are plain sums, weights count mistakes, and the run is that of `fit`."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, KernelPerceptron, StopReason, Trace, trace

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

ORDERS = ["cyclic", "shuffled", "random"]
TIES = {"mistake": 0, "positive": 1, "negative": -1}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any]:
    """Small integers of two or three classes, with rows that occur more than once."""
    k = draw(st.integers(2, 3))
    y = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=6))]
    X = draw(st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=len(y), max_size=len(y)))
    return np.array(X, dtype=float), np.array(list("abc"))[y]


def conic(x: list[int], z: list[int]) -> int:
    """(x.z + 1)^2 + 1: a polynomial of degree 2, and the product of two bias constants of 1."""
    return int((sum(a * b for a, b in zip(x, z, strict=True)) + 1) ** 2 + 1)


def sums(alpha: dict[int, list[int]], K: list[list[int]], i: int, k: int) -> list[int]:
    """For each class, the sum over the support of alpha_j K(x_j, x_i)."""
    return [sum(a[c] * K[j][i] for j, a in alpha.items()) for c in range(k)]


def winner(scores: list[int], own: int, tie: int) -> int:
    """The class of the largest score; equal ones: the later, the earlier, or the last that is wrong."""
    top = [c for c, score in enumerate(scores) if score == max(scores)]
    if tie == 0 and len(top) > 1:
        top = [c for c in top if c != own]
    return top[0] if tie < 0 else top[-1]


@given(st.sampled_from(ORDERS), st.sampled_from(sorted(TIES)), tables())
def test_every_score_and_weight_by_plain_sums(order: str, tie: str, table: tuple[Any, Any]) -> None:
    """Whole numbers, which floats hold: the scores, the weights and the mistakes are exact; |w| to rounding."""
    X, y = table
    options: dict[str, Any] = {"kernel": "poly", "degree": 2, "gamma": 1.0, "order": order, "tie": tie}
    run = trace(KernelPerceptron(**options, max_epochs=4), X, y)
    classes = sorted(set(y))
    k, copies = len(classes), Counter((*row, label) for row, label in zip(X.tolist(), y, strict=True))
    K = [[conic(x, z) for z in X.astype(int).tolist()] for x in X.astype(int).tolist()]
    alpha: dict[int, list[int]] = {}
    updates = 0
    for step in run:
        assert step.index is not None
        i, own = step.index, classes.index(y[step.index])
        assert (step.x, step.y) == (tuple(X[i]), y[i])
        scores = sums(alpha, K, i, k)
        assert step.score == (scores[1] if k == 2 else tuple(scores))
        tied = k == 2 and scores[1] == 0 and tie == "mistake"
        assert step.predicted == (None if tied else classes[winner(scores, own, TIES[tie])])
        mistakes = 0
        for _ in range(copies[(*X[i].tolist(), y[i])]):
            v = winner(sums(alpha, K, i, k), own, TIES[tie])
            if v == own:
                break
            mistakes += 1
            mine = alpha.setdefault(i, [0] * k)
            mine[own], mine[v] = mine[own] + 1, mine[v] - 1
        updates += mistakes
        assert (step.mistake, step.updated, step.updates) == (mistakes > 0, mistakes > 0, updates)
        held = {j: a for j, a in sorted(alpha.items()) if any(a)}
        assert step.active == tuple(held)
        assert step.weights == tuple(a[1] if k == 2 else tuple(a) for a in held.values())
        square = sum(held[j][c] * sums(held, K, j, k)[c] for j in held for c in range(k == 2, k))
        assert step.norm == pytest.approx(math.sqrt(square), rel=1e-12)
        assert (step.w, step.answer, step.angle_before, step.angle_after) == ((), None, None, None)


def spirals(classes: int, n: int = 45) -> tuple[Any, Any]:
    rng = np.random.RandomState(classes)
    code = np.arange(n) % classes
    turn = np.linspace(0.3, 4.0, n) + 2 * math.pi * code / classes
    X = np.linspace(1, 3, n)[:, np.newaxis] * np.c_[np.cos(turn), np.sin(turn)] + rng.uniform(-0.4, 0.4, (n, 2))
    X[-3:], code[-3:] = X[:3], code[:3]  # rows that occur twice
    return X, np.array(list("abc"))[code]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"gamma": 2.0, "bias": 0.0},
    {"kernel": "poly", "coef0": 0.5, "average": "averaged"},
    {"kernel": "linear", "margin": 0.5},
    {"max_support": 5, "gamma": 1.0},
    {"class_weight": {"a": 2.5}, "average": "averaged"},
    {"kernel": lambda X, Z: np.tanh(X @ Z.T)},
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", OPTIONS)
def test_a_trace_is_what_fit_does(options: dict[str, Any], classes: int, order: Any) -> None:
    """The support, its weights, the updates in each pass and the stop reason are equal to the last bit."""
    X, y = spirals(classes)
    model = KernelPerceptron(**options, order=order, max_epochs=7, random_state=5)
    run = trace(model, X, y)
    model.fit(X, y)
    last = run[-1]
    found = last.answer if "average" in options else last.weights
    assert found is not None
    assert last.active is not None
    coef = np.array(found, dtype=float).reshape(len(last.active), -1).T
    kept = coef.any(axis=0)
    assert np.array(last.active)[kept].tolist() == model.support_.tolist()
    assert np.ascontiguousarray(coef[:, kept]).tobytes() == np.ascontiguousarray(model.dual_coef_).tobytes()
    ends = [[step.updates for step in run if step.epoch <= t][-1] for t in range(1, run[-1].epoch + 1)]
    assert np.diff([0, *ends]).tolist() == model.mistakes_per_epoch_.tolist()
    assert last.updates == model.n_updates_ > 0
    assert run.stop_reason is model.stop_reason_
    assert (run.kind, run.start, run.classes) == ("kernel", (), tuple(model.classes_))
    assert Trace.from_jsonl(run.to_jsonl()) == run


@pytest.mark.parametrize("classes", [2, 3])
def test_the_score_is_that_of_the_decision_function(classes: int) -> None:
    """A run that ends without a mistake: in its last pass every row has the score that the model gives it."""
    X, y = spirals(classes)
    model = KernelPerceptron(gamma=3.0, order="cyclic", max_epochs=1000)
    run = trace(model, X, y)
    assert run.stop_reason is StopReason.MISTAKE_FREE
    scores = model.fit(X, y).decision_function(X)
    last = [step for step in run if step.epoch == run[-1].epoch]
    np.testing.assert_allclose([step.score for step in last], scores[[step.index for step in last]], rtol=1e-9)


def test_a_precomputed_kernel_sparse_rows_and_single_precision() -> None:
    """Whole numbers, no two rows alike: the same products, the same run."""
    X, y = np.array([[i, (i * i) % 7] for i in range(-8, 9)], dtype=float), np.arange(17) % 3 == 0
    plain = trace(KernelPerceptron(kernel="linear", order="cyclic", max_epochs=9), X, y)
    given = trace(KernelPerceptron(kernel="precomputed", order="cyclic", max_epochs=9), X @ X.T, y)
    assert given.steps == tuple(replace(step, x=tuple(X @ X[step.index])) for step in plain)
    for stored in (scipy.sparse.csr_array, np.float32):
        assert trace(KernelPerceptron(kernel="linear", order="cyclic", max_epochs=9), stored(X), y) == plain


def test_cut_off_and_refused() -> None:
    X, y = spirals(3)
    whole = trace(KernelPerceptron(max_epochs=2), X, y)
    for m in (0, 1, 50, 10**6):
        cut = trace(KernelPerceptron(max_epochs=2), X, y, max_steps=m)
        assert cut.steps == whole.steps[:m]
        assert cut.stop_reason is (None if m < len(whole) else StopReason.BUDGET)
    with pytest.raises(DataError, match="scores have become too large"):
        trace(KernelPerceptron(kernel="poly", degree=9, gamma=1.0), [[1e40], [-1e40]], [0, 1])
    model = KernelPerceptron()
    trace(model, X, y)
    assert not hasattr(model, "classes_")


def test_a_clean_pass_that_rounding_could_have_made_is_no_proof() -> None:
    """The second row is right by 1e-20, far below what rounding of scores of size 1 may be."""
    model = KernelPerceptron(kernel="precomputed", bias=0, order="cyclic", max_epochs=5)
    run = trace(model, [[1, -1e-20], [-1e-20, 1]], [1, 0])
    assert run.stop_reason is model.fit([[1, -1e-20], [-1e-20, 1]], [1, 0]).stop_reason_ is StopReason.BUDGET
    assert [step.mistake for step in run] == [True, *[False] * 9]


def test_no_length_where_the_kernel_is_none() -> None:
    """K = -1 everywhere: the square of |w| would be -1."""
    run = trace(KernelPerceptron(kernel="precomputed", bias=0, max_epochs=1), [[-1, -1], [-1, -1]], [0, 1], max_steps=1)
    assert run[0].norm is None
    assert [str(cell) for cell in run.to_table().columns[-1].cells] == ["-"]

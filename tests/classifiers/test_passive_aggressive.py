"""The theorems of passive-aggressive learning, and the effect of its parameters."""

import math
from typing import Any

import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BudgetWarning, PassiveAggressive, StopReason
from tests.classifiers.test_perceptron import XOR, Planted, planted


@given(planted())
def test_squared_losses_of_one_pass_are_within_the_bound(data: Planted) -> None:
    """Crammer et al. 2006, theorem 2: sum of loss^2 <= R^2 |u|^2 for every u with y u.x >= 1; here u = U/gamma."""
    model = PassiveAggressive(C=math.inf)
    total = 0.0
    for x, label in zip(data.X, data.y, strict=True):
        score = model.decision_function([x])[0] if hasattr(model, "classes_") else 0.0
        total += max(0.0, 1.0 - (1 if label else -1) * score) ** 2
        model.learn_one(x, label, classes=[0, 1])
    assert total <= data.bound * (1 + 1e-9)


@given(planted())
def test_a_full_step_gives_the_row_a_margin_of_one(data: Planted) -> None:
    model = PassiveAggressive(C=math.inf).partial_fit(data.X, data.y, classes=[0, 1])
    sign = 1 if data.y[0] else -1
    before = sign * model.decision_function(data.X[:1])[0]
    updates = model.n_updates_
    model.learn_one(data.X[0], data.y[0])
    assert sign * model.decision_function(data.X[:1])[0] == pytest.approx(max(1.0, before))
    assert model.n_updates_ - updates == (before < 1)


@given(planted(classes=3))
def test_a_full_step_gives_the_true_class_a_lead_of_one_over_its_rival(data: Planted) -> None:
    model = PassiveAggressive(C=math.inf).partial_fit(data.X, data.y, classes=[0, 1, 2])
    true = int(data.y[0])
    scores = model.decision_function(data.X[:1])[0]
    rival = max((c for c in range(3) if c != true), key=lambda c: (scores[c], c))
    model.learn_one(data.X[0], true)
    after = model.decision_function(data.X[:1])[0]
    assert after[true] - after[rival] == pytest.approx(max(1.0, scores[true] - scores[rival]))


@pytest.mark.parametrize(("variant", "step"), [("I", min(0.01, 1 / 5)), ("II", 1 / (5 + 1 / 0.02))])
def test_the_first_step_by_hand(variant: Any, step: float) -> None:
    """x = (2; 1) has |x|^2 = 5 with its bias constant; from w = 0 the loss is 1."""
    model = PassiveAggressive(C=0.01, variant=variant).partial_fit([[2.0]], ["up"], classes=["down", "up"])
    assert model.coef_[0, 0] == pytest.approx(2 * step, rel=1e-15)
    assert model.intercept_[0] == pytest.approx(step, rel=1e-15)


def test_class_weight_multiplies_the_cap() -> None:
    model = PassiveAggressive(C=0.01, class_weight={"up": 3.0}).partial_fit([[2.0]], ["up"], classes=["down", "up"])
    assert model.intercept_[0] == pytest.approx(0.03)


@pytest.mark.parametrize("variant", ["I", "II"])
@pytest.mark.parametrize("classes", [2, 3])
@given(data=st.data())
def test_separable_rows_end_free_of_mistakes_dense_and_sparse_alike(
    variant: Any, classes: int, data: st.DataObject
) -> None:
    case = data.draw(planted(classes=classes))
    model = PassiveAggressive(variant=variant, C=100.0, max_epochs=10**5).fit(case.X, case.y)
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert (model.predict(case.X) == case.y).all()
    assert model.n_updates_ >= model.mistakes_per_epoch_.sum()
    dense, sparse = (
        PassiveAggressive(variant=variant, C=100.0, order="cyclic").partial_fit(X, case.y, classes=range(classes))
        for X in (case.X, scipy.sparse.csr_array(case.X))
    )
    assert sparse.coef_ == pytest.approx(dense.coef_, rel=1e-9, abs=1e-9)


def test_a_row_of_zeros_teaches_nothing() -> None:
    model = PassiveAggressive(bias=0).partial_fit([[0.0, 0.0]], [1], classes=[0, 1])
    assert model.n_updates_ == 0
    assert model.coef_.tolist() == [[0.0, 0.0]]


def test_overlapping_rows_use_the_budget() -> None:
    """Steps without a limit expect a pass without mistakes; a limit expects noisy labels, so all passes are normal."""
    with pytest.warns(BudgetWarning, match="max_epochs=5"):
        PassiveAggressive(C=math.inf, max_epochs=5).fit(*XOR)
    model = PassiveAggressive(max_epochs=5).fit(*XOR)  # warnings are errors here
    assert model.stop_reason_ is StopReason.BUDGET
    assert model.n_iter_ == 5

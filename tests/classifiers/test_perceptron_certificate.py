"""Certificates of a perceptron's run: the verdict on its rows, its updates, and the bound on its updates."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from rosenblatt import Certificate, DataError, Perceptron, mistake_bound
from tests.support.effort import examples

ORDERS = ["cyclic", "shuffled", "random", "first", "worst"]
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
MANY = 10_000  # passes


def certified(model: Perceptron, X: Any, y: Any) -> dict[str, Any]:
    """Check that the certificate verifies, also as text, and states the updates; return its body."""
    certificate = model.certificate(X, y)
    assert certificate.verify(X, y)
    assert Certificate.from_json(certificate.to_json()).verify(X, y)
    assert certificate.body["updates"] == model.n_updates_
    updates = model.n_updates_
    assert ("1 update was made" if updates == 1 else f"{updates:,} updates were made") in certificate.explain()
    return certificate.body


def bound_of(body: dict[str, Any]) -> int:
    mantissa, _, power = body["mistakes"]["bound"].partition("p")
    return int(mantissa, 16) << int(power or 0)


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("order", ORDERS)
def test_updates_beside_the_most_there_can_be(order: str, average: str | None) -> None:
    """AND: R^2 = 3 and gamma^2 = 1/17, by hand (tests/proof/test_mistake_bound.py)."""
    model = Perceptron(order=order, average=average, max_epochs=MANY).fit(CORNERS, AND)
    body = certified(model, CORNERS, AND)
    assert body["claim"] == "strict"
    assert 0 < body["updates"] <= bound_of(body) == 51
    text = model.certificate(CORNERS, AND).explain()
    assert "strictly on their right side" in text
    assert "at most 51 updates" in text
    assert "Novikoff" in text


@settings(max_examples=examples(0.7))
@given(
    st.integers(0, 999),
    st.sampled_from(ORDERS),
    st.sampled_from([0.0, 0.5, 20.0]),
    st.sampled_from([0.125, 1.0, 3.0]),
    st.sampled_from([None, "balanced", {0: 0.25}, {1: 7.0}]),
    st.sampled_from([0.5, 1.0, 4.0]),
)
def test_the_bound_holds_with_margin_rate_and_class_weights(
    seed: int, order: str, margin: float, rate: float, class_weight: Any, bias: float
) -> None:
    """Steps between eta a and eta b up to a functional margin m: (eta b R^2 + 2 m)/(eta a gamma^2)."""
    X, y = make_blobs([12, 5], centers=[[0, 0], [4, 3]], cluster_std=0.5, random_state=seed)
    model = Perceptron(
        order=order, margin=margin, learning_rate=rate, class_weight=class_weight, bias=bias, max_epochs=MANY
    ).fit(X, y)
    body = certified(model, X, y)
    assert body["updates"] <= bound_of(body)
    plain = mistake_bound(X, y, bias=bias)
    by_label = {0: 17 / 24, 1: 17 / 10} if class_weight == "balanced" else class_weight or {}
    weights = [by_label.get(label, 1.0) for label in (0, 1)]
    gamma, most = plain.margin_bounds[0], rate * max(weights) * plain.radius**2 + 2 * margin
    assert bound_of(body) == pytest.approx(most / (rate * min(weights) * gamma**2), rel=1e-4, abs=1.01)


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("order", ORDERS)
def test_three_classes(order: str, average: str | None) -> None:
    X, y = make_blobs(30, centers=[[0, 4], [4, -3], [-4, -3]], cluster_std=0.5, random_state=3)
    for margin in (0.0, 2.0):
        model = Perceptron(order=order, average=average, margin=margin, max_epochs=MANY).fit(X, y)
        body = certified(model, X, y)
        assert body["claim"] == "strict"
        assert 0 < body["updates"] <= bound_of(body)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_no_bound_but_a_witness_where_none_separates() -> None:
    """XOR: all four rows, with equal weights."""
    model = Perceptron(max_epochs=7).fit(CORNERS, XOR)
    body = certified(model, CORNERS, XOR)
    assert body["claim"] == "overlap"
    assert "mistakes" not in body
    assert body["witness"]["rows"] == [0, 1, 2, 3]
    assert len(set(body["witness"]["weights"])) == 1
    assert "Every hyperplane has some of them on its wrong side" in model.certificate(CORNERS, XOR).explain()


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_without_a_bias_the_question_is_about_hyperplanes_through_the_origin() -> None:
    model = Perceptron(bias=0, max_epochs=5).fit([[1], [2]], [0, 1])
    assert certified(model, [[1], [2]], [0, 1])["claim"] == "overlap"
    model = Perceptron(bias=1, max_epochs=MANY).fit([[1], [2]], [0, 1])
    assert certified(model, [[1], [2]], [0, 1])["claim"] == "strict"


@pytest.mark.parametrize("options", [{"init": [5, 5, 5]}, {"warm_start": True}], ids=str)
def test_no_bound_for_a_run_that_did_not_begin_at_zero(options: dict[str, Any]) -> None:
    model = Perceptron(**options).fit(CORNERS, AND)
    if model.warm_start:
        model.fit(CORNERS, AND)
    body = certified(model, CORNERS, AND)
    assert body["claim"] == "strict"
    assert "mistakes" not in body
    assert "at most" not in model.certificate(CORNERS, AND).explain()


def test_what_counts_is_how_the_run_began_not_what_was_set_later() -> None:
    """From (100, -100, 3) it makes more updates than any run from 0."""
    model = Perceptron(init=[100, -100, 3], max_epochs=MANY).fit(CORNERS, AND)
    assert model.n_updates_ > 51
    body = certified(model.set_params(init=None), CORNERS, AND)
    assert "mistakes" not in body


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_other_rows_than_it_learned_from_give_no_false_certificate() -> None:
    """40 copies of XOR cost hundreds of updates; the bound of these two rows is about 2."""
    model = Perceptron(max_epochs=5).fit(CORNERS * 40, XOR * 40)
    X, y = [[-1, 0], [1, 1]], [0, 1]
    try:
        certificate = model.certificate(X, y)
    except DataError:
        return
    assert certificate.verify(X, y)


def test_rows_in_any_form() -> None:
    X, y = make_blobs(30, centers=[[0, 0, 0], [5, 5, 5]], random_state=0)
    model = Perceptron().fit(X, y)
    forms = [X, X.tolist(), scipy.sparse.csr_array(X), pd.DataFrame(X, columns=list("abc"))]
    assert len({bound_of(certified(model, form, y)) for form in forms}) == 1


def test_text_labels_and_column_names() -> None:
    X, y = pd.DataFrame(CORNERS, columns=["left", "right"]), ["no", "no", "no", "yes"]
    model = Perceptron().fit(X, y)
    body = certified(model, X, y)
    assert (body["data"]["labels"], body["data"]["names"]) == (["no", "yes"], ["left", "right"])
    assert "'no', 'yes'" in model.certificate(X, y).explain()


def test_a_stream_counts_too() -> None:
    model = Perceptron()
    for _ in range(3):
        model.partial_fit(CORNERS, AND, classes=[0, 1])
    model.learn_one([1, 1], 1)
    body = certified(model, CORNERS, AND)
    assert body["updates"] <= bound_of(body) == 51


def test_a_certificate_with_more_updates_than_the_bound_is_refused() -> None:
    model = Perceptron().fit(CORNERS, AND)
    forged = model.certificate(CORNERS, AND).extended(updates=52)
    found = forged.verify(CORNERS, AND)
    assert not found
    assert "52 updates exceed 51" in found.why


def test_a_margin_that_is_infinite_in_units_of_the_rate_gives_no_bound() -> None:
    X, y = [[1.0, 0.0], [-1.0, 0.0]], [0, 1]
    with pytest.warns(match="budget"):
        model = Perceptron(margin=1.0, learning_rate=1e-310, max_epochs=3).fit(X, y)
    assert math.isinf(model.margin / model.learning_rate)
    assert "mistakes" not in certified(model, X, y)


def test_not_fitted() -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        Perceptron().certificate(CORNERS, AND)


@pytest.mark.parametrize("y", [[0, 0, 0, 2], ["a", "a", "a", "b"], [0, 1, 2, 1], [0, 0, 0, 0]], ids=str)
def test_other_labels(y: list[Any]) -> None:
    with pytest.raises(DataError, match=r"classes|class labels"):
        Perceptron().fit(CORNERS, AND).certificate(CORNERS, y)


def test_other_columns() -> None:
    """A table with another number of columns gets a verdict, but no statement about the run."""
    with pytest.raises(DataError, match=r"2 |3 "):
        Perceptron().fit(CORNERS, AND).certificate(np.eye(4)[:, :3], AND)

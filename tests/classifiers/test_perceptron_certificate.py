"""Certificates of a perceptron's run: the verdict on its rows, its updates, and the bound on its updates."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError

from rosenblatt import Certificate, DataError, Perceptron, load, mistake_bound, save
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
def test_updates_beside_the_most_there_can_be(order: Any, average: Any) -> None:
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
    seed: int, order: Any, margin: float, rate: float, class_weight: Any, bias: float
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


@given(st.integers(0, 9), st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=17, max_size=17))
def test_the_bound_holds_with_weights_of_rows(seed: int, weights: list[float]) -> None:
    """With all steps from a to b: (b R^2 + 2 m)/(a gamma^2)."""
    X, y = make_blobs([12, 5], centers=[[0, 0], [4, 3]], cluster_std=0.5, random_state=seed)
    plain = mistake_bound(X, y, bias=1.0)
    for margin in (0.0, 1.5):
        model = Perceptron(margin=margin, max_epochs=MANY).fit(X, y, sample_weight=weights)
        body = certified(model, X, y)
        assert body["updates"] <= bound_of(body)
        most = (max(weights) * plain.radius**2 + 2 * margin) / (min(weights) * plain.margin_bounds[0] ** 2)
        assert bound_of(body) == pytest.approx(most, rel=1e-4, abs=1.01)
        heavier = model.fit(X, y, sample_weight=np.multiply(weights, 8.0))
        if margin == 0.0:
            assert certified(heavier, X, y)["mistakes"]["bound"] == body["mistakes"]["bound"]


def test_the_range_of_weights_is_saved_and_grows_with_later_rows(tmp_path: Path) -> None:
    model = Perceptron(max_epochs=MANY).fit(CORNERS, AND, sample_weight=[2, 2, 4, 8])
    save(model, tmp_path / "model.rosenblatt")
    kept = load(tmp_path / "model.rosenblatt")
    assert certified(kept, CORNERS, AND) == certified(model, CORNERS, AND)
    assert bound_of(kept.certificate(CORNERS, AND).body) == 51 * 8 // 2
    kept.learn_one([0, 0], 0, sample_weight=16.0)
    assert bound_of(kept.certificate(CORNERS, AND).body) == 51 * 16 // 2
    kept.partial_fit([[0, 0]], [0], sample_weight=[0.5])
    assert bound_of(kept.certificate(CORNERS, AND).body) == 51 * 16 * 2


@pytest.mark.parametrize("average", [None, "averaged", "voted"])
@pytest.mark.parametrize("order", ORDERS)
def test_three_classes(order: Any, average: Any) -> None:
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


def silent(model: Perceptron, X: Any, y: Any) -> dict[str, Any]:
    """Check that the certificate verifies, and that it does not repeat the updates; return its body."""
    certificate = model.certificate(X, y)
    assert certificate.verify(X, y)
    assert "updates" not in certificate.body
    assert "made" not in certificate.explain()
    return certificate.body


def test_other_rows_do_not_get_the_updates_of_the_training_rows() -> None:
    """It made 7 updates on 150 rows of iris. Other rows are certified, but with nothing said about updates."""
    X, y = load_iris(return_X_y=True)
    model = Perceptron().fit(X, y == 0)
    assert certified(model, X, y == 0)["updates"] == model.n_updates_ == 7
    one_cell, one_label = X.copy(), (y == 0).copy()
    one_cell[149, 3] = np.nextafter(one_cell[149, 3], 9)
    one_label[[0, 149]] = one_label[[149, 0]]
    others = [
        (X[::2] + 1, (y == 0)[::2]),
        (X[::-1], (y == 0)[::-1]),
        (X + 1, y == 0),
        (X[:-1], (y == 0)[:-1]),
        (one_cell, y == 0),
        (X, one_label),
    ]
    for other in others:
        silent(model, *other)


def test_the_verdict_and_the_bound_of_other_rows_are_their_own() -> None:
    """AND has the bound 51. (0, -1) and (0, 1): R^2 = 2 and gamma^2 = 1, so the bound is 2."""
    model = Perceptron().fit(CORNERS, AND)
    body = silent(model, [[0, -1], [0, 1]], [0, 1])
    assert (body["claim"], bound_of(body)) == ("strict", 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8"])
@pytest.mark.parametrize("fitted", [np.array, scipy.sparse.csr_array, scipy.sparse.csc_array, pd.DataFrame, list])
def test_the_same_rows_in_another_storage_are_the_same_rows(fitted: Any, dtype: str) -> None:
    X = np.array([[0, 1, 0], [3, 0, 0], [0, 0, 7], [2, 2, 2], [0, 0, 0]], dtype=dtype)
    y = np.array([0, 1, 1, 1, 0])
    model = Perceptron(max_epochs=MANY).fit(fitted(X), y)
    for storage in (np.array, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.coo_array, pd.DataFrame, list):
        for other in ("float32", "float64", "int64"):
            certified(model, storage(X.astype(other)), y)
        silent(model, storage(X + 1), y)


def test_rows_that_float32_rounds_to_the_training_rows_are_others() -> None:
    X, y = np.array([[0.1], [0.9]], dtype=np.float32), [0, 1]
    model = Perceptron(max_epochs=MANY).fit(X, y)
    certified(model, X.astype(np.float64), y)
    silent(model, [[0.1], [0.9]], y)
    assert np.array([[0.1], [0.9]]).astype(np.float32).tolist() == X.tolist()


def test_after_a_stream_the_rows_are_not_known(tmp_path: Path) -> None:
    """The rows of a stream are not kept: the bound is stated, the updates are not."""
    model = Perceptron()
    for _ in range(3):
        model.partial_fit(CORNERS, AND, classes=[0, 1])
    assert bound_of(silent(model, CORNERS, AND)) == 51
    later = Perceptron(max_epochs=MANY).fit(CORNERS, AND)
    certified(later, CORNERS, AND)
    later.learn_one([1, 1], 1)
    silent(later, CORNERS, AND)
    certified(later.fit(CORNERS, AND), CORNERS, AND)
    (tmp_path / "and.csv").write_text("p,q,y\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n")
    silent(later.fit_stream(tmp_path / "and.csv"), CORNERS, AND)


def test_a_model_file_keeps_the_digest_and_one_without_it_loads(tmp_path: Path) -> None:
    model = Perceptron().fit(CORNERS, AND)
    save(model, tmp_path / "new")
    certified(load(tmp_path / "new"), CORNERS, AND)
    silent(load(tmp_path / "new"), [[0, 0], [0, 1], [1, 0], [1, 2]], AND)
    del model._training_digest  # as in a file of an earlier version
    save(model, tmp_path / "old")
    assert b"_training_digest" not in (tmp_path / "old").read_bytes()
    silent(load(tmp_path / "old"), CORNERS, AND)


def test_rows_held_out_and_a_warm_start_are_known_too() -> None:
    X, y = make_blobs(40, centers=[[0, 0], [5, 5]], random_state=0)
    model = Perceptron(held_out=0.25, warm_start=True).fit(X, y)
    certified(model, X, y)
    certified(model.fit(X + 1, y), X + 1, y)
    silent(model, X, y)


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

"""Proofs in the lectures: convergence (rows 0.5, 2.5, 3.7), XOR is not separable (1.5), a test of separability (3.8).

A row number in a test name is one fact of a lecture. Expected numbers are computed by hand or in fractions. The bounds
are those that the package proves.
"""

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from typer.testing import CliRunner

from rosenblatt import Kozinec, Perceptron, StopReason, mistake_bound, separability, trace
from rosenblatt.cli.main import app
from tests.support.effort import examples

ORDERS: list[Any] = ["cyclic", "shuffled", "random", "first", "worst"]
CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]


class Separable(NamedTuple):
    """A separable set, and by hand the squares of its longest row and of its margin, both with the constant 1."""

    X: list[list[int]]
    y: list[int]
    longest: Fraction | None = None
    margin: Fraction | None = None


SETS = {
    # (2, 2, -3)/17 is the point of the hull of the signed rows that is nearest to 0.
    "AND": Separable(CORNERS, [-1, -1, -1, 1], Fraction(3), Fraction(1, 17)),
    # (2, 2, -1)/9 is.
    "OR": Separable(CORNERS, [-1, 1, 1, 1], Fraction(3), Fraction(1, 9)),
    "NAND": Separable(CORNERS, [1, 1, 1, -1], Fraction(3), Fraction(1, 17)),
    # All on the lines x1 = -1 and x1 = 1: (1, 0, 0) is; the longest row is (-1, 2, 1).
    "CMU": Separable(
        [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1], Fraction(6), Fraction(1)
    ),
    "CS188": Separable([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1], Fraction(26)),
    # Between z = (-3, -1) and (4, 1): (2, -7)/53 is.
    "one feature": Separable([[5], [3], [-2], [4], [2]], [1, -1, -1, 1, -1], Fraction(26), Fraction(1, 53)),
    "three features": Separable(
        [[1, 0, 2], [-1, 3, 1], [2, 2, -1], [0, -2, 1], [-3, 1, 0], [1, 1, 1]], [1, -1, 1, 1, -1, 1], Fraction(12)
    ),
}
every_set = pytest.mark.parametrize("data", SETS.values(), ids=SETS)


def dot(u: Any, v: Any) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction(0))


@st.composite
def separable(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Integers on two sides of a hidden plane."""
    d = draw(st.integers(1, 3))
    plane = draw(st.lists(st.integers(-3, 3), min_size=d + 1, max_size=d + 1).filter(lambda w: any(w[:-1])))
    rows = st.lists(st.integers(-4, 4), min_size=d, max_size=d).filter(lambda x: dot(plane, [*x, 1]) != 0)
    X = draw(st.lists(rows, min_size=2, max_size=8).filter(lambda X: len({dot(plane, [*x, 1]) > 0 for x in X}) == 2))
    return X, [1 if dot(plane, [*x, 1]) > 0 else -1 for x in X]


# ---------------------------------------------------------------------------------------------------------------------
# Row 0.5


@settings(max_examples=examples(0.7))
@given(separable(), st.sampled_from(ORDERS))
def test_row_0_5_both_inequalities_along_a_trace(data: tuple[list[list[int]], list[int]], order: Any) -> None:
    """LUMS: w.w* grows by >= gamma and w.w by <= R^2 at each update, so after k of them k gamma <= |w| <= sqrt(k) R.

    w* is the best direction that the certificate of the bound holds, in whole numbers; R and gamma are its numbers.
    """
    X, y = data
    bound = mistake_bound(X, y)
    R, gamma = Fraction(bound.radius), Fraction(bound.margin_bounds[0])
    best = [whole(text) for text in bound.certificate.body["mistakes"]["hyperplane"]]
    run = trace(Perceptron(order=order, max_epochs=math.floor(bound.bounds[1]) + 1, random_state=1), X, y)
    w: Any = run.start
    for step in run:
        if step.updated:
            grown = dot(step.w, best) - dot(w, best)
            assert grown > 0
            assert grown**2 >= gamma**2 * dot(best, best)
            assert dot(step.w, step.w) <= dot(w, w) + R**2
            assert (step.updates * gamma) ** 2 <= dot(step.w, step.w) <= step.updates * R**2
        w = step.w
    assert run[-1].updates <= bound.bounds[1]


@every_set
@pytest.mark.parametrize("order", ORDERS)
def test_row_0_5_in_the_unit_ball_at_most_one_over_gamma_squared(data: Separable, order: Any) -> None:
    """LUMS: points and constant are divided by the longest row, so that R = 1; the bound beside the count."""
    X, y = np.array(data.X, dtype=float), np.array(data.y)
    longest = float(np.sqrt((X**2).sum(axis=1).max() + 1))
    bound = mistake_bound(X / longest, y, bias=1 / longest)
    gamma = bound.margin_bounds[0]
    assert bound.radius == pytest.approx(1, rel=1e-12)
    assert bound.bounds[1] == pytest.approx(1 / gamma**2, rel=1e-9)
    model = Perceptron(order=order, bias=1 / longest, max_epochs=10_000).fit(X / longest, y)
    assert 0 < model.n_updates_ <= 1 / gamma**2 * (1 + 1e-9)
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    text = model.certificate(X / longest, y).explain()
    assert f"at most {math.floor(bound.bounds[1]):,} updates" in text
    updates = model.n_updates_
    assert ("1 update was made" if updates == 1 else f"{updates:,} updates were made") in text


def test_row_0_5_points_alone_in_the_unit_ball() -> None:
    """LUMS, no bias: rescaled rows have R = 1. (2, 1)+ and (-1, -2)-: the nearest point is (1.5, 1.5)/sqrt(5)."""
    rescaled = mistake_bound([[2, 1], [-1, -2]], [1, -1], bias=0, rows="rescaled")
    assert rescaled.unit == pytest.approx(math.sqrt(5))
    assert rescaled.radius == pytest.approx(1)
    assert rescaled.margin_bounds == pytest.approx((math.sqrt(0.9),) * 2)
    assert rescaled.bounds == pytest.approx((1 / 0.9,) * 2)


def whole(text: str) -> int:
    """'-0x5p3' is -5 times 2^3."""
    digits, _, power = text.removeprefix("-").partition("p")
    return (int(digits, 16) << int(power or "0")) * (-1 if text.startswith("-") else 1)


# ---------------------------------------------------------------------------------------------------------------------
# Row 1.5


def test_row_1_5_xor_is_proved_inseparable() -> None:
    """CS360: "no guarantee". The middle of (0, 0) and (1, 1) is that of (0, 1) and (1, 0)."""
    y = [-1, 1, 1, -1]
    verdict = separability(CORNERS, y)
    assert verdict.kind == "overlap"
    assert verdict.witness is not None
    assert dict(zip(verdict.witness.rows, verdict.witness.weights, strict=True)) == dict.fromkeys(
        range(4), Fraction(1, 4)
    )
    assert verdict.drawing is not None
    assert verdict.drawing.shape == "two crossing segments"
    assert [point.tolist() for point in verdict.drawing.points] == [[0.5, 0.5]] * 2
    assert verdict.certificate is not None
    assert verdict.certificate.verify(CORNERS, y)
    assert mistake_bound(CORNERS, y).theorem is None


def test_row_1_5_of_all_functions_of_two_inputs_only_xor_and_its_opposite_are_inseparable() -> None:
    """CS360: 14 of the 16; the two constant ones have one class and are no question."""
    kinds = {y: separability(CORNERS, y).kind for y in itertools.product([0, 1], repeat=4) if len(set(y)) == 2}
    assert {y for y, kind in kinds.items() if kind != "strict"} == {(0, 1, 1, 0), (1, 0, 0, 1)}
    assert set(kinds.values()) == {"strict", "overlap"}


def test_row_1_5_of_three_inputs_104_functions_are_separable() -> None:
    """The known count of threshold functions of 3 inputs is 104, the two constant ones among them."""
    cube = list(itertools.product([0, 1], repeat=3))
    questions = (y for y in itertools.product([0, 1], repeat=8) if len(set(y)) == 2)
    assert sum(separability(cube, y, detail=False).kind == "strict" for y in questions) == 104 - 2


def test_row_1_5_two_orders_two_hyperplanes_one_certificate_each() -> None:
    """CS360: "any separating hyperplane, not the best": both runs are certified, neither has the largest margin."""
    X, y = SETS["AND"].X, SETS["AND"].y
    models = [Perceptron(order="cyclic").fit(X[::step], y[::step]) for step in (1, -1)]
    planes = [model.hyperplane_ for model in models]
    assert planes[0].unit() != planes[1].unit()
    best = separability(X, y).margin_bounds
    assert best is not None
    for model, plane, step in zip(models, planes, (1, -1), strict=True):
        assert 0 < plane.margin(X, y) < best[0]
        assert model.certificate(X[::step], y[::step]).verify(X[::step], y[::step])
    assert best == pytest.approx((math.sqrt(1 / 8),) * 2, rel=1e-9)


# ---------------------------------------------------------------------------------------------------------------------
# Rows 2.5 and 3.7


@every_set
def test_row_2_5_radius_and_margin_by_hand(data: Separable) -> None:
    """Hlavac: D is the longest signed row, m the distance of their convex hull from the origin."""
    bound = mistake_bound(data.X, data.y)
    if data.longest is not None:
        assert Fraction(bound.radius) ** 2 >= data.longest
        assert bound.radius**2 == pytest.approx(float(data.longest), rel=1e-12)
    if data.margin is not None:
        low, high = (Fraction(margin) ** 2 for margin in bound.margin_bounds)
        assert low <= data.margin <= high
    m = Kozinec(bias=1.0, epsilon=1e-9).fit(data.X, data.y).margin_bounds_
    assert bound.margin_bounds[0] <= m[1]
    assert m[0] <= bound.margin_bounds[1]


@every_set
def test_row_2_5_no_run_takes_more_than_d_squared_over_m_squared_steps(data: Separable) -> None:
    """Hlavac: t* <= D^2/m^2 on every separable test set, whatever comes first."""
    bound = mistake_bound(data.X, data.y)
    counts = []
    for seed in range(30):
        order = np.random.RandomState(seed).permutation(len(data.X))
        X, y = np.array(data.X)[order], np.array(data.y)[order]
        model = Perceptron(order="cyclic", max_epochs=100_000).fit(X, y)
        assert model.stop_reason_ is StopReason.MISTAKE_FREE
        counts.append(model.n_updates_)
    assert 0 < max(counts) <= bound.bounds[1]
    if data.longest is not None and data.margin is not None:
        assert max(counts) <= data.longest / data.margin


def real_sets() -> dict[str, tuple[Any, Any]]:
    iris_X, iris_y = load_iris(return_X_y=True)
    wine_X, wine_y = load_wine(return_X_y=True)
    cancer_X, cancer_y = load_breast_cancer(return_X_y=True)
    blobs_X, blobs_y = make_blobs(300, n_features=5, centers=[[0] * 5, [4] * 5], random_state=0)
    return {
        "iris": (iris_X[:100], iris_y[:100]),
        "iris, setosa and the others": (iris_X, iris_y == 0),
        "wine, scaled": ((wine_X - wine_X.mean(axis=0)) / wine_X.std(axis=0), wine_y),
        "cancer, 60 rows, scaled": (
            (cancer_X[:60] - cancer_X[:60].mean(axis=0)) / cancer_X[:60].std(axis=0),
            cancer_y[:60],
        ),
        "blobs": (blobs_X, blobs_y),
    }


@pytest.mark.parametrize("name", real_sets())
def test_row_3_7_the_bound_holds_for_every_order_on_real_sets(name: str) -> None:
    """CMU: (R/gamma)^2, online and batch; the certificate of each run verifies, and says both numbers."""
    X, y = real_sets()[name]
    assert separability(X, y, detail=False).kind == "strict"
    bound = mistake_bound(X, y)
    ties: list[Any] = ["mistake", "positive", "negative"]
    for order, tie in itertools.product(ORDERS, ties):
        model = Perceptron(order=order, tie=tie, max_epochs=20_000).fit(X, y)
        assert 0 < model.n_updates_ <= bound.bounds[1]
    certificate = model.certificate(X, y)
    assert certificate.verify(X, y)
    assert certificate.body["updates"] == model.n_updates_


def test_row_3_7_online_is_one_pass_and_has_the_same_bound() -> None:
    """CMU: the rows may come in any order and any number of times."""
    X, y = np.array(SETS["CS188"].X), np.array(SETS["CS188"].y)
    bound = mistake_bound(X, y)
    rng, model = np.random.default_rng(0), Perceptron()
    for i in rng.integers(0, len(X), 5000).tolist():
        model.learn_one(X[i], y[i], classes=[-1, 1])
    assert model.score(X, y) == 1
    assert 0 < model.n_updates_ <= bound.bounds[1]
    assert model.certificate(X, y).verify(X, y)


# ---------------------------------------------------------------------------------------------------------------------
# Row 3.8


@pytest.mark.parametrize(
    ("y", "kind"),
    [(["-", "-", "-", "+"], "strict"), (["-", "+", "+", "+"], "strict"), (["-", "+", "+", "-"], "overlap")],
)
def test_row_3_8_whether_a_data_set_is_separable_is_one_command(tmp_path: Path, y: list[str], kind: str) -> None:
    """CMU: "tell whether a dataset is separable": the first word is the answer, and a file is the proof."""
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    lines = [f"{a},{b},{label}" for (a, b), label in zip(CORNERS, y, strict=True)]
    data.write_text("\n".join(["first,second,label", *lines]))
    result = CliRunner().invoke(app, ["check", str(data), "--cert", str(proof)])
    assert result.exit_code == 0
    assert result.stdout.split()[0] == kind
    assert CliRunner().invoke(app, ["verify", str(proof), str(data)]).exit_code == 0


@every_set
def test_row_3_8_whether_it_will_converge_is_known_before(data: Separable) -> None:
    """CMU: "tell whether it will converge": strict, and after how many updates at most."""
    assert separability(data.X, data.y).kind == "strict"
    bound = mistake_bound(data.X, data.y)
    most = math.floor(bound.bounds[1])
    model = Perceptron(order="cyclic", max_epochs=most + 1).fit(data.X, data.y)  # a pass without a mistake is the last
    assert model.stop_reason_ is StopReason.MISTAKE_FREE
    assert f"At most {most:,} updates" in bound.explain()

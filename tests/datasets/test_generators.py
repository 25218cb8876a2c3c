"""Generators: their facts are true, checked in fractions and by independent code."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Anderson, ParameterError, Perceptron, error_bounds, separability
from rosenblatt.datasets import generators
from rosenblatt.datasets.sample import Reflection, Sample, Weighted, root_above, root_below
from tests.support.effort import examples
from tests.support.oracle import dot

seeds = st.integers(0, 10**6)
few = settings(max_examples=examples(0.25))


def exact(X: Any) -> list[list[Fraction]]:
    return [[Fraction(number) for number in row] for row in (X.toarray() if scipy.sparse.issparse(X) else X).tolist()]


def leads(X: Any, y: Any, plane: Any) -> list[Fraction]:
    """y (w.x + b) of each row."""
    w, b = [Fraction(number) for number in plane.w.tolist()], Fraction(plane.b)
    return [int(label) * (dot(w, x) + b) for x, label in zip(exact(X), y, strict=True)]


def combined(X: Any, y: Any, weighted: Weighted) -> list[Fraction]:
    """The sum of weight * y * [x, 1]; weights must be positive, a half in each class."""
    rows, weights = weighted
    assert len(set(rows)) == len(rows) == len(weights)
    assert min(weights) > 0
    assert sum(weight for i, weight in zip(rows, weights, strict=True) if y[i] > 0) == Fraction(1, 2)
    assert sum(weights) == 1
    points = exact(X[rows])
    signed = [
        [int(y[i]) * weight * number for number in [*x, Fraction(1)]]
        for i, weight, x in zip(rows, weights, points, strict=True)
    ]
    return [sum(column, Fraction(0)) for column in zip(*signed, strict=True)]


def check_margin(X: Any, y: Any, facts: dict[str, Any]) -> None:
    """The hyperplane has the margin, and the support proves that none has more."""
    margin, plane = Fraction(facts["margin"]), facts["hyperplane"]
    w = [Fraction(number) for number in plane.w.tolist()]
    least = min(leads(X, y, plane))
    assert least > 0
    assert least**2 == margin**2 * dot(w, w)
    *nearest, constant = combined(X, y, facts["support"])
    assert constant == 0
    assert dot(nearest, nearest) == margin**2


# ---------------------------------------------------------------------------------------------------------------------
# Planted margin


@few
@given(st.integers(5, 30), st.integers(1, 6), st.integers(0, 18), st.floats(0.001, 1000), seeds)
def test_a_planted_margin_is_the_largest(rows: int, columns: int, bits: int, radius: float, seed: int) -> None:
    X, y, facts, _ = generators.planted_margin(rows, columns, radius * 2**-bits, radius, seed)
    check_margin(X, y, facts)
    assert max(dot(x, x) for x in exact(X)) == Fraction(facts["radius"]) ** 2
    assert facts["radius"] == pytest.approx(radius, rel=2**-23)
    assert facts["radius"] <= radius
    assert facts["margin"] == pytest.approx(radius * 2**-bits, abs=radius * 2**-23)
    verdict = separability(X, y)
    assert verdict.kind == "strict"
    assert verdict.margin_bounds is not None
    low, high = verdict.margin_bounds
    assert low <= facts["margin"] <= high


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "random", "first", "worst"])
@pytest.mark.parametrize("columns", [2, 20])
def test_a_perceptron_stays_within_the_bound_that_is_planted(order: Any, columns: int) -> None:
    X, y, facts, _ = generators.planted_margin(300, columns, margin=0.05, radius=2.0, seed=3)
    margin, radius = Fraction(facts["margin"]), Fraction(facts["radius"])
    for bias in (0, 1):
        model = Perceptron(order=order, bias=float(bias), max_epochs=10**5).fit(X, y)
        assert str(model.stop_reason_) == "mistake_free"
        assert model.n_updates_ <= (radius**2 + bias) / margin**2


def test_margins_that_cannot_be_planted() -> None:
    for margin in (1.5, 1e-9):
        with pytest.raises(ParameterError, match=r"planted_margin\(margin=...\) must be at most the radius, 1.0, and"):
            generators.planted_margin(margin=margin)


def test_the_margin_may_be_the_radius() -> None:
    X, y, facts, _ = generators.planted_margin(margin=2.0, radius=2.0)
    check_margin(X, y, facts)
    assert facts["margin"] == facts["radius"]


# ---------------------------------------------------------------------------------------------------------------------
# Hulls that touch or overlap


@few
@given(st.integers(6, 30), st.integers(1, 6), seeds)
def test_touching_hulls_share_one_point(rows: int, columns: int, seed: int) -> None:
    X, y, facts, _ = generators.touching_hulls(rows, columns, seed)
    witness = facts["witness"]
    assert set(combined(X, y, witness)) == {Fraction(0)}
    on = [i for i, lead in enumerate(leads(X, y, facts["hyperplane"])) if lead == 0]
    assert on == sorted(witness.rows)
    assert min(leads(X, y, facts["hyperplane"])) == 0
    own = [(weight, x) for i, weight, x in zip(*witness, exact(X[witness.rows]), strict=True) if y[i] > 0]
    point = [2 * sum(weight * x[j] for weight, x in own) for j in range(columns)]
    assert point == [Fraction(number) for number in facts["point"].tolist()]
    ends = exact(X[witness.rows])
    first, second = ([b - a for a, b in zip(*pair, strict=True)] for pair in (ends[:2], ends[2:]))
    if columns > 2:  # on the hyperplane there are two segments, and they are at right angles
        assert any(first)
    assert any(second) == (columns > 1)
    assert dot(first, second) == 0
    verdict = separability(X, y)
    assert (verdict.kind, facts["kind"], facts["margin"]) == ("weak", "weak", 0)
    assert sorted(verdict.stuck.tolist()) == on


@few
@given(st.integers(0, 30), st.integers(1, 6), st.integers(1, 3), st.floats(0, 10), seeds)
def test_every_witness_of_an_overlap_is_one(
    more: int, columns: int, witnesses: int, distance: float, seed: int
) -> None:
    rows = witnesses * (columns + 3) + more
    X, y, facts, _ = generators.overlapping(rows, columns, distance, witnesses, seed)
    for witness in facts["witnesses"]:
        assert set(combined(X, y, witness)) == {Fraction(0)}
    used = [i for witness in facts["witnesses"] for i in witness.rows]
    assert len(set(used)) == len(used) == rows - more
    assert facts["witness"] is facts["witnesses"][0]
    least, most = facts["errors"]
    assert (least, most) == (witnesses, sum(lead <= 0 for lead in leads(X, y, facts["hyperplane"])))
    assert least <= most
    assert separability(X, y).kind == facts["kind"] == "overlap"


def test_errors_of_an_overlap_agree_with_what_is_proved_of_them() -> None:
    X, y, facts, _ = generators.overlapping(80, distance=4.0, witnesses=4)
    bounds = error_bounds(X, y)
    assert facts["errors"][0] <= bounds.upper
    assert bounds.lower <= facts["errors"][1]


def test_too_few_rows_for_the_witnesses() -> None:
    with pytest.raises(ParameterError, match=r"overlapping\(rows=...\) must be at least 10, .* not 9"):
        generators.overlapping(rows=9, columns=2, witnesses=2)


# ---------------------------------------------------------------------------------------------------------------------
# Rows that are hard to tell apart, columns that depend on each other, grids


@few
@given(st.integers(1, 12), st.integers(2, 6), seeds)
def test_near_duplicates_differ_in_their_last_bits(pairs: int, columns: int, seed: int) -> None:
    X, y, facts, _ = generators.near_duplicates(pairs, columns, seed)
    check_margin(X, y, facts)
    assert sorted(facts["pairs"].ravel().tolist()) == list(range(2 * pairs))
    assert abs(X).max() <= 1
    for i, j in facts["pairs"].tolist():
        assert (y[i], y[j]) == (-1, 1)
        difference = [b - a for a, b in zip(*exact(X[[i, j]]), strict=True)]
        assert dot(difference, difference) == 4 * Fraction(facts["margin"]) ** 2
        assert max(map(abs, difference)) < Fraction(1, 2**42)
    verdict = separability(X, y)
    assert verdict.kind == facts["kind"] == "strict"
    assert verdict.margin_bounds is not None
    assert verdict.margin_bounds[0] <= facts["margin"] <= verdict.margin_bounds[1]


@few
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 20), seeds)
def test_collinear_columns_have_the_rank_and_the_relations(rank: int, more: int, rows: int, seed: int) -> None:
    X, y, facts, _ = generators.collinear(rank + rows, rank + more, rank, seed)
    whole = X.astype(int)
    assert (whole == X).all()
    assert fmpz_mat(whole.tolist()).rank() == rank == facts["rank"]
    assert facts["relations"].shape == (more, rank + more)
    assert fmpz_mat(facts["relations"].tolist()).rank() == more
    assert not (whole @ facts["relations"].T).any()
    assert min(leads(X, y, facts["hyperplane"])) >= facts["margin_at_least"] * facts["hyperplane"].norm == 1
    assert max(dot(x, x) for x in exact(X)) <= Fraction(facts["radius"]) ** 2
    verdict = separability(X, y)
    assert verdict.kind == facts["kind"] == "strict"
    assert verdict.margin_bounds is not None
    assert verdict.margin_bounds[1] >= facts["margin_at_least"]


@pytest.mark.parametrize(("rows", "columns", "rank"), [(10, 3, 3), (3, 5, 3)])
def test_ranks_that_cannot_be(rows: int, columns: int, rank: int) -> None:
    with pytest.raises(ParameterError, match=r"collinear\(rank=...\) must be below .* not 3"):
        generators.collinear(rows, columns, rank)


@few
@given(st.integers(1, 3), st.integers(1, 3), seeds)
def test_a_grid_has_all_points_and_a_plane_between_them(size: int, columns: int, seed: int) -> None:
    X, y, facts, _ = generators.integer_grid(size, columns, seed)
    assert list(map(tuple, X.tolist())) == list(itertools.product(range(-size, size + 1), repeat=columns))
    found = leads(X, y, facts["hyperplane"])
    assert {lead.denominator for lead in found} == {2}
    assert set(y.tolist()) == {-1, 1}
    w = [Fraction(number) for number in facts["hyperplane"].w.tolist()]
    assert min(found) ** 2 >= Fraction(facts["margin_at_least"]) ** 2 * dot(w, w)
    assert Fraction(facts["radius"]) ** 2 >= columns * size**2
    verdict = separability(X, y)
    assert verdict.kind == facts["kind"] == "strict"
    assert verdict.margin_bounds is not None
    assert verdict.margin_bounds[1] >= facts["margin_at_least"]


def test_a_grid_that_is_too_large() -> None:
    with pytest.raises(ParameterError, match=r"integer_grid\(size=...\) must give at most 1000000 rows, not 101\*\*4"):
        generators.integer_grid(size=50, columns=4)


# ---------------------------------------------------------------------------------------------------------------------
# Mixtures, streams, texts


@pytest.mark.parametrize("seed", range(5))
def test_mixtures_have_the_means_and_covariances(seed: int) -> None:
    """Each mean, whitened, is off by less than 6 standard deviations, and so is each entry of the covariance."""
    X, y, facts, _ = generators.gaussian_mixtures(rows=4000, columns=3, components=2, seed=seed)
    assert y.tolist() == facts["labels"][facts["component"]].tolist()
    assert np.bincount(facts["component"]).tolist() == [1000] * 4
    for k, (mean, covariance) in enumerate(zip(facts["means"], facts["covariances"], strict=True)):
        assert (covariance == covariance.T).all()
        assert (covariance * 64 == np.rint(covariance * 64)).all()
        white = np.linalg.solve(np.linalg.cholesky(covariance), (X[facts["component"] == k] - mean).T)
        n = white.shape[1]
        assert abs(white.mean(axis=1)).max() < 6 / math.sqrt(n)
        assert abs(white @ white.T / n - np.eye(3)).max() < 6 * math.sqrt(2 / n)


def test_mixtures_of_few_rows_have_both_classes() -> None:
    for count in range(2, 12):
        _, y, facts, _ = generators.gaussian_mixtures(rows=count, components=3)
        assert set(y.tolist()) == {-1, 1}
        assert len(set(facts["component"].tolist())) == min(count, 6)


def test_mixtures_are_what_anderson_takes() -> None:
    _, _, facts, _ = generators.gaussian_mixtures(components=2)
    model = Anderson().fit_gaussians(facts["means"], facts["covariances"], facts["labels"])
    assert 0 < model.radius_bounds_[0] <= model.radius_bounds_[1]


@few
@given(st.integers(2, 40), st.integers(2, 5), st.floats(-2, 2), st.integers(1, 10), seeds)
def test_streams_are_labelled_by_planes_that_turn(rows: int, columns: int, turns: float, every: int, seed: int) -> None:
    X, y, facts, _ = generators.drifting_stream(rows, columns, turns, every, seed)
    normals = facts["normals"]
    for x, label, w in zip(exact(X), y.tolist(), exact(normals), strict=True):
        lead = label * dot(w, x)
        assert lead > 0
        assert lead**2 >= Fraction(facts["margin_at_least"]) ** 2 * dot(w, w)
        assert dot(x, x) <= Fraction(facts["radius"]) ** 2
    assert facts["hyperplane"].w.tolist() == normals[-1].tolist()
    for i in range(rows):
        start = i // every * every
        assert normals[i].tolist() == normals[start].tolist()
        assert facts["angles"][i] == pytest.approx(2 * math.pi * turns * start / rows)
        unit = normals[[0, i]] / np.linalg.norm(normals[[0, i]], axis=1)[:, None]
        turned = math.acos(min(1.0, max(-1.0, float(unit[0] @ unit[1]))))
        full = abs(facts["angles"][i]) % (2 * math.pi)
        assert min(full, 2 * math.pi - full) == pytest.approx(turned, abs=1 / 1024)


def test_a_stream_that_turns_half_round_is_no_longer_what_it_was() -> None:
    """The last plane is nearly the first one reversed, which errs on every row that the first labelled."""
    X, y, facts, _ = generators.drifting_stream(rows=1000, turns=0.5, every=500)
    assert (facts["hyperplane"].half_space(X[500:]) == y[500:]).all()
    X, y, facts, _ = generators.drifting_stream(rows=1000, turns=1.0, every=500)
    assert (facts["hyperplane"].half_space(X[:500]) == -y[:500]).all()


@few
@given(st.integers(2, 20), st.integers(2, 40), st.integers(1, 9), st.integers(1, 4), seeds)
def test_texts_are_sparse_and_lead(rows: int, columns: int, words: int, lead: int, seed: int) -> None:
    X, y, facts, names = generators.sparse_text(rows, columns, words, lead, seed)
    assert scipy.sparse.issparse(X)
    assert (X.format, X.dtype, X.shape, X.has_canonical_format) == ("csr", np.float64, (rows, columns), True)
    assert names == [f"word{j + 1}" for j in range(columns)]
    assert (X.data >= 1).all()
    assert (X.data == np.rint(X.data)).all()
    assert (X.sum(axis=1) >= words).all()
    assert min(leads(X, y, facts["hyperplane"])) >= lead
    assert set(y.tolist()) == {-1, 1}
    w = facts["hyperplane"].w
    assert set(w.tolist()) <= {-1, 0, 1}
    assert Fraction(facts["margin_at_least"]) ** 2 * int(w @ w) <= lead**2
    assert max(dot(x, x) for x in exact(X)) <= Fraction(facts["radius"]) ** 2
    assert separability(X, y, detail=False).kind == facts["kind"] == "strict"


def test_words_are_as_frequent_as_zipf_says() -> None:
    """Within 6 standard deviations of the expected counts, and of what words are added for the lead."""
    X = generators.sparse_text(rows=2000, columns=1000, words=30).X
    total = sum(1 / k for k in range(1, 1001))
    for k in (1, 2, 10, 100):
        expected = 2000 * 30 / (k * total)
        assert X[:, [k - 1]].sum() == pytest.approx(expected, abs=6 * math.sqrt(expected) + 2 * X.sum() - 2 * 60000)


# ---------------------------------------------------------------------------------------------------------------------
# What they are made of


@given(st.integers(1, 8), seeds)
def test_a_reflection_keeps_angles_and_makes_longer(d: int, seed: int) -> None:
    frame = Reflection.drawn(np.random.default_rng(seed), d)
    turned = frame.turn(np.eye(d, dtype=np.int64))
    assert (turned @ turned.T == frame.length**2 * np.eye(d)).all()
    assert frame.axis(0).tolist() == turned[0].tolist()
    if d > 1:
        assert np.count_nonzero(turned[0]) >= d - 1


@given(st.fractions(0, 10**6))
def test_roots_are_rounded_to_the_side_they_say(square: Fraction) -> None:
    assert Fraction(root_below(square)) ** 2 <= square <= Fraction(root_above(square)) ** 2
    assert root_above(square) - root_below(square) <= 2 * math.ulp(root_above(square))


@pytest.mark.parametrize("made", [generators.planted_margin, generators.overlapping, generators.near_duplicates])
def test_rows_of_a_class_are_anywhere(made: Any) -> None:
    """Rows that prove something do not come first."""
    sample: Sample = made()
    weighted = sample.facts.get("support") or sample.facts["witness"]
    assert sorted(weighted.rows) != list(range(len(weighted.rows)))

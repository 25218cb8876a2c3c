"""More than two classes in the lectures: Hlavac's rows 2.1, 2.2 and 2.4, CMU's 3.6, Berkeley's 4.4 and 4.5.

A row number in a test name is one fact of a lecture. Expected numbers come from the lectures, are computed by hand, or
are counted in plain Python.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier

from rosenblatt import (
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    losses,
    regions,
    trace,
)
from tests.base.test_regions import corners, side

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
ARGMAX = [
    Perceptron(max_epochs=5),
    Perceptron(average="averaged", max_epochs=5),
    Perceptron(margin=1.0, max_epochs=5, tie="positive"),
    PassiveAggressive(max_epochs=5),
    NearestMean(),
]
TRIANGLE = [[0, 0], [4, 0], [0, 4]], ["a", "b", "c"]


def blobs(k: int, seed: int = 0, n: int = 60, spread: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + spread * rng.normal(size=(k, 2))[y], y


# ---------------------------------------------------------------------------------------------------------------------
# 2.1: the largest of linear functions


def test_row_2_1_nearest_mean_is_the_voronoi_partition() -> None:
    """Hlavac: weights are the seeds. (0, 0), (4, 0), (0, 4): borders x = 2, y = 2 and x = y, which meet in (2, 2)."""
    model = NearestMean().fit(*TRIANGLE)
    assert model.coef_.tolist() == TRIANGLE[0]
    assert model.intercept_.tolist() == [0, -8, -8]
    found: list[Any] = regions(model, (-1, 5, -1, 5))
    assert [(region.label, corners(region)) for region in found] == [
        ("a", [(-1, -1), (2, -1), (2, 2), (-1, 2)]),
        ("b", [(2, -1), (5, -1), (5, 5), (2, 2)]),
        ("c", [(-1, 2), (2, 2), (5, 5), (-1, 5)]),
    ]


@pytest.mark.parametrize("model", ARGMAX, ids=str)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 6), d=st.integers(1, 4))
def test_row_2_1_regions_of_an_argmax_are_convex(model: Any, seed: int, k: int, d: int) -> None:
    """Between two points of a class all points are of it. Multiples of 1/8: means of two are exact.

    Also with ties, whether they go to the earlier or to the later class: between two points, >= stays >= and > stays >.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(4 * k) % k
    X = rng.integers(-3, 4, (k, d))[y] + rng.integers(-1, 2, (4 * k, d))
    model.fit(X, y)
    points = rng.integers(-40, 41, (60, d)) / 8
    answers = model.predict(points)
    i, j = np.triu(answers[:, None] == answers[None, :], 1).nonzero()
    for share in (0.25, 0.5, 0.75):
        between = share * points[i] + (1 - share) * points[j]
        assert (model.predict(between) == answers[i]).all()


@pytest.mark.parametrize(
    "model", [*ARGMAX[:4], Perceptron(average="voted", max_epochs=5), PassiveAggressive(variant="II")], ids=str
)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 5))
def test_row_2_1_the_numbers_of_the_classes_do_not_matter(model: Any, seed: int, k: int) -> None:
    """This holds if no scores tie; irregular start weights prevent ties."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(4 * k, 2)), np.arange(4 * k) % k
    init, renamed = rng.normal(size=(k, 3)), rng.permutation(k)
    ours = type(model)(**{**model.get_params(), "init": init}).fit(X, y)
    theirs = type(model)(**{**model.get_params(), "init": init[np.argsort(renamed)]}).fit(X, renamed[y])
    assert theirs.mistakes_per_epoch_.tolist() == ours.mistakes_per_epoch_.tolist()
    if isinstance(model, PassiveAggressive):
        np.testing.assert_allclose(theirs.coef_[renamed], ours.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(theirs.intercept_[renamed], ours.intercept_, rtol=1e-9, atol=1e-12)
    else:
        assert theirs._learner.answer[renamed].tobytes() == ours._learner.answer.tobytes()
        assert theirs.decision_function(X)[:, renamed].tolist() == ours.decision_function(X).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# 2.2: one against all, one against one, and where they contradict themselves


def test_row_2_2_one_against_all_leaves_a_triangle_to_nobody() -> None:
    """The widest borders by hand: a has x + y < 2 (its nearest point of the rest is (2, 2)), b x > 2, c y > 2.

    Then nobody claims the triangle (2, 0), (2, 2), (0, 2), and two claim what is beyond the crossings.
    """
    model = OneVsAll(Kozinec(epsilon=1e-9)).fit(*TRIANGLE)
    found = {region.words: region for region in regions(model, (-1, 5, -1, 5))}
    areas = {words: float(region.area) for words, region in found.items()}
    assert areas == pytest.approx(
        {
            "no class claims it": 2,
            "a": 7,  # half of 4 x 4, less two corners of 1/2
            "b": 8.5,
            "c": 8.5,
            "a and b both claim it": 0.5,
            "a and c both claim it": 0.5,
            "b and c both claim it": 9,
        },
        abs=1e-6,
    )
    np.testing.assert_allclose(
        sorted(found["no class claims it"].polygon.round(6).tolist()), [[0, 2], [2, 0], [2, 2]], atol=1e-6
    )
    inside, twice, once = model.claims([[1.5, 1.5], [4, 4], [4, 1]]).tolist()
    assert (inside, twice, once) == ([False] * 3, [False, True, True], [False, True, False])
    assert model.predict([[4, 1], [0, 0]]).tolist() == ["b", "a"]


def test_row_2_2_one_against_one_of_single_points_is_the_voronoi_partition() -> None:
    """The widest border between two points is halfway, so that the votes are for the nearest point."""
    points = np.random.default_rng(0).uniform(-5, 9, (1000, 2))
    seeds = np.random.default_rng(1).integers(-4, 9, (6, 2))
    model = OneVsOne(Kozinec(epsilon=1e-9)).fit(seeds, range(6))
    distances = np.sort(((points[:, None] - seeds[None]) ** 2).sum(axis=2), axis=1)
    sure = distances[:, 1] - distances[:, 0] > 1e-3
    assert sure.sum() > 950
    assert model.predict(points[sure]).tolist() == NearestMean().fit(seeds, range(6)).predict(points[sure]).tolist()
    assert (model.claims(points[sure]).sum(axis=1) == 1).all()


@pytest.mark.parametrize("k", [3, 4, 5])
def test_row_2_2_claims_of_one_against_all_in_plain_python(k: int) -> None:
    X, y = blobs(k)
    model = OneVsAll(Perceptron(average="averaged")).fit(X, y)
    scores = [member.decision_function(X).tolist() for member in model.estimators_]
    claims = [[s > 0 for s in row] for row in zip(*scores, strict=True)]
    assert model.claims(X).tolist() == claims
    assert {0, 1, 2} <= {sum(row) for row in claims}  # none, one and several
    assert model.predict(X).tolist() == [max(range(k), key=lambda c: row[c]) for row in zip(*scores, strict=True)]


@pytest.mark.parametrize("unit", [1.0, 2.0**30, 2.0**-30])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_row_2_2_votes_of_one_against_one_in_plain_python(k: int, unit: float) -> None:
    """The most votes win, and where they tie the sum of the scores, in whatever unit X is measured."""
    X, y = blobs(k, seed=4, spread=0.2)
    model = OneVsOne(Perceptron(bias=0, max_epochs=5)).fit(unit * X, y)
    grid = unit * np.random.default_rng(1).uniform(-4, 4, (300, 2))
    scores = np.column_stack([member.decision_function(grid) for member in model.estimators_]).tolist()
    claims, winners, ties = model.claims(grid).tolist(), model.predict(grid).tolist(), 0
    for row, claimed, winner in zip(scores, claims, winners, strict=True):
        votes, sums = Counter[int](), dict.fromkeys(range(k), Fraction(0))
        for (a, b), score in zip(model.pairs_, row, strict=True):
            votes[b if score > 0 else a] += score != 0
            sums[a] -= Fraction(score)
            sums[b] += Fraction(score)
        assert claimed == [votes[c] == max(votes.values()) for c in range(k)]
        best = sorted(sums[c] for c in range(k) if claimed[c])
        ties += len(best) > 1
        if len(best) == 1 or best[-1] - best[-2] > abs(best[-1]) * Fraction(1e-9):
            assert winner == max(range(k), key=lambda c: (votes[c], sums[c]))
    assert ties > 10


@pytest.mark.parametrize("scheme", [OneVsAll, OneVsOne])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("member", [Perceptron(), PassiveAggressive(), RidgeClassifier()], ids=str)
def test_row_2_2_inside_each_region_claims_and_labels_are_those_of_the_model(member: Any, k: int, scheme: Any) -> None:
    X, codes = blobs(k)
    model = scheme(member).fit(X, np.array(list("wxyz"))[codes])
    found, rng, inside = regions(model, (-4, 4, -4, 4)), np.random.default_rng(2), 0
    assert {name for region in found for name in region.claims} == set("wxyz"[:k])
    assert k == 2 or any(len(region.claims) != 1 for region in found)
    for region in found:
        points = rng.dirichlet(np.ones(len(region.vertices)), 30) @ region.polygon
        points = points[[side(region, Fraction(x), Fraction(y)) > 0 for x, y in points.tolist()]]
        inside += len(points)
        claims = model.claims(points) if len(points) else []
        assert all(tuple(model.classes_[row]) == region.claims for row in claims)
        if region.label is not None and len(points):
            assert set(model.predict(points)) == {region.label}
    assert inside > 25 * len(found)


# ---------------------------------------------------------------------------------------------------------------------
# 2.4: risk


def test_row_2_4_risk_of_decisions_between_three_states() -> None:
    """Means 1, 5, 9, so that borders are 3 and 7. The decisions a b b c c cost 3, 1, 0, 4 and 0."""
    model = NearestMean().fit([[0], [2], [4], [6], [8], [10]], list("aabbcc"))
    W = [[0, 3, 5], [1, 0, 2], [4, 1, 0]]
    decisions = model.predict([[2.5], [3.5], [6], [8], [7.5]])
    assert "".join(decisions) == "abbcc"
    assert losses.empirical_risk(list("babac"), decisions, W) == 8 / 5
    assert losses.empirical_risk(list("babac"), decisions) == 3 / 5


def test_row_2_4_decisions_of_least_risk() -> None:
    """Means 4/3 (well) and 11/3 (sick): the border 5/2 lets one who is sick go and treats one who is well, at 11/6.

    Borders between 1 and 2 treat one who is well: 1/6. No border makes no error, and none a cheaper one.
    """
    X, y = [[0], [1], [2], [3], [4], [5]], ["well", "well", "sick", "well", "sick", "sick"]
    W = [[0, 1], [10, 0]]  # rows: treated, let go; columns: sick, well
    model = LeastRisk(NearestMean(), W, ["sick", "well"]).fit(X, y)
    alone = NearestMean().fit(X, y).predict(X)
    assert losses.empirical_risk(y, alone, W, ["sick", "well"]) == pytest.approx(11 / 6, rel=1e-15)
    assert losses.empirical_risk(y, model.predict(X), W, ["sick", "well"]) == pytest.approx(1 / 6, rel=1e-15)
    assert (model.risk_before_, model.risk_) == pytest.approx((11 / 6, 1 / 6), rel=1e-15)
    assert model.predict(X).tolist() == ["well", "well", "sick", "sick", "sick", "sick"]


@pytest.mark.parametrize("k", [3, 4])
def test_row_2_4_the_weights_of_pairs_are_no_weights_of_classes(k: int) -> None:
    """Three pairs and three classes: an offset of a class cannot be added to the intercept of a pair."""
    model = LeastRisk(OneVsOne(Perceptron(average="averaged"))).fit(*blobs(k))
    assert not hasattr(model, "intercept_")


# ---------------------------------------------------------------------------------------------------------------------
# 3.6: recent mistakes weigh more


def test_row_3_6_with_three_classes() -> None:
    """CMU: eight points 1 of b, then one 3 of a. From 0, where all tie, the first adds 1 to b and takes it from c.

    So W = (0, 1, -1) after each of 8, and the last, which b wins, makes it (3, -2, -1): then 1 is of a. The mean of
    the nine is (3, 6, -9)/9, and eight of nine votes for 1 are for b.
    """
    X, y = [[1]] * 8 + [[3]], ["b"] * 8 + ["a"]
    plain, averaged, voted = (
        Perceptron(bias=0, average=average).partial_fit(X, y, classes=list("abc"))
        for average in (None, "averaged", "voted")
    )
    assert plain.coef_.tolist() == [[3], [-2], [-1]]
    np.testing.assert_allclose(averaged.coef_[:, 0], [3 / 9, 6 / 9, -1.0], rtol=1e-15)
    assert voted.decision_function([[1], [-1]]).tolist() == [[1, 8, 0], [0, 1, 8]]
    assert [model.predict_one([1]) for model in (plain, averaged, voted)] == ["a", "b", "b"]


# ---------------------------------------------------------------------------------------------------------------------
# 4.4 and 4.5: a weight matrix, and one more column

CS188_W = [[-2, 2, 1], [0, 3, 4], [1, 4, -2]]  # no bias in the lecture's numbers: three features, three weights
AFTER = [[-2, 2, 1], [2, 0, 3], [-1, 7, -1]]


@pytest.mark.parametrize(("tie", "w1", "w2"), [("mistake", AFTER[1], [-2, 6, -2]), ("negative", [1, -1, 2], AFTER[2])])
def test_row_4_4_the_stream_goes_on(tie: Any, w1: list[int], w2: list[int]) -> None:
    """CS188's f, of class 2, twice: taken for 1, then for 2. Then (1, 1, 1) of class 0 scores 1, 5, 5.

    CS188 has no rule for ties; here the last wins if a tie is a mistake, the first if it is "negative".
    """
    model = Perceptron(bias=0, init=[[*w, 0] for w in CS188_W], tie=tie)
    model.learn_one([-2, 3, 1], 2, classes=[0, 1, 2])
    assert model.coef_.tolist() == AFTER
    model.learn_one([-2, 3, 1], 2)
    assert (model.coef_.tolist(), model.n_updates_) == (AFTER, 1)
    assert model.decision_function([[1, 1, 1]]).tolist() == [[1, 5, 5]]
    model.learn_one([1, 1, 1], 0)
    assert model.coef_.tolist() == [[-1, 3, 2], w1, w2]
    assert (model.n_updates_, model.mistakes_per_epoch_.tolist()) == (2, [2])


def test_row_4_5_the_last_feature_is_1_and_may_be_the_bias() -> None:
    """f = (-2, 3, 1) ends with 1: the last column of W can be read as bias weights, and all numbers stay the same."""
    model = Perceptron(init=CS188_W, order="cyclic")
    step = trace(model, [[-2, 3], [1, 0], [0, 1]], [2, 0, 1], max_steps=1)[0]
    assert (step.score, step.predicted, step.mistake, step.updated) == ((11, 13, 8), 1, True, True)
    assert [list(w) for w in step.w] == AFTER
    model.learn_one([-2, 3], 2, classes=[0, 1, 2])
    assert model.coef_.tolist() == [w[:2] for w in AFTER]
    assert model.intercept_.tolist() == [w[2] for w in AFTER]


@pytest.mark.parametrize("bias", [1, 2])
def test_row_4_5_one_extra_column(bias: int) -> None:
    """A bias weight of 0 a class changes no score; the update adds the constant to class 2 and takes it from 1."""
    model = Perceptron(init=[[*w, 0] for w in CS188_W], bias=bias, order="cyclic")
    X, y = [[-2, 3, 1], [1, 0, 0], [0, 1, 0]], [2, 0, 1]
    run = trace(model, X, y, max_steps=3)
    assert run[0].score == (11, 13, 8)
    assert run[0].w == ((-2, 2, 1, 0), (2, 0, 3, -bias), (-1, 7, -1, bias))
    # (1, 0, 0) of class 0 scores -2, 2 - b^2, -1 + b^2: class 2 wins if b is 2; if b is 1, class 1
    second = {1: ((-1, 2, 1, 1), (1, 0, 3, -2), (-1, 7, -1, 1)), 2: ((-1, 2, 1, 2), (2, 0, 3, -2), (-2, 7, -1, 0))}
    assert run[1].score == (-2, 2 - bias**2, -1 + bias**2)
    assert run[1].w == second[bias]
    model.partial_fit(X[:2], y[:2], classes=[0, 1, 2])
    assert np.column_stack([model.coef_, model.intercept_ / bias]).tolist() == [list(w) for w in second[bias]]

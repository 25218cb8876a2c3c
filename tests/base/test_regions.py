"""Regions in the plane: examples by hand, Voronoi cells, theorems about convex cells, and refused input."""

from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Voronoi
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from rosenblatt import DataError, Kozinec, OneVsAll, ParameterError, Perceptron
from rosenblatt.base.regions import Region, regions
from tests.support.effort import examples

Corners = list[tuple[Any, Any]]
BOX = (-1, 3, -1, 3)
TRIANGLE = [[1, 0], [0, 1], [-1, -1]], [0, 0, 2]  # x > 0, y > 0, x + y < 2
WEIGHTS = st.one_of(
    st.integers(-3, 3).map(float), st.sampled_from([0.1, 1 / 3, 1e300, -1e300, 1e-300, -5e-324]), st.floats(-9, 9)
)


def divided(estimator: Any, box: Any) -> list[Any]:
    """The regions; not typed, because a Fraction equals a whole number at run time only."""
    found = regions(estimator, box)
    assert all(type(region) is Region for region in found)
    return found


def linear(coef: Any, intercept: Any, classes: Any = "abcdefghij", **more: Any) -> SimpleNamespace:
    """A stand-in for a fitted classifier of as many classes as there are scores, if it is not given others."""
    classes = np.array(list(classes)[: len(coef)] if isinstance(classes, str) else classes)
    scores = {"coef_": np.array(coef, dtype=float), "intercept_": np.array(intercept, dtype=float)}
    return SimpleNamespace(**scores, classes_=classes, n_features_in_=2, **more)


def in_pairs(coef: Any, intercept: Any, classes: str, pairs: Any = None) -> SimpleNamespace:
    pairs = pairs or list(combinations(range(len(classes)), 2))
    return linear(coef, intercept, list(classes), scheme="one_vs_one", pairs_=pairs)


def nearest(seeds: Any) -> SimpleNamespace:
    """The classifier that answers the nearest seed: |x - s|^2 is least where s.x - |s|^2 / 2 is largest."""
    seeds = np.array(seeds, dtype=float)
    return linear(seeds, -(seeds**2).sum(axis=1) / 2, range(len(seeds)))


def corners(region: Any) -> Corners:
    """The vertices in their order, the smallest first."""
    start = region.vertices.index(min(region.vertices))
    return [*region.vertices[start:], *region.vertices[:start]]


def turns(points: Any) -> list[Fraction]:
    """At each corner, the cross product of the edge before it and the edge after it: positive for a left turn."""
    edges = [(u - x, v - y) for (x, y), (u, v) in zip(points, [*points[1:], points[0]], strict=True)]
    return [a * d - b * c for (a, b), (c, d) in zip([edges[-1], *edges[:-1]], edges, strict=True)]


def side(region: Region, x: Any, y: Any) -> int:
    """+1 strictly inside, 0 on the boundary, -1 outside."""
    ends = [*region.vertices[1:], region.vertices[0]]
    lefts = [(c - a) * (y - b) - (d - b) * (x - a) for (a, b), (c, d) in zip(region.vertices, ends, strict=True)]
    return int(min(lefts) > 0) - int(min(lefts) < 0)


def winners(model: Any, x: Fraction, y: Fraction) -> list[Any]:
    """The classes that win at a point, straight from the definitions of the three schemes."""
    rows = zip(model.coef_.tolist(), model.intercept_.tolist(), strict=True)
    scores = [Fraction(p) * x + Fraction(q) * y + Fraction(r) for (p, q), r in rows]
    scheme, classes = getattr(model, "scheme", None), model.classes_.tolist()
    if scheme == "one_vs_one":
        ballots = zip(model.pairs_, scores, strict=True)
        votes = Counter(classes[b] if score > 0 else classes[a] for (a, b), score in ballots if score != 0)
        return [label for label in classes if votes[label] == max(votes.values(), default=0)]
    if len(classes) == 2:
        scores = [Fraction(0), *scores]
    elif scheme == "one_vs_all":
        return [label for label, score in zip(classes, scores, strict=True) if score > 0]
    return [label for label, score in zip(classes, scores, strict=True) if score == max(scores)]


@st.composite
def models(draw: st.DrawFn) -> SimpleNamespace:
    """Stand-ins of all three kinds, for two to five classes; many are degenerate, some weights extreme."""
    scheme, k = draw(st.sampled_from([None, "one_vs_all", "one_vs_one"])), draw(st.integers(2, 5))
    pairs = list(combinations(range(k), 2))
    rows = len(pairs) if scheme == "one_vs_one" else k if k > 2 else 1
    weights = draw(st.lists(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), min_size=rows, max_size=rows))
    coef, intercept = [row[:2] for row in weights], [row[2] for row in weights]
    more: dict[str, Any] = {"scheme": scheme, "pairs_": pairs} if scheme else {}
    return linear(coef, intercept, range(k), **more)


boxes = st.tuples(*[st.integers(-3, 3), st.integers(1, 4)] * 2).map(lambda b: (b[0], b[0] + b[1], b[2], b[2] + b[3]))


@given(models(), boxes)
def test_polygons_fill_the_box_and_are_convex(model: Any, box: Any) -> None:
    found = divided(model, box)
    x_low, x_high, y_low, y_high = box
    assert sum(region.area for region in found) == (x_high - x_low) * (y_high - y_low)
    for region in found:
        assert min(turns(region.vertices)) > 0
        assert all(x_low <= x <= x_high and y_low <= y <= y_high for x, y in region.vertices)
        # Left turns at all corners could still go round twice; then some corner would be outside of some edge.
        assert all(side(region, x, y) == 0 for x, y in region.vertices)


@given(models(), boxes, st.data())
def test_points_inside_get_the_answer_of_their_region(model: Any, box: Any, data: st.DataObject) -> None:
    for region in divided(model, box):
        m = len(region.vertices)
        shares = data.draw(st.lists(st.integers(1, 99), min_size=m, max_size=m))
        x, y = (sum(s * p[j] for s, p in zip(shares, region.vertices, strict=True)) / sum(shares) for j in (0, 1))
        assert list(region.claims) == winners(model, Fraction(x), Fraction(y))
        assert region.label == (region.claims[0] if len(region.claims) == 1 else None)


@settings(max_examples=examples(0.33))
@given(models(), boxes)
def test_no_two_regions_of_one_box_share_a_point_inside(model: Any, box: Any) -> None:
    found = divided(model, box)
    for region in found:
        x, y = (sum(p[j] for p in region.vertices) / len(region.vertices) for j in (0, 1))
        assert [side(other, x, y) > 0 for other in found] == [other is region for other in found]


def test_nearest_of_three_seeds_by_hand() -> None:
    found = divided(nearest([(0, 0), (2, 0), (0, 2)]), (-1, 4, -1, 4))
    assert [corners(region) for region in found] == [
        [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        [(1, -1), (4, -1), (4, 4), (1, 1)],
        [(-1, 1), (1, 1), (4, 4), (-1, 4)],
    ]
    assert [region.area for region in found] == [4, Fraction(21, 2), Fraction(21, 2)]
    assert [(region.label, region.claims, region.words) for region in found] == [(i, (i,), str(i)) for i in range(3)]


@pytest.mark.parametrize("seed", range(5))
def test_bounded_voronoi_cells_of_scipy(seed: int) -> None:
    seeds = np.random.default_rng(seed).integers(0, 2**20, (40, 2)) / 2**10  # so that |s|^2 / 2 is a float
    found = {region.label: region for region in divided(nearest(seeds), (0, 1024, 0, 1024))}
    diagram, compared = Voronoi(seeds), 0
    for i, (x, y) in enumerate(seeds):
        theirs = diagram.regions[diagram.point_region[i]]
        at = diagram.vertices[theirs]
        if -1 in theirs or at.min() < 0 or at.max() > 1024:
            continue
        at = at[np.argsort(np.arctan2(at[:, 1] - y, at[:, 0] - x))]
        ours = found[i].polygon
        ours = ours[np.argsort(np.arctan2(ours[:, 1] - y, ours[:, 0] - x))]
        np.testing.assert_allclose(ours, at, rtol=1e-7)
        compared += 1
    assert compared >= 10


def test_a_triangle_of_one_against_all_by_hand() -> None:
    found = divided(linear(*TRIANGLE, scheme="one_vs_all"), BOX)
    assert len(found) == 7
    assert {(region.label, region.words, region.area) for region in found} == {
        (None, "a, b and c all claim it", 2),
        (None, "a and b both claim it", 7),
        (None, "a and c both claim it", 2.5),
        (None, "b and c both claim it", 2.5),
        ("a", "a", 0.5),
        ("b", "b", 0.5),
        ("c", "c", 1),
    }
    triangle = next(region for region in found if len(region.claims) == 3)
    assert corners(triangle) == [(0, 0), (2, 0), (0, 2)]
    assert next(corners(region) for region in found if region.claims == ("a", "c")) == [
        (0, -1),
        (3, -1),
        (2, 0),
        (0, 0),
    ]


def test_the_same_triangle_seen_from_the_other_sides() -> None:
    coef, intercept = TRIANGLE
    found = divided(linear(-np.array(coef), -np.array(intercept), scheme="one_vs_all"), BOX)
    nobody = next(region for region in found if region.words == "no class claims it")
    assert (nobody.label, nobody.claims, corners(nobody)) == (None, (), [(0, 0), (2, 0), (0, 2)])
    assert sorted(map(len, (region.claims for region in found))) == [0, 1, 1, 1, 2, 2, 2]


def test_a_cycle_of_one_against_one_by_hand() -> None:
    # a beats b where x > 0, b beats c where y > 0, c beats a where x + y < 2
    found = divided(in_pairs([[-1, 0], [-1, -1], [0, -1]], [0, 2, 0], "abc"), BOX)
    areas = [("a", 0.5), ("a", 7), ("b", 0.5), ("b", 2.5), ("c", 1), ("c", 2.5), ("votes tie between a, b and c", 2)]
    assert sorted((region.words, region.area) for region in found) == areas
    cycle = next(region for region in found if region.label is None)
    assert (cycle.claims, corners(cycle)) == (("a", "b", "c"), [(0, 0), (2, 0), (0, 2)])


def test_ten_classes_in_pairs_make_as_many_cells_as_eulers_formula_says() -> None:
    rng = np.random.default_rng(3)
    coef, intercept = rng.normal(size=(45, 2)), rng.normal(size=45) / 4
    found = divided(in_pairs(coef, intercept, "abcdefghij"), (-1, 1, -1, 1))
    values = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]]) @ coef.T + intercept
    cutting = ((values.min(axis=0) < 0) & (values.max(axis=0) > 0)).sum()
    meets = [np.linalg.solve(coef[[i, j]], -intercept[[i, j]]) for i, j in combinations(range(45), 2)]
    assert len(found) == 1 + cutting + (np.abs(meets) < 1).all(axis=1).sum()
    assert sum(region.area for region in found) == 4


@pytest.mark.parametrize("average", [None, "averaged"])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_a_fitted_perceptron_answers_as_its_regions_say(k: int, average: Any) -> None:
    rng = np.random.default_rng(k)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % k
    X += 2 * rng.normal(size=(k, 2))[y]
    model = Perceptron(average=average).partial_fit(X, y, classes=range(k))
    found = divided(model, (-5, 5, -5, 5))
    points = rng.uniform(-5, 5, (300, 2))
    answers = model.predict(points)
    for (u, v), answer in zip(points.tolist(), answers, strict=True):
        assert [region.label for region in found if side(region, Fraction(u), Fraction(v)) > 0] == [answer]
    i, j = np.triu(answers[:, None] == answers[None, :], 1).nonzero()
    assert len(found) > 1
    assert (model.predict((points[i] + points[j]) / 2) == answers[i]).all()


def test_two_classes_are_the_sides_of_the_hyperplane() -> None:
    model = Kozinec().fit([[0, 0], [0, 1], [2, 0], [2, 1]], ["no", "no", "yes", "yes"])
    no, yes = divided(model, (0, 2, 0, 1))
    np.testing.assert_allclose(no.polygon, [[0, 0], [1, 0], [1, 1], [0, 1]], atol=0.01)
    assert (no.label, yes.label, no.area + yes.area) == ("no", "yes", 2)
    assert type(no.label) is str


def test_one_score_against_the_rest_of_two_classes_is_a_plain_line() -> None:
    found = divided(linear([[1, 0]], [0], ["no", "yes"], scheme="one_vs_all"), BOX)
    assert [(region.words, region.area) for region in found] == [("no", 4), ("yes", 12)]


def test_an_intercept_of_one_number_counts_for_all_scores() -> None:
    model = RidgeClassifier(fit_intercept=False).fit([[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"])
    assert np.shape(model.intercept_) == ()
    assert {region.label for region in divided(model, BOX)} == {"a", "b", "c"}
    assert [region.label for region in divided(model, (1, 2, -0.5, 0))] == ["a"]


def test_a_region_never_changes_and_prints_briefly() -> None:
    region = divided(linear([[3, 0]], [-1], ["no", "yes"]), (0, 1, 0, 1))[0]
    assert repr(region) == "<Region: no, 4 corners>"
    assert region.vertices[1] == (Fraction(1, 3), 0)
    assert region.polygon.tolist() == [[0, 0], [1 / 3, 0], [1 / 3, 1], [0, 1]]
    with pytest.raises(FrozenInstanceError):
        region.label = "yes"


def test_parallel_lines_make_stripes() -> None:
    # x > 0, x > 1 (the same line in another unit, twice), x < 2
    found = divided(linear([[1, 0], [3, 0], [1, 0], [-1, 0]], [0, -3, -1, 2], scheme="one_vs_all"), BOX)
    assert {(region.words, region.area) for region in found} == {
        ("d", 4),
        ("a and d both claim it", 4),
        ("a, b, c and d all claim it", 4),
        ("a, b and c all claim it", 4),
    }


def test_equal_classes_share_a_region() -> None:
    left, both = sorted(divided(linear([[-1, 0], [1, 0], [1, 0]], [0, 0, 0]), BOX), key=lambda region: region.area)
    assert (left.label, left.area) == ("a", 4)
    assert (both.label, both.claims, both.words, both.area) == (None, ("b", "c"), "scores tie between b and c", 12)


def test_a_class_that_wins_nowhere_has_no_region() -> None:
    # b's score is the mean of the others', so it is largest nowhere: it ties with them on one line
    found = divided(linear([[1, 0], [0, 0], [-1, 0]], [0, 0, 0]), BOX)
    assert [(region.label, region.area) for region in found] == [("a", 12), ("c", 4)]


@pytest.mark.parametrize(
    ("model", "claims", "words"),
    [
        (linear([[0, 0]], [0], ["no", "yes"]), ("no", "yes"), "scores tie between no and yes"),
        (linear([[0, 0]], [1e-300], ["no", "yes"]), ("yes",), "yes"),
        (linear([[0, 0]] * 3, [1, 1, 1]), ("a", "b", "c"), "scores tie between a, b and c"),
        (linear([[0, 0]] * 3, [0, 0, 0], scheme="one_vs_all"), (), "no class claims it"),
        (linear([[0, 0]] * 3, [0, 1, -1], scheme="one_vs_all"), ("b",), "b"),
        (in_pairs([[0, 0]] * 3, [0, 0, 0], "abc"), ("a", "b", "c"), "votes tie between a, b and c"),
        (in_pairs([[0, 0]] * 3, [1, 0, 0], "abc"), ("b",), "b"),
        (in_pairs([[0, 0]] * 3, [1, -1, 0], "abc"), ("a", "b"), "votes tie between a and b"),
    ],
)
def test_zero_weights_give_the_whole_box_one_answer(model: Any, claims: tuple[str, ...], words: str) -> None:
    (region,) = divided(model, BOX)
    assert (region.claims, region.words) == (claims, words)
    assert corners(region) == [(-1, -1), (3, -1), (3, 3), (-1, 3)]


@pytest.mark.parametrize(
    ("line", "areas"),
    [
        ([1, 0, 1], [16]),  # along the left edge
        ([0, 1, -3], [16]),  # along the top edge
        ([1, 1, 2], [16]),  # touches the lower left corner
        ([1, 1, -6], [16]),  # touches the upper right corner
        ([1, 0, 9], [16]),  # misses the box
        ([1, -1, 0], [8, 8]),  # through two corners
        ([2, -1, 1], [4, 12]),  # through one corner and the middle of the opposite edge
    ],
)
def test_lines_through_corners_and_along_edges(line: list[int], areas: list[int]) -> None:
    found = divided(linear([line[:2]], line[2:], ["no", "yes"]), BOX)
    assert sorted(region.area for region in found) == areas
    assert all(min(turns(region.vertices)) > 0 for region in found)


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324])
def test_huge_and_tiny_weights_are_exact(size: float) -> None:
    coef, intercept = (np.array(part) * size for part in TRIANGLE)
    ours, plain = (divided(linear(*scores, scheme="one_vs_all"), BOX) for scores in ((coef, intercept), TRIANGLE))
    assert [(region.words, region.vertices) for region in ours] == [(r.words, r.vertices) for r in plain]
    no, yes = divided(linear([[1e300, 1e-300]], [0], ["no", "yes"]), (-1, 1, -1, 1))
    tilt = Fraction(1e-300) / Fraction(1e300)
    assert set(no.vertices) & set(yes.vertices) == {(tilt, -1), (-tilt, 1)}
    assert no.polygon.tolist() == [[-1, -1], [0, -1], [0, 1], [-1, 1]]


def test_the_largest_and_the_smallest_box() -> None:
    huge, tiny = 1.7e308, 5e-324
    model = linear([[1, 0]], [0], ["no", "yes"])
    no, yes = divided(model, (-huge, huge, -huge, huge))
    assert no.area == yes.area == 2 * Fraction(huge) ** 2
    assert yes.polygon.tolist() == [[0, -huge], [huge, -huge], [huge, huge], [0, huge]]
    assert [region.area for region in divided(model, (0, tiny, 0, tiny))] == [Fraction(tiny) ** 2]


@pytest.mark.parametrize(
    "box",
    [
        (0, 1, 0),
        (0, 1, 0, 1, 2),
        (1, 0, 0, 1),
        (0, 1, 2, 2),
        (0, 1, 0, np.inf),
        (np.nan, 1, 0, 1),
        "abcd",
        None,
        ((0, 1), (0, 1)),
    ],
)
def test_boxes_that_are_none(box: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"box must be four finite numbers \(x_low, x_high, y_low, y_high\).*but it"
    ):
        divided(linear(*TRIANGLE), box)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Perceptron(), "must be a fitted classifier, but this Perceptron has no classes_; call fit first"),
        (
            lambda: Perceptron(average="voted").fit([[0, 0], [1, 1]], [0, 1]),
            "the regions of a Perceptron are not polygons: A voted perceptron has no coef_: it answers with the votes",
        ),
        (
            lambda: OneVsAll(Perceptron(average="voted")).fit([[0, 0], [1, 1], [0, 2]], [0, 1, 2]),
            "the regions of a OneVsAll are not polygons: A voted",
        ),
        (
            lambda: KNeighborsClassifier(1).fit([[0, 0], [1, 1]], [0, 1]),
            "of a KNeighborsClassifier are not polygons",
        ),
        (lambda: Perceptron().fit([[0], [1]], [0, 1]), "fitted to 2 features.*was fitted to 1; choose two columns"),
        (lambda: SVC(kernel="linear").fit([[0, 0], [1, 1], [0, 2]], [0, 1, 2]), "coef_ of a SVC are pairs"),
        (lambda: linear(*TRIANGLE, scheme="all"), "scheme must be 'one_vs_all', 'one_vs_one' or not .* it is 'all'"),
        (lambda: linear(*TRIANGLE, classes=range(4)), r"shapes \(4, 2\) and \(4,\).*they have \(3, 2\) and \(3,\)"),
        (lambda: linear([[1, 0]] * 3, [1, 2]), r"they have \(3, 2\) and \(2,\)"),
        (lambda: in_pairs(*TRIANGLE, "abc", [(0, 1), (2, 0), (1, 2)]), "pairs_ must be 3 pairs a < b"),
        (lambda: in_pairs(*TRIANGLE, "abc", [(0, 1), (0, 3), (1, 2)]), "of the numbers 0 to 2, but"),
        (lambda: in_pairs(*TRIANGLE, "abc", [(0, 1), (-1, 2), (1, 2)]), "of the numbers 0 to 2, but"),
    ],
)
def test_estimators_that_have_no_regions(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        divided(make(), BOX)


def test_weights_must_be_finite() -> None:
    with pytest.raises(DataError, match="coef_ must be finite, but it is inf at row 1, column 0"):
        divided(linear([[0, 1], [np.inf, 0], [0, 0]], [0, 0, 0]), BOX)


def test_a_linear_svc_of_two_classes_is_one_line() -> None:
    model = SVC(kernel="linear").fit([[0, 0], [2, 0]], ["left", "right"])
    found = divided(model, (0, 2, 0, 1))
    assert [(region.label, round(float(region.area), 6)) for region in found] == [("left", 1), ("right", 1)]

"""Which columns separate: against all subsets of columns, decided in fractions."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Culprits, DataError, ParameterError, culprits, estimates, separability
from rosenblatt.base.deadline import OutOfTime
from rosenblatt.proof import several_classes as several_classes_of_proof
from rosenblatt.proof.columns import column_sets
from rosenblatt.proof.columns.culprits import weights_of_groups
from rosenblatt.proof.prove import prove
from tests.support import claims_oracle, estimates_oracle
from tests.support.effort import by_day
from tests.support.separability_oracle import FAMILIES, kind_of, make, signed_rows

TABLES = [(family, seed) for seed in range(by_day(7, 400)) for family in FAMILIES]
SEVERAL = [(family, seed) for seed in range(by_day(10, 400)) for family in ("three", "four", "three_large")]


def two_classes(family: str, seed: int) -> tuple[list[list[Any]], list[int], bool]:
    X, y, bias, _ = make(family, seed)
    return [row[:4] for row in X], [int(label > 0) for label in y], bias


def several_classes(family: str, seed: int) -> tuple[list[list[Any]], list[int], bool]:
    """Few rows of three or four classes. With an even seed, the first columns tell the class."""
    X, y, bias, _ = make(family, seed)
    X, y = [row[:3] for row in X[:12]], y[:12]
    if seed % 2 == 0:
        rng = np.random.default_rng(seed)
        X = [[*map(int, rng.integers(-4, 5, 3)), *row[:1]] for row in X]
        y = [int(np.digitize(sum(row[: 1 + seed // 2 % 3]), [-1, 2])) for row in X]
    return X, [sorted(set(y)).index(label) for label in y], bias


def separates(X: Any, y: Any, columns: Any, *, bias: bool, strictly: bool) -> bool:
    """Do these columns separate?  By the oracle."""
    if not columns and not bias:
        return False
    kind = kind_of(signed_rows([[row[j] for j in columns] for row in X], y, bias=bias))
    return kind == "strict" or (kind == "weak" and not strictly)


@pytest.mark.parametrize(("tables", "classes"), [(TABLES, two_classes), (SEVERAL, several_classes)])
def test_sets_are_those_of_all_subsets(tables: Any, classes: Any) -> None:
    seen = set()
    for family, seed in tables:
        X, y, bias = classes(family, seed)
        if len(set(y)) == 1:
            continue
        found = culprits(X, y, through_origin=not bias)
        assert found.kind == kind_of(signed_rows(X, y, bias=bias))
        if found.kind == "overlap":
            assert found.sets == []
            continue
        strictly, d = found.kind == "strict", len(X[0])
        sets = [[int(name[1:]) - 1 for name in one.columns] for one in found.sets]
        assert all(one.minimal for one in found.sets)
        smaller = [
            [list(columns) for columns in itertools.combinations(range(d), size)
             if separates(X, y, columns, bias=bias, strictly=strictly)]
            for size in (1, 2)
        ]  # fmt: skip
        seen.add(len(sets[0]))
        if smaller[0] or smaller[1]:
            assert sorted(sets) == (smaller[0] or smaller[1])
        else:
            assert len(sets) == 1
            assert separates(X, y, sets[0], bias=bias, strictly=strictly)
            for left in itertools.combinations(sets[0], len(sets[0]) - 1):
                assert not separates(X, y, left, bias=bias, strictly=strictly)
        for one, columns in zip(found.sets, sets, strict=True):
            check_equation(one, columns, X, y, strictly=strictly)
    assert {1, 2, 3} <= seen


def check_equation(one: Any, columns: list[int], X: Any, y: Any, *, strictly: bool) -> None:
    """The exact equation has no row on its wrong side, and as many on the right side as it says."""
    if one.scores:
        check_scores(one, columns, X, y, strictly=strictly)
        return
    assert all(one.weights)
    leads = [
        (1 if label else -1)
        * (sum(w * Fraction(row[j]) for w, j in zip(one.weights, columns, strict=True)) - one.threshold)
        for row, label in zip(X, y, strict=True)
    ]
    assert min(leads) >= 0
    assert sum(lead > 0 for lead in leads) == one.rows
    assert one.rows == len(y) if strictly else one.rows > 0


def check_scores(one: Any, columns: list[int], X: Any, y: Any, *, strictly: bool, ordinal: bool = False) -> None:
    """No row scores more in another class than in its own, and as many score more than in some as it says."""
    assert (one.weights, one.threshold) == ([], None)
    assert [score.label for score in one.scores] == sorted(set(y))
    separated = 0
    for row, label in zip(X, y, strict=True):
        scores = [
            sum((w * Fraction(row[j]) for w, j in zip(score.weights, columns, strict=True)), score.constant)
            for score in one.scores
        ]
        others = [scores[label] - score for c, score in enumerate(scores) if c != label]
        assert min(others) > 0 if strictly else min(others) >= 0
        near = [scores[label] - score for c, score in enumerate(scores) if abs(c - label) == 1]
        separated += max(near if ordinal else others) > 0
    assert separated == one.rows > 0


@pytest.mark.parametrize("model", ["logit", "grouped", "poisson", "multinomial", "ordinal"])
def test_culprits_of_a_regression(model: str) -> None:
    """The columns of a set separate some row, and no column of it can be left out."""
    kinds = set()
    for seed in range(by_day(20, 500)):
        asked = estimates_oracle.draw(model, seed)
        found = estimates(asked.X, asked.y, **{"model": asked.model, **asked.options})
        named = found.culprits()
        kinds.add(found.kind)
        assert (named.sets == []) == (found.kind == "none")
        for one in named.sets[:2]:
            columns = [int(name[1:]) - 1 for name in one.columns]
            part = asked._replace(X=[[row[j] for j in columns] for row in asked.X])
            if columns:
                kind = estimates_oracle.truth(part).kind
                assert kind == "complete" if found.kind == "complete" else kind != "none"
            if one.scores and len(set(asked.y)) > 2:
                here = [i for i, weight in enumerate(asked.options.get("sample_weight", [1] * len(asked.y))) if weight]
                rows, labels = [asked.X[i] for i in here], [asked.y[i] for i in here]
                check_scores(one, columns, rows, labels, strictly=found.kind == "complete", ordinal=model == "ordinal")
            for left in itertools.combinations(columns, max(0, len(columns) - 1)):
                part = asked._replace(X=[[row[j] for j in left] for row in asked.X])
                if left:
                    kind = estimates_oracle.truth(part).kind
                    assert kind != "complete" if found.kind == "complete" else kind == "none"
    assert {"none", "quasi"} <= kinds


def test_a_minimal_set_of_many_columns() -> None:
    """Twelve columns, of which three separate: the class is the sign of their sum, and others are noise."""
    rng = np.random.default_rng(3)
    X = rng.integers(-9, 10, (400, 12)).astype(float)
    y = X[:, [1, 4, 7]].sum(axis=1) > 0
    found = culprits(X, y)
    assert found.sets[0].columns == ["x2", "x5", "x8"]
    assert (found.pairs, found.possible_pairs) == (66, 66)
    assert found.explain().startswith(
        "No single column separates the classes, and no pair. These 3 columns separate all"
    )
    sparse = culprits(scipy.sparse.csr_array(X), y)
    assert sparse.sets == found.sets


def test_pairs_are_limited_by_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_sets, "MAX_PAIRS", 3)
    rng = np.random.default_rng(3)
    X = rng.integers(-9, 10, (100, 6)).astype(float)
    found = culprits(X, X[:, :3].sum(axis=1) > 0)
    assert (found.pairs, found.possible_pairs) == (3, 15)
    assert "none of 3 pairs that were tried (of 15)" in found.explain()


def test_words() -> None:
    assert culprits([[1, 5], [2, 1], [3, 4], [4, 2]], ["a", "a", "b", "b"]).explain() == (
        "One column alone separates all rows: x1: up to 2 'a', from 3 'b'."
    )
    weak = culprits([[1, 3], [1, 1], [0, 2], [0, 4], [0, 1], [0, 3]], [1, 1, 0, 1, 1, 0])
    assert weak.explain() == "One column alone separates 2 of 6 rows: x1 > 0: only class 1."
    pair = culprits([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [1, 1], [0, 0], [1, 1]], [1, 1, 0, 0, 1, 1, 0, 0])
    assert pair.explain() == (
        "No single column separates any rows, but a pair does: x1 - x2 > 0: only class 1, < 0: only class 0."
    )
    assert culprits([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]).explain() == (
        "No set of columns separates the classes: they overlap."
    )
    zeros = estimates([[1], [2]], [0, 0], model="poisson").culprits()
    assert zeros.explain() == "No column is needed: the intercept alone separates the rows."
    assert "1 set of columns" in repr(weak)
    assert "x1 &gt; 0" in str(weak._repr_html_())


@pytest.mark.parametrize("X", [[[1, 5], [2, 1], [3, 4], [4, 2]], [[1], [2], [2], [3]], [[0], [1], [0], [1]]])
def test_a_result_comes_back_equal(X: Any) -> None:
    found = culprits(X, [0, 0, 1, 1])
    assert Culprits.from_json(found.to_json()) == found


def test_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is claimed that was not proved."""
    rng = np.random.default_rng(3)
    X = rng.integers(-9, 10, (60, 5)).astype(float)
    y = X[:, :3].sum(axis=1) > 0
    proofs = iter(range(20))
    decide = prove

    def late(*given: Any, **options: Any) -> Any:
        if next(proofs) > 10:
            raise OutOfTime
        return decide(*given, **options)

    monkeypatch.setattr(column_sets, "prove", late)
    found = culprits(X, y, time_limit=100)
    assert [one.minimal for one in found.sets] == [False]
    assert "Whether fewer columns are enough was not decided." in found.explain()
    assert culprits(X, y, time_limit=1e-9).kind == "undecided"


def test_words_for_several_classes() -> None:
    alone = culprits([[1, 5], [2, 1], [3, 4], [5, 0], [7, 2]], ["low", "low", "mid", "mid", "top"])
    assert alone.explain() == "One column alone separates all rows: x1: up to 2 'low', 3 to 5 'mid', at 7 'top'."
    X = [[0, 0], [4, 0], [0, 4], [5, 1], [1, 5], [1, 1], [4, 4]]
    pair = culprits(X, ["a", "b", "c", "b", "c", "a", "b"])
    assert pair.sets[0].columns == ["x1", "x2"]
    text = pair.explain()
    assert text.startswith("No single column separates the classes, but a pair does: scores 'a': ")
    assert text.endswith("'c': 0. Each row scores most in its own class.")
    weak = culprits([[1], [1], [0], [0], [0]], ["a", "b", "a", "b", "c"])
    assert weak.explain() == (
        "One column alone separates 2 of 5 rows: scores 'a': x1, 'b': x1, 'c': 0. No row scores more in another class "
        "than in its own."
    )
    ordered = estimates([[7], [5], [3], [2], [1]], [0, 0, 1, 1, 2], model="ordinal").culprits()
    assert (
        ordered.explain()
        == "One column alone separates all rows: -x1: up to -5 class 0, -3 to -2 class 1, at -1 class 2."
    )
    assert type(weak).from_json(weak.to_json()) == weak


def test_merged_classes_have_the_same_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs that merge classes first lead to the same sets of columns."""
    tables = [several_classes(family, seed) for family, seed in SEVERAL]
    weak = [(X, y) for X, y, bias in tables if bias and len(set(y)) > 2 and culprits(X, y).kind == "weak"]
    plain = [culprits(X, y) for X, y in weak]
    monkeypatch.setattr(several_classes_of_proof, "MIN_WEIGHTS", 1)
    certificates = [separability(X, y).certificate for X, y in weak]
    assert any(certificate is not None and "merges" in certificate.body for certificate in certificates)
    for (X, y), one in zip(weak, plain, strict=True):
        assert [found.columns for found in culprits(X, y).sets] == [found.columns for found in one.sets]


def test_weights_of_merged_classes() -> None:
    """Two weight vectors of groups become those of four classes, of which the first and third are merged."""
    weights = weights_of_groups([1, 2, 3, 4, 5, 6], [{"between": [0, 2]}], 4)
    assert weights == [1, 2, 3, 4, 1, 2, 5, 6]
    assert weights_of_groups([7, 8], [{"between": [0, 2]}, {"between": [0, 3]}], 4) == [0, 0, 7, 8, 0, 0, 0, 0]


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="of one class"):
        culprits([[0], [1], [2]], [1, 1, 1])
    with pytest.raises(ParameterError, match="through_origin"):
        culprits([[0], [1]], [0, 1], through_origin=1)  # type: ignore[arg-type]
    found = estimates([[0], [1]], [0, 1])
    again = type(found).from_json(found.to_json())
    for method in (again.culprits, again.margin_signs):
        with pytest.raises(DataError, match="read from JSON"):
            method()
    with pytest.raises(TypeError, match="Look at its attribute sets"):
        bool(culprits([[0], [1]], [0, 1]))


def test_signs_of_the_largest_margin() -> None:
    """The nearest points of the hulls, found by trying all corners and edges in fractions."""
    told = 0
    for seed in range(by_day(30, 600)):
        rng = np.random.default_rng(seed)
        X = rng.integers(-6, 7, (7, 2))
        y = (X @ rng.integers(1, 4, 2) > 0).astype(int)
        if len(set(y.tolist())) < 2 or separability(X, y).kind != "strict":
            continue
        signs = estimates(X, y).margin_signs()
        w, b = largest_margin(X.tolist(), y.tolist())
        truth: dict[Any, Fraction] = dict(zip(["x1", "x2", "(intercept)"], [*w, b], strict=True))
        for name, sign in signs.items():
            assert truth[name] * (1 if sign == "+" else -1) > 0, (seed, name)
        told += len(signs) == sum(number != 0 for number in truth.values())
    assert told > by_day(15, 300)


def largest_margin(X: list[list[int]], y: list[int]) -> tuple[list[Fraction], Fraction]:
    """The weights and the bias of the hyperplane with the largest margin, up to a positive factor."""
    sides: list[list[list[Fraction]]] = [[], []]
    for row, label in zip(X, y, strict=True):
        sides[label].append([Fraction(number) for number in row])
    ends = []
    for k in (0, 1):
        for p in sides[k]:
            for q, r in itertools.product(sides[1 - k], repeat=2):
                along = [b - a for a, b in zip(q, r, strict=True)]
                square = claims_oracle.dot(along, along)
                share = claims_oracle.dot([a - b for a, b in zip(p, q, strict=True)], along) / square if square else 0
                foot = [a + min(max(share, Fraction(0)), Fraction(1)) * b for a, b in zip(q, along, strict=True)]
                ends.append((foot, p) if k else (p, foot))
    distance = [[b - a for a, b in zip(low, high, strict=True)] for low, high in ends]
    best = min(range(len(ends)), key=lambda t: claims_oracle.dot(distance[t], distance[t]))
    w, (low, high) = distance[best], ends[best]
    return w, -claims_oracle.dot(w, [(a + b) / 2 for a, b in zip(low, high, strict=True)])

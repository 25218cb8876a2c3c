"""Tests of the advice: verdict, evidence and what to do; Cover's count is tested by brute force."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from rosenblatt import Verdict, error_bounds, separability
from rosenblatt.proof.verdict import HEADS
from rosenblatt.report.advice import advice, chance, evidence, headline

LINE = [[0], [1], [3], [7], [12], [20], [31]]
PLANE = [[0, 0], [1, 0], [0, 1], [3, 2], [2, 5], [7, 3]]  # no three on a line
SPACE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 3, 5]]  # no four in a plane
TWO: dict[str, tuple[Any, Any]] = {
    "strict": ([[0], [1], [2], [3]], ["low", "low", "high", "high"]),
    "weak": ([[0], [1], [1], [3]], ["low", "low", "high", "high"]),
    "overlap": ([[0], [1], [2], [3]], ["low", "high", "low", "high"]),
}
#: The first pair of classes overlaps; each of the two is far from the third.
THREE = [[0], [1], [2], [3], [50], [51]], ["a", "b", "a", "b", "c", "c"]


def asked(kind: str) -> Verdict:
    X, y = TWO[kind]
    return separability(X, y)


def has_a_hyperplane(points: Any, signs: Any) -> bool:
    """Decide by linear programming whether there are w and b with s (w.x + b) >= 1 for all rows."""
    rows = -np.asarray(signs)[:, np.newaxis] * np.column_stack([points, np.ones(len(points))])
    free = (None, None)
    answer = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(rows)), bounds=[free] * rows.shape[1])
    return bool(answer.status == 0)


# ---------------------------------------------------------------------------------------------------------------------
# Cover's count


@pytest.mark.parametrize(("points", "d"), [(LINE, 1), (PLANE, 2), (SPACE, 3)])
def test_chance_is_never_below_the_share_of_labelings_that_are_separable(points: Any, d: int) -> None:
    """All labelings are tried. Their number must be Cover's count."""
    for n in range(2, len(points) + 1):
        separable: Counter[int] = Counter()
        for signs in itertools.product([-1, 1], repeat=n):
            separable[signs.count(1)] += has_a_hyperplane(points[:n], signs)
        assert sum(separable.values()) == 2 * sum(math.comb(n - 1, j) for j in range(d + 1))
        for k in range(1, n):
            assert chance(n, k, d) >= separable[k] / math.comb(n, k) - 1e-12
            assert chance(n, k, d) == pytest.approx(min(1, sum(separable.values()) / math.comb(n, k)))


@pytest.mark.parametrize("points", [[[0.0], [0.0], [1.0], [1.0]], [[0.0, 0], [1, 1], [2, 2], [3, 3]]])
def test_chance_holds_for_rows_that_are_equal_or_on_a_line(points: Any) -> None:
    for k in (1, 2):
        ways = list(itertools.combinations(range(4), k))
        labels = [[1 if i in own else -1 for i in range(4)] for own in ways]
        share = sum(has_a_hyperplane(points, signs) for signs in labels) / len(ways)
        assert chance(4, k, len(points[0])) >= share


def test_few_labels_of_one_kind_are_separable_by_chance() -> None:
    """Three of 300 rows in 30 columns are nearly always separable from the others."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 30)), np.zeros(300, int)
    y[:3] = 1
    verdict = separability(X, y)
    assert verdict.kind == "strict"
    assert "The separation may be an accident" in advice(verdict, 3)


# ---------------------------------------------------------------------------------------------------------------------
# Verdict first


@pytest.mark.parametrize("kind", TWO)
def test_the_first_word_is_the_verdict(kind: str) -> None:
    text = headline(asked(kind))
    assert text.startswith(f"{kind} - ")
    assert text.endswith(". Proved.")
    assert "'high' and 'low'" in text


def test_how_many_rows_are_stuck() -> None:
    assert "2 of 4 rows must lie on it" in headline(asked("weak"))


def test_the_fewest_errors_are_beside_an_overlap() -> None:
    X, y = TWO["overlap"]
    assert "; the best one misclassifies exactly 1 of 4 rows. Proved." in headline(asked("overlap"), error_bounds(X, y))


def test_the_fewest_errors_as_an_interval() -> None:
    X, y = TWO["overlap"]
    wide = replace(error_bounds(X, y), upper=2)
    assert "; the best one misclassifies 1 to 2 of 4 rows. Proved." in headline(asked("overlap"), wide)


def test_more_than_two_classes() -> None:
    strict = separability([[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"])
    assert headline(strict).startswith("strict - a linear rule (one weight vector per class) separates these 3 classes")
    weak = separability(*THREE)
    assert weak.kind == "weak"
    words = "some rows must tie; 'c' separates strictly from every other class; 'a' and 'b' overlap. Proved."
    assert headline(weak).endswith(words)
    assert "The other pairs are separable." in advice(weak)


def test_pairs_that_are_undecided_are_not_called_separable() -> None:
    weak = separability(*THREE)
    pairs = {**weak.pairs, ("a", "c"): Verdict("undecided", ["a", "c"])}
    cut = replace(weak, kind="not_strict", pairs=pairs)
    assert "are separable" not in advice(cut)
    assert "Of the other pairs, 1 are undecided." in advice(cut)
    assert "'a' and 'b' overlap; 'a' and 'c' are undecided" in headline(cut)


def test_without_detail() -> None:
    X, y = TWO["weak"]
    text = headline(separability(X, y, detail=False))
    assert text == "not_strict - no hyperplane separates 'high' and 'low'. Proved."


def test_nothing_is_proved_when_it_is_undecided() -> None:
    verdict = Verdict("undecided", ["a", "b"], n=7)
    assert headline(verdict).startswith("undecided - ")
    assert "Proved" not in headline(verdict)
    assert "time" in advice(verdict)


# ---------------------------------------------------------------------------------------------------------------------
# Evidence second


@pytest.mark.parametrize("kind", TWO)
def test_evidence_is_what_follows_the_verdict(kind: str) -> None:
    verdict = asked(kind)
    assert f"{HEADS[kind]} {evidence(verdict)}" == verdict.explain()


def test_evidence_through_the_origin_does_not_repeat_the_verdict() -> None:
    verdict = separability([[1], [2]], [0, 1], through_origin=True)
    assert verdict.explain() == f"Not separable through the origin: the classes overlap. {evidence(verdict)}"


def test_evidence_names_the_rows() -> None:
    assert "rows 1 and 2" in evidence(asked("weak"))
    assert "(class 'low')" in evidence(asked("overlap"))


# ---------------------------------------------------------------------------------------------------------------------
# What to do third


def test_a_separation_that_chance_would_bring_about() -> None:
    text = advice(separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]), 1)
    assert "The separation may be an accident: in 2 columns, random labels for 1 of 4 rows" in text
    assert "a probability of up to 1 (Cover's count" in text  # 14 labelings, 4 of them with one
    assert "no accident" not in text


def test_a_separation_that_chance_would_not() -> None:
    few = [[x] for x in range(14)]
    text = advice(separability(few, [x[0] > 6 for x in few]), 7)
    assert "The separation is no accident: in 1 column, random labels for 7 of 14 rows" in text
    assert f"a probability of at most {28 / math.comb(14, 7):.1g} (Cover's count)" in text
    many = [[x] for x in range(100)]
    assert "a probability of at most 1e-12" in advice(separability(many, [x[0] > 49 for x in many]), 50)


def test_nothing_is_said_of_chance_where_the_counts_are_not_known() -> None:
    assert "accident" not in advice(asked("strict"))


@pytest.mark.parametrize("kind", TWO)
def test_what_logistic_regression_does(kind: str) -> None:
    said = {
        "strict": "no finite estimate here (complete separation)",
        "weak": "infinite estimates here (quasi-complete separation)",
        "overlap": "Logistic regression has finite estimates here",
    }
    assert [words in advice(asked(kind)) for words in said.values()] == [each == kind for each in said]


def test_what_to_look_at_in_a_weak_separation() -> None:
    text = advice(separability([[0, 5], [1, 5], [1, 5], [3, 5]], ["low", "low", "high", "high"]))
    assert text.startswith("Look at rows 1 and 2 first: they are equal but have different labels.")
    assert "or check rows 1 and 2." in text
    apart = advice(separability([[0, 0], [0, 1], [0, 2], [1, 0]], [0, 1, 0, 1]))
    assert "Look at" not in apart
    assert "or check rows 0, 1 and 2." in apart


@pytest.mark.parametrize("kind", ["weak", "overlap"])
def test_rows_without_an_end(kind: str) -> None:
    said = advice(asked(kind))
    assert "A perceptron never stops by itself on these rows; `rosenblatt fit` tries the averaged perceptron" in said


def test_a_gap_of_rounding_errors() -> None:
    X, y = [[0.1 + 0.2], [0.3]], ["a", "b"]
    verdict = separability(X, y)
    assert (verdict.kind, verdict.narrow) == ("strict", True)
    assert advice(verdict).startswith("The gap is no wider than the rounding of numbers")


def test_the_classes_at_fault() -> None:
    text = advice(separability(*THREE))
    assert "These pairs of classes are not strictly separable: 'a' and 'b'. Check them with `--classes`." in text
    assert "'c'" not in text


def test_no_class_is_at_fault_when_all_are() -> None:
    text = advice(separability([[0], [1], [2], [3], [4], [5]], ["a", "b", "c", "a", "b", "c"]))
    assert "These pairs" not in text


def test_a_few_of_many_classes_at_fault() -> None:
    X = [[x] for x in [*range(8)] * 2 + [100, 101]]
    y = [*"abcdefgh", *"hgfedcba", "z", "z"]
    text = advice(separability(X, y))
    assert "; .... Check them" in text
    assert "'z'" not in text


@pytest.mark.parametrize("kind", TWO)
def test_commands_are_marked(kind: str) -> None:
    text = advice(asked(kind))
    assert text.count("`") % 2 == 0
    assert all(code.startswith(("rosenblatt ", "--")) for code in text.split("`")[1::2])

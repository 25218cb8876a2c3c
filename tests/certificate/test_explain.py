"""The sentences of `Certificate.explain`."""

from typing import Any

import pytest

from rosenblatt import error_bounds, separability

WEAK = (
    "A hyperplane has none of them on its wrong side, but no hyperplane has all of them strictly on their right side."
)
WORDS: list[tuple[list[list[int]], list[str], dict[str, Any], str]] = [
    (
        [[0], [2]],
        ["a", "b"],
        {},
        "2 rows with 1 column, classes 'a', 'b'. A hyperplane has all of them strictly on their right side. The margin "
        "is at least 1. No hyperplane has a margin above 1.",
    ),
    (
        [[-1], [1]],
        ["a", "b"],
        {"through_origin": True},
        "2 rows with 1 column, classes 'a', 'b'. A hyperplane through the origin has all of them strictly on their "
        "right side. The margin is at least 1. No hyperplane through the origin has a margin above 1.",
    ),
    ([[0], [1], [1], [3]], ["a", "a", "b", "b"], {}, f"4 rows with 1 column, classes 'a', 'b'. {WEAK}"),
    (
        [[1], [2], [3]],
        ["a", "b", "a"],
        {},
        "3 rows with 1 column, classes 'a', 'b'. Every hyperplane has some of them on its wrong side, or contains all "
        "of them.",
    ),
    (
        [[1], [2], [3]],
        ["a", "b", "a"],
        {"detail": False},
        "3 rows with 1 column, classes 'a', 'b'. No hyperplane has all of them strictly on their right side.",
    ),
    (
        [[1, 0], [0, 1], [-1, -1]],
        ["a", "b", "c"],
        {},
        "3 rows with 2 columns, classes 'a', 'b', 'c'. With a suitable weight vector for each class, every row scores "
        "most in its own class.",
    ),
]


@pytest.mark.parametrize(("X", "y", "options", "words"), WORDS)
def test_a_claim_is_explained_in_whole_sentences(
    X: list[list[int]], y: list[str], options: dict[str, Any], words: str
) -> None:
    certificate = separability(X, y, **options).certificate
    assert certificate is not None
    assert certificate.explain() == words


def test_the_claim_about_a_pair_says_that_other_rows_do_not_count() -> None:
    certificate = separability([[0], [2], [5]], ["a", "b", "c"]).pairs["a", "b"].certificate
    assert certificate is not None
    assert certificate.explain().startswith(
        "The rows of classes 'a', 'b', out of 3 rows with 1 column. A hyperplane has"
    )


def test_bounds_of_errors_are_explained() -> None:
    words = error_bounds([[1], [2], [3]], ["a", "b", "a"]).certificate.explain()
    assert words.endswith("Every hyperplane gets at least 1 of them wrong. The one given here gets 1 wrong.")

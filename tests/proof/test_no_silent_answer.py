"""Options of `separability` and `error_bounds` are checked, and what they return has no truth value."""

from pathlib import Path
from typing import Any

import pytest

from rosenblatt import Stream, error_bounds, mistake_bound, separability
from rosenblatt.errors import ParameterError


@pytest.mark.parametrize("value", ["no", 2.5, 1, 0, None, [True]])
@pytest.mark.parametrize("name", ["detail", "through_origin"])
def test_an_option_that_is_neither_true_nor_false(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=rf"separability\({name}=...\) must be True or False, not "):
        separability([[0], [1]], [0, 1], **{name: value})


def test_labels_beside_a_stream_are_refused(tmp_path: Path) -> None:
    """The stream has labels of its own; an answer about other labels would be certified, and wrong."""
    path = tmp_path / "data.csv"
    path.write_text("x,label\n0,a\n1,b\n")
    with pytest.raises(ParameterError, match=r"separability\(y=...\) must be left out with a Stream"):
        separability(Stream(path), ["b", "a"])


@pytest.mark.parametrize(
    ("rows", "kind", "separable", "weakly"),
    [
        ([0, 1, 2, 3], "strict", True, True),
        ([0, 1, 1, 3], "weak", False, True),
        ([0, 2, 1, 3], "overlap", False, False),
    ],
)
def test_separable_in_one_word(rows: list[int], kind: str, separable: bool, weakly: bool) -> None:
    verdict = separability([[x] for x in rows], [0, 0, 1, 1])
    assert (verdict.kind, verdict.separable, verdict.weakly_separable) == (kind, separable, weakly)


def test_what_was_not_decided_or_not_asked_is_none() -> None:
    X, y = [[0], [1], [1], [3]], [0, 0, 1, 1]
    brief = separability(X, y, detail=False)
    assert (brief.kind, brief.separable, brief.weakly_separable) == ("not_strict", False, None)
    cut = separability(X, y, time_limit=1e-9)
    assert (cut.kind, cut.separable, cut.weakly_separable) == ("undecided", None, None)


def test_results_have_no_truth_value() -> None:
    """`if separability(X, y):` would always be true, for overlap too."""
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    verdict = separability(X, y)
    for result in (verdict, error_bounds(X, y), mistake_bound(X, y), verdict.certificate):
        with pytest.raises(TypeError, match=f"This {type(result).__name__} is neither true nor false"):
            bool(result)


@pytest.mark.parametrize("value", ["no", 2.5, 1, None])
def test_the_origin_of_error_bounds(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"error_bounds\(through_origin=...\) must be True or False, not "):
        error_bounds([[0], [1]], [0, 1], through_origin=value)

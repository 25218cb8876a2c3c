"""Tests of the report as text: the result first, one line per fact, one screen in all."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rosenblatt import Kozinec, Verdict
from rosenblatt.report.proportion import Proportion
from rosenblatt.report.report import TRAINING_ROWS, CurvePoint, Report
from rosenblatt.report.text import BARS, confusion, headline, lines, new_rows, print_report, seconds_text, sparkline
from tests.cli.test_fit_pipeline import AND, CATEGORIES, SVM, THREE, WEAK, XOR, cloud, csv, fitted, streamed

WIDTH, HEIGHT = 110, 38
LONG = "a name that goes on and on, as if it were paid by the word, and does not end where one would expect it to "
#: The text of the file, and the options of the fit.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "one column": ("x,kind\n1,a\n2,a\n4,b\n5,b\n", {}),
    "two columns": (AND, {"algorithm": "perceptron"}),
    "overlap": (XOR, {}),
    "weak": (WEAK, {}),
    "three classes": (THREE, {}),
    "30 columns, tested": (csv(*cloud(60, 30, "ab", 1.0)), {"test": 0.2, "cv": 3}),
    "30 columns, scaled": (csv(cloud(60, 30, "ab", 1.0)[0] * 10.0 ** np.arange(30), "ab" * 30), {"test": 0.2, "cv": 3}),
    "three that overlap": (csv(*cloud(60, 4, "abc", 1.0)), {"test": 0.2, "cv": 3}),
    "Kessler, scaled": (csv(*cloud(60, 4, "abc", 9.0)), {"scale": "standardize", "test": 0.2, "cv": 3}),
    "one against one": (csv(*cloud(60, 4, "abc", 9.0)), {"algorithm": "anderson", "test": 0.2}),
    "kernel": (XOR, {"algorithm": "kernel"}),
    "voted": (csv(*cloud(40, 2, "ab", 1.0)), {"algorithm": "voted", "test": 0.2}),
    "pocket": (csv(*cloud(40, 2, "ab", 1.0)), {"algorithm": "pocket", "cv": 2}),
    "categories": (CATEGORIES, {}),
    "sparse": (SVM * 5, {"name": "data.svm", "test": 0.2}),
    "26 classes": (csv(*cloud(104, 3, "abcdefghijklmnopqrstuvwxyz", 20.0)), {"algorithm": "averaged", "prove": False}),
    "long names": (csv(*cloud(40, 9, "ab", 1.0), [f"{LONG * 3}{j}" for j in range(9)]), {"test": 0.2, "cv": 2}),
    "long labels": (csv(*cloud(40, 3, [LONG * 3 + c for c in "abcd"], 1.0)), {"test": 0.2, "cv": 2}),
    "one long word": (csv(*cloud(40, 9, "ab", 1.0), ["x" * 300 + str(j) for j in range(9)]), {}),
}


def printed(report: Report, width: int = WIDTH) -> str:
    file = io.StringIO()
    print_report(report, Console(width=width, file=file, highlight=False))
    return file.getvalue()


def told(report: Report) -> dict[str, str]:
    return dict(lines(report))


def bare(**known: Any) -> Report:
    """A report that has only these facts."""
    model = type("Model", (), {"classes_": np.array(["a", "b"]), "__repr__": lambda _: "Model()"})()
    return replace(Report("rows.csv", None, 9, 0, 2, {"a": 4, "b": 5}, "some", model, {}), **known)


# ---------------------------------------------------------------------------------------------------------------------
# One screen


@pytest.mark.parametrize("case", CASES)
def test_one_screen(tmp_path: Path, case: str) -> None:
    text, asked = CASES[case]
    shown = printed(replace(fitted(tmp_path, text, **asked), source="data.csv")).splitlines()
    assert len(shown) <= HEIGHT
    assert max(map(len, shown)) <= WIDTH
    names = [line[:9].strip() for line in shown if line[0] != " "][1:]
    cautions = names.count("caution")
    assert names[: cautions + 1] == ["caution"] * cautions + ["read"]
    assert names[-1] == "time"
    assert {"model", "margins", "classes", "confusion", "quality", "baseline", "new rows"} <= set(names)
    assert ("stopped" in names) == (case != "one against one")  # where there are several searches


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, width: int) -> None:
    """The first line is an exception: in a pipe it is never wrapped."""
    shown = printed(fitted(tmp_path, XOR), width).splitlines()
    assert max(len(line.rstrip()) for line in shown[1:]) <= width


def test_a_stream(tmp_path: Path) -> None:
    found = streamed(tmp_path, csv(*cloud(40, 2, "abc", 1.0)), passes=4)
    shown = printed(found)
    assert "40 rows of 2 columns, 3 classes (a, b, c)" in shown
    assert told(found)["stopped"].startswith("All passes that were asked for were made: 4 passes, ")
    assert headline(found).endswith("data.csv: budget after 4 passes")
    assert set(told(found)) == {"read", "chosen", "model", "stopped", "weights", "new rows", "time"}
    assert "--test" not in told(found)["new rows"]  # which is not for streams


def test_data_do_not_steer_the_terminal(tmp_path: Path) -> None:
    found = fitted(tmp_path, csv([[1], [2], [4], [5]], ["\x1b[31mred\x07", "\x1b[31mred\x07", "b", "b"], ["\x1b[2Jx"]))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", printed(found))


# ---------------------------------------------------------------------------------------------------------------------
# What the lines say


def test_a_perceptron_on_and(tmp_path: Path) -> None:
    found = fitted(tmp_path, AND, "perceptron")
    said = told(found)
    updates = found.model.n_updates_
    assert headline(found) == f"perceptron on {tmp_path / 'data.csv'}: 4 of 4 training rows are right, 100.0 %"
    assert said["read"] == "4 rows of 2 columns, 2 classes (no: 3, yes: 1)"
    assert said["model"] == "Perceptron()"
    assert said["stopped"].startswith("mistake_free: A whole pass made no mistake")
    assert f"{found.model.n_iter_} passes, {updates} updates, 0 mistakes in the last pass" in said["stopped"]
    assert said["bound"] == f"{updates} updates; Novikoff's theorem allows at most 51"  # R^2 = 3, gamma^2 = 1/17
    assert "strict, with a margin of 0.353553; no hyperplane has more than 0.353553" in said["verdict"]  # 1/sqrt(8)
    assert said["confusion"] == "all training rows are right"
    assert said["new rows"].startswith("nothing is known: no rows were kept for a test")
    assert "chosen" not in said
    assert "learning" not in said


def test_an_overlap(tmp_path: Path) -> None:
    said = told(fitted(tmp_path, XOR))
    assert "no hyperplane was found that separates them" in said["chosen"]
    assert said["verdict"].startswith("overlap; proved by a certificate of ")
    assert said["verdict"].endswith("; the best hyperplane misclassifies exactly 1 of 4 rows (proved)")
    assert said["bound"].endswith(" updates; there is no bound: no hyperplane separates the rows strictly")


def test_a_bound_is_not_denied_where_a_hyperplane_separates_the_rows(tmp_path: Path) -> None:
    ray = "x,y,kind\n1,1,a\n2,2,a\n4,4,b\n5,5,b\n"  # the same four times, once each row has length 1
    said = told(fitted(tmp_path, ray, "perceptron", scale="unit"))
    assert said["verdict"].startswith("strict")
    assert said["bound"].endswith("no hyperplane separates the rows strictly after --scale unit")


def test_rows_for_the_test_and_rows_left_out(tmp_path: Path) -> None:
    text = csv(*cloud(60, 2, "ab", 50.0)) + "1,oops,a\n1,oops,a\n"
    found = fitted(tmp_path, text, test=0.2, cv=3, reading={"on_error": "skip"})
    said = told(found)
    assert "; 2 rows skipped as unusable" in said["read"]
    assert said["read"].endswith("; 48 for training, 12 for the test")
    assert "12 of 12 test rows are right, 100.0 % (73.5 to 100.0)" in headline(found)  # 0.025^(1/12) = 0.735
    assert said["new rows"].startswith("100.0 % (73.5 to 100.0) are right, with 95 % confidence; ")
    assert "; 100.0 % on average over 3 folds (100.0 to 100.0)" in said["new rows"]
    # All 6 rows of b are gained, and none is lost: the upper end is 1 where no share is lost.
    assert said["baseline"].startswith("always predicting a is right for 50.0 %; the model differs by +50.0 points (+")
    assert said["learning"].endswith(" % after 48 training rows")


@pytest.mark.parametrize(
    ("reading", "words"), [({}, "4 rows of 1 column, 2"), ({"on_error": "skip"}, "; 1 row skipped as unusable")]
)
def test_one_is_singular(tmp_path: Path, reading: dict[str, str], words: str) -> None:
    text = "x,kind\n1,a\n2,a\n4,b\n5,b\n" + "oops,a\n" * len(reading)
    said = told(fitted(tmp_path, text, "kozinec", reading=reading))
    assert words in said["read"]
    assert not re.search(r"\b1 (passes|updates|mistakes)\b", said["stopped"])


def test_rows_with_gaps(tmp_path: Path) -> None:
    text = "x,kind\n1,a\n,a\n4,b\n5,b\noops,a\n"
    said = told(fitted(tmp_path, text, "kozinec", reading={"on_error": "skip", "missing": "drop"}))
    assert said["read"].endswith("; 1 row with gaps was left out; 1 row skipped as unusable")


def test_more_classes_than_a_line_lists() -> None:
    found = bare(counts=dict.fromkeys("abcdefgh", 7), rows=56)
    assert told(found)["read"] == "56 rows of 2 columns, 8 classes (a: 7, b: 7, c: 7, d: 7, e: 7, f: 7, ...)"


def test_only_what_is_known_is_said() -> None:
    assert set(told(bare())) == {"read", "model", "new rows"}


def test_who_was_taken_for_whom() -> None:
    found = bare(confusion=np.array([[5, 2], [3, 1000]]), judged="test rows")
    assert confusion(found) == "3 of class b taken for a, 2 of class a taken for b (test rows)"
    assert confusion(bare(confusion=np.array([[5, 0], [0, 6]]), judged="test rows")) == "all test rows are right"


def test_folds_by_hand() -> None:
    found = bare(
        folds=[Proportion.of(3, 4), Proportion.of(4, 4), Proportion.of(1, 2)],
        accuracy=Proportion.of(9, 9),
        judged=TRAINING_ROWS,
    )
    assert new_rows(found) == "75.0 % on average over 3 folds (50.0 to 100.0)"


def test_the_learning_curve_by_hand() -> None:
    points = [
        CurvePoint(10, Proportion.of(9, 10), Proportion.of(1, 4)),
        CurvePoint(1000, Proportion.of(10, 10), Proportion.of(3, 4)),
    ]
    text = "right on the test rows: 25.0 % after 10, 75.0 % after 1,000 training rows"
    assert told(bare(curve=points))["learning"] == text


def test_an_undecided_verdict() -> None:
    assert told(bare(verdict=Verdict("undecided", ["a", "b"], n=9)))["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0 ms"), (0.0416, "42 ms"), (0.9991, "999 ms"), (1.0, "1.0 s"), (75.26, "75.3 s")]
)
def test_seconds(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_time_by_stage() -> None:
    assert told(bare(seconds={"reading": 0.25, "training": 3.0}))["time"] == "reading 250 ms, training 3.0 s"


# ---------------------------------------------------------------------------------------------------------------------
# Margins as bars


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30).filter(any))
def test_bars_are_as_high_as_counts(counts: list[int]) -> None:
    bars = sparkline(counts)
    heights = [(" " + BARS).index(bar) for bar in bars]
    assert len(bars) == len(counts)
    assert heights[int(np.argmax(counts))] == len(BARS)
    assert [height == 0 for height in heights] == [count == 0 for count in counts]
    by_count = [height for _, height in sorted(zip(counts, heights, strict=True))]
    assert by_count == sorted(by_count)


@pytest.mark.parametrize("margins", [[1.0, 2.0], [0.0, 1e-9], [-1e300, 1e300], [-3.0, -1.0], [1.0, 1.0 + 1e-6]])
def test_margins_as_bars(margins: list[float]) -> None:
    two = Kozinec().fit([[0.0], [1.0]], ["a", "b"])
    text = told(bare(margins=np.array(margins), model=two))["margins"]
    low, high = f"{min(margins):.3g}", f"{max(margins):.3g}"
    assert re.match(rf"{re.escape(low)} █ {{22}}█ {re.escape(high)}, median .*: distance from", text)


@pytest.mark.parametrize("margins", [[1.0, 1.0], [1.0, 1 + 2.0**-52], [0.0, 0.0], [0.1 + 0.2, 0.3], [7.0]])
def test_margins_that_are_all_alike(margins: list[float]) -> None:
    two = Kozinec().fit([[0.0], [1.0]], ["a", "b"])
    text = told(bare(margins=np.array(margins), model=two))["margins"]
    assert re.match(rf"{margins[0]:.3g}\b", text)

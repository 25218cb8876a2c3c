"""Tests of the charts of a report: which of them exist, and whether they show its numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt.report.charts import charts_of
from rosenblatt.report.report import Report
from tests.cli.test_fit_pipeline import AND, THREE, XOR, cloud, csv, fitted

TWO, OVERLAPPING = csv(*cloud(60, 2, "ab", 9.0)), csv(*cloud(60, 2, "ab", 1.0))


def drawn(report: Report, name: str) -> Any:
    """The axes of a chart."""
    return charts_of(report)[name][1].axes[0]


def lines_of(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.get_lines()}


@pytest.mark.parametrize(
    ("text", "asked", "names"),
    [
        (AND, {"algorithm": "perceptron"}, {"mistakes", "plane", "margins", "weights"}),
        (AND, {}, {"mistakes", "plane", "margins", "weights"}),
        (XOR, {"algorithm": "kernel"}, {"mistakes", "margins"}),
        (XOR, {"prove": False, "algorithm": "averaged"}, {"mistakes", "margins", "weights"}),
        (THREE, {"algorithm": "perceptron"}, {"mistakes", "margins"}),
        (TWO, {"algorithm": "anderson", "test": 0.2}, {"plane", "margins", "weights", "curve"}),
        (OVERLAPPING, {"test": 0.2, "scale": "standardize"}, {"mistakes", "plane", "margins", "weights", "curve"}),
    ],
)
def test_which_there_are(tmp_path: Path, text: str, asked: dict[str, Any], names: set[str]) -> None:
    found = charts_of(fitted(tmp_path, text, **asked))
    assert set(found) == names
    assert all(words.endswith((".", "?")) for words, _ in found.values())


def test_figures_of_others_stay_as_they_are(tmp_path: Path) -> None:
    report, own = fitted(tmp_path, AND), plt.figure()
    backend = plt.get_backend()
    try:
        charts_of(report)
        assert plt.get_fignums() == [own.number]
        assert plt.get_backend() == backend
    finally:
        plt.close(own)


def test_mistakes_against_the_bound(tmp_path: Path) -> None:
    report = fitted(tmp_path, AND, "perceptron")
    words = charts_of(report)["mistakes"][0]
    assert words == "Mistakes in each pass, and in all passes so far, with Novikoff's bound."
    curves = [y for _, y in lines_of(drawn(report, "mistakes")).values()]
    assert np.cumsum(report.model.mistakes_per_epoch_).tolist() in curves
    assert any(len(curve) == 2 and curve == pytest.approx([51, 51]) for curve in curves)  # R^2 = 3, gamma^2 = 1/17


def test_the_gap_closes(tmp_path: Path) -> None:
    report = fitted(tmp_path, TWO)
    curves = lines_of(drawn(report, "mistakes"))
    low, high = report.classifier.margin_bounds_
    assert curves["reached"][1][-1] == pytest.approx(low)
    assert curves["no hyperplane has more"][1][-1] == pytest.approx(high)


@pytest.mark.parametrize(
    "margins", [[-3.0, -1.0, 0.0, 0.5, 2.0], [1.0, 1 + 2.0**-52], [0.0, 0.0], [-1e-9, 2.0], [-2.0]]
)
def test_every_margin_is_in_the_histogram_on_its_side(tmp_path: Path, margins: list[float]) -> None:
    report = replace(fitted(tmp_path, AND), margins=np.array(margins))
    bars = [bar for bar in drawn(report, "margins").patches if bar.get_height() > 0]
    assert sum(bar.get_height() for bar in bars) == len(margins)
    wrong = sum(bar.get_height() for bar in bars if bar.get_x() + bar.get_width() / 2 < 0)
    assert wrong >= sum(margin < 0 for margin in margins)
    for bar in bars:
        assert not bar.get_x() < -1e-12 < 1e-12 < bar.get_x() + bar.get_width()  # no bar is on both sides


def test_the_curve_has_the_shares_of_the_report(tmp_path: Path) -> None:
    report = fitted(tmp_path, OVERLAPPING, "averaged", test=0.2)
    ax = drawn(report, "curve")
    curves = lines_of(ax)
    rows = [point.rows for point in report.curve]
    assert curves["training rows"] == (rows, [100 * point.training.value for point in report.curve])
    assert curves["test rows, with 95 % confidence"] == (rows, [100 * point.others.value for point in report.curve])
    (band,) = ax.collections
    ends = [100 * end for point in report.curve for end in (point.others.low, point.others.high)]
    box = band.get_paths()[0].get_extents()
    assert (box.y0, box.y1) == pytest.approx((min(ends), max(ends)))


def test_the_plane_says_how_many_rows_it_has(tmp_path: Path) -> None:
    report = fitted(tmp_path, TWO, "perceptron")
    assert charts_of(report)["plane"][0] == "The training rows, and the boundary."
    assert report.sample is not None
    X, y = report.sample
    some = replace(report, sample=(X[:10], y[:10]))
    assert charts_of(some)["plane"][0] == "10 of the training rows, and the boundary."


@pytest.mark.parametrize(("how", "words"), [("centre", " (of columns after --scale centre)."), (None, ".")])
def test_weights_say_of_what(tmp_path: Path, how: str | None, words: str) -> None:
    report = fitted(tmp_path, TWO, "perceptron", scale=how)
    assert charts_of(report)["weights"][0] == f"The largest weights{words}"
    assert [bar.get_width() for bar in drawn(report, "weights").patches] == pytest.approx(
        report.classifier.coef_[0, np.argsort(-np.abs(report.classifier.coef_[0]))]
    )

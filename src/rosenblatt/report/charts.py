"""The charts of a report: each with a sentence that says what it shows."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.plot.style import INKS, pyplot
from rosenblatt.report.report import Report

SIZE = (6.0, 3.2)  # inches
BINS = 40
LARGEST = 10**300


def charts_of(report: Report) -> dict[str, tuple[str, Any]]:
    """Name: what it shows, and the figure; only those that there is something to show of."""
    found = {}
    for name, draw in DRAWN:
        with warnings.catch_warnings(action="ignore"):  # of letters that the font does not have
            try:
                chart = draw(report)
            except (ArithmeticError, ValueError) as error:  # numbers beyond what axes can show: the report goes on
                report.notes.append(f"The chart of the {name} could not be drawn: {error}")
                continue
        if chart is not None:
            pyplot().close(chart[1])
            found[name] = chart
    return found


def learning(report: Report) -> tuple[str, Any] | None:
    """How it learned: the bounds of a search, or the mistakes of passes."""
    return gap(report) or mistakes(report)


def gap(report: Report) -> tuple[str, Any] | None:
    """How the bounds of the margin close in, step by step."""
    history = getattr(report.learner, "history_", None)
    if history is None or not hasattr(report.learner, "margin_bounds_"):
        return None
    figure, ax = pyplot().subplots(figsize=SIZE, layout="constrained")
    steps = np.arange(len(history))
    ax.plot(steps, history["upper"], color=INKS[1], linestyle="--", label="no hyperplane has more")
    reached = history["lower"] > 0
    ax.plot(steps[reached], history["lower"][reached], color=INKS[0], marker="o", markersize=3, label="reached")
    ax.set(xlabel="step", ylabel="margin", yscale="log" if (history["upper"] > 0).all() else "linear")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="best", frameon=False)
    return "Bounds of the largest margin, step by step.", figure


def mistakes(report: Report) -> tuple[str, Any] | None:
    """Mistakes in each pass, and all updates against the bound."""
    from rosenblatt.plot import MistakesDisplay

    counts = report.count("mistakes_per_epoch_")
    if counts is None or np.ndim(counts) != 1 or not len(counts) or not hasattr(report.classifier, "stop_reason_"):
        return None
    bound = None if report.bound is None or report.bound > LARGEST else float(report.bound)
    words = "Mistakes in each pass, and so far" + (", against Novikoff's bound." if bound is not None else ".")
    return words, MistakesDisplay.from_estimator(report.classifier, bound=bound).figure_


def plane(report: Report) -> tuple[str, Any] | None:
    """Rows and boundary, where there is one to be seen."""
    model = report.classifier
    if report.sample is None or len(report.classes) > 2 or not hasattr(model, "hyperplane_"):
        return None
    if not model.hyperplane_.w.any():
        return None
    from rosenblatt.plot import BoundaryDisplay

    X, y = report.sample
    some = f"{len(y):,} of the rows" if len(y) < report.learned_from else "The rows"
    return f"{some} learned from, and the boundary.", BoundaryDisplay.from_estimator(model, X, y).figure_


def margins(report: Report) -> tuple[str, Any] | None:
    if report.margins is None:
        return None
    figure, ax = pyplot().subplots(figsize=SIZE, layout="constrained")
    wrong, right = report.margins[report.margins <= 0], report.margins[report.margins > 0]
    step = (max(0.0, float(report.margins.max())) - min(0.0, float(report.margins.min()))) / BINS or 1.0
    for rows, look in (
        (right, {"color": INKS[0], "label": f"right side, {len(right):,}"}),
        (wrong, {"color": INKS[1], "label": f"wrong side, {len(wrong):,}", "hatch": "////", "edgecolor": "white"}),
    ):
        if len(rows):  # 0 is the edge of a bar
            first, last = np.floor(rows.min() / step), np.ceil(rows.max() / step)
            edges = step * np.arange(first, max(last, first + 1) + 1)
            edges[0], edges[-1] = min(edges[0], rows.min()), max(edges[-1], rows.max())  # whatever was rounded
            ax.hist(rows, edges, **look)
    ax.axvline(0, color="black", linewidth=1)
    ax.set(xlabel=report.unit.replace(", ", ",\n"), ylabel="rows")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="best", frameon=False)
    return f"Margins of the {len(report.margins):,} rows learned from.", figure


def weights(report: Report) -> tuple[str, Any] | None:
    if len(report.classes) > 2 or not report.ranked_weights():
        return None
    from rosenblatt.plot import WeightsDisplay

    scaled = f", of columns after --scale {report.scaling}" if report.scaling else ""
    return f"The largest weights{scaled}.", WeightsDisplay.from_estimator(report.classifier).figure_


def curve(report: Report) -> tuple[str, Any] | None:
    """What is right of the rows learned from, and of the test rows, after learning from more and more rows."""
    if not report.curve:
        return None
    figure, ax = pyplot().subplots(figsize=SIZE, layout="constrained")
    rows = [point.rows for point in report.curve]
    for name, mark, line, ink in (("training", "s", "--", INKS[1]), ("others", "o", "-", INKS[0])):
        shares = [getattr(point, name) for point in report.curve]
        label = "rows learned from" if name == "training" else "test rows, with 95 % confidence"
        ax.plot(rows, [100 * share.value for share in shares], marker=mark, linestyle=line, color=ink, label=label)
        if name == "others":
            low, high = ([100 * share[k] for share in shares] for k in (2, 3))
            ax.fill_between(rows, low, high, color=ink, alpha=0.15, linewidth=0)
    ax.set(xlabel="rows learned from", ylabel="right, %", ylim=(None, 101))
    ax.legend(loc="best", frameon=False)
    return "The learning curve: would more rows help?", figure


DRAWN = (
    ("mistakes", learning),
    ("plane", plane),
    ("margins", margins),
    ("weights", weights),
    ("curve", curve),
)

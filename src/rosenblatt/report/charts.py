"""The charts of a report, each with a sentence that says what it shows."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.base.words import count_of, shortened
from rosenblatt.plot.style import INKS, pyplot, text
from rosenblatt.report import progressive
from rosenblatt.report.report import Report

FIGURE_SIZE = (8.4, 3.2)  # inches: about the width of the page, so that letters keep their size
HALF_WIDTH = 4.6  # inches, beside a table
HISTOGRAM_BINS = 40
MAX_DRAWN_BOUND = 10**300


def charts_of(report: Report) -> dict[str, tuple[str, Any]]:
    """The charts by name, each as its sentence and its figure. Charts that have nothing to show are left out."""
    found = {}
    for name, draw in CHARTS:
        with warnings.catch_warnings(action="ignore"):  # warnings about letters that the font does not have
            try:
                chart = draw(report)
            except (ArithmeticError, ValueError) as error:  # an axis cannot show these numbers: go on without the chart
                report.notes.append(f"The chart of the {name} could not be drawn: {error}")
                continue
        if chart is not None:
            pyplot().close(chart[1])
            found[name] = chart
    return found


def learning(report: Report) -> tuple[str, Any] | None:
    """The progress of training: the bounds of a search, or the mistakes in each pass."""
    return gap(report) or mistakes(report)


def gap(report: Report) -> tuple[str, Any] | None:
    """The bounds of the margin after each step."""
    history = getattr(report.learner, "history_", None)
    if history is None or not hasattr(report.learner, "margin_bounds_"):
        return None
    figure, ax = pyplot().subplots(figsize=FIGURE_SIZE, layout="constrained")
    steps = np.arange(len(history))
    ax.plot(steps, history["upper"], color=INKS[1], linestyle="--", label="no hyperplane has more")
    reached = history["lower"] > 0
    ax.plot(steps[reached], history["lower"][reached], color=INKS[0], marker="o", markersize=3, label="reached")
    ax.set(xlabel="step", ylabel="margin", yscale="log" if (history["upper"] > 0).all() else "linear")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="best", frameon=False)
    return "Bounds of the largest margin after each step.", figure


def mistakes(report: Report) -> tuple[str, Any] | None:
    """The mistakes in each pass, and all updates with their bound."""
    from rosenblatt.plot import MistakesDisplay

    counts = report.count("mistakes_per_epoch_")
    trained = report.classifier if report.calibration_rows is None else report.classifier.estimator_
    if counts is None or np.ndim(counts) != 1 or not len(counts) or not hasattr(trained, "stop_reason_"):
        return None
    bound = None if report.bound is None or report.bound > MAX_DRAWN_BOUND else float(report.bound)
    words = "Mistakes in each pass, and in all passes so far" + (
        ", with Novikoff's bound." if bound is not None else "."
    )
    figure = MistakesDisplay.from_estimator(trained, bound=bound).figure_
    figure.set_size_inches(*FIGURE_SIZE)
    return words, figure


def plane(report: Report) -> tuple[str, Any] | None:
    """The rows and the boundary."""
    model = report.classifier
    if report.sample is None or len(report.classes) > 2 or not hasattr(model, "hyperplane_"):
        return None
    if not model.hyperplane_.w.any():
        return None
    from rosenblatt.plot import BoundaryDisplay

    X, y = report.sample
    some = f"{len(y):,} of the training rows" if len(y) < report.learned_from else "The training rows"
    return f"{some}, and the boundary.", BoundaryDisplay.from_estimator(model, X, y).figure_


def margins(report: Report) -> tuple[str, Any] | None:
    """A histogram of the margins."""
    if report.margins is None:
        return None
    figure, ax = pyplot().subplots(figsize=FIGURE_SIZE, layout="constrained")
    wrong, right = report.margins[report.margins <= 0], report.margins[report.margins > 0]
    step = (max(0.0, float(report.margins.max())) - min(0.0, float(report.margins.min()))) / HISTOGRAM_BINS or 1.0
    for rows, look in (
        (right, {"color": INKS[0], "label": f"correct side, {len(right):,}"}),
        (wrong, {"color": INKS[1], "label": f"wrong side, {len(wrong):,}", "hatch": "////", "edgecolor": "white"}),
    ):
        if len(rows):  # bars begin or end at 0
            first, last = np.floor(rows.min() / step), np.ceil(rows.max() / step)
            edges = step * np.arange(first, max(last, first + 1) + 1)
            edges[0], edges[-1] = min(edges[0], rows.min()), max(edges[-1], rows.max())  # despite rounding
            ax.hist(rows, edges, **look)
    ax.axvline(0, color="black", linewidth=1)
    ax.set(xlabel=report.unit.replace(", ", ",\n"), ylabel="rows")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="best", frameon=False)
    return f"Margins of the {count_of(len(report.margins), 'training row')}.", figure


def weights(report: Report) -> tuple[str, Any] | None:
    """The largest weights."""
    if len(report.classes) > 2 or not report.ranked_weights():
        return None
    from rosenblatt.plot import WeightsDisplay

    scaled = f" (of columns after --scale {report.scaling})" if report.scaling else ""
    figure = WeightsDisplay.from_estimator(report.classifier).figure_
    width, height = figure.get_size_inches()
    figure.set_size_inches(HALF_WIDTH, max(2.4, height * HALF_WIDTH / width))
    return f"The largest weights{scaled}.", figure


def curve(report: Report) -> tuple[str, Any] | None:
    """The accuracy on the training rows and on the test rows, after training on more and more rows."""
    if not report.curve:
        return None
    figure, ax = pyplot().subplots(figsize=FIGURE_SIZE, layout="constrained")
    rows = [point.rows for point in report.curve]
    for name, mark, line, ink in (("training", "s", "--", INKS[1]), ("others", "o", "-", INKS[0])):
        shares = [getattr(point, name) for point in report.curve]
        label = "training rows" if name == "training" else "test rows, with 95 % confidence"
        ax.plot(rows, [100 * share.value for share in shares], marker=mark, linestyle=line, color=ink, label=label)
        if name == "others":
            low, high = ([100 * share[k] for share in shares] for k in (2, 3))
            ax.fill_between(rows, low, high, color=ink, alpha=0.15, linewidth=0)
    ax.set(xlabel="training rows", ylabel="accuracy, %", ylim=(None, 101))
    ax.legend(loc="best", frameon=False)
    return "The learning curve: would more training rows help?", figure


def calibration(report: Report) -> tuple[str, Any] | None:
    """The share for which probabilities came true, against the probabilities."""
    if report.quality is None or report.quality.calibration is None:
        return None
    bins = report.quality.calibration.bins
    figure, ax = pyplot().subplots(figsize=FIGURE_SIZE, layout="constrained")
    ax.plot([0, 100], [0, 100], color="black", linewidth=1, linestyle="--", label="as it should be")
    probabilities, shares = ([100 * getattr(each, name) for each in bins] for name in ("probability", "share"))
    ax.plot(probabilities, shares, color=INKS[0], marker="o", label=f"{report.judged}, in groups")
    for each, x, y in zip(bins, probabilities, shares, strict=True):
        ax.annotate(f"{each.rows:,}", (x, y), textcoords="offset points", xytext=(5, -11), fontsize=8)
    ranking = report.quality.ranking
    what = "the predicted class" if ranking is None else text(shortened(ranking.positive))
    ax.set(xlabel=f"probability of {what}, %", ylabel="came true, %", xlim=(-2, 104), ylim=(-4, 106))
    ax.legend(loc="best", frameon=False)
    return "Do the probabilities hold? Rows with similar probabilities are one dot; its number counts them.", figure


CHARTS = (
    ("mistakes", learning),
    ("plane", plane),
    ("margins", margins),
    ("weights", weights),
    ("curve", curve),
    ("progressive", lambda report: progressive.chart(report.progressive)),
    ("calibration", calibration),
)

"""The chart of a run: its updates with Novikoff's bound, its errors, or the bounds of a margin or radius."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.classifiers.training.scores import winners
from rosenblatt.data import validation
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.mistake_bound import mistake_bound_of
from rosenblatt.lab.runs.frames import TracedRun
from rosenblatt.lab.shapes import numbers
from rosenblatt.lab.wording import short
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace

Chart = dict[str, Any]
TICKS = 5  # that an axis has, about
COUNTS = ("updates", "points")  # axes whose ticks are whole numbers
MAX_BOUND_RATIO = 6.0  # of a bound to the curve; a higher bound would flatten the curve
SEARCHED = {Kind.HULLS: "margin", Kind.GAUSSIANS: "radius"}  # what is searched for


class Curve(NamedTuple):
    """A line of a chart."""

    name: str
    role: str
    points: Sequence[tuple[float, float]]
    steps: bool = False


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers in a range."""
    if not high > low:
        return [low]
    rough = (high - low) / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
    first = math.ceil(low / step - 1e-9)
    return [float(f"{k * step:.10g}") for k in range(first, math.floor(high / step + 1e-9) + 1)]


def chart(title: str, y: str, curves: Sequence[Curve], last: int, note: str = "") -> Chart:
    """Return curves over the steps 0 to `last`, with axes that have room for all of them."""
    values = [value for curve in curves for _, value in curve.points if math.isfinite(value)]
    low, high = min([0.0, *values]), max([*values, top_of(values)])
    right = max(1, last)
    return {
        "title": title,
        "x": "step",
        "y": y,
        "box": numbers([0, right, low, high]),
        "xticks": [tick for tick in ticks(0, right) if tick == int(tick)],
        "yticks": [tick for tick in ticks(low, high) if y not in COUNTS or tick == int(tick)],
        "series": [
            {
                "name": curve.name,
                "role": curve.role,
                "steps": curve.steps,
                "points": numbers([point for point in curve.points if math.isfinite(point[1])]),
            }
            for curve in curves
        ],
        "note": note,
    }


def top_of(values: Sequence[float]) -> float:
    """Return the top of a chart: the largest value, or 1 if no value is above 0."""
    return 1.0 if not values or max(values) <= 0 else max(values)


def chart_of(run: TracedRun) -> Chart | None:
    """Return the curve that says most about a run; None for one with several members."""
    if run.start_bounds is not None:
        return bounds_chart(run.trace, SEARCHED[run.trace.kind], run.start_bounds)
    if run.trace.kind is Kind.PASSES:
        return wrong_chart(run.trace)
    if run.trace.members:
        return None
    if run.algorithm.keeps_best:
        return pocket_chart(run.trace, run.board, run.settings)
    return updates_chart(run)


def updates_chart(run: TracedRun) -> Chart:
    """Return the updates made so far, with Novikoff's bound where it holds."""
    trace = run.trace
    made = [(0.0, 0.0), *((float(t), float(step.updates)) for t, step in enumerate(trace, 1))]
    curves, note, title = [Curve("updates made", "made", made, steps=True)], "", "Updates made"
    if run.algorithm.is_bounded(run.settings):
        bound = bound_of(run.board, run.settings)
        if bound is None:
            note = "No bound: these classes cannot be separated this way, so the updates never end."
        else:
            title = "Updates made, and the largest possible number"
            note = f"At most {bound:,} updates, in any order (Novikoff)."
            if bound <= MAX_BOUND_RATIO * max(made[-1][1], 1.0):
                curves.append(
                    Curve("largest possible number", "bound", [(0.0, float(bound)), (float(len(trace)), float(bound))])
                )
            else:
                note += " This bound is above the chart."
    return chart(title, "updates", curves, len(trace), note)


def bound_of(board: Board, settings: dict[str, Any]) -> int | None:
    """Return Novikoff's bound for the points; None if there is none."""
    bound = mistake_bound_of(board, float(settings["bias"]))
    return None if bound is None else bound.max_updates


def pocket_chart(trace: Trace, board: Board, settings: dict[str, Any]) -> Chart:
    """Return how many points the learning weights and the weights in the pocket have wrong after each step."""
    rows, codes = validation.rows(np.asarray(board.X), trace.bias), np.searchsorted(trace.classes, board.y)
    tie = 1.0 if settings["tie"] == "positive" else -1.0

    def wrong(weights: Any) -> float:
        return float((winners(rows, np.array(weights, dtype=np.float64), tie) != codes).sum())

    learning = [(float(t), wrong(step.w)) for t, step in enumerate(trace, 1)]
    kept = [(float(t), wrong(step.answer)) for t, step in enumerate(trace, 1)]
    curves = [Curve("learning", "made", learning, steps=True), Curve("in the pocket", "best", kept, steps=True)]
    return chart("Points that are wrong", "points", curves, len(trace))


def wrong_chart(trace: Trace) -> Chart:
    """Return how many points are wrong at each look, and the fewest so far."""
    wrong = [(float(t), float(len(step.active or ()))) for t, step in enumerate(trace, 1)]
    best = [(t, min(value for _, value in wrong[: i + 1])) for i, (t, value) in enumerate(wrong)]
    curves = [Curve("wrong", "made", wrong, steps=True), Curve("fewest so far", "best", best, steps=True)]
    return chart("Points that are wrong", "points", curves, len(trace))


def bounds_chart(trace: Trace, what: str, start: tuple[float, float]) -> Chart:
    """Return the two bounds of the largest margin or radius; `start` are those before the first step."""
    lower = [(0.0, start[0]), *((float(t), step.lower) for t, step in enumerate(trace, 1) if step.lower is not None)]
    upper = [(0.0, start[1]), *((float(t), step.upper) for t, step in enumerate(trace, 1) if step.upper is not None)]
    lower = [point for point in lower if math.isfinite(point[1])]
    upper = [point for point in upper if math.isfinite(point[1])]
    curves = [Curve("at least", "lower", lower), Curve("at most", "upper", upper)]
    note = ""
    if lower and upper:
        note = f"The largest {what} is between {short(max(v for _, v in lower))} and {short(min(v for _, v in upper))}."
    return chart(f"The largest {what}, from below and from above", what, curves, len(trace), note)

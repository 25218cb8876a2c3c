"""A pane of the board, run: every step of its algorithm, for the page to play."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.board import STEPS, Board
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lab import charts, shapes
from rosenblatt.lab.by_classes import ManyClasses
from rosenblatt.lab.by_gaussians import Touching, drawn
from rosenblatt.lab.by_hulls import Hulls
from rosenblatt.lab.by_kernel import InKernel
from rosenblatt.lab.by_members import Members
from rosenblatt.lab.by_passes import Passes
from rosenblatt.lab.by_rows import TwoClasses
from rosenblatt.lab.by_threshold import Neuron
from rosenblatt.lab.catalogue import Algorithm, algorithm_of, model_of
from rosenblatt.lab.telling import Told
from rosenblatt.nearest_mean import NearestMean
from rosenblatt.steps import Trace
from rosenblatt.tracing import trace, trace_gaussians
from rosenblatt.training import StopReason

Run = dict[str, Any]
SHOWN = 400  # steps that a page is given unless it asks for more
SEARCHES = {"hulls": "margin", "gaussians": "radius"}  # kinds of traces, and what is looked for
GOOD = (StopReason.MISTAKE_FREE, StopReason.GAP_CLOSED, StopReason.SEPARATED, StopReason.TARGET)


def run(request: dict[str, Any]) -> Run:
    """All frames of a pane."""
    board, number = asked(request)
    pane = board.panes[number]
    algorithm = algorithm_of(pane)
    settings = algorithm.settings(pane.options)
    if algorithm.name == "neuron":
        return Neuron(board, settings).document()
    check_classes(algorithm, board)
    check_weights(board, settings.get("init"))
    with warnings.catch_warnings(action="ignore"):  # budgets: the outcome says so
        if algorithm.name == "means":
            return means(board)
        made = traced(board, number, steps_in(request))
        fitted = searched(board, number) if made.kind in SEARCHES else None
        told = told_of(board, made, settings, number, fitted)
    return {
        "title": made.estimator,
        **told.document(),
        "chart": chart_of(board, made, settings, algorithm, fitted),
        "outcome": outcome(made),
        "cut": made.stop_reason is None,
    }


def asked(request: dict[str, Any]) -> tuple[Board, int]:
    """The board of a request, and the number of a pane."""
    board, number = Board.of(request.get("board")), request.get("pane", 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(board.panes):
        raise ParameterError(f"pane must be a number from 0 to {len(board.panes) - 1}, not {number!r}.")
    return board, number


def steps_in(request: dict[str, Any]) -> int:
    """How many steps are asked for."""
    steps = request.get("steps", SHOWN)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= STEPS:
        raise ParameterError(f"steps must be a number from 1 to {STEPS}, not {steps!r}.")
    return steps


def check_classes(algorithm: Algorithm, board: Board) -> None:
    """Refuse points that the algorithm has no use for."""
    if algorithm.needs == "gaussians or points" and board.gaussians:
        return
    least, most = algorithm.classes
    found = len(board.present)
    if found < min(least, 2):
        there = "no points yet" if not found else f"points of class {board.classes[board.present[0]]} only"
        raise DataError(f"Put points of at least two classes on the board; there are {there}.")
    if found < least:
        raise DataError(f"{algorithm.label} is for {least} classes and more; for two, take the perceptron.")
    if found > most:
        raise DataError(
            f"{algorithm.label} is for two classes, and the points are of {found}. Delete the others, or take the "
            "perceptron, which takes all."
        )


def check_weights(board: Board, init: Any) -> None:
    """Refuse start weights that are not those of the classes that have points."""
    if init is None:
        return
    count = len(board.present)
    if np.shape(init) != ((3,) if count == 2 else (count, 3)):
        each = "" if count == 2 else " for each class"
        raise DataError(
            f"Points of {count} classes are on the board, so the start weights are three numbers{each}: w1, w2 and the "
            "bias weight. Give these, or none for zeros."
        )


def traced(board: Board, number: int, steps: int = STEPS) -> Trace:
    """The steps of a pane, as the library records them."""
    pane = board.panes[number]
    model = model_of(pane)
    if pane.algorithm == "anderson" and board.gaussians:
        return trace_gaussians(model, *drawn(board), max_steps=steps)
    return trace(model, board.X, board.y, max_steps=steps)


def searched(board: Board, number: int) -> Any:
    """What a search of a pane finds, with its history."""
    model = model_of(board.panes[number])
    if board.panes[number].algorithm == "anderson" and board.gaussians:
        return model.fit_gaussians(*drawn(board))
    return model.fit(board.X, board.y)


def told_of(board: Board, made: Trace, settings: dict[str, Any], number: int, fitted: Any) -> Told:
    """The frames of a trace, by its kind."""
    codes = [board.classes.index(label) for label in made.classes]
    if made.kind == "gaussians":
        return Touching(board, fitted, made, codes).told()
    if made.members:
        pairs = None
        if board.panes[number].algorithm == "one_vs_one":
            pairs = [(a, b) for a in range(len(codes)) for b in range(a + 1, len(codes))]
        return Members(board, made, codes, settings, pairs).told()
    if made.kind == "kernel":
        return InKernel(board, made, codes, settings).told()
    if made.kind == "hulls":
        return Hulls(board, made, codes, settings).told()
    if made.kind == "passes":
        return Passes(board, made, codes, settings).told()
    return (TwoClasses if len(codes) == 2 else ManyClasses)(board, made, codes, settings).told()


def chart_of(board: Board, made: Trace, settings: dict[str, Any], algorithm: Algorithm, fitted: Any) -> Any:
    """The curve that says most of a run."""
    if fitted is not None:
        first = fitted.history_[0]
        return charts.bounds_chart(made, SEARCHES[made.kind], (float(first["lower"]), float(first["upper"])))
    if made.kind == "passes":
        return charts.wrong_chart(made)
    if made.members:
        return None
    if algorithm.name == "pocket":
        return charts.pocket_chart(made, board, settings)
    plain = algorithm.name == "perceptron" and settings["init"] is None and not settings["margin"]
    return charts.updates_chart(made, board, settings, bounded=plain)


def outcome(made: Trace) -> dict[str, str]:
    """Why it stopped, and what was reached."""
    if made.stop_reason is None:
        return {"kind": "open", "text": f"Only the first {len(made):,} steps are shown; it had not stopped by then."}
    kind = "good" if made.stop_reason in GOOD else "bad"
    counted = ""
    if made.kind in ("rows", "kernel") and len(made) and not made.members:
        updates, passes = made[-1].updates, made[-1].epoch
        counted = f" {updates} update{'s' * (updates != 1)} in {passes} pass{'es' * (passes != 1)}."
    said = made.stop_reason.value
    if made.kind == "gaussians":
        said = said.replace("every row", "every mean").replace("of rows", "of means")
    return {"kind": kind, "text": f"{said}{counted}"}


def means(board: Board) -> Run:
    """The nearest mean, which has nothing to search for: one step."""
    model = NearestMean().fit(board.X, board.y)
    codes = [board.classes.index(label) for label in model.classes_.tolist()]
    told = Told([("class", False), *((f"mean {name}", True) for name in board.names)])
    points = [
        shapes.mark(mean, "mean", code=code, label=f"mean of {board.classes[code]}")
        for code, mean in zip(codes, model.means_, strict=True)
    ]
    told.add("start", "start", "The mean of each class is its weight vector.", told.ground("means", lambda: points))
    cells = shapes.areas(np.asarray(model.coef_), np.atleast_1d(model.intercept_), codes, board.view)
    words = "Each place belongs to the class whose mean is nearest: the Voronoi cells of the means."
    told.add("step", "step 1 of 1", words, told.ground("cells", lambda: [*cells, *points]), cells=None)
    wrong = int((model.predict(board.X) != board.y).sum())
    text = f"{wrong} of {len(board.points)} points are nearer to the mean of another class."
    kind = "good" if not wrong else "bad"
    return {
        "title": "NearestMean()",
        **told.document(),
        "chart": None,
        "outcome": {"kind": kind, "text": text},
        "cut": False,
    }

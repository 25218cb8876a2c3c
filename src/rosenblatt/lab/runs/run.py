"""A pane of the board, run: every step of its algorithm, for the page to play."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.data.files.board import STEPS, Board
from rosenblatt.errors import DataError, ParameterError, abridged
from rosenblatt.lab.catalogue import algorithm_of, model_of
from rosenblatt.lab.options import Algorithm
from rosenblatt.lab.runs import charts
from rosenblatt.lab.runs.batch import Passes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.runs.gaussians import Touching, drawn
from rosenblatt.lab.runs.hulls import Hulls
from rosenblatt.lab.runs.kernel import InKernel
from rosenblatt.lab.runs.many_classes import ManyClasses
from rosenblatt.lab.runs.means import means
from rosenblatt.lab.runs.members import Members
from rosenblatt.lab.runs.neuron import Neuron
from rosenblatt.lab.runs.outcome import SEARCHES, outcome
from rosenblatt.lab.runs.two_classes import TwoClasses
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import trace, trace_gaussians

Run = dict[str, Any]
SHOWN = 400  # steps that a page is given unless it asks for more


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
    chart = chart_of(board, made, settings, algorithm, fitted)
    return {
        "title": made.estimator,
        **told.document(),
        "chart": chart,
        "outcome": outcome(made, chart),
        "cut": made.stop_reason is None,
    }


def asked(request: dict[str, Any]) -> tuple[Board, int]:
    """The board of a request, and the number of a pane."""
    board, number = Board.of(request.get("board")), request.get("pane", 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(board.panes):
        raise ParameterError(f"pane must be 0{' or 1' * (len(board.panes) > 1)}, not {abridged(number)}.")
    return board, number


def steps_in(request: dict[str, Any]) -> int:
    """How many steps are asked for."""
    steps = request.get("steps", SHOWN)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= STEPS:
        raise ParameterError(f"steps must be a number from 1 to {STEPS}, not {abridged(steps)}.")
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
        return Hulls(board, made, codes, settings, fitted).told()
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

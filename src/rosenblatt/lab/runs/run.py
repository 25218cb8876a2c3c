"""The job `run`: trains the algorithm of a pane, and returns every step as frames for the page."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.data.files.lab_board import MAX_STEPS, Board
from rosenblatt.errors import DataError, ParameterError, abridged
from rosenblatt.lab.catalogue import algorithm_of
from rosenblatt.lab.options import Algorithm
from rosenblatt.lab.runs.batch import BatchFrames
from rosenblatt.lab.runs.charts import chart_of
from rosenblatt.lab.runs.frames import Document, FrameBuilder, TracedRun, TraceFrames
from rosenblatt.lab.runs.gaussians import GaussianFrames, drawn_gaussians
from rosenblatt.lab.runs.hulls import HullFrames
from rosenblatt.lab.runs.kernel import KernelFrames
from rosenblatt.lab.runs.many_classes import ManyClassFrames
from rosenblatt.lab.runs.means import MeanFrames
from rosenblatt.lab.runs.members import MemberFrames
from rosenblatt.lab.runs.neuron import NeuronFrames
from rosenblatt.lab.runs.outcome import outcome
from rosenblatt.lab.runs.two_classes import TwoClassFrames
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import trace, trace_gaussian_search, trace_search

DEFAULT_STEPS = 400  # that the page gets if it does not say how many
BUILDERS: dict[Kind, type[TraceFrames]] = {
    Kind.ROWS: TwoClassFrames,  # of two classes; `ManyClassFrames` of more
    Kind.KERNEL: KernelFrames,
    Kind.PASSES: BatchFrames,
    Kind.HULLS: HullFrames,
    Kind.GAUSSIANS: GaussianFrames,
}


def run(request: dict[str, Any]) -> Document:
    """Run the algorithm of a pane, and return its frames, its chart and its outcome."""
    board, number = pane_asked_for(request)
    algorithm = algorithm_of(board.panes[number])
    settings = algorithm.settings(board.panes[number].options)
    if not algorithm.learns:
        return NeuronFrames(board, settings).document()
    check_classes(algorithm, board)
    check_weights(board, settings.get("init"))
    with warnings.catch_warnings(action="ignore"):  # of exhausted budgets: the outcome says so
        if not algorithm.has_steps:
            return MeanFrames(board).document()
        made = traced_run(board, algorithm, settings, steps_asked_for(request))
        frames = builder_of(made).build()
    chart = chart_of(made)
    return {
        "title": made.trace.estimator,
        **frames.document(),
        "chart": chart,
        "outcome": outcome(made.trace, chart),
        "cut": made.trace.stop_reason is None,
    }


def pane_asked_for(request: dict[str, Any]) -> tuple[Board, int]:
    """Return the board of a request, and the number of the pane."""
    board, number = Board.of(request.get("board")), request.get("pane", 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(board.panes):
        raise ParameterError(f"pane must be 0{' or 1' * (len(board.panes) > 1)}, not {abridged(number)}.")
    return board, number


def steps_asked_for(request: dict[str, Any]) -> int:
    """Return the largest number of steps that a request asks for."""
    steps = request.get("steps", DEFAULT_STEPS)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MAX_STEPS:
        raise ParameterError(f"steps must be a number from 1 to {MAX_STEPS}, not {abridged(steps)}.")
    return steps


def check_classes(algorithm: Algorithm, board: Board) -> None:
    """Raise if the algorithm cannot learn from the classes on the board."""
    if algorithm.learns_drawn_gaussians(board):
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
    """Raise if start weights do not have the shape that the classes on the board need."""
    if init is None:
        return
    count = len(board.present)
    if np.shape(init) != ((3,) if count == 2 else (count, 3)):
        each = "" if count == 2 else " for each class"
        raise DataError(
            f"Points of {count} classes are on the board, so the start weights are three numbers{each}: w1, w2 and the "
            "bias weight. Give these, or none for zeros."
        )


def traced(board: Board, number: int, steps: int = MAX_STEPS) -> Trace:
    """Return the steps of a pane."""
    algorithm = algorithm_of(board.panes[number])
    return traced_run(board, algorithm, algorithm.settings(board.panes[number].options), steps).trace


def traced_run(board: Board, algorithm: Algorithm, settings: dict[str, Any], steps: int) -> TracedRun:
    """Train an algorithm once, and record at most so many steps."""
    model, bounds, fitted = algorithm.model(settings), None, None
    if algorithm.learns_drawn_gaussians(board):
        made, bounds, fitted = trace_gaussian_search(model, *drawn_gaussians(board), max_steps=steps)
    elif algorithm.is_search:
        made, bounds, fitted = trace_search(model, board.X, board.y, max_steps=steps)
    else:
        made = trace(model, board.X, board.y, max_steps=steps)
    codes = [board.classes.index(label) for label in made.classes]
    return TracedRun(board, algorithm, settings, made, codes, bounds, fitted)


def builder_of(run: TracedRun) -> FrameBuilder:
    """Return the builder of the frames of a run, by the kind of its steps."""
    if run.trace.members:
        return MemberFrames(run)
    if run.trace.kind is Kind.ROWS and len(run.codes) > 2:
        return ManyClassFrames(run)
    return BUILDERS[run.trace.kind](run)

"""Frames of Anderson's task: ellipses of two classes that touch a hyperplane become larger with every step."""

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.data.files.lab_board import Board
from rosenblatt.data.validation import Floats
from rosenblatt.errors import DataError
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, StepInRun, TracedRun, TraceFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import becomes, short, vector, weights_of
from rosenblatt.tracing.step import Step


class DrawnGaussians(NamedTuple):
    """The Gaussians that were drawn by hand."""

    means: Floats
    covariances: Floats
    labels: list[Any]


def drawn_gaussians(board: Board) -> DrawnGaussians:
    """Return the Gaussians that were drawn on the board.

    Raises
    ------
    DataError
        They are not of two classes.
    """
    rows = np.array([gaussian[:6] for gaussian in board.gaussians]).reshape(-1, 3, 2)
    a, b = rows[:, 1], rows[:, 2]
    covariances = a[:, :, np.newaxis] * a[:, np.newaxis] + b[:, :, np.newaxis] * b[:, np.newaxis]
    labels = [board.classes[gaussian[6]] for gaussian in board.gaussians]
    if len(set(labels)) != 2:
        raise DataError("Draw Gaussians of two classes, at least one of each; or none, to have them estimated.")
    return DrawnGaussians(rows[:, 0], covariances, labels)


def half_axes(covariance: Floats) -> tuple[Floats, Floats]:
    """Return two vectors a and b with a a' + b b' = the covariance: the half-axes of its ellipse."""
    values, vectors = np.linalg.eigh(covariance)
    a, b = (np.sqrt(np.maximum(values, 0.0)) * vectors).T
    return a, b


class GaussianFrames(TraceFrames):
    """Builds the frames of a search for the hyperplane with the smallest worst error."""

    def __init__(self, run: TracedRun) -> None:
        super().__init__(run)
        self.model: Anderson = run.fitted
        first = self.model.classes_[0]
        self.component_codes = [self.codes[int(label != first)] for label in self.model.component_labels_]
        self.axes = [half_axes(covariance) for covariance in self.model.covariances_]

    def columns(self) -> Columns:
        return [*((name, True) for name in ("#", "worst", "radius", "at least", "at most")), *self.weight_columns()]

    def cells(self, at: StepInRun) -> list[str]:
        step = at.step
        bounds = ["" if number is None else short(number) for number in (step.radius, step.lower, step.upper)]
        return [str(at.number), str(step.index), *bounds, *self.weight_cells(step.w)]

    def kind(self, step: Step) -> str:  # noqa: ARG002
        return "step"

    def head(self, at: StepInRun) -> str:
        return f"step {at.number} of {len(self.trace)}"

    def points(self, step: Step) -> list[int]:  # noqa: ARG002
        return []

    def ground_key(self, number: int, step: Step | None) -> Hashable:  # noqa: ARG002
        return number

    def start_sentence(self) -> str:
        return f"The search starts from {weights_of(self.trace.start, self.trace.bias)}."

    def sentence(self, at: StepInRun) -> str:
        step = at.step
        worst = f"Gaussian {step.index} at {vector(step.x)}, class {step.y}, was the worst."
        moves = "The line stays" if step.w == at.before else "The line moves"
        if step.radius is None or not step.radius > 0:
            return f"{worst} {moves}; some mean is still on its wrong side."
        error = 100 * float(ndtr(-step.radius))
        size = f"{error:.3g} %" if error > 0 else "less than 1e-300 %"
        return (
            f"{worst} {moves}; now ellipses of {short(step.radius)} standard deviations touch it, so that the worst "
            f"error is {size}."
        )

    def formula(self, at: StepInRun) -> str:
        return becomes(at.before, at.step.w, self.trace.bias)

    def motion(self, at: StepInRun) -> list[Shape]:
        return shapes.boundary(self.plane(at.before), self.board.view, "before")

    def draw(self, number: int, step: Step | None) -> list[Shape]:
        """Return half-spaces, the Gaussians, their ellipses that touch the line, and where they touch it."""
        view, plane, model = self.board.view, self.plane(self.state(step)), self.model
        radius = float(model.history_[0]["radius"]) if step is None else step.radius or 0.0
        touching = 0 < radius < math.inf
        answer = model.hyperplane_ if number == len(model.history_) - 1 else plane
        seen = shapes.half_spaces(answer, self.codes, view)
        if not shapes.same_line(answer, plane):
            seen += shapes.boundary(answer, view, "answer", title="the best line so far, which predicts")
        for code, mean, (a, b) in zip(self.component_codes, model.means_, self.axes, strict=True):
            if not self.board.gaussians:
                seen += [shapes.ellipse(mean, a, b, code, "gaussian"), shapes.mark(mean, "mean", code=code)]
            if touching:
                seen.append(shapes.ellipse(mean, radius * a, radius * b, code, "touching"))
        seen += [*shapes.boundary(plane, view), *shapes.normal(plane, view)]
        if touching:
            contacts = zip(self.component_codes, model.contact_points(number), strict=True)
            seen += [shapes.mark(at, "contact", code=code) for code, at in contacts]
        return seen

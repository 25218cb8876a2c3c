"""Anderson's task: a hyperplane and ellipses that touch it, larger with every step; frame by frame."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.data.files.board import Board
from rosenblatt.data.validation import Floats
from rosenblatt.errors import DataError
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, short, vector, weights_of
from rosenblatt.tracing.step import Step
from rosenblatt.tracing.trace import Trace


class Drawn(NamedTuple):
    """Gaussians as the board has them."""

    means: Floats
    covariances: Floats
    labels: list[Any]


def drawn(board: Board) -> Drawn:
    """The Gaussians that were drawn by hand."""
    rows = np.array([gaussian[:6] for gaussian in board.gaussians]).reshape(-1, 3, 2)
    a, b = rows[:, 1], rows[:, 2]
    covariances = a[:, :, np.newaxis] * a[:, np.newaxis] + b[:, :, np.newaxis] * b[:, np.newaxis]
    labels = [board.classes[gaussian[6]] for gaussian in board.gaussians]
    if len(set(labels)) != 2:
        raise DataError("Draw Gaussians of two classes, at least one of each; or none, to have them estimated.")
    return Drawn(rows[:, 0], covariances, labels)


def half_axes(covariance: Floats) -> tuple[Floats, Floats]:
    """Two vectors a and b with a a' + b b' = the covariance: the half-axes of its ellipse."""
    values, vectors = np.linalg.eigh(covariance)
    a, b = (np.sqrt(np.maximum(values, 0.0)) * vectors).T
    return a, b


class Touching:
    """The frames of a search for the hyperplane with the smallest worst error.

    Parameters
    ----------
    board : with the points, or the Gaussians
    model : fitted, as it was traced
    trace : what happened
    codes : the numbers on the board of the negative class and of the positive
    """

    def __init__(self, board: Board, model: Anderson, trace: Trace, codes: Sequence[int]) -> None:
        self.board, self.model, self.trace, self.codes = board, model, trace, codes
        first = model.classes_[0]
        self.of = [codes[0] if label == first else codes[1] for label in model.component_labels_]
        self.axes = [half_axes(covariance) for covariance in model.covariances_]

    def told(self) -> Told:
        """All frames: the start, then a step each."""
        weights = ["b", *(f"w {heading(name)}" for name in self.board.names)]
        told = Told([(name, True) for name in ("#", "worst", "radius", "at least", "at most", *weights)])
        start = self.trace.start
        words = f"The search starts from {weights_of(start, 1.0)}."
        radius = float(self.model.history_[0]["radius"])
        told.add("start", "start", words, told.ground((start,), lambda: self.draw(start, radius, 0)))
        before = start
        for t, step in enumerate(self.trace, 1):
            told.add(
                "step",
                f"step {t} of {len(self.trace)}",
                self.sentence(step, before),
                told.ground((step.w, t), lambda step=step, t=t: self.draw(step.w, step.radius, t)),  # type: ignore[misc]
                cells=self.cells(t, step),
                formula=f"{weights_of(before, 1.0)} becomes {weights_of(step.w, 1.0)}",
                shapes=shapes.boundary(Hyperplane.from_weights(before), self.board.view, "before"),
            )
            before = step.w
        return told

    def cells(self, t: int, step: Step) -> list[str]:
        numbers = (step.radius, step.lower, step.upper)
        bounds = ["" if number is None else short(number) for number in numbers]
        return [str(t), str(step.index), *bounds, short(step.w[-1]), *map(short, step.w[:-1])]

    def sentence(self, step: Step, before: tuple[float, ...]) -> str:
        worst = f"Gaussian {step.index} at {vector(step.x)}, class {step.y}, was the worst."
        moves = "The line stays" if step.w == before else "The line moves"
        if step.radius is None or not step.radius > 0:
            return f"{worst} {moves}; some mean is still on its wrong side."
        error = 100 * float(ndtr(-step.radius))
        size = f"{error:.3g} %" if error > 0 else "less than 1e-300 %"
        return (
            f"{worst} {moves}; now ellipses of {short(step.radius)} standard deviations touch it, so that the worst "
            f"error is {size}."
        )

    def draw(self, w: Any, radius: float | None, t: int) -> list[Shape]:
        """Half-spaces, the Gaussians, their ellipses that just touch, and where they do."""
        view, plane = self.board.view, Hyperplane.from_weights(w)
        answer = self.model.hyperplane_ if t == len(self.model.history_) - 1 else plane
        seen = shapes.half_spaces(answer, self.codes, view)
        if not shapes.same_line(answer, plane):
            seen += shapes.boundary(answer, view, "answer", title="the best line met, which answers")
        means = self.model.means_
        for code, mean, (a, b) in zip(self.of, means, self.axes, strict=True):
            if not self.board.gaussians:
                seen += [shapes.ellipse(mean, a, b, code, "gaussian"), shapes.mark(mean, "mean", code=code)]
            if radius is not None and 0 < radius < math.inf:
                seen.append(shapes.ellipse(mean, radius * a, radius * b, code, "touching"))
        seen += [*shapes.boundary(plane, view), *shapes.normal(plane, view)]
        if radius is not None and 0 < radius < math.inf:
            contacts = zip(self.of, self.model.contact_points(t), strict=True)
            seen += [shapes.mark(at, "contact", code=code) for code, at in contacts]
        return seen

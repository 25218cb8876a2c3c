"""The nearest mean, which has nothing to search for; frame by frame."""

from typing import Any

import numpy as np

from rosenblatt.classifiers.nearest_mean import NearestMean
from rosenblatt.data.files.board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Told
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, short, vector

Run = dict[str, Any]


def means(board: Board) -> Run:
    """A step a class, and the regions at the last."""
    model = NearestMean().fit(board.X, board.y)
    codes = [board.classes.index(label) for label in model.classes_.tolist()]
    told = Told([("class", False), *((f"mean {heading(name)}", True) for name in board.names)])
    told.add("start", "start", "The mean of each class will be its weight vector.", told.ground((), list))
    marks: list[Shape] = []
    for t, (code, mean) in enumerate(zip(codes, model.means_.tolist(), strict=True), 1):
        label = board.classes[code]
        marks = [*marks, shapes.mark(mean, "mean", code=code, label=f"mean of {label}")]
        words = f"The mean of class {label} is {vector(mean)}."
        ground = marks
        if t == len(codes):
            words += " Each place belongs to the class whose mean is nearest: the Voronoi cells of the means."
            ground = [*shapes.areas(model.coef_, np.atleast_1d(model.intercept_), codes, board.view), *marks]
            if t == 2:
                ground += shapes.boundary(model.hyperplane_, board.view)
        own = [i for i, point in enumerate(board.points) if point[2] == code]
        cells = [str(label), *map(short, mean)]
        told.add(
            "step",
            f"step {t} of {len(codes)}",
            words,
            told.ground(t, lambda ground=ground: ground),  # type: ignore[misc]
            cells=cells,
            points=own,
        )
    wrong = int((model.predict(board.X) != board.y).sum())
    is_ = "is" if wrong == 1 else "are"
    text = f"{wrong} of {len(board.points)} points {is_} nearer to the mean of another class."
    ending = {"kind": "good" if not wrong else "bad", "text": text}
    return {"title": "NearestMean()", **told.document(), "chart": None, "outcome": ending, "cut": False}

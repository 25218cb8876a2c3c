"""Frames of the nearest mean, which is computed and not searched for."""

import numpy as np

from rosenblatt.classifiers.nearest_mean import NearestMean
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab import shapes
from rosenblatt.lab.runs.frames import Columns, Frames, UntracedFrames
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import heading, short, vector


class MeanFrames(UntracedFrames):
    """Builds one frame for each class; the last frame shows the regions.

    Parameters
    ----------
    board : the points
    """

    def __init__(self, board: Board) -> None:
        self.board, self.model = board, NearestMean().fit(board.X, board.y)
        self.codes = [board.classes.index(label) for label in self.model.classes_.tolist()]

    def title(self) -> str:
        return "NearestMean()"

    def columns(self) -> Columns:
        return [("class", False), *((f"mean {heading(name)}", True) for name in self.board.names)]

    def build(self) -> Frames:
        frames, marks = Frames(self.columns()), []
        frames.add("start", "start", "The mean of each class will be its weight vector.", frames.ground(0, list))
        for number, (code, mean) in enumerate(zip(self.codes, self.model.means_.tolist(), strict=True), 1):
            label, is_last = self.board.classes[code], number == len(self.codes)
            marks.append(shapes.mark(mean, "mean", code=code, label=f"mean of {label}"))
            words = f"The mean of class {label} is {vector(mean)}."
            if is_last:
                words += " Each place belongs to the class whose mean is nearest: the Voronoi cells of the means."
            ground = self.regions(marks) if is_last else list(marks)
            frames.add(
                "step",
                f"step {number} of {len(self.codes)}",
                words,
                frames.ground(number, ground.copy),
                cells=[str(label), *map(short, mean)],
                points=[i for i, point in enumerate(self.board.points) if point[2] == code],
            )
        return frames

    def regions(self, marks: list[Shape]) -> list[Shape]:
        """Return where each class wins, with the means; of two classes, with the boundary."""
        model, view = self.model, self.board.view
        seen = [*shapes.areas(model.coef_, np.atleast_1d(model.intercept_), self.codes, view), *marks]
        return seen + shapes.boundary(model.hyperplane_, view) if len(self.codes) == 2 else seen

    def outcome(self) -> dict[str, str]:
        wrong = int((self.model.predict(self.board.X) != self.board.y).sum())
        is_ = "is" if wrong == 1 else "are"
        text = f"{wrong} of {len(self.board.points)} points {is_} nearer to the mean of another class."
        return {"kind": "bad" if wrong else "good", "text": text}

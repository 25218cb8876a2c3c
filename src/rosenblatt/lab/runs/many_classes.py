"""Frames of the perceptron of more than two classes: one weight vector for each class, and the largest score wins."""

from rosenblatt.lab.runs.frames import Columns, StepInRun
from rosenblatt.lab.runs.row_frames import RowFrames
from rosenblatt.lab.shapes import Shape, class_areas
from rosenblatt.lab.wording import changes, class_weight_cells, heading, product, short, starting, turned, vector
from rosenblatt.tracing.step import Step


class ManyClassFrames(RowFrames):
    """Builds the frames of a run that learns from more than two classes."""

    def columns(self) -> Columns:
        names = [heading(str(label)) for label in self.trace.classes]
        scores = [(f"score {name}", True) for name in names]
        weights = [(f"w {name}", False) for name in names]
        return [*self.point_columns(), ("class", False), *scores, ("taken for", False), ("mistake", False), *weights]

    def cells(self, at: StepInRun) -> list[str]:
        step = at.step
        said = [*map(short, step.score), str(step.predicted), "yes" if step.mistake else "no"]
        return [*self.point_cells(at), str(step.y), *said, *class_weight_cells(step.w, self.trace.bias)]

    def start_sentence(self) -> str:
        return f"The run starts from {starting(self.trace.start, self.trace.classes, self.trace.bias)}."

    def sentence(self, at: StepInRun) -> str:
        step = at.step
        point = f"Point {step.index} at {vector(step.x)} is of class {step.y}."
        best = f"The largest score, {short(max(step.score))}, is that of {step.predicted}"
        if step.predicted == step.y and not step.updated:
            return f"{point} {best}, which is right; all weights stay."
        if step.predicted == step.y:
            moved = f"It is added to the weights of {step.y} and subtracted from those of the class that was too near."
            return f"{point} {best}, but not by enough. {moved}{turned(step, self.trace.bias)}"
        if step.score[self.trace.classes.index(step.y)] == max(step.score):
            best = f"Its score for {step.y}, {short(max(step.score))}, is the largest, but {step.predicted} has as much"
        if not step.updated:
            return f"{point} {best}: a mistake. All weights stay."
        moved = f"It is added to the weights of {step.y} and subtracted from those of {step.predicted}."
        return f"{point} {best}: a mistake. {moved}{turned(step, self.trace.bias)}"

    def score(self, at: StepInRun) -> str:
        """Return a line for each class."""
        lines = zip(self.trace.classes, at.before, at.step.score, strict=True)
        return "\n".join(f"{label}: {product(w, at.step.x, self.trace.bias, score)}" for label, w, score in lines)

    def formula(self, at: StepInRun) -> str:
        """Return a line for each class whose weights change."""
        return changes(self.trace, at.step, at.before)

    def draw(self, number: int, step: Step | None) -> list[Shape]:
        """Return where each class wins."""
        predicting = self.state(step) if step is None or step.answer is None else step.answer
        return self.vote_cells(number) or class_areas(predicting, self.trace.bias, self.codes, self.board.view)

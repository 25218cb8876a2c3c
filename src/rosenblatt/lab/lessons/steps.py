"""Lessons, exercises and their steps. A step has a text, a board, and a question with its feedback."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.data.files.lab_board import Board, Pane, view_of
from rosenblatt.errors import DataError
from rosenblatt.lab.lessons.questions import Judgement, Points, Question, quoted, shortened


@dataclass(frozen=True)
class Reveal:
    """The frame, proof and shapes that the page shows after the right answer.

    Attributes
    ----------
    t : frame of the run to go to; -1 is the last frame, None leaves the frame as it is
    proof : whether the page draws the proof
    shapes : shapes to draw on the plane
    """

    t: int | None = None
    proof: bool = False
    shapes: tuple[dict[str, Any], ...] = ()

    def document(self) -> dict[str, Any]:
        return {"t": self.t, "proof": self.proof, "shapes": list(self.shapes)}


def first_wrong(judged: Mapping[str, Judgement]) -> str:
    """The number of right answers, and the feedback to the first wrong answer."""
    right = sum(j.right for j in judged.values())
    sentence = next(j.say for j in judged.values() if not j.right)
    if len(judged) == 1 or not right:
        return f"Not yet. {sentence}"
    return f"Not yet. {right} of {len(judged)} answers {'is' if right == 1 else 'are'} right. {sentence}"


def only_first_wrong(judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """Replace the feedback to every wrong answer after the first: such an answer may follow from the first one."""
    seen, kept = False, {}
    for name, j in judged.items():
        later = "This answer depends on the steps before. Correct them first."
        kept[name] = Judgement(False, later) if seen and not j.right else j
        seen = seen or not j.right
    return kept


@dataclass(frozen=True)
class Ask:
    """The question part of a step.

    Attributes
    ----------
    prompt : the question in words
    questions : one field each
    why : computes the explanation of the right answer, with its numbers
    reveal : computes what the page shows after the right answer
    chained : whether each answer depends on the answers before it; if so, only the first wrong answer gets feedback
    """

    prompt: str
    questions: tuple[Question, ...]
    why: Callable[[], str]
    reveal: Callable[[], Reveal] = Reveal
    chained: bool = False

    def document(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "fields": [question.document() for question in self.questions]}

    def solution(self) -> dict[str, Any]:
        """Right answers by name of the field. The answer of a `Points` question is a board."""
        return {question.name: question.solution() for question in self.questions}

    def check(self, answers: Any, board: Any) -> dict[str, Any]:
        """Check answers, and return the feedback for the page."""
        given = self._given(answers, board)
        judged = {q.name: q.judge(q.read(given[q.name])) for q in self.questions}
        right = all(j.right for j in judged.values())
        if self.chained and not right:
            judged = only_first_wrong(judged)
        return {
            "right": right,
            "say": self._praise(judged) if right else first_wrong(judged),
            "fields": {name: {"right": j.right, "say": j.say} for name, j in judged.items()},
            "reveal": self._revealed(judged) if right else None,
        }

    def show(self) -> dict[str, Any]:
        """The right answers and the explanation, for a reader who asks to see them."""
        answers = {q.name: {"right": False, "say": f"The answer: {q.solution_text()}"} for q in self.questions}
        judged = {q.name: q.judge(q.read(q.solution())) for q in self.questions}
        return {
            "right": False,
            "say": self.why(),
            "fields": answers,
            "answers": self.solution(),
            "reveal": self._revealed(judged),
        }

    def _revealed(self, judged: Mapping[str, Judgement]) -> dict[str, Any]:
        """The reveal as JSON, with the shapes that come with the answers."""
        reveal = self.reveal()
        shapes = (*reveal.shapes, *(shape for j in judged.values() for shape in j.shapes))
        return replace(reveal, shapes=shapes).document()

    def _praise(self, judged: Mapping[str, Judgement]) -> str:
        return " ".join(["Right.", *(j.say for j in judged.values() if j.say), self.why()])

    def _given(self, answers: Any, board: Any) -> dict[str, Any]:
        """The answers by field; raise DataError if one is missing or belongs to no field."""
        if not isinstance(answers, dict):
            raise DataError(f"answers must be an object with an entry for each field, not {shortened(answers)}.")
        fields = [q.name for q in self.questions]
        for name in answers:
            if name not in fields:
                raise DataError(f"There is no field {shortened(name)} here. The fields are {', '.join(fields)}.")
        given = dict(answers)
        for q in self.questions:
            if isinstance(q, Points):
                given[q.name] = board
            if given.get(q.name) is None:
                raise DataError(f"{quoted(q.label)} has no answer yet.")
        return given


@dataclass(frozen=True)
class Step:
    """One step of a lesson, or one exercise made from a seed."""

    say: tuple[str, ...]
    board: Board | None = None
    ask: Ask | None = None
    t: int | None = None
    proof: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "say": list(self.say),
            "board": self.board.document() if self.board else None,
            "t": self.t,
            "proof": self.proof,
            "ask": self.ask.document() if self.ask else None,
        }


@dataclass(frozen=True)
class Lesson:
    """A lesson: one lecture in steps."""

    id: str
    title: str
    lecture: str
    steps: tuple[Step, ...]

    def document(self) -> dict[str, Any]:
        steps = [step.document() for step in self.steps]
        return {"id": self.id, "title": self.title, "lecture": self.lecture, "steps": steps}


@dataclass(frozen=True)
class Exercise:
    """An exercise. `make_step` makes a new one from each seed."""

    id: str
    title: str
    about: str
    make_step: Callable[[int], Step] = field(repr=False)

    def document(self) -> dict[str, Any]:
        return {"id": self.id, "title": self.title, "about": self.about}


def board_of(
    rows: Sequence[tuple[float, float, Any]],
    *panes: Pane,
    classes: tuple[str | int, ...] = (-1, 1),
    gaussians: Sequence[tuple[Any, ...]] = (),
    names: tuple[str, str] = ("x1", "x2"),
    around: Sequence[tuple[float, float]] = ((0, 0),),
) -> Board:
    """A board with points and algorithms, and a view that contains the points and the places of `around`.

    Parameters
    ----------
    rows : x, y and the label of each point
    panes : the algorithms; one perceptron by default
    classes : all labels; of two classes, the first is the negative one
    gaussians : mean, half-axes and label of each Gaussian
    names : names of the two columns
    around : more places that the view must contain
    """
    code = {label: i for i, label in enumerate(classes)}
    board = Board(
        names=names,
        classes=classes,
        points=tuple((float(x), float(y), code[label]) for x, y, label in rows),
        gaussians=tuple((*map(float, g[:-1]), code[g[-1]]) for g in gaussians),  # type: ignore[misc]
        panes=panes or (Pane(),),
    )
    if gaussians:
        return board.fitted()
    return replace(board, view=view_of([*((x, y) for x, y, _ in rows), *around]))

"""A guided step: something to read, a board that shows it, a question, and what is said to the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.data.files.board import Board, Pane, view_of
from rosenblatt.errors import DataError
from rosenblatt.lab.lessons.questions import Judged, Points, Question, quoted, short


@dataclass(frozen=True)
class Reveal:
    """What the page shows once the answer is known.

    Attributes
    ----------
    t : the frame of the run; -1 for the last, None to leave it
    proof : is the proof opened?
    shapes : to draw on top
    """

    t: int | None = None
    proof: bool = False
    shapes: tuple[dict[str, Any], ...] = ()

    def document(self) -> dict[str, Any]:
        return {"t": self.t, "proof": self.proof, "shapes": list(self.shapes)}


def first_wrong(judged: Mapping[str, Judged]) -> str:
    """How much is right, and a sentence about the first thing that is not."""
    right, sentence = sum(j.right for j in judged.values()), next(j.say for j in judged.values() if not j.right)
    if len(judged) == 1 or not right:
        return f"Not yet. {sentence}"
    return f"Not yet: {right} of {len(judged)} {'is' if right == 1 else 'are'} right. {sentence}"


def only_first(judged: Mapping[str, Judged]) -> dict[str, Judged]:
    """The same, where what follows the first wrong answer is not spoken about: it may be right from there on."""
    seen, kept = False, {}
    for name, j in judged.items():
        kept[name] = (
            Judged(False, "This follows from the steps before: set them right first.") if seen and not j.right else j
        )
        seen = seen or not j.right
    return kept


@dataclass(frozen=True)
class Ask:
    """What a reader is asked.

    Attributes
    ----------
    prompt : in words
    questions : its fields
    why : what is right and why, with the numbers; computed when the answer is there
    reveal : what is shown then
    chained : does each answer depend on those before it?  Then only the first that is wrong is spoken about
    """

    prompt: str
    questions: tuple[Question, ...]
    why: Callable[[], str]
    reveal: Callable[[], Reveal] = Reveal
    chained: bool = False

    def document(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "fields": [question.document() for question in self.questions]}

    def solution(self) -> dict[str, Any]:
        """Right answers by name; that of a question about the board is a board."""
        return {question.name: question.solution() for question in self.questions}

    def check(self, answers: Any, board: Any) -> dict[str, Any]:
        """What the page is told about answers."""
        given = self._given(answers, board)
        judged = {q.name: q.judge(q.read(given[q.name])) for q in self.questions}
        right = all(j.right for j in judged.values())
        if self.chained and not right:
            judged = only_first(judged)
        return {
            "right": right,
            "say": self._praise(judged) if right else first_wrong(judged),
            "fields": {name: {"right": j.right, "say": j.say} for name, j in judged.items()},
            "reveal": self._revealed(judged) if right else None,
        }

    def show(self) -> dict[str, Any]:
        """What the page is told when the reader wants to see the answer."""
        told = {q.name: {"right": False, "say": f"The answer: {q.told()}"} for q in self.questions}
        judged = {q.name: q.judge(q.read(q.solution())) for q in self.questions}
        return {
            "right": False,
            "say": self.why(),
            "fields": told,
            "answers": self.solution(),
            "reveal": self._revealed(judged),
        }

    def _revealed(self, judged: Mapping[str, Judged]) -> dict[str, Any]:
        """What is shown, with what the answers themselves give to draw."""
        found = self.reveal()
        return replace(
            found, shapes=(*found.shapes, *(shape for j in judged.values() for shape in j.shapes))
        ).document()

    def _praise(self, judged: Mapping[str, Judged]) -> str:
        return " ".join(["Right.", *(j.say for j in judged.values() if j.say), self.why()])

    def _given(self, answers: Any, board: Any) -> dict[str, Any]:
        """An answer to every question, and to nothing else."""
        if not isinstance(answers, dict):
            raise DataError(f"answers must be an object with an entry for each field, not {short(answers)}.")
        asked = [q.name for q in self.questions]
        for name in answers:
            if name not in asked:
                raise DataError(f"There is no field {short(name)} here; the fields are {', '.join(asked)}.")
        given = dict(answers)
        for q in self.questions:
            if isinstance(q, Points):
                given[q.name] = board
            if given.get(q.name) is None:
                raise DataError(f"{quoted(q.label)} has no answer yet.")
        return given


@dataclass(frozen=True)
class Step:
    """A step of a lesson, or an exercise as it is posed."""

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
    """One lecture, step by step."""

    id: str
    title: str
    lecture: str
    steps: tuple[Step, ...]

    def document(self) -> dict[str, Any]:
        steps = [step.document() for step in self.steps]
        return {"id": self.id, "title": self.title, "lecture": self.lecture, "steps": steps}


@dataclass(frozen=True)
class Exercise:
    """Something that a student must be able to do, posed anew for every seed."""

    id: str
    title: str
    about: str
    posed: Callable[[int], Step] = field(repr=False)

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
    """A board with these points (x, y, label) and algorithms, in a view that has room for them and for what is around.

    Parameters
    ----------
    rows : x, y and the label of each point
    panes : the algorithms; a perceptron unless given
    classes : all labels; of two, the first is negative
    gaussians : mean, half-axes and label of each
    names : of the columns
    around : other places that must be in the view
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

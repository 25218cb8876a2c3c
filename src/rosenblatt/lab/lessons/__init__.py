"""Five guided lessons, one for each lecture, and six exercises.

Each step of a lesson shows a board and asks a question. The library computes the right answer when an answer is
checked. The names for other rooms are `listing`, `pose`, `check` and `solution`.

>>> from rosenblatt.lab.lessons import check, solution
>>> step = {"lesson": "margin", "step": 0}
>>> check({**step, "answers": solution(step)})["right"]
True
"""

from functools import lru_cache
from typing import Any

from rosenblatt.errors import ParameterError, meant
from rosenblatt.lab.lessons.exercises.defend_the_bias import DEFEND_THE_BIAS
from rosenblatt.lab.lessons.exercises.draw_the_boundary import DRAW_THE_BOUNDARY
from rosenblatt.lab.lessons.exercises.is_it_separable import IS_IT_SEPARABLE
from rosenblatt.lab.lessons.exercises.run_it import RUN_IT
from rosenblatt.lab.lessons.exercises.why_it_overfits import WHY_IT_OVERFITS
from rosenblatt.lab.lessons.exercises.will_it_converge import WILL_IT_CONVERGE
from rosenblatt.lab.lessons.lectures import cmu, cs188, cs360, hlavac, lums
from rosenblatt.lab.lessons.questions import shortened
from rosenblatt.lab.lessons.steps import Ask, Exercise, Lesson, Step

__all__ = ["EXERCISES", "LESSONS", "check", "listing", "pose", "solution"]

LESSONS = {part.LESSON.id: part.LESSON for part in (lums, cs360, hlavac, cmu, cs188)}
EXERCISES = {
    exercise.id: exercise
    for exercise in (
        RUN_IT,
        WILL_IT_CONVERGE,
        DRAW_THE_BOUNDARY,
        IS_IT_SEPARABLE,
        DEFEND_THE_BIAS,
        WHY_IT_OVERFITS,
    )
}
SEED_LIMIT = 2**31  # a seed must be below


def listing() -> dict[str, Any]:
    """All lessons with their steps, and a list of the exercises."""
    return {
        "lessons": [lesson.document() for lesson in LESSONS.values()],
        "exercises": [exercise.document() for exercise in EXERCISES.values()],
    }


def pose(request: dict[str, Any]) -> dict[str, Any]:
    """Make an exercise from a seed. The same seed gives the same exercise."""
    return _exercise_step(_exercise(request), _seed(request)).document()


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Check answers and return the feedback; with "show", return the right answers instead."""
    ask = _question(request)
    if request.get("show", False) is True:
        return ask.show()
    return ask.check(request.get("answers"), request.get("board"))


def solution(request: dict[str, Any]) -> dict[str, Any]:
    """Right answers to a step or an exercise, by name of the field. The answer of a field "board" is a board."""
    return _question(request).solution()


def _question(request: Any) -> Ask:
    if not isinstance(request, dict):
        raise ParameterError(f"A request must be an object, not {shortened(request)}.")
    if ("lesson" in request) == ("exercise" in request):
        raise ParameterError('A request must name a "lesson" and a "step", or an "exercise" and a "seed".')
    if "exercise" in request:
        step = _exercise_step(_exercise(request), _seed(request))
    else:
        step = _step(request)
    if step.ask is None:
        raise ParameterError("This step has no question. Go on to the next step.")
    return step.ask


def _step(request: dict[str, Any]) -> Step:
    lesson: Lesson = _find(LESSONS, request["lesson"], "lesson")
    number, last = request.get("step"), len(lesson.steps) - 1
    if not _is_whole(number) or not 0 <= number <= last:  # type: ignore[operator]
        raise ParameterError(f"step must be a whole number from 0 to {last} in this lesson, not {shortened(number)}.")
    return lesson.steps[number]  # type: ignore[index]


def _exercise(request: Any) -> Exercise:
    if not isinstance(request, dict):
        raise ParameterError(f"A request must be an object, not {shortened(request)}.")
    exercise: Exercise = _find(EXERCISES, request.get("exercise"), "exercise")
    return exercise


def _seed(request: dict[str, Any]) -> int:
    seed = request.get("seed")
    if not _is_whole(seed) or not 0 <= seed < SEED_LIMIT:  # type: ignore[operator]
        raise ParameterError(f"seed must be a whole number from 0 to {SEED_LIMIT - 1}, not {shortened(seed)}.")
    return int(seed)  # type: ignore[arg-type]


def _find(things: dict[str, Any], name: Any, what: str) -> Any:
    if not isinstance(name, str) or name not in things:
        hint = meant(name, things)
        raise ParameterError(f"There is no {what} {shortened(name)}. Choose one of {', '.join(things)}.{hint}")
    return things[name]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@lru_cache(maxsize=64)  # a reader checks the same exercise several times
def _exercise_step(exercise: Exercise, seed: int) -> Step:
    return exercise.make_step(seed)

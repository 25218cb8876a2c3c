"""Five guided lessons, one for each lecture, and six exercises, one for each thing that a student must be able to do.

A step shows a board and asks; what is right is computed by the library when an answer comes.

>>> from rosenblatt.lab.lessons import check, solution
>>> asked = {"lesson": "margin", "step": 0}
>>> check({**asked, "answers": solution(asked)})["right"]
True
"""

from functools import lru_cache
from typing import Any

from rosenblatt.errors import ParameterError, meant
from rosenblatt.lab.lessons.exercises.decide import IS_IT_SEPARABLE, WILL_IT_CONVERGE
from rosenblatt.lab.lessons.exercises.defend_the_bias import DEFEND_THE_BIAS
from rosenblatt.lab.lessons.exercises.draw_the_boundary import DRAW_THE_BOUNDARY
from rosenblatt.lab.lessons.exercises.overfit import WHY_IT_OVERFITS
from rosenblatt.lab.lessons.exercises.run_it import RUN_IT
from rosenblatt.lab.lessons.lectures import cmu, cs188, cs360, hlavac, lums
from rosenblatt.lab.lessons.questions import short
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
SEEDS = 2**31  # one more than the largest


def listing() -> dict[str, Any]:
    """All lessons with their steps, and the exercises by name."""
    return {
        "lessons": [lesson.document() for lesson in LESSONS.values()],
        "exercises": [exercise.document() for exercise in EXERCISES.values()],
    }


def pose(request: dict[str, Any]) -> dict[str, Any]:
    """An exercise, the same for the same seed."""
    return _posed(_exercise(request), _seed(request)).document()


def check(request: dict[str, Any]) -> dict[str, Any]:
    """What there is to say to answers; with "show", the answers."""
    ask = _asked(request)
    if request.get("show", False) is True:
        return ask.show()
    return ask.check(request.get("answers"), request.get("board"))


def solution(request: dict[str, Any]) -> dict[str, Any]:
    """Right answers to what a request is about, by the names of the fields; for a field "board", a board."""
    return _asked(request).solution()


def _asked(request: Any) -> Ask:
    if not isinstance(request, dict):
        raise ParameterError(f"A request must be an object, not {short(request)}.")
    if ("lesson" in request) == ("exercise" in request):
        raise ParameterError('A request must name a "lesson" and a "step", or an "exercise" and a "seed".')
    if "exercise" in request:
        step = _posed(_exercise(request), _seed(request))
    else:
        step = _step(request)
    if step.ask is None:
        raise ParameterError("Nothing is asked at this step; go on to the next.")
    return step.ask


def _step(request: dict[str, Any]) -> Step:
    lesson: Lesson = _known(LESSONS, request["lesson"], "lesson")
    number, last = request.get("step"), len(lesson.steps) - 1
    if not _whole(number) or not 0 <= number <= last:  # type: ignore[operator]
        raise ParameterError(f"step must be a whole number from 0 to {last} in this lesson, not {short(number)}.")
    return lesson.steps[number]  # type: ignore[index]


def _exercise(request: Any) -> Exercise:
    if not isinstance(request, dict):
        raise ParameterError(f"A request must be an object, not {short(request)}.")
    exercise: Exercise = _known(EXERCISES, request.get("exercise"), "exercise")
    return exercise


def _seed(request: dict[str, Any]) -> int:
    seed = request.get("seed")
    if not _whole(seed) or not 0 <= seed < SEEDS:  # type: ignore[operator]
        raise ParameterError(f"seed must be a whole number from 0 to {SEEDS - 1}, not {short(seed)}.")
    return int(seed)  # type: ignore[arg-type]


def _known(things: dict[str, Any], name: Any, what: str) -> Any:
    if not isinstance(name, str) or name not in things:
        raise ParameterError(f"There is no {what} {short(name)}; there are {', '.join(things)}.{meant(name, things)}")
    return things[name]


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@lru_cache(maxsize=64)  # a reader tries again
def _posed(exercise: Exercise, seed: int) -> Step:
    return exercise.posed(seed)

"""What a learner keeps, declared once: for files, and for checkpoints of a stream."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.base.schema import (
    MAX_COUNT,
    Arrays,
    Count,
    Facts,
    Field,
    Flag,
    Layout,
    Numbers,
    Real,
    Sizes,
    Source,
    attributes_of,
    set_attributes,
)
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.classifiers.training.learner import Learner, LinearLearner

WEIGHTS = Numbers(("W",))
PER_CLASS = Numbers(("k",), low=0.0, infinite=True)
TIE = Real(among=(-1.0, 0.0, 1.0))
LEARNS: dict[str, Field] = {
    "bound": Numbers((1,), low=0.0, infinite=True),
    "scale": Real(0.0, strict=True),
    "bias": Real(0.0),
    "stride": Real(1.0, infinite=True),
}
STEPS: dict[str, Field] = {
    **LEARNS,
    "rate": PER_CLASS,
    "margin": Real(0.0, infinite=True),
    "tie": TIE,
    "from_zero": Flag(),
}


def _voters(learner: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    """Without the room for more of them."""
    there = slice(0, learner.k + 1)
    return attributes_of(learner, names) | {"voters": learner.voters[there], "votes": learner.votes[there]}


def _elect(learner: Any, values: dict[str, Any]) -> None:
    set_attributes(learner, values)
    learner.k = len(learner.votes) - 1
    learner.w = learner.voters[learner.k]


def _pocketed(learner: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    if learner.among is not None:
        raise DataError("A pocket cannot be saved in the middle of a fit, whose rows it looks at; only after it.")
    return attributes_of(learner, names)


def _pocket(learner: Any, values: dict[str, Any]) -> None:
    set_attributes(learner, values | {"among": None, "judge": None, "first": None})


LEARNERS = {
    "Plain": Layout("rosenblatt.classifiers.perceptron", {"w": WEIGHTS, **STEPS}),
    "Averaged": Layout("rosenblatt.classifiers.perceptron", {"w": WEIGHTS, **STEPS, "late": WEIGHTS, "seen": Count()}),
    "Voted": Layout(
        "rosenblatt.classifiers.perceptron",
        {"voters": Numbers(("voters", "W"), least=1), "votes": Numbers(("voters",), low=0.0), **STEPS},
        _voters,
        _elect,
    ),
    "Aggressive": Layout(
        "rosenblatt.classifiers.passive_aggressive", {"w": WEIGHTS, **LEARNS, "cap": PER_CLASS, "slack": PER_CLASS}
    ),
    "Pocketed": Layout(
        "rosenblatt.classifiers.pocket",
        {
            "w": WEIGHTS,
            **LEARNS,
            "best": WEIGHTS,
            "rate": PER_CLASS,
            "tie": TIE,
            "errors": Real(0.0, infinite=True, nan=True),
            "runs": Numbers((3,), dtype="int64", low=0, high=MAX_COUNT),
            "history": Numbers(("improvements", 2), low=0.0, listed=True),
            "presented": Count(),
        },
        _pocketed,
        _pocket,
    ),
}


def kind_of(learner: "Learner") -> str:
    """The name under which `learner_of` knows it.

    Raises
    ------
    DataError
        It is none of the learners whose state is declared.
    """
    kind = type(learner).__name__
    if kind not in LEARNERS or LEARNERS[kind].found(kind) is not type(learner):
        raise DataError(f"What a {kind} learns cannot be saved; only {', '.join(LEARNERS)} can.")
    return kind


def state_of(learner: "Learner") -> tuple[Arrays, Facts]:
    """All that a learner needs to go on where it is: arrays and facts, which are JSON; copies, not views.

    Raises
    ------
    DataError
        Its state is not declared, or it is in the middle of a fit that it cannot be taken out of.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
    >>> learner = Perceptron(order="cyclic").fit([[0], [2]], [0, 1])._learner
    >>> arrays, facts = state_of(learner)
    >>> print(kind_of(learner), arrays["w"], facts["from_zero"])
    Plain [ 2. -1.] True
    >>> learner_of("Plain", arrays, facts).answer.tolist()
    [2.0, -1.0]
    """
    arrays: Arrays = {}
    facts: Facts = {}
    LEARNERS[kind_of(learner)].take(learner, arrays, facts)
    return arrays, facts


def learner_of(kind: Any, arrays: Any, facts: Any, sizes: Sizes | None = None) -> "LinearLearner":
    """The learner whose state this is; the arrays become its own.

    Parameters
    ----------
    kind : what `kind_of` said
    arrays, facts : what `state_of` gave
    sizes : {"k": number of classes, "d+1": number of features and 1}, if they are known; else the weights say it

    Raises
    ------
    DataError
        It is not the state of such a learner: something is missing, too much, of another shape or no number.
    """
    if not isinstance(kind, str) or kind not in LEARNERS:
        raise DataError(f"Nothing is known of a learner {str(kind)[:40]!r}; there are {', '.join(LEARNERS)}.")
    cls = LEARNERS[kind].found(kind)
    learner: LinearLearner = cls.__new__(cls)
    source = Source(kind, arrays, facts)
    LEARNERS[kind].give(learner, source, {} if sizes is None else sizes)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(learner.scale * learner.answer).all():
            raise source.refusal("has weights that are too large for floats")
    return learner

"""The state of learners as arrays and facts, for model files and for checkpoints of a stream."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rosenblatt.base.schema import (
    Arrays,
    Facts,
    Field,
    Flag,
    Numbers,
    Real,
    SavedState,
    Sizes,
    Source,
)
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.classifiers.training.learner import Learner, LinearLearner

L = TypeVar("L", bound="LinearLearner")
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


LEARNERS: dict[str, type["LinearLearner"]] = {}  # by the name of the class, which is what files contain


def saved(fields: Mapping[str, Field]) -> Callable[[type[L]], type[L]]:
    """Declare, beside a learner class, the attributes that files and checkpoints keep."""

    def declare(learner: type[L]) -> type[L]:
        learner._saved = SavedState(fields)
        LEARNERS[learner.__name__] = learner
        return learner

    return declare


def kind_of(learner: "Learner") -> str:
    """The name under which `learner_of` knows it.

    Raises
    ------
    DataError
        It is none of the learners whose state is declared.
    """
    kind = type(learner).__name__
    if LEARNERS.get(kind) is not type(learner):
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
    LEARNERS[kind_of(learner)]._saved.take(learner, arrays, facts)
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
    cls = LEARNERS[kind]
    learner = cls.__new__(cls)
    source = Source(kind, arrays, facts)
    cls._saved.give(learner, source, {} if sizes is None else sizes)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(learner.scale * learner.answer).all():
            raise source.refusal("has weights that are too large for floats")
    return learner


@dataclass(frozen=True)
class SavedLearner:
    """The learner of an online estimator: one of these kinds."""

    kinds: tuple[str, ...]

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        arrays[name], kept = state_of(value)
        facts[name] = {"kind": kind_of(value), **kept}

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in self.kinds:
            raise source.refusal(f"cannot have a learner of the kind {str(kind)[:40]!r}")
        return learner_of(kind, inner.arrays, inner.facts, sizes)

"""The order in which rows are presented in each pass."""

import numbers
from collections.abc import Callable, Iterator
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rosenblatt.base.parameters import RandomState
from rosenblatt.classifiers.training.learner import Learner
from rosenblatt.data.validation import Codes, Rows

Order = Literal["cyclic", "shuffled", "random", "first", "worst"]
ORDERS: tuple[Order, ...] = get_args(Order)
FixedOrder = Literal["cyclic", "shuffled", "random"]  # known before a pass begins, so that learners can share a pass
FIXED_ORDERS: tuple[FixedOrder, ...] = get_args(FixedOrder)
ONCE_EACH = ("cyclic", "shuffled")  # a pass presents every row exactly once


class NoEntropy(ISeedSequence):
    """A seed of zeros, for a generator that is seeded again at once."""

    generate_state: Any = staticmethod(np.zeros)  # its arguments are the number of words and the dtype


def generator(random_state: RandomState) -> np.random.RandomState:
    """Return scikit-learn's `check_random_state(random_state)`; for an integer seed, in a third of its time."""
    if not isinstance(random_state, numbers.Integral):
        return cast(np.random.RandomState, check_random_state(random_state))
    rng = np.random.RandomState(np.random.MT19937(cast(Any, NoEntropy())))
    rng.seed(int(random_state))
    return rng


def presentations(
    order: str, learner: Learner, rows: Rows, y: Any, among: Codes, rng: np.random.RandomState
) -> Iterator[Codes]:
    """Yield, for each pass and without end, the row numbers in the order in which they are presented."""
    n = len(among)
    choose: dict[str, Callable[[], Any]] = {
        "cyclic": lambda: among,
        "shuffled": lambda: rng.permutation(among),
        "random": lambda: among[rng.randint(n, size=n)],
        "first": lambda: _at_most_one(learner.first_mistake(rows, y, among)),
        "worst": lambda: _at_most_one(learner.worst_mistake(rows, y, among)),
    }
    while True:
        yield choose[order]()


def _at_most_one(i: int) -> NDArray[np.int64]:
    return np.array([i] if i >= 0 else [], dtype=np.int64)

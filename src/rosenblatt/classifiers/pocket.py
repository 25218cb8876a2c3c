"""The pocket algorithm with ratchet: a perceptron that keeps the best weights it has met."""

import copy
import math
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.online import OnlineClassifier, Problem
from rosenblatt.classifiers.training.learner import TIES, Learner
from rosenblatt.classifiers.training.passes import DRAWN, Task
from rosenblatt.classifiers.training.scores import held, longest, rules
from rosenblatt.classifiers.training.stream_passes import Training, Walk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds

NEVER = 2**62
LONG = 3.0  # shorter runs, in rows per error of the pocket, say little


class Pocket(OnlineClassifier):
    r"""Pocket algorithm with ratchet: learn as the perceptron does, answer with the best weights met on the way.

    .. math:: \text{pocket} \leftarrow w \text{ if } w \text{ was right for more rows on end than the pocket, and }
              J(w) < J(\text{pocket}), \quad J(w) = |\{i : y_i \, w \cdot x_i \le 0\}|

    For classes that no hyperplane separates, where the perceptron itself never settles. The errors of the pocket on
    the training rows never rise. The rule itself is `pocket` in `rules/binary.py` and `rules/multiclass.py`; only
    weights with a longer run are worth a look at all rows, which is the ratchet.

    Parameters
    ----------
    order : {"shuffled", "cyclic", "random"}, default="shuffled"
        How rows are presented; see `Perceptron`. "random" is Gallant's, for which the guarantee below is proved.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means; see `Perceptron`.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    max_epochs : int, default=100
        The budget of passes. Looks at all rows come on top, a few a pass.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the step, and the cost of an error, for rows of a class.
    bounds : float, optional
        Seconds to spend on `error_bounds_`: how few errors any hyperplane can make, with proof; for two classes.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random"; None for a different one each time.
    warm_start : bool, default=False
        Let `fit` start from the weights that the last fit, or the stream, ended with.

    Attributes
    ----------
    coef_, intercept_, classes_, hyperplane_ (two classes), n_iter_, n_updates_, mistakes_per_epoch_, stop_reason_
        As for `Perceptron`; mistakes are those of the weights that learn, not of the pocket.
    errors_ : the errors of the pocket on the training rows, weighed by `class_weight`; nan after a stream
    history_ : array (m, 2), for each improvement: rows presented until then, errors from then on
    error_bounds_ : `ErrorBounds`, if asked for; `errors_` may be above its upper end, as more is tried there. It counts
        each row once, and a row on the hyperplane as wrong, whatever `class_weight` and `tie` are

    Notes
    -----
    With rows drawn at random, the fewest errors are reached with probability 1, at no known rate (Muselli 1997); to
    find them is NP-hard. In a stream (`partial_fit`, `learn_one`) there are no rows to look at again: the longest run
    alone fills the pocket, as in Gallant's first version.

    References
    ----------
    S. I. Gallant, IEEE Transactions on Neural Networks 1 (1990); M. Muselli, IEEE Transactions on Neural Networks 8
    (1997).

    Examples
    --------
    >>> import warnings
    >>> from rosenblatt import BudgetWarning, Pocket
    >>> warnings.simplefilter("ignore", BudgetWarning)
    >>> model = Pocket(bounds=1.0).fit([[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1])
    >>> print(model.errors_, "error in the pocket; the fewest possible:", model.error_bounds_.lower)
    1.0 error in the pocket; the fewest possible: 1
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        **OnlineClassifier._constraints,
        "order": parameters.OneOf(*DRAWN),
        "tie": parameters.OneOf(*TIES),
        "bounds": parameters.Either(parameters.OneOf(None), parameters.Number(0, strict=True)),
    }
    _where_none_separates = "the pocket then holds the best weights that were met"
    _proved: ErrorBounds | None = None

    def __init__(
        self,
        *,
        order: str = "shuffled",
        tie: str = "mistake",
        bias: float = 1.0,
        init: Any = None,
        max_epochs: int = 100,
        class_weight: Any = None,
        bounds: float | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.bias = bias
        self.init = init
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.bounds = bounds
        self.random_state = random_state
        self.warm_start = warm_start

    @property
    def _shares_passes(self) -> bool:
        """Can several learn in the same passes over the rows, each as it would alone?"""
        return super()._shares_passes and self.bounds is None

    @property
    def error_bounds_(self) -> ErrorBounds:
        """The fewest errors of any hyperplane, as an interval with proof; there if `bounds` was given to `fit`."""
        check_is_fitted(self)
        if self._proved is None or self.stop_reason_ is StopReason.STREAM:
            raise AttributeError(
                "There are no error_bounds_: fit finds them if `bounds` is the number of seconds to spend on them."
            )
        return self._proved

    @property
    def errors_(self) -> float:
        """The errors of the pocket on the training rows, weighed by `class_weight`; nan after a stream."""
        check_is_fitted(self)
        return self._pocketed.errors

    @property
    def history_(self) -> NDArray[np.float64]:
        """Rows presented until each improvement, and errors from then on."""
        check_is_fitted(self)
        return np.array(self._pocketed.history).reshape(-1, 2)

    @property
    def _pocketed(self) -> "Pocketed":
        assert isinstance(self._learner, Pocketed)  # noqa: S101
        return self._learner

    def _new_learner(self, w: Floats, class_weights: Floats) -> Learner:
        return Pocketed(w, class_weights, TIES[self.tie])

    def _task(self, start: Floats, classes: NDArray[Any], codes: Codes, among: Codes) -> Task:
        """A learner that begins at the weights `start` and learns from the rows `among`, which it may look at."""
        if self.bounds is not None and len(classes) > 2:
            raise DataError(f"Pocket(bounds=...) is for two classes; y has {len(classes)}. Give bounds=None.")
        task = super()._task(start, classes, codes, among)
        assert isinstance(task.learner, Pocketed)  # noqa: S101
        task.learner.begin(among, self._pocketed.best if self.warm_start and hasattr(self, "classes_") else None)
        return task

    def _before_stream(self, stream: Stream, training: Training) -> None:
        """Count the rows, so that all of them can be looked at."""
        if self.bounds is not None:
            raise ParameterError("Pocket(bounds=...) needs all rows at once; for a stream, give bounds=None.")

        jury = Walk(stream, float(self.bias), self.class_weight)

        def begin(classes: NDArray[Any], d: int) -> Learner:
            learner = self._begin_stream(classes, d)
            assert isinstance(learner, Pocketed)  # noqa: S101
            learner.errors, learner.first = math.inf, None
            learner.seat(jury)
            return learner

        training.begin, training.after_restore = begin, lambda learner: setattr(learner, "jury", jury)

    def _keep_stream(self, stream: Stream, training: Training) -> None:
        super()._keep_stream(stream, training)
        self._pocketed.end()
        self._proved = None

    def _finish(self, X: Any, problem: Problem) -> None:
        """Keep what training reached, and prove how good it is if that was asked for."""
        proved, learner = None, problem.task.learner
        if self.bounds is not None:
            y = problem.classes[(problem.task.y > 0).astype(np.int64)]
            plane = Hyperplane.from_weights(learner.answer, learner.bias)
            proved = error_bounds(X, y, bias=bool(self.bias), budget=self.bounds, hyperplane=plane)
        super()._finish(X, problem)
        self._proved = proved

    def _keep_task(self, X: Any, problem: Problem) -> None:
        super()._keep_task(X, problem)
        self._pocketed.end()


class Jury(Protocol):
    """All rows, to be looked at."""

    n: int
    price: float  # of an error, on average

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        """The cost of the rows on which these weights err, counted until it reaches the limit."""
        ...


class Seated:
    """A jury of rows in memory; `rate` is the cost of an error, one a class."""

    def __init__(self, rows: Rows, y: Any, among: Codes, rate: Floats, w: Floats) -> None:
        self.rows, self.y, self.among = rows, y, among
        self.cost = np.asarray(rate[(y > 0).astype(np.int64) if w.ndim == 1 else y])
        self.n, self.price = len(among), float(self.cost[among].sum()) / len(among)

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        weights = held(w, bound)
        return float(sum(rules(w).errors(self.rows, self.y, self.among, self.cost, weights, tie, limit, 0.0, 0.0)))


class Pocketed(Learner):
    """The best weights met answer."""

    by_column = ("w", "best")

    def __init__(self, w: Floats, rate: Floats, tie: float) -> None:
        super().__init__(w)
        self.rate, self.tie = rate, tie
        self.best = w.copy()
        self.errors = math.nan
        self.runs = np.zeros(3, dtype=np.int64)  # of w, of the pocket, and whether w is in it
        self.history: list[tuple[float, float]] = []
        self.presented = 0
        self.among: Codes | None = None
        self.jury: Jury | None = None

    def begin(self, among: Codes, best: Floats | None) -> None:
        """From now on these rows can be looked at; `best` are weights that may still be the best."""
        self.among, self.errors, self.first = among, math.inf, best
        if best is not None:
            self.bound = np.maximum(self.bound, longest(best))

    def seat(self, jury: Jury) -> None:
        """Let a jury judge the first weights, and all that are to come."""
        self.jury = jury
        self._look()
        if self.first is not None and (old := self._judged(self.first)) < self.errors:
            self.best, self.errors, self.runs[2] = self.first, old, 0
            self.history[-1] = (self.presented, old)

    def end(self) -> None:
        """The rows are gone."""
        self.among = self.jury = None

    def copy(self) -> "Pocketed":
        """One that stays as it is when this one learns on, without the rows."""
        twin = copy.copy(self)
        twin.end()
        return copy.deepcopy(twin)

    @property
    def answer(self) -> Floats:
        return self.best

    @property
    def settled(self) -> bool:
        return self.errors == 0

    def learn(self, rows: Rows, y: Any, order: Codes) -> tuple[int, int]:
        if self.jury is None and self.among is not None:
            self.seat(Seated(rows, y, self.among, self.rate, self.w))
        if self.jury is None:
            self.errors = math.nan
        done = mistakes = 0
        while done < len(order):
            due = self._due()
            now, wrong = rules(self.w).pocket(rows, y, order[done:], self.held, self.runs, due, self.rate, self.tie)
            done += now
            mistakes += wrong
            self.presented += now
            if self.runs[0] == min(self.runs[1] + 1, due) and not self.runs[2]:
                self._consider()
        return mistakes, mistakes

    def rest(self, rows: Rows | None) -> None:  # noqa: ARG002
        if self.jury is not None and not self.runs[2]:
            self._look()

    def _due(self) -> int:
        """A run that makes w worth a look though the pocket's was longer: one or two a pass are so long by chance.

        With e errors in n rows, a run of c n/e has probability exp(-c), and there are about e runs in a pass.
        """
        if self.jury is None or not 0 < self.errors < math.inf:
            return NEVER
        errors = self.errors / self.jury.price
        return min(NEVER, math.ceil(max(LONG, math.log(errors)) * self.jury.n / errors))

    def _consider(self) -> None:
        """w has the longer run: put it into the pocket, if nothing speaks against it."""
        if self.jury is None:
            self._take()
        else:
            self._look()

    def _look(self) -> None:
        errors = self._judged(self.w)
        if errors < self.errors:
            self.errors = errors
            self.history.append((self.presented, errors))
            self._take()

    def _judged(self, w: Floats) -> float:
        assert self.jury is not None  # noqa: S101
        return self.jury.errors(w, self.bound, self.tie, self.errors)

    def _take(self) -> None:
        self.best = self.w.copy()
        self.runs[1], self.runs[2] = self.runs[0], 1

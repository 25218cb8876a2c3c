"""The pocket algorithm with ratchet: a perceptron that keeps the best weights so far."""

import copy
import math
from dataclasses import replace
from typing import Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, ClassWeight
from rosenblatt.base.hyperplane import Tie
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import MAX_COUNT, Count, Former, Numbers, Real, SavedState
from rosenblatt.classifiers.online import OnlineClassifier
from rosenblatt.classifiers.training.learner import TIES, LinearLearner, OneRow
from rosenblatt.classifiers.training.learner_state import LEARNS, PER_CLASS, TIE, WEIGHTS, SavedLearner, saved
from rosenblatt.classifiers.training.order import FIXED_ORDERS, FixedOrder
from rosenblatt.classifiers.training.passes import Task
from rosenblatt.classifiers.training.rule_pair import Rule
from rosenblatt.classifiers.training.scores import ERRORS, packed
from rosenblatt.classifiers.training.stream_passes import StreamOptions
from rosenblatt.classifiers.training.stream_training import StreamPassesProblem
from rosenblatt.data import validation
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import class_weights
from rosenblatt.errors import DataError
from rosenblatt.rules import binary, multiclass, one_row
from rosenblatt.rules.multiclass import longest

NEVER = 2**62
MIN_RUN = 3.0  # runs shorter than this, in units of n rows / errors of the pocket, are common


class Pocket(OnlineClassifier):
    r"""Pocket algorithm with ratchet: learn as the perceptron does, and predict with the best weights so far.

    .. math:: \text{pocket} \leftarrow w \text{ if } w \text{ was right for more rows on end than the pocket, and }
              J(w) < J(\text{pocket}), \quad J(w) = |\{i : y_i \, w \cdot x_i \le 0\}|

    Use it for classes that no hyperplane separates, where the weights of the perceptron never settle. The errors of the
    pocket on the training rows never rise: this is the ratchet. Errors on all rows are counted only for weights that
    were right for a long run of rows. The rule itself is `pocket` in `rules/binary.py` and `rules/multiclass.py`.

    Parameters
    ----------
    order : {"shuffled", "cyclic", "random"}, default="shuffled"
        The order in which rows are presented; see `Perceptron`. The guarantee below is proved for "random".
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 means; see `Perceptron`.
    bias : float, default=1.0
        The constant at the end of each row; 0 for a boundary through the origin.
    init : array of shape (d + 1,) or (k, d + 1), optional
        Start weights, the bias weight last; zeros by default.
    max_epochs : int, default=100
        The largest number of passes. Counting errors on all rows adds the time of a few passes to each.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the step, and the cost of an error, for rows of a class. `sample_weight` in `fit` multiplies both for
        single rows.
    random_state : int, RandomState instance or None, default=0
        Draws the orders "shuffled" and "random". With None, every fit is different.
    warm_start : bool, default=False
        If True, `fit` starts from the weights that the last fit or stream ended with.

    Attributes
    ----------
    classes_ : array of shape (k,)
        The sorted class labels.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the features in the pocket: one row for two classes, else one row per class.
    intercept_ : array of shape (1,) or (k,)
        The intercept of each score.
    hyperplane_ : Hyperplane
        The boundary between two classes.
    n_iter_ : int
        Passes made.
    n_updates_ : int
        Updates made.
    mistakes_per_epoch_ : array of int
        Mistakes in each pass. They are those of the weights that learn, not of the pocket.
    stop_reason_ : StopReason
        "mistake_free", "budget", "stream" or "condition".
    n_errors_ : float
        The errors of the pocket on the training rows, each with its weight; nan after a stream.
    history_ : structured array
        One line for every improvement: the rows `presented` before it, and the `errors` after it.
    held_out_errors_per_epoch_ : array of float
        Empty: no rows are held out.
    progressive_ : array of int, of shape (0, 2)
        Empty: a pocket has no progressive validation.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    error_bounds : Proves how few errors any hyperplane makes.
    Perceptron : Its averaged weights are faster to compute.
    BatchPerceptron : Also answers with the best weights met.

    Notes
    -----
    With rows drawn at random, the fewest errors are reached with probability 1 (Muselli 1997). No rate is known:
    finding the fewest errors is NP-hard. `error_bounds(X, y, hyperplane=model.hyperplane_)` proves how few errors any
    hyperplane makes. `partial_fit` and `learn_one` cannot count errors on all rows; they keep the
    weights with the longest run, as in Gallant's first version.

    References
    ----------
    S. I. Gallant, IEEE Transactions on Neural Networks 1 (1990); M. Muselli, IEEE Transactions on Neural Networks 8
    (1997).

    Examples
    --------
    >>> import warnings
    >>> from rosenblatt import BudgetWarning, Pocket, error_bounds
    >>> warnings.simplefilter("ignore", BudgetWarning)
    >>> X, y = [[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1]
    >>> model = Pocket().fit(X, y)
    >>> fewest = error_bounds(X, y, hyperplane=model.hyperplane_)
    >>> print(model.n_errors_, "error in the pocket; the fewest possible:", fewest.lower)
    1.0 error in the pocket; the fewest possible: 1
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        **OnlineClassifier._constraints,
        "order": parameters.OneOf(*FIXED_ORDERS),
        "tie": parameters.OneOf(*TIES),
    }
    _saved = SavedState(
        {"_learner": SavedLearner(("Pocketed",)), **OnlineClassifier._saved_fields},
        former={"bounds": Former(None)},
        gone=("_proved",),
    )
    _ends_by_budget = True  # the pocket holds the best weights so far
    _predicts_first = False  # a pocket that learns from a stream counts errors on all rows

    def __init__(
        self,
        *,
        order: FixedOrder = "shuffled",
        tie: Tie = "mistake",
        bias: Bias = 1.0,
        init: "ArrayLike | None" = None,
        max_epochs: int = 100,
        class_weight: ClassWeight = None,
        random_state: RandomState = 0,
        warm_start: bool = False,
    ) -> None:
        self.order = order
        self.tie = tie
        self.bias = bias
        self.init = init
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start

    @property
    def _learner(self) -> "Pocketed":
        return cast(Pocketed, super()._learner)

    @property
    def n_errors_(self) -> float:
        """The errors of the pocket on the training rows, each with its weight; nan after a stream."""
        check_is_fitted(self)
        return self._learner.errors

    @property
    def history_(self) -> NDArray[Any]:
        """One line for every improvement: the number of rows `presented` before it, and the `errors` after it."""
        check_is_fitted(self)
        lines = [tuple(line) for line in self._learner.history]
        return np.array(lines, dtype=[("presented", np.int64), ("errors", np.float64)])

    def _new_learner(self, w: Floats, class_weights: Floats) -> LinearLearner:
        return Pocketed(w, class_weights, TIES[self.tie])

    def _task(
        self, classes: NDArray[Any], d: int, codes: Codes, among: Codes, weights: Floats, w: Floats | None = None
    ) -> Task:
        task = super()._task(classes, d, codes, among, weights, w)
        task.learner.begin(among, self._learner.best if self.warm_start and hasattr(self, "classes_") else None)
        return task

    def _stream_problem(self, source: Any, reading: dict[str, Any], options: StreamOptions) -> StreamPassesProblem:
        """Return a pocket that counts its errors by passes over the stream."""
        problem = super()._stream_problem(source, reading, options)
        judge, start = StreamJudge(problem.stream, float(self.bias), self.class_weight), problem.start

        def start_judged(classes: NDArray[Any], d: int) -> LinearLearner:
            learner: Any = start(classes, d)
            learner.errors, learner.first = math.inf, None
            learner.judge_by(judge)
            return learner  # type: ignore[no-any-return]

        return replace(problem, start=start_judged, after_restore=lambda learner: setattr(learner, "judge", judge))

    def _keep(self, problem: Any, trained: Any) -> None:
        super()._keep(problem, trained)
        self._learner.end()


class RowJudge(Protocol):
    """Counts the errors of weights on all rows."""

    n: int  # rows
    price: float  # of an error, on average

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        """Return the cost of the rows that these weights get wrong; counting stops at the limit."""
        ...


class MemoryJudge:
    """Counts errors on rows in memory; an error costs the `weight` of its row times the `rate` of its class."""

    def __init__(self, rows: Rows, y: Any, among: Codes, weight: Floats, rate: Floats, w: Floats) -> None:
        self.rows, self.y, self.among = rows, y, among
        self.cost = weight * rate[(y > 0).astype(np.int64) if w.ndim == 1 else y]
        self.n, self.price = len(among), float(self.cost[among].sum()) / len(among)

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        weights = packed(w, bound)
        return float(sum(ERRORS[w.ndim - 1](self.rows, self.y, self.among, self.cost, weights, tie, limit, 0.0, 0.0)))


class StreamJudge:
    """Counts errors on the rows of a stream; each count is a pass over it."""

    def __init__(self, stream: Stream, bias: float, class_weight: Any) -> None:
        self.stream, self.bias = stream, bias
        counts = np.zeros(0, np.int64)
        for chunk in stream.chunks():
            more = np.bincount(chunk.codes, minlength=len(stream.header.classes))
            counts = more if not len(counts) else counts + more
        self.rate = class_weights(class_weight, stream.header.classes, None)
        self.n = int(counts.sum())
        self.price = float(self.rate @ counts) / self.n

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        total = (0.0, 0.0)
        for chunk in self.stream.chunks():
            rows, every = validation.rows(chunk.X, self.bias), np.arange(len(chunk.codes))
            y = validation.targets(chunk.codes, self.stream.header.classes)
            cost = np.asarray(self.rate[chunk.codes])
            total = ERRORS[w.ndim - 1](rows, y, every, cost, packed(w, bound), tie, limit, *total)
            if sum(total) >= limit:
                break
        return float(sum(total))


@saved(
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
    }
)
class Pocketed(LinearLearner):
    """The perceptron that predicts with the best weights it has met."""

    rule = Rule(binary.pocket, multiclass.pocket)
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
        self.judge: RowJudge | None = None

    def begin(self, among: Codes, best: Floats | None) -> None:
        """Prepare to count errors on these rows; `best` are weights of an earlier fit that may still be the best."""
        self.among, self.errors, self.first = among, math.inf, best
        if best is not None:
            self.bound = np.maximum(self.bound, longest(best))

    def judge_by(self, judge: RowJudge) -> None:
        """Count the errors of the first weights, and from now on of all that look promising, by this judge."""
        self.judge = judge
        self._look(judge)
        if self.first is not None and (old := self._errors_of(self.first, judge)) < self.errors:
            self.best, self.errors, self.runs[2] = self.first, old, 0
            self.history[-1] = (self.presented, old)

    def end(self) -> None:
        """Forget the rows."""
        self.among = self.judge = None

    def _saved_values(self) -> dict[str, Any]:
        if self.among is not None:
            raise DataError(
                "A pocket cannot be saved in the middle of a fit, because it needs the rows; save it after."
            )
        return super()._saved_values()

    def _restore(self, values: dict[str, Any]) -> None:
        super()._restore(values | {"among": None, "judge": None, "first": None})

    def __deepcopy__(self, memo: dict[int, Any]) -> "Pocketed":
        """A copy without the rows."""
        twin = Pocketed.__new__(Pocketed)
        own = {name: value for name, value in vars(self).items() if name not in ("among", "judge")}
        vars(twin).update(copy.deepcopy(own, memo), among=None, judge=None)
        return twin

    @property
    def answer(self) -> Floats:
        return self.best

    def predict_row(self, row: OneRow) -> int:
        found: int = one_row.PREDICTED[len(row)].quick(*row, self.best, self.bias, self.tie)
        return found

    @property
    def settled(self) -> bool:
        return self.errors == 0

    def learn(self, rows: Rows, y: Any, order: Codes, weight: Floats) -> tuple[int, int]:
        if self.judge is None and self.among is not None:
            self.judge_by(MemoryJudge(rows, y, self.among, weight, self.rate, self.w))
        if self.judge is None:
            self.errors = math.nan
        done = mistakes = 0
        while done < len(order):
            due = self._due()
            now, wrong = self.rule[self.w.ndim - 1](
                rows, y, order[done:], weight, self.packed, self.runs, due, self.rate, self.tie
            )
            done += now
            mistakes += wrong
            self.presented += now
            if self.runs[0] == min(self.runs[1] + 1, due) and not self.runs[2]:
                self._consider()
        return mistakes, mistakes

    def end_pass(self, rows: Rows | None) -> None:  # noqa: ARG002
        if self.judge is not None and not self.runs[2]:
            self._look(self.judge)

    def _due(self) -> int:
        """Return the length of a run that makes counting errors worthwhile though the pocket's run was longer.

        With e errors in n rows, a run of c n/e rows has probability exp(-c), and a pass has about e runs. So one or two
        runs a pass are this long by chance.
        """
        if self.judge is None or not 0 < self.errors < math.inf:
            return NEVER
        errors = self.errors / self.judge.price
        return min(NEVER, math.ceil(max(MIN_RUN, math.log(errors)) * self.judge.n / errors))

    def _consider(self) -> None:
        """Put w, whose run is long, into the pocket; if errors can be counted, only if it has fewer."""
        if self.judge is None:
            self._take()
        else:
            self._look(self.judge)

    def _look(self, judge: RowJudge) -> None:
        """Put w into the pocket if it has fewer errors."""
        errors = self._errors_of(self.w, judge)
        if errors < self.errors:
            self.errors = errors
            self.history.append((self.presented, errors))
            self._take()

    def _errors_of(self, w: Floats, judge: RowJudge) -> float:
        return judge.errors(w, self.bound, self.tie, self.errors)

    def _take(self) -> None:
        self.best = self.w.copy()
        self.runs[1], self.runs[2] = self.runs[0], 1

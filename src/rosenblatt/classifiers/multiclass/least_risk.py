"""Decisions of least risk: where errors differ in cost, the scores are shifted, and the weights stay as they are."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base.hyperplane import as_numbers
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError

ROUNDING = 2.0**-50  # risks closer than this, relative to their size, are equal: they differ by rounding alone
LARGEST = float(np.finfo(np.float64).max)


class LeastRisk(TakesCallbacks, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Shift the scores of a classifier so that its decisions cost the least on the training rows.

    .. math:: \text{decide } \arg\max_c \, (s_c(x) + o_c), \quad
              o = \arg\min \frac{1}{n} \sum_i W(\text{decision}_i, \text{state}_i)

    The estimator learns as it would alone, and its weights stay. With two classes one offset shifts the one score, that
    is, moves the hyperplane parallel to itself: above 0 is `classes_[1]`, and 0 itself is `classes_[0]`. With more,
    each class has an offset, and of equal scores the earlier class wins.

    Parameters
    ----------
    estimator : classifier with a `decision_function`
        What gives the scores; a copy of it is fitted. It must give one score a row for two classes, and one column a
        class for more. Give one that keeps some errors where classes overlap, such as `Perceptron(average="averaged")`:
        where it makes no error on the training rows, there is nothing to be moved.
    penalty : array-like (k, k), optional
        W, rows = decisions, columns = states, as in `losses.empirical_risk`. Give it where errors differ in cost, or
        where right decisions have a cost, or (negative) a gain. None: each error costs 1.
    labels : sequence of k labels, optional
        The order of W's rows and columns. Give it where that is not the sorted order of the classes, or where some
        class may be absent from the training rows: its row and column are then not used.

    Attributes
    ----------
    estimator_ : the fitted copy of the estimator
    classes_ : the sorted class labels
    offsets_ : array of shape (1,) for two classes, (k,) for more; what is added to the scores
    risk_before_, risk_ : the risk on the training rows with offsets 0, and with `offsets_`
    coef_, intercept_ : those of the estimator, where it has them, the offsets added to the intercept
    n_features_in_, feature_names_in_ : those of the estimator, where it has them

    Notes
    -----
    For two classes no threshold has a lower risk on the training rows; rows of equal score move together. Of the
    thresholds that share the least risk, 0 is taken if it is one of them, else the middle of the widest gap between
    scores. For more classes the offsets are improved from 0 one at a time, each to its best value, until none can be
    improved alone: the risk never rises, but the least of all may be lower. Both are up to the rounding of scores and
    risks. Risks on training rows flatter; on new rows, ask `losses.empirical_risk`.

    References
    ----------
    M. I. Schlesinger and V. Hlavac, Ten lectures on statistical and structural pattern recognition (2002), chapter 1;
    N. Lachiche and P. Flach, ICML (2003), for one class at a time.

    Examples
    --------
    >>> from rosenblatt import Kozinec, LeastRisk
    >>> X, y = [[0], [1], [2], [3], [4], [5]], ["well", "well", "sick", "well", "sick", "sick"]
    >>> sick_let_go, well_treated = 10, 1
    >>> model = LeastRisk(Kozinec(C=1.0), [[0, well_treated], [sick_let_go, 0]], ["sick", "well"]).fit(X, y)
    >>> print(f"risk {model.risk_before_:.3f}, then {model.risk_:.3f} with decisions", *model.predict(X))
    risk 1.833, then 0.167 with decisions well well sick sick sick sick
    """

    estimator_: Any
    classes_: NDArray[Any]
    offsets_: Floats
    risk_: float
    risk_before_: float

    def __init__(
        self, estimator: Any, penalty: ArrayLike | None = None, labels: Sequence[Any] | NDArray[Any] | None = None
    ) -> None:
        self.estimator = estimator
        self.penalty = penalty
        self.labels = labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if _fault(self.estimator) is None:  # else `fit` will say so
            inner = get_tags(self.estimator)
            tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
            tags.non_deterministic = inner.non_deterministic
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a copy of the estimator, then find the offsets of least risk on the same rows.

        Parameters
        ----------
        X : what the estimator learns from, n rows
        y : n class labels, of at least two classes
        """
        fault = _fault(self.estimator)
        if fault:
            raise ParameterError(fault)
        classes, states = validation.classes(y, _count(y))
        W = _penalty(self.penalty, self.labels, classes.tolist())
        self._fit(RiskProblem(X, y, classes, states, W, clone(self.estimator)), 1, X, y)
        return self

    def _keep(self, problem: "RiskProblem", found: "Found") -> None:
        """Make the fitted estimator and its offsets the state of this one."""
        two = len(problem.classes) == 2
        self.estimator_, self.classes_ = problem.estimator, problem.classes
        self.offsets_ = found.offsets[1:] if two else found.offsets
        self.risk_, self.risk_before_ = found.risk, found.before

    def decision_function(self, X: Any) -> Floats:
        """The shifted score of each row: above 0 for `classes_[1]`; with more than two classes, one column a class."""
        check_is_fitted(self)
        return _add(_scores(self.estimator_, X), self.offsets_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The decision for each row."""
        scores = self.decision_function(X)
        decisions: Codes = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(np.int64)
        return self.classes_[decisions]

    @property
    def coef_(self) -> Any:
        """Weights of the features, which are the estimator's; votes have none."""
        check_is_fitted(self)  # its error is an AttributeError too, so that hasattr says no
        if getattr(self.estimator_, "scheme", None) == "one_vs_one" and len(self.classes_) > 2:
            raise AttributeError("One against one decides by votes, and offsets of votes are no hyperplanes.")
        return self.estimator_.coef_

    @property
    def intercept_(self) -> Any:
        """The estimator's intercept plus the offsets."""
        self.coef_  # noqa: B018  (raises where there is none)
        intercept = np.asarray(self.estimator_.intercept_)
        if intercept.shape not in ((), self.offsets_.shape):
            raise AttributeError(
                f"The estimator's intercept_ has shape {intercept.shape}, which is not one number for each of the "
                f"{len(self.offsets_)} scores, so there is no intercept that the offsets could be added to."
            )
        return intercept + self.offsets_

    @property
    def n_features_in_(self) -> int:
        """How many columns the estimator learned from."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """The names of the columns that the estimator learned from."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_


@dataclass(frozen=True)
class RiskProblem:
    """What the estimator learns from, the code of each row's class, the penalties W, and the estimator."""

    X: Any
    y: Any
    classes: NDArray[Any]
    states: Codes
    W: Floats
    estimator: Any

    def train(self, callbacks: Callbacks | None = None) -> "Found":
        """Fit the estimator, then improve the offsets on the same rows."""
        fit_member(self.estimator, self.X, self.y, callbacks, "estimator")
        columns = _columns(_scores(self.estimator, self.X), len(self.states), self.classes.tolist())
        k = len(self.classes)
        return improve(columns, self.states, self.W, range(1, 2) if k == 2 else range(k))


class Found(NamedTuple):
    """Offsets, one a class, their risk, and the risk with offsets 0."""

    offsets: Floats
    risk: float
    before: float


def improve(scores: Floats, states: Codes, W: Floats, movable: Sequence[int]) -> Found:
    """Improve the offsets of the movable classes from 0, one at a time, until none of them can be improved alone."""
    offsets = np.zeros(len(W))
    exponent = math.frexp(np.abs(W).max())[1]
    parts = _parts(np.ldexp(W, -exponent), len(states))  # entries of at most 1: no sum of them can overflow
    before = risk = _risk(scores, offsets, states, parts)
    optimal = 0  # how many classes in a row, the last included, cannot be improved
    for c in itertools.cycle(movable):
        trial = offsets.copy()
        trial[c] = _best_offset(scores, offsets, states, parts, c)
        lower = _risk(scores, trial, states, parts)
        if lower < risk and not math.isclose(lower, risk, rel_tol=ROUNDING):
            offsets, risk, optimal = trial, lower, 0
        optimal += 1
        if optimal == len(movable):
            break
    return Found(offsets, math.ldexp(risk, exponent), math.ldexp(before, exponent))


def _best_offset(scores: Floats, offsets: Floats, states: Codes, parts: Floats, c: int) -> float:
    """The offset of class c that has the least risk while all others stay; the other classes are its rivals."""
    others = _add(scores, offsets)
    others[:, c] = -np.inf
    rivals = others.argmax(axis=1)
    best = others[np.arange(len(others)), rivals]
    with np.errstate(over="ignore"):
        critical = np.unique(best - scores[:, c])
    values, room = _candidates(critical[np.isfinite(critical)], float(np.abs(best).max()))
    first = _first_win(scores[:, c], best, c < rivals, values)
    totals = np.zeros(len(values))
    for part in parts:
        change = np.bincount(first, part[c, states] - part[rivals, states], minlength=len(values) + 1)
        totals += part[rivals, states].sum() + np.cumsum(change)[:-1]
    least = totals.min()
    return float(values[np.argmax(np.where(totals <= least + ROUNDING * abs(least), room, -np.inf))])


def _candidates(critical: Floats, size: float) -> tuple[Floats, Floats]:
    """Offsets that give all decisions there are, in rising order, and how much room each has.

    Decisions change at critical offsets only. Between two of them the middle stands for all, with their distance as
    room. Beyond the ends, a step of about the mean distance is as good as any; it is taken where no middle is as good.
    A critical offset itself may give decisions of its own if rows tie there; it is taken last, for it has no room.
    The step is a power of two: sums of it with whole scores, or votes, do not round, and their ties stay ties.
    """
    if len(critical) == 0:  # all beyond the floats
        return np.zeros(1), np.zeros(1)
    low, high = critical[0], critical[-1]
    with np.errstate(over="ignore"):
        gaps = np.diff(critical)
        step = math.ldexp(0.5, math.frexp(gaps.mean() if len(gaps) else max(abs(low), size) or 1.0)[1])
        ends = [min(low - step, np.nextafter(low, -np.inf)), max(high + step, np.nextafter(high, np.inf))]
    middles = critical[:-1] / 2 + critical[1:] / 2
    values = np.concatenate([critical, middles, np.clip(ends, -LARGEST, LARGEST)])
    room = np.concatenate([np.full(len(critical), -1.0), gaps, [0.0, 0.0]])
    order = np.argsort(values, kind="stable")
    return values[order], room[order]


def _first_win(own: Floats, best: Floats, wins_ties: NDArray[np.bool_], values: Floats) -> Codes:
    """For each row, the number of the first of the rising offsets with which it is won; their count if with none.

    By bisection, with the sums that `predict` compares: what they round to is then what is counted.
    """
    low, high = np.zeros(len(own), dtype=np.int64), np.full(len(own), len(values))
    for _ in range(len(values).bit_length()):
        middle = np.minimum((low + high) // 2, len(values) - 1)
        shifted = _add(own, values[middle])
        won = (shifted > best) | ((shifted == best) & wins_ties)
        high = np.where(won, middle, high)
        low = np.where(won, low, middle + 1)
    return low


def _risk(scores: Floats, offsets: Floats, states: Codes, parts: Floats) -> float:
    """(1/n) sum W(decision_i, state_i), from counts: equal decisions have equal risks, in whatever order they come."""
    k = len(offsets)
    counts = np.bincount(_add(scores, offsets).argmax(axis=1) * k + states, minlength=k * k)
    return math.fsum((parts * counts.reshape(k, k)).ravel()) / len(states)


def _parts(W: Floats, n: int) -> Floats:
    """W as a sum of two: multiples of one power of two, of which n differences add up exactly, and what is left."""
    unit = math.ldexp(1.0, (4 * n).bit_length() - 53)
    coarse = np.rint(W / unit) * unit
    return np.stack([coarse, W - coarse])


def _add(scores: Floats, offsets: Floats) -> Floats:
    with np.errstate(over="ignore"):  # infinity is on the right side
        return np.asarray(scores + offsets)


def _scores(fitted: Any, X: Any) -> Floats:
    return np.asarray(fitted.decision_function(X), dtype=np.float64)


def _columns(scores: Floats, n: int, labels: list[Any]) -> Floats:
    """One column of scores a class; with two classes the first is 0, which leaves ties and signs as they are."""
    k = len(labels)
    if scores.shape != ((n,) if k == 2 else (n, k)):
        expected = "one score a row" if k == 2 else f"{k} columns, one a class"
        raise ParameterError(
            f"The decision_function of the estimator must give {expected}, for the {n} rows of the classes {labels}, "
            f"but the shape of what it gave is {scores.shape}; wrap it, as in OneVsAll(...)."
        )
    if not np.isfinite(scores).all():
        row = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise DataError(f"Every score must be finite, but that of row {row} is {scores[row]}; bring X closer to 1.")
    return np.column_stack([np.zeros(n), scores]) if k == 2 else scores


def _count(y: Any) -> int:
    try:
        return len(y)
    except TypeError:  # it may be no list; `data.classes` says that better
        return np.asarray(y).size


def _fault(estimator: Any) -> str | None:
    """What is wrong with an estimator that is no classifier with a decision_function."""
    expected = "LeastRisk(estimator=...) must be a classifier with a decision_function, such as Perceptron()"
    if isinstance(estimator, type):
        return f"{expected}, not a class; write {estimator.__name__}()."
    if not (hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)):
        return f"{expected}, not {estimator!r}."
    if not hasattr(estimator, "decision_function"):
        return f"{expected}; {estimator!r} is a classifier, but has none."
    return None


def _penalty(penalty: Any, labels: Any, classes: list[Any]) -> Floats:
    """W for these classes in this order."""
    order = classes if labels is None else _order(labels, classes)
    k = len(order)
    if penalty is None:
        return 1.0 - np.eye(len(classes))
    try:
        W = as_numbers(penalty, "penalty")
    except DataError as error:
        raise ParameterError(f"LeastRisk(penalty=...): {error}.") from error
    if W.shape != (k, k):
        whose = "classes" if labels is None else "labels"
        raise ParameterError(
            f"LeastRisk(penalty=...) must be {k} x {k}, a row (decision) and a column (state) for each of the {whose} "
            f"{order}, but its shape is {W.shape}; name all of its labels in labels, also those that do not occur."
        )
    at = [order.index(label) for label in classes]
    return W[np.ix_(at, at)]


def _order(labels: Any, classes: list[Any]) -> list[Any]:
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise ParameterError(f"LeastRisk(labels=...) must be a list of labels, such as {classes}, not {labels!r}.")
    order = np.asarray(labels).tolist() if hasattr(labels, "dtype") else list(labels)
    twice = [label for i, label in enumerate(order) if label in order[:i]]
    if twice:
        raise ParameterError(f"LeastRisk(labels=...) must be distinct, but {twice[0]!r} occurs twice in {order}.")
    absent = [label for label in classes if label not in order]
    if absent:
        raise ParameterError(
            f"LeastRisk(labels=...) must name all classes of y, {classes}, but {absent[0]!r} is not in {order}."
        )
    return order

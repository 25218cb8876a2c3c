"""Decisions of least risk: where errors differ in cost, scores are shifted, and the weights stay unchanged."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base.argument_types import Classifier, LabelsLike, TableLike
from rosenblatt.base.hyperplane import as_numbers
from rosenblatt.base.schema import Numbers, Real, SavedState
from rosenblatt.classifiers.multiclass.metadata import RoutesMetadata
from rosenblatt.classifiers.multiclass.scorer import WrapsScorer, fault_of, scores_of
from rosenblatt.classifiers.stream_answers import ScoresStreams, by_chunks
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks, fit_member
from rosenblatt.data import validation
from rosenblatt.data.estimator_bases import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from rosenblatt.data.plain_state import PlainState
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import Guided

ROUNDING = 2.0**-50  # relative; risks closer than this count as equal
MAX_FLOAT = float(np.finfo(np.float64).max)


class LeastRisk(
    Guided,
    PlainState,
    TakesCallbacks,
    RoutesMetadata,
    ScoresStreams,
    WrapsScorer,
    ClassifierMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    r"""Shift the scores of a classifier so that its decisions cost the least on the training rows.

    .. math:: \text{decide } \arg\max_c \, (s_c(x) + o_c), \quad
              o = \arg\min \frac{1}{n} \sum_i W(\text{decision}_i, \text{state}_i)

    The estimator learns as it would alone, and its weights stay unchanged. With two classes, one offset shifts the one
    score, which moves the hyperplane parallel to itself: a score above 0 means `classes_[1]`, and 0 means
    `classes_[0]`. With more classes, each class has an offset, and of equal scores the earlier class wins.

    Parameters
    ----------
    estimator : classifier
        It has a `decision_function`, which gives the scores; a copy of it is fitted. It must give one score per row for
        two classes, and one column per class for more. Use one that tolerates errors where classes overlap, such as
        `Perceptron(average="averaged")`. If it makes no errors on the training rows, no offset can help.
    penalty : array of shape (k, k), optional
        W, rows = decisions, columns = states, as in `losses.empirical_risk`. Give it where errors differ in cost, or
        where right decisions have a cost or (negative) a gain. None: each error costs 1.
    labels : list of k labels, optional
        The order of W's rows and columns. Give it where that is not the sorted order of the classes, or where a class
        may be absent from the training rows: its row and column are then not used.

    Attributes
    ----------
    estimator_ : estimator
        The fitted copy of the estimator.
    classes_ : array of shape (k,)
        The sorted class labels.
    offsets_ : array of shape (1,) or (k,)
        Added to the scores: one number for two classes, else one per class.
    risk_before_ : float
        The risk on the training rows with offsets 0.
    risk_ : float
        The risk on the training rows with `offsets_`.
    coef_ : array of shape (1, d) or (k, d)
        The weights of the estimator, if it has them.
    intercept_ : array of shape (1,) or (k,)
        The intercepts of the estimator, if it has them, with the offsets added.
    n_features_in_ : int
        The number of columns that the estimator learned from.
    feature_names_in_ : array of str
        The names of the columns, if the estimator has them.

    See Also
    --------
    losses.empirical_risk : The risk of decisions.

    Notes
    -----
    With two classes, no threshold has a lower risk on the training rows; rows of equal score always get the same
    decision. Among the thresholds of least risk, 0 is taken if it is one of them, else the middle of the widest gap
    between scores. With more classes, the offsets are improved from 0 one at a time, each to its best value, until no
    single change helps: the risk never rises, but another choice of offsets may have a lower risk. Both statements hold
    up to the rounding of scores and risks. The risk on training rows is optimistic; for new rows, use
    `losses.empirical_risk`.

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

    estimator_: Any  # the class of `estimator`
    classes_: NDArray[Any]
    encoding_: dict[str, Any]  # exists if it was set; how columns of files become numbers
    offsets_: Floats
    risk_: float
    risk_before_: float

    _saved = SavedState(
        {"offsets_": Numbers(("scores",)), "risk_": Real(infinite=True), "risk_before_": Real(infinite=True)},
        columns=False,
        inside="estimator_",
    )

    def __init__(
        self,
        estimator: Classifier,
        penalty: "ArrayLike | None" = None,
        labels: Sequence[Any] | NDArray[Any] | None = None,
    ) -> None:
        self.estimator = estimator
        self.penalty = penalty
        self.labels = labels

    def fit(self, X: TableLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Fit a copy of the estimator, then find the offsets of least risk on the same rows.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.
        y : array of shape (n,)
            The class labels, of at least two classes.
        **fit_params : object
            Metadata for `fit` of the estimator. `sample_weight` is passed on if the estimator takes weights. Other
            metadata needs scikit-learn's metadata routing: `sklearn.set_config(enable_metadata_routing=True)` and
            `estimator.set_fit_request(name=True)`; with routing, `sample_weight` must be requested too. The risk counts
            each row with the weight that the estimator is given.

        Returns
        -------
        Self
            The fitted estimator.
        """
        fault = fault_of("LeastRisk", self.estimator)
        if fault:
            raise ParameterError(fault)
        classes, states = validation.classes(y, _count(y))
        W = _penalty(self.penalty, self.labels, classes.tolist())
        metadata = self._metadata(fit_params, classes, states)
        self._fit(RiskProblem(X, y, classes, states, W, clone(self.estimator), metadata), 1, X, y, metadata)
        return self

    def _keep(self, problem: "RiskProblem", found: "LeastOffsets") -> None:
        """Make the fitted estimator and its offsets the state of this one."""
        two = len(problem.classes) == 2
        self.estimator_, self.classes_ = problem.estimator, problem.classes
        self.offsets_ = found.offsets[1:] if two else found.offsets
        self.risk_, self.risk_before_ = found.risk, found.before

    @by_chunks
    def decision_function(self, X: TableLike) -> Floats:
        """Return the shifted score of each row: above 0 for `classes_[1]`; with more classes, one column per class.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows, in a form that the estimator accepts.

        Returns
        -------
        array of shape (n,) or (n, k)
            The shifted scores.
        """
        check_is_fitted(self)
        return _add(scores_of(self.estimator_, X), self.offsets_)

    @property
    def coef_(self) -> Floats:
        """Weights of the features, those of the estimator; a vote has none."""
        self._refuse_votes()
        return self.estimator_.coef_  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> Floats:
        """The estimator's intercept plus the offsets."""
        self.coef_  # noqa: B018  (raises if there is none)
        intercept = np.asarray(self.estimator_.intercept_)
        if intercept.shape not in ((), self.offsets_.shape):
            raise AttributeError(
                f"The estimator's intercept_ has shape {intercept.shape}, but needs one number for each of the "
                f"{len(self.offsets_)} scores, so the offsets cannot be added to it."
            )
        return intercept + self.offsets_


@dataclass(frozen=True)
class RiskProblem:
    """Rows, the code of each row's class, the penalties W, the estimator, and the metadata that it is fitted with."""

    X: Any
    y: Any
    classes: NDArray[Any]
    states: Codes
    W: Floats
    estimator: Any
    metadata: dict[str, Any]

    def train(self, callbacks: Callbacks | None = None) -> "LeastOffsets":
        """Fit the estimator, then improve the offsets on the same rows."""
        fit_member(self.estimator, self.X, self.y, self.metadata, callbacks, "estimator")
        columns = _columns(scores_of(self.estimator, self.X), len(self.states), self.classes.tolist())
        k, given = len(self.classes), self.metadata.get("sample_weight")
        weights = np.ones(len(self.states)) if given is None else given
        counts = weights > 0  # a row of weight 0 is ignored
        movable = range(1, 2) if k == 2 else range(k)
        return improve(columns[counts], self.states[counts], self.W, movable, weights[counts])


class LeastOffsets(NamedTuple):
    """Offsets, one per class; their risk; and the risk with offsets 0."""

    offsets: Floats
    risk: float
    before: float


def improve(scores: Floats, states: Codes, W: Floats, movable: Sequence[int], weights: Floats) -> LeastOffsets:
    """Improve the offsets of the movable classes from 0, one at a time, until no single change lowers the risk."""
    offsets = np.zeros(len(W))
    exponent = math.frexp(np.abs(W).max())[1]
    if not 2.0**-40 < weights.max() < 2.0**40:
        weights = np.ldexp(weights, -math.frexp(weights.max())[1])  # the risk stays the same, and no sum overflows
    parts = _parts(np.ldexp(W, -exponent), math.ceil(weights.sum()))  # entries of at most 1, for the same reason
    before = risk = _risk(scores, offsets, states, parts, weights)
    optimal = 0  # the number of successive classes that could not be improved
    for c in itertools.cycle(movable):
        trial = offsets.copy()
        trial[c] = _best_offset(scores, offsets, states, parts, weights, c)
        lower = _risk(scores, trial, states, parts, weights)
        if lower < risk and not math.isclose(lower, risk, rel_tol=ROUNDING):
            offsets, risk, optimal = trial, lower, 0
        optimal += 1
        if optimal == len(movable):
            break
    return LeastOffsets(offsets, math.ldexp(risk, exponent), math.ldexp(before, exponent))


def _best_offset(scores: Floats, offsets: Floats, states: Codes, parts: Floats, weights: Floats, c: int) -> float:
    """Return the offset of class c with the least risk while the offsets of its rivals, all other classes, stay."""
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
        change = np.bincount(first, weights * (part[c, states] - part[rivals, states]), minlength=len(values) + 1)
        totals += (weights * part[rivals, states]).sum() + np.cumsum(change)[:-1]
    least = totals.min()
    return float(values[np.argmax(np.where(totals <= least + ROUNDING * abs(least), room, -np.inf))])


def _candidates(critical: Floats, size: float) -> tuple[Floats, Floats]:
    """Return offsets that cover all possible decisions, in rising order, and the room around each.

    Decisions change only at critical offsets. Between two critical offsets the middle is the candidate, and their
    distance is its room. Beyond the ends, the candidate is a step of about the mean distance away; it is taken only if
    no middle is as good. At a critical offset itself rows may tie, which can give other decisions; such a candidate has
    no room, and is taken last. The step is a power of two: its sums with integer scores, such as votes, do not round,
    and ties stay ties.
    """
    if len(critical) == 0:  # all overflow
        return np.zeros(1), np.zeros(1)
    low, high = critical[0], critical[-1]
    with np.errstate(over="ignore"):
        gaps = np.diff(critical)
        step = math.ldexp(0.5, math.frexp(gaps.mean() if len(gaps) else max(abs(low), size) or 1.0)[1])
        ends = [min(low - step, np.nextafter(low, -np.inf)), max(high + step, np.nextafter(high, np.inf))]
    middles = critical[:-1] / 2 + critical[1:] / 2
    values = np.concatenate([critical, middles, np.clip(ends, -MAX_FLOAT, MAX_FLOAT)])
    room = np.concatenate([np.full(len(critical), -1.0), gaps, [0.0, 0.0]])
    order = np.argsort(values, kind="stable")
    return values[order], room[order]


def _first_win(own: Floats, best: Floats, wins_ties: NDArray[np.bool_], values: Floats) -> Codes:
    """Return, for each row, the index of the first of the rising offsets with which c wins it; their count for none.

    It bisects with the same sums that `predict` compares, so their rounding is included.
    """
    low, high = np.zeros(len(own), dtype=np.int64), np.full(len(own), len(values))
    for _ in range(len(values).bit_length()):
        middle = np.minimum((low + high) // 2, len(values) - 1)
        shifted = _add(own, values[middle])
        won = (shifted > best) | ((shifted == best) & wins_ties)
        high = np.where(won, middle, high)
        low = np.where(won, low, middle + 1)
    return low


def _risk(scores: Floats, offsets: Floats, states: Codes, parts: Floats, weights: Floats) -> float:
    """Return the weighted mean of W(decision_i, state_i).

    It is computed from counts, so that the order of rows with integer weights does not matter.
    """
    k = len(offsets)
    counts = np.bincount(_add(scores, offsets).argmax(axis=1) * k + states, weights, minlength=k * k)
    return math.fsum((parts * counts.reshape(k, k)).ravel()) / float(weights.sum())


def _parts(W: Floats, n: int) -> Floats:
    """Split W into multiples of a power of two, of which n differences add up exactly, and the remainder."""
    unit = math.ldexp(1.0, (4 * n).bit_length() - 53)
    coarse = np.rint(W / unit) * unit
    return np.stack([coarse, W - coarse])


def _add(scores: Floats, offsets: Floats) -> Floats:
    with np.errstate(over="ignore"):  # infinity has the right sign
        return np.asarray(scores + offsets)


def _columns(scores: Floats, n: int, labels: list[Any]) -> Floats:
    """Return one column of scores per class; with two classes the first column is 0, which keeps ties and signs."""
    k = len(labels)
    if scores.shape != ((n,) if k == 2 else (n, k)):
        expected = "one score per row" if k == 2 else f"{k} columns, one per class"
        raise ParameterError(
            f"The decision_function of the estimator must give {expected}, for the {n} rows of the classes {labels}, "
            f"but the shape of its result is {scores.shape}; wrap the estimator, as in OneVsAll(...)."
        )
    if not np.isfinite(scores).all():
        row = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise DataError(f"Every score must be finite, but that of row {row} is {scores[row]}; bring X closer to 1.")
    return np.column_stack([np.zeros(n), scores]) if k == 2 else scores


def _count(y: Any) -> int:
    try:
        return len(y)
    except TypeError:  # it is not a list; `validation.classes` raises with a better message
        return np.asarray(y).size


def _penalty(penalty: Any, labels: Any, classes: list[Any]) -> Floats:
    """Return W for these classes, in this order."""
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

"""Kozinec's algorithm: a separating hyperplane, or the maximum margin, with or without slack."""

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import Bias, LabelsLike, TableLike
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.schema import MAX_COUNT, Bounds, Former, Lines, Numbers, Real, Reason, SavedState
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning, OverlapWarning
from rosenblatt.classifiers.training.problem import Problem, StreamProblem
from rosenblatt.data import validation
from rosenblatt.data.files.sources import Source
from rosenblatt.data.matrices import doubles
from rosenblatt.data.saved_rows import SavedRows
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Matrix
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import counts_rows_alike
from rosenblatt.errors.wording import Words, parameter, worded
from rosenblatt.hulls.row_set import InMemory, Points
from rosenblatt.hulls.search import SOLVERS, Solver, nearest_point
from rosenblatt.hulls.search_types import Goal, Nearest, plane_of
from rosenblatt.hulls.streamed_row_set import OnDisk

MAX_ROW_LENGTH = 1e100  # squares of longer rows, or of rows shorter than its inverse, lose digits
MIN_C = 1e-300
EpsilonKind = Literal["relative", "absolute"]
FreeBias = Literal["free"]
LINES = {  # the columns of `history_`
    "row": Numbers(("lines",), dtype="int64", least=1),
    "lower": Numbers(("lines",), infinite=True, least=1),
    "upper": Numbers(("lines",), infinite=True, least=1),
    "active": Numbers(("lines",), dtype="int64", least=1),
}


@dataclass(frozen=True, kw_only=True)
class HullProblem(Problem):
    """Rows in memory, as the search for the nearest point sees them."""

    row_set: InMemory
    options: dict[str, Any]  # of `nearest_point`

    def train(self, callbacks: Callbacks | None = None) -> Nearest:
        """Search for the nearest point."""
        return nearest_point(self.row_set, **self.options, callbacks=callbacks)

    def vectors(self, rows: Codes) -> Matrix:
        """The rows of these numbers."""
        return self.points[rows]


@dataclass(kw_only=True)
class StreamHullProblem(StreamProblem):
    """The rows of a stream, as the search for the nearest point sees them."""

    row_set: OnDisk
    options: dict[str, Any]  # of `nearest_point`

    def train(self, callbacks: Callbacks | None = None) -> Nearest:
        """Search for the nearest point."""
        return nearest_point(self.row_set, **self.options, callbacks=callbacks)

    def vectors(self, rows: Codes) -> Matrix:
        """The rows of these numbers."""
        return self.row_set.matrix(rows)


class Kozinec(LinearClassifier, TakesCallbacks):
    r"""The hyperplane of largest margin, or any that separates, as the nearest point of convex hulls.

    .. math:: w \leftarrow (1-k)\, w + k\, z_i, \quad
              k = \operatorname{argmin}_{0 \le k \le 1} |(1-k)\, w + k\, z_i|, \quad z_i = y_i x_i

    w is a convex combination of the signed rows and becomes shorter with every step. The shortest such w is the normal
    of the hyperplane with the largest margin. With a free bias there are two hulls, one per class, and w is the
    difference of a point of each. The rules are `kozinec`, `mdm` and `away` in `rules/hull.py` and `wolfe` in
    `rules/wolfe.py`; the search around them is `hulls/search.py`.

    Parameters
    ----------
    epsilon : float or None, default=1e-3
        Stop when the bounds of the margin are this close: :math:`|w| - \min_i w \cdot z_i / |w| \le \epsilon`, times
        :math:`|w|` if `epsilon_kind` is "relative" (with two hulls, the minimum is over pairs of rows). Lower it for a
        more accurate margin. None: stop at the first w that separates the classes, which is Kozinec's algorithm of
        1973.
    epsilon_kind : {"relative", "absolute"}, default="relative"
        What epsilon is.

        - "relative": a fraction of the upper bound.
        - "absolute": a length, as in the lecture.
    solver : {"auto", "kozinec", "mdm", "away", "wolfe"}, default="auto"
        The rule of a step. The rules share start, bounds, stopping and record, and differ in speed: in the end,
        Kozinec's rule needs O(1/epsilon) passes, and Wolfe's needs finitely many. Change it to watch or compare the
        rules.

        - "auto": Wolfe's rule on the rows that matter, with few passes over all; with slack it starts from a guess by
          Newton's method.
        - "kozinec": the lecture's rule.
        - "mdm": weight moves from the best placed row to the worst.
        - "away": Kozinec's rule with steps away from rows.
        - "wolfe": Wolfe's rule.
    C : float, default=inf
        The price of slack: minimise :math:`|w|^2/2 + C \sum_i \xi_i^2` with functional margins of at least
        :math:`1 - \xi_i`. Infinity allows no slack. Lower it where classes overlap.
    bias : "free" or float, default="free"
        How the hyperplane gets its intercept.

        - "free": the bias is not part of `|w|`, as in support vector machines.
        - A number: each row ends with this constant, and the bias weight is part of w (Hlavac's embedding). Use 0 for a
          hyperplane through the origin.
    screening : bool or None, default=None
        Whether passes skip rows that are proved to have no weight. The answer is the same. None: only with
        solver="auto".
    max_epochs : int, default=100_000
        Maximum number of passes over the rows.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The sorted class labels.
    coef_ : array of shape (1, d)
        The weights of the features, in the scale of the objective: without slack, the smallest functional margin is 1.
        If the hyperplane does not separate the classes, there is no such scale; they are then those of `hull_vector_`.
    intercept_ : array of shape (1,)
        The intercept, in the same scale.
    hyperplane_ : Hyperplane
        The boundary, in the same scale.
    hull_vector_ : array of shape (d,), or (d + 1,) with a number as bias
        The point of the hull nearest to the origin or, with a free bias, the shortest vector between the hulls.
    hull_weights_ : array of shape (n_support,)
        The weights of the support vectors in `hull_vector_`. They are positive. Those of each class sum to 1 (without a
        free bias, those of both classes together).
    margin_bounds_ : tuple of two floats
        `hyperplane_` has a margin of at least the first; no hyperplane has one above the second. Rounding is accounted
        for. Margins are geometric, in the space of the features (with a number as bias, of the rows with their
        constant; with slack, as if each row had one more column of its own). The first is negative if rows are on the
        wrong side.
    support_ : array of shape (n_support,)
        The row numbers of the support vectors, the rows with a weight.
    support_vectors_ : array of shape (n_support, d), or sparse matrix
        These rows.
    dual_coef_ : array of shape (1, n_support)
        The weights in `coef_`, times the sign of the class. If the gap was closed or the classes were separated,
        ``dual_coef_ @ support_vectors_`` is `coef_`; otherwise `coef_` is the best so far.
    history_ : structured array
        One line for the start and one for every step: `row`, the row that w moved to (-1 at the start, and for the
        guess of "auto"); `lower`, `upper`, bounds of the margin; `active`, the number of rows with a weight.
    slab_ : tuple of two Hyperplane
        The two hyperplanes parallel to `hyperplane_` through the nearest rows, that of the negative class first.
    n_iter_ : int
        The number of passes.
    mistakes_per_epoch_ : array of int
        The rows on the wrong side in each pass.
    n_updates_ : int
        The number of steps.
    stop_reason_ : StopReason
        "gap_closed", "separated", "proved_overlap", "rounding", "budget" or "condition".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    separability : Decides in whole numbers whether a hyperplane separates the classes.
    Kessler : Gives it more than two classes.
    OneVsAll : Also gives it more than two classes.
    plot.MarginDisplay : Draws the margin.

    Notes
    -----
    At every step :math:`\min_i w \cdot z_i / |w| \le m \le |w|`, where m is the margin (with two hulls, twice the
    margin). At "proved_overlap" the weights, as exact fractions, combine both classes to exactly the same point. With
    slack, the minimum of the objective is :math:`1/(2 m^2)`.

    References
    ----------
    B. N. Kozinec, in Vapnik (ed.), Algorithms for learning recognition (1973); M. I. Schlesinger and V. Hlavac, Ten
    lectures on statistical and structural pattern recognition (2002), chapter 5; P. Wolfe, Mathematical Programming 11
    (1976); S. S. Keerthi et al., IEEE Transactions on Neural Networks 11 (2000).

    Examples
    --------
    >>> from rosenblatt import Kozinec
    >>> model = Kozinec().fit([[0, 0], [0, 2], [3, 1], [5, 1]], [-1, -1, 1, 1])
    >>> print(model.stop_reason_, "with a margin between {:.6f} and {:.6f}".format(*model.margin_bounds_))
    gap_closed with a margin between 1.500000 and 1.500000
    >>> print("support vectors", model.support_, "with weights", model.hull_weights_.round(6))
    support vectors [0 1 2] with weights [0.5 0.5 1. ]
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "epsilon": parameters.Either(parameters.OneOf(None), parameters.Number(0, strict=True)),
        "epsilon_kind": parameters.OneOf(*get_args(EpsilonKind)),
        "solver": parameters.OneOf(*SOLVERS),
        "C": parameters.Number(0, strict=True, infinite=True),
        "bias": parameters.Either(parameters.OneOf(*get_args(FreeBias)), parameters.Bias()),
        "screening": parameters.Either(parameters.OneOf(None), parameters.Flag()),
        "max_epochs": parameters.Integer(1),
    }
    _saved = SavedState(
        {
            "_w": Numbers(("d+1",)),
            "_constant": Real(0.0),
            "_lead": Real(infinite=True),
            "margin_bounds_": Bounds(),
            "support_": Numbers(("support",), dtype="int64", low=0),
            "support_vectors_": SavedRows(),
            "dual_coef_": Numbers((1, "support")),
            "history_": Lines(LINES),
            "mistakes_per_epoch_": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT),
            "stop_reason_": Reason(),
        },
        two=True,
        former={"relative": Former("epsilon_kind", ((True, "relative"), (False, "absolute")))},
    )

    margin_bounds_: tuple[float, float]
    support_: NDArray[np.int64]
    support_vectors_: Matrix
    history_: NDArray[Any]
    mistakes_per_epoch_: NDArray[np.int64]
    stop_reason_: StopReason
    _w: Floats
    _constant: float
    _lead: float
    _free: bool  # was the bias free?
    _signed_weights: Floats

    def __init__(
        self,
        *,
        epsilon: float | None = 1e-3,
        epsilon_kind: EpsilonKind = "relative",
        solver: Solver = "auto",
        C: float = math.inf,
        bias: Bias | FreeBias = "free",
        screening: bool | None = None,
        max_epochs: int = 100_000,
    ) -> None:
        self.epsilon = epsilon
        self.epsilon_kind = epsilon_kind
        self.solver = solver
        self.C = C
        self.bias = bias
        self.screening = screening
        self.max_epochs = max_epochs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def _weights(self) -> Floats:
        return self._w

    @property
    def _bias(self) -> float:
        return self._constant

    @property
    def _scale(self) -> float:
        """The factor that makes the smallest functional margin 1, slack included."""
        return 1.0 / self._lead if self._lead > 0 else 1.0

    @property
    def hull_vector_(self) -> Floats:
        """The nearest point of the hull to the origin or, with a free bias, the shortest vector between the hulls."""
        check_is_fitted(self)
        return self._w[:-1].copy() if self._free else self._w.copy()

    @property
    def hull_weights_(self) -> Floats:
        """The weights of the support vectors in `hull_vector_`."""
        check_is_fitted(self)
        return np.abs(self._signed_weights)

    @property
    def dual_coef_(self) -> Floats:
        """The weights of the support vectors in `coef_`, times the sign of the class."""
        check_is_fitted(self)
        return self._scale * self._signed_weights[np.newaxis]

    @property
    def n_iter_(self) -> int:
        """Number of passes over the rows."""
        check_is_fitted(self)
        return len(self.mistakes_per_epoch_)

    @property
    def n_updates_(self) -> int:
        """Number of steps."""
        check_is_fitted(self)
        return len(self.history_) - 1

    @property
    def slab_(self) -> tuple[Hyperplane, Hyperplane]:
        """The two parallels of the boundary through the nearest rows; no row lies between them, except by slack."""
        plane = self.hyperplane_
        if not (self._lead > 0 and plane.w.any()):
            raise AttributeError("There is no slab: the hyperplane does not separate the classes.")
        return Hyperplane(plane.w, plane.b + 1.0), Hyperplane(plane.w, plane.b - 1.0)

    @counts_rows_alike("Perceptron, Pocket, BatchPerceptron, NearestMean and Anderson learn from rows with weights.")
    def fit(self, X: TableLike, y: LabelsLike) -> Self:
        """Search for the nearest point until the goal is reached; `stop_reason_` says why the search ended.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of two classes.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._warn(self._fit(self.problem(X, y), self.max_epochs, X, y), stacklevel=4)
        return self

    def fit_stream(self, source: Source | Stream, target: str | int | None = None, **reading: Any) -> Self:
        """Fit to the rows of files, which are read in chunks, once for every pass over all rows.

        The result equals that of `fit` up to rounding. Memory holds a few chunks, the rows that the search works on,
        and one number for each row. A cache (`Stream(cache=True)`) makes all passes after the first much faster.

        Parameters
        ----------
        source : Stream, or what `Stream` takes
            The rows.
        target : str or int, optional
            The column with the labels, if the source is not a `Stream`.
        **reading : object
            Other options of the `Stream`, if the source is not one.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._check_parameters()
        stream = Stream.of(source, reading | ({} if target is None else {"target": target}))
        two = self.bias == "free"
        points = OnDisk(stream, 0.0 if two else float(self.bias), two=two)
        self._check_radius(points.radius)
        problem = StreamHullProblem(stream=stream, row_set=points, options=self._options() | {"screening": False})
        self._warn(self._fit(problem, self.max_epochs), stacklevel=3)
        return self

    def _keep(self, problem: HullProblem | StreamHullProblem, found: Nearest) -> int:
        """Make what the search found the state of this estimator; return how many rows it gets wrong."""
        points: Points = problem.row_set
        w, lead = plane_of(found.look, points)
        wrong, _ = points.mistakes(w)
        if wrong and found.stop_reason is StopReason.SEPARATED:  # separated by less than the rounding error of the bias
            found = found._replace(stop_reason=StopReason.ROUNDING)
        problem.record_columns(self, points.d)
        self._w, self._lead, self._free = w, lead, points.two
        self._constant = 1.0 if points.two else float(self.bias)
        self.classes_ = problem.classes
        self.support_ = found.rows
        self.support_vectors_ = problem.vectors(found.rows)
        self._signed_weights = points.held.y[points.hold(found.rows)] * found.weights
        half = 0.5 if points.two else 1.0
        self.margin_bounds_ = (half * found.lower, half * found.upper)
        self.history_ = found.history.copy()
        self.history_["lower"] *= half
        self.history_["upper"] *= half
        self.mistakes_per_epoch_ = np.array(found.wrong, dtype=np.int64)
        self.stop_reason_ = found.stop_reason
        return wrong

    def _saved_values(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self._saved.fields if name != "dual_coef_"}
        return plain | {"dual_coef_": self._signed_weights[np.newaxis]}  # as in the first version of the files

    def _restore(self, values: dict[str, Any]) -> None:
        self._free, self._signed_weights = self.bias == "free", values.pop("dual_coef_")[0]
        self.__dict__.update(values)

    def problem(self, X: TableLike, y: LabelsLike) -> HullProblem:
        """Check X, y and the parameters, and return what `fit` would search in; nothing is changed.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.

        Returns
        -------
        HullProblem
            The rows, and the options of the search.
        """
        self._check_parameters()
        matrix = doubles(validation.points(X))
        n, d = matrix.shape
        wrapped = "OneVsOne(Kozinec(C=1.0)), or OneVsAll, or Kessler with a bias"
        classes, codes = validation.two_classes(y, n, wrapped)
        two = self.bias == "free"
        rows = validation.rows(matrix, 0.0 if two else float(self.bias))
        points = InMemory(rows, d, validation.signs(codes), two=two)
        self._check_radius(points.radius)
        return HullProblem(X=X, points=matrix, classes=classes, row_set=points, options=self._options())

    def _check_parameters(self) -> None:
        parameters.check(self, self._constraints)
        if self.epsilon is None and not math.isinf(self.C):
            raise ParameterError(
                worded(
                    "{none} stops at the first hyperplane that separates the classes; with slack ({C}) every "
                    "hyperplane does; give {epsilon} as a number, or {inf}.",
                    none=parameter("epsilon", None, "Kozinec"),
                    C=parameter("C", self.C),
                    epsilon=parameter("epsilon"),
                    inf=parameter("C", math.inf),
                )
            )
        if self.C < MIN_C:
            least = f"must be at least {MIN_C:g}, not {self.C}."
            raise ParameterError(worded(f"{{C}} {least}", C=parameter("C", owner="Kozinec")))

    def _check_radius(self, radius: float) -> None:
        if radius and not 1 / MAX_ROW_LENGTH < radius < MAX_ROW_LENGTH:
            raise DataError(
                f"The longest row of X has length {radius:.3g}, which floats cannot square accurately; bring X "
                "closer to 1, for example by a factor of a power of two."
            )

    def _options(self) -> dict[str, Any]:
        """Return the options of `nearest_point`."""
        return {
            "solver": self.solver,
            "goal": Goal(None if self.epsilon is None else float(self.epsilon), self.epsilon_kind),
            "slack": 0.5 / float(self.C),
            "screening": self.solver == "auto" if self.screening is None else bool(self.screening),
            "max_epochs": self.max_epochs,
        }

    def _warn(self, wrong: int, stacklevel: int) -> None:
        reason, n = self.stop_reason_, len(self.support_)
        low, high = self.margin_bounds_
        epsilon, slack = parameter("epsilon"), {"C": parameter("C"), "C1": parameter("C", 1.0)}
        bounds = f"the margin is between {low:.6g} and {high:.6g}"
        state = f"its best hyperplane has {count_of(wrong, 'row') if wrong else 'no rows'} on the wrong side"
        if reason is StopReason.PROVED_OVERLAP:
            sentence = (
                f"No hyperplane separates the classes: convex combinations of {n} rows{{support}} coincide. "
                "Lower {C}, for example to {C1}, to allow slack."
            )
            if self.bias == 0:
                sentence = (
                    f"No hyperplane through the origin separates the classes: {count_of(n, 'row')}{{support}}, with "
                    "the sign of the class, combine to 0. Give {free}, or lower {C}, for example to {C1}."
                )
            message = worded(sentence, support=Words(" (support_)", ""), free=parameter("bias", "free"), **slack)
            warnings.warn(message, OverlapWarning, stacklevel=stacklevel)
        elif reason is StopReason.BUDGET:
            also = " or {epsilon}" * (self.epsilon is not None) + ", or use {solver}" * (self.solver != "auto")
            message = worded(
                f"Kozinec used its budget of {{passes}} passes before it reached its goal; {state}, and {bounds}. "
                f"Raise {{max_epochs}}{also}.",
                passes=Words(f"max_epochs={self.max_epochs}", str(self.max_epochs)),
                max_epochs=parameter("max_epochs"),
                epsilon=epsilon,
                solver=parameter("solver", "auto"),
            )
            warnings.warn(message, BudgetWarning, stacklevel=stacklevel)
        elif reason is StopReason.ROUNDING:
            message = worded(
                f"Rounding prevents further progress of Kozinec; {state}, and {bounds}, {high - low:.2g} apart. "
                "Raise {epsilon}, or bring the columns {of_X} to one scale{how}.",
                epsilon=epsilon,
                of_X=Words("of X (and a bias constant)", "(and a bias constant)"),
                how=Words("", ", with --scale standardize"),
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
        elif reason is StopReason.GAP_CLOSED and wrong and math.isinf(self.C):
            message = worded(
                f"The goal, {{reached}}, was reached before the classes were separated; {state}. Lower {{epsilon}}.",
                reached=Words(f"epsilon={self.epsilon}", f"an epsilon of {self.epsilon}"),
                epsilon=epsilon,
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)

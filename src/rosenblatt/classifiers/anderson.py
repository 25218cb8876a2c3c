"""The generalised Anderson task: the hyperplane that minimises the worst error over given Gaussians."""

import math
import numbers
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import LabelsLike, MatricesLike, TableLike
from rosenblatt.base.exact import text_of, whole
from rosenblatt.base.parameters import RandomState
from rosenblatt.base.schema import Former, Fractions, Lines, Numbers, Real, Reason, SavedState
from rosenblatt.base.stopping import StopReason
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.worst_error import semidefinite
from rosenblatt.classifiers.gaussians.gaussians import Gaussians, checked
from rosenblatt.classifiers.gaussians.margins import Margins
from rosenblatt.classifiers.gaussians.mixtures import Components, CovarianceType, MixtureOptions, estimate_mixtures
from rosenblatt.classifiers.gaussians.radius_bounds import Contacts, radius_lower_bound
from rosenblatt.classifiers.gaussians.search import (
    RELATIVE_ERROR,
    Goal,
    Method,
    SearchResult,
    overlap_result,
    search,
    starting_hyperplane,
)
from rosenblatt.classifiers.linear import LinearClassifier
from rosenblatt.classifiers.training.callbacks import TakesCallbacks
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning, OverlapWarning
from rosenblatt.classifiers.training.problem import Problem
from rosenblatt.data import validation
from rosenblatt.data.matrices import dense
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.data.weights import row_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import Words, parameter, worded
from rosenblatt.proof.decide import decide, labelled

Solver = Literal["auto", Method]
LINES = {  # the columns of `history_`
    "w": Numbers(("lines", "d+1"), least=1),
    "radius": Numbers(("lines",), infinite=True, least=1),
    "lower": Numbers(("lines",), infinite=True, least=1),
    "upper": Numbers(("lines",), infinite=True, least=1),
}


class Anderson(LinearClassifier, TakesCallbacks):
    r"""Generalised Anderson task: the hyperplane whose largest error over given Gaussians is the smallest.

    .. math:: r = \min_i \; y_i \, (w \cdot \mu_i + b) \, / \, \sqrt{w \cdot C_i w}, \qquad
              \text{worst error} = \Phi(-r)

    Each class is a mixture of Gaussians with unknown weights, so the worst component counts. r is the radius, in
    standard deviations, of the ellipsoids that just touch the hyperplane. At the largest r, points of touching
    ellipsoids combine the two classes to one point, which proves that no r is larger. The solvers are `ascent` in
    `gaussians/ascent.py`, and `bahadur` and `gradient` in `gaussians/search.py`.

    Parameters
    ----------
    n_components : int or "bic", default=1
        Number of Gaussians that `fit` estimates per class; several by scikit-learn's `GaussianMixture`. "bic" takes the
        number, up to `max_components`, that the Bayesian information criterion prefers. Raise it for a class that
        consists of several clusters.
    max_components : int, default=5
        The largest number that "bic" tries. Lower it to save time.
    covariance_type : {"full", "diag", "tied"}, default="full"
        Covariances that `fit` estimates. Use "diag" or "tied" where rows are few.

        - "full": any.
        - "diag": without correlations.
        - "tied": one for all components of a class.
    ridge : float, default=1e-6
        `fit` adds this to every variance, in units of the variance of the column over all rows. Raise it where a class
        has fewer rows than columns.
    solver : {"auto", "ascent", "bahadur", "gradient"}, default="auto"
        How the hyperplane is found.

        - "auto": "bahadur" where it applies, else "ascent".
        - "ascent": certified ascent, for any Gaussians.
        - "bahadur": the bisection of Anderson and Bahadur, for one Gaussian per class.
        - "gradient": the lecture's generalised gradient, which is slow; use it to watch the steps.
    epsilon : float, default=1e-6
        Stop when the bounds of the radius differ by at most this fraction of it, or of one standard deviation if the
        radius is smaller. Raise it to stop earlier.
    max_error : float or None, default=None
        The epsilon-task: decide whether some hyperplane has a worst error below this number between 0 and 0.5. The
        search stops at the first such hyperplane, or at a proof that there is none; `stop_reason_` is "target" or
        "impossible". `epsilon` is then ignored.
    max_iter : int, default=10_000
        Maximum number of steps.
    random_state : int, RandomState or None, default=0
        Seed of the mixtures, which start at random. With None, every fit is different.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The sorted class labels.
    coef_ : array of shape (1, d)
        The weights of the features.
    intercept_ : array of shape (1,)
        The intercept.
    hyperplane_ : Hyperplane
        The boundary.
    radius_bounds_ : tuple of two floats
        `hyperplane_` has a radius of at least the first; no hyperplane has one above the second. Rounding is accounted
        for.
    worst_error_bounds_ : tuple of two floats
        No hyperplane has a worst error below the first; that of `hyperplane_` is at most the second.
    component_errors_ : array of shape (m,)
        The error of each Gaussian.
    component_radii_ : array of shape (m,)
        The radius of each Gaussian.
    distribution_free_bound_ : float
        1 / (1 + r^2), a bound on the error of any distributions with these means and covariances.
    tight_ : array of int
        The numbers of the Gaussians that determine the hyperplane: those with a weight in the proof, if any.
    dual_weights_ : array of float
        Their weights; the weights of each class sum to 1.
    certificate_ : Certificate
        The bounds with their proof, for `Certificate.verify_gaussians` and `covariances_`.
    means_ : array of shape (m, d)
        The means of the Gaussians, given or estimated.
    covariances_ : array of shape (m, d, d)
        Their covariances.
    component_labels_ : array of shape (m,)
        The class of each Gaussian.
    history_ : structured array
        One line for the start and one for every step: `w`, the hyperplane, bias weight last; its `radius`; `lower` and
        `upper`, the bounds so far.
    n_iter_ : int
        Number of steps made.
    stop_reason_ : StopReason
        "gap_closed", "target", "impossible", "proved_overlap", "rounding", "budget" or "condition".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    NearestMean : For round clouds of one size.
    trace_gaussians : Records every step.
    plot.GaussiansDisplay : Draws the ellipsoids that touch the hyperplane.

    Notes
    -----
    A Gaussian without spread across the hyperplane has no error if its mean is on the right side.

    At "proved_overlap" no hyperplane separates the means: every hyperplane misclassifies some Gaussian at least half of
    the time, the upper bound is 0, and `hyperplane_` is a guess.

    The search stops at a radius of 100,000 standard deviations, whatever epsilon is. The upper bound may then be
    infinite.

    All errors are those of the Gaussians, not of rows. The estimate of a class with fewer rows than columns is nearly
    flat, and the class seems easy to separate: raise `ridge` then.

    A covariance that fails to be positive semidefinite only by rounding gets a slightly larger diagonal; `covariances_`
    are the matrices that were used.

    References
    ----------
    T. W. Anderson and R. R. Bahadur, Annals of Mathematical Statistics 33 (1962); M. I. Schlesinger and V. Hlavac, Ten
    lectures on statistical and structural pattern recognition (2002), chapter 5; G. R. G. Lanckriet et al., Journal of
    Machine Learning Research 3 (2002), for the bound that needs no Gaussians.

    Examples
    --------
    >>> from rosenblatt import Anderson
    >>> means = [[0, 0], [4, 0], [2, 3]]
    >>> covariances = [[[1, 0], [0, 1]], [[1, 0], [0, 1]], [[4, 0], [0, 0.25]]]
    >>> model = Anderson().fit_gaussians(means, covariances, ["low", "low", "high"])
    >>> print("worst error between {:.6f} and {:.6f}".format(*model.worst_error_bounds_))
    worst error between 0.022750 and 0.022750
    >>> print(model.stop_reason_, *model.tight_, model.component_errors_.round(4))
    gap_closed 0 1 2 [0.0228 0.0228 0.0228]
    >>> model.certificate_.verify_gaussians(means, covariances, ["low", "low", "high"]).verified
    True
    """

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {
        "n_components": parameters.Either(parameters.OneOf(*get_args(Components)), parameters.Integer(1)),
        "max_components": parameters.Integer(1),
        "covariance_type": parameters.OneOf(*get_args(CovarianceType)),
        "ridge": parameters.Number(0),
        "solver": parameters.OneOf(*get_args(Solver)),
        "epsilon": parameters.Number(0, strict=True),
        "max_error": parameters.Either(parameters.OneOf(None), parameters.Share(0.5)),
        "max_iter": parameters.Integer(1),
        "random_state": parameters.Seed(),
    }
    _saved = SavedState(
        {
            "means_": Numbers(("m", "d"), least=2),
            "covariances_": Numbers(("m", "d", "d")),
            "codes": Numbers(("m",), dtype="int64", low=0, high=1),
            "component_radii_": Numbers(("m",), infinite=True),
            "v": Numbers(("d+1",)),
            "lower": Real(infinite=True),
            "upper": Real(infinite=True),
            "likely": Real(infinite=True),
            "tight_": Numbers(("tight",), dtype="int64", low=0),
            "directions": Numbers(("tight", "d")),
            "weights": Fractions(),
            "history_": Lines(LINES),
            "stop_reason_": Reason(),
        },
        two=True,
        former={
            "components": Former("n_components"),
            "covariance": Former("covariance_type"),
            "target": Former("max_error"),
        },
    )

    means_: Floats
    covariances_: Floats
    component_labels_: NDArray[Any]
    radius_bounds_: tuple[float, float]
    component_radii_: Floats
    tight_: Codes
    dual_weights_: Floats
    history_: NDArray[Any]
    stop_reason_: StopReason
    _gaussians: Gaussians
    _component_codes: Codes
    _found: SearchResult

    def __init__(
        self,
        *,
        n_components: int | Components = 1,
        max_components: int = 5,
        covariance_type: CovarianceType = "full",
        ridge: float = 1e-6,
        solver: Solver = "auto",
        epsilon: float = 1e-6,
        max_error: float | None = None,
        max_iter: int = 10_000,
        random_state: RandomState = 0,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.covariance_type = covariance_type
        self.ridge = ridge
        self.solver = solver
        self.epsilon = epsilon
        self.max_error = max_error
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def _weights(self) -> Floats:
        return self._found.v

    @property
    def _bias(self) -> float:
        return 1.0

    @property
    def n_iter_(self) -> int:
        """Number of steps made."""
        check_is_fitted(self)
        return len(self.history_) - 1

    @property
    def worst_error_bounds_(self) -> tuple[float, float]:
        """Lower bound on the worst error of every hyperplane, and upper bound on that of `hyperplane_`."""
        check_is_fitted(self)
        lower, upper = self.radius_bounds_
        least, most = float(ndtr(-upper)), float(ndtr(-lower))
        least = least if upper == 0 else least * (1 - RELATIVE_ERROR)
        return least, min(max(most * (1 + RELATIVE_ERROR), math.ulp(0.0)), 1.0)

    @property
    def component_errors_(self) -> Floats:
        """The error of each Gaussian."""
        check_is_fitted(self)
        return np.asarray(ndtr(-self.component_radii_))

    @property
    def distribution_free_bound_(self) -> float:
        """Upper bound on the worst error of any distributions with these means and covariances."""
        check_is_fitted(self)
        radius = max(self.radius_bounds_[0], 0.0)
        return 1.0 / (1.0 + radius * radius) if math.isfinite(radius) else 0.0

    @property
    def certificate_(self) -> Certificate:
        """The bounds of the radius with their proof."""
        check_is_fitted(self)
        found, given, codes = self._found, self._gaussians, self._component_codes
        labels = self.classes_.tolist()
        if not all(isinstance(label, str | int | float) for label in labels):
            raise DataError(f"A certificate needs strings or numbers as labels, not {labels[0]!r}; pass strings.")
        lower, contacts = found.lower, found.contacts
        if lower == -math.inf and contacts is None:
            raise AttributeError("There is no certificate: floats could prove neither bound of the radius.")
        proof = {
            "hyperplane": [text_of(number) for number in whole(found.v.tolist())],
            "lower": None if lower == -math.inf else min(lower, np.finfo(float).max.item()),
            "upper": contacts.upper if contacts else None,
            "rows": contacts.rows.tolist() if contacts else [],
            "weights": [text_of(number) for number in whole(contacts.weights)] if contacts else [],
            "directions": contacts.directions.tolist() if contacts else [],
        }
        return Certificate.of("worst_error", given.table, codes, labels, (0, 1), 1.0, worst_error=proof)

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> Self:
        """Estimate Gaussians of each class, and find the best hyperplane for them.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels, of two classes.
        sample_weight : array of shape (n,), optional
            Numbers of at least 0, integers unless `n_components` is 1. A row of weight k counts as k copies, to
            the last bit.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit(self.problem(X, y, sample_weight), None, X, y, {"sample_weight": sample_weight})
        self._warn()
        return self

    def problem(self, X: TableLike, y: LabelsLike, sample_weight: "ArrayLike | None" = None) -> "GaussianProblem":
        """Check X, y and the parameters, and return the Gaussians that `fit` would estimate; nothing is changed.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.
        y : array of shape (n,)
            The class labels.
        sample_weight : array of shape (n,), optional
            The weight of each row.

        Returns
        -------
        GaussianProblem
            The estimated Gaussians.
        """
        parameters.check(self, self._constraints)
        points = validation.points(X)
        classes, codes = validation.two_classes(y, points.shape[0], "OneVsOne(Anderson())")
        weights = row_weights(sample_weight, codes, classes)
        table = dense(points).astype(np.float64)
        ridge = float(self.ridge)
        options = MixtureOptions(self.n_components, self.max_components, self.covariance_type, ridge, self.random_state)
        means, covariances, of = estimate_mixtures(table, codes, weights, classes.tolist(), options)
        gaussians = Gaussians.of(*checked(means, covariances), of)
        return GaussianProblem(X=X, points=points, classes=classes, model=self, gaussians=gaussians, codes=of)

    def fit_gaussians(self, means: TableLike, covariances: MatricesLike, labels: LabelsLike) -> Self:
        """Find the best hyperplane for given Gaussians.

        Parameters
        ----------
        means : array of shape (m, d)
            The means.
        covariances : array of shape (m, d, d)
            A symmetric, positive semidefinite matrix for each mean.
        labels : array of shape (m,)
            The class labels, of two classes.

        Returns
        -------
        Self
            The fitted estimator.
        """
        self._fit(self.problem_of_gaussians(means, covariances, labels), None)
        self._warn()
        return self

    def problem_of_gaussians(
        self, means: TableLike, covariances: MatricesLike, labels: LabelsLike
    ) -> "GaussianProblem":
        """Check Gaussians that are given, and return what `fit_gaussians` would search; nothing is changed.

        Parameters
        ----------
        means : array of shape (m, d)
            The means.
        covariances : array of shape (m, d, d)
            The covariance matrices.
        labels : array of shape (m,)
            The class labels.

        Returns
        -------
        GaussianProblem
            The checked Gaussians.
        """
        parameters.check(self, self._constraints)
        mu, C = checked(means, covariances)
        classes, codes = validation.two_classes(labels, len(mu), "OneVsOne(Anderson())", "labels")
        gaussians = Gaussians.of(mu, C, codes)
        return GaussianProblem(X=means, points=mu, classes=classes, model=self, gaussians=gaussians, codes=codes)

    def contact_points(self, step: int = -1) -> Floats:
        """Return the points where the ellipsoids of a step touch parallels of its hyperplane.

        The ellipsoids have the radius of that step, so the worst one touches the hyperplane itself.

        Parameters
        ----------
        step : int, default=-1
            The number of the step in `history_`; the last by default.

        Returns
        -------
        array of shape (m, d)
            A point of each ellipsoid.
        """
        check_is_fitted(self)
        n = len(self.history_)
        if isinstance(step, bool) or not isinstance(step, numbers.Integral) or not -n <= step < n:
            raise ParameterError(f"contact_points(step) must be an integer from {-n} to {n - 1}, not {step!r}.")
        given, line = self._gaussians, self.history_[step]
        margins = Margins.of(given.signed, given.covariances, line["w"])
        radius = float(line["radius"]) if math.isfinite(line["radius"]) else 0.0
        reach = radius * given.signs / np.where(margins.spreads > 0, margins.spreads, np.inf)
        return np.asarray(given.means - reach[:, np.newaxis] * margins.turned)

    def _keep(self, problem: "GaussianProblem", found: SearchResult) -> None:
        """Make what the search found the state of this estimator."""
        given = problem.gaussians
        margins = Margins.of(given.scaled.signed, given.scaled.covariances, given.scaled_plane(found.v))
        with np.errstate(divide="ignore", invalid="ignore"):
            radii = np.where(margins.leads == 0, 0.0, margins.leads / margins.spreads)
        radii = np.maximum(radii, found.lower)  # which is proved, where rounding may be worse
        problem.record_columns(self, given.d)
        self.classes_, self.component_radii_ = problem.classes, radii
        self._become(given, problem.codes, found)

    def _become(self, given: Gaussians, codes: Codes, found: SearchResult) -> None:
        self._gaussians, self._component_codes, self._found = given, codes, found
        self.means_, self.covariances_ = given.means, given.covariances
        self.component_labels_ = self.classes_[codes]
        self.radius_bounds_ = found.lower, found.upper
        self.tight_ = found.contacts.rows if found.contacts else np.array([], dtype=np.int64)
        self.dual_weights_ = np.array(found.contacts.weights if found.contacts else [], dtype=float)
        self.history_ = found.history
        self.stop_reason_ = found.stop_reason

    def _saved_values(self) -> dict[str, Any]:
        found = self._found
        contacts = found.contacts or Contacts(self.tight_, [], np.zeros((0, self.n_features_in_)), math.inf, math.inf)
        plain = ("means_", "covariances_", "component_radii_", "tight_", "history_", "stop_reason_")
        return {
            **{name: getattr(self, name) for name in plain},
            "codes": self._component_codes,
            "v": found.v,
            "lower": found.lower,
            "upper": contacts.upper,
            "likely": contacts.likely,
            "directions": contacts.directions,
            "weights": contacts.weights,
        }

    def _restore(self, values: dict[str, Any]) -> None:
        codes, rows, weights, upper = (values[name] for name in ("codes", "tight_", "weights", "upper"))
        means, covariances = checked(values["means_"], values["covariances_"])
        if not np.array_equal(covariances, values["covariances_"]) or set(codes.tolist()) != {0, 1}:
            raise DataError("Anderson must have Gaussians of two classes, with symmetric covariance matrices.")
        if (rows >= len(means)).any() or len(weights) != len(rows):
            raise DataError("Anderson has a proof about Gaussians that do not exist.")
        contacts = Contacts(rows, weights, values["directions"], upper, values["likely"]) if len(rows) else None
        if contacts is None and upper != math.inf:
            raise DataError("Anderson has an upper bound without a proof.")
        found = SearchResult(values["v"], values["lower"], contacts, values["stop_reason_"], values["history_"])
        self.component_radii_ = values["component_radii_"]
        self._become(Gaussians.of(means, covariances, codes), codes, found)

    def _search(self, given: Gaussians, codes: Codes, callbacks: Any) -> SearchResult:
        """Find the best hyperplane for these Gaussians."""
        solver, two = self.solver, len(given) == 2
        regular = two and bool(semidefinite(given.covariances).all())
        if solver == "bahadur" and not regular:
            raise ParameterError(
                worded(
                    "{bahadur} needs one Gaussian of each class, both with a regular covariance; here "
                    f"{f'are {len(given)} Gaussians' if not two else 'one is singular'}. Use {{ascent}}.",
                    bahadur=parameter("solver", "bahadur", "Anderson"),
                    ascent=parameter("solver", "ascent"),
                )
            )
        if solver == "auto":
            solver = "bahadur" if regular else "ascent"
        radius = None if self.max_error is None else -float(ndtri(float(self.max_error)))
        goal = Goal(float(self.epsilon), radius)
        start = starting_hyperplane(given.centred)
        if not radius_lower_bound(given, given.original_plane(start)) > 0:
            verdict = decide(labelled(given.means, codes), (0, 1), 1.0, False, math.inf, near=False).verdict
            if verdict.witness is not None:
                return overlap_result(given, verdict.witness.rows, verdict.witness.weights, goal)
            plane = verdict.hyperplane
            if plane is not None:
                start = np.append(np.ldexp(plane.w, given.powers), plane.b + given.centre @ plane.w)
        found = search(given, start, solver, goal, self.max_iter, callbacks)
        if self.solver == "auto" and found.stop_reason is StopReason.ROUNDING and solver == "bahadur":
            return search(given, start, "ascent", goal, self.max_iter, callbacks)
        return found

    def _warn(self) -> None:
        low, high = self.worst_error_bounds_
        reason, slow = self.stop_reason_, self.solver != "auto"
        if reason is StopReason.PROVED_OVERLAP:
            message = worded(
                "No hyperplane has a worst error below 50 %: no hyperplane separates the means of the classes, and "
                f"{len(self.tight_)} of them{{tight}} prove it. Other columns, or other components, may help.",
                tight=Words(" (tight_)", ""),
            )
            warnings.warn(message, OverlapWarning, stacklevel=3)
        elif reason is StopReason.BUDGET:
            message = worded(
                "Anderson used its budget of {steps} steps before it reached its goal; the least worst error is "
                f"between {low:.6g} and {high:.6g}. Raise {{max_iter}}{', or use {solver}' * slow}.",
                steps=Words(f"max_iter={self.max_iter}", str(self.max_iter)),
                max_iter=parameter("max_iter"),
                solver=parameter("solver", "auto"),
            )
            warnings.warn(message, BudgetWarning, stacklevel=3)
        elif reason is StopReason.ROUNDING:
            advice = "Raise {goal} if that is close enough." if self.max_error is None else "{goal} is between them."
            message = worded(
                f"Rounding prevents further progress; the least worst error is between {low:.6g} and {high:.6g}. "
                + advice,
                goal=parameter("epsilon" if self.max_error is None else "max_error"),
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=3)


@dataclass(frozen=True, kw_only=True)
class GaussianProblem(Problem):
    """Gaussians of two classes, given or estimated from rows."""

    model: Anderson
    gaussians: Gaussians
    codes: Codes  # the class of each Gaussian

    def train(self, callbacks: Any = None) -> SearchResult:
        """Search for the best hyperplane. `callbacks` has the methods `begin` and `end` of `Callbacks`."""
        return self.model._search(self.gaussians, self.codes, callbacks)

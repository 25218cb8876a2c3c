"""Gaussians estimated from rows: one per class, or several by scikit-learn's mixtures."""

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from rosenblatt.base.parameters import RandomState
from rosenblatt.base.words import count_of
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError
from rosenblatt.errors.wording import parameter, worded

CovarianceType = Literal["full", "diag", "tied"]
Components = Literal["bic"]  # as many as the Bayesian information criterion prefers
MAX_COPIES = 10**7  # of rows, for weights that scikit-learn does not take


class Mixture(NamedTuple):
    """Gaussians, with the class number of each."""

    means: Floats
    covariances: Floats
    codes: Codes


class MixtureOptions(NamedTuple):
    """Options of the estimation.

    Attributes
    ----------
    components : the number of Gaussians per class, or "bic": the number up to `most` that Schwarz's criterion prefers
    covariance : "full", "diag" or "tied"
    ridge : added to every variance, in units of the variance of the column
    seed : random state of scikit-learn's mixtures
    """

    components: int | Components
    most: int
    covariance: CovarianceType
    ridge: float
    seed: RandomState


def estimate_mixtures(X: Floats, codes: Codes, weights: Floats, labels: list[Any], options: MixtureOptions) -> Mixture:
    """Estimate the Gaussians of each class; those of the first class come first."""
    if options.components == 1:
        X, codes, weights = _merged(X[weights > 0], codes[weights > 0], weights[weights > 0])
    else:
        X, codes = _repeated(X, codes, weights)
        weights = np.ones(len(X))
    shares = weights / weights.max()
    shares = shares / shares.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        centre = shares @ X
        scale = np.sqrt(shares @ np.square(X - centre))
    if not np.isfinite(scale).all():
        raise DataError("The variances are too large for floats; bring the columns of X closer to 1.")
    constant = X.max(axis=0) == X.min(axis=0)
    centre, scale = np.where(constant, X[0], centre), np.where(constant, 0.0, scale)
    if (scale[~constant] == 0).any():
        raise DataError("The variances are too small for floats; bring the columns of X closer to 1.")
    unit = np.where(constant, 1.0, scale)
    parts = [
        _estimate_class((X[codes == k] - centre) / unit, weights[codes == k], label, options)
        for k, label in enumerate(labels)
    ]
    means = np.concatenate([means for means, _ in parts]) * scale + centre
    covariances = np.concatenate([covariances for _, covariances in parts]) * np.outer(scale, scale)
    return Mixture(means, covariances, np.repeat(np.arange(len(parts)), [len(means) for means, _ in parts]))


def _merged(X: Floats, codes: Codes, weights: Floats) -> tuple[Floats, Codes, Floats]:
    """Merge equal rows of a class and add their weights, in an order that depends only on the values of the rows.

    A weight of k then gives the same bits as k copies, wherever the copies stand. A solver that makes many small steps
    would turn a difference in rounding into a different hyperplane. Distinct rows of weight 1 stay as they are.
    """
    order = np.argsort(X[:, 0], kind="stable")
    if (np.diff(X[order, 0]) == 0).any():
        order = np.lexsort((codes, *X.T[::-1]))
    given = X, codes, weights
    X, codes, weights = X[order], codes[order], weights[order]
    starts = np.append(True, (codes[1:] != codes[:-1]) | (X[1:] != X[:-1]).any(axis=1)).nonzero()[0]
    if len(starts) == len(given[0]) and (weights == 1).all():
        return given
    return X[starts], codes[starts], np.add.reduceat(weights, starts)


def _repeated(X: Floats, codes: Codes, weights: Floats) -> tuple[Floats, Codes]:
    """Repeat each row as often as its weight says, in an order that depends only on the values of the rows."""
    if (weights != np.round(weights)).any():
        raise DataError(
            "With n_components other than 1, sample_weight must be whole numbers: scikit-learn's mixtures take "
            "copies of rows, but no weights."
        )
    if weights.sum() > MAX_COPIES:
        raise DataError(
            f"sample_weight stands for {weights.sum():.3g} copies of rows, and scikit-learn's mixtures need each copy; "
            f"at most {MAX_COPIES:,} are allowed. Give smaller weights, or n_components=1."
        )
    times = weights.astype(np.int64)
    X, codes = np.repeat(X, times, axis=0), np.repeat(codes, times)
    order = np.lexsort(X.T)
    return X[order], codes[order]


def _estimate_class(X: Floats, weights: Floats, label: Any, options: MixtureOptions) -> tuple[Floats, Floats]:
    if options.components == 1 or (options.components == "bic" and len(X) == 1):
        return _one_gaussian(X, weights / weights.max(), options)
    if options.components != "bic" and len(X) < options.components:
        raise DataError(f"Class {label!r} has {len(X)} rows, too few for {options.components} Gaussians.")
    choices = range(1, min(options.most, len(X)) + 1) if options.components == "bic" else [options.components]
    try:
        fitted = [_mixture(X, k, options) for k in choices]
    except ValueError as error:
        raise DataError(
            worded(
                f"No mixture of Gaussians fits class {label!r}, of {len(X)} rows: {error} Raise {{ridge}}, or lower "
                "{n_components}.",
                ridge=parameter("ridge"),
                n_components=parameter("n_components"),
            )
        ) from error
    best = min(fitted, key=lambda mixture: mixture.bic(X)) if len(fitted) > 1 else fitted[0]
    if not best.converged_:
        message = worded(
            f"The {count_of(best.n_components, 'Gaussian')} of class {label!r} did not settle in {best.n_iter_} steps; "
            "those of the last step are used. Lower {n_components}, or raise {ridge}.",
            n_components=parameter("n_components"),
            ridge=parameter("ridge"),
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return best.means_, _matrices(best)


def _one_gaussian(X: Floats, weights: Floats, options: MixtureOptions) -> tuple[Floats, Floats]:
    mean = weights @ X / weights.sum()
    away = X - mean
    C = (away.T * weights) @ away / weights.sum()
    C = (C + C.T) / 2 if options.covariance != "diag" else np.diag(C.diagonal())
    return mean[np.newaxis], (C + options.ridge * np.eye(len(mean)))[np.newaxis]


def _mixture(X: Floats, k: int, options: MixtureOptions) -> Any:
    made = GaussianMixture(k, covariance_type=options.covariance, reg_covar=options.ridge, random_state=options.seed)
    # The arrays are numpy's, whatever the caller passed. scikit-learn warns of its first guess, by KMeans (equal rows,
    # memory on Windows); `_estimate_class` says what matters here.
    with config_context(array_api_dispatch=False), warnings.catch_warnings(action="ignore"):
        return made.fit(X)


def _matrices(mixture: Any) -> Floats:
    """Return the covariance matrix of each component."""
    k, d = mixture.means_.shape
    held = mixture.covariances_
    if mixture.covariance_type == "diag":
        return np.asarray(held[:, :, np.newaxis] * np.eye(d))
    full = np.broadcast_to(held, (k, d, d))
    return np.asarray((full + full.transpose(0, 2, 1)) / 2)

"""Gaussians estimated from rows: one for each class, or several, by scikit-learn's mixtures."""

from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.mixture import GaussianMixture

from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError

SHAPES = ("full", "diag", "tied")
MANY = 10**7


class Mixture(NamedTuple):
    """Gaussians, and the class that each is of."""

    means: Floats
    covariances: Floats
    codes: Codes


class Shape(NamedTuple):
    """What is estimated for each class.

    Attributes
    ----------
    components : how many Gaussians, or "bic": as many up to `most` as Schwarz's criterion prefers
    covariance : "full", "diag" or "tied"
    ridge : added to every variance, in units of the variance of the column
    seed : of scikit-learn's mixtures
    """

    components: Any
    most: int
    covariance: str
    ridge: float
    seed: Any


def estimated(X: Floats, codes: Codes, weights: Floats, labels: list[Any], shape: Shape) -> Mixture:
    """The Gaussians of each class, those of the first class first."""
    if shape.components == 1:
        X, codes, weights = X[weights > 0], codes[weights > 0], weights[weights > 0]
    else:
        X, codes = _copied(X, codes, weights)
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
        _of_class((X[codes == k] - centre) / unit, weights[codes == k], label, shape) for k, label in enumerate(labels)
    ]
    means = np.concatenate([means for means, _ in parts]) * scale + centre
    covariances = np.concatenate([covariances for _, covariances in parts]) * np.outer(scale, scale)
    return Mixture(means, covariances, np.repeat(np.arange(len(parts)), [len(means) for means, _ in parts]))


def _copied(X: Floats, codes: Codes, weights: Floats) -> tuple[Floats, Codes]:
    """Rows as often as they weigh, in an order that depends on nothing but what they hold."""
    if (weights != np.round(weights)).any():
        raise DataError(
            "With components other than 1, sample_weight must be whole numbers: scikit-learn's mixtures know copies of "
            "rows, and no weights."
        )
    if weights.sum() > MANY:
        raise DataError(
            f"sample_weight makes {weights.sum():.3g} copies of rows, and scikit-learn's mixtures must be given each; "
            f"at most {MANY:,} are taken. Give smaller weights, or components=1."
        )
    times = weights.astype(np.int64)
    X, codes = np.repeat(X, times, axis=0), np.repeat(codes, times)
    order = np.lexsort(X.T)
    return X[order], codes[order]


def _of_class(X: Floats, weights: Floats, label: Any, shape: Shape) -> tuple[Floats, Floats]:
    if shape.components == 1 or (shape.components == "bic" and len(X) == 1):
        return _one(X, weights / weights.max(), shape)
    if shape.components != "bic" and len(X) < shape.components:
        raise DataError(f"Class {label!r} has {len(X)} rows, too few for {shape.components} Gaussians.")
    choices = range(1, min(shape.most, len(X)) + 1) if shape.components == "bic" else [shape.components]
    try:
        fitted = [_mixture(X, k, shape) for k in choices]
    except ValueError as error:
        raise DataError(
            f"No mixture of Gaussians fits class {label!r}, of {len(X)} rows: {error} Raise ridge, or ask for fewer."
        ) from error
    best = min(fitted, key=lambda mixture: mixture.bic(X)) if len(fitted) > 1 else fitted[0]
    return best.means_, _matrices(best)


def _one(X: Floats, weights: Floats, shape: Shape) -> tuple[Floats, Floats]:
    mean = weights @ X / weights.sum()
    away = X - mean
    C = (away.T * weights) @ away / weights.sum()
    C = (C + C.T) / 2 if shape.covariance != "diag" else np.diag(C.diagonal())
    return mean[np.newaxis], (C + shape.ridge * np.eye(len(mean)))[np.newaxis]


def _mixture(X: Floats, k: int, shape: Shape) -> Any:
    made = GaussianMixture(k, covariance_type=shape.covariance, reg_covar=shape.ridge, random_state=shape.seed)
    with config_context(array_api_dispatch=False):  # these are numpy's arrays, whatever came in
        return made.fit(X)


def _matrices(mixture: Any) -> Floats:
    """The covariance matrix of each component, whatever form they are kept in."""
    k, d = mixture.means_.shape
    held = mixture.covariances_
    if mixture.covariance_type == "diag":
        return np.asarray(held[:, :, np.newaxis] * np.eye(d))
    full = np.broadcast_to(held, (k, d, d))
    return np.asarray((full + full.transpose(0, 2, 1)) / 2)

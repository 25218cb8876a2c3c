"""Gaussians estimated from rows: one for each class, or several, by scikit-learn's mixtures."""

from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.mixture import GaussianMixture

from rosenblatt.data import Codes, Floats
from rosenblatt.errors import DataError

SHAPES = ("full", "diag", "tied")


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
    total = weights.sum()
    centre = weights @ X / total
    scale = np.sqrt(weights @ np.square(X - centre) / total)
    if not np.isfinite(scale).all():
        raise DataError("The variances are too large for floats; bring the columns of X closer to 1.")
    scale[scale == 0] = 1.0
    parts = []
    for k, label in enumerate(labels):
        own = (codes == k) & (weights > 0)
        parts.append(_of_class((X[own] - centre) / scale, weights[own], label, shape))
    means = np.concatenate([means for means, _ in parts]) * scale + centre
    covariances = np.concatenate([covariances for _, covariances in parts]) * np.outer(scale, scale)
    return Mixture(means, covariances, np.repeat(np.arange(len(parts)), [len(means) for means, _ in parts]))


def _of_class(X: Floats, weights: Floats, label: Any, shape: Shape) -> tuple[Floats, Floats]:
    if shape.components == 1:
        return _one(X, weights, shape)
    if (weights != np.round(weights)).any():
        raise DataError(
            "With components other than 1, sample_weight must be whole numbers: scikit-learn's mixtures know copies of "
            "rows, and no weights."
        )
    X = np.repeat(X, weights.astype(np.int64), axis=0)
    X = X[np.lexsort(X.T)]  # the order in which rows come is not to count
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

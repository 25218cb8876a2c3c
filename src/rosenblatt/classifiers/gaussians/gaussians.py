"""Gaussians of two classes: means, covariances and signs, validated, and scaled."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.worst_error import EPS, Gaussian, gaussians, is_semidefinite, semidefinite
from rosenblatt.data import validation
from rosenblatt.data.validation import Codes, Floats
from rosenblatt.errors import DataError

MAX_ABSOLUTE_VALUE, MIN_SPREAD = 1e100, 1e-100  # squares of larger or smaller numbers lose digits
MAX_ASYMMETRY = 1e-12  # of a covariance, in units of the deviations; more is not rounding
MAX_NEGATIVE_EIGENVALUE = 1e-9  # in units of the largest eigenvalue; more is not rounding


@dataclass(frozen=True, eq=False)
class Gaussians:
    """m Gaussians in d dimensions.

    Parameters
    ----------
    means : array (m, d)
    covariances : array (m, d, d), exactly symmetric and exactly positive semidefinite
    signs : array (m,), the class of each Gaussian: -1 or +1
    """

    means: Floats
    covariances: Floats
    signs: NDArray[np.int8]

    @classmethod
    def of(cls, means: Floats, covariances: Floats, codes: Codes) -> "Gaussians":
        """Build Gaussians from class numbers; class 1 is the positive one."""
        return cls(means, covariances, validation.signs(codes))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what is computed from them may be exact numbers, which cannot be pickled."""
        return {"means": self.means, "covariances": self.covariances, "signs": self.signs}

    def __len__(self) -> int:
        return len(self.means)

    @property
    def d(self) -> int:
        return int(self.means.shape[1])

    @property
    def moments(self) -> Floats:
        """One row per Gaussian: its mean, then its covariance matrix row by row."""
        return np.column_stack([self.means, self.covariances.reshape(len(self), -1)])

    @cached_property
    def table(self) -> Table:
        """The moments as a table for certificates."""
        return Table(self.moments, {})

    @cached_property
    def exact(self) -> list[Gaussian]:
        """The Gaussians in exact arithmetic."""
        return gaussians(self.table)

    @cached_property
    def centre(self) -> Floats:
        """The mean of the means."""
        return np.asarray(self.means.mean(axis=0))

    @cached_property
    def powers(self) -> Codes:
        """For each column, the exponent of a power of two near its spread; scaling by a power of two is exact."""
        between = np.square(self.means - self.centre).mean(axis=0)
        spread = np.sqrt(between + self.covariances.diagonal(axis1=1, axis2=2).mean(axis=0))
        return np.where(spread > 0, np.frexp(spread)[1], 0)

    @cached_property
    def centred(self) -> "Gaussians":
        """These Gaussians, scaled by `powers` and moved so that `centre` is the origin; the move is rounded."""
        return Gaussians(np.ldexp(self.means - self.centre, -self.powers), self.scaled.covariances, self.signs)

    @cached_property
    def signed(self) -> Floats:
        """The means, multiplied by the sign of the class, and then the sign."""
        return np.column_stack([self.means * self.signs[:, np.newaxis], self.signs])

    def original_plane(self, v: Floats) -> Floats:
        """Convert a hyperplane for `centred` to one for these Gaussians.

        It is multiplied by a power of two, so that its largest weight in scaled columns is about 1.
        """
        v = np.ldexp(v, -np.frexp(np.abs(v[:-1]).max())[1])
        w = np.ldexp(v[:-1], -self.powers)
        return np.append(w, v[-1] - self.centre @ w)

    @cached_property
    def scaled(self) -> "Gaussians":
        """These Gaussians, scaled by `powers`, without rounding and without a move."""
        C = np.ldexp(self.covariances, -(self.powers[:, np.newaxis] + self.powers))
        return Gaussians(np.ldexp(self.means, -self.powers), C, self.signs)

    def scaled_plane(self, v: Floats) -> Floats:
        """Convert a hyperplane for these Gaussians to one for `scaled`."""
        return np.append(np.ldexp(v[:-1], self.powers), v[-1])


def checked(means: Any, covariances: Any) -> tuple[Floats, Floats]:
    """Return means and covariances as validated arrays.

    Raises
    ------
    DataError
        A number is not finite, a shape is wrong, or a covariance is not symmetric and positive semidefinite. The
        message names the Gaussian.
    """
    mu, C = _array(means, "means"), _array(covariances, "covariances")
    if mu.ndim != 2 or not mu.size:
        raise DataError(f"means must be an array of shape (m, d), a row for each Gaussian; its shape is {mu.shape}.")
    m, d = mu.shape
    if C.shape != (m, d, d):
        raise DataError(
            f"covariances must be an array of shape {(m, d, d)}, a matrix for each of the {m} means of {d} numbers; "
            f"its shape is {C.shape}. From variances, use [np.diag(v) for v in variances]; for one matrix, [C] * {m}."
        )
    for name, part in (("mean", mu), ("covariance", C)):
        finite = np.isfinite(part).reshape(m, -1).all(axis=1)
        if not finite.all():
            raise DataError(f"Every number must be finite; the {name} of Gaussian {np.flatnonzero(~finite)[0]} is not.")
        largest = np.abs(part).max()
        if largest > MAX_ABSOLUTE_VALUE:
            raise DataError(
                f"The {name}s reach {largest:.3g}, too large to be squared accurately in floats; rescale them."
            )
    C = np.stack([_symmetric(C[i], i) for i in range(m)])
    _check_scale(mu, C)
    good = semidefinite(C)
    if not good.all():
        C = np.stack([C[i] if good[i] else _made_semidefinite(C[i], i) for i in range(m)])
    return mu, C


def _array(given: Any, name: str) -> Floats:
    if np.ma.is_masked(given):
        raise DataError(f"{name} must be an array of numbers, but some of them are masked.")
    try:
        array = np.asarray(given)
        numbers = np.array(array, dtype=np.float64, order="C") if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be an array of numbers: {error}") from error
    if numbers is None:
        raise DataError(f"{name} must be an array of real numbers; its type is {array.dtype}.")
    return numbers


def _check_scale(mu: Floats, C: Floats) -> None:
    """Raise if a column is so narrow that squares underflow; a constant column without variance is allowed."""
    spread = np.maximum(mu.max(axis=0) - mu.min(axis=0), np.sqrt(np.abs(C.diagonal(axis1=1, axis2=2)).max(axis=0)))
    narrow = (spread > 0) & (spread < MIN_SPREAD)
    if narrow.any():
        j = int(np.flatnonzero(narrow)[0])
        raise DataError(f"Column {j} has a spread of {spread[j]:.3g}, too small to be squared accurately; rescale it.")


def _symmetric(C: Floats, i: int) -> Floats:
    """Return the matrix, made exactly symmetric; raise if it is asymmetric by more than rounding."""
    apart, deviations = np.abs(C - C.T), np.sqrt(np.abs(C.diagonal()))
    if (apart > MAX_ASYMMETRY * np.outer(deviations, deviations)).any():
        j, k = np.unravel_index(np.argmax(apart), apart.shape)
        raise DataError(
            f"The covariance of Gaussian {i} is not symmetric: [{j}, {k}] is {C[j, k]}, but [{k}, {j}] is {C[k, j]}. "
            "If the difference is only rounding, pass (C + C.T) / 2."
        )
    return np.asarray((C + C.T) / 2) if apart.any() else C


def _made_semidefinite(C: Floats, i: int) -> Floats:
    """Return the matrix with slightly larger variances; raise if it lacks more than rounding can explain."""
    floor = np.ldexp(np.abs(C).max(), -104)  # for columns without variance
    powers = np.frexp(np.maximum(C.diagonal(), floor))[1] // 2
    values = np.linalg.eigvalsh(np.ldexp(C, -(powers[:, np.newaxis] + powers)))
    if values[0] < -MAX_NEGATIVE_EIGENVALUE * max(values[-1], 0.0):
        raise DataError(
            f"The covariance of Gaussian {i} is not positive semidefinite: its smallest eigenvalue is "
            f"{np.linalg.eigvalsh(C)[0]:.6g}, so some direction would have a negative variance."
        )
    if is_semidefinite(C):
        return C
    ridge = 2 * max(-values[0], len(C) * EPS * values[-1])
    while True:
        lifted = C + np.diag(np.ldexp(ridge, 2 * powers))
        if is_semidefinite(lifted):
            return np.asarray(lifted)
        ridge *= 2

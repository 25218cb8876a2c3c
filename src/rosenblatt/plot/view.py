"""Projections of rows to two dimensions."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import count_of
from rosenblatt.data.named_arrays import column_names
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.style import Box, box_of, short

Floats = NDArray[np.float64]
MAX_NAMED_COLUMNS = 2  # columns that the label of an axis names
NOISE = 1e-12  # relative size of rounding errors


class View(NamedTuple):
    """A projection: two directions of length 1 at right angles, and the labels of the axes.

    Attributes
    ----------
    directions : 2 x d
    labels : the labels of the horizontal and the vertical axis
    """

    directions: Floats
    labels: tuple[str, str]

    @classmethod
    def of(cls, X: Any, w: Any = None, names: Any = None) -> Self:
        """The view of rows X.

        One or two columns are drawn unchanged. More columns are projected on w (or on the first principal direction if
        there is no w) and on the first principal direction at right angles to it.

        Raises
        ------
        DataError
            X has no rows or no columns.
        """
        n, d = X.shape
        if not n or not d:
            size = f"{count_of(n, 'row')} of {count_of(d, 'column')}"
            raise DataError(f"A picture needs at least one row and one column, but X has {size}.")
        called = names_of(X, d, names)
        if d <= 2:
            return cls(np.eye(2)[:, :d], (called[0], called[1] if d == 2 else ""))
        if w is None or not np.any(w):
            first, heads = principal(X, np.zeros((0, d))), ("first principal direction", "second")
        else:
            first, heads = Hyperplane(w).unit().w, ("along w", "first principal direction across w")
        return cls._labelled(first, principal(X, first[np.newaxis]), heads, called)

    @classmethod
    def through(cls, few: Floats, X: Any, names: Any = None) -> Self:
        """The view of rows X that shows a few of them best.

        One or two columns are drawn unchanged. More columns are projected on the plane in which the few rows vary most.
        If the few rows lie on a line or in one point, principal directions of all rows complete the plane.
        """
        d = X.shape[1]
        if d <= 2:
            return cls.of(X, names=names)
        _, lengths, axes = np.linalg.svd(few - few.mean(axis=0), full_matrices=False)
        own = np.array([upright(axis) for axis in axes[lengths > NOISE * np.abs(few).max()][:2]]).reshape(-1, d)
        heads = ["principal direction of marked rows"] * len(own) + ["principal direction of all rows"] * 2
        while len(own) < 2:
            own = np.concatenate([own, [principal(X, own)]])
        return cls._labelled(own[0], own[1], (heads[0], heads[1]), names_of(X, d, names))

    @classmethod
    def _labelled(cls, first: Floats, second: Floats, heads: tuple[str, str], names: list[str]) -> Self:
        words = [f"{head}:\n{mostly(way, names)}" for head, way in zip(heads, (first, second), strict=True)]
        return cls(np.array([first, second]), (words[0], words[1]))

    def points(self, X: Any) -> Floats:
        """The projected rows, n x 2."""
        return np.asarray(X @ self.directions.T, dtype=np.float64)

    def line(self, plane: Hyperplane) -> Hyperplane:
        """The projection of a hyperplane whose w lies in the view: a line."""
        seen = self.directions @ plane.w
        return Hyperplane(np.where(np.abs(seen) > NOISE * plane.norm, seen, 0.0), plane.b)

    def box(self, points: Floats, pad: float = 0.12) -> Box:
        """The limits of x and y around projected points; a narrow strip for one column."""
        return box_of(points, pad, least=0.5 if self.labels[1] else 0.2)


def names_of(X: Any, d: int, names: Any = None, owner: Any = None) -> list[str]:
    """The names of the d columns: those given, else those of X, else those of the estimator, else x1, x2, ..."""
    found: Sequence[Any] | None = column_names(X) if names is None else names
    if found is None:
        found = getattr(owner, "feature_names_in_", [f"x{j + 1}" for j in range(d)])
    if len(found) != d:
        raise ParameterError(
            f"feature_names must have length {d}, one name for each column, but it has length {len(found)}."
        )
    return [str(name) for name in found]


def principal(X: Any, without: Floats) -> Floats:
    """The direction in which the rows vary most, at right angles to the directions `without`.

    Its largest number is positive. If the rows do not vary, any such direction is returned.
    """
    d = X.shape[1]
    mean, scale = np.asarray(X.mean(axis=0)).ravel(), float(abs(X).max()) or 1.0

    def across(v: Floats) -> Floats:
        return np.asarray(v - without.T @ (without @ v))

    def spread(v: Floats) -> Floats:
        v = across(v.ravel())
        seen = (X @ v - mean @ v) / scale
        return across((X.T @ seen - mean * seen.sum()) / scale)

    found = across(np.cos((1.0 + len(without)) * np.arange(1, d + 1)))
    if np.linalg.norm(spread(found)) > NOISE * X.shape[0] * np.linalg.norm(found):
        operator = scipy.sparse.linalg.LinearOperator((d, d), matvec=spread, dtype=np.float64)
        found = across(scipy.sparse.linalg.eigsh(operator, k=1, v0=found)[1][:, 0])
    return upright(found / np.linalg.norm(found))


def upright(direction: Floats) -> Floats:
    """The direction or its opposite: the one whose largest number is positive."""
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))


def mostly(direction: Floats, names: list[str]) -> str:
    """A direction in words: its `MAX_NAMED_COLUMNS` largest parts with their columns."""
    parts = np.flatnonzero(np.abs(direction) > NOISE)
    largest = parts[np.argsort(-np.abs(direction[parts]), kind="stable")][:MAX_NAMED_COLUMNS]
    rounded = [float(f"{direction[j]:.2g}") for j in largest]
    words = Hyperplane(rounded).equation([short(names[j]) for j in largest]).removesuffix(" = 0")
    return words + "\N{NO-BREAK SPACE}..." * (len(parts) > MAX_NAMED_COLUMNS)

"""From where rows are seen: their two columns; the direction of w and the first principal one of the rest; a plane."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.named_arrays import column_names
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.plot.style import Box, box_of, short

Floats = NDArray[np.float64]
FEW = 2  # columns that the label of an axis names
NOISE = 1e-12  # a part of the whole that rounding may make


class View(NamedTuple):
    """Two directions of length 1, at right angles, and what to write on the axes.

    Attributes
    ----------
    directions : 2 x d
    labels : of the horizontal and of the vertical axis
    """

    directions: Floats
    labels: tuple[str, str]

    @classmethod
    def of(cls, X: Any, w: Any = None, names: Any = None) -> Self:
        """The columns themselves, of one or two; of more, w (or the first principal direction) and the principal
        direction of the rest.

        Raises
        ------
        DataError
            There are no rows to be seen.
        """
        n, d = X.shape
        if not n or not d:
            raise DataError(f"A picture needs rows and columns, but X has {n} rows of {d} columns.")
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
        """The same columns of one or two; of more, the plane of a few rows, or that in which they vary most.

        Where they lie on a line or in one point, the principal directions of all rows complete it.
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
        """Rows as they are seen, n x 2."""
        return np.asarray(X @ self.directions.T, dtype=np.float64)

    def line(self, plane: Hyperplane) -> Hyperplane:
        """What is seen of a hyperplane whose w lies in the view: a line."""
        seen = self.directions @ plane.w
        return Hyperplane(np.where(np.abs(seen) > NOISE * plane.norm, seen, 0.0), plane.b)

    def box(self, points: Floats, pad: float = 0.12) -> Box:
        """Limits around points that are seen; one column is a strip."""
        return box_of(points, pad, least=0.5 if self.labels[1] else 0.2)


def names_of(X: Any, d: int, names: Any = None, owner: Any = None) -> list[str]:
    """What the d columns are called: as the caller, X or else the estimator says, or x1, x2, ..."""
    found: Sequence[Any] | None = column_names(X) if names is None else names
    if found is None:
        found = getattr(owner, "feature_names_in_", [f"x{j + 1}" for j in range(d)])
    if len(found) != d:
        raise ParameterError(f"names must be {d}, one for each column, but there are {len(found)}.")
    return [str(name) for name in found]


def principal(X: Any, without: Floats) -> Floats:
    """The direction in which the rows vary most, at right angles to those given; its largest number is positive.

    Any such direction, if they do not vary.
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
    """The direction or its opposite, so that its largest number is positive."""
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))


def mostly(direction: Floats, names: list[str]) -> str:
    """The columns with the largest parts, in words."""
    parts = np.flatnonzero(np.abs(direction) > NOISE)
    largest = parts[np.argsort(-np.abs(direction[parts]), kind="stable")][:FEW]
    rounded = [float(f"{direction[j]:.2g}") for j in largest]
    words = Hyperplane(rounded).equation([short(names[j]) for j in largest]).removesuffix(" = 0")
    return words + "\N{NO-BREAK SPACE}..." * (len(parts) > FEW)

"""The hyperplane {x : w.x + b = 0}: sides, distances, margins, its equation and its segment in a box."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.base.json_forms import NUMBER, Form, list_of
from rosenblatt.base.result import Result
from rosenblatt.errors import DataError, ParameterError

Floats = NDArray[np.float64]
PerPoint = Any  # a number for one point, an array (n,) for n points; callers would have to narrow a union
Tie = Literal["positive", "negative", "mistake"]
SIDE_OF_ZERO = {"positive": 1, "negative": -1, "mistake": 0}
MAX_SHOWN_WEIGHTS = 8  # in the repr


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Hyperplane(Result):
    """The hyperplane {x : w.x + b = 0}; it is immutable.

    w points into S+ = {x : w.x + b > 0}, away from S- = {x : w.x + b < 0}. Methods take X as n x d, or as one point of
    d numbers, and then return one number. Two hyperplanes are equal if their w and b are.

    Parameters
    ----------
    w : array of shape (d,)
        The normal vector. With w = 0 there is no plane: scores exist, but distances and margins do not.
    b : float, default=0.0
        The intercept. Adding 1 to b moves the plane by `1/|w|` towards the negative side.

    See Also
    --------
    Perceptron : Its `hyperplane_` is one of these.
    regions : The decision regions of classifiers with several hyperplanes.
    plot.BoundaryDisplay : Draws the hyperplane of a classifier.

    Examples
    --------
    >>> from rosenblatt import Hyperplane
    >>> plane = Hyperplane([2, 1], b=-5)
    >>> plane.equation(solve_for="x2")
    'x2 = 5 - 2 x1'
    >>> plane.decision_function([[1, 5], [-3, -2]]).tolist()
    [2.0, -13.0]
    >>> plane.segment(xlim=(0, 10), ylim=(0, 3)).tolist()
    [[1.0, 3.0], [2.5, 0.0]]
    """

    _forms: ClassVar[dict[str, Form]] = {"w": list_of(NUMBER), "b": NUMBER}

    w: Floats
    b: float

    def __init__(self, w: ArrayLike, b: float = 0.0) -> None:
        normal, intercept = as_numbers(w, "w").copy(), as_numbers(b, "b")
        if normal.ndim != 1 or normal.size == 0 or intercept.ndim != 0:
            shapes = f"{normal.shape} and {intercept.shape}"
            raise DataError(f"w must be a vector of 1 or more numbers and b a number, but their shapes are {shapes}")
        normal.flags.writeable = False
        object.__setattr__(self, "w", normal)
        object.__setattr__(self, "b", intercept.item())

    @classmethod
    def from_weights(cls, w: ArrayLike, bias: float = 1.0) -> Self:
        """Make a hyperplane from weights with the bias weight last: b = w[-1] * bias; each row ends with `bias`.

        Parameters
        ----------
        w : array of shape (d + 1,)
            The weights, the bias weight last.
        bias : float, default=1.0
            The constant at the end of each row.

        Returns
        -------
        Hyperplane
            The hyperplane of these weights.
        """
        weights = as_numbers(w, "w")
        if weights.ndim != 1 or weights.size < 2:
            raise DataError(f"w must be one vector of d weights and the bias weight, but its shape is {weights.shape}")
        if not math.isfinite(bias):
            raise ParameterError(f"bias must be a finite number, but it is {bias}")
        return cls(weights[:-1], weights[-1] * bias)

    @property
    def weights(self) -> Floats:
        """The weights with the bias weight last, for a bias constant of 1."""
        return np.append(self.w, self.b)

    @property
    def norm(self) -> float:
        """The length `|w|`."""
        return math.hypot(*self.w.tolist())

    def unit(self) -> Self:
        """Scale w and b so that `|w| = 1`; scores are then signed distances.

        Returns
        -------
        Hyperplane
            The same plane, with a normal vector of length 1.
        """
        length = self._length()
        return type(self)(self.w / length, self.b / length)

    def decision_function(self, X: ArrayLike) -> PerPoint:
        """Compute w.x + b.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.

        Returns
        -------
        array of shape (n,), or float
            The score of each point.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            score = as_points(X, self.w.size) @ self.w + self.b
        refuse(~np.isfinite(score), score, "w.x + b", "a float64", "scale X or w down, it overflows")
        return _plain(score)

    def half_space(self, X: ArrayLike) -> PerPoint:
        """Compute the half-space of each point: +1 in S+, -1 in S-, 0 on the plane.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.

        Returns
        -------
        array of shape (n,), or int
            The sign of the score of each point.
        """
        return _plain(np.sign(self.decision_function(X)).astype(np.int64))

    def side(self, X: ArrayLike, tie: Tie = "positive") -> PerPoint:
        """Predict +1 or -1 by the half-space; `tie` decides for a score of exactly 0.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.
        tie : {"positive", "negative", "mistake"}, default="positive"
            What a score of exactly 0 gives.

            - "positive": +1, as in the lectures of CMU and Berkeley.
            - "negative": -1, as in CS360.
            - "mistake": 0, which differs from every label.

        Returns
        -------
        array of shape (n,), or int
            The prediction for each point.
        """
        if tie not in SIDE_OF_ZERO:
            raise ParameterError(f"tie must be one of {', '.join(SIDE_OF_ZERO)}, but it is {tie!r}")
        half = np.asarray(self.half_space(X))
        return _plain(np.where(half == 0, SIDE_OF_ZERO[tie], half))

    def distance(self, X: ArrayLike) -> PerPoint:
        """Compute the distance to the plane, `|w.x + b| / |w|`.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.

        Returns
        -------
        array of shape (n,), or float
            The distance of each point.
        """
        return abs(self.decision_function(X)) / self._length()

    def angle(self, X: ArrayLike) -> PerPoint:
        """Compute the angle between the vectors w and x in radians; nan where one of them is 0.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.

        Returns
        -------
        array of shape (n,), or float
            The angle of each point, from 0 to pi.
        """
        u, v = _direction(self.w), _direction(as_points(X, self.w.size))
        # Kahan's formula: arccos(u.v) loses half of the digits near 0 and pi.
        return _plain(2 * np.arctan2(np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1)))

    def functional_margin(self, X: ArrayLike, y: ArrayLike) -> PerPoint:
        """Compute y (w.x + b) of each point, y being -1 or +1: positive on the right side.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.
        y : array of shape (n,), or int
            The labels, -1 or +1.

        Returns
        -------
        array of shape (n,), or float
            The functional margin of each point.
        """
        score = np.asarray(self.decision_function(X))
        return _plain(as_signs(y, score.shape) * score)

    def geometric_margin(self, X: ArrayLike, y: ArrayLike) -> PerPoint:
        """Compute `y (w.x + b) / |w|` of each point: its distance, negative on the wrong side.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.
        y : array of shape (n,), or int
            The labels, -1 or +1.

        Returns
        -------
        array of shape (n,), or float
            The geometric margin of each point.
        """
        return self.functional_margin(X, y) / self._length()

    def margin(self, X: ArrayLike, y: ArrayLike) -> float:
        """Compute the smallest geometric margin, positive exactly when the plane separates the classes.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.
        y : array of shape (n,), or int
            The labels, -1 or +1.

        Returns
        -------
        float
            The margin.
        """
        margins = np.asarray(self.geometric_margin(X, y))
        if margins.size == 0:
            raise DataError("X must hold at least one point to have a margin, but it has 0 rows")
        return float(margins.min())

    def support(self, X: ArrayLike, y: ArrayLike, rtol: float = 1e-9) -> NDArray[np.intp]:
        """Find the rows whose geometric margin is at most `m + rtol |m|`, where m is the smallest one.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            The points, or one point.
        y : array of shape (n,), or int
            The labels, -1 or +1.
        rtol : float, default=1e-9
            The tolerance, as a fraction of the smallest margin.

        Returns
        -------
        array of int
            The row numbers, from 0.
        """
        if not rtol >= 0:
            raise ParameterError(f"rtol must be a number >= 0, but it is {rtol}")
        smallest = self.margin(X, y)
        return np.flatnonzero(self.geometric_margin(X, y) <= smallest + rtol * abs(smallest))

    def equation(self, feature_names: Sequence[str] | None = None, solve_for: str | None = None) -> str:
        """Write the equation, `2 x1 + x2 - 5 = 0`, or solve it for one of the names, `x2 = 5 - 2 x1`.

        Parameters
        ----------
        feature_names : list of str, optional
            The names of the features; x1, x2, ... if not given.
        solve_for : str, optional
            The name to solve the equation for.

        Returns
        -------
        str
            The equation.
        """
        *terms, constant = self._terms(feature_names)
        if solve_for is None:
            return f"{_sum([*terms, constant])} = 0"
        pivots = {name: value for value, name in terms if value != 0}
        if solve_for not in pivots:
            raise ParameterError(f"solve_for must have a weight, as {list(pivots)} have, but it is {solve_for!r}")
        rest = [(-value / pivots[solve_for], name) for value, name in [constant, *terms] if name != solve_for]
        return f"{solve_for} = {_sum(rest)}"

    def region(self, sign: int, feature_names: Sequence[str] | None = None) -> str:
        """Write the half-space S+ (sign +1) or S- (sign -1) as text, `x1 + 2 x2 - 4 > 0`.

        Parameters
        ----------
        sign : {1, -1}
            The half-space: 1 for S+, -1 for S-.
        feature_names : list of str, optional
            The names of the features; x1, x2, ... if not given.

        Returns
        -------
        str
            The inequality.
        """
        if sign not in (1, -1):
            raise ParameterError(f"sign must be +1 or -1, but it is {sign!r}")
        return f"{_sum(self._terms(feature_names))} {'>' if sign > 0 else '<'} 0"

    def segment(self, xlim: tuple[float, float], ylim: tuple[float, float]) -> Floats | None:
        """Clip the line (d = 2) to a box, and give its two ends as rows, left to right.

        If the line only touches a corner, both ends are that corner. If it misses the box, the result is None.

        Parameters
        ----------
        xlim : tuple of two floats
            The smallest and the largest x of the box.
        ylim : tuple of two floats
            The smallest and the largest y of the box.

        Returns
        -------
        array of shape (2, 2), or None
            The two ends.
        """
        self._length()
        if self.w.size != 2:
            raise ParameterError(f"only a line, d = 2, can be clipped to a box, but here d = {self.w.size}")
        box = as_numbers([xlim, ylim], "the box of xlim and ylim")
        if box.shape != (2, 2) or not (box[:, 0] < box[:, 1]).all():
            raise ParameterError(f"xlim and ylim must be (low, high), low < high, but they are {xlim} and {ylim}")
        # Computed in fractions, because rounding could miss a corner or add an end point.
        left, right, low, high, p, q, b = (Fraction(number) for number in [*box.flat, *self.weights])
        on_sides = {(x, -(p * x + b) / q) for x in (left, right) if q}
        on_floors = {(-(q * y + b) / p, y) for y in (low, high) if p}
        ends = sorted((x, y) for x, y in on_sides | on_floors if left <= x <= right and low <= y <= high)
        return np.array([ends[0], ends[-1]], dtype=np.float64) if ends else None

    def __repr__(self) -> str:
        if self.w.size > MAX_SHOWN_WEIGHTS:
            return f"<Hyperplane: {self.w.size} weights, b={self.b!r}>"
        return f"Hyperplane({self.w.tolist()}, b={self.b!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hyperplane) and self.b == other.b and np.array_equal(self.w, other.w)

    def __hash__(self) -> int:
        return hash((*self.w.tolist(), self.b))

    def __reduce__(self) -> tuple[type[Self], tuple[Floats, float]]:
        return type(self), (self.w, self.b)  # the constructor makes w read-only again

    def _length(self) -> float:
        if not self.w.any():
            raise ParameterError(f"w is zero in all {self.w.size} coordinates, so there is no plane; give another w")
        return self.norm

    def _terms(self, names: Sequence[str] | None) -> list[tuple[float, str]]:
        names = [f"x{j}" for j in range(1, self.w.size + 1)] if names is None else names
        if len(names) != self.w.size:
            raise ParameterError(
                f"feature_names must be {self.w.size}, one for each weight, but there are {len(names)}"
            )
        return [*zip(self.w.tolist(), names, strict=True), (self.b, "")]


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """Convert a rectangular array of finite numbers to float64; raise a DataError for anything else."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"its type is {array.dtype}")
        numbers = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be a rectangular array of numbers: {error}") from error
    refuse(~np.isfinite(numbers), numbers, name, "finite", "drop or fill in such values")
    return numbers


def as_points(X: ArrayLike, width: int) -> Floats:
    """Convert X to an array n x width, or one point of `width` numbers."""
    points = as_numbers(X, "X")
    if points.ndim not in (1, 2) or points.shape[-1] != width:
        raise DataError(f"X must be n x {width}, or one point of {width} numbers, but its shape is {points.shape}")
    return points


def as_signs(y: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Convert y to an array with -1 or +1 for each point; its shape is (n,), or () for one point."""
    signs = as_numbers(y, "y")
    if signs.shape != shape:
        raise DataError(f"y must hold one label for each point, shape {shape}, but its shape is {signs.shape}")
    refuse(np.abs(signs) != 1, signs, "y", "-1 or +1", "map the two classes to these")
    return signs


def refuse(bad: NDArray[np.bool_], values: Floats, name: str, expected: str, advice: str) -> None:
    """Raise a DataError that shows the first bad value and its place, counted from 0; do nothing if none is bad."""
    if np.any(bad):
        index = tuple(np.argwhere(bad)[0].tolist())
        place = ["", " at entry {}", " at row {}, column {}"][min(len(index), 2)].format(*index)
        raise DataError(f"{name} must be {expected}, but it is {values[index].item()}{place}; {advice}")


def _plain(values: Any) -> PerPoint:
    return values if values.ndim else values.item()


def _direction(vectors: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # 0/0 = nan: the zero vector has no direction
        scaled = vectors / np.abs(vectors).max(axis=-1, keepdims=True)  # squares of extreme values would overflow
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def _sum(terms: Iterable[tuple[float, str]]) -> str:
    text = ""
    for value, name in terms:
        if value == 0:
            continue
        size = abs(value)
        number = f"{size:.0f}" if size < 2**53 and size == round(size) else f"{size:.6g}"
        term = name if name and number == "1" else f"{number} {name}".rstrip()
        sign = "-" if value < 0 else "+"
        text += f" {sign} {term}" if text else sign.replace("+", "") + term
    return text or "0"

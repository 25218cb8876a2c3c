"""Decision regions of a linear classifier in a box of the plane, as exact convex polygons.

Scores are linear, so each boundary is a line, and the regions between lines are convex polygons. All computations are
in integers: floats are fractions, and rounding could miss a corner or add one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FittedModel, Label
from rosenblatt.base.exact import whole
from rosenblatt.base.hyperplane import as_numbers
from rosenblatt.base.json_forms import FRACTION, LABEL, TEXT, Form, optional, tuple_of
from rosenblatt.base.result import Result
from rosenblatt.errors import DataError, ParameterError

Line = Sequence[int]  # p, q, r: the points where p x + q y + r = 0
Point = tuple[int, int, int]  # x, y, unit: the point (x / unit, y / unit), unit > 0
Cell = list[tuple[Point, Line]]  # counter-clockwise: each corner with the line of the edge that follows it
Signs = tuple[int, ...]  # for each line, the side that a cell is on: -1 or +1, 0 if the score is zero everywhere
Answer = tuple[tuple[Any, ...], str]  # the classes that win, and the words for it if it is not exactly one


@dataclass(frozen=True, repr=False)
class Region(Result):
    """A convex polygon whose inner points all get the same answer. Two regions are equal if all attributes are.

    Attributes
    ----------
    label : object, optional
        The class; None if the answer is not exactly one class.
    claims : tuple
        The classes that win: one if there is a label, else none or several.
    words : str
        The answer in words, such as "setosa", "no class claims it" or "votes tie between setosa and virginica".
    vertices : tuple of pairs of Fraction
        The exact corners, counter-clockwise. No three of them are on a line.

    See Also
    --------
    regions : Returns these for a classifier.
    plot.RegionsDisplay : Draws them.

    Examples
    --------
    >>> from rosenblatt import NearestMean, regions
    >>> left, right = regions(NearestMean().fit([[0, 0], [3, 1]], ["a", "b"]), (0, 3, 0, 1))
    >>> print(left.words, left.area, right.words, right.area, *left.vertices[1])
    a 3/2 b 3/2 5/3 0
    """

    _forms: ClassVar[dict[str, Form]] = {
        "label": optional(LABEL),
        "claims": tuple_of(LABEL),
        "words": TEXT,
        "vertices": tuple_of(tuple_of(FRACTION, 2)),
    }

    label: Label | None
    claims: tuple[Label, ...]
    words: str
    vertices: tuple[tuple[Fraction, Fraction], ...]

    def __repr__(self) -> str:
        return f"<Region: {' '.join(self.words.split())}, {len(self.vertices)} corners>"

    @property
    def polygon(self) -> NDArray[np.float64]:
        """The vertices rounded to floats, m x 2; corners that are very close may become equal."""
        return np.array(self.vertices, dtype=np.float64)

    @property
    def area(self) -> Fraction:
        """The exact area."""
        ends = (*self.vertices[1:], self.vertices[0])
        doubled = sum((x * v - u * y for (x, y), (u, v) in zip(self.vertices, ends, strict=True)), Fraction(0))
        return doubled / 2


def regions(estimator: FittedModel, box: Sequence[float]) -> list[Region]:
    """Divide a box in the plane into the decision regions of a fitted linear classifier of two features.

    The polygons fill the box and overlap only in their edges. They are exact for the floats in `coef_` and
    `intercept_`. Scores tie on the edges, so edges belong to no region. If the largest score wins, each class has one
    polygon or none; classes with the same weights share a polygon without a label. With a `scheme`, one against the
    rest or one against one, there is one polygon for each combination of sides, so a class may have several (20
    classes one against one: 10,000 polygons).

    Parameters
    ----------
    estimator : fitted classifier
        A linear classifier with `coef_`, `intercept_` and `classes_` whose largest score wins, or a wrapper with
        `scheme` "one_vs_all", or "one_vs_one" and `pairs_`.
    box : tuple of four floats
        The box to divide, (x_low, x_high, y_low, y_high), in the form of matplotlib's `ax.axis()`. Make it larger than
        the data to see the regions around it.

    Returns
    -------
    list of Region
        The polygons.

    See Also
    --------
    plot.RegionsDisplay : Draws them.
    OneVsAll : Its regions show where its members contradict each other.

    Examples
    --------
    >>> from rosenblatt import Perceptron, regions
    >>> model = Perceptron().fit([[1, 0], [3, 0], [0, 2]], ["a", "b", "c"])
    >>> for region in regions(model, (0, 4, 0, 4)):
    ...     print(region.words, region.polygon.tolist(), region.area)
    a [[0.0, 0.0], [2.0, 0.0], [4.0, 1.0], [4.0, 4.0], [1.75, 4.0], [0.0, 0.5]] 191/16
    b [[2.0, 0.0], [4.0, 0.0], [4.0, 1.0]] 1
    c [[1.75, 4.0], [0.0, 4.0], [0.0, 0.5]] 49/16
    """
    corners = _box(box)
    labels, table = _scores(estimator)
    scheme = getattr(estimator, "scheme", None)
    if scheme == "one_vs_one":
        pairs = _pairs(estimator, len(labels), len(table))
        cells = [(cell, _most_votes(labels, pairs, signs)) for cell, signs in _arrangement(corners, table)]
    elif scheme == "one_vs_all" and len(table) > 1:
        cells = [(cell, _claimed(labels, signs)) for cell, signs in _arrangement(corners, table)]
    else:
        cells = _largest_scores(corners, labels, table)
    return [_region(cell, *answer) for cell, answer in cells]


def _box(box: Sequence[float]) -> Cell:
    expected = "four finite numbers (x_low, x_high, y_low, y_high) with x_low < x_high and y_low < y_high"
    try:
        numbers = as_numbers(box, "box")
    except DataError as error:
        raise ParameterError(f"box must be {expected}, but it is {box!r}") from error
    if numbers.shape != (4,) or not (numbers[::2] < numbers[1::2]).all():
        raise ParameterError(f"box must be {expected}, but it is {box!r}")
    left, right, low, high = numbers.tolist()
    edges = [whole(line) for line in ([0, 1, -low], [1, 0, -right], [0, 1, -high], [1, 0, -left])]
    return [(_crossing(edges[i - 1], edges[i]), edges[i]) for i in range(4)]


def _scores(estimator: Any) -> tuple[list[Any], list[Line]]:
    """Give the classes, and each score p x + q y + r as integers p, q, r in one common unit."""
    _check(estimator)
    labels = np.asarray(estimator.classes_).tolist()
    coef, intercept = as_numbers(estimator.coef_, "coef_"), as_numbers(estimator.intercept_, "intercept_")
    count = 1 if len(labels) == 2 else len(labels)
    if getattr(estimator, "scheme", None) == "one_vs_one":
        count = len(estimator.pairs_)
    if coef.shape != (count, 2) or intercept.shape not in ((), (1,), (count,)):
        shapes = f"{coef.shape} and {intercept.shape}"
        raise ParameterError(
            f"coef_ and intercept_ must have the shapes {(count, 2)} and {(count,)}, a score for each of the "
            f"{len(labels)} classes (or pairs, or one for two classes), but they have {shapes}; is the scheme right?"
        )
    numbers = whole(np.column_stack([coef, np.broadcast_to(intercept, count)]).ravel().tolist())
    return labels, [numbers[i : i + 3] for i in range(0, len(numbers), 3)]


def _check(estimator: Any) -> None:
    name = type(estimator).__name__
    if not hasattr(estimator, "classes_"):
        raise ParameterError(f"estimator must be a fitted classifier, but this {name} has no classes_; call fit first")
    try:
        _ = estimator.coef_
    except AttributeError as error:
        raise ParameterError(f"the regions of a {name} are not polygons: {error}") from error
    if estimator.n_features_in_ != 2:
        raise ParameterError(
            f"estimator must be fitted to 2 features, to divide a plane, but this {name} was fitted to "
            f"{estimator.n_features_in_}; choose two columns and fit again"
        )
    scheme = getattr(estimator, "scheme", None)
    if scheme not in (None, "one_vs_all", "one_vs_one"):
        raise ParameterError(f"scheme must be 'one_vs_all', 'one_vs_one' or not there, but it is {scheme!r}")
    # scikit-learn's SVC and NuSVC: three classes have three pairs, so the shapes cannot tell pairs from classes.
    if hasattr(estimator, "decision_function_shape") and len(estimator.classes_) > 2:
        raise ParameterError(f"the rows of coef_ of a {name} are pairs, not classes; wrap a two-class one in OneVsOne")


def _pairs(estimator: Any, classes: int, scores: int) -> list[tuple[int, int]]:
    pairs = [(int(a), int(b)) for a, b in estimator.pairs_]
    if not all(0 <= a < b < classes for a, b in pairs):
        raise ParameterError(
            f"pairs_ must be {scores} pairs a < b of the numbers 0 to {classes - 1}, but it is {pairs}"
        )
    return pairs


def _largest_scores(box: Cell, labels: list[Any], table: list[Line]) -> list[tuple[Cell, Answer]]:
    if len(labels) == 2:
        table = [(0, 0, 0), *table]  # classes_[0] gets the score 0; classes_[1] wins if its score is positive
    classes: dict[tuple[int, ...], list[Any]] = {}
    for label, score in zip(labels, table, strict=True):
        classes.setdefault(tuple(score), []).append(label)
    cells = []
    for own, winners in classes.items():
        leads = (whole(a - b for a, b in zip(own, other, strict=True)) for other in classes if other != own)
        cell = _where_positive(box, leads)
        if cell:
            cells.append((cell, (tuple(winners), f"scores tie between {_listed(winners)}")))
    return cells


def _claimed(labels: list[Any], signs: Signs) -> Answer:
    claims = tuple(label for label, sign in zip(labels, signs, strict=True) if sign > 0)
    if not claims:
        return claims, "no class claims it"
    return claims, f"{_listed(claims)} {'both' if len(claims) == 2 else 'all'} claim it"


def _most_votes(labels: list[Any], pairs: list[tuple[int, int]], signs: Signs) -> Answer:
    votes = [0] * len(labels)
    for (a, b), sign in zip(pairs, signs, strict=True):
        if sign:
            votes[b if sign > 0 else a] += 1
    claims = tuple(label for label, got in zip(labels, votes, strict=True) if got == max(votes))
    return claims, f"votes tie between {_listed(claims)}"


def _region(cell: Cell, claims: tuple[Any, ...], words: str) -> Region:
    vertices = tuple((Fraction(x, unit), Fraction(y, unit)) for (x, y, unit), _ in cell)
    if len(claims) == 1:
        return Region(claims[0], claims, str(claims[0]), vertices)
    return Region(None, claims, words, vertices)


def _listed(labels: Sequence[Any]) -> str:
    *first, last = map(str, labels)
    return f"{', '.join(first)} and {last}" if first else last


def _arrangement(box: Cell, lines: list[Line]) -> list[tuple[Cell, Signs]]:
    """Cut a box by lines into cells; give each cell with its side of each line."""
    cells: list[tuple[Cell, Signs]] = [(box, ())]
    for line in map(whole, lines):
        cells = [(part, (*signs, sign)) for cell, signs in cells for sign, part in _parts(cell, line)]
    return cells


def _where_positive(cell: Cell, lines: Iterator[Line]) -> Cell | None:
    """Give the part of a cell on the positive side of all lines; None if it has no inner point."""
    for line in lines:
        parts = dict(_parts(cell, line))
        if 1 not in parts:
            return None
        cell = parts[1]
    return cell


def _parts(cell: Cell, line: Line) -> list[tuple[int, Cell]]:
    """Cut a cell by a line, and give its parts by side; the whole cell if the line misses its inside."""
    p, q, r = line
    values = [p * x + q * y + r * unit for (x, y, unit), _ in cell]
    sides = [sign for sign in (1, -1) if any(sign * value > 0 for value in values)]
    if len(sides) == 2:
        return [(1, _part(cell, line, values)), (-1, _part(cell, line, [-value for value in values]))]
    return [(sides[0] if sides else 0, cell)]


def _part(cell: Cell, line: Line, values: list[int]) -> Cell:
    """Give the part where the value is not negative; `values` are those at the corners, and the line cuts the cell."""
    part: Cell = []
    for i, (corner, edge) in enumerate(cell):
        here, there = values[i], values[(i + 1) % len(cell)]
        if here >= 0:
            part.append((corner, line if here == 0 and there < 0 else edge))
        if here > 0 > there:
            part.append((_crossing(edge, line), line))
        if here < 0 < there:
            part.append((_crossing(edge, line), edge))
    return part


def _crossing(one: Line, other: Line) -> Point:
    p, q, r = one
    s, t, u = other
    x, y, unit = q * u - r * t, r * s - p * u, p * t - q * s
    return (x, y, unit) if unit > 0 else (-x, -y, -unit)

"""Can the points on the board be separated?  The verdict with what there is to draw of its proof."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.data.files.board import Board
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.lab import shapes
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import listed, short
from rosenblatt.plot.hulls import hull, verdict_rows
from rosenblatt.plot.witness import Shares, short_fraction, weights_of
from rosenblatt.proof.error_bounds import error_bounds
from rosenblatt.proof.mistake_bound import mistake_bound
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

SECONDS = 5.0  # for a verdict
DUST = 1e-12  # what rounding leaves of 0
ERRORS = 2.0  # seconds for the fewest errors
PAIRS = 2  # of classes that a headline names
MARKED = 8  # points whose weights are written in the picture
HEADLINES = {
    "strict": "Separable: a line has every point strictly on its right side.",
    "weak": "Only weakly separable: no line without errors keeps all points off itself.",
    "overlap": "Not separable: the classes overlap.",
    "undecided": "Undecided within the time that the lab gives it.",
}
OF_MANY = {
    "strict": "Separable: a weight vector a class gives every point its largest score in its own class.",
    "weak": "Only weakly separable: some points must tie with another class.",
    "overlap": "Not separable: whatever the weights, some point scores more in another class.",
}


def verdict(request: dict[str, Any]) -> dict[str, Any]:
    """The verdict on the points, in words and shapes."""
    board = Board.of(request.get("board"))
    if len(board.present) < 2:
        empty = "Put points of two classes on the board, and their verdict stands here."
        return {"kind": "empty", "headline": empty, "explain": "", "facts": [], "witness": [], "shapes": []}
    found = tidied(separability(board.X, board.y, budget=SECONDS), board)
    heads = HEADLINES if len(found.classes) == 2 else HEADLINES | OF_MANY
    return {
        "kind": found.kind,
        "headline": heads[found.kind] + _overlapping(found),
        "explain": found.explain(),
        "facts": facts(found, board),
        "witness": witness(found, board),
        "shapes": [*hulls(board), *drawn(found, board)],
    }


def _overlapping(found: Verdict) -> str:
    """Of more than two classes, which pairs no line separates."""
    pairs = [f"{a} and {b}" for (a, b), pair in found.pairs.items() if pair.kind == "overlap"]
    if not pairs:
        return ""
    shown = ", ".join(pairs[:PAIRS]) + f" and {len(pairs) - PAIRS} more pairs" * (len(pairs) > PAIRS)
    return f" No line separates {shown}."


def tidied(found: Verdict, board: Board) -> Verdict:
    """The same with a line that is easier to read, if it is as good: its largest weight is 1, and no weight is dust."""
    if found.kind != "strict" or found.hyperplane is None or found.margin_bounds is None:
        return found
    weights = found.hyperplane.weights / np.abs(found.hyperplane.w).max()
    weights[np.abs(weights) < DUST] = 0.0
    plane = Hyperplane.from_weights(weights)
    signs = np.where(board.y == found.classes[1], 1, -1)
    good = plane.margin(np.asarray(board.X), signs) >= (1 - DUST) * found.margin_bounds[0]
    return replace(found, hyperplane=plane) if good else found


def facts(found: Verdict, board: Board) -> list[list[str]]:
    """What is known, by name."""
    told = []
    if found.hyperplane is not None:
        told.append(["line", found.hyperplane.equation(names=list(board.names))])
    if found.margin_bounds is not None:
        low, high = map(short, found.margin_bounds)
        told.append(["largest margin", low if low == high else f"{low} to {high}"])
    if found.kind == "strict":
        told += _bound(board)
    told += [[f"{a} and {b}", pair.kind] for (a, b), pair in found.pairs.items()]
    if found.contradictions:
        i, j = found.contradictions[0]
        told.append(["contradiction", f"points {i} and {j} are equal, but of different classes"])
    return told


def _bound(board: Board) -> list[list[str]]:
    try:
        bound = mistake_bound(board.X, board.y)
    except RosenblattError:  # margins beyond floats
        return []
    low, high = map(short, bound.margin_bounds)
    margin = low if low == high else f"{low} to {high}"
    return [
        ["longest point, R, with its 1", short(bound.radius)],
        ["margin of points with their 1", margin],
        ["updates of a perceptron with bias, at most", f"{int(bound.bound[1]):,}"],
    ]


def witness(found: Verdict, board: Board) -> list[dict[str, Any]]:
    """The points of the proof that no line separates the classes, with their weights.

    Of two classes these are of one mean each, which is the same point; of more, each is held against another class.
    """
    if found.witness is None:
        return []
    rows, weights, against = found.witness
    if found.drawing is not None:
        rows = [row for own in found.drawing.rows for row in own]
        weights = [weight for own in _shares(found, board) for weight in own]
    told = []
    for k, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        line: dict[str, Any] = {"row": row, "class": str(board.classes[board.points[row][2]])}
        line["weight"] = short_fraction(weight)
        if against is not None:
            line["against"] = str(against[k])
        told.append(line)
    return told


def _shares(found: Verdict, board: Board) -> Shares:
    """The weights of the drawn points of each class, which sum to 1."""
    assert found.drawing is not None  # noqa: S101
    few = verdict_rows(found, board.X, board.y, None).few
    return weights_of(few, [len(rows) for rows in found.drawing.rows], through_origin=False)


def hulls(board: Board) -> list[Shape]:
    """The convex hull of each class."""
    points, codes = np.asarray(board.X), np.array([point[2] for point in board.points])
    return [
        {"type": "polygon", "role": "hull", "code": code, "points": shapes.numbers(hull(points[codes == code]))}
        for code in board.present
    ]


def drawn(found: Verdict, board: Board) -> list[Shape]:
    """What proves the verdict of two classes; of more, that of the first two that overlap."""
    if len(found.classes) > 2:
        overlapping = [pair for pair in found.pairs.values() if pair.kind != "strict"]
        return drawn(overlapping[0], board) if overlapping else []
    if found.drawing is None:
        return []
    return _separated(found, board) if found.kind == "strict" else _meeting(found, board)


def _separated(found: Verdict, board: Board) -> list[Shape]:
    """The nearest points of the hulls, the line between them, and the slab."""
    drawing, view = found.drawing, board.view
    assert drawing is not None  # noqa: S101
    ends = np.array(drawing.points)
    seen = [shapes.line(ends, "nearest", title="the shortest way between the hulls")]
    if drawing.slab is not None:
        middle, *edges = drawing.slab
        for edge in edges:
            seen += shapes.boundary(edge, view, "margin", title="the edge of the slab")
        seen += shapes.boundary(middle, view, "boundary", title="the line with the largest margin")
    seen += [shapes.mark(end, "nearest") for end in ends]
    for own in drawing.corners:
        seen += [shapes.mark(corner, "support") for corner in own]
    return seen


def _meeting(found: Verdict, board: Board) -> list[Shape]:
    """Segments, or a triangle and a point, that meet: each corner with its weight, and the point they share."""
    drawing, view = found.drawing, board.view
    assert drawing is not None  # noqa: S101
    shares, few = _shares(found, board), sum(map(len, drawing.rows))
    seen: list[Shape] = []
    if found.hyperplane is not None:
        seen += shapes.boundary(found.hyperplane, view, "boundary", title="a line without errors")
    for rows, corners, weights in zip(drawing.rows, drawing.corners, shares, strict=True):
        code = board.points[rows[0]][2]
        outline = hull(corners)
        closed = np.vstack([outline, outline[:1]]) if len(outline) > 2 else outline
        if len(outline) > 1:
            seen.append(shapes.line(closed, "segment", code=code, title=listed(rows)))
        for i, corner, weight in zip(rows, corners, weights, strict=True):
            label = f"{i}: {short_fraction(weight)}" if few <= MARKED else ""
            seen.append(shapes.mark(corner, "witness", code=code, label=label))
    return [*seen, shapes.mark(drawing.points[0], "nearest", label="both")]


def fewest(request: dict[str, Any]) -> dict[str, Any]:
    """How few points any line can have on its wrong side, as an interval with proof."""
    board = Board.of(request.get("board"))
    if len(board.present) != 2:
        raise DataError(f"The fewest errors are counted for two classes; the points are of {len(board.present)}.")
    bounds = error_bounds(board.X, board.y, budget=ERRORS)
    return {"lower": bounds.lower, "upper": bounds.upper, "text": _fewest(bounds.lower, bounds.upper, bounds.witnesses)}


def _fewest(lower: int, upper: int, witnesses: Sequence[Sequence[int]]) -> str:
    if lower == upper == 0:
        return "The best line errs on no point."
    count = f"exactly {lower}" if lower == upper else f"{lower} to {upper}"
    many = len(witnesses)
    proof = f"{many} separate groups of points each prove one" if many > 1 else "one group of points proves it"
    found = f"and a line with {upper} was found. (A point on the line counts as an error.)"
    return f"The best line errs on {count} point{'s' * (upper != 1)}: {proof}, {found}"

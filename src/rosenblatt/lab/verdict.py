"""The jobs `verdict` and `fewest`: whether the points can be separated, with the proof in words and shapes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from rosenblatt.base.events import hearing
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.base.words import count_of, plural
from rosenblatt.data.files.lab_board import Board, View
from rosenblatt.errors import DataError
from rosenblatt.lab import shapes
from rosenblatt.lab.mistake_bound import mistake_bound_of
from rosenblatt.lab.shapes import Shape
from rosenblatt.lab.wording import listed, short
from rosenblatt.plot.hulls import hull, verdict_rows
from rosenblatt.plot.witness import Shares, short_fraction, weights_of
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
from rosenblatt.proof.proof_drawing import Drawing
from rosenblatt.proof.separability import separability
from rosenblatt.proof.verdict import Verdict

Found = TypeVar("Found")
VERDICT_SECONDS = 5.0
ERROR_SECONDS = 2.0  # for the fewest errors
ROUNDING = 1e-12  # what rounding leaves of 0
MAX_NAMED_PAIRS = 2  # of classes, in a headline
MAX_LABELLED_POINTS = 8  # points whose weights are written in the picture
HEADLINES = {
    "strict": "Separable: a line has every point strictly on its right side.",
    "weak": "Only weakly separable: every line without errors has points on it.",
    "overlap": "Not separable: the classes overlap.",
    "not_strict": "Not separable: no line has every point strictly on its right side.",
    "undecided": "Undecided: the time limit of the lab was reached before there was a proof.",
}
HEADLINES_OF_MANY = {
    "strict": "Separable: with one weight vector for each class, every point scores most in its own class.",
    "weak": "Only weakly separable: some points must tie with another class.",
    "overlap": "Not separable: for all weights, some point scores more in another class.",
    "not_strict": "Not separable: for all weights, some point does not score most in its own class.",
}


def verdict(request: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on the points, in words and shapes."""
    board = Board.of(request.get("board"))
    if len(board.present) < 2:
        empty = "Put points of two classes on the board to see the verdict on them."
        return {"kind": "empty", "headline": empty, "explain": "", "facts": [], "witness": [], "shapes": []}
    found = tidied(_with_time(lambda: _verdict(board), lambda made: made.kind != "undecided"), board)
    heads = HEADLINES if len(found.classes) == 2 else HEADLINES | HEADLINES_OF_MANY
    return {
        "kind": found.kind,
        "headline": heads[found.kind] + _overlapping(found),
        "explain": found.explain(),
        "facts": facts(found, board),
        "witness": witness(found, board),
        "shapes": [*hulls(board), *drawn(found, board)],
    }


def _verdict(board: Board) -> Verdict:
    return separability(board.X, board.y, time_limit=VERDICT_SECONDS)


def _with_time(ask: Callable[[], Found], is_complete: Callable[[Found], bool]) -> Found:
    """Ask, and ask again while a time limit may have cut the answer off because it counted the time of the compiler."""
    while True:
        with hearing("compiler") as compiled:
            found = ask()
        if is_complete(found) or not compiled:
            return found


def _overlapping(found: Verdict) -> str:
    """Return, for more than two classes, which pairs no line separates."""
    pairs = [f"{a} and {b}" for (a, b), pair in found.pairs.items() if pair.kind in ("overlap", "not_strict")]
    if not pairs:
        return ""
    shown, more = ", ".join(pairs[:MAX_NAMED_PAIRS]), len(pairs) - MAX_NAMED_PAIRS
    if more > 0:
        shown += f" and {count_of(more, 'more pair')}"
    return f" No line separates {shown}."


def tidied(found: Verdict, board: Board) -> Verdict:
    """Return the verdict with a line that is easier to read, if it is as good.

    The largest weight of that line is 1, and what rounding left of 0 is 0.
    """
    if found.kind != "strict" or found.hyperplane is None or found.margin_bounds is None:
        return found
    weights = found.hyperplane.weights / np.abs(found.hyperplane.w).max()
    weights[np.abs(weights) < ROUNDING] = 0.0
    plane = Hyperplane.from_weights(weights)
    signs = np.where(board.y == found.classes[1], 1, -1)
    good = plane.margin(np.asarray(board.X), signs) >= (1 - ROUNDING) * found.margin_bounds[0]
    return replace(found, hyperplane=plane) if good else found


def facts(found: Verdict, board: Board) -> list[list[str]]:
    """Return the name and the value of each fact."""
    facts = []
    if found.hyperplane is not None:
        facts.append(["line", found.hyperplane.equation(feature_names=list(board.names))])
    if found.margin_bounds is not None:
        low, high = map(short, found.margin_bounds)
        facts.append(["largest margin", low if low == high else f"{low} to {high}"])
    if found.kind == "strict":
        facts += _bound(board)
    facts += [[f"{a} and {b}", pair.kind] for (a, b), pair in found.pairs.items()]
    if found.contradictions:
        i, j = found.contradictions[0]
        facts.append(["contradiction", f"points {i} and {j} are equal, but of different classes"])
    return facts


def _bound(board: Board) -> list[list[str]]:
    bound = mistake_bound_of(board, bias=1.0)
    if bound is None or bound.max_updates is None:
        return []
    low, high = map(short, bound.margin_bounds)
    margin = low if low == high else f"{low} to {high}"
    return [
        ["length R of the longest point, its constant 1 included", short(bound.radius)],
        ["largest margin, the constant 1 included", margin],
        ["updates of a perceptron with bias, at most", f"{bound.max_updates:,}"],
    ]


def witness(found: Verdict, board: Board) -> list[dict[str, Any]]:
    """Return the points that prove that no line separates the classes, with their weights.

    With two classes, the weighted mean of the points of each class is one common point. With more, each point is
    compared with another class.
    """
    if found.witness is None:
        return []
    rows, weights, against = found.witness
    if found.drawing is not None:
        rows = [row for own in found.drawing.rows for row in own]
        weights = [weight for own in _shares(found, found.drawing, board) for weight in own]
    lines = []
    for k, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        line: dict[str, Any] = {"row": row, "class": str(board.classes[board.points[row][2]])}
        line["weight"] = short_fraction(weight)
        if against is not None:
            line["against"] = str(against[k])
        lines.append(line)
    return lines


def _shares(found: Verdict, drawing: Drawing, board: Board) -> Shares:
    """Return the weights of the drawn points of each class; those of a class sum to 1."""
    few = verdict_rows(found, board.X, board.y, None).few
    return weights_of(few, [len(rows) for rows in drawing.rows], through_origin=False)


def hulls(board: Board) -> list[Shape]:
    """Return the convex hull of each class."""
    points, codes = np.asarray(board.X), np.array([point[2] for point in board.points])
    return [
        {"type": "polygon", "role": "hull", "code": code, "points": shapes.numbers(hull(points[codes == code]))}
        for code in board.present
    ]


def drawn(found: Verdict, board: Board) -> list[Shape]:
    """Return the shapes that prove the verdict; with more than two classes, of the first pair that is not separable."""
    if len(found.classes) > 2:
        overlapping = [pair for pair in found.pairs.values() if pair.kind not in ("strict", "undecided")]
        return drawn(overlapping[0], board) if overlapping else []
    if found.drawing is None:
        return []
    if found.kind == "strict":
        return _separated(found.drawing, board.view)
    return _meeting(found, found.drawing, board)


def _separated(drawing: Drawing, view: View) -> list[Shape]:
    """Return the nearest points of the hulls, the line between them, and the slab."""
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


def _meeting(found: Verdict, drawing: Drawing, board: Board) -> list[Shape]:
    """Return two segments, or a triangle and a point, that meet: each corner with its weight, and the common point."""
    view, count = board.view, sum(map(len, drawing.rows))
    shares = _shares(found, drawing, board)
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
            label = f"{i}: {short_fraction(weight)}" if count <= MAX_LABELLED_POINTS else ""
            seen.append(shapes.mark(corner, "witness", code=code, label=label))
    return [*seen, shapes.mark(drawing.points[0], "nearest", label="both")]


def fewest(request: dict[str, Any]) -> dict[str, Any]:
    """Return bounds on the fewest points that any line has on its wrong side, with their proof in words."""
    board = Board.of(request.get("board"))
    if len(board.present) != 2:
        raise DataError(f"The fewest errors are counted for two classes; the points are of {len(board.present)}.")
    bounds = _with_time(lambda: _bounds(board), lambda made: made.lower == made.upper)
    return {"lower": bounds.lower, "upper": bounds.upper, "text": _fewest(bounds.lower, bounds.upper, bounds.witnesses)}


def _bounds(board: Board) -> ErrorBounds:
    return error_bounds(board.X, board.y, time_limit=ERROR_SECONDS)


def _fewest(lower: int, upper: int, witnesses: Sequence[Sequence[int]]) -> str:
    if lower == upper == 0:
        return "The best line errs on no point."
    count = f"exactly {lower}" if lower == upper else f"{lower} to {upper}"
    many = len(witnesses)
    proof = f"{many} separate groups of points each prove one" if many > 1 else "one group of points proves it"
    found = f"and a line with {upper} was found. (A point on the line counts as an error.)"
    return f"The best line errs on {count} {'point' if upper == 1 else plural('point')}: {proof}, {found}"

"""The board of the lab as a document: points in the plane, drawn Gaussians, and the algorithms to run.

The lab saves it as a JSON file, which the command reads. The lab also keeps it in the address of its page.
"""

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, abridged

FORMAT = 1
KEY = "rosenblatt_lab"
MAX_POINTS, MAX_CLASSES, MAX_GAUSSIANS, MAX_PANES, MAX_STEPS = 2000, 6, 20, 2, 2000  # the limits of a board
MAX_BYTES = 2_000_000  # the largest document
MAX_COORDINATE = 1e9  # the largest coordinate of a point
MAX_VIEW = 1e11  # the largest coordinate of a view, which has some room around the points
MAX_NAME_LENGTH = 100  # the most characters of a name
VIEW_RATIO = 4 / 3  # the ratio of the width of the view to its height
VIEW_MARGIN = 0.18  # the margin around the points, as a part of their extent
LINK_PREFIX = "#board="

Point = tuple[float, float, int]
Gaussian = tuple[float, float, float, float, float, float, int]
View = tuple[float, float, float, float]

FORMER_OPTIONS = {("batch", "step"): "learning_rate", ("anderson", "components"): "n_components"}


@dataclass(frozen=True)
class Pane:
    """An algorithm of the lab by name, with the options that differ from its defaults."""

    algorithm: str = "perceptron"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """The board of the lab.

    Attributes
    ----------
    names : the names of the two columns
    classes : the labels, strings or integers, in the order of the page; of two classes, the last one in sorted order is
        positive
    points : x, y and the number of the class of each point
    gaussians : Gaussians drawn by hand: the mean, two half-axes a and b, and the class; the covariance is a a' + b b'
    panes : one algorithm, or two side by side
    view : the visible part of the plane: x from, x to, y from, y to; its sides are 4 to 3
    step : the step that is shown

    Examples
    --------
    >>> board = Board.of_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> board.points[1], board.classes
    ((0.0, 1.0, 1), (0, 1))
    >>> Board.from_json(board.to_json()) == board == Board.from_link(board.to_link())
    True
    """

    names: tuple[str, str] = ("x1", "x2")
    classes: tuple[str | int, ...] = (-1, 1)
    points: tuple[Point, ...] = ()
    gaussians: tuple[Gaussian, ...] = ()
    panes: tuple[Pane, ...] = (Pane(),)
    view: View = (-4.0, 4.0, -3.0, 3.0)
    step: int = 0

    @property
    def X(self) -> Any:  # noqa: N802
        """The points as rows, n x 2, with the names of the columns."""
        return named(np.array([point[:2] for point in self.points], dtype=np.float64).reshape(-1, 2), self.names)

    @property
    def y(self) -> NDArray[Any]:
        """The label of each point."""
        return np.array(self.classes)[[point[2] for point in self.points]]

    @property
    def present(self) -> list[int]:
        """The numbers of the classes that have points, sorted by label as estimators sort them."""
        return sorted({point[2] for point in self.points}, key=lambda code: self.classes[code])

    @classmethod
    def of_rows(
        cls,
        X: Any,
        y: Any,
        names: Sequence[str] | None = None,
        classes: Sequence[str | int] | None = None,
        panes: Sequence[Pane] = (Pane(),),
    ) -> Self:
        """Make a board of these rows, n x 2, with a view that shows all of them."""
        rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y).tolist()
        known = sorted(set(labels)) if classes is None else list(classes)
        number = {label: code for code, label in enumerate(known)}
        board = cls.of(
            {
                KEY: FORMAT,
                "names": list(names or getattr(X, "columns", None) or ("x1", "x2")),
                "classes": [
                    label if isinstance(label, int) and not isinstance(label, bool) else str(label) for label in known
                ],
                "points": [[*row, number[label]] for row, label in zip(rows.tolist(), labels, strict=True)],
                "panes": [{"algorithm": pane.algorithm, "options": dict(pane.options)} for pane in panes],
            }
        )
        return board.fitted()

    def fitted(self, zoom: float = 1.0) -> Self:
        """Copy the board with a view that shows everything on it; a `zoom` below 1 shows more around it."""
        at = [point[:2] for point in self.points]
        for mx, my, ax, ay, bx, by, _ in self.gaussians:
            wide, high = 2 * math.hypot(ax, bx), 2 * math.hypot(ay, by)
            at += [(mx - wide, my - high), (mx + wide, my + high)]
        return replace(self, view=view_of(_with_origin(at) if at else [(-3.0, -2.0), (3.0, 2.0)], zoom))

    @classmethod
    def of(cls, document: Any) -> Self:
        """Make a board of a JSON document, after checking it.

        Raises
        ------
        DataError
            The document is not a valid board; the message says what is wrong and where.
        """
        if isinstance(document, list):
            raise DataError(
                "a .json file is a board of the lab, not a list of rows. Write the rows as JSON lines, one object in "
                "each line, to a .jsonl file."
            )
        given = _object(
            document, "the board", {"names", "classes", "points", "gaussians", "panes", "view", "step", KEY}
        )
        if given.get(KEY) != FORMAT:
            raise DataError(
                f"This is not a board of the lab, which has {KEY!r}: {FORMAT}; here that is {abridged(given.get(KEY))}."
            )
        classes = _classes(given.get("classes", [-1, 1]))
        points = _rows(given.get("points", []), "points", 3, MAX_POINTS, len(classes))
        gaussians = _rows(given.get("gaussians", []), "gaussians", 7, MAX_GAUSSIANS, len(classes))
        board = cls(
            names=_names(given.get("names", ["x1", "x2"])),
            classes=classes,
            points=points,
            gaussians=gaussians,
            panes=tuple(_pane(p, i) for i, p in enumerate(_list(given.get("panes", [{}]), "panes", 1, MAX_PANES))),
            step=_whole(given.get("step", 0), "step", 0, MAX_STEPS),
        )
        view = given.get("view")
        return board.fitted() if view is None else replace(board, view=_view(view))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a board from JSON text, as `to_json` and the lab write it."""
        try:
            return cls.of(json.loads(text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"This is not a board of the lab, which is JSON: {error}.") from error

    def document(self) -> dict[str, Any]:
        """Convert the board to a JSON document."""
        return {
            KEY: FORMAT,
            "names": list(self.names),
            "classes": list(self.classes),
            "points": [list(point) for point in self.points],
            "gaussians": [list(gaussian) for gaussian in self.gaussians],
            "panes": [{"algorithm": pane.algorithm, "options": dict(pane.options)} for pane in self.panes],
            "view": list(self.view),
            "step": self.step,
        }

    def to_json(self) -> str:
        """Write the board as JSON text, with a line for each point."""
        parts = {key: json.dumps(value) for key, value in self.document().items()}
        for name in ("points", "gaussians"):
            rows = ",\n  ".join(json.dumps(list(row)) for row in getattr(self, name))
            parts[name] = f"[\n  {rows}\n ]" if rows else "[]"
        return "{\n " + ",\n ".join(f"{json.dumps(key)}: {text}" for key, text in parts.items()) + "\n}\n"

    def to_jsonl(self) -> str:
        """Write the points as JSON lines, the label last, as `read` takes them."""
        one, other = self.names
        label = next(name for name in ("label", "class", "y") if name not in self.names)
        lines = ({one: x, other: y, label: self.classes[code]} for x, y, code in self.points)
        return "".join(json.dumps(line) + "\n" for line in lines)

    def to_link(self) -> str:
        """Make the fragment of an address that opens the lab with this board."""
        packer = zlib.compressobj(9, wbits=-15)
        packed = packer.compress(json.dumps(self.document(), separators=(",", ":")).encode()) + packer.flush()
        return LINK_PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def from_link(cls, link: str) -> Self:
        """Read a board from an address of the lab, or from its fragment."""
        packed = link[link.find(LINK_PREFIX) + len(LINK_PREFIX) :] if LINK_PREFIX in link else link
        try:
            raw = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
            unpacker = zlib.decompressobj(-15)
            text = unpacker.decompress(raw, MAX_BYTES)
            if unpacker.unconsumed_tail or not unpacker.eof:
                raise DataError(f"The board in this address is cut off, or has more than {MAX_BYTES:,} bytes.")
            return cls.from_json(text.decode())
        except (ValueError, zlib.error) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"This is not the address of a board of the lab: {error}.") from error


def view_of(points: Sequence[Sequence[float]], zoom: float = 1.0) -> View:
    """Make a view around points, with some room; its sides are 4 to 3."""
    at = np.array(points, dtype=np.float64)
    low, high = at.min(axis=0), at.max(axis=0)
    (x, y), (wide, tall) = ((low + high) / 2).tolist(), (high - low).tolist()
    width = (1 + 2 * VIEW_MARGIN) * max(wide, VIEW_RATIO * tall) / zoom
    if not width > 1e-9 * max(1.0, abs(x), abs(y)):
        width = 4.0 * max(1.0, 1e-9 * max(abs(x), abs(y)))
    half, half_high = width / 2, width / VIEW_RATIO / 2
    return x - half, x + half, y - half_high, y + half_high


def _with_origin(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Add the origin if it is not farther from the points than the points are spread."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    near = (2 * low - high <= 0).all() and (2 * high - low >= 0).all()
    return [*points, (0.0, 0.0)] if near else points


def _object(value: Any, where: str, known: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{where} must be an object, not {abridged(value)}.")
    for key in value:
        if key not in known:
            raise DataError(f"{where} has {abridged(key)}, but only {', '.join(sorted(known))} are known.")
    return value


def _list(value: Any, where: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"{where} must be a list, not {abridged(value)}.")
    if not least <= len(value) <= most:
        count = str(least) if least == most else f"{least} to {most:,}"
        raise DataError(f"{where} must have {count} entries, not {len(value):,}.")
    return value


def _number(value: Any, where: str, most: float = MAX_COORDINATE) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        limits = f"from {-most:g} to {most:g}"
        raise DataError(f"{where} must be a number {limits}, not {abridged(value)}.")
    return float(value) + 0.0  # turns -0.0 into 0.0


def _whole(value: Any, where: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise DataError(f"{where} must be a whole number from {low} to {high}, not {abridged(value)}.")
    return value


def _word(value: Any, where: str) -> str:
    if (
        not isinstance(value, str)
        or not 0 < len(value) <= MAX_NAME_LENGTH
        or not value.isprintable()
        or value != value.strip()
    ):
        raise DataError(f"{where} must be a word of 1 to {MAX_NAME_LENGTH} characters, not {abridged(value)}.")
    return value


def _names(value: Any) -> tuple[str, str]:
    one, other = (_word(name, f"names[{j}]") for j, name in enumerate(_list(value, "names", 2, 2)))
    if one == other:
        raise DataError(f"names must be different, but both are {one!r}.")
    return one, other


def _classes(value: Any) -> tuple[str | int, ...]:
    """Check the labels; if some are strings, all become strings."""
    labels = _list(value, "classes", 1, MAX_CLASSES)
    for i, label in enumerate(labels):
        if isinstance(label, int) and not isinstance(label, bool):
            _whole(label, f"classes[{i}]", -(10**9), 10**9)
        else:
            _word(label, f"classes[{i}]")
    if any(isinstance(label, str) for label in labels):
        labels = [str(label) for label in labels]
    twice = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
    if twice is not None:
        raise DataError(f"Two classes are called {twice}; give one of them another name.")
    return tuple(labels)


def _rows(value: Any, where: str, width: int, most: int, classes: int) -> tuple[tuple[Any, ...], ...]:
    """Check rows of numbers; the last number of each row is a class number."""
    made = []
    for i, row in enumerate(_list(value, where, 0, most)):
        cells = _list(row, f"{where}[{i}]", width, width)
        numbers = (_number(cell, f"{where}[{i}][{j}]") for j, cell in enumerate(cells[:-1]))
        made.append((*numbers, _whole(cells[-1], f"{where}[{i}][{width - 1}]", 0, classes - 1)))
    return tuple(made)


def _pane(value: Any, i: int) -> Pane:
    given = _object(value, f"panes[{i}]", {"algorithm", "options"})
    options = given.get("options", {})
    if not isinstance(options, dict):
        raise DataError(f"panes[{i}].options must be an object, not {abridged(options)}.")
    algorithm = _word(given.get("algorithm", "perceptron"), f"panes[{i}].algorithm")
    return Pane(algorithm, dict(_option_of_today(algorithm, name, value) for name, value in options.items()))


def _option_of_today(algorithm: str, name: str, value: Any) -> tuple[str, Any]:
    """An option of a pane, under its present name; boards of earlier versions have others."""
    if (algorithm, name) == ("kozinec", "relative") and isinstance(value, bool):
        return "epsilon_kind", "relative" if value else "absolute"
    return FORMER_OPTIONS.get((algorithm, name), name), value


def _view(value: Any) -> View:
    left, right, low, high = (_number(x, f"view[{i}]", MAX_VIEW) for i, x in enumerate(_list(value, "view", 4, 4)))
    if not (left < right and low < high):
        raise DataError(f"view must be x from, x to, y from, y to, the smaller first, not {value!r}.")
    return left, right, low, high

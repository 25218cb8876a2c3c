"""The jobs `data`, `table` and `view`: built-in data, tables and saved boards for the board, and the view of it."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt import datasets
from rosenblatt.base.words import count_of
from rosenblatt.data.files.lab_board import MAX_CLASSES, MAX_COORDINATE, MAX_NAME_LENGTH, MAX_POINTS, Board, Pane
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.matrices import dense
from rosenblatt.datasets import catalogue
from rosenblatt.errors import DataError, ParameterError, abridged, meant
from rosenblatt.lab.options import Option

Opened = dict[str, Any]  # a part of a board, and what the page says of it
ZOOM_RANGE = (0.25, 4.0)
INSPECTED_LINES = 50  # that decide which column is the class
QUOTE = '"'


@dataclass(frozen=True)
class Source:
    """Built-in data that the lab offers.

    Attributes
    ----------
    name : its name in `datasets`
    label, group : what the page says of it
    options : the options that a reader may change
    pane : the algorithm that the data are made for; None if there is none
    fixed : options that a reader may not change
    """

    name: str
    label: str
    group: str
    options: tuple[Option, ...] = ()
    pane: Pane | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the entry as the page reads it."""
        return {
            "name": self.name,
            "label": self.label,
            "group": self.group,
            "about": catalogue.ENTRIES[self.name].description,
            "options": [option.document() for option in self.options],
            "panes": None if self.pane is None else [_pane(self.pane)],
        }


def _pane(pane: Pane) -> dict[str, Any]:
    return {"algorithm": pane.algorithm, "options": dict(pane.options)}


def data(request: dict[str, Any]) -> Opened:
    """Return built-in data as a part of a board, which replaces that part of the present board."""
    name, given = request.get("name"), request.get("options") or {}
    source = SOURCES.get(name) if isinstance(name, str) else None
    if source is None:
        raise ParameterError(
            f"The lab has no data {abridged(name)}; it has {', '.join(SOURCES)}.{meant(name, SOURCES)}"
        )
    known = {option.name: option for option in source.options}
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise ParameterError(f"The options of {source.label} are {', '.join(known) or 'none'}, not {abridged(given)}.")
    chosen = {key: option.check(given.get(key, option.default)) for key, option in known.items()}
    found = datasets.load(source.name, **source.fixed, **chosen)
    names = found.feature_names or [f"x{j + 1}" for j in range(found.X.shape[1])]
    opened = _opened(found.X, found.y.tolist(), names, request.get("columns"))
    opened["about"] = f"{found.description} {found.source}."
    if source.pane is not None:
        opened["board"]["panes"] = [_pane(source.pane)]
    return opened


def table(request: dict[str, Any]) -> Opened:
    """Return a pasted or uploaded table (CSV or TSV), or a saved board, as a part of a board."""
    text, name = request.get("text"), request.get("name") or "the text"
    if not isinstance(text, str) or not isinstance(name, str):
        raise DataError("text must be the text of a table or of a saved board, and name must be text.")
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _saved_board(text.lstrip("\ufeff"))
    plain = as_tabs(text)
    target = request.get("target")
    if target is not None and not isinstance(target, str):
        raise DataError(f"target must be the name of a column, not {abridged(target)}.")
    file = io.BytesIO(plain.encode())
    file.name = name
    found = _read(file, class_column(plain) if target is None else target)
    n, d = found.X.shape
    names = found.feature_names or [f"x{j + 1}" for j in range(d)]
    opened = _opened(found.X, found.y.tolist(), names, request.get("columns"))
    if found.encoding is not None:
        opened["target"] = str(found.encoding.target)
        opened["fields"] = [*(column.name for column in found.encoding.columns), opened["target"]]
    return opened | {"about": f"{n:,} rows of {d} columns from {name}."}


def _read(file: io.BytesIO, target: str | None) -> Data:
    """Read a table with tabs. What an error advises is left out if it names options, as the page does not have them."""
    try:
        return read(file, target, format="tsv")
    except DataError as error:
        if error.remedy is None:
            raise
        raise DataError(f"{error.args[0]} Change the table, and open it again.") from error


def _saved_board(text: str) -> Opened:
    board = Board.from_json(text)
    return {
        "board": board.document(),
        "about": f"A board of {count_of(len(board.points), 'point')}.",
        "columns": list(board.names),
        "shown": [0, 1],
        "target": None,
        "fields": [],
    }


def as_tabs(text: str) -> str:
    """Return a table with tabs between its cells.

    In the given table, cells are separated by commas, tabs or spaces, or by semicolons if numbers have decimal commas.
    """
    lines = text.lstrip("\ufeff").splitlines()
    head = next((line for line in lines if line.strip()), "")
    if "\t" in head:
        return "\n".join(lines) + "\n"
    if ";" in head:
        rows = [[cell.replace(",", ".") for cell in row] for row in csv.reader(lines, delimiter=";")]
    elif "," in head:
        rows = list(csv.reader(lines))
    else:
        rows = [line.split() for line in lines]
    if any("\t" in cell or "\n" in cell for row in rows for cell in row):
        raise DataError("A cell contains a tab or a line break; remove it.")
    return "".join("\t".join(map(_quoted, row)) + "\n" for row in rows)


def _quoted(cell: str) -> str:
    return f'"{cell.replace(QUOTE, 2 * QUOTE)}"' if QUOTE in cell else cell


def class_column(text: str) -> str | None:
    """Return the name of the column of words; None if there is not exactly one such column, or it has no name."""
    rows = list(csv.reader(text.splitlines()[:INSPECTED_LINES], delimiter="\t"))
    if len(rows) < 2 or not all(map(_is_word, rows[0])):
        return None
    words = [j for j, name in enumerate(rows[0]) if all(j < len(row) and _is_word(row[j]) for row in rows[1:])]
    return rows[0][words[0]].strip() if len(words) == 1 else None


def _is_word(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return bool(cell.strip())
    return False


def _opened(X: Any, labels: Sequence[Any], names: Sequence[str], columns: Any) -> Opened:
    """Return a board with two columns of a table.

    Raises
    ------
    DataError
        The table does not fit on the board.
    """
    if X.shape[1] < 2:
        raise DataError(f"Two columns of numbers and a label are needed, but there is one column, {names[0]!r}.")
    if X.shape[0] > MAX_POINTS:
        raise DataError(
            f"The board takes at most {MAX_POINTS:,} points, and here are {X.shape[0]:,} rows; give fewer rows."
        )
    values = len(set(labels))
    if values > MAX_CLASSES:
        raise DataError(
            f"The board takes at most {MAX_CLASSES} classes, and the label has {values} values; is this column the "
            "label?"
        )
    shown = _chosen(columns, names)
    long = next((label for label in labels if len(str(label)) > MAX_NAME_LENGTH), None)
    if long is not None:
        raise DataError(f"A label has at most {MAX_NAME_LENGTH} characters on the board, but one is {abridged(long)}.")
    two = dense(X[:, shown])
    far = np.argwhere(~(np.abs(two) <= MAX_COORDINATE))
    if len(far):
        row, column = far[0].tolist()
        what = f"{two[row, column]:g} in row {row + 1} of {names[shown[column]]!r}"
        raise DataError(f"The board takes numbers from {-MAX_COORDINATE:g} to {MAX_COORDINATE:g}, but there is {what}.")
    board = Board.of_rows(two, labels, names=[names[j] for j in shown])
    part = board.document()
    for key in ("panes", "step", "rosenblatt_lab"):
        del part[key]
    return {"board": part, "about": "", "columns": list(names), "shown": shown, "target": None, "fields": []}


def _chosen(columns: Any, names: Sequence[str]) -> list[int]:
    """Return the numbers of two columns, which are given by name or number."""
    if columns is None:
        return [0, 1]
    known = {str(name): j for j, name in enumerate(names)}
    numbers = []
    for column in columns if isinstance(columns, list) else []:
        at = column if isinstance(column, int) and not isinstance(column, bool) else known.get(str(column), -1)
        if not 0 <= at < len(names):
            raise ParameterError(
                f"There is no column {abridged(column)}; there are {', '.join(known)}.{meant(column, known)}"
            )
        numbers.append(at)
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        raise ParameterError(f"Choose two different columns of {', '.join(known)}, not {abridged(columns)}.")
    return numbers


def view(request: dict[str, Any]) -> dict[str, Any]:
    """Return a view: without a zoom, one that shows everything on the board; else the present view, zoomed."""
    board, zoom = Board.of(request.get("board")), request.get("zoom", 1)
    if isinstance(zoom, bool) or not isinstance(zoom, int | float) or not ZOOM_RANGE[0] <= zoom <= ZOOM_RANGE[1]:
        raise ParameterError(f"zoom must be a number from {ZOOM_RANGE[0]} to {ZOOM_RANGE[1]}, not {abridged(zoom)}.")
    if zoom == 1:
        return {"view": list(board.fitted().view)}
    left, right, low, high = board.view
    x, y, wide, tall = (left + right) / 2, (low + high) / 2, (right - left) / 2 / zoom, (high - low) / 2 / zoom
    if max(abs(x) + wide, abs(y) + tall) > MAX_COORDINATE:
        raise DataError(f"The plane of the lab ends at {MAX_COORDINATE:g}; zoom in.")
    return {"view": list(Board.of(replace(board, view=(x - wide, x + wide, y - tall, y + tall)).document()).view)}


ROWS = Option("rows", "Points", "slider", 60, low=6, high=500, step=1)
SEED = Option("seed", "Seed", "integer", 0, low=0, high=2**31 - 1)
LECTURE = {"order": "cyclic", "tie": "positive"}
TWO = {"columns": 2}
ENTRIES = (
    Source("and", "AND", "Gates"),
    Source("or", "OR", "Gates"),
    Source("nand", "NAND", "Gates"),
    Source("nor", "NOR", "Gates"),
    Source("xor", "XOR", "Gates"),
    Source(
        "berkeley_points", "Berkeley CS188, five points", "Lectures",
        pane=Pane("perceptron", {**LECTURE, "init": [0, 0, -1], "max_epochs": 1}),
    ),
    Source(
        "cmu_points", "CMU 10-301, six points", "Lectures",
        pane=Pane("perceptron", {**LECTURE, "bias": 0, "max_epochs": 1}),
    ),
    Source(
        "cs360_points", "CS360, two points", "Lectures",
        pane=Pane("perceptron", {"order": "cyclic", "tie": "negative", "init": [2, 1, -5]}),
    ),
    Source("cholesterol", "CMU 10-301, cholesterol", "Lectures"),
    Source("iris", "Iris", "Tables"),
    Source("wine", "Wine", "Tables"),
    Source("wdbc", "Breast tumours", "Tables"),
    Source(
        "planted_margin", "Separable, with a known margin", "Generators",
        (ROWS, Option("margin", "Margin", "slider", 0.2, low=0.01, high=0.6, step=0.01), SEED), fixed=TWO,
    ),
    Source(
        "overlapping", "Two clouds that overlap", "Generators",
        (ROWS, Option("distance", "Distance", "slider", 2.0, low=0.0, high=6.0, step=0.1), SEED), fixed=TWO,
    ),
    Source("touching_hulls", "Hulls that touch", "Generators", (ROWS, SEED), fixed=TWO),
    Source("integer_grid", "Whole numbers", "Generators", (SEED,), fixed=TWO),
    Source(
        "circles", "Circles", "Generators", (replace(ROWS, default=24), SEED),
        pane=Pane("kernel", {"kernel": "poly", "degree": 2}),
    ),
    Source(
        "gaussian_mixtures", "Clouds of Gaussians", "Generators",
        (ROWS, Option("components", "Gaussians per class", "slider", 1, low=1, high=4, step=1), SEED),
        pane=Pane("anderson"), fixed=TWO,
    ),
)  # fmt: skip
SOURCES = {source.name: source for source in ENTRIES}

"""Rows and labels in Dask's collections, or in files, as tasks that each make one part.

The parts are in the order of the rows: the blocks of an array, the partitions of a frame or a bag, or the files.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask
import numpy as np
import scipy.sparse
from dask.delayed import Delayed

from rosenblatt.base.files.standard_input import STANDARD_INPUT
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.single_rows.vocabulary import Vocabulary
from rosenblatt.cluster.attempts import Attempt
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.shard import Part, part_of
from rosenblatt.data.files.encoding import how_columns_were_read
from rosenblatt.data.files.read import read
from rosenblatt.data.files.sources import ENDINGS, Place, expanded, places
from rosenblatt.data.named_arrays import named
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError, ParameterError, RosenblattError

BIAS = 0.0  # a row of a bag is made without a constant


class Source(NamedTuple):
    """Tasks that each make a `Part`, and how the columns were read."""

    tasks: list[Delayed]
    encoding: dict[str, Any] | None = None


def source_of(engine: Engine, X: Any, y: Any, sample_weight: Any, reading: Mapping[str, Any]) -> Source:
    """The tasks for what a user gives as rows, labels and weights.

    Parameters
    ----------
    engine : where a first look at a bag of dicts runs
    X : an array, a frame or a bag of Dask; or files
    y, sample_weight : arrays or columns that are divided as X is; y may be the name of a column of a frame
    reading : options of reading files
    """
    kind = type_of(X)
    if kind != "files" and reading:
        raise ParameterError(f"{next(iter(reading))!r} is an option of reading files; X is {what_is(X)}.")
    if kind in ("files", "bag"):
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise ParameterError(f"{name}=... must be left out: {what_is(X)} has the labels in it.")
    if kind == "files":
        return _files(X, reading)
    if kind == "bag":
        return Source(_bag(engine, X))
    return Source(_blocks(X, y, sample_weight, is_frame=kind == "frame"))


def type_of(X: Any) -> str:
    """What X is: "array", "frame" or "bag" of Dask, or "files"."""
    if isinstance(X, str | Path) or (isinstance(X, list | tuple) and X and isinstance(X[0], str | Path | Place)):
        return "files"
    if hasattr(X, "__dask_graph__"):
        for kind, mark in (("bag", "foldby"), ("frame", "columns"), ("array", "blocks")):
            if hasattr(X, mark):
                return kind
    raise DataError(
        f"An array, a data frame or a bag of Dask, or paths of files, were expected, not {what_is(X)}. For rows in "
        "memory use the same name without `cluster`, or cut them first: dask.array.from_array(X, chunks=(100_000, -1))."
    )


def what_is(X: Any) -> str:
    """The type of X in words."""
    return f"a {type(X).__module__.partition('.')[0]} {type(X).__name__}"


def _blocks(X: Any, y: Any, sample_weight: Any, *, is_frame: bool) -> list[Delayed]:
    """One task for each block of rows of an array, or each partition of a frame."""
    if y is None:
        raise DataError("A classifier requires y to be passed, but the target y is None.")
    if is_frame and isinstance(y, str):
        if y not in X.columns:
            raise DataError(f"There is no column {y!r}; there are {', '.join(map(repr, list(X.columns)[:20]))}.")
        X, y = X.drop(columns=[y]), X[y]
    if not is_frame:
        if X.ndim != 2:
            raise DataError(f"X must be a table of n x d numbers; its shape is {X.shape}.")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    tables = _pieces(X)
    columns = [_aligned("y", y, X, len(tables))]
    if sample_weight is not None:
        columns.append(_aligned("sample_weight", sample_weight, X, len(tables)))
    task = dask.delayed(Attempt(_part_of_block), pure=True)
    return [task(number, table, *own) for number, (table, *own) in enumerate(zip(tables, *columns, strict=True))]


def _pieces(collection: Any) -> list[Delayed]:
    if hasattr(collection, "divisions"):
        # By itself, Dask may read a column of labels in fewer partitions than the rows. Not optimized, both come from
        # the same tasks, so files are read once.
        return list(collection.to_delayed(optimize_graph=False))
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def _aligned(name: str, column: Any, X: Any, pieces: int) -> list[Delayed]:
    """The pieces of a column of labels or weights that belong to those of X."""
    if not hasattr(column, "to_delayed"):
        raise DataError(f"{name} must be a collection of Dask, divided as X is, not {what_is(column)}.")
    chunks = getattr(X, "chunks", None)
    if chunks is not None and hasattr(column, "rechunk"):
        if getattr(column, "ndim", 1) == 2 and column.shape[1] == 1:
            column = column[:, 0]
        if not np.isnan([*chunks[0], *column.chunks[0]]).any():
            if sum(column.chunks[0]) != sum(chunks[0]):
                rows = f"X has {sum(chunks[0])} rows but {name} has {sum(column.chunks[0])}"
                raise DataError(f"{rows} {'labels' if name == 'y' else 'numbers'}; each row needs one.")
            column = column.rechunk((chunks[0],))
    found = _pieces(column)
    if len(found) != pieces:
        raise DataError(
            f"X is divided into {count_of(pieces, 'block')} of rows and {name} into {len(found)}; each block needs its "
            f"own. Repartition {name} as X."
        )
    return found


def _part_of_block(number: int, X: Any, y: Any, sample_weight: Any = None) -> Part:
    try:
        return part_of(X, y, sample_weight)
    except RosenblattError as error:
        raise DataError(f"block {number} (rows count from 0 in it): {error}") from error


def _files(source: Any, reading: Mapping[str, Any]) -> Source:
    """One task for each file. The beginning of the first file settles how the columns of all files are read."""
    found = places(files_in(source), reading.get("format"), reading.get("filesystem"))
    options = {name: value for name, value in reading.items() if name not in ("format", "filesystem")}
    target = options.pop("target", None)
    files: Any = found  # `Stream` and `read` take places as they take paths
    first = Stream(files[:1], target, **options)
    next(first.chunks())
    if first.encoding_ is not None:
        options["encoding"] = first.encoding_
    if first.zero_based_ is not None:
        options["zero_based"] = first.zero_based_
    task = dask.delayed(Attempt(_part_of_file), pure=False, traverse=False)
    tasks = [task(place, target, options) for place in found]
    return Source(tasks, how_columns_were_read(first.encoding_, first.zero_based_))


def files_in(source: Any) -> list[str]:
    """The files of paths, patterns and folders, in order; of a folder those whose format is known."""
    given = [source] if isinstance(source, str | Path) else list(source)
    if STANDARD_INPUT in given:
        raise DataError("Rows for a cluster are read by its workers, from files; they cannot read standard input.")
    paths: list[str] = []
    for path in map(str, given):
        inside = [file for file in sorted(Path(path).iterdir()) if file.is_file()] if Path(path).is_dir() else None
        if inside is None:
            paths += expanded(path)
            continue
        data = [str(file) for file in inside if {suffix.lower() for suffix in file.suffixes} & ENDINGS.keys()]
        if not data:
            raise DataError(f"{path}: there is no file in this folder whose format is known.")
        paths += data
    return paths


def _part_of_file(place: Place, target: Any, options: Mapping[str, Any]) -> Part:
    files: Any = [place]
    data = read(files, target, **options)
    return part_of(data.X, data.y)


def _bag(engine: Engine, bag: Any) -> list[Delayed]:
    """One task for each partition of a bag of (row, label); a row is a dict, or a list of numbers."""
    pieces = bag.to_delayed()
    names = dask.delayed(Attempt(_names_in), pure=True)
    found = engine.results(engine.keep([names(piece) for piece in pieces]))
    every = sorted({name for own in found for name in own or ()})
    if every and any(own is None for own in found):
        raise DataError("The rows of a bag must all be dicts, or all be lists of numbers.")
    task = dask.delayed(Attempt(_part_of_bag), pure=True)
    return [task(piece, every or None) for piece in pieces]


def _pairs(piece: Any) -> list[tuple[Any, Any]]:
    pairs = list(piece)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise DataError(f"Each item of a bag must be a pair of a row and its label, not {str(pair)[:60]}.")
    return pairs


def _names_in(piece: Any) -> list[str] | None:
    """The names in the rows of a partition; None if its rows are lists."""
    pairs, known = _pairs(piece), Vocabulary()
    if pairs and not isinstance(pairs[0][0], Mapping):
        return None
    for x, _ in pairs:
        known.add(known.row(x, BIAS, grows=True).new)
    return [str(name) for name in known.names]


def _part_of_bag(piece: Any, names: Sequence[str] | None) -> Part:
    pairs = _pairs(piece)
    if not pairs:
        return Part(None, np.empty(0), None, None if names is None else list(names))
    labels = [label for _, label in pairs]
    if names is None:
        return part_of(np.array([x for x, _ in pairs], dtype=np.float64), labels)
    known = Vocabulary(names)
    rows = [known.row(x, BIAS).row for x, _ in pairs]
    indptr = np.cumsum([0, *(len(row.data) for row in rows)])
    indices = np.concatenate([row.indices for row in rows]).astype(np.int64)
    data = np.concatenate([row.data for row in rows]).astype(np.float64)
    X = scipy.sparse.csr_array((data, indices, indptr), shape=(len(rows), len(names)))
    return part_of(named(X, names), labels)

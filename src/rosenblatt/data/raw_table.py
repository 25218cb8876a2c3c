"""Tables as they are in files: numbers and words by column, not yet encoded."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.text_tables.dialect import FIND_ALL, Dialect, DialectOptions
from rosenblatt.data.files.blocks import Layout
from rosenblatt.data.files.encoding import Column, Encoding
from rosenblatt.data.files.options import check_options
from rosenblatt.data.files.read import no_rows, refusal
from rosenblatt.data.files.sources import Format, Source, places
from rosenblatt.errors import DataError, MissingExtraError, meant

BLOCK_BYTES = 1 << 24  # of Parquet and Arrow files; a text is one block


class RawTable(NamedTuple):
    """A data frame, the labels of its rows as words, if they were asked for, and how its text is written."""

    X: Any
    y: NDArray[Any] | None
    dialect: Dialect | None  # how the text of the first file is written


def read_raw(
    source: Source,
    names: Sequence[str],
    target: str | None,
    format: Format | None,  # noqa: A002
    text: DialectOptions = FIND_ALL,
) -> RawTable:
    """Read these columns as a data frame: numbers where all cells are numbers, else words; a missing cell is NaN.

    `text` is what the user says about the text of a table.

    Raises
    ------
    DataError
        The files lack a column, or cannot be read.
    MissingExtraError
        The package pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError("A model whose columns have names", "frame") from error
    encoding = Encoding(tuple(Column(name, "number") for name in names))  # cells that are no numbers stay words
    tables, layouts = [], []
    files = places(source, format)
    for place in files:
        layout = Layout(target=target, encoding=encoding, text_options=text)
        layouts.append(layout)
        check_options(layout.options, place.format)
        for block in layout.blocks(place, None if place.format in ("csv", "tsv", "jsonl") else BLOCK_BYTES):
            table, odd = layout.table(block)
            if odd:
                raise refusal(place, layout.bad_lines(block, odd)[0])
            tables.append(_chosen(table, [*names, *([] if target is None else [target])], place.name))
    if not tables:
        raise no_rows(files[0], 0, layouts[0].header)
    frame = pandas.concat([table.to_pandas() for table in tables], ignore_index=True)
    labels = None if target is None else np.array([str(label) for label in frame[target].tolist()])
    return RawTable(frame[list(names)], labels, layouts[0].dialect)


def _chosen(table: Any, names: Sequence[str], file: str) -> Any:
    there = table.column_names
    missing = next((name for name in names if name not in there), None)
    if missing is not None:
        raise DataError(f"{file}: there is no column {missing!r}, which the model needs.{meant(missing, there)}")
    return table.select(list(names))

"""The lines of a CSV or TSV file as they are: for `check --keep`, and for code that reads the file again."""

import csv
import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.text_tables.decoded_file import beginning_of
from rosenblatt.base.text_tables.dialect import DELIMITERS, Dialect, DialectOptions
from rosenblatt.base.text_tables.header import target_of
from rosenblatt.cli.inputs import is_pipe
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.data.files.sources import Place

FEW_LINES = 50


class TextTable(NamedTuple):
    """A table of text.

    Attributes
    ----------
    format : "csv" or "tsv"; or another format, and then there are no lines
    header : the first line, if it is a header
    rows : the other lines, or the first of them, without empty ones
    dialect : how the text is written
    target : the name of the target; None without a header
    """

    format: str
    header: list[str] | None
    rows: list[list[str]]
    dialect: Dialect = Dialect()
    target: str | None = None

    @property
    def reader_options(self) -> list[str]:
        """How the text is written, as arguments of pandas.read_csv."""
        given = zip(("sep", "decimal", "encoding"), self.dialect, Dialect(), strict=True)
        return [f"{name}={value!r}" for name, value, default in given if value != default]

    @property
    def is_spaced(self) -> bool:
        """Do some cells begin with a space?"""
        return any(cell.startswith(" ") for row in self.rows[:FEW_LINES] for cell in row)

    @property
    def made_up_names(self) -> list[str] | None:
        """The names of all columns of a file without a header; None if it has one."""
        return None if self.header is not None or not self.rows else [f"x{j + 1}" for j in range(len(self.rows[0]))]

    def header_notes(self, source: str) -> list[str]:
        """A note if there is no header, so that the columns are called x1, x2, ...; `source` is the file."""
        if self.made_up_names is None:
            return []
        return [
            f"{source} has no header: its first line holds numbers, so it is a row, and the columns are called x1, x2, "
            "... For other names, write a line of names before it."
        ]

    def write(self, numbers: Sequence[int], path: Path) -> None:
        """Write the rows of these numbers, below the header if there is one."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.dialect.delimiter, lineterminator="\n")
        writer.writerows([*([self.header] if self.header is not None else []), *(self.rows[i] for i in numbers)])
        with replacing(path) as file:
            file.write(text.getvalue().encode())


def text_table(source: str, options: TableOptions, target: Text, *, whole: bool) -> TextTable:
    """Read a file that `read` could read.

    Parameters
    ----------
    source : the file
    options : of the user, for reading it
    target : the target, if the user gave one
    whole : read all lines?
    """
    from rosenblatt.data.files.sources import places

    if is_pipe(source):
        return TextTable("pipe", None, [])
    files = places(source, cast(Any, options.format))
    kind = files[0].format
    if kind not in DELIMITERS or len(files) > 1 or files[0].local_path is None:
        return TextTable("other" if kind in DELIMITERS else kind, None, [])
    return table_of_place(files[0], options.text, target, whole=whole)


def header_notes(source: str, place: "Place", given: DialectOptions, target: Text) -> list[str]:
    """A note if a CSV or TSV file has no header; `source` is what the user calls the files, the first at `place`."""
    if place.format not in DELIMITERS or is_pipe(place.name):
        return []
    return table_of_place(place, given, target, whole=False).header_notes(source)


def table_of_place(place: "Place", given: DialectOptions, target: Text, *, whole: bool) -> TextTable:
    """Read the lines of a CSV or TSV file, or the first of them."""
    from rosenblatt.data.files.sources import with_dialect

    place = with_dialect(place, given)
    with place.open_text() as file:
        text = (file.read() if whole else beginning_of(file)).decode("utf-8-sig", "replace")
    cells = csv.reader(io.StringIO(text, newline=""), delimiter=place.dialect.delimiter)
    lines: list[list[str]] = []
    filled = (row for row in cells if any(cell.strip() for cell in row))
    try:
        lines += filled if whole else islice(filled, FEW_LINES)
    except csv.Error as error:  # for example, a cell of more than 128 KiB, which the readers of rows take
        if whole or not lines:
            where = f"{place.name}, line {cells.line_num}"
            raise DataError(f"{where}: its lines cannot be copied: {error}.") from error
    names = [cell.strip() for cell in lines[0]]
    at, has_header = target_of(place.name, names, target, place.dialect.decimal)
    return TextTable(
        place.format,
        lines[0] if has_header else None,
        lines[has_header:],
        place.dialect,
        names[at] if has_header else None,
    )


def refuse_other_formats(source: str, options: TableOptions, target: Text) -> None:
    """Raise unless rows can be kept: --keep copies rows of one CSV or TSV file."""
    if text_table(source, options, target, whole=False).format not in DELIMITERS:
        raise DataError(f"{source}: --keep copies rows of one CSV or TSV file; give such a file.")

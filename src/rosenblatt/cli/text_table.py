"""The lines of a CSV or TSV file as they are: for `check --keep`, and for code that reads the file again."""

import csv
import gzip
import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.text_tables.header import target_of
from rosenblatt.cli.inputs import is_pipe
from rosenblatt.cli.options import Text
from rosenblatt.errors import DataError

DELIMITERS = {"csv": ",", "tsv": "\t"}
FEW_LINES = 50


class TextTable(NamedTuple):
    """A table of text.

    Attributes
    ----------
    format : "csv" or "tsv"; or another format, and then there are no lines
    header : the first line, if it is a header
    rows : the other lines, or the first of them, without empty ones
    """

    format: str
    header: list[str] | None
    rows: list[list[str]]

    @property
    def is_spaced(self) -> bool:
        """Do some cells begin with a space?"""
        return any(cell.startswith(" ") for row in self.rows[:FEW_LINES] for cell in row)

    @property
    def made_up_names(self) -> list[str] | None:
        """The names of all columns of a file without a header; None if it has one."""
        return None if self.header is not None or not self.rows else [f"x{j + 1}" for j in range(len(self.rows[0]))]

    def write(self, numbers: Sequence[int], path: Path) -> None:
        """Write the rows of these numbers, below the header if there is one."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=DELIMITERS[self.format], lineterminator="\n")
        writer.writerows([*([self.header] if self.header is not None else []), *(self.rows[i] for i in numbers)])
        with replacing(path) as file:
            file.write(text.getvalue().encode())


def text_table(source: str, given: Text, target: Text, *, whole: bool) -> TextTable:
    """Read a file that `read` could read.

    Parameters
    ----------
    source : the file
    given : its format, if the user gave one
    target : the target, if the user gave one
    whole : read all lines?
    """
    from rosenblatt.data.files.sources import places

    if is_pipe(source):
        return TextTable("pipe", None, [])
    files = places(source, cast(Any, given))
    kind, compression, path = files[0].format, files[0].compression, files[0].local_path
    if kind not in DELIMITERS or compression not in (None, "gzip") or len(files) > 1 or path is None:
        return TextTable("other" if kind in DELIMITERS else kind, None, [])
    with (gzip.open if compression else open)(path, "rt", newline="", encoding="utf-8-sig") as file:
        filled = (row for row in csv.reader(file, delimiter=DELIMITERS[kind]) if any(cell.strip() for cell in row))
        lines = list(filled if whole else islice(filled, FEW_LINES))
    _, has_header = target_of(source, [cell.strip() for cell in lines[0]], target)
    return TextTable(kind, lines[0] if has_header else None, lines[has_header:])


def refuse_other_formats(source: str, given: Text, target: Text) -> None:
    """Raise unless rows can be kept: --keep copies rows of one CSV or TSV file."""
    if text_table(source, given, target, whole=False).format not in DELIMITERS:
        raise DataError(f"{source}: --keep copies rows of one CSV or TSV file; give such a file.")

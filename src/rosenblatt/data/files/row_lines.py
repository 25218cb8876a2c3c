"""The lines of a text that the rows of its table come from."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.files.sources import LINE_FEED, TEXT, Bytes


def line_of_table_row(parts: Sequence[tuple[Any, Any, Sequence[Any]]], row: int) -> str:
    """Say where a row of a table comes from: the file and the line, or the row of a file that is no text.

    Parameters
    ----------
    parts : the blocks, each with its table and the lines that could not become rows of it; the tables are one table
    row : the number of the row in it, from 0
    """
    ends = np.cumsum([table.num_rows for _, table, _ in parts])
    at = int(np.searchsorted(ends, row, side="right"))
    block, table, odd = parts[at]
    row -= int(ends[at]) - table.num_rows
    if block.place.format not in TEXT:
        return f"{block.place.name}, row {row + 1 + block.before}"
    out, count = [trouble.row for trouble in odd], table.num_rows + len(odd)
    is_json = block.place.format == "jsonl"
    lines = RowLines(block.content, count, lines_out=out) if is_json else RowLines(block.content, count, out)
    return f"{block.place.name}, line {lines.of_row(row + 1) + block.before}"


class RowLines:
    """Finds the lines of a text that the rows of its table come from.

    Parameters
    ----------
    text : CSV or JSON lines
    count : the number of rows, including those that were left out
    rows_out : for CSV, the rows that were left out, numbered among all rows; a row in quotes may span several lines
    lines_out : for JSON, the lines that were left out; a line of spaces is not a row
    """

    def __init__(
        self, text: Bytes, count: int, rows_out: Sequence[int] = (), lines_out: Sequence[int] | None = None
    ) -> None:
        self._text, self._count, self._rows_out, self._lines_out = text, count, set(rows_out), lines_out

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(self._text == LINE_FEED)

    @cached_property
    def _spans(self) -> dict[int, int]:
        """Map the first line of each row to its last line; empty lines are left out."""
        lines = [bytes(self._text[a:b]) for a, b in zip([0, *(self._ends[:-1] + 1)], self._ends, strict=True)]
        strip = bytes.strip if self._lines_out is not None else lambda line: line.rstrip(b"\r")
        single = {k: k for k, line in enumerate(lines, start=1) if strip(line)}
        if len(single) == self._count:
            return single
        spans, first, quoted = dict[int, int](), 0, False
        for number, line in enumerate(lines, start=1):
            first = first if quoted else number
            quoted ^= bool(line.count(b'"') % 2)
            if not quoted and (first < number or strip(line)):
                spans[first] = number
        return spans if len(spans) == self._count else single

    @cached_property
    def _of_rows(self) -> list[int]:
        if self._lines_out is not None:
            return [line for line in self._spans if line not in set(self._lines_out)]
        return [line for k, line in enumerate(self._spans, start=1) if k not in self._rows_out]

    def of_all(self, number: int) -> int:
        """Give the line of a row that is numbered from 1 among all rows."""
        lines = list(self._spans)
        return lines[min(number, len(lines)) - 1]

    def of_row(self, number: int) -> int:
        """Give the line of a row that is numbered from 1 among the rows that were not left out."""
        return self._of_rows[min(number, len(self._of_rows)) - 1]

    def text(self, line: int) -> str:
        """Give the text of the row that begins at this line."""
        start = int(self._ends[line - 2]) + 1 if line > 1 else 0
        return bytes(self._text[start : self._ends[self._spans[line] - 1]]).decode("utf-8", "replace").rstrip("\r")

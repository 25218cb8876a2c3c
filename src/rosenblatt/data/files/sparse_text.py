"""Parsing of LIBSVM and Vowpal Wabbit text to sparse rows, and the types of parsed rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.compiled import text as sparse_text
from rosenblatt.data.files.sources import LINE_FEED, Bytes
from rosenblatt.errors.remedy import Remedy

LINE_LENGTH, PAIR_LENGTH = 24, 7  # most lines, and most pairs column:number, have more characters
HASH_BITS = 18  # the default of Vowpal Wabbit
EXPECTED = {
    sparse_text.LABEL: "a whole number was expected as label",
    sparse_text.PAIR: "'column:number' was expected",
    sparse_text.COLUMN: "a column of at most 9 digits was expected",
    sparse_text.TWICE: "each column was expected once",
    sparse_text.INFINITE: "a finite number was expected",
    sparse_text.NUMBER: "a number was expected behind the colon",
    sparse_text.IMPORTANCE: "an importance of 1 was expected (rows are not weighed)",
    sparse_text.BARS: "a bar | was expected before the names",
}


class BadRow(NamedTuple):
    """A row that cannot be used."""

    row: int  # the number of its line, or of its row in a table, counted from 1
    where: str  # ", column ..." if the column is known, else ""
    trouble: str  # what is wrong with it
    text: str  # the row as it is in the file; JSON for a row of a table
    remedy: Remedy | None = None  # the options that help


class ParsedRows(NamedTuple):
    """The rows of a block: those that can be used, and those that cannot."""

    X: Any
    labels: NDArray[Any]
    bad: list[BadRow]
    find: Callable[[int], tuple[int, str]]  # gives the line (or number in a table) and the text of a row of X
    length: int = 0  # lines of this block, to be added to the line numbers of later blocks
    dropped: int = 0  # rows with gaps that were left out, as the user wants it


class ColumnRange(NamedTuple):
    """The smallest and the largest column number in a text."""

    least: int
    most: int


def read_block(text: Bytes, format: str, hash_bits: int | None) -> tuple[ParsedRows, ColumnRange]:  # noqa: A002
    """Parse a block of lines; columns keep the numbers that are written."""
    mask = np.uint32(2 ** (hash_bits or HASH_BITS) - 1)

    def parsed(count: int, room: int) -> Any:
        labels, lines, data = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(room)
        indptr, indices = np.zeros(count + 1, np.int32), np.empty(room, np.int32)
        out = (labels, lines, indptr, indices, data, np.empty((count, 4), np.int64))
        return out, sparse_text.libsvm(text, *out) if format == "libsvm" else sparse_text.vowpal(text, mask, *out)

    out, (n, size, wrong, least, most, seen) = parsed(len(text) // LINE_LENGTH + 16, len(text) // PAIR_LENGTH + 16)
    if n < 0:  # the arrays were too short, because lines or pairs are unusually short: count them first
        count, colons, ends = sparse_text.measure(text)
        out, (n, size, wrong, least, most, seen) = parsed(count, colons + (0 if format == "libsvm" else ends + count))
    labels, lines, indptr, indices, data, bad = out
    X = scipy.sparse.csr_array((data[:size], indices[:size], indptr[: n + 1]), shape=(n, max(int(most) + 1, 1)))
    told = [_bad(text, line) for line in bad[:wrong].tolist()]
    found = ColumnRange(int(least), int(most))
    return ParsedRows(
        X, labels[:n], told, lambda row: (int(lines[row]), line_of(text, int(lines[row]))), int(seen)
    ), found


def line_of(text: Bytes, number: int) -> str:
    """Give a line of a text by its number, counted from 1."""
    ends = np.flatnonzero(text == LINE_FEED)
    start = int(ends[number - 2]) + 1 if number > 1 else 0
    return bytes(text[start : ends[number - 1]]).decode("utf-8", "replace").rstrip("\r")


def _bad(text: Bytes, line: list[int]) -> BadRow:
    number, begin, at, what = line
    shown = bytes(text[at : at + 80]).partition(b"\n")[0].split()
    word = shown[0].decode("utf-8", "replace")[:40] if shown else ""
    came = f", not {word!r}" if word else ", but the line ends"
    return BadRow(number, "", EXPECTED[what] + ("" if what == sparse_text.TWICE else came), _line_from(text, begin))


def _line_from(text: Bytes, begin: int) -> str:
    reach = 1 << 10
    while True:
        line, end, _ = bytes(text[begin : begin + reach]).partition(b"\n")
        if end or begin + reach >= len(text):
            return line.decode("utf-8", "replace").rstrip("\r")
        reach *= 16


def without_rows(
    rows: ParsedRows, out: NDArray[Any], where: str, trouble: str, remedy: Remedy | None = None
) -> ParsedRows:
    """Turn the rows `out` into bad rows, for this reason."""
    bad = [BadRow(line, where, trouble, text, remedy) for line, text in map(rows.find, out.tolist())]
    keep = np.setdiff1d(np.arange(len(rows.labels)), out)
    find = rows.find
    return ParsedRows(
        rows.X[keep],
        rows.labels[keep],
        sorted(rows.bad + bad, key=by_line),
        lambda row: find(int(keep[row])),
        rows.length,
    )


def by_line(bad: BadRow) -> tuple[int, str, str]:
    """The order of bad rows."""
    return bad.row, bad.where, bad.trouble


def shifted(rows: ParsedRows, lines: int) -> ParsedRows:
    """Add `lines` to all line numbers, because so many lines come before the block."""
    find = rows.find

    def later(row: int) -> tuple[int, str]:
        number, text = find(row)
        return number + lines, text

    return rows._replace(bad=[trouble._replace(row=trouble.row + lines) for trouble in rows.bad], find=later)

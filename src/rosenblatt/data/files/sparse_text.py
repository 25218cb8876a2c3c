"""Blocks of LIBSVM's or Vowpal Wabbit's text as sparse rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.compiled import text as sparse_text
from rosenblatt.data.files.sources import LINE_FEED, Bytes
from rosenblatt.errors.remedy import Remedy

LINE_LENGTH, PAIR_LENGTH = 24, 7  # characters, that are usually exceeded
HASH_BITS = 18  # Vowpal Wabbit's own default
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


class Bad(NamedTuple):
    """A row that cannot be used."""

    row: int  # its line, or its number in a table; both from 1, within the block
    where: str  # ", column ..." if that is known
    trouble: str
    text: str
    remedy: Remedy | None = None


class Rows(NamedTuple):
    """A block of a file, read: rows that can be used, and those that cannot."""

    X: Any
    labels: NDArray[Any]
    bad: list[Bad]
    find: Callable[[int], tuple[int, str]]  # of a row that can be used, its line (or number in a table), and its text
    length: int = 0  # lines that are not counted yet in the numbers of later rows


class Found(NamedTuple):
    """Columns as they are written."""

    least: int
    most: int


def read_block(text: Bytes, format: str, hash_bits: int | None) -> tuple[Rows, Found]:  # noqa: A002
    """The rows of a block of lines, their columns numbered as they are written."""
    mask = np.uint32(2 ** (hash_bits or HASH_BITS) - 1)

    def parsed(count: int, room: int) -> Any:
        labels, lines, data = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(room)
        indptr, indices = np.zeros(count + 1, np.int32), np.empty(room, np.int32)
        out = (labels, lines, indptr, indices, data, np.empty((count, 4), np.int64))
        return out, sparse_text.libsvm(text, *out) if format == "libsvm" else sparse_text.vowpal(text, mask, *out)

    out, (n, size, wrong, least, most, seen) = parsed(len(text) // LINE_LENGTH + 16, len(text) // PAIR_LENGTH + 16)
    if n < 0:  # lines or pairs are shorter than they usually are
        count, colons, ends = sparse_text.measure(text)
        out, (n, size, wrong, least, most, seen) = parsed(count, colons + (0 if format == "libsvm" else ends + count))
    labels, lines, indptr, indices, data, bad = out
    X = scipy.sparse.csr_array((data[:size], indices[:size], indptr[: n + 1]), shape=(n, max(int(most) + 1, 1)))
    told = [_bad(text, line) for line in bad[:wrong].tolist()]
    found = Found(int(least), int(most))
    return Rows(X, labels[:n], told, lambda row: (int(lines[row]), line_of(text, int(lines[row]))), int(seen)), found


def line_of(text: Bytes, number: int) -> str:
    """A line of a text, by its number from 1."""
    ends = np.flatnonzero(text == LINE_FEED)
    start = int(ends[number - 2]) + 1 if number > 1 else 0
    return bytes(text[start : ends[number - 1]]).decode("utf-8", "replace").rstrip("\r")


def _bad(text: Bytes, line: list[int]) -> Bad:
    number, begin, at, what = line
    shown = bytes(text[at : at + 80]).partition(b"\n")[0].split()
    word = shown[0].decode("utf-8", "replace")[:40] if shown else ""
    came = f", not {word!r}" if word else ", but the line ends"
    return Bad(number, "", EXPECTED[what] + ("" if what == sparse_text.TWICE else came), _line_from(text, begin))


def _line_from(text: Bytes, begin: int) -> str:
    reach = 1 << 10
    while True:
        line, end, _ = bytes(text[begin : begin + reach]).partition(b"\n")
        if end or begin + reach >= len(text):
            return line.decode("utf-8", "replace").rstrip("\r")
        reach *= 16


def without(rows: Rows, strange: NDArray[Any], where: str, trouble: str) -> Rows:
    """The same without some rows, which cannot be used for this reason."""
    bad = [Bad(line, where, trouble, text) for line, text in map(rows.find, strange.tolist())]
    keep = np.setdiff1d(np.arange(len(rows.labels)), strange)
    find = rows.find
    return Rows(rows.X[keep], rows.labels[keep], sorted(rows.bad + bad), lambda row: find(int(keep[row])), rows.length)


def moved(rows: Rows, lines: int) -> Rows:
    """The same, so many lines further on."""
    find = rows.find

    def later(row: int) -> tuple[int, str]:
        number, text = find(row)
        return number + lines, text

    return rows._replace(bad=[trouble._replace(row=trouble.row + lines) for trouble in rows.bad], find=later)

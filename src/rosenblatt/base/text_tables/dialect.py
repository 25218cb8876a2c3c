"""How a text table is written: its delimiter, its decimal mark, its characters. Both readers of text tables use this.

What the user does not give is found from the beginning of the file: always from the same number of bytes, so that all
readers find the same.
"""

import codecs
import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy

SAMPLE_BYTES = 1 << 20  # bytes at the beginning of a file that tell how it is written
MAX_SAMPLE_LINES = 200
DELIMITERS = {"csv": ",", "tsv": "\t"}  # the usual delimiter of a format
CANDIDATES = (",", ";", "\t", "|")
OTHER_DELIMITERS = " :!#$%&*/^~@"
DELIMITER_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars (|)", " ": "spaces"}
WORDS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "bar": "|", "space": " ", "point": "."}
ENCODING_WORDS = {"cp1252": "Windows-1252 characters", "iso8859-1": "Latin-1 characters"}
MARKS = (  # byte order marks
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WITH_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
WITH_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?")
SIGN = r"[%‰$€£¥]"
ADORNED = re.compile(  # a number with what only people read: marks between thousands, or the sign of a unit
    rf"(?=.*{SIGN}|[+-]?[1-9][0-9]{{0,2}}([.,' \u00a0\u202f])[0-9]{{3}}(?![0-9]))"
    rf"[+-]?{SIGN}? ?[+-]?([1-9][0-9]{{0,2}}([.,' \u00a0\u202f][0-9]{{3}})+|[0-9]+)([.,][0-9]+)?[ \u00a0\u202f]?{SIGN}?"
)
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}([,.][0-9]{3})+")  # as thousands are written: 1,234
FOREIGN_FILES = (  # the first bytes of files that are no text, what they are, and the format to give, if there is one
    (b"PK\x03\x04", "a zip archive or an Excel workbook. Save it as CSV, or unpack it", None),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook. Save it as CSV", None),
    (b"PAR1", "a Parquet file", "parquet"),
    (b"ARROW1", "an Arrow file", "arrow"),
    (b"\x93NUMPY", "an array of numpy. Save X and y with numpy.savez", None),
)
Decimal = Literal[".", ","]


class Dialect(NamedTuple):
    """How a text table is written.

    Attributes
    ----------
    delimiter : the character between two cells
    decimal : the decimal mark, "." or ","
    encoding : the name of Python's codec for the characters; "utf-8" also if the file begins with a byte order mark
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def explain(self, format: str) -> str:  # noqa: A002
        """What differs from the usual text of this format, as words; empty if nothing does.

        >>> Dialect(";", ",", "cp1252").explain("csv")
        'semicolons between cells, decimal commas, Windows-1252 characters'
        """
        parts = []
        if self.delimiter != DELIMITERS.get(format, self.delimiter):
            parts.append(f"{DELIMITER_WORDS.get(self.delimiter, repr(self.delimiter))} between cells")
        if self.decimal == ",":
            parts.append("decimal commas")
        if self.encoding != "utf-8":
            parts.append(ENCODING_WORDS.get(self.encoding, f"{self.encoding.upper()} characters"))
        return ", ".join(parts)


class DialectOptions(NamedTuple):
    """What the user says about the text of a table; what is None is found. See `Dialect`."""

    delimiter: str | None = None
    decimal: str | None = None
    text_encoding: str | None = None

    def check(self) -> None:
        """Raise a ParameterError if an option has a value that is not allowed."""
        for name, value in self._asdict().items():
            if value is not None and not ALLOWED[name][0](value):
                raise ParameterError(f"must be {ALLOWED[name][1]}, not {value!r}.", name)


def _is_delimiter(value: Any) -> bool:
    character = WORDS.get(value, value) if isinstance(value, str) else ""
    return len(character) == 1 and character in (*CANDIDATES, *OTHER_DELIMITERS)


FIND_ALL = DialectOptions()


def codec_of(name: str) -> str | None:
    """The name of Python's codec for these characters; None if there is no such codec for text.

    >>> codec_of("Latin-1"), codec_of("utf-8-sig"), codec_of("klingon")
    ('iso8859-1', 'utf-8', None)
    """
    try:
        found = codecs.lookup(name)
        "a".encode(name)
    except (LookupError, UnicodeError, ValueError):
        return None
    return "utf-8" if found.name == "utf-8-sig" else found.name


ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "delimiter": (
        _is_delimiter,
        f"one of the characters , ; | {OTHER_DELIMITERS} or comma, semicolon, tab, pipe, space",
    ),
    "decimal": (lambda value: isinstance(value, str) and WORDS.get(value, value) in (".", ","), "'.' or ','"),
    "text_encoding": (
        lambda value: isinstance(value, str) and codec_of(value) is not None,
        "the name of an encoding of text, such as 'latin-1' or 'utf-16'",
    ),
}


def find_dialect(name: str, sample: bytes, format: str, given: DialectOptions) -> Dialect:  # noqa: A002
    """Find how a text is written, from its first bytes and what the user says.

    Parameters
    ----------
    name : of the file, for messages
    sample : the first SAMPLE_BYTES bytes, decompressed
    format : "csv", "tsv", or another format of text, which has no delimiter
    given : what the user says

    Raises
    ------
    DataError
        The file is not a text.
    """
    refuse_foreign(name, sample)
    encoding = _encoding_of(sample) if given.text_encoding is None else codec_of(given.text_encoding) or "utf-8"
    if format not in DELIMITERS:
        return Dialect(encoding=encoding)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    lines = decoder.decode(sample).removeprefix("\ufeff").splitlines()
    filled = [line for line in lines[:MAX_SAMPLE_LINES] if line.strip()]
    if len(sample) >= SAMPLE_BYTES and len(lines) <= MAX_SAMPLE_LINES:
        filled = filled[:-1] or filled  # the last line is cut
    delimiter = WORDS.get(given.delimiter or "", given.delimiter) or _delimiter_of(filled, DELIMITERS[format])
    decimal = WORDS.get(given.decimal or "", given.decimal) or _decimal_of(filled, delimiter)
    return Dialect(delimiter, decimal, encoding)


def refuse_foreign(name: str, start: bytes) -> None:
    """Raise if a file begins as one of another kind does, such as an Excel workbook."""
    for magic, what, format in FOREIGN_FILES:  # noqa: A001
        if start.startswith(magic):
            remedy = None if format is None else Remedy("Give {format}.", format=format)
            raise DataError(f"{name}: it is not text but {what}.", remedy)


def _encoding_of(sample: bytes) -> str:
    """UTF-8 if the bytes are; else by their byte order mark, by zero bytes (UTF-16), or as Windows writes them."""
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return encoding
    if sample.count(0) > len(sample) // 4:
        return "utf-16-le" if sample[1::2].count(0) >= sample[::2].count(0) else "utf-16-be"
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        return encoding
    return "iso8859-1"


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of lines; no lines from the first on that cannot be read."""
    try:
        yield from ([cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return


def _delimiter_of(lines: Sequence[str], usual: str) -> str:
    """The delimiter by which the lines have the most cells that look like cells. The usual one wins a tie."""
    if not lines or (usual == "\t" and "\t" in lines[0]):
        return usual
    best, most = usual, 0.0
    for delimiter in (usual, *(mark for mark in CANDIDATES if mark != usual)):
        share = _share_of_cells(list(_rows(lines, delimiter)), delimiter)
        if share > most:
            best, most = delimiter, share
    return best


def _share_of_cells(rows: list[list[str]], delimiter: str) -> float:
    """The share of cells that have no other delimiter inside, times the share of lines that are as long as the first.

    It is 0 if the first line has one cell only. A decimal comma is no delimiter.
    """
    if not rows or len(rows[0]) < 2:
        return 0.0
    others = [mark for mark in CANDIDATES if mark != delimiter]
    cells = [cell for row in rows for cell in row]
    whole = [cell for cell in cells if WITH_COMMA.fullmatch(cell) or not any(mark in cell for mark in others)]
    return len(whole) / len(cells) * sum(len(row) == len(rows[0]) for row in rows) / len(rows)


def _decimal_of(lines: Sequence[str], delimiter: str) -> str:
    """A comma if some cells are numbers with a comma, not all of them like 1,234, and none has a decimal point.

    Where commas separate cells, a comma in a cell in quotes is more often in 1,234 than in 1,5; then it is no guess.
    """
    if delimiter == ",":
        return "."
    cells = [cell for row in _rows(lines, delimiter) for cell in row]
    with_comma = [cell for cell in cells if WITH_COMMA.fullmatch(cell)]
    if any(WITH_POINT.fullmatch(cell) for cell in cells) or all(GROUPED.fullmatch(cell) for cell in with_comma):
        return "."
    return ","

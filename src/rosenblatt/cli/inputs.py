"""Inputs of the commands: pipes, labelled rows as exact numbers, and certificates."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import typer

from rosenblatt.base.events import report_progress
from rosenblatt.base.files.standard_input import standard_input
from rosenblatt.base.text_tables.dialect import DELIMITERS, Dialect, DialectOptions
from rosenblatt.base.words import count_of
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.reader import File
    from rosenblatt.data.files.read import Data
    from rosenblatt.data.files.sources import Format, Place


def is_pipe(source: str) -> bool:
    """Is it standard input, or another file that can be read only once?"""
    path = Path(source)
    return source == "-" or (path.exists() and not path.is_file() and not path.is_dir())


def format_of(source: str, given: Text) -> "Format | None":
    """The format that was given; for a pipe without one, CSV. What is given may be any word, which `read` refuses."""
    return cast("Format | None", given or ("csv" if is_pipe(source) else None))


@contextmanager
def as_file(source: str, given: Text) -> Iterator[Path]:
    """The path of a file; a pipe is copied to a temporary file first. Errors name the pipe, not that file."""
    if not is_pipe(source):
        yield Path(source)
        return
    ending = {"libsvm": "svm"}.get(kind := given or "csv", kind)
    handle, name = tempfile.mkstemp(suffix=f".{ending}")
    try:
        with os.fdopen(handle, "wb") as file, standard_input() if source == "-" else open(source, "rb") as pipe:
            shutil.copyfileobj(pipe, file)
        yield Path(name)
    except DataError as error:
        error.args = (str(error.args[0]).replace(name, source),)
        raise
    finally:
        os.unlink(name)


def refuse_missing_files(*sources: str) -> None:
    """Raise at once if a local file is not there. Reading it finds that too, but after slow imports."""
    for source in sources:
        is_path = source != "-" and "://" not in source and not any(mark in source for mark in "*?[\0")
        if is_path and not os.path.lexists(source):
            raise DataError(f"{source}: there is no such file.")


def labelled_rows(source: str, target: Text, options: TableOptions) -> "File":
    """Read rows and labels as exact numbers.

    CSV, TSV and LIBSVM files of numbers are read by the checker's own reader, which keeps whole numbers of any size.
    Everything else is read by `read`, which gives floats: other formats, tables with words (which are categories), and
    tables for which --columns, --categories or --missing is given. The numbers of text files count as decimals.
    """
    from rosenblatt.certificate.reader import READABLE, BrokenCsvError, File, read_text
    from rosenblatt.cli.text_table import table_of_place
    from rosenblatt.data.files.sources import TEXT, places, with_dialect

    report_progress(f"reading {source}", 0)
    with as_file(source, options.format) as path:
        files = places(path, cast(Any, options.format))
        kind, compression = files[0].format, files[0].compression
        options.text.check()
        dialect = with_dialect(files[0], options.text).dialect
        found = None
        is_readable = kind in DELIMITERS or (kind in READABLE and not any(options.text))
        if is_readable and compression in (None, "gzip") and not options.of_columns:
            with suppress(BrokenCsvError):  # `read` says more about it, as for the other commands
                found = read_text(path, target, kind, zipped=compression == "gzip", given=DialectOptions(*dialect))
        if not isinstance(found, File):
            found = _rows_of_floats(files, source, target, options.for_read())
        if kind in TEXT:
            found = found._replace(X=found.X.in_decimals())
        table = table_of_place(files[0], options.text, target, whole=False) if kind in DELIMITERS else None
    tell(dialect_notes(source, kind, dialect, options.text))
    column = None if table is None else table.target
    tell([] if table is None else table.header_notes(source))
    categories = options.of_columns.get("categories", [])
    tell(question_target(source, found.y, column or target, Columns(found.X.floats, found.X.names), categories))
    return found


def _rows_of_floats(files: list["Place"], source: str, target: Text, given: dict[str, Any]) -> "File":
    """Read rows by `read`, and refuse numbers that it may have rounded."""
    from rosenblatt.certificate.exact_table import EXACT, Table, read_table
    from rosenblatt.certificate.reader import File
    from rosenblatt.data.files.read import read

    found = read(cast(Any, files), target, **given)
    tell(gap_notes(source, found))
    if abs(found.X).max() >= EXACT:
        raise DataError(
            f"{files[0].name}: numbers of {EXACT:,} and more may have been rounded. They are read exactly from a CSV, "
            "TSV or LIBSVM file that has no words, without --columns, --categories and --missing."
        )
    table = read_table(found.X)
    return File(Table(table.floats, table.large, found.feature_names), found.y.tolist())


def read_certificate(path: str) -> "Certificate":
    """Read a certificate from a file, or from standard input if the path is "-"."""
    from rosenblatt.certificate.certificate import Certificate

    try:
        text = standard_input().read() if path == "-" else Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise DataError(f"{path}: it cannot be read: {error.strerror}.") from error
    try:
        return Certificate.from_json(text)
    except DataError as error:
        raise error.within(path) from error


def tell(notes: list[str]) -> None:
    """Print notes to standard error."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)


def dialect_notes(source: str, format: str, dialect: Dialect | None, given: DialectOptions) -> list[str]:  # noqa: A002
    """What was found about the text of a table, unless it is the usual text, or all of it was given."""
    if dialect is None:
        return []
    usual = Dialect(DELIMITERS.get(format, ","))
    asked = [part is not None for part in given]
    found = Dialect(*(own if asked[k] else part for k, (part, own) in enumerate(zip(dialect, usual, strict=True))))
    words = found.explain(format)
    return [f"{source} was read with {words}; --delimiter, --decimal, --encoding change that."] if words else []


def gap_notes(source: str, found: "Data") -> list[str]:
    """How many rows were left out because they have gaps."""
    if not found.dropped:
        return []
    total = count_of(len(found.y) + found.skipped, "row")
    return [f"{source}: {found.dropped:,} of {total} have gaps and were left out; rows are counted without them."]


def refuse_one_class(source: str, labels: Sequence[Any], rows: int) -> None:
    """Raise if the rows have one label only; `labels` are those that occur."""
    if len(set(labels)) == 1:
        raise DataError(f"{source}: all {rows:,} rows have the label {labels[0]!r}; two classes are needed.")


class Columns(NamedTuple):
    """The columns of a table: a matrix, and their names if they have names."""

    X: Any
    names: list[str] | None

    def getters(self) -> dict[str, Any]:
        """By name, a function that gives the numbers of a column."""
        from rosenblatt.data.matrices import dense

        return {name: lambda j=j: dense(self.X[:, [j]])[:, 0] for j, name in enumerate(self.names or [])}


def question_target(
    source: str, labels: list[Any], target: Text, columns: Columns | None = None, categories: Sequence[Any] = ()
) -> list[str]:
    """Notes on columns that look like counts.

    Parameters
    ----------
    source : the file, for messages
    labels : the labels
    target : the name of the target, or what was given for it; None for the last column
    columns : the other columns
    categories : the columns that the user calls categories; a target among them holds classes, whatever it looks like

    Raises
    ------
    DataError
        The target is hardly a class: a number to predict, or counts of grouped data.
    """
    from rosenblatt.data.likely_targets import grouped_counts, row_count_columns, unlikely_classes

    numbers = columns.getters() if columns is not None else {}
    if target is None or target not in categories:
        said = grouped_counts(target, labels, numbers, source) if target is not None and columns is not None else ""
        name = "the last column" if target is None else f"column {target!r}"
        unlikely = unlikely_classes(name, labels) if columns is None or columns.names is not None else ""
        if said or unlikely:
            way = "" if said else " Name the column with the labels by --target."
            classes = f"If its values are classes, say --categories {target}." if target is not None else ""
            raise DataError(f"{source}: {said or unlikely}.{way} {classes}".rstrip())
    return [
        f"column {name!r} looks like counts of equal rows, but each line counts as one row. rosenblatt check has "
        f"--model logit --weight {name}; --columns can leave it out."
        for name in row_count_columns(numbers)
    ]

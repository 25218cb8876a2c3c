"""Inputs of the commands: pipes, labelled rows as exact numbers, and certificates."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rosenblatt.base.events import report_progress
from rosenblatt.base.files.standard_input import standard_input
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.reader import File
    from rosenblatt.data.files.sources import Format, Place

MIN_SUSPECT_CLASSES = 100  # more classes than this, and more than half as many as rows, are hardly labels


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
    tables for which --columns, --categories or --fill is given. The numbers of text files count as decimals.
    """
    from rosenblatt.certificate.reader import READABLE, File, read_text
    from rosenblatt.data.files.sources import TEXT, places

    report_progress(f"reading {source}", 0)
    with as_file(source, options.format) as path:
        files, given = places(path, cast(Any, options.format)), options.for_read()
        kind, compression = files[0].format, files[0].compression
        found = None
        if kind in READABLE and compression in (None, "gzip") and not given:
            found = read_text(path, target, kind, zipped=compression == "gzip")
        if not isinstance(found, File):
            found = _rows_of_floats(files, target, given)
        if kind in TEXT:
            found = found._replace(X=found.X.in_decimals())
    refuse_too_many_classes(source, found.y, target)
    return found


def _rows_of_floats(files: list["Place"], target: Text, given: dict[str, Any]) -> "File":
    """Read rows by `read`, and refuse numbers that it may have rounded."""
    from rosenblatt.certificate.exact_table import EXACT, Table, read_table
    from rosenblatt.certificate.reader import File
    from rosenblatt.data.files.read import read

    found = read(cast(Any, files), target, **given)
    if abs(found.X).max() >= EXACT:
        raise DataError(
            f"{files[0].name}: numbers of {EXACT:,} and more may have been rounded. They are read exactly from a CSV, "
            "TSV or LIBSVM file that has no words, without --columns, --categories and --fill."
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


def refuse_too_many_classes(source: str, labels: list[Any], target: Text) -> None:
    """Raise if there are nearly as many labels as rows: the column then hardly holds labels."""
    count = len(set(labels))
    if count > MIN_SUSPECT_CLASSES and 2 * count > len(labels):
        column = "the last column" if target is None else f"column {target!r}"
        raise DataError(
            f"{source}: {column} has {count:,} different values in {len(labels):,} rows, so it hardly holds labels. "
            "Name the column with the labels by --target."
        )

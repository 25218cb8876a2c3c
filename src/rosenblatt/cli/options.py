"""What the commands share: their common options, the file that a pipe is, answers as text or JSON."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.errors import DataError, ParameterError

WHOLE = re.compile(r"[+-]?[0-9]+")
FORMATS = "csv, tsv, parquet, arrow, jsonl, libsvm, vw, npz or lab"
MANY = 100  # classes: more of them than half the rows are hardly labels
Text = str | None
Source = Annotated[str, typer.Argument(metavar="DATA", help="A file (CSV, Parquet, LIBSVM, ...), or - for a pipe.")]
Target = Annotated[Text, typer.Option(help="The column of the label: name, or number from 0. Default: the last.")]
Format = Annotated[Text, typer.Option(help=f"Of the data, if its name does not tell: {FORMATS}.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the algorithm, as in C=1.")
]
Columns = Annotated[Text, typer.Option(help="Columns to use, separated by commas. Default: all.")]
Categories = Annotated[Text, typer.Option(help="Columns of numbers that are categories.")]
Fill = Annotated[Text, typer.Option(help="The number for what is missing, or mean.")]
Seed = Annotated[int, typer.Option(help="For all that is drawn at random.")]


def echo_json(answer: Any) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(answer, allow_nan=False))


def listed(text: Text) -> list[str | int] | None:
    """Names, or numbers, separated by commas."""
    if text is None:
        return None
    return [int(word) if WHOLE.fullmatch(word) else word for word in map(str.strip, text.split(","))]


def number_or_word(text: str) -> Any:
    """True, False, None, a number, a list of them if there are commas, or the word itself."""
    if "," in text:
        return [number_or_word(part.strip()) for part in text.split(",")]
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def assignments(given: list[str] | None) -> dict[str, Any]:
    """What `--set` says: name=value, each."""
    said = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set must be like margin=0.25, not {text!r}.")
        said[name.strip()] = number_or_word(value.strip())
    return said


def fill_of(text: Text) -> float | str | None:
    """A number, or "mean"."""
    if text is None or text == "mean":
        return text
    value = number_or_word(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"--fill must be a number or mean, not {text!r}.")
    return float(value)


def is_pipe(source: str) -> bool:
    """Can it be read only once, from front to back?"""
    path = Path(source)
    return source == "-" or (path.exists() and not path.is_file() and not path.is_dir())


def format_of(source: str, given: Text) -> Text:
    """The format that was given; of a pipe, CSV if none was."""
    return given or ("csv" if is_pipe(source) else None)


@contextmanager
def as_file(source: str, given: Text) -> Iterator[Path]:
    """The path; of standard input and other pipes, that of a file with what comes from them.

    Errors name the pipe, not the file.
    """
    if not is_pipe(source):
        yield Path(source)
        return
    content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    ending = {"libsvm": "svm"}.get(kind := given or "csv", kind)
    handle, name = tempfile.mkstemp(suffix=f".{ending}")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield Path(name)
    except DataError as error:
        raise type(error)(str(error).replace(name, source)) from error
    finally:
        os.unlink(name)


def refuse_missing_folders(*files: Path | None) -> None:
    """What is to be written in the end must have a place."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise DataError(f"{file}: it cannot be written: there is no folder {str(file.parent)!r}.")


def refuse_too_many_classes(source: str, labels: list[Any], target: Text) -> None:
    """A column with nearly as many values as rows is no label."""
    kinds = len(set(labels))
    if kinds > MANY and 2 * kinds > len(labels):
        which = "the last column" if target is None else f"column {target!r}"
        raise DataError(
            f"{source}: {which} has {kinds:,} different values in {len(labels):,} rows, so it is hardly a label. Name "
            "the column of the label with --target."
        )

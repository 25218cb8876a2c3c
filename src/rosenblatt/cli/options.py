"""Options that several commands share, and the values that their texts stand for."""

import json
import math
import re
from typing import Annotated, Any, Literal, NamedTuple

import typer

from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.errors import ParameterError, meant

WHOLE = re.compile(r"[+-]?[0-9]+")
MAX_LISTED_LABELS = 20
FORMATS = "csv, tsv, parquet, arrow, jsonl, libsvm, vw, npz or lab"
Text = str | None
Algorithm = Literal["auto", "perceptron", "averaged", "voted", "pocket", "batch", "kozinec", "anderson", "pa", "kernel"]
Source = Annotated[
    str, typer.Argument(metavar="DATA", help="A file (CSV, Parquet, LIBSVM, ...), or - for standard input.")
]
Target = Annotated[
    Text, typer.Option(help="The column with the labels: its name, or its number from 0. Default: the last.")
]
Format = Annotated[Text, typer.Option(help=f"The format, if the file name does not show it: {FORMATS}.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the algorithm, for example C=1. Repeatable."),
]
Columns = Annotated[Text, typer.Option(help="The columns to use, separated by commas. Default: all.")]
Categories = Annotated[Text, typer.Option(help="Columns of numbers to treat as categories, separated by commas.")]
Missing = Annotated[
    Text,
    typer.Option(
        "--missing",
        "--fill",
        help="What to do about missing values: drop (leave out such rows), mean, most-frequent, level (a category of "
        "its own), or a number to put there.",
    ),
]
Delimiter = Annotated[
    Text, typer.Option(help="The character between the cells of a text table, or tab, ... Default: as the file shows.")
]
Decimal = Annotated[
    Text, typer.Option(help="The decimal mark of a text table: a point or a comma. Default: as the file shows.")
]
TextEncoding = Annotated[
    Text,
    typer.Option(
        "--encoding", help="The encoding of a text table, such as latin-1 or utf-16. Default: as the file shows."
    ),
]
Seed = Annotated[int, typer.Option(help="The seed of the random generator.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file even if it is of another kind. Never an input.")]


class TableOptions(NamedTuple):
    """Options for reading a table."""

    columns: Columns = None
    categories: Categories = None
    missing: Missing = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    text_encoding: TextEncoding = None
    format: Format = None

    @property
    def text(self) -> DialectOptions:
        """What was said about the text of the table."""
        return DialectOptions(self.delimiter, self.decimal, self.text_encoding)

    @property
    def of_columns(self) -> dict[str, Any]:
        """Those of columns, categories and missing that were given, as `read` takes them."""
        values = {
            "columns": parse_list(self.columns),
            "categories": parse_list(self.categories),
            "missing": parse_missing(self.missing),
        }
        return {name: value for name, value in values.items() if value is not None}

    def for_read(self) -> dict[str, Any]:
        """All options that were given, but for the format, as `read` takes them."""
        return self.of_columns | {name: value for name, value in self.text._asdict().items() if value is not None}


class TextOptions(NamedTuple):
    """Options for the text of a table."""

    delimiter: Delimiter = None
    decimal: Decimal = None
    text_encoding: TextEncoding = None

    def for_read(self) -> dict[str, Any]:
        """The options that were given, as `read` takes them."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def echo_json(answer: Any) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(answer, allow_nan=False))


def parse_list(text: Text) -> list[str | int] | None:
    """Names or numbers, separated by commas."""
    if text is None:
        return None
    return [int(word) if WHOLE.fullmatch(word) else word for word in map(str.strip, text.split(","))]


def parse_value(text: str) -> Any:
    """True, False, None, a number, a list if there are commas, or the text itself."""
    if "," in text:
        return [parse_value(part.strip()) for part in text.split(",")]
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def parse_assignments(given: list[str] | None) -> dict[str, Any]:
    """The values of `--set`, each written as name=value."""
    values = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set must be like margin=0.25, not {text!r}.")
        values[name.strip()] = parse_value(value.strip())
    return values


def parse_missing(text: Text) -> float | str | None:
    """A number, or what to do about missing values, as `read` calls it."""
    word = None if text is None else text.replace("-", "_")
    if word is None or word in ("drop", "mean", "most_frequent", "level"):
        return word
    value = parse_value(text or "")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError(f"--missing must be drop, mean, most-frequent, level or a number, not {text!r}.")
    return float(value)


def refuse_unknown_classes(words: list[str], known: list[str]) -> None:
    """Raise if `--classes` names a label that does not occur."""
    for word in words:
        if word not in known:
            labels = ", ".join(known[:MAX_LISTED_LABELS])
            raise ParameterError(f"--classes names {word!r}, but the labels are {labels}.{meant(word, known)}")

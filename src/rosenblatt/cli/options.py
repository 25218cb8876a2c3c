"""Options that several commands share, and the values that their texts stand for."""

import json
import re
from typing import Annotated, Any, Literal, NamedTuple

import typer

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
Fill = Annotated[Text, typer.Option(help="What to put into empty cells: a number, or mean.")]
Seed = Annotated[int, typer.Option(help="The seed of the random generator.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file even if it is of another kind. Never an input.")]


class TableOptions(NamedTuple):
    """Options for reading a table."""

    columns: Columns = None
    categories: Categories = None
    fill: Fill = None
    format: Format = None

    def for_read(self) -> dict[str, Any]:
        """Those of columns, categories and fill that were given, as `read` takes them."""
        values = {
            "columns": parse_list(self.columns),
            "categories": parse_list(self.categories),
            "fill": parse_fill(self.fill),
        }
        return {name: value for name, value in values.items() if value is not None}


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


def parse_fill(text: Text) -> float | str | None:
    """A number, or "mean"."""
    if text is None or text == "mean":
        return text
    value = parse_value(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f"--fill must be a number or mean, not {text!r}.")
    return float(value)


def refuse_unknown_classes(words: list[str], known: list[str]) -> None:
    """Raise if `--classes` names a label that does not occur."""
    for word in words:
        if word not in known:
            labels = ", ".join(known[:MAX_LISTED_LABELS])
            raise ParameterError(f"--classes names {word!r}, but the labels are {labels}.{meant(word, known)}")

"""The command `rosenblatt data`: which datasets there are, what is in one, and one as a file."""

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import AsJson, assignments, echo_json

if TYPE_CHECKING:
    from rosenblatt.datasets import Dataset

app = typer.Typer(no_args_is_help=True, help="Data with known facts: list, show and write it.")
FEW, LONG = 5, 100  # rows that are shown, characters of a fact
Name = Annotated[str, typer.Argument(help="Its name, as `rosenblatt data list` gives it.")]
Seed = Annotated[int | None, typer.Option(help="The seed of a generator.")]
NumberOfRows = Annotated[int | None, typer.Option("--rows", help="How many rows a generator makes.")]
NumberOfColumns = Annotated[int | None, typer.Option("--columns", help="How many columns a generator makes.")]
Others = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another option, as in margin=0.25.")
]


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the datasets: name, rows x columns, classes, what it is.

    Examples:

    rosenblatt data list
    """
    from rosenblatt import datasets

    found = [datasets.load(name) for name in datasets.names()]
    if as_json:
        echo_json([_summary(data) for data in found])
        return
    table = [("name", "rows x columns", "classes", "what it is")]
    for data in found:
        n, d = data.X.shape
        table.append((data.name, f"{n} x {d}", str(len(data.classes)), data.description))
    typer.echo(_aligned(table))


@app.command()
def show(
    name: Name,
    seed: Seed = None,
    rows: NumberOfRows = None,
    columns: NumberOfColumns = None,
    others: Others = None,
    as_json: AsJson = False,
) -> None:
    """Show a dataset: what it is, where it is from, what is known of it, its options and its first rows.

    Examples:

    rosenblatt data show planted_margin --seed 7 --set margin=0.25
    """
    from rosenblatt import datasets

    data = datasets.load(name, **_options(seed, rows, columns, others))
    if as_json:
        facts = {fact: _plain(value) for fact, value in data.facts.items()}
        echo_json({**_summary(data), "names": data.names, "facts": facts, "first": _first(data)})
        return
    summary = _summary(data)
    lines = [
        (data.name, f"{summary['rows']} rows x {summary['columns']} columns"),
        ("what it is", data.description),
        ("source", data.source),
        ("classes", _short(data.classes)),
        ("columns", _short(data.names) if data.names else "without names"),
        *((f"option {option}", f"{default!r} unless given") for option, default in summary["options"].items()),
        *((f"fact {fact}", _short(_plain(value))) for fact, value in data.facts.items()),
        *((f"row {i}", _short(row)) for i, row in enumerate(_first(data))),
    ]
    typer.echo(_aligned(lines))


@app.command()
def write(
    name: Name,
    file: Annotated[
        Path, typer.Argument(help="CSV, TSV, LIBSVM, VW, JSON lines, Parquet, Feather, NPZ or JSON of the lab; or -.")
    ],
    seed: Seed = None,
    rows: NumberOfRows = None,
    columns: NumberOfColumns = None,
    others: Others = None,
    form: Annotated[str | None, typer.Option("--format", help="csv, tsv, libsvm, vw, jsonl, parquet, ...")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a dataset to a file.

    Examples:

    rosenblatt data write iris iris.csv

    rosenblatt data write planted_margin data.csv --rows 1000 --seed 7 --set margin=0.25
    """
    from rosenblatt import datasets
    from rosenblatt.data.files import write as writing

    data = datasets.load(name, **_options(seed, rows, columns, others))
    writing.write("/dev/stdout" if str(file) == "-" else file, data.X, data.y, format=form)
    n, d = data.X.shape
    if as_json:
        echo_json({"file": str(file), **_summary(data)})
    else:
        typer.echo(f"{file}: {n} rows of {d} columns, {len(data.classes)} classes", err=True)


def _options(seed: int | None, rows: int | None, columns: int | None, others: list[str] | None) -> dict[str, Any]:
    """The options that were given."""
    given = {"seed": seed, "rows": rows, "columns": columns} | assignments(others)
    return {option: value for option, value in given.items() if value is not None}


def _summary(data: "Dataset") -> dict[str, Any]:
    from rosenblatt import datasets

    n, d = data.X.shape
    about = {"name": data.name, "rows": n, "columns": d, "classes": data.classes}
    return {**about, "description": data.description, "source": data.source, "options": datasets.options(data.name)}


def _first(data: "Dataset") -> list[dict[str, Any]]:
    """The first rows by column, zeros of sparse ones left out, and the label."""
    from rosenblatt.data.matrices import dense

    sparse = not hasattr(data.X, "tolist")
    part = dense(data.X[:FEW])
    names = data.names or [f"x{j}" for j in range(1, part.shape[1] + 1)]
    shown = []
    for row, label in zip(part.tolist(), data.y[:FEW].tolist(), strict=True):
        cells = {name: number for name, number in zip(names, row, strict=True) if number or not sparse}
        shown.append({**cells, "label": label})
    return shown


def _plain(fact: Any) -> Any:
    """A fact as JSON has it; fractions are texts."""
    if isinstance(fact, Fraction):
        return str(fact)
    if hasattr(fact, "_asdict"):
        return {name: _plain(value) for name, value in fact._asdict().items()}
    if hasattr(fact, "equation"):
        return {"w": fact.w.tolist(), "b": fact.b}
    if isinstance(fact, list | tuple):
        return [_plain(value) for value in fact]
    return fact.tolist() if hasattr(fact, "tolist") else fact


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONG else f"{text[: LONG - 4]} ..."


def _aligned(table: Sequence[tuple[str, ...]]) -> str:
    """Columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in table)
    return "\n".join(line.rstrip() for line in lines)

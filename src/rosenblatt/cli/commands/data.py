"""`rosenblatt data`: list the built-in datasets, show one, or write one to a file."""

import filecmp
import json
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosenblatt.base.files.atomic_file import is_written_directly
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.words import count_of
from rosenblatt.cli.options import AsJson, Force, echo_json, parse_assignments
from rosenblatt.cli.results import Results

if TYPE_CHECKING:
    from rosenblatt.datasets import Dataset

app = typer.Typer(no_args_is_help=True, help="List, show and write built-in datasets, whose facts are known.")
MAX_SHOWN_ROWS = 5
MAX_FACT_LENGTH = 100  # characters
Name = Annotated[str, typer.Argument(help="The name of the dataset; `rosenblatt data list` lists them.")]
Seed = Annotated[int | None, typer.Option(help="For generators: the seed.")]
NumberOfRows = Annotated[int | None, typer.Option("--rows", help="For generators: the number of rows.")]
NumberOfColumns = Annotated[int | None, typer.Option("--columns", help="For generators: the number of columns.")]
Others = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="For generators: another option, for example margin=0.25."),
]


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the datasets: name, size, number of classes and description.

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
    """Show a dataset: its description, source, options, known facts and first rows.

    Examples:

    rosenblatt data show planted_margin --seed 7 --set margin=0.25
    """
    from rosenblatt import datasets

    data = datasets.load(name, **_options(seed, rows, columns, others))
    if as_json:
        facts = {fact: _plain(value) for fact, value in data.facts.items()}
        echo_json({**_summary(data), "names": data.feature_names, "facts": facts, "first": _first(data)})
        return
    summary = _summary(data)
    lines = [
        (data.name, f"{summary['rows']} rows x {summary['columns']} columns"),
        ("what it is", data.description),
        ("source", data.source),
        ("classes", _short(data.classes)),
        ("columns", _short(data.feature_names) if data.feature_names else "without names"),
        *((f"option {option}", f"default {default!r}") for option, default in summary["options"].items()),
        *((f"fact {fact}", _short(_plain(value))) for fact, value in data.facts.items()),
        *((f"row {i}", _short(row)) for i, row in enumerate(_first(data))),
    ]
    typer.echo(_aligned(lines))


@app.command()
def write(
    name: Name,
    file: Annotated[
        Path,
        typer.Argument(help="The file: CSV, TSV, LIBSVM, VW, JSON lines, Parquet, Feather, NPZ, a lab.json, or -."),
    ],
    seed: Seed = None,
    rows: NumberOfRows = None,
    columns: NumberOfColumns = None,
    others: Others = None,
    form: Annotated[
        str | None, typer.Option("--format", help="The format: csv, tsv, libsvm, vw, jsonl, parquet, ...")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a dataset to a file. If there is a file with other content, it is replaced only with --force.

    Examples:

    rosenblatt data write iris iris.csv

    rosenblatt data write planted_margin data.csv --rows 1000 --seed 7 --set margin=0.25
    """
    from rosenblatt import datasets
    from rosenblatt.data.files import write as writing

    data = datasets.load(name, **_options(seed, rows, columns, others))
    path = Path("/dev/stdout") if str(file) == "-" else file
    kind = None if _has_content(path, data, form) else FileKind.TEXT
    Results([Output("FILE", path, kind)], {}, force=force)
    writing.write(data.X, data.y, path, format=cast(Any, form))
    n, d = data.X.shape
    if as_json:
        echo_json({"file": str(file), **_summary(data)})
    else:
        size = f"{count_of(n, 'row')} of {count_of(d, 'column')}, {count_of(len(data.classes), 'class')}"
        typer.echo(f"{file}: {size}", err=True)


def _has_content(path: Path, data: "Dataset", form: str | None) -> bool:
    """Does the file have this content already?"""
    from rosenblatt.data.files import write as writing

    if not path.is_file() or is_written_directly(path):
        return False
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder) / path.name
        writing.write(data.X, data.y, new, format=cast(Any, form))
        return filecmp.cmp(path, new, shallow=False)


def _options(seed: int | None, rows: int | None, columns: int | None, others: list[str] | None) -> dict[str, Any]:
    """The options that were given, by name."""
    given = {"seed": seed, "rows": rows, "columns": columns} | parse_assignments(others)
    return {option: value for option, value in given.items() if value is not None}


def _summary(data: "Dataset") -> dict[str, Any]:
    from rosenblatt import datasets

    n, d = data.X.shape
    about = {"name": data.name, "rows": n, "columns": d, "classes": data.classes}
    return {**about, "description": data.description, "source": data.source, "options": datasets.options(data.name)}


def _first(data: "Dataset") -> list[dict[str, Any]]:
    """The first rows as {column: number}, with the label. Zeros of sparse rows are left out."""
    from rosenblatt.data.matrices import dense

    sparse = not hasattr(data.X, "tolist")
    part = dense(data.X[:MAX_SHOWN_ROWS])
    names = data.feature_names or [f"x{j}" for j in range(1, part.shape[1] + 1)]
    shown = []
    for row, label in zip(part.tolist(), data.y[:MAX_SHOWN_ROWS].tolist(), strict=True):
        cells = {name: number for name, number in zip(names, row, strict=True) if number or not sparse}
        shown.append({**cells, "label": label})
    return shown


def _plain(fact: Any) -> Any:
    """A fact as a JSON value; fractions become texts."""
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
    return text if len(text) <= MAX_FACT_LENGTH else f"{text[: MAX_FACT_LENGTH - 4]} ..."


def _aligned(table: Sequence[tuple[str, ...]]) -> str:
    """The table as text, its columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in table)
    return "\n".join(line.rstrip() for line in lines)

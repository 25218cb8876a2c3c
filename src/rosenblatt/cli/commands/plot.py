"""`rosenblatt plot`: a picture of data and of a classifier."""

import warnings
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.progress_line import show_progress
from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.cli.inputs import format_of
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    Algorithm,
    AsJson,
    Columns,
    Force,
    Format,
    Missing,
    Seed,
    Set,
    Source,
    Target,
    Text,
    TextOptions,
    echo_json,
    parse_assignments,
    parse_list,
    parse_missing,
)
from rosenblatt.cli.results import Results
from rosenblatt.errors import ParameterError

Kind = Literal[
    "auto",
    "boundary",
    "margin",
    "hulls",
    "witness",
    "regions",
    "activation",
    "gaussians",
    "mistakes",
    "path",
    "weights",
]
ENDINGS = ("png", "svg", "pdf")


class RowOptions(NamedTuple):
    """Which rows and columns to draw."""

    target: Target = None
    classes: Annotated[Text, typer.Option(help="Draw only these two classes, separated by a comma.")] = None
    columns: Columns = None
    missing: Missing = None


class ModelOptions(NamedTuple):
    """Which classifier to draw."""

    algorithm: Annotated[Algorithm, typer.Option(help="What to train, as in fit.")] = "auto"
    settings: Set = None
    model: Annotated[Path | None, typer.Option(help="Draw this model instead, which fit --out wrote.")] = None
    label: Annotated[
        Text, typer.Option(help="For weights of more than two classes: the class. Default: the first.")
    ] = None


@grouped
def plot(
    *,
    data: Source,
    out: Annotated[Path, typer.Option(help="The picture file: .png, .svg or .pdf.")],
    kind: Annotated[Kind, typer.Option(help="What to draw; auto chooses.")] = "auto",
    rows: RowOptions,
    classifier: ModelOptions,
    width: Annotated[int, typer.Option(min=200, max=10_000, help="The width of a .png, in pixels.")] = 900,
    seed: Seed = 0,
    text: TextOptions,
    format: Format = None,  # noqa: A002
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Draw a picture of data and of a classifier trained on it.

    boundary: the half-spaces and w; margin: the slab and its support vectors; hulls: the convex hulls and their nearest
    points; witness: the rows that prove overlap; regions: the region of each class; activation: the score in 3-D;
    gaussians: ellipses and contact points (anderson); mistakes: in each pass, with Novikoff's bound; path: the
    direction of w after each update; weights: the largest weights. More than two columns are projected to two
    directions, which the axes name.

    Examples:

    rosenblatt plot iris.csv --out irises.png

    rosenblatt plot iris.csv --classes versicolor,virginica --columns 2,3 --kind witness --out witness.svg

    rosenblatt plot iris.csv --kind weights --model iris.model --label virginica --out weights.png --json
    """
    ending = out.suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise ParameterError(f"--out must end with .png, .svg or .pdf, not {out.name!r}.")
    algorithm, settings, model, label = classifier
    inputs = {"DATA": [data], "--model": [] if model is None else [str(model)]}
    results = Results([Output("--out", out, FileKind.PICTURE)], inputs, force=force)
    if model is not None and (rows.columns is not None or settings or algorithm != "auto"):
        raise ParameterError("--columns, --algorithm and --set are for training a model; leave --model out.")
    from rosenblatt.cli import pictures
    from rosenblatt.plot.style import pyplot

    request = pictures.PictureRequest(kind, algorithm, parse_assignments(settings), model, seed, label)
    with show_progress(), warnings.catch_warnings(action="ignore"):  # the picture itself shows how good the fit is
        columns, classes = parse_list(rows.columns), parse_list(rows.classes)
        missing = parse_missing(rows.missing)
        source = pictures.RowSource(
            data, rows.target, columns, format_of(data, format), classes, missing, DialectOptions(*text)
        )
        given = pictures.read_rows(request, source)
        drawn, note, display = pictures.draw(request, *given, decimals=model is None and source.is_text)
        figure = display.figure_
        dpi = width / figure.get_size_inches()[0]
        written = results.write(out, partial(_write_picture, figure, ending, dpi))
    pyplot().close(figure)
    if as_json:
        name = None if written is None else str(written)
        echo_json({"picture": name, "kind": drawn, "display": type(display).__name__})
    elif written is not None:
        typer.echo(f"{written}: {drawn}")
    if note:
        typer.echo(f"note: {note}.", err=True)
    results.raise_errors()


def _write_picture(figure: Any, ending: str, dpi: float, path: Path) -> None:
    from rosenblatt.base.files.atomic_file import replacing

    with replacing(path, FileKind.PICTURE) as file:
        figure.savefig(file, format=ending, dpi=dpi)

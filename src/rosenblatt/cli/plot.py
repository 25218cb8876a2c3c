"""`rosenblatt plot`: pictures of data and of what was learned from it."""

import warnings
from pathlib import Path
from typing import Annotated, Literal

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.fit import Algorithm
from rosenblatt.cli.options import (
    AsJson,
    Columns,
    Format,
    Seed,
    Set,
    Source,
    Target,
    Text,
    assignments,
    echo_json,
    format_of,
    listed,
    refuse_missing_folders,
)
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


def plot(
    data: Source,
    out: Annotated[Path, typer.Option(help="The picture: .png, .svg or .pdf.")],
    kind: Annotated[Kind, typer.Option(help="What to draw; auto takes what shows most.")] = "auto",
    target: Target = None,
    classes: Annotated[Text, typer.Option(help="Draw only these two, separated by a comma.")] = None,
    columns: Columns = None,
    algorithm: Annotated[Algorithm, typer.Option(help="What to train for it, as in fit.")] = "auto",
    settings: Set = None,
    model: Annotated[Path | None, typer.Option(help="Draw this model, which fit --out wrote, instead.")] = None,
    label: Annotated[Text, typer.Option(help="Of weights of more than two classes: whose. Default: the first.")] = None,
    width: Annotated[int, typer.Option(min=200, max=10_000, help="Of a .png, in pixels.")] = 900,
    seed: Seed = 0,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Draw a picture of data and a classifier trained on it.

    boundary: half-spaces and w; margin: the slab and its support vectors; hulls: their nearest points; witness: why no
    hyperplane separates two classes; regions: of all classes; activation: the score, in 3-D; gaussians: ellipses and
    contact points (anderson); mistakes: per pass, against Novikoff's bound; path: of w, on the circle; weights: ranked.
    More columns than two are seen in two directions, as the axes say.

    Examples:

    rosenblatt plot iris.csv --out irises.png

    rosenblatt plot iris.csv --classes versicolor,virginica --columns 2,3 --kind witness --out witness.svg

    rosenblatt plot iris.csv --kind weights --model iris.model --label virginica --out weights.png --json
    """
    from rosenblatt.base.atomic_file import replacing
    from rosenblatt.cli import pictures
    from rosenblatt.plot.style import pyplot

    ending = out.suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise ParameterError(f"--out must end with .png, .svg or .pdf, not {out.name!r}.")
    refuse_missing_folders(out)
    if model is not None and (columns is not None or settings or algorithm != "auto"):
        raise ParameterError("--columns, --algorithm and --set are for a model that is trained now; leave --model out.")
    wanted = pictures.Wanted(kind, algorithm, assignments(settings), model, seed, label)
    with show_progress(), warnings.catch_warnings(action="ignore"):  # the picture shows what was reached
        rows = pictures.rows_of(wanted, data, target, listed(columns), format_of(data, format), listed(classes))
        drawn, words, display = pictures.picture(wanted, *rows)
        figure = display.figure_
        with replacing(out) as file:
            figure.savefig(file, format=ending, dpi=width / figure.get_size_inches()[0])
    pyplot().close(figure)
    if as_json:
        echo_json({"picture": str(out), "kind": drawn, "display": type(display).__name__})
    else:
        typer.echo(f"{out}: {drawn}")
    if words:
        typer.echo(f"note: {words}.", err=True)

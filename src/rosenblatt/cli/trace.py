"""`rosenblatt trace`: every step of a run, as the lecture's table, as JSON lines, or as an animation."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import (
    Columns,
    Format,
    Seed,
    Set,
    Source,
    Target,
    assignments,
    format_of,
    listed,
    refuse_missing_folders,
    refuse_too_many_classes,
)
from rosenblatt.errors import DataError, ParameterError

WIDTH = 120  # of the table where nobody sees it
MOVING = (".gif", ".html")
Traced = Literal["perceptron", "averaged", "voted", "pa", "pocket", "batch", "kernel", "kozinec", "anderson"]


def trace(
    data: Source,
    target: Target = None,
    algorithm: Annotated[
        Traced | None, typer.Option(help="Whose steps. Default: perceptron, or as a board of the lab says.")
    ] = None,
    settings: Set = None,
    passes: Annotated[int | None, typer.Option(min=1, help="At most so many. Default: the algorithm's own.")] = None,
    steps: Annotated[int, typer.Option(min=0, help="At most so many.")] = 200,
    jsonl: Annotated[bool, typer.Option("--jsonl", "--json", help="JSON lines: a header, then a line a step.")] = False,
    animate: Annotated[Path | None, typer.Option(help="Draw them too: a .gif, or a .html with a player.")] = None,
    columns: Columns = None,
    seed: Seed = 0,
    format: Format = None,  # noqa: A002
) -> None:
    """Show every step: the row, its score, was it a mistake, the weights after it (the bias weight last).

    A step of batch is a look at all rows, of kozinec and anderson a step of the search. Rows come in the order of the
    file unless --set order=shuffled. What --jsonl prints, Trace.from_jsonl reads. Of a board that the lab saved, the
    steps are those that it shows.

    Examples:

    rosenblatt trace and.csv

    rosenblatt trace berkeley.csv --set tie=positive --set init=0,0,-1 --passes 1 --animate berkeley.html

    rosenblatt trace and.csv --algorithm kozinec --jsonl
    """
    from rosenblatt.data.files.read import read
    from rosenblatt.lab.pane_in_file import model_in, pane_in
    from rosenblatt.tracing.tracer import trace as record

    refuse_missing_folders(animate)
    if animate is not None and animate.suffix.lower() not in MOVING:
        raise ParameterError(f"--animate must end with .gif or .html, not {animate.name!r}.")
    X, y = read(data, target, columns=listed(columns), format=format_of(data, format))
    refuse_too_many_classes(data, y.tolist(), target)
    pane = pane_in([data], format) if algorithm is None else None
    given = assignments(settings)
    if pane is not None:
        model = model_in(pane, passes, given)
    else:
        model = _model(algorithm or "perceptron", len(set(y.tolist())), passes, seed, given)
    try:
        with show_progress():
            made = record(model, X, y, max_steps=steps)
    except DataError as error:
        raise DataError(f"{data}: {error}") from error
    if animate is not None:
        from rosenblatt.plot import animate as draw

        with show_progress():
            draw(made, animate, X, y)
        typer.echo(f"animation: {animate}", err=True)
    if jsonl:
        typer.echo(made.to_jsonl(), nl=False)
    else:
        _show(made)


def _model(algorithm: str, classes: int, passes: int | None, seed: int, settings: dict[str, Any]) -> Any:
    """The estimator, which takes rows in the order of the file unless told otherwise."""
    from rosenblatt.classifiers.choice import MAKERS, model_of

    if "order" in MAKERS[algorithm]().get_params():
        settings = {"order": "cyclic"} | settings
    several = classes if algorithm == "anderson" else 2  # which alone may be taken apart into pairs
    return model_of(algorithm, several, passes, seed, settings)


def _show(made: Any) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    console.print(made.to_table())
    if made.stop_reason is None:
        typer.echo(f"note: there are more steps than {len(made):,}; --steps shows more of them.", err=True)

"""`rosenblatt trace`: every step of a training run, as a table, as JSON lines, or as an animation."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.progress_line import show_progress
from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.base.words import count_of
from rosenblatt.cli.inputs import Columns as RowColumns
from rosenblatt.cli.inputs import dialect_notes, format_of, gap_notes, question_target, tell
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    Columns,
    Force,
    Format,
    Missing,
    Seed,
    Set,
    Source,
    Target,
    TextOptions,
    parse_assignments,
    parse_list,
    parse_missing,
)
from rosenblatt.cli.results import Results
from rosenblatt.errors import DataError, ParameterError

TABLE_WIDTH = 120  # characters, if the output is not a terminal
ANIMATION_ENDINGS = (".gif", ".html")
Traced = Literal["perceptron", "averaged", "voted", "pa", "pocket", "batch", "kernel", "kozinec", "anderson"]


@grouped
def trace(
    *,
    data: Source,
    target: Target = None,
    algorithm: Annotated[
        Traced | None, typer.Option(help="The algorithm. Default: perceptron, or that of a board of the lab.")
    ] = None,
    settings: Set = None,
    passes: Annotated[
        int | None, typer.Option(min=1, help="The most passes over the rows. Default: as the algorithm has it.")
    ] = None,
    steps: Annotated[int, typer.Option(min=0, help="The most steps to show.")] = 200,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", "--json", help="Print JSON lines: a header, then one line per step.")
    ] = False,
    animate: Annotated[
        Path | None, typer.Option(help="Draw the steps too: a .gif file, or a .html file with a player.")
    ] = None,
    columns: Columns = None,
    missing: Missing = None,
    text: TextOptions,
    seed: Seed = 0,
    format: Format = None,  # noqa: A002
    force: Force = False,
) -> None:
    """Show every step of training: the row, its score, whether it was a mistake, and the weights after it.

    The bias weight is the last weight. For batch, a step is one pass over all rows; for kozinec and anderson, one step
    of the search. Rows are used in the order of the file unless --set order=shuffled is given. Trace.from_jsonl reads
    the output of --jsonl. For a board that the lab saved, the steps are those that the lab shows.

    Examples:

    rosenblatt trace and.csv

    rosenblatt trace berkeley.csv --set tie=positive --set init=0,0,-1 --passes 1 --animate berkeley.html

    rosenblatt trace and.csv --algorithm kozinec --jsonl
    """
    results = Results([Output("--animate", animate, FileKind.ANIMATION)], {"DATA": [data]}, force=force)
    if animate is not None and animate.suffix.lower() not in ANIMATION_ENDINGS:
        raise ParameterError(f"--animate must end with .gif or .html, not {animate.name!r}.")
    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import places
    from rosenblatt.lab.saved_pane import model_in, pane_in
    from rosenblatt.tracing.tracer import trace as record

    kind, given = format_of(data, format), {"columns": parse_list(columns), "missing": parse_missing(missing)}
    found = read(data, target, format=kind, **cast(Any, given), **text.for_read())
    tell(dialect_notes(data, places(data, kind)[0].format, found.dialect, DialectOptions(*text)))
    tell(gap_notes(data, found))
    X, y = found
    name = target if found.encoding is None else found.encoding.target
    question_target(data, y.tolist(), name, RowColumns(X, found.feature_names))
    pane = pane_in([data], format) if algorithm is None else None
    given = parse_assignments(settings)
    if pane is not None:
        model = model_in(pane, passes, given)
    else:
        model = _model(algorithm or "perceptron", len(set(y.tolist())), passes, seed, given)
    try:
        with show_progress():
            steps_taken = record(model, X, y, max_steps=steps)
    except DataError as error:
        raise error.within(data) from error
    written = results.write(animate, partial(_animate, steps_taken, X, y))
    if written is not None:
        typer.echo(f"animation: {written}", err=True)
    if jsonl:
        typer.echo(steps_taken.to_jsonl(), nl=False)
    else:
        _print_table(steps_taken)
    results.raise_errors()


def _model(algorithm: str, classes: int, passes: int | None, seed: int, settings: dict[str, Any]) -> Any:
    """The estimator; it uses rows in the order of the file unless `settings` has another order."""
    from rosenblatt.classifiers.algorithm_choice import MAKERS, model_of

    if "order" in MAKERS[algorithm]().get_params():
        settings = {"order": "cyclic"} | settings
    several = classes if algorithm == "anderson" else 2  # only anderson can be traced in pairs of classes
    return model_of(algorithm, several, passes, seed, settings)


def _animate(steps: Any, X: Any, y: Any, path: Path) -> None:
    from rosenblatt.plot import animate

    with show_progress():
        animate(steps, path, X, y)


def _print_table(steps: Any) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else TABLE_WIDTH, highlight=False)
    console.print(steps.to_table())
    if steps.stop_reason is None:
        typer.echo(f"note: there are more than {count_of(len(steps), 'step')}; give --steps to show more.", err=True)

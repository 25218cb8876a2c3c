"""`rosenblatt fit`: train on files, in memory or as a stream, and save what was learned."""

import json
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.errors import ParameterError
from rosenblatt.reading import WHOLE

ALGORITHMS = ("perceptron", "averaged", "voted", "pa", "pocket", "batch", "kozinec")
SCALES = ("centre", "standardise", "divide", "unit")
Text = str | None


def fit(
    data: Annotated[list[str], typer.Argument(help="Files, patterns, or - for standard input.")],
    target: Annotated[
        Text, typer.Option(help="The column of the label: name, or number from 0. Default: last.")
    ] = None,
    algorithm: Annotated[str, typer.Option(help=f"One of {', '.join(ALGORITHMS)}.")] = "averaged",
    passes: Annotated[int, typer.Option(help="At most so many passes over the rows.")] = 10,
    out: Annotated[Path | None, typer.Option(help="Save the model here.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Read in chunks: for data larger than memory.")] = False,
    cache: Annotated[
        bool, typer.Option("--cache", help="Keep what was read beside the file, for later passes.")
    ] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Keep here where the fit is.")] = None,
    every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    every_rows: Annotated[int | None, typer.Option(help="Rows between checkpoints.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    classes: Annotated[Text, typer.Option(help="All labels that will come, separated by commas.")] = None,
    columns: Annotated[Text, typer.Option(help="Columns to learn from, separated by commas.")] = None,
    categories: Annotated[Text, typer.Option(help="Columns of numbers that are categories.")] = None,
    hash_bits: Annotated[int | None, typer.Option(help="Put categories into 2^bits columns by a hash.")] = None,
    fill: Annotated[float | None, typer.Option(help="The number for what is missing.")] = None,
    scale: Annotated[Text, typer.Option(help=f"Scale columns first: {', '.join(SCALES)}.")] = None,
    format: Annotated[Text, typer.Option(help="Of the files, if their names do not tell.")] = None,  # noqa: A002
    on_error: Annotated[str, typer.Option(help="At a row that cannot be used: stop, skip or quarantine.")] = "stop",
    quarantine: Annotated[Path | None, typer.Option(help="The file for rows that cannot be used.")] = None,
    chunk_bytes: Annotated[int, typer.Option(help="What a stream reads at a time.")] = 2**23,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """Train a linear classifier on files.

    Example: rosenblatt fit clicks.svm --stream --cache --passes 3 --checkpoint clicks.ckpt --resume --out clicks.model
    """
    model = model_of(algorithm, passes)
    reading: dict[str, Any] = {
        "target": target,
        "columns": _listed(columns),
        "categories": _listed(categories) or (),
        "hash_bits": hash_bits,
        "fill": fill,
        "format": format,
        "on_error": on_error,
    }
    keeping = {"checkpoint": checkpoint, "every_seconds": every, "every_rows": every_rows, "resume": resume}
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if stream:
            chunks = {"cache": cache, "chunk_bytes": chunk_bytes, "quarantine": quarantine}
            reading |= chunks | {"classes": _labels(classes)}
            fitted, rows, skipped = _on_stream(model, data, reading, keeping, scale)
        else:
            _refuse_for_stream(checkpoint, resume, cache, quarantine, classes)
            fitted, rows, skipped = _in_memory(model, data, reading, scale)
    if out is not None:
        from rosenblatt.saving import save

        save(fitted, out)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)  # what was learned is safe
    _tell(fitted, rows, skipped, time.monotonic() - began, out, as_json=as_json)
    for warning in said:
        typer.echo(f"note: {warning.message}", err=True)


def model_of(algorithm: str, passes: int) -> Any:
    """The estimator that an algorithm's name stands for."""
    import rosenblatt

    makers: dict[str, Any] = {
        "perceptron": lambda: rosenblatt.Perceptron(max_epochs=passes),
        "averaged": lambda: rosenblatt.Perceptron(average="averaged", max_epochs=passes),
        "voted": lambda: rosenblatt.Perceptron(average="voted", max_epochs=passes),
        "pa": lambda: rosenblatt.PassiveAggressive(max_epochs=passes),
        "pocket": lambda: rosenblatt.Pocket(max_epochs=passes),
        "batch": lambda: rosenblatt.BatchPerceptron(max_epochs=passes),
        "kozinec": lambda: rosenblatt.Kozinec(max_epochs=passes),
    }
    if algorithm not in makers:
        raise ParameterError(f"--algorithm must be one of {', '.join(ALGORITHMS)}, not {algorithm!r}.")
    return makers[algorithm]()


def _listed(text: Text) -> list[str | int] | None:
    if text is None:
        return None
    return [int(word) if WHOLE.fullmatch(word) else word for word in map(str.strip, text.split(","))]


def _labels(text: Text) -> list[Any] | None:
    """Whole numbers if all of them are."""
    words = None if text is None else [word.strip() for word in text.split(",")]
    if words is not None and all(WHOLE.fullmatch(word) for word in words):
        return [int(word) for word in words]
    return words


def _refuse_for_stream(checkpoint: Any, resume: bool, cache: bool, quarantine: Any, classes: Any) -> None:
    for name, given in (
        ("checkpoint", checkpoint),
        ("resume", resume),
        ("cache", cache),
        ("quarantine", quarantine),
        ("classes", classes),
    ):
        if given:
            raise ParameterError(f"--{name} is for streams; give --stream too.")


def _in_memory(model: Any, data: list[str], reading: dict[str, Any], scale: Text) -> tuple[Any, int, int]:
    from rosenblatt.files import read

    found = read(data if len(data) > 1 else data[0], **reading)
    if scale is not None:
        from sklearn.pipeline import make_pipeline

        from rosenblatt.scaling import Scaling

        model = make_pipeline(Scaling(how=scale), model)
    model.fit(*found)
    inner = model.steps[-1][1] if hasattr(model, "steps") else model
    inner.encoding_ = None if found.encoding is None else found.encoding.record()
    return model, len(found.y), found.skipped


def _on_stream(
    model: Any, data: list[str], reading: dict[str, Any], keeping: dict[str, Any], scale: Text
) -> tuple[Any, int, int]:
    from rosenblatt.streams import Stream

    source = Stream(data if len(data) > 1 else data[0], **reading)
    scaling = None if scale is None else source.scale(scale)
    if type(model).__name__ == "Kozinec":
        if keeping["checkpoint"] is not None or keeping["resume"]:
            raise ParameterError(
                "--checkpoint and --resume are for algorithms that learn on the way; kozinec does not."
            )
        model.fit_stream(source)
    else:
        with bar() as progress:
            model.fit_stream(source, progress=progress, **keeping)
    if scaling is not None:
        from sklearn.pipeline import make_pipeline

        return make_pipeline(scaling, model), source.n_rows_, source.n_skipped_
    return model, source.n_rows_, source.n_skipped_


@contextmanager
def bar() -> Iterator[Any]:
    """A line on the terminal that says how far a fit is; nothing if nobody sees it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    words = TextColumn("{task.fields[rows]} rows, {task.fields[speed]}/s, {task.fields[mistakes]} mistakes")
    columns = (TextColumn("{task.description}"), BarColumn(10), DownloadColumn(), words, TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", rows=0, speed=0, mistakes=0, total=None)
        began = {0: 0.0}

        def show(now: Any) -> None:
            start = began.setdefault(now.epoch, now.seconds)
            speed = now.rows / max(now.seconds - start, 1e-9) if now.seconds > start else 0.0
            shown.update(
                task,
                description=f"pass {now.epoch}/{now.max_epochs}",
                completed=now.size,
                total=now.total,
                rows=short(now.rows),
                speed=short(speed),
                mistakes=short(now.mistakes),
            )

        yield show


def short(number: float) -> str:
    """A count in few characters: 950, 12k, 3.4M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number / size:.0f}{unit}"
    return f"{number:.0f}"


def _tell(model: Any, rows: int, skipped: int, seconds: float, out: Path | None, *, as_json: bool) -> None:
    inner = model.steps[-1][1] if hasattr(model, "steps") else model
    facts = {
        "stop_reason": str(inner.stop_reason_),
        "why": inner.stop_reason_.value,
        "algorithm": type(inner).__name__,
        "rows": rows,
        "skipped": skipped,
        "columns": int(inner.n_features_in_),
        "classes": inner.classes_.tolist(),
        "passes": int(inner.n_iter_),
        "updates": int(inner.n_updates_),
        "mistakes_per_pass": inner.mistakes_per_epoch_.tolist(),
        "seconds": round(seconds, 3),
        "model": None if out is None else str(out),
    }
    if as_json:
        typer.echo(json.dumps(facts))
        return
    last = facts["mistakes_per_pass"][-1]
    typer.echo(f"{facts['stop_reason']}: {facts['why']}")
    typer.echo(
        f"{facts['algorithm']} on {rows:,} rows of {facts['columns']:,} columns, {len(facts['classes'])} classes: "
        f"{facts['passes']} passes, {facts['updates']:,} updates, {last:,} mistakes in the last pass."
    )
    if skipped:
        typer.echo(f"{skipped:,} rows could not be used and were left out.")
    typer.echo(f"{seconds:.1f} s, {rows * facts['passes'] / max(seconds, 1e-9):,.0f} rows/s.")
    if out is not None:
        typer.echo(f"model: {out}", err=True)

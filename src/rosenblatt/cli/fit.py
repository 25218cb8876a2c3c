"""`rosenblatt fit`: train on files, in memory or as a stream, save what was learned, and report what was reached."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import (
    WHOLE,
    AsJson,
    Categories,
    Columns,
    Fill,
    Format,
    Seed,
    Set,
    Target,
    Text,
    assignments,
    echo_json,
    fill_of,
    format_of,
    listed,
    refuse_missing_folders,
)
from rosenblatt.errors import ParameterError

Algorithm = Literal["auto", "perceptron", "averaged", "voted", "pocket", "batch", "kozinec", "anderson", "pa", "kernel"]
Scale = Literal["none", "centre", "standardise", "divide", "unit"]
OnError = Literal["stop", "skip", "quarantine"]
WIDTH = 110  # of the text where nobody sees it


def fit(
    data: Annotated[list[str], typer.Argument(metavar="DATA", help="Files, patterns, or - for a pipe.")],
    target: Target = None,
    algorithm: Annotated[Algorithm, typer.Option(help="How to learn; auto looks at the data and says why.")] = "auto",
    settings: Set = None,
    passes: Annotated[int | None, typer.Option(min=1, help="At most so many. Default: the algorithm's own.")] = None,
    scale: Annotated[Scale | None, typer.Option(help="Scale columns first. Default: none, or as auto says.")] = None,
    seed: Seed = 0,
    test: Annotated[float | None, typer.Option(help="The share of the rows to keep for a test, as 0.2.")] = None,
    cv: Annotated[int | None, typer.Option(min=2, help="Cross-validate in so many parts.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the model here.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report here, an HTML file.")] = None,
    columns: Columns = None,
    categories: Categories = None,
    hash_bits: Annotated[int | None, typer.Option(help="Put categories into 2^bits columns by a hash.")] = None,
    fill: Fill = None,
    format: Format = None,  # noqa: A002
    on_error: Annotated[OnError, typer.Option(help="What to do at a row that cannot be used.")] = "stop",
    quarantine: Annotated[Path | None, typer.Option(help="The file for rows that cannot be used.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Read in chunks: for data larger than memory.")] = False,
    cache: Annotated[bool, typer.Option("--cache", help="Of a stream: keep what was read beside the file.")] = False,
    chunk_bytes: Annotated[int | None, typer.Option(help="What a stream reads at a time. Default: 8 MB.")] = None,
    classes: Annotated[Text, typer.Option(help="Of a stream: all labels that will come, with commas.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Of a stream: keep here where the fit is.")] = None,
    every: Annotated[float | None, typer.Option(help="Seconds between checkpoints. Default: 30.")] = None,
    every_rows: Annotated[int | None, typer.Option(help="Rows between checkpoints.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a linear classifier on files, and say honestly what was reached.

    auto: where a hyperplane separates the classes (it is proved), the one with the largest margin; else the averaged
    perceptron, with the fewest errors of any hyperplane beside it. The parameters of an algorithm are those of its
    class in Python: --set C=1 of Kozinec, --set order=cyclic of Perceptron.

    Examples:

    rosenblatt fit iris.csv --target label --test 0.2 --out iris.model --report iris.html

    rosenblatt fit iris.csv --algorithm pocket --cv 5 --json

    rosenblatt fit clicks.svm --stream --cache --passes 3 --checkpoint clicks.ckpt --resume --out clicks.model
    """
    refuse_missing_folders(out, report, checkpoint)
    if report is not None:
        from rosenblatt.plot.style import pyplot

        pyplot()  # or say what to install, before the work
    from rosenblatt.cli import fit_pipeline

    wanted = fit_pipeline.Wanted(
        algorithm, passes, seed, assignments(settings), scale, test, cv, prove=report is not None
    )
    reading: dict[str, Any] = {
        "target": target,
        "columns": listed(columns),
        "categories": listed(categories) or (),
        "hash_bits": hash_bits,
        "fill": fill_of(fill),
        "format": format_of(data[0], format),
        "on_error": on_error,
    }
    chunks = {"cache": cache, "chunk_bytes": chunk_bytes, "quarantine": quarantine, "classes": labels_in(classes)}
    keeping = {"checkpoint": checkpoint, "every_seconds": every, "every_rows": every_rows, "resume": resume}
    if stream:
        found = _on_stream(wanted, data, reading | chunks, keeping)
    else:
        refuse_for_stream(chunks | keeping | {"on-error quarantine": on_error == "quarantine"})
        with show_progress():
            found = fit_pipeline.in_memory(wanted, data, reading)
    if out is not None:
        from rosenblatt.models.save import save

        save(found.model, out)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)  # what was learned is safe
    tell(found, as_json=as_json, out=out, page=report)
    if report is not None:
        from rosenblatt.report.page import write_page

        write_page(found, report)
        if not as_json:
            typer.echo(f"report: {report}", err=True)


def _on_stream(wanted: Any, data: list[str], reading: dict[str, Any], keeping: dict[str, Any]) -> Any:
    """Train in passes over chunks, with the options that were given; stopped, say where it can go on."""
    from rosenblatt.cli import fit_pipeline

    given, kept = ({name: v for name, v in options.items() if v is not None} for options in (reading, keeping))
    try:
        with show_progress():
            return fit_pipeline.on_stream(wanted, data, given, kept)
    except KeyboardInterrupt:
        checkpoint = keeping["checkpoint"]
        if checkpoint is not None and checkpoint.exists():
            typer.echo(f"checkpoint: {checkpoint}; the same command with --resume goes on from there", err=True)
        raise


def labels_in(text: Text) -> list[Any] | None:
    """Whole numbers if all of them are."""
    words = None if text is None else [word.strip() for word in text.split(",")]
    if words is not None and all(WHOLE.fullmatch(word) for word in words):
        return [int(word) for word in words]
    return words


def refuse_for_stream(options: dict[str, Any]) -> None:
    for name, given in options.items():
        if given is not None and given is not False:
            option = {"every_seconds": "every"}.get(name, name).replace("_", "-")
            raise ParameterError(f"--{option} is for streams; give --stream too.")


def tell(found: Any, *, as_json: bool, out: Path | None, page: Path | None) -> None:
    """Print the report; messages go to standard error."""
    if as_json:
        echo_json(facts(found, out, page))
    else:
        from rich.console import Console

        from rosenblatt.report.text import print_report

        print_report(found, Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False))
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    if out is not None and not as_json:
        typer.echo(f"model: {out}", err=True)


def facts(found: Any, out: Path | None, page: Path | None) -> dict[str, Any]:
    """The report as JSON has it."""
    import numpy as np

    mistakes = found.count("mistakes_per_epoch_")
    share, verdict = found.share, found.verdict

    def of(value: Any) -> Any:
        return None if value is None else {"right": value.right, "n": value.n, "low": value.low, "high": value.high}

    return {
        "algorithm": found.algorithm,
        "why_chosen": found.why or None,
        "estimator": " ".join(repr(found.model).split()),
        "stop_reason": None if found.stop_reason is None else str(found.stop_reason),
        "why": None if found.stop_reason is None else found.stop_reason.sentence,
        "rows": found.rows,
        "skipped": found.skipped,
        "columns": found.columns,
        "classes": found.classes,
        "learned_from": found.learned_from,
        "passes": None if found.count("n_iter_") is None else int(np.max(found.count("n_iter_"))),
        "updates": None if found.count("n_updates_") is None else int(np.max(found.count("n_updates_"))),
        "mistakes_per_pass": None if mistakes is None else np.asarray(mistakes).tolist(),
        "judged": found.judged or None,
        "right": of(share),
        "confusion": None if found.confusion is None else found.confusion.tolist(),
        "folds": [of(fold) for fold in found.folds],
        "learning_curve": [[point.rows, point.training.value, point.others.value] for point in found.curve],
        "verdict": None if verdict is None else verdict.kind,
        "fewest_errors": None if found.fewest is None else [found.fewest.lower, found.fewest.upper],
        "mistake_bound": found.bound,
        "seconds": {name: round(seconds, 3) for name, seconds in found.seconds.items()},
        "model": None if out is None else str(out),
        "report": None if page is None else str(page),
    }

"""`rosenblatt fit`: train on files, save the model, and report the result."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from rosenblatt.base.files.file_kinds import CACHE_ENDING, FileKind, any_kind_is_replaced
from rosenblatt.base.files.output_files import Output, local_files
from rosenblatt.base.files.standard_input import STANDARD_INPUT
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.inputs import format_of
from rosenblatt.cli.on_cluster.options import ClusterOptions, on_cluster
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    WHOLE,
    Algorithm,
    AsJson,
    Categories,
    Columns,
    Decimal,
    Delimiter,
    Force,
    Format,
    Missing,
    Seed,
    Set,
    Target,
    Text,
    TextEncoding,
    echo_json,
    parse_assignments,
    parse_list,
    parse_missing,
)
from rosenblatt.cli.results import Results
from rosenblatt.errors import ParameterError
from rosenblatt.errors.remedy import flag

if TYPE_CHECKING:
    from rosenblatt.cli.fit_pipeline import FitRequest
    from rosenblatt.report.report import Report

Scale = Literal["none", "center", "standardize", "divide", "unit", "centre", "standardise"]
OnError = Literal["stop", "skip", "quarantine"]
TEXT_WIDTH = 110  # characters in a line, if the output is not a terminal


class TrainingOptions(NamedTuple):
    """What to train."""

    algorithm: Annotated[Algorithm, typer.Option(help="How to learn; auto tries a few ways, and says why.")] = "auto"
    settings: Set = None
    passes: Annotated[
        int | None, typer.Option(min=1, help="The most passes over the rows. Default: as the algorithm has it.")
    ] = None
    scale: Annotated[
        Scale | None, typer.Option(help="How to scale the columns first. Default: none, or as auto decides.")
    ] = None
    seed: Seed = 0
    probability: Annotated[
        bool, typer.Option("--probability", help="Calibrate probabilities, on a fifth of the training rows.")
    ] = False


class EvaluationOptions(NamedTuple):
    """How to measure the accuracy on new rows."""

    test: Annotated[float | None, typer.Option(help="Keep this fraction of the rows for a test, for example 0.2.")] = (
        None
    )
    cv: Annotated[int | None, typer.Option(min=2, help="Cross-validate with this number of folds.")] = None


class OutputOptions(NamedTuple):
    """Where to write the results."""

    out: Annotated[Path | None, typer.Option(help="Save the model to this file.")] = None
    report: Annotated[Path | None, typer.Option(help="Write a report to this HTML file.")] = None
    force: Force = False


class ReadingOptions(NamedTuple):
    """How to read the rows."""

    columns: Columns = None
    categories: Categories = None
    hash_bits: Annotated[int | None, typer.Option(help="Hash categories into 2^bits columns.")] = None
    missing: Missing = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    text_encoding: TextEncoding = None
    zero_based: Annotated[
        bool | None,
        typer.Option(
            "--zero-based/--one-based",
            help="Do the columns of LIBSVM text count from 0, or from 1? Default: from 0 if there is a column 0.",
        ),
    ] = None
    format: Format = None
    on_error: Annotated[OnError, typer.Option(help="What to do with a row that cannot be used.")] = "stop"

    def for_read(self, source: str, target: Text) -> dict[str, Any]:
        """The keyword arguments of `read` and `Stream`."""
        return {
            "target": target,
            "columns": parse_list(self.columns),
            "categories": parse_list(self.categories) or (),
            "hash_bits": self.hash_bits,
            "missing": parse_missing(self.missing),
            "delimiter": self.delimiter,
            "decimal": self.decimal,
            "text_encoding": self.text_encoding,
            "zero_based": self.zero_based,
            "format": format_of(source, self.format),
            "on_error": self.on_error,
        }


class StreamOptions(NamedTuple):
    """How to train on a stream."""

    quarantine: Annotated[Path | None, typer.Option(help="For streams: the file for rows that cannot be used.")] = None
    stream: Annotated[bool, typer.Option("--stream", help="Read in chunks, for data larger than memory.")] = False
    cache: Annotated[
        bool, typer.Option("--cache", help="For streams: keep the parsed rows in a binary file beside the data.")
    ] = False
    chunk_bytes: Annotated[
        int | None, typer.Option(help="For streams: the bytes to read at a time. Default: 8 MB.")
    ] = None
    classes: Annotated[Text, typer.Option(help="For streams: all labels, separated by commas.")] = None
    progressive: Annotated[
        bool,
        typer.Option(
            "--progressive", help="For streams: predict each row of the first pass before learning from it, and report."
        ),
    ] = False
    checkpoint: Annotated[Path | None, typer.Option(help="For streams: save the progress of the fit to this file.")] = (
        None
    )
    every: Annotated[float | None, typer.Option(help="Seconds between checkpoints. Default: 30.")] = None
    every_rows: Annotated[int | None, typer.Option(help="Rows between checkpoints.")] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the checkpoint, if there is one.")] = False

    def for_stream(self) -> dict[str, Any]:
        """The keyword arguments of `Stream` that `read` does not have."""
        return {
            "cache": self.cache,
            "chunk_bytes": self.chunk_bytes,
            "quarantine": self.quarantine,
            "classes": parse_labels(self.classes),
        }

    def for_fit_stream(self) -> dict[str, Any]:
        """The keyword arguments of `fit_stream`."""
        return {
            "checkpoint": self.checkpoint,
            "every_seconds": self.every,
            "every_rows": self.every_rows,
            "resume": self.resume,
            "progressive": self.progressive,
        }


@grouped
def fit(
    *,
    data: Annotated[
        list[str], typer.Argument(metavar="DATA", help="Files, patterns such as part-*.csv, or - for standard input.")
    ],
    target: Target = None,
    training: TrainingOptions,
    evaluation: EvaluationOptions,
    output: OutputOptions,
    reading: ReadingOptions,
    streaming: StreamOptions,
    where: ClusterOptions,
    as_json: AsJson = False,
) -> None:
    """Train a linear classifier on files, and report the result.

    With --algorithm auto, columns are standardised, and a few algorithms are tried: each learns from a part of the rows
    and predicts the others. The one that is right most often then learns from all training rows. --scale and --set
    settle a part of this. The parameters of an algorithm are those of its class in Python: --set C=1 for Kozinec,
    --set order=cyclic for Perceptron.

    Examples:

    rosenblatt fit iris.csv --target label --test 0.2 --out iris.model --report iris.html

    rosenblatt fit iris.csv --algorithm pocket --cv 5 --json

    rosenblatt fit iris.csv --test 0.2 --probability --out iris.model

    rosenblatt fit 'iris*.csv' --cluster local --workers 2

    rosenblatt fit clicks.svm --stream --cache --passes 3 --checkpoint clicks.ckpt --resume --out clicks.model
    """
    results = Results(_outputs(output, streaming, data), {"DATA": data}, force=output.force)
    if output.report is not None:
        from rosenblatt.plot.style import pyplot

        pyplot()  # raises before the work if matplotlib is not installed
    from rosenblatt.cli import fit_pipeline

    request = fit_pipeline.FitRequest(
        training.algorithm,
        training.passes,
        training.seed,
        parse_assignments(training.settings),
        training.scale,
        evaluation.test,
        evaluation.cv,
        prove=output.report is not None,
        probability=training.probability,
    )
    arguments = reading.for_read(data[0], target)
    where.refuse_workers_alone()
    if where.cluster is not None:
        report = _fit_on_cluster(request, data, arguments, streaming, where)
    elif streaming.stream:
        with any_kind_is_replaced(output.force):
            report = _fit_on_stream(request, data, arguments, streaming)
    else:
        refuse_stream_options(streaming, reading.on_error)
        with show_progress():
            report = fit_pipeline.fit_in_memory(request, data, arguments)
    model = _save_model(report, output.out, streaming.checkpoint, results)
    try:
        _print_report(report, model, output.report, as_json=as_json)
    finally:
        _write_page(report, output.report, results, as_json=as_json)
    results.raise_errors()


def _outputs(output: OutputOptions, streaming: StreamOptions, data: list[str]) -> list[Output]:
    """All files that the command will write."""
    if streaming.stream and streaming.cache and (data[0] == STANDARD_INPUT or "://" in data[0]):
        raise ParameterError(
            f"--cache makes a file beside the data, and {data[0]} is not a file of this machine. Save the data to a "
            "file first, or leave --cache out."
        )
    first = next(local_files(data[:1]), "")
    goes_on = streaming.resume and streaming.checkpoint is not None and streaming.checkpoint.exists()
    return [
        Output("--out", output.out, FileKind.MODEL),
        Output("--report", output.report, FileKind.REPORT),
        Output(
            "--checkpoint", streaming.checkpoint, None if streaming.resume else FileKind.CHECKPOINT, is_read_back=True
        ),
        Output("--quarantine", streaming.quarantine, None if goes_on else FileKind.TEXT),
        Output("--cache", f"{first}{CACHE_ENDING}" if streaming.cache else None, FileKind.CACHE, is_read_back=True),
    ]


def _fit_on_stream(
    request: "FitRequest", data: list[str], arguments: dict[str, Any], streaming: StreamOptions
) -> "Report":
    """Train on a stream; after Ctrl-C and SIGTERM, say where the checkpoint is."""
    from rosenblatt.cli import fit_pipeline

    reading, checkpoints = (
        {name: value for name, value in options.items() if value is not None}
        for options in (arguments | streaming.for_stream(), streaming.for_fit_stream())
    )
    try:
        with show_progress():
            return fit_pipeline.fit_on_stream(request, data, reading, checkpoints)
    except (KeyboardInterrupt, SystemExit):
        checkpoint = streaming.checkpoint
        if checkpoint is not None and checkpoint.exists():
            typer.echo(f"checkpoint: {checkpoint}; the same command with --resume continues from there", err=True)
        raise


def _fit_on_cluster(
    request: "FitRequest", data: list[str], arguments: dict[str, Any], streaming: StreamOptions, where: ClusterOptions
) -> "Report":
    """Train on a cluster; if that fails, say where the checkpoint is."""
    from rosenblatt.cli.on_cluster.fit import fit_on_cluster, unfitted_on_cluster

    if streaming.stream:
        raise ParameterError("--stream and --cluster are two ways to read rows; give one of them.")
    for name in ("cache", "chunk_bytes", "quarantine", "classes", "every_rows", "progressive"):
        if getattr(streaming, name) not in (None, False):
            raise ParameterError(f"{flag(name)} is for streams; leave it out with --cluster.")
    if arguments["on_error"] == "quarantine":
        raise ParameterError("--on-error quarantine is for streams; leave it out with --cluster.")
    given = {"checkpoint": streaming.checkpoint, "every_seconds": streaming.every, "resume": streaming.resume or None}
    checkpoints = {name: value for name, value in given.items() if value is not None}
    model = unfitted_on_cluster(request, checkpoints)
    try:
        with on_cluster(where), show_progress():
            return fit_on_cluster(request, model, data, arguments, checkpoints)
    except BaseException:
        if streaming.checkpoint is not None and streaming.checkpoint.exists():
            typer.echo(f"checkpoint: {streaming.checkpoint}; the same command with --resume continues there", err=True)
        raise


def parse_labels(text: Text) -> list[Any] | None:
    """Labels separated by commas: integers if all of them are, else texts."""
    words = None if text is None else [word.strip() for word in text.split(",")]
    if words is not None and all(WHOLE.fullmatch(word) for word in words):
        return [int(word) for word in words]
    return words


def refuse_stream_options(streaming: StreamOptions, on_error: str) -> None:
    """Raise if an option is given that only streams have."""
    for name in (
        "cache",
        "chunk_bytes",
        "quarantine",
        "classes",
        "checkpoint",
        "every",
        "every_rows",
        "resume",
        "progressive",
    ):
        if getattr(streaming, name) not in (None, False):
            raise ParameterError(f"{flag(name)} is for streams; give --stream too.")
    if on_error == "quarantine":
        raise ParameterError("--on-error quarantine is for streams; give --stream too.")


def _save_model(report: "Report", out: Path | None, checkpoint: Path | None, results: Results) -> Path | None:
    """Save the model, and return its file. When the model is where it was asked for, the checkpoint is removed."""
    from rosenblatt.models.save import save

    saved = results.write(out, partial(save, report.model))
    if saved is not None and saved == out and checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return saved


def _print_report(report: "Report", model: Path | None, page: Path | None, *, as_json: bool) -> None:
    """Print the report to standard output, and notes to standard error."""
    if as_json:
        from rosenblatt.report.json_facts import facts_of

        files = {"model": model, "report": page}
        echo_json(facts_of(report) | {name: path and str(path) for name, path in files.items()})
    else:
        from rich.console import Console

        from rosenblatt.report.text import print_report

        print_report(report, Console(width=None if sys.stdout.isatty() else TEXT_WIDTH, highlight=False))
    for note in report.notes:
        typer.echo(f"note: {note}", err=True)
    if model is not None and not as_json:
        typer.echo(f"model: {model}", err=True)


def _write_page(report: "Report", path: Path | None, results: Results, *, as_json: bool) -> None:
    from rosenblatt.report.page import write_page

    written = results.write(path, partial(write_page, report))
    if written is not None and not as_json:
        typer.echo(f"report: {written}", err=True)

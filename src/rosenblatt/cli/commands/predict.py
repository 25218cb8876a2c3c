"""`rosenblatt predict`: the labels that a saved model predicts."""

import csv
import io
import json
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.base.files.file_kinds import FileKind, may_replace
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.progress_line import show_progress
from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.base.words import count_of
from rosenblatt.cli.inputs import dialect_notes, format_of, tell
from rosenblatt.cli.on_cluster.options import ClusterOptions, on_cluster
from rosenblatt.cli.on_cluster.predict import FileQuestion, answers_on_cluster
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import AsJson, Force, Format, Source, Text, TextOptions
from rosenblatt.cli.results import Results
from rosenblatt.errors import DataError, ParameterError, abridged

JSON_KEYS = {"score": "scores", "probability": "probabilities"}


@grouped
def predict(
    *,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, which fit --out wrote.")],
    data: Source,
    out: Annotated[Path | None, typer.Option(help="Write the labels to this file instead.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Print the scores too, as CSV.")] = False,
    probability: Annotated[
        bool, typer.Option("--probability", help="Print the probability of each class too, as CSV.")
    ] = False,
    target: Annotated[
        Text, typer.Option(help="The column with the true labels, to count how many predictions are right.")
    ] = None,
    text: TextOptions,
    where: ClusterOptions,
    format: Format = None,  # noqa: A002
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Predict the label of each row, and print one label per line.

    Columns are found by name, in any order, and encoded as in training. The column with the labels may be missing. With
    --target (and always for LIBSVM's and VW's text) the accuracy is printed to standard error. Probabilities need a
    model that was trained with fit --probability; the label is then the most probable class.

    Examples:

    rosenblatt predict iris.model iris.csv --target label

    rosenblatt predict iris.model - --scores --out answers.csv < iris.csv

    rosenblatt predict iris.model iris.csv --probability

    rosenblatt predict iris.model iris.csv --json

    rosenblatt predict iris.model 'iris*.csv' --cluster local --workers 2
    """
    results = Results([Output("--out", out, FileKind.TEXT)], {"DATA": [data], "MODEL": [str(model)]}, force=force)
    from rosenblatt.data.files.sources import places

    where.refuse_workers_alone()
    with show_progress(), warnings.catch_warnings(action="ignore"):  # scikit-learn warns if columns have no names
        fitted = _loaded(model, data)
        if probability and not hasattr(fitted, "predict_proba"):
            raise ParameterError(
                f"--probability: {model} has no probabilities. Train it again with rosenblatt fit --probability."
            )
        kind = format_of(data, format)
        methods = {"score": "decision_function"} if scores or as_json else {}
        methods |= {"probability": "predict_proba"} if probability else {}
        asked = FileQuestion(fitted, target, kind, DialectOptions(*text), methods)
        if where.cluster is None:
            first = data
            labels, columns, truth, dialect = asked.answers(data)
        else:
            from rosenblatt.cluster.sources import files_in

            files = files_in(data)
            first = files[0]
            with on_cluster(where):
                labels, columns, truth, dialect = answers_on_cluster(asked, files)
    tell(dialect_notes(data, places(first, kind)[0].format, dialect, DialectOptions(*text)))
    if not as_json and not columns:
        _refuse_line_breaks(labels.tolist())
    lines = partial(_as_json if as_json else _as_text, fitted, labels, columns)
    if out is None:
        for line in lines():
            typer.echo(line)
    written = results.write(out, partial(_write_lines, lines))
    if written is not None:
        typer.echo(f"{written}: {count_of(len(labels), 'label')}", err=True)
    if truth is not None:
        _print_accuracy(labels, truth)
    results.raise_errors()


def _loaded(model: Path, data: str) -> Any:
    """The model; if the arguments were given the other way round, the error says so."""
    from rosenblatt.models.save import load

    try:
        return load(model)
    except DataError as error:
        if Path(data).is_file() and Path(data).stat().st_size and may_replace(data, FileKind.MODEL):
            said = f"{model} is not a model, but {data} is. Give the model first: rosenblatt predict {data} {model}"
            raise DataError(said) from error
        raise


def _write_lines(lines: Callable[[], Iterator[str]], path: Path) -> None:
    from rosenblatt.base.files.atomic_file import replacing

    with replacing(path) as file:
        file.writelines(f"{line}\n".encode() for line in lines())


def _refuse_line_breaks(labels: list[Any]) -> None:
    """Raise if a label would take more than one line."""
    broken = next((label for label in labels if isinstance(label, str) and ("\n" in label or "\r" in label)), None)
    if broken is not None:
        raise DataError(
            f"The label {abridged(broken)} has a line break, so it cannot be printed in one line. Give --json, or "
            "--scores, which quotes it."
        )


def _named(fitted: Any, values: Any) -> tuple[list[str], Any]:
    """The class of each column of scores or probabilities, and the values as a table."""
    classes = [str(label) for label in fitted.classes_.tolist()]
    return (classes[1:], values[:, None]) if values.ndim == 1 else (classes, values)


def _as_text(fitted: Any, labels: Any, columns: dict[str, Any]) -> Iterator[str]:
    if not columns:
        yield from map(str, labels.tolist())
        return
    tables = [(word, *_named(fitted, values)) for word, values in columns.items()]
    yield _line_of_csv(["label", *(f"{word} of {name}" for word, names, _ in tables for name in names)])
    for label, *rows in zip(labels.tolist(), *(table.tolist() for _, _, table in tables), strict=True):
        yield _line_of_csv([label, *(number for row in rows for number in row)])


def _line_of_csv(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # cells with one of these characters are quoted
    return line.getvalue().removesuffix("\r\n")


def _as_json(fitted: Any, labels: Any, columns: dict[str, Any]) -> Iterator[str]:
    tables = [(JSON_KEYS[word], *_named(fitted, values)) for word, values in columns.items()]
    for label, *rows in zip(labels.tolist(), *(table.tolist() for _, _, table in tables), strict=True):
        numbers = {
            key: {name: number if math.isfinite(number) else None for name, number in zip(names, row, strict=True)}
            for (key, names, _), row in zip(tables, rows, strict=True)
        }
        yield json.dumps({"label": label, **numbers}, allow_nan=False)


def _print_accuracy(labels: Any, truth: Any) -> None:
    from rosenblatt.report.proportion import Proportion

    right = int((labels.astype(str) == truth.astype(str)).sum())
    typer.echo(f"{Proportion.of(right, len(truth))} of {count_of(len(truth), 'row')} are right.", err=True)

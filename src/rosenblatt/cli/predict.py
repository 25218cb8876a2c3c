"""`rosenblatt predict`: what a saved model says of rows."""

import csv
import io
import json
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import AsJson, Format, Source, Text, format_of
from rosenblatt.errors import DataError


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file that fit --out wrote.")],
    data: Source,
    out: Annotated[Path | None, typer.Option(help="Write the answers here instead.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="The scores too, as CSV.")] = False,
    target: Annotated[
        Text, typer.Option(help="The name of the column of the true label, to say how many are right.")
    ] = None,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Predict the label of each row, one a line.

    Columns are found by their names, in any order, and encoded as in training; the column of the label may be missing.
    With --target (LIBSVM's and VW's text have labels in any case) the share that is right goes to standard error.

    Examples:

    rosenblatt predict iris.model iris.csv --target label

    rosenblatt predict iris.model - --scores --out answers.csv < iris.csv

    rosenblatt predict iris.model iris.csv --json
    """
    from rosenblatt.models.input_rows import rows_for
    from rosenblatt.models.save import load

    with show_progress(), warnings.catch_warnings(action="ignore"):  # that columns have no names, where the model's had
        fitted = load(model)
        found = rows_for(fitted, data, target, format_of(data, format))
        try:
            labels = fitted.predict(found.X)
            values = fitted.decision_function(found.X) if scores or as_json else None
        except ValueError as error:
            raise DataError(f"{data}: {error}") from error
    lines = _as_json(fitted, labels, values) if as_json else _as_text(fitted, labels, values)
    if out is None:
        for line in lines:
            typer.echo(line)
    else:
        from rosenblatt.base.atomic_file import replacing

        with replacing(out) as file:
            file.writelines(f"{line}\n".encode() for line in lines)
        typer.echo(f"{out}: {len(labels):,} answers", err=True)
    if target is not None or found.encoding is None:
        _say_how_many_are_right(labels, found.y)


def _columns_of_scores(fitted: Any) -> list[str]:
    classes = fitted.classes_.tolist()
    return [str(classes[1])] if len(classes) == 2 else [str(label) for label in classes]


def _as_text(fitted: Any, labels: Any, values: Any) -> Iterator[str]:
    if values is None:
        yield from map(str, labels.tolist())
        return
    yield _line_of_csv(["label", *(f"score of {name}" for name in _columns_of_scores(fitted))])
    for label, row in zip(labels.tolist(), values.reshape(len(labels), -1).tolist(), strict=True):
        yield _line_of_csv([label, *row])


def _line_of_csv(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def _as_json(fitted: Any, labels: Any, values: Any) -> Iterator[str]:
    names = _columns_of_scores(fitted)
    for label, row in zip(labels.tolist(), values.reshape(len(labels), -1).tolist(), strict=True):
        scores = {name: score if math.isfinite(score) else None for name, score in zip(names, row, strict=True)}
        yield json.dumps({"label": label, "scores": scores}, allow_nan=False)


def _say_how_many_are_right(labels: Any, truth: Any) -> None:
    from rosenblatt.report.proportion import Share

    right = int((labels.astype(str) == truth.astype(str)).sum())
    typer.echo(f"{Share.of(right, len(truth))} of {len(truth):,} rows are right.", err=True)

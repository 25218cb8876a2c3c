"""Draws the picture that `rosenblatt plot` is asked for, or the one that suits the data."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import plot
from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.classifiers.algorithm_choice import model_of, verdict_of
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.cli.inputs import Columns, dialect_notes, gap_notes, question_target, tell
from rosenblatt.cli.options import refuse_unknown_classes
from rosenblatt.data.files.read import read
from rosenblatt.data.files.sources import TEXT, Format, places
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, ParameterError, meant
from rosenblatt.models.input_rows import classifier_of, rows_for, seen_by
from rosenblatt.models.save import load
from rosenblatt.plot.view import View, names_of
from rosenblatt.proof.separability import separability
from rosenblatt.tracing.tracer import trace

MAX_PATH_STEPS = 1000
TWO_COLUMN_KINDS = ("regions", "activation")
TWO_CLASS_KINDS = ("boundary", "margin", "hulls", "witness", "activation", "gaussians", "path")
ALGORITHMS = {"margin": "kozinec", "gaussians": "anderson", "mistakes": "perceptron", "path": "perceptron"}


class PictureRequest(NamedTuple):
    """What to draw, and what to train for it."""

    kind: str
    algorithm: str
    settings: dict[str, Any]
    model: Path | None
    seed: int
    label: str | None


class RowSource(NamedTuple):
    """The rows to draw: where they are, and which of their columns and classes to use."""

    data: str
    target: str | None
    columns: Any
    format: Format | None
    classes: Any
    missing: Any = None
    text: DialectOptions = DialectOptions()

    @property
    def is_text(self) -> bool:
        """Are the rows in a text file, so that their numbers are decimals?"""
        return places(self.data, self.format)[0].format in TEXT


def read_rows(request: PictureRequest, source: RowSource) -> tuple[Any, Any, Any]:
    """The classifier that was given (or None), the rows as it gets them, and their labels."""
    fitted, data, target = None, source.data, source.target
    if request.model is None:
        given: dict[str, Any] = {"columns": source.columns, "format": source.format, "missing": source.missing}
        found = read(data, target, **given, **source.text._asdict())
        tell(gap_notes(data, found))
    else:
        fitted = load(request.model)
        record = getattr(classifier_of(fitted), "encoding_", None)
        found = rows_for(fitted, data, target or (record and record.get("target")), source.format, source.text)
    tell(dialect_notes(data, places(data, source.format)[0].format, found.dialect, source.text))
    name = target if found.encoding is None else found.encoding.target
    question_target(data, found.y.tolist(), name, Columns(found.X, found.feature_names))
    X, y = found.X if fitted is None else seen_by(fitted, found.X), found.y
    if source.classes is not None:
        known = {str(label): label for label in np.unique(y).tolist()}
        words = list(map(str, source.classes))
        refuse_unknown_classes(words, list(known))
        own = np.isin(y, [known[word] for word in words])
        X, y = X[own], y[own]
    if len(np.unique(y)) < 2:
        raise DataError(f"{data}: a picture needs rows of two classes, but all rows have the label {y.tolist()[0]!r}.")
    return (None if fitted is None else classifier_of(fitted)), X, y


def draw(request: PictureRequest, fitted: Any, X: Any, y: Any, *, decimals: bool = False) -> tuple[str, str, Any]:
    """The kind of the picture, a note about it (or ""), and the display.

    With `decimals`, the verdict takes floats as decimals.
    """
    classes = len(np.unique(y))
    kind, algorithm = choose_kind(request, fitted, X, y, classes, decimals=decimals)
    note = ""
    if kind in TWO_CLASS_KINDS and classes > 2:
        raise DataError(f"--kind {kind} shows two classes, but there are {classes}: choose two classes with --classes.")
    if kind in TWO_COLUMN_KINDS and X.shape[1] != 2:
        X = _projected(kind, fitted, X)
        note = (
            "the rows are projected to their two principal directions, and the classifier is trained on the projection"
        )
    if kind in ("hulls", "witness"):
        return kind, note, verdict_display(kind, X, y, decimals=decimals)
    model = model_of(algorithm, classes, None, request.seed, request.settings) if fitted is None else fitted
    if kind == "path":
        return kind, note, plot.PathDisplay.from_trace(trace(model, X, y, max_steps=MAX_PATH_STEPS), X, y)
    model = model.fit(X, y) if fitted is None else fitted
    if kind == "weights":
        return kind, note, weights_display(model, request.label)
    if kind == "mistakes":
        rows = (X, y) if isinstance(model, Perceptron) and fitted is None else ()
        return kind, note, plot.MistakesDisplay.from_estimator(model, *rows)
    return kind, note, getattr(plot, f"{kind.capitalize()}Display").from_estimator(model, X, y)


def _projected(kind: str, fitted: Any, X: Any) -> Any:
    """The rows in their two principal directions; raise if a picture of them is not possible."""
    if fitted is not None:
        raise DataError(f"--kind {kind} needs two columns, but the model has {X.shape[1]}; try --kind weights.")
    if X.shape[1] < 2:
        raise DataError(f"--kind {kind} needs two columns, but there is one; try --kind boundary.")
    view = View.of(X, names=names_of(X, X.shape[1]))
    return named(view.points(X), list(view.labels))


def choose_kind(
    request: PictureRequest, fitted: Any, X: Any, y: Any, classes: int, *, decimals: bool
) -> tuple[str, str]:
    """The kind of picture and the algorithm; "auto" is replaced by what suits the data."""
    kind, algorithm = request.kind, request.algorithm
    if kind == "auto" and classes > 2:
        kind = "regions" if fitted is None or X.shape[1] == 2 else "weights"
    elif kind == "auto" and (fitted is not None or algorithm not in ("auto", "kozinec")):
        kind = "boundary"
    elif kind == "auto":
        kind = "margin" if verdict_of(X, y, decimals=decimals).kind == "strict" else "boundary"
    return kind, ALGORITHMS.get(kind, "averaged") if algorithm == "auto" else algorithm


def verdict_display(kind: str, X: Any, y: Any, *, decimals: bool) -> Any:
    """The convex hulls, or the witness of an overlap."""
    verdict = separability(X, y, decimals=decimals)
    if kind == "hulls":
        return plot.HullsDisplay.from_verdict(verdict, X, y)
    if verdict.kind == "strict":
        raise DataError("--kind witness shows why classes overlap, but these are separable; try --kind margin.")
    return plot.WitnessDisplay.from_verdict(verdict, X, y)


def weights_display(model: Any, label: str | None) -> Any:
    """The weights of one class; of the first class if there are more than two and no label is given."""
    if not (hasattr(model, "ranked_weights") and hasattr(model, "coef_")):
        raise ParameterError("--kind weights needs a weight for each column, which this algorithm does not have.")
    labels = {str(known): known for known in model.classes_.tolist()}
    if label is not None and label not in labels:
        raise ParameterError(f"--label must be one of {', '.join(labels)}, not {label!r}.{meant(label, labels)}")
    chosen = labels[label] if label is not None else None if len(labels) == 2 else next(iter(labels.values()))
    return plot.WeightsDisplay.from_estimator(model, label=chosen)

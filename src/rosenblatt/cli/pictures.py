"""The picture that shows most of some rows, or the one that is asked for."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import plot
from rosenblatt.classifiers.choice import choose, model_of
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.cli.options import refuse_too_many_classes
from rosenblatt.data.files.read import read
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, ParameterError, meant
from rosenblatt.models.input_rows import classifier_of, rows_for, seen_by
from rosenblatt.models.save import load
from rosenblatt.plot.view import View, names_of
from rosenblatt.proof.separability import separability
from rosenblatt.tracing.tracer import trace

STEPS = 1000  # of a path
PLANE = ("regions", "activation")  # drawn in two columns
OF_TWO = ("boundary", "margin", "hulls", "witness", "activation", "gaussians", "path")  # classes
TRAINED = {"margin": "kozinec", "gaussians": "anderson", "mistakes": "perceptron", "path": "perceptron"}


class Wanted(NamedTuple):
    """What to draw."""

    kind: str
    algorithm: str
    settings: dict[str, Any]
    model: Path | None
    seed: int
    label: str | None


def rows_of(
    wanted: Wanted,
    data: str,
    target: str | None,
    columns: Any,
    format: str | None,  # noqa: A002
    classes: Any,
) -> tuple[Any, Any, Any]:
    """The model, if one is given, and the rows as it sees them, with their labels."""
    fitted = None
    if wanted.model is None:
        X, y = read(data, target, columns=columns, format=format)
    else:
        fitted = load(wanted.model)
        record = getattr(classifier_of(fitted), "encoding_", None)
        X, y = rows_for(fitted, data, target or (record and record["target"]), format)
        X = seen_by(fitted, X)
    refuse_too_many_classes(data, y.tolist(), target)
    if classes is not None:
        known = {str(label): label for label in np.unique(y).tolist()}
        for word in map(str, classes):
            if word not in known:
                raise ParameterError(
                    f"--classes names {word!r}, but the labels are {', '.join(list(known)[:20])}.{meant(word, known)}"
                )
        own = np.isin(y, [known[str(word)] for word in classes])
        X, y = X[own], y[own]
    if len(np.unique(y)) < 2:
        raise DataError(f"{data}: a picture needs rows of two classes; all are {y.tolist()[0]!r}.")
    return (None if fitted is None else classifier_of(fitted)), X, y


def picture(wanted: Wanted, fitted: Any, X: Any, y: Any) -> tuple[str, str, Any]:
    """The kind of picture, what must be said of it, and the display."""
    classes = len(np.unique(y))
    kind, algorithm = settled(wanted, fitted, X, y, classes)
    words = ""
    if kind in OF_TWO and classes > 2:
        raise DataError(f"--kind {kind} is of two classes, and here are {classes}: choose two with --classes.")
    if kind in PLANE and X.shape[1] != 2:
        if fitted is not None:
            raise DataError(
                f"--kind {kind} is drawn in two columns, and the model has {X.shape[1]}; try --kind weights."
            )
        if X.shape[1] < 2:
            raise DataError(f"--kind {kind} is drawn in two columns, and here is one; try --kind boundary.")
        view = View.of(X, names=names_of(X, X.shape[1]))
        X = named(view.points(X), list(view.labels))
        words = "the rows are seen in their two principal directions, and the classifier is one of what is seen"
    if kind in ("hulls", "witness"):
        return kind, words, of_verdict(kind, X, y)
    model = model_of(algorithm, classes, None, wanted.seed, wanted.settings) if fitted is None else fitted
    if kind == "path":
        return kind, words, plot.PathDisplay.from_trace(trace(model, X, y, max_steps=STEPS), X, y)
    model = model.fit(X, y) if fitted is None else fitted
    if kind == "weights":
        return kind, words, weights(model, wanted.label)
    if kind == "mistakes":
        learned = (X, y) if isinstance(model, Perceptron) and fitted is None else ()
        return kind, words, plot.MistakesDisplay.from_estimator(model, *learned)
    return kind, words, getattr(plot, f"{kind.capitalize()}Display").from_estimator(model, X, y)


def settled(wanted: Wanted, fitted: Any, X: Any, y: Any, classes: int) -> tuple[str, str]:
    """The kind of picture and the algorithm, where they were left open."""
    kind, algorithm = wanted.kind, wanted.algorithm
    if kind == "auto" and classes > 2:
        kind = "regions" if fitted is None or X.shape[1] == 2 else "weights"
    elif kind == "auto" and (fitted is not None or algorithm not in ("auto", "kozinec")):
        kind = "boundary"
    elif kind == "auto":
        kind = "margin" if choose(X, y).algorithm == "kozinec" else "boundary"
    return kind, TRAINED.get(kind, "averaged") if algorithm == "auto" else algorithm


def of_verdict(kind: str, X: Any, y: Any) -> Any:
    """Hulls, or the witness, which is there only where they meet."""
    verdict = separability(X, y)
    if kind == "hulls":
        return plot.HullsDisplay.from_verdict(verdict, X, y)
    if verdict.kind == "strict":
        raise DataError("--kind witness shows why classes overlap, but these are separable; try --kind margin.")
    return plot.WitnessDisplay.from_verdict(verdict, X, y)


def weights(model: Any, label: str | None) -> Any:
    """Of one class."""
    if not hasattr(model, "ranked_weights"):
        raise ParameterError("--kind weights needs weights of columns, which this algorithm does not have.")
    labels = {str(known): known for known in model.classes_.tolist()}
    if label is not None and label not in labels:
        raise ParameterError(f"--label must be one of {', '.join(labels)}, not {label!r}.{meant(label, labels)}")
    chosen = labels[label] if label is not None else None if len(labels) == 2 else next(iter(labels.values()))
    return plot.WeightsDisplay.from_estimator(model, label=chosen)

"""A fit from files to a report: read, choose, train, evaluate and prove."""

import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.certificate.exact_table import EXACT
from rosenblatt.classifiers.algorithm_choice import model_of
from rosenblatt.classifiers.choice.choose import Choice, choose
from rosenblatt.classifiers.multiclass.calibrated import Calibrated
from rosenblatt.cli.inputs import Columns, dialect_notes, is_pipe, question_target, refuse_one_class
from rosenblatt.cli.signals import first_interrupt
from rosenblatt.cli.text_table import header_notes
from rosenblatt.data.files.encoding import how_columns_were_read
from rosenblatt.data.files.lab_board import Pane
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.files.sources import TEXT, places
from rosenblatt.data.scaling import How
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import flag
from rosenblatt.errors.warnings import BudgetWarning
from rosenblatt.errors.wording import Wording, in_command_words
from rosenblatt.lab.saved_pane import model_in, pane_in
from rosenblatt.models.input_rows import classifier_of
from rosenblatt.report import report as reporting
from rosenblatt.report.progressive import progressive_of
from rosenblatt.report.report import Report, Stages


class FitRequest(NamedTuple):
    """What to train, and how to evaluate it.

    Attributes
    ----------
    algorithm : its name; "auto" to choose one
    passes : the most passes over the rows; None for the algorithm's own limit
    seed : of the random generator
    settings : other parameters of the algorithm, by name
    scale : how to scale the columns first; None for none, or as "auto" decides
    test : the fraction of the rows to keep for a test
    cv : the number of folds of a cross-validation
    prove : include a verdict on separability, whatever the algorithm
    probability : hold out a part of the training rows, and calibrate probabilities on them
    """

    algorithm: str
    passes: int | None
    seed: int
    settings: dict[str, Any]
    scale: How | Literal["none"] | None
    test: float | None
    cv: int | None
    prove: bool
    probability: bool = False


class SplitRows(NamedTuple):
    """All rows, the row numbers for training and for the test, and the training rows themselves.

    Without a test, all rows are training rows. Proofs take the numbers of a text file as decimals.
    """

    X: Any
    y: NDArray[Any]
    train: NDArray[Any]
    test: NDArray[Any]
    training: tuple[Any, NDArray[Any]]
    is_text: bool

    @classmethod
    def of(cls, X: Any, y: NDArray[Any], request: FitRequest, *, is_text: bool) -> "SplitRows":
        """Split rows as the request asks for."""
        train, test = reporting.split(y, request.test, request.seed)
        return cls(X, y, train, test, (X[train], y[train]) if len(test) else (X, y), is_text)


@contextmanager
def collect_warnings(notes: list[str], without: tuple[type[Warning], ...] = ()) -> Iterator[None]:
    """Append the text of each warning of this package to `notes`, once.

    Warnings of other libraries are dropped: they speak of functions and options that the command does not have.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    texts = [in_command_words(text) for text in wordings(caught, without)]
    notes += [text for text in dict.fromkeys(texts) if text not in notes]


def wordings(caught: list[warnings.WarningMessage], without: tuple[type[Warning], ...] = ()) -> Iterator[Wording]:
    """The messages of the warnings of this package."""
    for warning in caught:
        message = warning.message.args[0] if isinstance(warning.message, Warning) else None
        if isinstance(message, Wording) and not issubclass(warning.category, without):
            yield message


def fit_in_memory(request: FitRequest, data: list[str], reading: dict[str, Any]) -> Report:
    """Read all rows, then train, evaluate and prove."""
    stages, notes, source = Stages(), list[str](), ", ".join(data)
    with stages("reading"), collect_warnings(notes):
        files = places(data, reading["format"])
        found = read(cast(Any, files), **reading)
    notes += dialect_notes(source, files[0].format, found.dialect, _text_options(reading))
    notes += header_notes(source, files[0], _text_options(reading), reading.get("target"))
    notes += _question_target(source, found, reading)
    counts = _class_counts(source, found.y)
    rows = SplitRows.of(found.X, found.y, request, is_text=files[0].format in TEXT)
    pane = pane_in(data, reading["format"]) if request.algorithm == "auto" else None
    choice = choose_algorithm(request, pane, rows, stages)
    unfitted = unfitted_model(request, choice, len(counts), pane)
    if request.probability:
        unfitted = with_probabilities(unfitted, request.seed)
    with stages("training"), collect_warnings(notes, without=() if choice.estimator is None else (BudgetWarning,)):
        try:
            model = clone(unfitted).fit(*rows.training)
        except DataError as error:
            raise error.within(source) from error
    classifier_of(model).encoding_ = how_columns_were_read(found.encoding, found.zero_based)
    report = _report_on_rows(source, found, rows, counts, choice, model, stages, notes)
    report.check = "" if found.skipped > found.dropped or len(data) > 1 else verify_arguments(data[0], reading)
    if choice.hint:
        notes.append(choice.hint)
    if abs(found.X).max() >= EXACT:
        report.check = ""
        notes.append(f"Numbers of {EXACT:,} and more were rounded to floats; the proofs hold for the rounded numbers.")
    with warnings.catch_warnings(action="ignore"):  # warnings of the copies of the model that are trained here
        evaluate(report, request, unfitted, rows, stages)
        prove(report, request, rows, stages)
    return report


def _text_options(reading: dict[str, Any]) -> DialectOptions:
    return DialectOptions(*(reading.get(name) for name in DialectOptions._fields))


def _question_target(source: str, found: Data, reading: dict[str, Any]) -> list[str]:
    """Raise if the target is hardly a class; return notes on columns that look like counts."""
    target = reading["target"] if found.encoding is None else found.encoding.target
    columns = Columns(found.X, found.feature_names)
    return question_target(source, found.y.tolist(), target, columns, reading.get("categories") or ())


def _class_counts(source: str, y: NDArray[Any]) -> dict[Any, int | None]:
    """The number of rows of each class; raise if there are fewer than two classes."""
    counts = dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))
    refuse_one_class(source, list(counts), len(y))
    return counts


def choose_algorithm(request: FitRequest, pane: Pane | None, rows: SplitRows, stages: Stages) -> Choice:
    """The algorithm: that of a board of the lab, the named one, or (for "auto") the one that suits the rows."""
    if pane is not None:
        return Choice(pane.algorithm, None, "the board of the lab asks for it; --algorithm chooses another")
    if request.algorithm != "auto":
        return Choice(request.algorithm, None, "")
    with stages("choosing"):
        return choose(
            *rows.training, scale=request.scale, settings=request.settings, passes=request.passes, seed=request.seed
        )


def unfitted_model(request: FitRequest, choice: Choice, classes: int, pane: Pane | None = None) -> Any:
    """The estimator to train, with the scaling before it. A pane of the lab has its own options."""
    if choice.estimator is not None:
        return choice.estimator
    scale = choice.scale if request.scale is None else request.scale
    if pane is None:
        model = model_of(choice.algorithm, classes, request.passes, request.seed, request.settings)
    else:
        model = model_in(pane, request.passes, request.settings)
    return reporting.scaled(model, None if scale == "none" else scale)


def with_probabilities(model: Any, seed: int) -> Any:
    """The model with calibrated probabilities; in a pipeline, the classifier at its end gets them."""
    if not hasattr(model, "steps"):
        return Calibrated(model, random_state=seed)
    *first, (name, last) = model.steps
    return Pipeline([*first, (name, Calibrated(last, random_state=seed))])


def _report_on_rows(
    source: str,
    found: Data,
    rows: SplitRows,
    counts: dict[Any, int | None],
    choice: Choice,
    model: Any,
    stages: Stages,
    notes: list[str],
) -> Report:
    """The report with the facts that are known after training."""
    return Report(
        source=source,
        target=None if found.encoding is None else found.encoding.target,
        rows=len(found.y),
        skipped=found.skipped,
        dropped=found.dropped,
        columns=found.X.shape[1],
        counts=counts,
        algorithm=choice.algorithm,
        model=model,
        seconds=stages.seconds,
        why=choice.why,
        tried=choice.tried,
        learned_from=len(rows.train),
        tested=len(rows.test),
        notes=notes,
    )


def verify_arguments(source: str, reading: dict[str, Any]) -> str:
    """The arguments with which `check` and `verify` read the same rows; empty if they cannot."""
    if is_pipe(source) or reading["hash_bits"] is not None or reading.get("zero_based") is not None:
        return ""
    names = ("target", "format", "columns", "categories", "missing", *DialectOptions._fields)
    shared = {name: reading.get(name) for name in names}
    texts = {name: ",".join(map(str, v)) if isinstance(v, list | tuple) else v for name, v in shared.items()}
    options = [f"{flag(name)} {shlex.quote(str(value))}" for name, value in texts.items() if value not in (None, "")]
    return " ".join([shlex.quote(source), *options])


def evaluate(report: Report, request: FitRequest, unfitted: Any, rows: SplitRows, stages: Stages) -> None:
    """Measure the accuracy of the model, on test rows if there are any."""
    X, y, train, test, training, _ = rows
    with stages("judging"):
        if len(test):
            reporting.judge(report, X[test], y[test], "test rows")
        else:
            reporting.judge(report, X, y, reporting.TRAINING_ROWS)
        report.margins = reporting.margins_of(report.model, *training)
    if request.cv is not None:
        with stages("cross-validation"):
            report.folds = reporting.fold_accuracies(unfitted, *training, request.cv, request.seed)
    if len(test):
        with stages("learning curve"):
            report.curve = reporting.learning_curve(unfitted, X, y, train, test, request.seed)


def prove(report: Report, request: FitRequest, rows: SplitRows, stages: Stages) -> None:
    """Add the verdict on all rows and the bound on the updates, and (for a page) rows to draw."""
    if request.algorithm == "auto" or request.prove:
        with stages("proof"):
            reporting.prove(report, rows.X, rows.y, decimals=rows.is_text)
            reporting.bound_updates(report, *rows.training, report.verdict)
    report.sample = reporting.sample_of(report, *rows.training, request.seed) if request.prove else None


def fit_on_stream(request: FitRequest, data: list[str], reading: dict[str, Any], checkpoints: dict[str, Any]) -> Report:
    """Train in passes over chunks. The report has only what is counted during the passes."""
    algorithm, why = request.algorithm, ""
    if algorithm == "auto":
        algorithm, why = "averaged", "for streams, the averaged perceptron learns most from each pass"
    model = _stream_model(request, algorithm, checkpoints)
    source = Stream(data if len(data) > 1 else data[0], **reading)
    stages, notes, scaling = Stages(), list[str](), None
    _question_stream(data, reading)
    if request.scale is not None and request.scale != "none":
        with stages("scaling"):
            scaling = source.scale(request.scale)
    with stages("training"), collect_warnings(notes):
        if algorithm == "kozinec":
            model.fit_stream(source)
        elif checkpoints.get("checkpoint") is None:
            model.fit_stream(source, **checkpoints)
        else:
            with first_interrupt() as interrupted:
                model.fit_stream(source, progress=lambda _: interrupted(), **checkpoints)
    notes += dialect_notes(", ".join(data), source.format, source.dialect_, _text_options(reading))
    first = places(data[0], source.format)[0]
    notes += header_notes(", ".join(data), first, _text_options(reading), reading.get("target"))
    skips_gaps_only = reading.get("missing") == "drop" and source.on_error == "stop"
    return Report(
        source=", ".join(data),
        target=None if source.encoding_ is None else source.encoding_.target,
        rows=source.n_rows_,
        skipped=source.n_skipped_,
        dropped=source.n_skipped_ if skips_gaps_only else 0,
        columns=int(model.n_features_in_),
        counts=dict.fromkeys(model.classes_.tolist()),
        algorithm=algorithm,
        model=model if scaling is None else make_pipeline(scaling, model),
        seconds=stages.seconds,
        why=why,
        learned_from=source.n_rows_,
        notes=notes,
        progressive=progressive_of(model),
    )


def _question_stream(data: list[str], reading: dict[str, Any]) -> None:
    """Raise if the target is hardly a class, by the first chunk. Nothing is asked if classes are given.

    The chunk is read from another stream, which writes no cache and no quarantine file.
    """
    on_error = "stop" if reading.get("on_error", "stop") == "stop" else "skip"
    peek = Stream(data, **reading | {"on_error": on_error, "quarantine": None, "cache": False})
    if reading.get("classes") is not None or not peek.can_be_read_again:
        return
    chunk = next(peek.chunks(), None)
    if chunk is None or chunk.X is None or peek.feature_names_ is None:
        return
    target = reading.get("target") if peek.encoding_ is None else peek.encoding_.target
    columns = Columns(chunk.X, peek.feature_names_)
    labels = peek.header.classes[chunk.codes].tolist()
    question_target(", ".join(data), labels, target, columns, reading.get("categories") or ())


def _stream_model(request: FitRequest, algorithm: str, checkpoints: dict[str, Any]) -> Any:
    """The estimator to train on a stream; raise if the request needs all rows at once."""
    for option, given in (
        ("test", request.test is not None),
        ("cv", request.cv is not None),
        ("probability", request.probability),
    ):
        if given:
            raise ParameterError(f"--{option} is for data in memory; leave --stream out.")
    model = model_of(algorithm, 2, request.passes, request.seed, request.settings)
    if not hasattr(model, "fit_stream"):
        raise ParameterError(f"--algorithm {algorithm} needs all rows at once; leave --stream out.")
    if algorithm == "kozinec" and (checkpoints.get("checkpoint") is not None or checkpoints.get("resume")):
        raise ParameterError("--checkpoint and --resume do not work with kozinec, which has no partial result to save.")
    if checkpoints.get("progressive") and not getattr(model, "_predicts_first", False):
        raise ParameterError(
            f"--progressive does not work with {algorithm}, which looks at all rows first; give --algorithm averaged, "
            "perceptron, voted or pa."
        )
    return model

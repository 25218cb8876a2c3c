"""A fit from files to a report: read, choose, train, judge and prove."""

import os
import shlex
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from rosenblatt.certificate.exact_table import EXACT
from rosenblatt.classifiers.choice import Choice, choose, model_of
from rosenblatt.classifiers.training.fit_warnings import BudgetWarning
from rosenblatt.cli.options import is_pipe, refuse_too_many_classes
from rosenblatt.data.files.board import Pane
from rosenblatt.data.files.read import Data, read
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.lab.pane_in_file import model_in, pane_in
from rosenblatt.models.input_rows import classifier_of
from rosenblatt.report import report as reporting
from rosenblatt.report.report import Report, Stages


class Wanted(NamedTuple):
    """What is asked for, beside the data."""

    algorithm: str
    passes: int | None
    seed: int
    settings: dict[str, Any]
    scale: str | None
    test: float | None
    cv: int | None
    prove: bool  # is a verdict wanted, whatever the algorithm?


@contextmanager
def remembering(notes: list[str], without: tuple[type[Warning], ...] = ()) -> Iterator[None]:
    """Write down what is warned of, each thing once."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    words = [str(warning.message) for warning in said if not issubclass(warning.category, without)]
    notes += [text for text in dict.fromkeys(words) if text not in notes]


def in_memory(wanted: Wanted, data: list[str], reading: dict[str, Any]) -> Report:
    """Read all rows, then train, judge and prove."""
    stages, notes, source = Stages(), list[str](), ", ".join(data)
    with stages("reading"), remembering(notes):
        found = read(data if len(data) > 1 else data[0], **reading)
    X, y = found
    refuse_too_many_classes(source, y.tolist(), reading["target"])
    counts = dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))
    if len(counts) < 2:
        raise DataError(f"{source}: all {len(y):,} rows have the label {y.tolist()[0]!r}; two classes are needed.")
    train, test = reporting.split(y, wanted.test, wanted.seed)
    own = (X[train], y[train]) if len(test) else (X, y)
    pane = pane_in(data, reading["format"]) if wanted.algorithm == "auto" else None
    choice = chosen(wanted, pane, own, stages)
    unfitted = unfitted_model(wanted, choice, len(counts), pane)
    with stages("training"), remembering(notes, without=(BudgetWarning,) if choice.overlaps else ()):
        try:
            model = clone(unfitted).fit(*own)
        except DataError as error:
            raise DataError(f"{source}: {error}") from error
    classifier_of(model).encoding_ = None if found.encoding is None else found.encoding.record()
    made = Report(
        source=source,
        target=None if found.encoding is None else found.encoding.target,
        rows=len(y),
        skipped=found.skipped,
        columns=X.shape[1],
        counts=counts,
        algorithm=choice.algorithm,
        model=model,
        seconds=stages.seconds,
        why=choice.why,
        learned_from=len(train),
        tested=len(test),
        notes=notes,
        check="" if found.skipped or len(data) > 1 else how_to_read(data[0], reading),
    )
    if abs(X).max() >= EXACT:
        made.check = ""
        notes.append(f"Numbers of {EXACT:,} and more were rounded to floats; what is proved here is proved of those.")
    with warnings.catch_warnings(action="ignore"):  # of copies of the model, which nobody will see
        judge(made, wanted, unfitted, found, train, test, stages)
        if wanted.algorithm == "auto" or wanted.prove:
            with stages("proof"):
                reporting.prove(made, X, y, None if len(test) else choice.verdict)
                reporting.bound_updates(made, *own, choice.verdict)
        made.sample = reporting.sample_of(made, *own, wanted.seed) if wanted.prove else None
    return made


def chosen(wanted: Wanted, pane: Pane | None, own: tuple[Any, Any], stages: Stages) -> Choice:
    """The algorithm: the one that is named, that of a board of the lab, or the one that suits the rows."""
    if pane is not None:
        return Choice(pane.algorithm, None, "the board of the lab asks for it; --algorithm takes another")
    if wanted.algorithm != "auto":
        return Choice(wanted.algorithm, None, "")
    with stages("verdict"):
        return choose(*own)


def unfitted_model(wanted: Wanted, choice: Choice, classes: int, pane: Pane | None = None) -> Any:
    """What is to be trained, with the scaling before it; a pane of the lab has all its options."""
    scale = choice.scale if wanted.scale is None else wanted.scale
    if pane is None:
        model = model_of(choice.algorithm, classes, wanted.passes, wanted.seed, wanted.settings)
    else:
        model = model_in(pane, wanted.passes, wanted.settings)
    return reporting.scaled(model, None if scale == "none" else scale)


def how_to_read(source: str, reading: dict[str, Any]) -> str:
    """The arguments by which `check` and `verify` read the same rows; nothing if they cannot."""
    if is_pipe(source) or reading["hash_bits"] is not None:
        return ""
    told = {name: reading[name] for name in ("target", "format", "columns", "categories", "fill")}
    lists = {name: ",".join(map(str, v)) if isinstance(v, list | tuple) else v for name, v in told.items()}
    options = [f"--{name} {shlex.quote(str(value))}" for name, value in lists.items() if value not in (None, "")]
    return " ".join([shlex.quote(source), *options])


def judge(
    made: Report, wanted: Wanted, unfitted: Any, rows: Data, train: NDArray[Any], test: NDArray[Any], stages: Stages
) -> None:
    """Write down how good the model is, on rows kept back if there are any."""
    X, y = rows
    own = (X[train], y[train]) if len(test) else (X, y)
    with stages("judging"):
        if len(test):
            reporting.judge(made, X[test], y[test], "test rows")
        else:
            reporting.judge(made, X, y, reporting.LEARNED)
        made.margins = reporting.margins_of(made.model, *own)
    if wanted.cv is not None:
        with stages("cross-validation"):
            made.folds = reporting.shares_of_folds(unfitted, *own, wanted.cv, wanted.seed)
    if len(test):
        with stages("learning curve"):
            made.curve = reporting.learning_curve(unfitted, X, y, train, test, wanted.seed)


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Take the first Ctrl-C for a wish, so that a fit can stop where a checkpoint can be written."""
    pressed: list[int] = []
    elsewhere = threading.current_thread() is not threading.main_thread()  # which alone hears of it
    if elsewhere or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return

    def press(number: int, _: Any) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)
        os.write(2, b"stopping after this chunk, to write the checkpoint; again to stop at once\n")

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def on_stream(wanted: Wanted, data: list[str], reading: dict[str, Any], keeping: dict[str, Any]) -> Report:
    """Train in passes over chunks; the report has no more than what the passes counted."""
    for option, given in (("test", wanted.test), ("cv", wanted.cv), ("report", wanted.prove or None)):
        if given is not None:
            raise ParameterError(f"--{option} is for data in memory; leave --stream out.")
    algorithm, why = wanted.algorithm, ""
    if algorithm == "auto":
        algorithm, why = "averaged", "of a stream, the averaged perceptron learns most from each pass"
    model = model_of(algorithm, 2, wanted.passes, wanted.seed, wanted.settings)
    if not hasattr(model, "fit_stream"):
        raise ParameterError(f"--algorithm {algorithm} needs all rows at once; leave --stream out.")
    if algorithm == "kozinec" and (keeping.get("checkpoint") is not None or keeping.get("resume")):
        raise ParameterError("--checkpoint and --resume are for algorithms that learn on the way; kozinec does not.")
    source = Stream(data if len(data) > 1 else data[0], **reading)
    stages, notes, scaling = Stages(), list[str](), None
    if wanted.scale not in (None, "none"):
        with stages("scaling"):
            scaling = source.scale(wanted.scale)
    with stages("training"), remembering(notes):
        if algorithm == "kozinec":
            model.fit_stream(source)
        elif keeping.get("checkpoint") is None:
            model.fit_stream(source, **keeping)
        else:
            with asked_to_stop() as stopping:
                model.fit_stream(source, progress=lambda _: stopping(), **keeping)
    return Report(
        source=", ".join(data),
        target=None if source.encoding_ is None else source.encoding_.target,
        rows=source.n_rows_,
        skipped=source.n_skipped_,
        columns=int(model.n_features_in_),
        counts=dict.fromkeys(model.classes_.tolist()),
        algorithm=algorithm,
        model=model if scaling is None else make_pipeline(scaling, model),
        seconds=stages.seconds,
        why=why,
        learned_from=source.n_rows_,
        notes=notes,
    )

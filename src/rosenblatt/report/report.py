"""The facts of a fit. `text` and `page` turn them into sentences, tables and charts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline

from rosenblatt.base.exact import number_of
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.classifiers.algorithm_choice import MAX_MARGIN_COLUMNS, quick_hyperplane, verdict_of
from rosenblatt.classifiers.choice.candidates import Candidate
from rosenblatt.classifiers.choice.trials import Trial
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.compiled.jit import compile_seconds
from rosenblatt.data.scaling import How, Scaling
from rosenblatt.data.validation import signs
from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.models.input_rows import classifier_of, seen_by
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
from rosenblatt.proof.verdict import Verdict
from rosenblatt.report.progressive import Progressive
from rosenblatt.report.proportion import Proportion
from rosenblatt.report.quality import Quality, quality_of

CURVE_FRACTIONS = (0.1, 0.2, 0.4, 0.7, 1.0)  # of the training rows: the points of the learning curve
ERROR_BOUND_SECONDS = 3.0  # they only cut a search that takes unusually long
MAX_DRAWN_ROWS = 2000
TRAINING_ROWS = "training rows"


class Stages:
    """The seconds that each stage of the work took. Compiling rules, or loading them, is a stage of its own."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began, compiled = time.perf_counter(), compile_seconds()
        try:
            yield
        finally:
            compiling = compile_seconds() - compiled
            self._add(name, time.perf_counter() - began - compiling)
            if compiling:
                self._add("compiling", compiling)

    def _add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


class CurvePoint(NamedTuple):
    """A point of a learning curve: the number of training rows, and the accuracy on them and on the test rows."""

    rows: int
    training: Proportion
    others: Proportion


@dataclass
class Report:
    """The facts of a fit.

    Attributes
    ----------
    source : the files, as the user named them
    target : the name of the column with the labels, if it has one
    rows, skipped, columns : the numbers of rows used, of rows that were not used, and of columns
    dropped : how many of the skipped rows have gaps and were left out, as --missing drop asks for
    counts : the number of rows of each class; None for a stream, where they are not counted
    algorithm, why : the name of the algorithm, and why "auto" chose it (empty if the user did)
    tried : what "auto" tried, with the predictions of rows that were not learned from, the best first
    model : the fitted model; a pipeline if the columns were scaled first
    seconds : the time of each stage
    learned_from, tested : the numbers of training rows and of test rows
    bound, unbounded : the most updates that a perceptron can make; why there is no such bound
    check : the arguments with which `rosenblatt verify` reads the same rows; empty if it cannot
    verdict, fewest : the verdict on all rows, and bounds of the fewest errors of any hyperplane
    margins : the margins of the training rows; `unit` says what they measure
    sample : some of the training rows, as the classifier gets them, for drawing
    accuracy, confusion, judged : the accuracy, the confusion matrix, and the kind of rows they were measured on
    quality : more numbers of the same rows: each class, the ranking, the baseline, the probabilities
    folds : the accuracy in each fold of a cross-validation
    curve : the learning curve
    progressive : how many rows of a stream were right before they were learned from
    rounds : on a cluster, what each round over the shards cost: `what`, `seconds`, `sent` and `received` bytes
    notes : warnings, as sentences
    """

    source: str
    target: str | None
    rows: int
    skipped: int
    columns: int
    counts: dict[Any, int | None]
    algorithm: str
    model: Any
    seconds: dict[str, float]
    why: str = ""
    tried: list[tuple[Candidate, Trial]] = field(default_factory=list)
    learned_from: int = 0
    tested: int = 0
    bound: int | None = None
    unbounded: str = ""
    verdict: Verdict | None = None
    fewest: ErrorBounds | None = None
    margins: NDArray[Any] | None = None
    sample: tuple[Any, NDArray[Any]] | None = None
    accuracy: Proportion | None = None
    confusion: NDArray[Any] | None = None
    judged: str = ""
    quality: Quality | None = None
    folds: list[Proportion] = field(default_factory=list)
    curve: list[CurvePoint] = field(default_factory=list)
    progressive: Progressive | None = None
    rounds: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    check: str = ""
    dropped: int = 0

    @property
    def classifier(self) -> Any:
        """The model, without the scaling before it."""
        return classifier_of(self.model)

    @property
    def classes(self) -> list[Any]:
        return self.classifier.classes_.tolist()  # type: ignore[no-any-return]

    @property
    def learner(self) -> Any:
        """The estimator that was trained: the classifier, or the one inside a wrapper for several classes."""
        calibrated = self.calibration_rows is not None
        inner = self.classifier.estimator_ if calibrated else self.classifier
        return getattr(inner, "estimator_", inner)

    @property
    def stop_reason(self) -> StopReason | None:
        """Why training stopped; None if there were several searches, which may have different reasons."""
        return getattr(self.learner, "stop_reason_", None)

    def count(self, name: str) -> Any:
        """`n_iter_`, `n_updates_` or `mistakes_per_epoch_` of the trained estimator; None if it has no such count."""
        return getattr(self.learner, name, None)

    @property
    def scaling(self) -> str | None:
        """How the columns were scaled before training; None if they were not."""
        return getattr(self.model.steps[0][1], "how", None) if hasattr(self.model, "steps") else None

    @property
    def unit(self) -> str:
        """What the margins measure."""
        if len(self.classes) > 2:
            return "lead of the true class over the best other class"
        if not hasattr(self.classifier, "hyperplane_"):
            return "score, positive on the correct side"
        scaled = f" in columns after --scale {self.scaling}" if self.scaling else ""
        return f"distance from the boundary{scaled}, negative on the wrong side"

    @property
    def calibration_rows(self) -> int | None:
        """The number of training rows that were held out to calibrate probabilities; None without probabilities."""
        return getattr(self.classifier, "n_held_out_", None)

    def ranked_weights(self, label: Any = None) -> list[tuple[str, float]]:
        """Columns and their weights, the largest absolute weight first; empty if the classifier has no weights."""
        coef = getattr(self.classifier, "coef_", None)
        if coef is None or not hasattr(self.classifier, "ranked_weights"):
            return []
        return self.classifier.ranked_weights(label)  # type: ignore[no-any-return]


def scaled(model: Any, scale: How | None) -> Any:
    """The model, in a pipeline after a scaling step if `scale` is given."""
    return model if scale is None else make_pipeline(Scaling(how=scale), model)


def split(y: NDArray[Any], share: float | None, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The row numbers of the training rows and of the test rows, stratified by class, in increasing order."""
    every = np.arange(len(y))
    if share is None:
        return every, every[:0]
    if not 0 < share < 1:
        raise ParameterError(f"--test must be a fraction of the rows between 0 and 1, such as 0.2, not {share:g}.")
    counts = np.unique(y, return_counts=True)[1]
    try:
        if counts.min() < 2:
            raise ValueError("a class has one row only")
        train, test = train_test_split(every, test_size=share, stratify=y, random_state=seed)
    except ValueError as error:
        raise DataError(
            f"--test {share:g} needs training rows and test rows of each class. The smallest of {len(counts)} classes "
            f"has {count_of(int(counts.min()), 'row')}, and there are {count_of(len(y), 'row')} in all. Give more "
            "rows, or another fraction."
        ) from error
    return np.sort(train), np.sort(test)


def fold_accuracies(model: Any, X: Any, y: NDArray[Any], folds: int, seed: int) -> list[Proportion]:
    """The accuracy in each fold of a copy of the model that was trained on the other folds."""
    smallest = min(np.unique(y, return_counts=True)[1])
    if smallest < folds:
        other = f"Give --cv {smallest}" if smallest > 1 else "Leave --cv out"
        raise DataError(f"--cv {folds} needs {folds} rows of each class, but one class has only {smallest}. {other}.")
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    return [accuracy_of(clone(model).fit(X[train], y[train]), X[test], y[test]) for train, test in parts]


def accuracy_of(model: Any, X: Any, y: NDArray[Any]) -> Proportion:
    """The proportion of rows that the model classifies correctly."""
    return Proportion.of(int((model.predict(X) == y).sum()), len(y))


def learning_curve(model: Any, X: Any, y: NDArray[Any], train: Any, test: Any, seed: int) -> list[CurvePoint]:
    """The accuracies of copies of the model that were trained on more and more rows, stratified by class."""
    order = np.random.default_rng(seed).permutation(train)
    found = []
    for fraction in CURVE_FRACTIONS:
        some = np.concatenate(
            [own[: int(np.ceil(fraction * len(own)))] for own in (order[y[order] == c] for c in np.unique(y))]
        )
        some = np.sort(some)
        try:
            learned = clone(model).fit(X[some], y[some])
        except RosenblattError:  # too few rows for this algorithm
            continue
        found.append(
            CurvePoint(len(some), accuracy_of(learned, X[some], y[some]), accuracy_of(learned, X[test], y[test]))
        )
    return found


def margins_of(model: Any, X: Any, y: NDArray[Any]) -> NDArray[Any]:
    """The margin of each row, in the unit of the report; positive if the row is classified correctly."""
    scores = model.decision_function(X)
    codes = np.searchsorted(model.classes_, y)
    if scores.ndim == 1:
        plane = getattr(classifier_of(model), "hyperplane_", None)
        return np.asarray(signs(codes) * scores / (plane.norm if plane is not None and plane.w.any() else 1.0))
    every = np.arange(len(y))
    true = scores[every, codes]
    scores[every, codes] = -np.inf
    return np.asarray(true - scores.max(axis=1))


def judge(report: Report, X: Any, y: NDArray[Any], judged: str) -> None:
    """Add the accuracy, the confusion matrix and the quality on these rows to the report."""
    predicted = report.model.predict(X)
    report.accuracy = Proportion.of(int((predicted == y).sum()), len(y))
    report.confusion = confusion_matrix(y, predicted, labels=report.classifier.classes_)
    report.quality = quality_of(report.model, X, y, predicted, report.confusion, report.counts)
    report.judged = judged


def sample_of(report: Report, X: Any, y: NDArray[Any], seed: int) -> tuple[Any, NDArray[Any]]:
    """At most `MAX_DRAWN_ROWS` rows in their order, as the classifier gets them."""
    some = np.arange(len(y))
    if len(y) > MAX_DRAWN_ROWS:
        some = np.sort(np.random.default_rng(seed).choice(some, MAX_DRAWN_ROWS, replace=False))
    return seen_by(report.model, X[some]), y[some]


def bound_updates(report: Report, X: Any, y: NDArray[Any], verdict: Verdict | None = None) -> None:
    """Add the most updates that a perceptron can make on these rows, after scaling, to the report.

    `verdict` is that on all rows. If they are not strictly separable, no bound is looked for.
    """
    model, seen = report.classifier, seen_by(report.model, X)
    if not isinstance(model, Perceptron):
        return
    rule = "hyperplane" if len(report.classes) == 2 else "linear rule"
    if verdict is not None and verdict.kind in ("weak", "overlap", "not_strict"):
        report.unbounded = f"no {rule} separates the rows strictly"
        if report.tested:  # the training rows alone may be separable
            report.unbounded = f"it was not looked for, because no {rule} separates all rows strictly"
        return
    known = verdict
    if known is None or report.tested or report.scaling or known.decimals:
        known = verdict_of(seen, y)  # the perceptron learned from these floats
    if known.kind == "undecided" or (known.kind == "strict" and seen.shape[1] > MAX_MARGIN_COLUMNS):
        report.unbounded = "it was not looked for, because that would take long"
        return
    if known.kind != "strict":
        scaled = f" after --scale {report.scaling}" if report.scaling else ""
        report.unbounded = f"no {rule} separates the rows strictly{scaled}"
        return
    certificate = model._certificate(seen, y, known.certificate)
    if "mistakes" in certificate.body:
        report.bound = number_of(certificate.body["mistakes"]["bound"])
    else:
        report.unbounded = "training started from weights other than 0"


def prove(report: Report, X: Any, y: NDArray[Any], *, decimals: bool = False) -> None:
    """Add the verdict on all rows to the report, and bounds of the fewest errors if two classes overlap."""
    report.verdict = verdict_of(X, y, decimals=decimals)
    if len(report.counts) == 2 and report.verdict.kind in ("overlap", "not_strict"):
        plane = quick_hyperplane(X, y)
        report.fewest = error_bounds(X, y, time_limit=ERROR_BOUND_SECONDS, hyperplane=plane, decimals=decimals)

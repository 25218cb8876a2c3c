"""What a fit read, did and reached: all that the terminal and the page say, as numbers."""

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
from rosenblatt.classifiers.choice import WIDE, first_verdict, quick_hyperplane, whole_verdict
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.data.scaling import Scaling
from rosenblatt.data.validation import signs
from rosenblatt.errors import DataError, ParameterError, RosenblattError
from rosenblatt.models.input_rows import classifier_of, seen_by
from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
from rosenblatt.proof.verdict import Verdict
from rosenblatt.report.proportion import Share

SIZES = (0.1, 0.2, 0.4, 0.7, 1.0)  # of the rows learned from, for the learning curve
SECONDS = 2.0  # for the fewest errors
DRAWN = 2000  # rows that a picture shows
LEARNED = "rows that it learned from"


class Stages:
    """How long each part of the work took, in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


class Point(NamedTuple):
    """Of a learning curve: so many rows learned from, and the shares then right of these and of others."""

    rows: int
    training: Share
    others: Share


@dataclass
class Report:
    """A fit, from what was read to what is known of new rows.

    Attributes
    ----------
    source : what was read, as the user named it
    target : the column of the label, if it has a name
    rows, skipped, columns : how many
    counts : rows of each class; None where they were not counted
    algorithm, why : its name, and why it was chosen, if it was
    model : fitted; a pipeline, if columns were scaled first
    seconds : by stage
    learned_from, tested : how many rows
    bound, unbounded : on the updates of a perceptron; why there is none
    check : what `rosenblatt verify` is to be told to read the same rows; nothing if it cannot
    verdict, fewest : on all rows; the fewest errors of any hyperplane
    margins : of the rows learned from; `unit` says of what
    sample : some of the rows learned from, as the classifier sees them, to be drawn
    share, confusion, judged : rows right, by class, and which rows these are
    folds : rows right in each part of a cross-validation
    curve : of learning
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
    learned_from: int = 0
    tested: int = 0
    bound: int | None = None
    unbounded: str = ""
    verdict: Verdict | None = None
    fewest: ErrorBounds | None = None
    margins: NDArray[Any] | None = None
    sample: tuple[Any, NDArray[Any]] | None = None
    share: Share | None = None
    confusion: NDArray[Any] | None = None
    judged: str = ""
    folds: list[Share] = field(default_factory=list)
    curve: list[Point] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    check: str = ""

    @property
    def classifier(self) -> Any:
        """The model, without the scaling before it."""
        return classifier_of(self.model)

    @property
    def classes(self) -> list[Any]:
        return self.classifier.classes_.tolist()  # type: ignore[no-any-return]

    @property
    def learner(self) -> Any:
        """What learned: the classifier, or the one inside it that answers for many classes."""
        return getattr(self.classifier, "estimator_", self.classifier)

    @property
    def stop_reason(self) -> StopReason | None:
        """Why training stopped; None of several searches, which may have stopped for different reasons."""
        return getattr(self.learner, "stop_reason_", None)

    def count(self, name: str) -> Any:
        """`n_iter_`, `n_updates_` or `mistakes_per_epoch_` of what learned, if it has that."""
        return getattr(self.learner, name, None)

    @property
    def scaling(self) -> str | None:
        """What was done to the columns first."""
        return self.model.steps[0][1].how if self.model is not self.classifier else None

    @property
    def unit(self) -> str:
        """What margins are measured in."""
        if len(self.classes) > 2:
            return "lead of the true class over the best other"
        if not hasattr(self.classifier, "hyperplane_"):
            return "score, positive on the right side"
        scaled = f" in columns after --scale {self.scaling}" if self.scaling else ""
        return f"distance from the boundary{scaled}, negative on the wrong side"

    @property
    def base_rate(self) -> tuple[Any, float]:
        """The class of most of the rows that were judged, and their share: what saying nothing else would get right."""
        assert self.confusion is not None  # noqa: S101
        counts = self.confusion.sum(axis=1)
        return self.classes[int(counts.argmax())], float(counts.max() / counts.sum())

    def ranked_weights(self, label: Any = None) -> list[tuple[str, float]]:
        """Columns and their weights, the largest in size first; none of a classifier that has no weights."""
        coef = getattr(self.classifier, "coef_", None)
        if coef is None or not hasattr(self.classifier, "ranked_weights"):
            return []
        return self.classifier.ranked_weights(label)  # type: ignore[no-any-return]


def scaled(model: Any, scale: str | None) -> Any:
    """The model, after the scaling of columns if there is to be any."""
    return model if scale is None else make_pipeline(Scaling(how=scale), model)


def split(y: NDArray[Any], share: float | None, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The numbers of the rows to learn from and of those to test on, each class in its share, in their order."""
    every = np.arange(len(y))
    if share is None:
        return every, every[:0]
    if not 0 < share < 1:
        raise ParameterError(f"--test must be a share of the rows between 0 and 1, as 0.2, not {share:g}.")
    counts = np.unique(y, return_counts=True)[1]
    try:
        if counts.min() < 2:
            raise ValueError("a class has one row only")
        train, test = train_test_split(every, test_size=share, stratify=y, random_state=seed)
    except ValueError as error:
        raise DataError(
            f"--test {share:g} needs rows of each class on both sides; the smallest of {len(counts)} classes has "
            f"{count_of(int(counts.min()), 'row')}, and there are {len(y):,} in all. Give more rows, or another share."
        ) from error
    return np.sort(train), np.sort(test)


def shares_of_folds(model: Any, X: Any, y: NDArray[Any], folds: int, seed: int) -> list[Share]:
    """Rows right in each part, by copies of the model that learned from the other parts."""
    least = min(np.unique(y, return_counts=True)[1])
    if least < folds:
        other = f"Give --cv {least}" if least > 1 else "Leave it out"
        raise DataError(f"--cv {folds} needs {folds} rows of each class, but one has only {least}. {other}.")
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    return [share_of(clone(model).fit(X[train], y[train]), X[test], y[test]) for train, test in parts]


def share_of(model: Any, X: Any, y: NDArray[Any]) -> Share:
    return Share.of(int((model.predict(X) == y).sum()), len(y))


def learning_curve(model: Any, X: Any, y: NDArray[Any], train: Any, test: Any, seed: int) -> list[Point]:
    """What copies of the model know after learning from more and more of the rows, each class in its share."""
    order = np.random.default_rng(seed).permutation(train)
    found = []
    for size in SIZES:
        some = np.concatenate(
            [own[: int(np.ceil(size * len(own)))] for own in (order[y[order] == c] for c in np.unique(y))]
        )
        some = np.sort(some)
        try:
            learned = clone(model).fit(X[some], y[some])
        except RosenblattError:  # too few for this algorithm
            continue
        found.append(Point(len(some), share_of(learned, X[some], y[some]), share_of(learned, X[test], y[test])))
    return found


def margins_of(model: Any, X: Any, y: NDArray[Any]) -> NDArray[Any]:
    """How far each row is on its right side, in the unit of the report."""
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
    """Write down what the model makes of rows whose labels are known."""
    said = report.model.predict(X)
    report.share = Share.of(int((said == y).sum()), len(y))
    report.confusion = confusion_matrix(y, said, labels=report.classifier.classes_)
    report.judged = judged


def sample_of(report: Report, X: Any, y: NDArray[Any], seed: int) -> tuple[Any, NDArray[Any]]:
    """Some rows, as the classifier sees them, in their order."""
    some = np.arange(len(y))
    if len(y) > DRAWN:
        some = np.sort(np.random.default_rng(seed).choice(some, DRAWN, replace=False))
    return seen_by(report.model, X[some]), y[some]


def bound_updates(report: Report, X: Any, y: NDArray[Any], verdict: Verdict | None = None) -> None:
    """Write down the most updates that a perceptron can make on these rows, as it sees them."""
    model, seen = report.classifier, seen_by(report.model, X)
    if not isinstance(model, Perceptron):
        return
    kind = (first_verdict(seen, y) if verdict is None or report.scaling else verdict).kind
    if kind == "undecided" or (kind == "strict" and seen.shape[1] > WIDE):
        report.unbounded = "it was not looked for, which would take long"
        return
    if kind != "strict":
        scaled = f" after --scale {report.scaling}" if report.scaling else ""
        report.unbounded = (
            f"no {'hyperplane' if len(report.classes) == 2 else 'linear rule'} separates the rows strictly{scaled}"
        )
        return
    certificate = model.certificate(seen, y)
    if "mistakes" in certificate.body:
        report.bound = number_of(certificate.body["mistakes"]["bound"])
    else:
        report.unbounded = "learning began with other weights than 0"


def prove(report: Report, X: Any, y: NDArray[Any], verdict: Verdict | None) -> None:
    """Write down the verdict on all rows, and the fewest errors where classes overlap."""
    report.verdict = whole_verdict(X, y, first_verdict(X, y) if verdict is None else verdict)
    if len(report.counts) == 2 and report.verdict.kind in ("overlap", "not_strict"):
        report.fewest = error_bounds(X, y, budget=SECONDS, hyperplane=quick_hyperplane(X, y))

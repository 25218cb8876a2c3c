"""Training on data larger than memory: one pass over the chunks of a stream after the other."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.classifiers.training.problem import StreamProblem
from rosenblatt.classifiers.training.stop_decision import Run
from rosenblatt.classifiers.training.stream_passes import StreamOptions, StreamPasses
from rosenblatt.data import validation
from rosenblatt.errors import DataError


@dataclass
class ProgressiveCounts:
    """The rows that were predicted before they were learned from, and how many of them were right.

    Attributes
    ----------
    rows, right : the counts so far
    curve : the counts after 1, 2, 4, 8, ... rows
    """

    rows: int = 0
    right: int = 0
    curve: list[tuple[int, int]] = field(default_factory=list)

    def parts(self, n: int) -> Iterator[slice]:
        """Cut the next n rows where a point of the curve is due, so that it does not depend on the chunks."""
        start, due = 0, 2 ** len(self.curve) - self.rows
        while start < n:
            stop = min(n, start + due)
            yield slice(start, stop)
            start, due = stop, 2 ** len(self.curve) - self.rows

    def add(self, rows: int, wrong: int) -> None:
        """Count more rows, up to the next point of the curve at most."""
        self.rows, self.right = self.rows + rows, self.right + rows - int(wrong)
        if self.rows == 2 ** len(self.curve):
            self.curve.append((self.rows, self.right))

    @property
    def table(self) -> NDArray[np.int64]:
        """The curve with its last point: one line of rows and right rows for each point."""
        lines = [*self.curve, (self.rows, self.right)]
        return np.array(list(dict.fromkeys(lines)), dtype=np.int64)


class Trained(NamedTuple):
    """What training on a stream reached."""

    learner: LinearLearner
    run: Run
    weight_range: tuple[float, float] = (1.0, 1.0)
    predicted: ProgressiveCounts | None = None


@dataclass(kw_only=True)
class StreamPassesProblem(StreamProblem):
    """A stream, and a learner that passes over it.

    Attributes
    ----------
    options : checkpoints and progress
    model : the estimator
    start : returns the learner to begin with, for the classes and the number of columns of the first chunk
    after_restore : is called with a learner that was restored from a checkpoint
    run, mistakes, updates : what happened so far; the mistakes and updates are those of this pass
    predicted : the predictions of the first pass, if they are asked for
    """

    options: StreamOptions
    model: Any
    start: Callable[[NDArray[Any], int], LinearLearner]
    after_restore: Callable[[LinearLearner], None] = lambda _: None
    run: Run = field(default_factory=Run)
    mistakes: int = 0
    updates: int = 0
    predicted: ProgressiveCounts | None = None
    _learner: LinearLearner | None = None

    @property
    def learner(self) -> LinearLearner:
        """The learner; it exists once the first chunk was read."""
        if self._learner is None:
            raise DataError("Nothing was learned: the stream has no rows.")
        return self._learner

    def train(self, callbacks: Callbacks | None = None) -> Trained:
        """Pass over the stream until a pass makes no mistake, at most `max_epochs` times."""
        stream, bias, over = self.stream, float(self.model.bias), False
        passes = StreamPasses(stream, self.options, self.model, self.state)
        self.predicted = ProgressiveCounts() if self.options.progressive else None
        if self.options.resume:
            self.restore(passes.resumed())
        while passes.epoch < passes.max_epochs and not over:
            if callbacks is not None:
                callbacks.begin()
            for chunk in passes.chunks():
                if self._learner is None:
                    self._learner = self.start(stream.header.classes, stream.n_columns_)
                if self._learner.w.shape[-1] <= stream.n_columns_:
                    self._learner.widen(stream.n_columns_)
                rows, y = validation.rows(chunk.X, bias), validation.targets(chunk.codes, stream.header.classes)
                mistakes, updates = self._learn(self._learner, rows, y, first=passes.epoch == 0)
                self.mistakes, self.updates = self.mistakes + mistakes, self.updates + updates
                passes.report_progress(chunk, self.mistakes)
            over = self._end_pass()
            passes.end_pass()
            if callbacks is not None and callbacks.end(lambda: Trained(self.learner, self.run)) and not over:
                self.run.stop_reason, over = StopReason.CONDITION, True
        return Trained(self.learner, self.run, predicted=self.predicted)

    def _learn(self, learner: LinearLearner, rows: Any, y: Any, *, first: bool) -> tuple[int, int]:
        """Learn from a chunk, and return the number of mistakes and of updates; in the first pass predict it, too."""
        n = len(y)
        order, weight = np.arange(n), np.ones(n)
        if self.predicted is None or not first:
            return learner.learn(rows, y, order, weight)
        tie, mistakes, updates = 1.0 if learner.tie > 0 else -1.0, 0, 0
        for part in self.predicted.parts(n):
            predicted, more, made = learner.predict_and_learn(rows, y, order[part], weight, tie)
            true = y[part] > 0 if learner.w.ndim == 1 else y[part]
            self.predicted.add(part.stop - part.start, int(np.count_nonzero(predicted != true)))
            mistakes, updates = mistakes + more, updates + made
        return mistakes, updates

    def _end_pass(self) -> bool:
        """Record a pass, and return True if training is over."""
        mistakes, updates, learner = self.mistakes, self.updates, self.learner
        self.mistakes = self.updates = 0
        learner.end_pass(None)
        return self.run.end_pass(learner, mistakes, updates, once_each=True, has_mistake=self._has_mistake)

    def _has_mistake(self) -> bool:
        bias = float(self.model.bias)
        for chunk in self.stream.chunks():
            rows, y = validation.rows(chunk.X, bias), validation.targets(chunk.codes, self.stream.header.classes)
            if self.learner.first_mistake(rows, y, np.arange(len(chunk.codes))) >= 0:
                return True
        return False

    def state(self) -> State:
        """Return what a checkpoint holds."""
        arrays, facts = state_of(self.learner)
        described = {
            "kind": kind_of(self.learner),
            "learner": facts,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "mistakes_per_epoch": self.run.mistakes_per_epoch,
            "n_updates": self.run.n_updates,
            "predicted": None if self.predicted is None else asdict(self.predicted),
        }
        return State(arrays, described)

    def restore(self, state: State | None) -> None:
        """Continue from what a checkpoint holds; None to begin anew."""
        if state is None:
            return
        facts = state.facts
        try:
            self._learner = learner_of(facts["kind"], state.arrays, facts["learner"])
            self.after_restore(self._learner)
            self.mistakes, self.updates = int(facts["mistakes"]), int(facts["updates"])
            self.run.mistakes_per_epoch = [int(count) for count in facts["mistakes_per_epoch"]]
            self.run.n_updates = int(facts["n_updates"])
            if self.predicted is not None:
                self.predicted = self._restored_counts(facts.get("predicted"))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The checkpoint does not belong to a fit of this kind: {error!r}.") from error

    def _restored_counts(self, facts: Any) -> ProgressiveCounts:
        """The predictions so far; a checkpoint of a fit that did not predict has none."""
        if facts is None:
            raise DataError(
                "The checkpoint is of a fit without progressive validation, so the rows learned from so far were not "
                "predicted. Leave progressive validation out, or begin anew without resuming."
            )
        curve = [(int(rows), int(right)) for rows, right in facts["curve"]]
        return ProgressiveCounts(int(facts["rows"]), int(facts["right"]), curve)

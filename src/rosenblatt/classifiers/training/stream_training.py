"""Training on data larger than memory, for learners: one pass over the chunks after the other."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base import parameters
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks, TakesCallbacks
from rosenblatt.classifiers.training.checkpoint import State
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.classifiers.training.run import Run
from rosenblatt.classifiers.training.scores import targets
from rosenblatt.classifiers.training.stream_passes import Progress, StreamOptions, StreamPasses
from rosenblatt.data import validation
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Rows
from rosenblatt.errors import DataError, ParameterError


class LearnsFromStreams(TakesCallbacks):
    """An estimator with `fit_stream`, which passes over data larger than memory."""

    max_epochs: int
    _constraints: ClassVar[dict[str, parameters.Constraint]]

    def fit_stream(
        self,
        source: Any,
        target: str | int | None = None,
        *,
        checkpoint: Any = None,
        every_seconds: float = 30.0,
        every_rows: int | None = None,
        resume: bool = False,
        progress: Callable[[Progress], bool | None] | None = None,
        **reading: Any,
    ) -> Self:
        """Learn from the rows of files, in chunks, as `fit` does from rows in memory.

        Rows come in the order of the files, whatever `order` is. The weights equal those that `fit` gives all rows
        (with order="cyclic", where there is an order), to the last bit, for any size of the chunks. Memory holds a few
        chunks.

        Parameters
        ----------
        source : a `Stream`, or what `Stream` takes
        target, reading : options of the `Stream`, if the source is not one
        checkpoint : path of a file that records how far the fit is; it is replaced every `every_seconds` and every
            `every_rows`. It stays when the fit ends: delete it when the model is saved
        resume : continue from the checkpoint, if there is one, to the same bits; other data or parameters are refused
        progress : called with a `Progress` after every chunk. If it returns True the fit is interrupted as by Ctrl-C,
            after the checkpoint, if there is one, was written
        """
        parameters.check(self, self._constraints)
        self._check_streamable()
        stream = stream_of(source, reading | ({} if target is None else {"target": target}))
        options = StreamOptions(checkpoint, every_seconds, every_rows, resume, progress)
        self._fit(self._stream_problem(stream, options), self.max_epochs)
        self._warn_of_budget(stacklevel=3)
        return self

    def _check_streamable(self) -> None:
        """Raise ParameterError if a parameter needs all rows at once."""

    def _stream_problem(self, stream: Stream, options: StreamOptions) -> Any:
        """Return what to train on; its `train` makes the passes."""
        raise NotImplementedError

    def _warn_of_budget(self, stacklevel: int) -> None:
        """Warn if training stopped because its budget was used."""
        raise NotImplementedError


def stream_of(source: Any, options: dict[str, Any]) -> Stream:
    """Return the source itself if it is a `Stream`, else a stream of these files."""
    if not isinstance(source, Stream):
        return Stream(source, **options)
    if options:
        raise ParameterError(f"Options of reading, as {next(iter(options))}, are given to the Stream itself.")
    return source


def known_width(init: Any, d: int) -> int:
    """Return the number of columns of the first rows or of the start weights, whichever is larger."""
    return d if init is None else max([d, *(size - 1 for size in np.shape(init)[-1:])])


def signs(chunk: Chunk, stream: Stream) -> Any:
    """Return the classes of the rows of a chunk as the rules take them."""
    return targets(chunk.codes, stream.header.classes)


def rows_of(chunk: Chunk, bias: float) -> Rows:
    """Return the rows of a chunk as the rules take them."""
    return validation.rows(chunk.X, bias)


class StreamTask:
    """A learner and its run over a stream.

    Parameters
    ----------
    start : returns the learner to begin with, for the classes and the number of columns of the first chunk
    bias : the constant that each row ends with
    after_restore : is called with a learner that was restored from a checkpoint
    """

    def __init__(
        self,
        start: Callable[[NDArray[Any], int], LinearLearner],
        bias: float,
        after_restore: Callable[[LinearLearner], None] = lambda _: None,
    ) -> None:
        self._start, self._after_restore, self.bias = start, after_restore, bias
        self._learner: LinearLearner | None = None
        self.run = Run()
        self.mistakes = self.updates = 0  # in this pass

    @property
    def learner(self) -> LinearLearner:
        """The learner; it exists once the first chunk was read."""
        if self._learner is None:
            raise DataError("Nothing was learned: the stream has no rows.")
        return self._learner

    def __deepcopy__(self, memo: dict[int, Any]) -> "StreamTask":
        """The learner and its run; the stream, which `start` may refer to, is not copied."""
        twin = StreamTask(self._start, self.bias, self._after_restore)
        twin._learner, twin.run = self.learner.copy(), Run(**vars(self.run))
        twin.run.mistakes_per_epoch = list(self.run.mistakes_per_epoch)
        return twin

    def learn(self, chunk: Chunk, stream: Stream) -> None:
        """Learn from a chunk."""
        if self._learner is None:
            self._learner = self._start(stream.header.classes, stream.n_columns_)
        self._learner.widen(stream.n_columns_)
        order: Codes = np.arange(len(chunk.codes))
        mistakes, updates = self._learner.learn(rows_of(chunk, self.bias), signs(chunk, stream), order)
        self.mistakes, self.updates = self.mistakes + mistakes, self.updates + updates

    def end_pass(self, stream: Stream) -> bool:
        """Record a pass, and return True if training is over."""
        mistakes, updates = self.mistakes, self.updates
        self.mistakes = self.updates = 0
        self.learner.end_pass(None)
        return self.run.end_pass(
            self.learner, mistakes, updates, once_each=True, has_mistake=lambda: self._has_mistake(stream)
        )

    def _has_mistake(self, stream: Stream) -> bool:
        for chunk in stream.chunks():
            rows, every = rows_of(chunk, self.bias), np.arange(len(chunk.codes))
            if self.learner.first_mistake(rows, signs(chunk, stream), every) >= 0:
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
        }
        return State(arrays, described)

    def restore(self, state: State) -> None:
        """Continue from what a checkpoint holds."""
        facts = state.facts
        try:
            self._learner = learner_of(facts["kind"], state.arrays, facts["learner"])
            self._after_restore(self._learner)
            self.mistakes, self.updates = int(facts["mistakes"]), int(facts["updates"])
            self.run.mistakes_per_epoch = [int(count) for count in facts["mistakes_per_epoch"]]
            self.run.n_updates = int(facts["n_updates"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The checkpoint does not belong to a fit of this kind: {error!r}.") from error


def train_on_stream(task: StreamTask, passes: StreamPasses, callbacks: Callbacks | None = None) -> StreamTask:
    """Pass over a stream until a pass makes no mistake, at most as often as the budget allows."""
    state = passes.resumed()
    if state is not None:
        task.restore(state)
    for chunks in passes:
        if callbacks is not None:
            callbacks.begin()
        for chunk in chunks:
            task.learn(chunk, passes.stream)
            passes.tell(chunk, task.mistakes)
        over = task.end_pass(passes.stream)
        passes.end_pass()
        if callbacks is not None and callbacks.end(lambda: task) and not over:
            task.run.stop_reason, over = StopReason.CONDITION, True
        if over:
            break
    return task

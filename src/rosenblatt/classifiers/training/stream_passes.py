"""Training on data larger than memory: passes over the chunks of a stream, with checkpoints on the way."""

import copy
import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base import events, parameters
from rosenblatt.base.stopping import StopReason
from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.classifiers.training.checkpoint import Checkpoints, State
from rosenblatt.classifiers.training.learner import Learner
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.classifiers.training.passes import SAID, Run
from rosenblatt.classifiers.training.scores import held, rules, targets
from rosenblatt.data import validation
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Codes, Floats, Rows
from rosenblatt.data.weights import class_weights
from rosenblatt.errors import DataError, ParameterError

PLACE = ("epoch", "chunk", "rows", "size", "bad", "mark", "whole")  # where passes are, and fingerprints of the data


class Progress(NamedTuple):
    """How far a fit is; one is handed to `progress` after each chunk.

    Examples
    --------
    >>> from rosenblatt import Progress
    >>> now = Progress(epoch=1, max_epochs=3, rows=500, size=10_000, total=40_000, mistakes=12, seconds=2.0)
    >>> print(f"{now.rows / now.seconds:.0f} rows/s, {now.seconds_left:.0f} s left in this pass")
    250 rows/s, 6 s left in this pass
    """

    epoch: int  # passes begun
    max_epochs: int
    rows: int  # learned from in this pass
    size: int  # bytes read in this pass
    total: int | None  # bytes of a pass, if known
    mistakes: int  # in this pass
    seconds: float  # since the fit began

    @property
    def seconds_left(self) -> float | None:
        """Of this pass, at the speed so far, if that can be known."""
        if not self.total or not self.size:
            return None
        done = (self.epoch - 1) * self.total + self.size
        return self.seconds / done * max(self.total - self.size, 0)


class Options(NamedTuple):
    """How a fit of a stream is watched and kept."""

    checkpoint: Path | None = None
    every_seconds: float = 30.0
    every_rows: int | None = None
    resume: bool = False
    progress: Callable[[Progress], bool | None] | None = None

    def check(self) -> None:
        if self.resume and self.checkpoint is None:
            raise ParameterError("resume=True needs checkpoint=FILE, the file to resume from.")
        if not (isinstance(self.every_seconds, int | float) and self.every_seconds >= 0):
            raise ParameterError(f"every_seconds must be a number of at least 0, not {self.every_seconds!r}.")
        if self.every_rows is not None and not (isinstance(self.every_rows, int) and self.every_rows > 0):
            raise ParameterError(f"every_rows must be an integer above 0, or None, not {self.every_rows!r}.")


def stream_of(source: Any, options: dict[str, Any]) -> Stream:
    """The stream itself, or one of these files."""
    if not isinstance(source, Stream):
        return Stream(source, **options)
    if options:
        raise ParameterError(f"Options of reading, as {next(iter(options))}, are given to the Stream itself.")
    return source


class LearnsFromStreams:
    """An estimator that can pass over data larger than memory."""

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

        Rows come in the order of the files, whatever `order` says of `fit`; the weights are those that `fit` gives all
        rows (with order="cyclic", where there is an order), to the last bit, whatever the size of the chunks. Memory
        holds a few chunks.

        Parameters
        ----------
        source : `Stream`, or what it takes
        target, reading : options of the `Stream`, if the source is not one
        checkpoint : path of a file that says where the fit is, replaced every `every_seconds` and `every_rows`; it
            stays when the fit ends, until what was learned is safe elsewhere
        resume : go on from the checkpoint, if there is one, to the same bits; data or options that differ are refused
        progress : called with a `Progress` after every chunk; if it returns True the fit is broken off, as by Ctrl-C,
            but after the checkpoint, if one is kept, was written
        """
        parameters.check(self, self._constraints)
        self._check_streamable()
        options = Options(checkpoint, every_seconds, every_rows, resume, progress)
        self._fit_stream(stream_of(source, reading | ({} if target is None else {"target": target})), options)
        return self

    def _check_streamable(self) -> None:
        """Refuse parameters that need all rows at once."""

    def _fit_stream(self, stream: Stream, options: Options) -> None:
        raise NotImplementedError


def asked_of(model: Any) -> dict[str, Any]:
    """What is asked of an estimator, in words by which a later run can tell if it is the same."""
    asked = {}
    for name, value in sorted(model.get_params().items()):
        if isinstance(value, np.ndarray | list | tuple):
            value = hashlib.sha256(np.ascontiguousarray(value, dtype=np.float64).tobytes()).hexdigest()
        elif callable(value):
            value = f"{value.__module__}.{value.__qualname__}"
        asked[name] = repr(value)
    return {"algorithm": type(model).__name__, **asked}


def known_width(init: Any, d: int) -> int:
    """How many columns there are at least: those of the first rows, or of start weights."""
    return d if init is None else max([d, *(size - 1 for size in np.shape(init)[-1:])])


def signs(chunk: Chunk, stream: Stream) -> Any:
    """The classes of the rows as kernels take them."""
    assert stream.classes_ is not None  # noqa: S101
    return targets(chunk.codes, stream.classes_)


def rows_of(chunk: Chunk, bias: float) -> Rows:
    return validation.rows(chunk.X, bias)


class Passes:
    """Passes over a stream, that can be taken up again in the middle of one.

    Parameters
    ----------
    stream : the rows
    options : checkpoints and progress
    asked : what is asked for, by which a checkpoint is known again
    max_epochs : the budget
    state : gives what a checkpoint must hold, beside what is held here
    """

    def __init__(
        self, stream: Stream, options: Options, asked: dict[str, Any], max_epochs: int, state: Callable[[], State]
    ) -> None:
        self.stream, self.options, self.max_epochs, self._state = stream, options, max_epochs, state
        self.epoch = self.chunk = self.rows = self.size = self.bad = 0
        self.mark = self.whole = 0  # fingerprints: of this pass so far, of a whole pass
        self.name: str = asked["algorithm"]
        self._began, self._met = time.monotonic(), 0  # rows met since
        self._broken_off = False
        self.checkpoints: Checkpoints | None = None
        options.check()
        if options.checkpoint is not None:
            identity = {name: value for name, value in stream.identity.items() if name != "files"}
            sizes = [place.size for place in stream.places]
            self.checkpoints = Checkpoints(
                Path(options.checkpoint), asked | identity | {"sizes": sizes}, options.every_seconds, options.every_rows
            )

    def resumed(self) -> State | None:
        """Where an earlier run was, after a look at the data shows that it is the same; None to begin anew."""
        if self.checkpoints is None or not self.options.resume or not self.checkpoints.path.exists():
            return None
        if not self.stream.can_be_read_again:
            name = self.stream.places[0].name
            raise DataError(
                f"{name}: it can be read only once, so that no fit of it can be resumed. Save it to a file."
            )
        state = self.checkpoints.read()
        facts = state.facts.pop("passes", {})
        try:
            for name in PLACE:
                setattr(self, name, int(facts[name]))
            classes, columns, names = facts["classes"], int(facts["columns"]), facts["names"]
            quarantined = int(facts["quarantined"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{self.checkpoints.path}: it is no checkpoint of a stream: {error!r}.") from error
        self.stream.classes_ = np.array(classes)
        self.stream.n_columns_, self.stream.names_ = columns, names
        self._check_data()
        self.stream.take_back(quarantined)
        return state

    def _check_data(self) -> None:
        """Are the chunks that were learned from still the same?"""
        assert self.checkpoints is not None  # noqa: S101
        look_at_all = self.epoch > 0
        seen = 0
        for chunk in self.stream.chunks(skip=1 << 62 if look_at_all else self.chunk):
            seen = chunk.mark
            if chunk.number + 1 == self.chunk and (not look_at_all or seen != self.mark):
                break
        if seen != (self.whole if look_at_all else self.mark):
            raise DataError(
                f"{self.checkpoints.path}: this checkpoint is of other data; what it has learned from is not what "
                f"{self.stream.places[0].name} begins with. Give that data, or leave resume out to begin anew."
            )

    def __iter__(self) -> Iterator[Iterator[Chunk]]:
        while self.epoch < self.max_epochs:
            yield self._pass()

    def _pass(self) -> Iterator[Chunk]:
        """The chunks of this pass that are still to come."""
        for chunk in self.stream.chunks(skip=self.chunk):
            if chunk.X is not None:
                yield chunk
                self.chunk, self.mark = chunk.number + 1, chunk.mark
                self.rows, self.size = self.rows + len(chunk.codes), self.size + chunk.size
                self.bad += chunk.bad
                if self.checkpoints is not None:
                    self.checkpoints.passed(len(chunk.codes), self.state, at_once=self._broken_off)
                if self._broken_off:
                    raise KeyboardInterrupt
        self.whole = self.mark
        self.stream.n_rows_, self.stream.n_skipped_ = self.rows, self.bad  # also of what was met before a resume

    def end_of_pass(self) -> None:
        """The next pass begins."""
        self.epoch, self.chunk, self.rows, self.size, self.bad, self.mark = self.epoch + 1, 0, 0, 0, 0, 0

    def state(self) -> State:
        """All that is needed to go on from here."""
        state, stream = self._state(), self.stream
        assert stream.classes_ is not None  # noqa: S101
        state.facts["passes"] = {name: getattr(self, name) for name in PLACE} | {
            "quarantined": stream.quarantined,
            "classes": stream.classes_.tolist(),
            "columns": stream.n_columns_,
            "names": stream.names_,
        }
        return state

    def tell(self, chunk: Chunk, mistakes: int) -> None:
        """Say how far it is, to who asked to be called and to who listens."""
        self._met += len(chunk.codes)
        if self.options.progress is None and not events.heard():
            return
        rows, size = self.rows + len(chunk.codes), self.size + chunk.size
        gone, total = time.monotonic() - self._began, self.stream.size
        now = Progress(self.epoch + 1, self.max_epochs, rows, size, total, mistakes, gone)
        facts = now.epoch, now.max_epochs, mistakes, rows, self._met / max(gone, 1e-9), events.megabytes(size, total)
        events.tell(self.name, size, total, SAID + ", {:,} rows, {:,.0f} rows/s, {}", *facts)
        if self.options.progress is not None:
            self._broken_off = self.options.progress(now) is True


class Walk:
    """All rows of a stream as a jury of the pocket; each look is a pass."""

    def __init__(self, stream: Stream, bias: float, class_weight: Any) -> None:
        self.stream, self.bias = stream, bias
        counts = np.zeros(0, np.int64)
        for chunk in stream.chunks():
            assert stream.classes_ is not None  # noqa: S101
            more = np.bincount(chunk.codes, minlength=len(stream.classes_))
            counts = more if not len(counts) else counts + more
        assert stream.classes_ is not None  # noqa: S101
        self.rate = class_weights(class_weight, stream.classes_, None)
        self.n = int(counts.sum())
        self.price = float(self.rate @ counts) / self.n

    def errors(self, w: Floats, bound: Floats, tie: float, limit: float) -> float:
        """The cost of the rows on which these weights err, counted until it reaches the limit."""
        total = (0.0, 0.0)
        for chunk in self.stream.chunks():
            rows, y, every = rows_of(chunk, self.bias), signs(chunk, self.stream), np.arange(len(chunk.codes))
            cost = np.asarray(self.rate[chunk.codes])
            total = rules(w).errors(rows, y, every, cost, held(w, bound), tie, limit, *total)
            if sum(total) >= limit:
                break
        return float(sum(total))


class Training:
    """A learner and its run over a stream."""

    def __init__(self, begin: Callable[[NDArray[Any], int], Learner], bias: float) -> None:
        self.begin, self.bias = begin, bias
        self.after_restore: Callable[[Learner], None] = lambda _: None
        self.learner: Learner | None = None
        self.run = Run()
        self.mistakes = self.updates = 0  # in this pass

    def copy(self) -> "Training":
        """As it is now, whatever comes."""
        assert self.learner is not None  # noqa: S101
        twin = copy.copy(self)
        twin.learner, twin.run = self.learner.copy(), copy.deepcopy(self.run)
        return twin

    def learn(self, chunk: Chunk, stream: Stream) -> None:
        """Learn from a chunk."""
        assert stream.classes_ is not None  # noqa: S101
        if self.learner is None:
            self.learner = self.begin(stream.classes_, stream.n_columns_)
        self.learner.widen(stream.n_columns_)
        order: Codes = np.arange(len(chunk.codes))
        mistakes, updates = self.learner.learn(rows_of(chunk, self.bias), signs(chunk, stream), order)
        self.mistakes, self.updates = self.mistakes + mistakes, self.updates + updates

    def is_over(self, stream: Stream) -> bool:
        """Take down what a pass did; is training at its end?  See `Task.count`."""
        learner, run = self.learner, self.run
        assert learner is not None  # noqa: S101
        learner.rest(None)
        mistakes, updates = self.mistakes, self.updates
        run.mistakes_per_epoch.append(mistakes)
        run.n_updates += updates
        self.mistakes = self.updates = 0
        if learner.has_overflowed():
            return True
        if (mistakes == 0 or learner.settled) and (
            learner.settled or (updates == 0 and learner.proves) or not self._errs(stream)
        ):
            run.stop_reason = StopReason.MISTAKE_FREE
            return True
        return False

    def _errs(self, stream: Stream) -> bool:
        """Is any row on its wrong side?"""
        learner = self.learner
        assert learner is not None  # noqa: S101
        for chunk in stream.chunks():
            rows, every = rows_of(chunk, self.bias), np.arange(len(chunk.codes))
            if learner.first_mistake(rows, signs(chunk, stream), every) >= 0:
                return True
        return False

    def state(self) -> State:
        assert self.learner is not None  # noqa: S101
        arrays, facts = state_of(self.learner)
        run = self.run
        said = {
            "kind": kind_of(self.learner),
            "learner": facts,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "mistakes_per_epoch": run.mistakes_per_epoch,
            "n_updates": run.n_updates,
        }
        return State(arrays, said)

    def restore(self, state: State) -> None:
        facts = state.facts
        try:
            self.learner = learner_of(facts["kind"], state.arrays, facts["learner"])
            self.after_restore(self.learner)
            self.mistakes, self.updates = int(facts["mistakes"]), int(facts["updates"])
            self.run.mistakes_per_epoch = [int(count) for count in facts["mistakes_per_epoch"]]
            self.run.n_updates = int(facts["n_updates"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The checkpoint is not that of such a fit: {error!r}.") from error


def train_on(passes: Passes, training: Training, callbacks: Callbacks | None = None) -> Training:
    """Pass over a stream until a pass makes no mistake, at most so many times as the budget says."""
    state = passes.resumed()
    if state is not None:
        training.restore(state)
    for chunks in passes:
        if callbacks is not None:
            callbacks.begin()
        for chunk in chunks:
            training.learn(chunk, passes.stream)
            passes.tell(chunk, training.mistakes)
        over = training.is_over(passes.stream)
        passes.end_of_pass()
        if callbacks is not None and callbacks.end(lambda: training) and not over:
            training.run.stop_reason, over = StopReason.CONDITION, True
        if over:
            break
    return training

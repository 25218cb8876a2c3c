"""Passes over the chunks of a stream, with checkpoints and progress messages."""

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.base import events
from rosenblatt.base.argument_types import FilePath
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output, check_outputs
from rosenblatt.classifiers.training.checkpoint import Checkpoints, State
from rosenblatt.classifiers.training.stop_decision import PASS_MESSAGE
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.wording import Words, worded

PLACE = ("epoch", "chunk", "rows", "size", "bad", "mark", "whole")  # position in the stream, fingerprints


class Progress(NamedTuple):
    """How far a fit is; `progress` is called with one after each chunk.

    Attributes
    ----------
    epoch : int
        Passes begun.
    max_epochs : int
        The largest number of passes.
    rows : int
        Rows learned from in this pass.
    size : int
        Bytes read in this pass.
    total : int, or None
        Bytes of a pass, if known.
    mistakes : int
        Mistakes in this pass.
    seconds : float
        Seconds since the fit began.

    See Also
    --------
    Perceptron.fit_stream : Calls `progress` with one of these.
    show_progress : Shows the progress of a block as a line.

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
        """Seconds left in this pass, at the speed so far; None if that is not known."""
        if not self.total or not self.size:
            return None
        done = (self.epoch - 1) * self.total + self.size
        return self.seconds / done * max(self.total - self.size, 0)


class StreamOptions(NamedTuple):
    """How often a fit of a stream writes checkpoints and reports progress, and whether it predicts each row first."""

    checkpoint: FilePath | None = None
    every_seconds: float = 30.0
    every_rows: int | None = None
    resume: bool = False
    progress: Callable[[Progress], bool | None] | None = None
    progressive: bool = False

    def check(self) -> None:
        """Raise ParameterError if an option has a value that it cannot have."""
        if self.resume and self.checkpoint is None:
            raise ParameterError(
                worded(
                    "{resume} needs {checkpoint}, the file to resume from.",
                    resume=Words("resume=True", "--resume"),
                    checkpoint=Words("checkpoint=FILE", "--checkpoint FILE"),
                )
            )
        if not (isinstance(self.every_seconds, int | float) and self.every_seconds >= 0):
            least = f"must be a number of at least 0, not {self.every_seconds!r}."
            raise ParameterError(worded(f"{{every}} {least}", every=Words("every_seconds", "--every")))
        if self.every_rows is not None and not (isinstance(self.every_rows, int) and self.every_rows > 0):
            raise ParameterError(
                worded(
                    f"{{every}} must be an integer above 0{{none}}, not {self.every_rows!r}.",
                    every=Words("every_rows", "--every-rows"),
                    none=Words(", or None", ""),
                )
            )


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the name and the parameters of an estimator as text, to tell whether a checkpoint belongs to it."""
    described = {}
    for name, value in sorted(model.get_params().items()):
        if isinstance(value, np.ndarray | list | tuple):
            value = hashlib.sha256(np.ascontiguousarray(value, dtype=np.float64).tobytes()).hexdigest()
        elif callable(value):
            value = f"{value.__module__}.{value.__qualname__}"
        described[name] = repr(value)
    return {"algorithm": type(model).__name__, **described}


class StreamPasses:
    """Passes over a stream that can be resumed in the middle of a pass.

    Parameters
    ----------
    stream : the rows
    options : checkpoints and progress
    model : the estimator; its name and parameters identify a checkpoint
    state : returns the state of the training, which a checkpoint holds beside the position in the stream
    """

    def __init__(self, stream: Stream, options: StreamOptions, model: Any, state: Callable[[], State]) -> None:
        self.stream, self.options, self.max_epochs, self._state = stream, options, model.max_epochs, state
        self.epoch = self.chunk = self.rows = self.size = self.bad = 0
        self.mark = self.whole = 0  # fingerprints: of this pass so far, and of a whole pass
        self.name = type(model).__name__
        self._start, self._rows_since_start = time.monotonic(), 0
        self._stopped = False  # by the progress callback
        self.checkpoints: Checkpoints | None = None
        if options.checkpoint is not None:
            kind = None if options.resume else FileKind.CHECKPOINT  # `resumed` reads the file, and says what it is
            checkpoint = Output("checkpoint=", options.checkpoint, kind, is_read_back=True)
            check_outputs([checkpoint, *stream.outputs], {"the data": stream.files})
            identity = {name: value for name, value in stream.identity.items() if name != "files"}
            sizes = [place.size for place in stream.places]
            asked = parameters_of(model) | identity | {"sizes": sizes}
            former = {today.name: name for name, today in model._saved.former.items() if today.name is not None}
            path = Path(options.checkpoint)
            self.checkpoints = Checkpoints(path, asked, former, options.every_seconds, options.every_rows)

    def resumed(self) -> State | None:
        """Return the state in the checkpoint, if there is one and the data is the same as it was then; else None."""
        if self.checkpoints is None or not self.checkpoints.path.exists():
            return None
        if not self.stream.can_be_read_again:
            name = self.stream.places[0].name
            raise DataError(f"{name}: it can be read only once, so a fit of it cannot be resumed. Save it to a file.")
        state = self.checkpoints.read()
        facts = state.facts.pop("passes", {})
        try:
            for name in PLACE:
                setattr(self, name, int(facts[name]))
            classes, columns, names = facts["classes"], int(facts["columns"]), facts["names"]
            quarantined = int(facts["quarantined"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{self.checkpoints.path}: this is not a checkpoint of a stream: {error!r}.") from error
        self.stream.classes_ = np.array(classes)
        self.stream.n_columns_, self.stream.feature_names_ = columns, names
        self._check_data(self.checkpoints.path)
        self.stream.take_back(quarantined, facts.get("quarantine_digest"))  # None in earlier versions
        return state

    def _check_data(self, checkpoint: Path) -> None:
        """Raise DataError unless the chunks that were learned from are still the same."""
        look_at_all = self.epoch > 0
        seen = 0
        for chunk in self.stream.chunks(skip=1 << 62 if look_at_all else self.chunk):
            seen = chunk.mark
            if chunk.number + 1 == self.chunk and (not look_at_all or seen != self.mark):
                break
        if seen != (self.whole if look_at_all else self.mark):
            raise DataError(
                f"{checkpoint}: this checkpoint is of other data; the beginning of {self.stream.places[0].name} is not "
                "what it learned from. Give that data, or leave resume out to begin anew."
            )

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of this pass that are left; write a checkpoint after a chunk if one is due."""
        for chunk in self.stream.chunks(skip=self.chunk):
            if chunk.X is not None:
                yield chunk
                self.chunk, self.mark = chunk.number + 1, chunk.mark
                self.rows, self.size = self.rows + len(chunk.codes), self.size + chunk.size
                self.bad += chunk.bad
                if self.checkpoints is not None:
                    self.checkpoints.passed(len(chunk.codes), self.state, at_once=self._stopped)
                if self._stopped:
                    raise KeyboardInterrupt
        self.whole = self.mark
        self.stream.n_rows_, self.stream.n_skipped_ = self.rows, self.bad  # including rows met before a resume

    def end_pass(self) -> None:
        """Go to the beginning of the next pass."""
        self.epoch, self.chunk, self.rows, self.size, self.bad, self.mark = self.epoch + 1, 0, 0, 0, 0, 0

    def state(self) -> State:
        """Return the state of the training and the position in the stream, all that a resume needs."""
        state, stream = self._state(), self.stream
        state.facts["passes"] = {name: getattr(self, name) for name in PLACE} | {
            "quarantined": stream.quarantined,
            "quarantine_digest": stream.quarantine_digest,
            "classes": stream.header.classes.tolist(),
            "columns": stream.n_columns_,
            "names": stream.feature_names_,
        }
        return state

    def report_progress(self, chunk: Chunk, mistakes: int) -> None:
        """Report progress to the callback and to listeners."""
        self._rows_since_start += len(chunk.codes)
        if self.options.progress is None and not events.has_listener():
            return
        rows, size = self.rows + len(chunk.codes), self.size + chunk.size
        seconds, total = time.monotonic() - self._start, self.stream.size
        now = Progress(self.epoch + 1, self.max_epochs, rows, size, total, mistakes, seconds)
        speed = self._rows_since_start / max(seconds, 1e-9)
        facts = now.epoch, now.max_epochs, mistakes, rows, speed, events.megabytes(size, total)
        events.report_progress(self.name, size, total, PASS_MESSAGE + ", {:,} rows, {:,.0f} rows/s, {}", *facts)
        if self.options.progress is not None:
            self._stopped = self.options.progress(now) is True

"""The method `fit_stream` of estimators that learn from data larger than memory."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import FilePath
from rosenblatt.classifiers.training.callbacks import TakesCallbacks
from rosenblatt.classifiers.training.stream_passes import Progress, StreamOptions
from rosenblatt.data.files.sources import Source
from rosenblatt.data.streams.stream import Stream
from rosenblatt.errors import ParameterError


class LearnsFromStreams(TakesCallbacks):
    """An estimator with `fit_stream`, which passes over data larger than memory."""

    max_epochs: int
    _predicts_first: ClassVar[bool] = False  # can it predict each row of a stream before it learns from it?
    _constraints: ClassVar[dict[str, parameters.Constraint]]

    def fit_stream(
        self,
        source: Source | Stream,
        target: str | int | None = None,
        *,
        checkpoint: FilePath | None = None,
        every_seconds: float = 30.0,
        every_rows: int | None = None,
        resume: bool = False,
        progress: Callable[[Progress], bool | None] | None = None,
        progressive: bool = False,
        **reading: Any,
    ) -> Self:
        """Learn from the rows of files, in chunks, as `fit` does from rows in memory.

        Rows come in the order of the files, whatever `order` is. The weights equal those that `fit` gives all rows
        (with order="cyclic", where there is an order), to the last bit, for any size of the chunks. Memory holds a few
        chunks.

        Parameters
        ----------
        source : Stream, or what `Stream` takes
            The rows.
        target : str or int, optional
            The column with the labels, if the source is not a `Stream`.
        checkpoint : path, optional
            A file that records how far the fit is; it is replaced every `every_seconds` and every `every_rows`. It
            stays when the fit ends: delete it when the model is saved. A file that is not a checkpoint is not replaced.
        every_seconds : float, default=30.0
            Seconds between two checkpoints.
        every_rows : int, optional
            Rows between two checkpoints.
        resume : bool, default=False
            Continue from the checkpoint, if there is one, to the same bits; other data or parameters are refused.
        progress : callable, optional
            Called with a `Progress` after every chunk. If it returns True the fit is interrupted as by Ctrl-C, after
            the checkpoint, if there is one, was written.
        progressive : bool, default=False
            Progressive validation: in the first pass, predict each row before learning from it, and count the rows that
            are right in `progressive_`. The weights stay the same. It is for `Perceptron` and `PassiveAggressive`.
        **reading : object
            Other options of the `Stream`, if the source is not one.

        Returns
        -------
        Self
            The fitted estimator.
        """
        parameters.check(self, self._constraints)
        options = StreamOptions(checkpoint, every_seconds, every_rows, resume, progress, progressive)
        options.check()
        if progressive and not self._predicts_first:
            raise ParameterError(
                f"is for Perceptron and PassiveAggressive, which predict a row before they learn from it; "
                f"{type(self).__name__} looks at all rows first.",
                option="progressive",
            )
        reading |= {} if target is None else {"target": target}
        self._fit(self._stream_problem(source, reading, options), self.max_epochs)
        self._warn_of_budget(stacklevel=3)
        return self

    def _stream_problem(self, source: Any, reading: dict[str, Any], options: StreamOptions) -> Any:
        """Check that no parameter needs all rows at once, open the stream, and return what to train on."""
        raise NotImplementedError

    def _warn_of_budget(self, stacklevel: int) -> None:
        """Warn if training stopped because its budget was used."""
        raise NotImplementedError

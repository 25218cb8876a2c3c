"""Checkpoints between the rounds of a fit on a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt.base.argument_types import FilePath
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output, check_outputs
from rosenblatt.classifiers.training.checkpoint import Checkpoints, State
from rosenblatt.classifiers.training.stream_passes import parameters_of
from rosenblatt.cluster.shards import Shards
from rosenblatt.errors import ParameterError


class RoundCheckpoints:
    """Writes the state of a fit to a file: when a round has ended and it is time, and when a round failed.

    Parameters
    ----------
    path : the file; None for no checkpoints
    every_seconds : the time between two checkpoints
    resume : continue from the file, if it exists?
    shards, model, options : the rows, the estimator, and other options; a checkpoint of others is refused
    """

    def __init__(
        self, path: FilePath | None, every_seconds: float, resume: bool, shards: Shards, model: Any, **options: Any
    ) -> None:
        if isinstance(every_seconds, bool) or not isinstance(every_seconds, int | float) or not every_seconds >= 0:
            raise ParameterError(f"must be a number of at least 0, not {every_seconds!r}.", "every_seconds")
        if resume and path is None:
            raise ParameterError("needs the path of the checkpoint: give checkpoint=FILE.", "resume")
        self._resume, self._file = resume, None
        if path is not None:
            kind = None if resume else FileKind.CHECKPOINT  # reading tells what the file is
            check_outputs([Output("checkpoint=", path, kind, is_read_back=True)], {})
            asked = parameters_of(model) | options | {"sizes": shards.sizes, "marks": [str(m) for m in shards.marks()]}
            self._file = Checkpoints(Path(path), asked, {}, every_seconds, None)

    def resume(self, restore: Callable[[State], None]) -> None:
        """Restore the state in the file, if that was asked for and there is one."""
        if self._resume and self._file is not None and self._file.path.exists():
            restore(self._file.read())

    @contextmanager
    def saving(self, state: Callable[[], State]) -> Iterator[None]:
        """Write the state after the block if it is time, or at once if the block raises; it then has earlier rounds."""
        if self._file is None:
            yield
            return
        try:
            yield
        except BaseException:
            self._file.write(state())
            raise
        self._file.passed(0, state)

    def write(self, state: Callable[[], State]) -> None:
        """Write the state."""
        if self._file is not None:
            self._file.write(state())

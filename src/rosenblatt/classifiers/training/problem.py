"""What an estimator trains on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.classifiers.training.callbacks import Callbacks
from rosenblatt.data import validation
from rosenblatt.data.files.encoding import how_columns_were_read
from rosenblatt.data.named_arrays import named
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Matrix


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Rows in memory and their classes, checked; an estimator adds what its training needs, and the training itself.

    Attributes
    ----------
    X : the table as it was given, which may name its columns
    points : its numbers
    classes : the labels that occur, sorted
    """

    X: Any
    points: Matrix
    classes: NDArray[Any]

    def train(self, callbacks: Callbacks | None = None) -> Any:
        """Train, report each pass to the callbacks, and return what training reached."""
        raise NotImplementedError

    def record_columns(self, model: Any, d: int) -> None:  # noqa: ARG002  (a stream needs d)
        """Set the attributes of a model that describe the columns it was trained on."""
        validation.check_columns(model, self.X, self.points, reset=True)
        vars(model).pop("encoding_", None)  # it described the columns of an earlier fit


@dataclass(kw_only=True)
class StreamProblem:
    """The rows of a stream, whose classes and columns are known once it was read."""

    stream: Stream

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that occur, sorted."""
        return self.stream.header.classes.copy()

    def train(self, callbacks: Callbacks | None = None) -> Any:
        """Train, report each pass to the callbacks, and return what training reached."""
        raise NotImplementedError

    def record_columns(self, model: Any, d: int) -> None:
        """Set the attributes of a model that describe the d columns it was trained on, and how they were encoded."""
        empty = np.empty((0, d))
        validation.check_columns(model, named(empty, self.stream.feature_names_), empty, reset=True)
        model.encoding_ = how_columns_were_read(self.stream.encoding_, self.stream.zero_based_)

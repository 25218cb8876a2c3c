"""Answers of a classifier for the rows of a stream, chunk by chunk."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base.argument_types import FittedModel, LabelsLike, TableLike
from rosenblatt.base.words import count_of
from rosenblatt.data.streams.chunk import as_wide
from rosenblatt.data.streams.stream import Stream
from rosenblatt.data.validation import Matrix
from rosenblatt.errors import DataError, ParameterError

Method = TypeVar("Method", bound=Callable[..., Any])


def by_chunks(method: Method) -> Method:
    """Let a method that answers for each row of X take a `Stream`, too. Memory holds the answers for all its rows."""

    @functools.wraps(method)
    def answer(self: FittedModel, X: TableLike) -> Any:
        if not isinstance(X, Stream):
            return method(self, X)
        return np.concatenate([method(self, rows) for rows, _ in _rows_and_labels(self, X)])

    return cast(Method, answer)


class ScoresStreams:
    """A classifier whose `score` takes rows and labels in memory, or a `Stream`."""

    predict: Callable[[TableLike], NDArray[Any]]

    def score(self, X: TableLike, y: LabelsLike | None = None, sample_weight: "ArrayLike | None" = None) -> float:
        """Return the share of rows whose class is predicted.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d), or Stream
            The rows.
        y : array of shape (n,), optional
            The class labels; not given with a `Stream`, which has its own.
        sample_weight : array of shape (n,), optional
            The weight of each row; not possible with a `Stream`.

        Returns
        -------
        float
            The share of rows whose class is predicted, from 0 to 1.
        """
        if not isinstance(X, Stream):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        for name, given in (("y", y), ("sample_weight", sample_weight)):
            if given is not None:
                raise ParameterError(f"score({name}=...) must be left out with a Stream, which has its own labels.")
        from sklearn.metrics import accuracy_score  # it loads much of scikit-learn

        right = n = 0
        for rows, labels in _rows_and_labels(self, X):
            right += int(accuracy_score(labels, self.predict(rows), normalize=False))
            n += len(labels)
        return right / n


def _rows_and_labels(model: FittedModel, stream: Stream) -> Iterator[tuple[Matrix, NDArray[Any]]]:
    """Give the rows and labels of each chunk. LIBSVM text gets the columns of the model that do not occur in it."""
    check_is_fitted(model)
    for chunk in stream.chunks():
        X = _as_wide_as(model, chunk.X, stream) if stream.format == "libsvm" else chunk.X
        yield X, stream.header.classes[chunk.codes]


def _as_wide_as(model: FittedModel, X: Matrix, stream: Stream) -> Matrix:
    """Widen X, or refuse it if its columns may not be those of the model."""
    name, width, d = stream.places[0].name, X.shape[1], model.n_features_in_
    learned = (getattr(model, "encoding_", None) or {}).get("zero_based")
    if learned is None and width < d:
        raise DataError(
            f"{name}: its rows have {count_of(width, 'column')} so far, and the model has {d}; it does not tell "
            "whether they count from 0, because it learned from rows in memory. Give the Stream "
            f"width={d}, and zero_based=True or False."
        )
    if learned is not None and learned != stream.zero_based_:
        raise DataError(
            f"{name}: the model learned from columns that count from {0 if learned else 1}, but the Stream does not "
            f"count them so. Give it zero_based={learned}."
        )
    return as_wide(X, d) if width < d else X

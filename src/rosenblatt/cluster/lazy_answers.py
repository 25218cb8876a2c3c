"""Answers of a model for the rows of Dask's arrays and data frames: lazy, block by block.

The functions take any fitted model, also one that was trained in memory or read from a file.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np

from rosenblatt.cluster.sources import type_of, what_is
from rosenblatt.data import validation
from rosenblatt.errors import DataError, ParameterError

METHODS = ("predict", "decision_function", "predict_proba")


def is_lazy(X: Any) -> bool:
    """Is X a collection of Dask?"""
    return hasattr(X, "__dask_graph__")


def answers(model: Any, X: Any, method: str = "predict") -> Any:
    """Return the answers of a model for the rows of X, lazily: nothing is computed before it is asked for.

    Parameters
    ----------
    model : fitted estimator
        Any model of this package, or a pipeline; for example one that `load` has read.
    X : array or data frame of Dask
        The rows.
    method : str, default="predict"
        The method of the model that answers: "predict", "decision_function" or "predict_proba".

    Returns
    -------
    dask.array.Array
        One answer, or one line of answers, for each row.

    See Also
    --------
    accuracy : The share of right predictions.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.cluster import answers
    >>> model = Perceptron().fit([[0.0], [2.0]], ["low", "high"])
    >>> answers(model, da.from_array([[0.0], [5.0], [1.0]], chunks=(2, 1))).compute().tolist()
    ['low', 'high', 'high']
    """
    if method not in METHODS or not hasattr(model, method):
        raise ParameterError(f"must be one of {', '.join(METHODS)} that the model has, not {method!r}.", "method")
    kind = type_of(X)
    if kind not in ("array", "frame"):
        raise DataError(f"An array or a data frame of Dask was expected, not {what_is(X)}.")
    example = X._meta_nonempty.iloc[:1] if kind == "frame" else np.zeros((1, X.shape[1]))
    like = np.asarray(_answer(example, model, method))[:0]
    if kind == "frame":
        return _by_partition(partial(_answer, model=model, method=method), X, like)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    if like.ndim == 1:
        return X.map_blocks(_answer, model, method, drop_axis=1, meta=like)
    return X.map_blocks(_answer, model, method, chunks=(X.chunks[0], (like.shape[1],)), meta=like)


def accuracy(model: Any, X: Any, y: Any) -> Any:
    """Return the share of rows whose class is predicted, lazily.

    Parameters
    ----------
    model : fitted estimator
        Any model of this package, or a pipeline.
    X : array or data frame of Dask
        The rows.
    y : array or column of Dask
        Their class labels, divided as X is.

    Returns
    -------
    dask.array.Array of no dimension
        The share, from 0 to 1; `float` computes it.

    See Also
    --------
    answers : The predictions.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.cluster import accuracy
    >>> model = Perceptron().fit([[0.0], [2.0]], [0, 1])
    >>> X, y = da.from_array([[0.0], [5.0], [1.0], [3.0]], chunks=(2, 1)), da.from_array([0, 1, 0, 1], chunks=2)
    >>> float(accuracy(model, X, y))
    0.75
    """
    predicted = answers(model, X)
    return (predicted == _labels(y, predicted)).mean()


def _labels(y: Any, like: Any) -> Any:
    """The labels as an array of Dask, divided as another one is if the sizes of its blocks are known."""
    if hasattr(y, "map_partitions"):
        return _by_partition(np.asarray, y, np.empty(0, object))
    sizes = like.chunks[0]
    return y if np.isnan([*sizes, *y.chunks[0]]).any() else y.rechunk((sizes,))


def _by_partition(function: Callable[[Any], Any], frame: Any, like: Any) -> Any:
    """What a function makes of each partition of a frame or a column, as an array of Dask.

    The partitions are taken as they are: Dask may read a single column in fewer of them than the others.
    """
    task = dask.delayed(function, pure=True)
    blocks = [
        da.from_delayed(task(part), (np.nan, *like.shape[1:]), meta=like)
        for part in frame.to_delayed(optimize_graph=False)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def margins(model: Any, X: Any, y: Any) -> Any:
    """Return the functional margin of each row, lazily.

    With two classes it is the score, with the sign turned for rows of the first class. With more, it is the score of
    the row's own class minus the largest of the others. It is positive where the prediction is right.

    Parameters
    ----------
    model : fitted estimator
        Any model of this package that has scores.
    X : array or data frame of Dask
        The rows.
    y : array or column of Dask
        Their class labels, divided as X is.

    Returns
    -------
    dask.array.Array of shape (n,)
        The margins.

    See Also
    --------
    loss : A loss of these margins.
    rosenblatt.losses.margins : The margins of rows in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.cluster import margins
    >>> model = Perceptron().fit([[0.0], [2.0]], [0, 1])
    >>> X, y = da.from_array([[0.0], [5.0], [1.5]], chunks=(2, 1)), da.from_array([0, 1, 0], chunks=2)
    >>> margins(model, X, y).compute().tolist()
    [1.0, 9.0, -2.0]
    """
    scores = answers(model, X, "decision_function")
    labels = _labels(y, scores)
    drop = [1] if scores.ndim == 2 else None
    columns = labels[:, np.newaxis] if scores.ndim == 2 else labels
    return scores.map_blocks(_margins, columns, classes=model.classes_, drop_axis=drop, dtype=np.float64)


def loss(model: Any, X: Any, y: Any, name: str = "hinge") -> Any:
    """Return a loss of a model, summed over all rows, lazily.

    Parameters
    ----------
    model : fitted estimator
        Any model of this package that has scores.
    X : array or data frame of Dask
        The rows.
    y : array or column of Dask
        Their class labels, divided as X is.
    name : {"hinge", "perceptron", "mistakes"}, default="hinge"
        The loss, with m the margins.

        - "hinge": the sum of max(0, 1 - m).
        - "perceptron": the sum of max(0, -m).
        - "mistakes": the number of m < 0.

    Returns
    -------
    dask.array.Array of no dimension
        The loss; `float` computes it.

    See Also
    --------
    margins : The margins.
    rosenblatt.losses : The losses of rows in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.cluster import loss
    >>> model = Perceptron().fit([[0.0], [2.0]], [0, 1])
    >>> X, y = da.from_array([[0.0], [5.0], [1.5]], chunks=(2, 1)), da.from_array([0, 1, 0], chunks=2)
    >>> [float(loss(model, X, y, name)) for name in ("hinge", "perceptron", "mistakes")]
    [3.0, 2.0, 1.0]
    """
    if name not in LOSSES:
        raise ParameterError(f"must be one of {', '.join(LOSSES)}, not {name!r}.", "name")
    return LOSSES[name](margins(model, X, y)).sum()


LOSSES = {
    "hinge": lambda margins: (1 - margins).clip(0, None),
    "perceptron": lambda margins: (-margins).clip(0, None),
    "mistakes": lambda margins: margins < 0,
}


def _margins(scores: Any, labels: Any, classes: Any) -> Any:
    """The margins of a block of rows."""
    codes = validation.codes(labels.ravel(), len(scores), classes)
    if scores.ndim == 1:
        return scores * validation.signs(codes)
    own = scores[np.arange(len(codes)), codes]
    others = np.where(np.arange(scores.shape[1]) == codes[:, np.newaxis], -np.inf, scores)
    return own - others.max(axis=1)


def _answer(block: Any, model: Any, method: str) -> Any:
    if len(block) == 0:  # a frame may have empty partitions
        return np.asarray(getattr(model, method)(np.zeros((1, model.n_features_in_))))[:0]
    return np.asarray(getattr(model, method)(block))


class AnswersLazily:
    """A model whose answers for collections of Dask are lazy; for rows in memory they are as always."""

    def predict(self, X: Any) -> Any:
        """Return the predicted class of each row; lazily for a collection of Dask.

        Parameters
        ----------
        X : array or data frame of Dask, or rows in memory
            The rows.

        Returns
        -------
        array of shape (n,)
            The labels.
        """
        return answers(self, X) if is_lazy(X) else super().predict(X)  # type: ignore[misc]

    def decision_function(self, X: Any) -> Any:
        """Return the scores of each row; lazily for a collection of Dask.

        Parameters
        ----------
        X : array or data frame of Dask, or rows in memory
            The rows.

        Returns
        -------
        array of shape (n,) or (n, k)
            The scores.
        """
        if is_lazy(X):
            return answers(self, X, "decision_function")
        return super().decision_function(X)  # type: ignore[misc]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted.

        Parameters
        ----------
        X : array or data frame of Dask, or rows in memory
            The rows.
        y : array or column
            The class labels.
        sample_weight : array of shape (n,), optional
            The weight of each row; for rows in memory only.

        Returns
        -------
        float
            The share, from 0 to 1.
        """
        if not is_lazy(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        if sample_weight is not None:
            raise ParameterError("is for rows in memory.", "sample_weight")
        return float(accuracy(self, X, y))

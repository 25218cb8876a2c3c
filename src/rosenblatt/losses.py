"""Losses of weights on a data set, their gradients, and the risk of decisions.

In all functions, w is (d+1,) with the bias weight last, X is n x d, y is -1 or +1, and `bias` is the constant at the
end of each row. m_i = y_i w.[x_i, bias] is the functional margin. X may also be one point of d numbers, and y one
number. Change `bias` from 1 only if the weights were learned with another constant; 0 leaves the bias weight out.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.base.hyperplane import Floats, Hyperplane, as_numbers
from rosenblatt.errors import DataError, ParameterError

__all__ = [
    "empirical_risk",
    "hinge_gradient",
    "hinge_loss",
    "margins",
    "mistakes",
    "perceptron_gradient",
    "perceptron_loss",
]


def __dir__() -> list[str]:
    return __all__


def margins(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> Floats:
    """Compute the functional margins m_i = y_i w.[x_i, bias], (n,).

    Examples
    --------
    >>> margins([2, 1, -5], [[1, 5], [-3, -2]], [1, -1]).tolist()
    [2.0, 13.0]
    """
    return np.atleast_1d(Hyperplane.from_weights(w, bias).functional_margin(X, y))


def mistakes(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> int:
    """Count the points on the wrong side, J(w) = |{i : m_i < 0}|.

    As in Hlavac's lecture, a margin of exactly 0 does not count. The gradient of J is 0 or undefined, so gradient
    descent cannot minimise it. `perceptron_loss` is a loss that it can minimise.

    Examples
    --------
    >>> mistakes([1, 0, 0], [[2, 0], [-1, 0], [0, 3]], [1, 1, 1])
    1
    """
    return int(np.count_nonzero(margins(w, X, y, bias) < 0))


def perceptron_loss(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> float:
    """Sum the distances of the mistakes to the right side, sum max(0, -m_i).

    Hlavac's J_p(w) sums w.z_i, z_i = y_i [x_i, bias], over the same mistakes. J_p is minus this loss, so maximising J_p
    is minimising this loss.

    Examples
    --------
    >>> perceptron_loss([2, 1, -5], [[1, 5], [-3, -2]], [-1, -1])
    2.0
    """
    return _shortfall(w, X, y, bias, 0.0)


def perceptron_gradient(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> Floats:
    """Compute a subgradient of `perceptron_loss`, -sum y_i [x_i, bias] over the mistakes (m_i < 0), (d+1,).

    At a margin of exactly 0 every vector between 0 and -y_i [x_i, bias] is a subgradient; this function takes 0. So
    gradient descent cannot start at w = 0, where all margins are 0. The perceptron can, as it counts them as mistakes.

    Examples
    --------
    >>> perceptron_gradient([2, 1, -5], [[1, 5], [-3, -2]], [-1, -1]).tolist()
    [1.0, 5.0, 1.0]
    """
    return _gradient(w, X, y, bias, 0.0)


def hinge_loss(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> float:
    """Sum max(0, 1 - m_i), the loss of the support vector machine.

    Examples
    --------
    >>> hinge_loss([2, 1, -5], [[1, 5], [2, 1.5]], [1, 1])
    0.5
    """
    return _shortfall(w, X, y, bias, 1.0)


def hinge_gradient(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float = 1.0) -> Floats:
    """Compute a subgradient of `hinge_loss`, -sum y_i [x_i, bias] over m_i < 1, (d+1,); a row with m_i = 1 adds 0.

    Examples
    --------
    >>> hinge_gradient([2, 1, -5], [[1, 5], [2, 1.5]], [1, 1]).tolist()
    [-2.0, -1.5, -1.0]
    """
    return _gradient(w, X, y, bias, 1.0)


def empirical_risk(
    y_true: ArrayLike, y_pred: ArrayLike, penalty: ArrayLike | None = None, labels: Sequence[Any] | None = None
) -> float:
    """Average the penalty of decisions, (1/L) sum W(decision_i, state_i).

    Parameters
    ----------
    y_true : array-like (L,)
        The states: numbers, strings or booleans.
    y_pred : array-like (L,)
        The decisions, of the same kind.
    penalty : array-like (k, k)
        W; its rows are decisions, its columns are states. Give it if errors differ in cost. If not given, each error
        costs 1, and the risk is the fraction of errors.
    labels : sequence of k labels
        The order of the rows and columns of W. Give it if W is not in the sorted order of the labels, or if some label
        does not occur.

    Examples
    --------
    >>> sick_let_go, well_treated = 10, 1
    >>> W = [[0, well_treated], [sick_let_go, 0]]
    >>> empirical_risk(["sick", "well", "well", "sick"], ["well", "sick", "well", "sick"], W, ["sick", "well"])
    2.75
    """
    states, decisions = _labels(y_true, "y_true"), _labels(y_pred, "y_pred")
    if len(states) != len(decisions):
        raise DataError(
            f"y_true and y_pred must be of one length, but they hold {len(states)} and {len(decisions)} labels"
        )
    order = _sorted_labels(states, decisions) if labels is None else list(labels)
    k = len(order)
    if len(set(order)) < k:
        raise ParameterError(f"labels must be distinct, but they are {order}")
    W = 1.0 - np.eye(k) if penalty is None else as_numbers(penalty, "penalty")
    if W.shape != (k, k):
        raise ParameterError(
            f"penalty must be {k} x {k}, a row and a column for each of the labels {order}, but its shape is {W.shape};"
            " name all of its labels in labels, also those that do not occur"
        )
    return float(W[_positions(decisions, order, "y_pred"), _positions(states, order, "y_true")].mean())


def _shortfall(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float, target: float) -> float:
    m = margins(w, X, y, bias)
    return float(np.where(m < target, target - m, 0.0).sum())


def _gradient(w: ArrayLike, X: ArrayLike, y: ArrayLike, bias: float, target: float) -> Floats:
    short = margins(w, X, y, bias) < target
    points, signs = np.atleast_2d(as_numbers(X, "X")), np.atleast_1d(as_numbers(y, "y"))
    pull = np.where(short, -signs, 0.0)
    return np.append(pull @ points, pull.sum() * bias)


def _labels(values: ArrayLike, name: str) -> list[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} must be a list of labels: {error}") from error
    if array.ndim != 1 or array.size == 0:
        raise DataError(f"{name} must be a list of at least one label, but its shape is {array.shape}")
    labels: list[Any] = array.tolist()
    return labels


def _sorted_labels(states: list[Any], decisions: list[Any]) -> list[Any]:
    try:
        return sorted({*states, *decisions})
    except TypeError as error:
        raise DataError(f"y_true and y_pred must hold labels of one kind, or give labels: {error}") from error


def _positions(labels: list[Any], order: list[Any], name: str) -> list[int]:
    position = {label: k for k, label in enumerate(order)}
    for row, label in enumerate(labels):
        if label not in position:
            raise DataError(f"{name} must hold labels among {order}, but row {row} holds {label!r}")
    return [position[label] for label in labels]

"""The neuron of McCulloch and Pitts, 1943: boolean inputs, no weights, one threshold."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.base.hyperplane import Floats, Hyperplane, PerPoint, as_numbers, refuse
from rosenblatt.errors import DataError, ParameterError

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class McCullochPittsNeuron:
    """A neuron with boolean inputs that fires when enough of them are on.

    x_1 + ... + x_d >= threshold

    It computes the functions that depend only on the number of inputs that are on and never decrease with it, such as
    OR and AND, but not XOR. Inputs must be booleans, or the numbers 0 and 1.

    Parameters
    ----------
    threshold : int
        The number of inputs that must be on: 1 for OR, all of them for AND. With 0 the neuron always fires.

    See Also
    --------
    Hyperplane : A threshold on a weighted sum of numbers.
    Perceptron : Learns the weights.

    References
    ----------
    McCulloch and Pitts, A logical calculus of the ideas immanent in nervous activity, 1943.

    Examples
    --------
    >>> from rosenblatt import McCullochPittsNeuron
    >>> inputs, outputs = McCullochPittsNeuron.AND(2).truth_table(2)
    >>> inputs.tolist(), outputs.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> McCullochPittsNeuron.thresholds(inputs, [0, 1, 1, 1])
    range(1, 2)
    >>> len(McCullochPittsNeuron.thresholds(inputs, [0, 1, 1, 0]))  # XOR
    0
    """

    threshold: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", _integer(self.threshold, "threshold", least=0))

    @classmethod
    def OR(cls, d: int) -> Self:  # noqa: N802  (the name of the function it computes)
        """Make the neuron that fires when at least one of d inputs is on: threshold 1 for any d.

        Parameters
        ----------
        d : int
            The number of inputs.

        Returns
        -------
        McCullochPittsNeuron
            The neuron.
        """
        _integer(d, "d", least=1)
        return cls(1)

    @classmethod
    def AND(cls, d: int) -> Self:  # noqa: N802
        """Make the neuron that fires when all d inputs are on: threshold d.

        Parameters
        ----------
        d : int
            The number of inputs.

        Returns
        -------
        McCullochPittsNeuron
            The neuron.
        """
        return cls(_integer(d, "d", least=1))

    @classmethod
    def thresholds(cls, X: ArrayLike, y: ArrayLike) -> range:
        """Find all thresholds from 0 to d + 1 that compute a table: max sum (y = 0) < threshold <= min sum (y = 1).

        Parameters
        ----------
        X : array of shape (n, d)
            The inputs; `truth_table(d)` lists all of them.
        y : array of shape (n,)
            The wanted outputs, 0 or 1.

        Returns
        -------
        range
            Empty when no neuron computes the table, as for XOR.
        """
        inputs, wanted = _booleans(X, "X"), _booleans(y, "y").astype(bool)
        if inputs.ndim != 2 or wanted.shape != inputs.shape[:1]:
            raise DataError(
                f"a table is X, n x d, and y with n outputs, but their shapes are {inputs.shape} and {wanted.shape}"
            )
        sums, d = inputs.sum(axis=1), inputs.shape[1]
        highest_off = int(sums[~wanted].max(initial=-1))
        lowest_on = int(sums[wanted].min(initial=d + 1))
        return range(highest_off + 1, lowest_on + 1)

    def fires(self, X: ArrayLike) -> PerPoint:
        """Compute for each row whether the neuron fires.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            Rows of inputs, or one vector of inputs.

        Returns
        -------
        array of shape (n,), or bool
            Whether it fires for each row.
        """
        fired = _booleans(X, "X").sum(axis=-1) >= self.threshold
        return fired if fired.ndim else bool(fired)

    def predict(self, X: ArrayLike) -> PerPoint:
        """Compute the output of each row of X, 0 or 1.

        Parameters
        ----------
        X : array of shape (n, d) or (d,)
            Rows of inputs, or one vector of inputs.

        Returns
        -------
        array of shape (n,), or int
            The output for each row.
        """
        fired = self.fires(X)
        return int(fired) if isinstance(fired, bool) else fired.astype(np.int64)

    def __call__(self, *inputs: float) -> int:
        """Compute the output, 0 or 1, of inputs given as arguments."""
        return int(self.predict([inputs])[0])

    def truth_table(self, d: int) -> tuple[Integers, Integers]:
        """List all 2^d inputs in counting order, the last input changing fastest, and their outputs.

        Parameters
        ----------
        d : int
            The number of inputs, at most 20.

        Returns
        -------
        inputs : array of shape (2^d, d)
            The inputs, 0 or 1.
        outputs : array of shape (2^d,)
            The output for each.
        """
        d = _integer(d, "d", least=1, most=20)
        inputs = np.arange(2**d)[:, np.newaxis] >> np.arange(d)[::-1] & 1
        return inputs, self.predict(inputs)

    def hyperplane(self, d: int) -> Hyperplane:
        """Make the hyperplane w = (1, ..., 1), b = -threshold: sum >= threshold is the same as w.x + b >= 0.

        If the sum equals the threshold, the point lies on the plane and the neuron fires: the tie is "positive".

        Parameters
        ----------
        d : int
            The number of inputs.

        Returns
        -------
        Hyperplane
            The hyperplane in d dimensions.
        """
        return Hyperplane(np.ones(_integer(d, "d", least=1)), -self.threshold)


def _booleans(values: ArrayLike, name: str) -> Floats:
    numbers = as_numbers(values, name)
    if numbers.ndim not in (1, 2):
        raise DataError(
            f"{name} must be one vector, or one row per vector, of booleans, but its shape is {numbers.shape}"
        )
    refuse((numbers != 0) & (numbers != 1), numbers, name, "boolean, 0 or 1", "real inputs need a perceptron")
    return numbers


def _integer(value: Any, name: str, least: int, most: int | None = None) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limits = f">= {least}" if most is None else f"from {least} to {most}"
        raise ParameterError(f"{name} must be an integer {limits}, but it is {value!r}")
    return int(value)

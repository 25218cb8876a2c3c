"""A regression that `estimates` is asked about: its rows, its outcomes and its options."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ParameterError


class Regression(NamedTuple):
    """The arguments of `estimates`, and the index of the rows.

    Parameters
    ----------
    X : the rows; before they are recognised, anything that `estimates` takes
    y, trials, sample_weight : one entry for each row
    model : its name; None if the user did not give one
    intercept, reference, classes : see `estimates`
    index : the labels of the rows by their positions; None if there are none
    """

    X: Any
    y: Any
    model: str | None = None
    trials: Any = None
    sample_weight: Any = None
    intercept: bool = True
    reference: Any = None
    classes: Any = None
    index: Any = None


def refuse_options(given: Regression, owner: str, **instead: str) -> None:
    """Raise if an option was given that the owner settles itself.

    Parameters
    ----------
    given : the arguments of `estimates`
    owner : what settles the options, such as "a model of statsmodels"
    instead : for each such option, what to do instead, as the end of a sentence
    """
    usual = Regression(None, None)
    for name, advice in instead.items():
        if getattr(given, name) is not getattr(usual, name):
            raise ParameterError(f"estimates({name}=...) cannot be given here: {owner} {advice}.")


def weights_with_gaps(sample_weight: Any, kept: NDArray[np.bool_]) -> Any:
    """The weights of all rows, where the rows that are not kept have the weight 0.

    Parameters
    ----------
    sample_weight : the weights of the rows that are kept; None if all are 1
    kept : for each row, whether it is kept
    """
    if kept.all():
        return sample_weight
    weights = np.zeros(len(kept))
    weights[kept] = 1.0 if sample_weight is None else sample_weight
    return weights


def places(kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each row, its place among the rows that are kept. A row that is not kept has the place of one that is.

    Taking these places from the rows that are kept gives all rows, in order. What stands in rows that are not kept does
    not matter, because they have the weight 0.

    >>> places(np.array([False, True, True, False, True])).tolist()
    [0, 0, 1, 1, 2]
    """
    return np.asarray(np.maximum(np.cumsum(kept) - 1, 0))

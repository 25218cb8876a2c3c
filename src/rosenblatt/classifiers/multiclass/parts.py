"""The problems of two classes that many classes are split into, and an estimator for each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rosenblatt.data.validation import Codes


class Part(NamedTuple):
    """A problem of two classes: some of the rows, and which of them are positive."""

    task: str  # its name; the positive class comes first
    among: Codes  # the numbers of its rows
    positive: NDArray[np.bool_]  # for all rows
    labels: NDArray[Any]  # negative, positive
    class_weight: Any  # for these labels; None for the estimator's own


def copies(estimator: Any, parts: Sequence[Part]) -> list[Any]:
    """Return a copy of the estimator for each part, with the class weights of its labels."""
    members = [clone(estimator) for _ in parts]
    for member, part in zip(members, parts, strict=True):
        if part.class_weight is not None:
            member.set_params(class_weight=part.class_weight)
    return members

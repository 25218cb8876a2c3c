"""Types of the arguments that many public functions take.

Signatures have NumPy's ArrayLike in quotes, because `help` writes out its dozen parts otherwise.
"""

import os
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

# Rows and labels may be NumPy arrays, lists, sparse matrices, data frames of several libraries or Arrow tables. No type
# covers all of them without importing these libraries, so checkers take anything, and the functions check what comes.
TableLike: TypeAlias = Any  # n rows of d numbers
MatricesLike: TypeAlias = Any  # m matrices of d x d numbers
RowLike: TypeAlias = Any  # d numbers, or a sparse matrix of one row
LabelsLike: TypeAlias = Any  # n class labels
Label: TypeAlias = Any  # a class label: a string, a number or a boolean

# A function that takes a fitted model asks for attributes that only some classes have, and checks that they are there.
# The class of a model that is loaded from a file is known to the file only.
FittedModel: TypeAlias = Any

Bias: TypeAlias = float | bool  # the constant at the end of each row; True is 1, False is 0
ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
FilePath: TypeAlias = str | os.PathLike[str]


class Classifier(Protocol):
    """A classifier of this package, or one in the style of scikit-learn; an instance, not a class."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Learn from the rows X with the labels y."""

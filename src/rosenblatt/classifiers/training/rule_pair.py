"""An update rule for two classes and for more."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """A rule as two compiled functions that take the same arguments; `rule[w.ndim - 1]` is the one for weights w."""

    two_classes: Callable[..., Any]  # w is a vector
    more_classes: Callable[..., Any]  # w has one row a class

"""An update rule for two classes and for more."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt.data.validation import Floats


class Rule(NamedTuple):
    """An update rule as two compiled functions that take the same arguments."""

    two_classes: Callable[..., Any]  # w is a vector
    more_classes: Callable[..., Any]  # w has one row a class

    def of(self, w: Floats) -> Callable[..., Any]:
        """The function for weights of this shape."""
        return self.two_classes if w.ndim == 1 else self.more_classes

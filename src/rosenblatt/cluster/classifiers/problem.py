"""What a classifier trains on: shards."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cluster.shards import Shards
from rosenblatt.data import validation
from rosenblatt.data.named_arrays import named


@dataclass(kw_only=True)
class ShardsProblem:
    """The shards, and what the estimator records of them."""

    shards: Shards

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that occur, sorted."""
        return self.shards.classes.copy()

    def record_columns(self, model: Any, d: int) -> None:
        """Set the attributes of a model that describe the d columns it was trained on, and how they were encoded."""
        empty = np.empty((0, d))
        validation.check_columns(model, named(empty, self.shards.feature_names), empty, reset=True)
        if self.shards.encoding is None:
            vars(model).pop("encoding_", None)  # it described the columns of an earlier fit
        else:
            model.encoding_ = self.shards.encoding

"""How a model classifies the rows of shards, counted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.named_arrays import named


def confusion_in(shard: Shard, common: tuple[Any, NDArray[Any], list[str] | None]) -> NDArray[np.int64]:
    """The confusion matrix of a shard: true classes down, predicted classes across."""
    model, classes, names = common
    k = len(classes)
    predicted = np.searchsorted(classes, model.predict(named(shard.matrix(), names)))
    return np.bincount(shard.codes * k + predicted, minlength=k * k).reshape(k, k)


def confusion_of(model: Any, shards: Shards) -> NDArray[np.int64]:
    """The confusion matrix of all rows."""
    parts = shards.ask("count of the right rows", confusion_in, (model, shards.classes, shards.feature_names))
    return np.asarray(np.sum(parts, axis=0), np.int64)

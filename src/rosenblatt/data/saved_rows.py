"""Rows of training data in model files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.base.schema import Arrays, Facts, Sizes, Source
from rosenblatt.data import validation


@dataclass(frozen=True)
class SavedRows:
    """Rows of training data, n x d: an array, a CSR matrix, or None."""

    dtypes: tuple[str, ...] = ("float64", "float32")

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        if value is None or isinstance(value, np.ndarray):
            facts[name] = None if value is None else "dense"
            if value is not None:
                arrays[name] = np.array(value, order="C")
            return
        facts[name] = "sparse array" if type(value).__name__.endswith("array") else "sparse matrix"
        whole = {"indices": value.indices.astype(np.int64), "indptr": value.indptr.astype(np.int64)}
        arrays[name] = {"data": value.data.copy(), **whole}

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        storage = source.fact(name)
        if storage is None:
            return None
        array = source.array(name)
        shape = sizes["support"], sizes["d"]
        if storage == "dense" and isinstance(array, np.ndarray):
            points = array
        elif storage in ("sparse array", "sparse matrix") and isinstance(array, dict):
            points = _sparse(Source(f"{source.where}.{name}", {}, {}), array, shape, storage)
        else:
            raise source.refusal(f"has {name!r} in an unknown storage format")
        if points.shape != shape or points.dtype not in self.dtypes or not shape[0]:
            raise source.refusal(
                f"has {name!r} of shape {points.shape} and type {points.dtype}, which does not fit its other parts"
            )
        return validation.points(points)


def _sparse(source: Source, parts: Arrays, shape: tuple[int, int], storage: str) -> Any:
    kind = scipy.sparse.csr_array if storage == "sparse array" else scipy.sparse.csr_matrix
    if parts.keys() != {"data", "indices", "indptr"} or any(part.ndim != 1 for part in parts.values()):
        raise source.refusal("is not a CSR matrix")
    if not parts["indices"].dtype == parts["indptr"].dtype == np.int64 or len(parts["data"]) != len(parts["indices"]):
        raise source.refusal("is not a CSR matrix: its row and column numbers must be int64, one for each value")
    return kind((parts["data"], parts["indices"], parts["indptr"]), shape=shape)  # validation.points checks the numbers

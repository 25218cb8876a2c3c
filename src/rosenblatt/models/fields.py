"""Fields for values that only models keep: training rows, learners, kernels, proofs and scalings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.base.schema import Arrays, Count, Facts, Field, Numbers, Real, Sizes, Source
from rosenblatt.classifiers.training.learner_state import kind_of, learner_of, state_of
from rosenblatt.errors import ParameterError

KERNELS = ("rbf", "poly", "linear", "precomputed")


@dataclass(frozen=True)
class Rows:
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
        from rosenblatt.data import validation

        return validation.points(points)


def _sparse(source: Source, parts: Arrays, shape: tuple[int, int], storage: str) -> Any:
    import scipy.sparse

    kind = scipy.sparse.csr_array if storage == "sparse array" else scipy.sparse.csr_matrix
    if parts.keys() != {"data", "indices", "indptr"} or any(part.ndim != 1 for part in parts.values()):
        raise source.refusal("is not a CSR matrix")
    if not parts["indices"].dtype == parts["indptr"].dtype == np.int64 or len(parts["data"]) != len(parts["indices"]):
        raise source.refusal("is not a CSR matrix: its row and column numbers must be int64, one for each value")
    return kind((parts["data"], parts["indices"], parts["indptr"]), shape=shape)  # validation.points checks the numbers


@dataclass(frozen=True)
class Learning:
    """The learner of an online estimator: one of these kinds."""

    kinds: tuple[str, ...]

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        arrays[name], kept = state_of(value)
        facts[name] = {"kind": kind_of(value), **kept}

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in self.kinds:
            raise source.refusal(f"cannot have a learner of the kind {str(kind)[:40]!r}")
        return learner_of(kind, inner.arrays, inner.facts, sizes)


class Kernel:
    """A kernel with a name, and its numbers. Functions cannot be kept."""

    numbers: Mapping[str, Field] = {
        "gamma": Real(0.0, strict=True),
        "degree": Count(1),
        "coef0": Real(0.0),
        "constant": Real(0.0),
    }

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        if value.kind not in KERNELS:
            raise ParameterError(f"A kernel that is a function cannot be saved. Use one of {', '.join(KERNELS)}.")
        facts[name] = {"kind": value.kind}
        for part, number in self.numbers.items():
            number.take(part, getattr(value, part), arrays, facts[name])

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        from rosenblatt.classifiers import kernel_values

        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in KERNELS:
            raise inner.refusal(f"must be one of {', '.join(KERNELS)}")
        parts = {part: number.give(part, inner, sizes) for part, number in self.numbers.items()}
        inner.end()
        return kernel_values.Kernel(kind, **parts)


class Proof:
    """`ErrorBounds` or None. The certificate is kept as JSON and the hyperplane as an array."""

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        facts[name] = None if value is None else value.certificate.body
        if value is not None:
            arrays[name] = value.hyperplane.weights

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        from rosenblatt.base.hyperplane import Hyperplane
        from rosenblatt.certificate.certificate import FORMAT, VERSION, Certificate
        from rosenblatt.certificate.format import Refuted, check_form
        from rosenblatt.proof.error_bounds import ErrorBounds

        body = source.fact(name)
        if body is None:
            return None
        try:
            check_form(body)
        except Refuted as refuted:
            raise source.refusal(f"has a malformed certificate: {refuted}") from refuted
        part = body.get("errors")
        if (body["format"], body["version"]) != (FORMAT, VERSION) or part is None:
            raise source.refusal("has a certificate that does not bound errors")
        lower, upper, n = part["lower"], part["upper"], body["data"]["rows"]
        if not lower == len(part["witnesses"]) <= upper == len(part["rows"]) <= n:
            raise source.refusal("has a certificate whose numbers contradict each other")
        plane = Hyperplane.from_weights(Numbers(("d+1",)).give(name, source, sizes))
        rows = np.array(part["rows"], dtype=np.int64)
        return ErrorBounds(lower, upper, plane, rows, part["witnesses"], Certificate(body), n)


class Recorded:
    """The record of a `Scaling`. Its numbers are kept as arrays."""

    arrays: Mapping[str, str] = {"centre": "float64", "scale": "float64", "constant": "int64"}

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        facts[name] = {key: part for key, part in value.items() if key not in ("names", "columns", *self.arrays)}
        arrays[name] = {
            key: np.array(value[key], dtype=dtype) for key, dtype in self.arrays.items() if value[key] is not None
        }

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, source.fact(name))
        record = {key: inner.fact(key) for key in ("how", "rows")}
        for key, dtype in self.arrays.items():
            kept = key in inner.arrays
            record[key] = Numbers((f"{name}.{key}",), dtype).give(key, inner, sizes).tolist() if kept else None
        inner.end()
        return record | {"columns": sizes["d"]}

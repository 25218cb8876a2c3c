"""What each fitted estimator keeps, beside its parameters, classes and columns: a layout for each class."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.base.schema import (
    LARGEST,
    Arrays,
    Bounds,
    Count,
    Facts,
    Field,
    Fractions,
    Layout,
    Lines,
    Numbers,
    Real,
    Reason,
    Sizes,
    Source,
    become,
    own,
)
from rosenblatt.classifiers.training.learner_state import TIE, WEIGHTS, kind_of, learner_of, state_of
from rosenblatt.errors import DataError, ParameterError


@dataclass(frozen=True)
class Rows:
    """Rows of training data, n x d: an array or a CSR matrix; None where there are none to keep."""

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
            raise source.refusal(f"has {name!r} in a storage that does not exist")
        if points.shape != shape or points.dtype not in self.dtypes or not shape[0]:
            raise source.refusal(f"has {name!r} of shape {points.shape} and type {points.dtype}, which does not fit")
        from rosenblatt.data import validation

        return validation.points(points)


def _sparse(source: Source, parts: Arrays, shape: tuple[int, int], storage: str) -> Any:
    import scipy.sparse

    kind = scipy.sparse.csr_array if storage == "sparse array" else scipy.sparse.csr_matrix
    if parts.keys() != {"data", "indices", "indptr"} or any(part.ndim != 1 for part in parts.values()):
        raise source.refusal("is not a CSR matrix")
    if not parts["indices"].dtype == parts["indptr"].dtype == np.int64 or len(parts["data"]) != len(parts["indices"]):
        raise source.refusal("is not a CSR matrix of whole row and column numbers")
    return kind((parts["data"], parts["indices"], parts["indptr"]), shape=shape)  # data.points looks at the numbers


KERNELS = ("rbf", "poly", "linear", "precomputed")


@dataclass(frozen=True)
class Learning:
    """A learner of one of these kinds."""

    kinds: tuple[str, ...]

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        arrays[name], kept = state_of(value)
        facts[name] = {"kind": kind_of(value), **kept}

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in self.kinds:
            raise source.refusal(f"cannot learn as {str(kind)[:40]!r}")
        return learner_of(kind, inner.arrays, inner.facts, sizes)


class Kernel:
    """A kernel that has a name, with its numbers."""

    numbers: Mapping[str, Field] = {
        "gamma": Real(0.0, strict=True),
        "degree": Count(1),
        "coef0": Real(0.0),
        "constant": Real(0.0),
    }

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        if value.kind not in KERNELS:
            raise ParameterError(f"A kernel that is a function cannot be saved; one of {', '.join(KERNELS)} can.")
        facts[name] = {"kind": value.kind}
        for part, number in self.numbers.items():
            number.take(part, getattr(value, part), arrays, facts[name])

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        from rosenblatt.classifiers import kernel_values

        inner = source.inner(name, source.fact(name))
        kind = inner.fact("kind")
        if kind not in KERNELS:
            raise inner.refusal(f"is none of {', '.join(KERNELS)}")
        parts = {part: number.give(part, inner, sizes) for part, number in self.numbers.items()}
        inner.end()
        return kernel_values.Kernel(kind, **parts)


class Proof:
    """`ErrorBounds`, or None: their certificate, which says all but the hyperplane."""

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
            raise source.refusal(f"has a certificate that makes no sense: {refuted}") from refuted
        part = body.get("errors")
        if (body["format"], body["version"]) != (FORMAT, VERSION) or part is None:
            raise source.refusal("has a certificate that is not one of errors")
        lower, upper, n = part["lower"], part["upper"], body["data"]["rows"]
        if not lower == len(part["witnesses"]) <= upper == len(part["rows"]) <= n:
            raise source.refusal("has a certificate whose numbers do not fit each other")
        plane = Hyperplane.from_weights(Numbers(("d+1",)).give(name, source, sizes))
        rows = np.array(part["rows"], dtype=np.int64)
        return ErrorBounds(lower, upper, plane, rows, part["witnesses"], Certificate(body), n)


class Recorded:
    """The record that a `Scaling` makes of itself, numbers as arrays."""

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
            there = Numbers((f"{name}.{key}",), dtype).give(key, inner, sizes).tolist() if key in inner.arrays else None
            record[key] = there
        inner.end()
        return record | {"columns": sizes["d"]}


def _online(model: Any, values: dict[str, Any]) -> None:
    become(model, values)
    model._codes = {label: code for code, label in enumerate(model.classes_.tolist())}


def _descended(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:  # noqa: ARG001
    descent = model._descent
    return {
        "best": descent.best.w,
        "errors": descent.best.errors,
        "tie": descent.tie,
        "t_last_update": descent.t_last_update,
        "mistakes": descent.mistakes,
        "history": descent.history,
        "_constant": model._constant,
        "stop_reason_": model.stop_reason_,
    }


def _descend(model: Any, values: dict[str, Any]) -> None:
    from rosenblatt.classifiers.training.descent import Best, Descent

    for name in ("_constant", "stop_reason_"):
        setattr(model, name, values.pop(name))
    model._descent = descent = Descent.__new__(Descent)
    best = Best(values.pop("best"), values.pop("errors"))
    become(descent, values | {"best": best, "w": best.w})


def _means(model: Any, values: dict[str, Any]) -> None:
    with np.errstate(over="ignore"):
        if not np.isfinite(np.square(values["means_"]).sum(axis=1)).all():
            raise DataError("NearestMean has means that are too large for floats to hold their squares.")
    become(model, values)


def _expand(model: Any, values: dict[str, Any]) -> None:
    given = values["_kernel"].kind == "precomputed"
    if given is not (values["support_vectors_"] is None):
        raise DataError("KernelPerceptron must have support vectors, unless its kernel is precomputed.")
    if given and (values["support_"] >= model.n_features_in_).any():
        raise DataError("KernelPerceptron has a support point that is not one of its columns.")
    become(model, values)
    model.dual_coef_ = np.asfortranarray(model.dual_coef_)  # as `fit` leaves it, so that products round alike


def _contacts(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    found = model._found
    met = found.contacts
    return {
        **own(model, {name: names[name] for name in ("means_", "covariances_", "component_radii_", "history_")}),
        "stop_reason_": found.stop_reason,
        "codes": model._component_codes,
        "v": found.v,
        "lower": found.lower,
        "upper": found.upper,
        "likely": met.likely if met else math.inf,
        "tight_": model.tight_,
        "directions": met.directions if met else np.zeros((0, model.n_features_in_)),
        "weights": met.weights if met else [],
    }


def _touch(model: Any, values: dict[str, Any]) -> None:
    from rosenblatt.classifiers.gaussians.gaussians import Gaussians, checked
    from rosenblatt.classifiers.gaussians.radius_bounds import Contacts
    from rosenblatt.classifiers.gaussians.search import Found

    codes, rows, weights = values.pop("codes"), values.pop("tight_"), values.pop("weights")
    means, covariances = checked(values["means_"], values["covariances_"])
    if not np.array_equal(covariances, values["covariances_"]) or set(codes.tolist()) != {0, 1}:
        raise DataError("Anderson has Gaussians that are not of two classes, or whose covariances are none.")
    if (rows >= len(means)).any() or len(weights) != len(rows):
        raise DataError("Anderson has a proof about Gaussians that there are not.")
    v, lower, upper, likely = (values.pop(name) for name in ("v", "lower", "upper", "likely"))
    directions, history, reason = values.pop("directions"), values["history_"], values["stop_reason_"]
    contacts = Contacts(rows, weights, directions, upper, likely) if len(rows) else None
    if contacts is None and upper != math.inf:
        raise DataError("Anderson has an upper bound without a proof.")
    become(model, values)
    model._gaussians, model._component_codes = Gaussians.of(means, covariances, codes), codes
    model._found = Found(v, lower, contacts, reason, history)
    model.component_labels_ = model.classes_[codes]
    model.radius_bounds_ = lower, upper
    model.tight_, model.weights_ = rows, np.array(weights, dtype=float)


def _recorded(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    return dict.fromkeys(names, model.record())


def _scale(model: Any, values: dict[str, Any]) -> None:
    names = getattr(model, "feature_names_in_", None)
    record = values["record"] | {"names": None if names is None else names.tolist()}
    become(model, {key: part for key, part in vars(type(model).from_record(record)).items() if key != "how"})


@dataclass(frozen=True)
class Estimator(Layout):
    """The layout of an estimator."""

    classes: bool = True  # does it know classes?
    two: bool = False  # does it know two only?
    columns: bool = True  # has it columns of its own, not those of what it is around?
    inside: str | None = None  # the attribute with the estimator, or the estimators, that it is around
    members: Callable[[int], int] = lambda k: 1  # how many these are for k classes  # noqa: ARG005


def _of_two(k: int) -> int:
    return 1 if k == 2 else k


WHOLE = Numbers(("epochs",), dtype="int64", low=0, high=LARGEST)
ROW = Numbers(("support",), dtype="int64", low=0)
PASSES: dict[str, Field] = {"mistakes_per_epoch_": WHOLE, "stop_reason_": Reason()}
STREAM: dict[str, Field] = {
    "_mistakes": Numbers(("epochs",), dtype="int64", low=0, high=LARGEST, least=1, listed=True),
    "_held_out_errors": Numbers(("looks",), low=0.0, infinite=True, listed=True),
    "n_updates_": Count(),
    "stop_reason_": Reason(),
}
LINE = Numbers(("lines",), infinite=True, least=1)
STEP = Numbers(("lines",), dtype="int64", least=1)


def _learns(home: str, *kinds: str, **more: Field) -> Estimator:
    return Estimator(f"rosenblatt.classifiers.{home}", {"_learner": Learning(kinds), **STREAM, **more}, build=_online)


ESTIMATORS = {
    "Perceptron": _learns("perceptron", "Plain", "Averaged", "Voted"),
    "PassiveAggressive": _learns("passive_aggressive", "Aggressive"),
    "Pocket": _learns("pocket", "Pocketed", _proved=Proof()),
    "BatchPerceptron": Estimator(
        "rosenblatt.classifiers.batch",
        {
            "best": WEIGHTS,
            "errors": Real(0.0, infinite=True),
            "tie": TIE,
            "t_last_update": Count(),
            "mistakes": Numbers(("epochs",), dtype="int64", low=0, high=LARGEST, least=1, listed=True),
            "history": Numbers(("improvements", 2), low=0.0, infinite=True, listed=True),
            "_constant": Real(0.0),
            "stop_reason_": Reason(),
        },
        _descended,
        _descend,
    ),
    "Kozinec": Estimator(
        "rosenblatt.classifiers.kozinec",
        {
            "_w": Numbers(("d+1",)),
            "_constant": Real(0.0),
            "_lead": Real(infinite=True),
            "margin_bounds_": Bounds(),
            "support_": ROW,
            "support_vectors_": Rows(),
            "dual_coef_": Numbers((1, "support")),
            "history_": Lines({"row": STEP, "lower": LINE, "upper": LINE, "active": STEP}),
            **PASSES,
        },
        two=True,
    ),
    "NearestMean": Estimator("rosenblatt.classifiers.nearest_mean", {"means_": Numbers(("k", "d"))}, build=_means),
    "KernelPerceptron": Estimator(
        "rosenblatt.classifiers.kernel_perceptron",
        {
            "_kernel": Kernel(),
            "_tie": TIE,
            "support_": ROW,
            "support_vectors_": Rows(("float64",)),
            "dual_coef_": Numbers(("scores", "support")),
            "n_updates_": Count(),
            **PASSES,
        },
        build=_expand,
    ),
    "Anderson": Estimator(
        "rosenblatt.classifiers.anderson",
        {
            "means_": Numbers(("m", "d"), least=2),
            "covariances_": Numbers(("m", "d", "d")),
            "codes": Numbers(("m",), dtype="int64", low=0, high=1),
            "component_radii_": Numbers(("m",), infinite=True),
            "v": Numbers(("d+1",)),
            "lower": Real(infinite=True),
            "upper": Real(infinite=True),
            "likely": Real(infinite=True),
            "tight_": Numbers(("tight",), dtype="int64", low=0),
            "directions": Numbers(("tight", "d")),
            "weights": Fractions(),
            "history_": Lines(
                {
                    "w": Numbers(("lines", "d+1"), least=1),
                    **dict.fromkeys(("radius", "lower", "upper"), LINE),
                }
            ),
            "stop_reason_": Reason(),
        },
        _contacts,
        _touch,
        two=True,
    ),
    "OneVsAll": Estimator("rosenblatt.classifiers.multiclass.one_vs_all", inside="estimators_", members=_of_two),
    "OneVsOne": Estimator(
        "rosenblatt.classifiers.multiclass.one_vs_one", inside="estimators_", members=lambda k: k * (k - 1) // 2
    ),
    "Kessler": Estimator(
        "rosenblatt.classifiers.multiclass.kessler", {"_w": WEIGHTS, "_constant": Real(0.0)}, inside="estimator_"
    ),
    "LeastRisk": Estimator(
        "rosenblatt.classifiers.multiclass.least_risk",
        {
            "offsets_": Numbers(("scores",)),
            "risk_": Real(infinite=True),
            "risk_before_": Real(infinite=True),
        },
        columns=False,
        inside="estimator_",
    ),
    "Scaling": Estimator("rosenblatt.data.scaling", {"record": Recorded()}, _recorded, _scale, classes=False),
}

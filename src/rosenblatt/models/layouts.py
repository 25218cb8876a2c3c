"""One layout per estimator class: the learned attributes that a file keeps, with their types and shapes."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.base.schema import (
    MAX_COUNT,
    Bounds,
    Count,
    Field,
    Fractions,
    Layout,
    Lines,
    Numbers,
    Real,
    Reason,
    attributes_of,
    set_attributes,
)
from rosenblatt.classifiers.training.learner_state import TIE, WEIGHTS
from rosenblatt.errors import DataError
from rosenblatt.models.fields import Kernel, Learning, Proof, Recorded, Rows

# How to build an estimator from its fields, and how to view its fields, where they are not plain attributes.


def _build_online(model: Any, values: dict[str, Any]) -> None:
    set_attributes(model, values)
    model._codes = {label: code for code, label in enumerate(model.classes_.tolist())}


def _view_batch(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:  # noqa: ARG001
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


def _build_batch(model: Any, values: dict[str, Any]) -> None:
    from rosenblatt.classifiers.training.descent import Best, Descent

    for name in ("_constant", "stop_reason_"):
        setattr(model, name, values.pop(name))
    model._descent = descent = Descent.__new__(Descent)
    best = Best(values.pop("best"), values.pop("errors"))
    set_attributes(descent, values | {"best": best, "w": best.w})


def _build_nearest_mean(model: Any, values: dict[str, Any]) -> None:
    with np.errstate(over="ignore"):
        if not np.isfinite(np.square(values["means_"]).sum(axis=1)).all():
            raise DataError("NearestMean has means whose squares are too large for floats.")
    set_attributes(model, values)


def _build_kernel_perceptron(model: Any, values: dict[str, Any]) -> None:
    given = values["_kernel"].kind == "precomputed"
    if given is not (values["support_vectors_"] is None):
        raise DataError("KernelPerceptron must have support vectors, unless its kernel is precomputed.")
    if given and (values["support_"] >= model.n_features_in_).any():
        raise DataError("KernelPerceptron has a support vector number that is not one of its columns.")
    set_attributes(model, values)
    model.dual_coef_ = np.asfortranarray(model.dual_coef_)  # the memory order of `fit`: products then round alike


def _view_anderson(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    found = model._found
    met = found.contacts
    return {
        **attributes_of(
            model, {name: names[name] for name in ("means_", "covariances_", "component_radii_", "history_")}
        ),
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


def _build_anderson(model: Any, values: dict[str, Any]) -> None:
    from rosenblatt.classifiers.gaussians.gaussians import Gaussians, checked
    from rosenblatt.classifiers.gaussians.radius_bounds import Contacts
    from rosenblatt.classifiers.gaussians.search import SearchResult

    codes, rows, weights = values.pop("codes"), values.pop("tight_"), values.pop("weights")
    means, covariances = checked(values["means_"], values["covariances_"])
    if not np.array_equal(covariances, values["covariances_"]) or set(codes.tolist()) != {0, 1}:
        raise DataError("Anderson must have Gaussians of two classes, with symmetric covariance matrices.")
    if (rows >= len(means)).any() or len(weights) != len(rows):
        raise DataError("Anderson has a proof about Gaussians that do not exist.")
    v, lower, upper, likely = (values.pop(name) for name in ("v", "lower", "upper", "likely"))
    directions, history, reason = values.pop("directions"), values["history_"], values["stop_reason_"]
    contacts = Contacts(rows, weights, directions, upper, likely) if len(rows) else None
    if contacts is None and upper != math.inf:
        raise DataError("Anderson has an upper bound without a proof.")
    set_attributes(model, values)
    model._gaussians, model._component_codes = Gaussians.of(means, covariances, codes), codes
    model._found = SearchResult(v, lower, contacts, reason, history)
    model.component_labels_ = model.classes_[codes]
    model.radius_bounds_ = lower, upper
    model.tight_, model.weights_ = rows, np.array(weights, dtype=float)


def _view_scaling(model: Any, names: Mapping[str, Field]) -> dict[str, Any]:
    return dict.fromkeys(names, model.record())


def _build_scaling(model: Any, values: dict[str, Any]) -> None:
    names = getattr(model, "feature_names_in_", None)
    record = values["record"] | {"names": None if names is None else names.tolist()}
    set_attributes(model, {key: part for key, part in vars(type(model).from_record(record)).items() if key != "how"})


@dataclass(frozen=True)
class Estimator(Layout):
    """The layout of an estimator, and of the estimators inside it."""

    classes: bool = True  # does it have classes?
    two: bool = False  # does it need exactly two classes?
    columns: bool = True  # does it record its columns? If not, the estimator inside does
    inside: str | None = None  # the attribute that holds the estimator or the list of estimators inside
    members: Callable[[int], int] = lambda k: 1  # the number of estimators inside, for k classes  # noqa: ARG005
    member_columns: Callable[[Any], int] = lambda model: int(model.n_features_in_)  # columns of each of them

    @property
    def holds_list(self) -> bool:
        return self.inside == "estimators_"


def _one_per_class(k: int) -> int:
    """The members of one against all: with two classes, one is enough."""
    return 1 if k == 2 else k


def _long_row_columns(model: Any) -> int:
    """The columns of Kessler's long rows: one block per class, with the bias constant if there is one."""
    return len(model.classes_) * int(model.n_features_in_ + (model._constant != 0))


MISTAKES = Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT)
SUPPORT_ROWS = Numbers(("support",), dtype="int64", low=0)
PASSES: dict[str, Field] = {"mistakes_per_epoch_": MISTAKES, "stop_reason_": Reason()}
STREAM: dict[str, Field] = {
    "_mistakes": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT, least=1, listed=True),
    "_held_out_errors": Numbers(("looks",), low=0.0, infinite=True, listed=True),
    "n_updates_": Count(),
    "stop_reason_": Reason(),
}
LINE_VALUE = Numbers(("lines",), infinite=True, least=1)
LINE_COUNT = Numbers(("lines",), dtype="int64", least=1)


def _online_layout(home: str, *kinds: str, **more: Field) -> Estimator:
    return Estimator(
        f"rosenblatt.classifiers.{home}", {"_learner": Learning(kinds), **STREAM, **more}, build=_build_online
    )


ESTIMATORS = {
    "Perceptron": _online_layout("perceptron", "Plain", "Averaged", "Voted"),
    "PassiveAggressive": _online_layout("passive_aggressive", "Aggressive"),
    "Pocket": _online_layout("pocket", "Pocketed", _proved=Proof()),
    "BatchPerceptron": Estimator(
        "rosenblatt.classifiers.batch_perceptron",
        {
            "best": WEIGHTS,
            "errors": Real(0.0, infinite=True),
            "tie": TIE,
            "t_last_update": Count(),
            "mistakes": Numbers(("epochs",), dtype="int64", low=0, high=MAX_COUNT, least=1, listed=True),
            "history": Numbers(("improvements", 2), low=0.0, infinite=True, listed=True),
            "_constant": Real(0.0),
            "stop_reason_": Reason(),
        },
        _view_batch,
        _build_batch,
    ),
    "Kozinec": Estimator(
        "rosenblatt.classifiers.kozinec",
        {
            "_w": Numbers(("d+1",)),
            "_constant": Real(0.0),
            "_lead": Real(infinite=True),
            "margin_bounds_": Bounds(),
            "support_": SUPPORT_ROWS,
            "support_vectors_": Rows(),
            "dual_coef_": Numbers((1, "support")),
            "history_": Lines({"row": LINE_COUNT, "lower": LINE_VALUE, "upper": LINE_VALUE, "active": LINE_COUNT}),
            **PASSES,
        },
        two=True,
    ),
    "NearestMean": Estimator(
        "rosenblatt.classifiers.nearest_mean", {"means_": Numbers(("k", "d"))}, build=_build_nearest_mean
    ),
    "KernelPerceptron": Estimator(
        "rosenblatt.classifiers.kernel_perceptron",
        {
            "_kernel": Kernel(),
            "_tie": TIE,
            "support_": SUPPORT_ROWS,
            "support_vectors_": Rows(("float64",)),
            "dual_coef_": Numbers(("scores", "support")),
            "n_updates_": Count(),
            **PASSES,
        },
        build=_build_kernel_perceptron,
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
                    **dict.fromkeys(("radius", "lower", "upper"), LINE_VALUE),
                }
            ),
            "stop_reason_": Reason(),
        },
        _view_anderson,
        _build_anderson,
        two=True,
    ),
    "OneVsAll": Estimator("rosenblatt.classifiers.multiclass.one_vs_all", inside="estimators_", members=_one_per_class),
    "OneVsOne": Estimator(
        "rosenblatt.classifiers.multiclass.one_vs_one", inside="estimators_", members=lambda k: k * (k - 1) // 2
    ),
    "Kessler": Estimator(
        "rosenblatt.classifiers.multiclass.kessler",
        {"_w": WEIGHTS, "_constant": Real(0.0)},
        inside="estimator_",
        member_columns=_long_row_columns,
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
    "Scaling": Estimator(
        "rosenblatt.data.scaling", {"record": Recorded()}, _view_scaling, _build_scaling, classes=False
    ),
}

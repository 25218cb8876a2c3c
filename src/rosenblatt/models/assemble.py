"""A model as a tree of arrays and facts, and back: parameters, classes, columns, what was learned, what is inside."""

import math
import numbers
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.schema import BEYOND, Arrays, Facts, Source
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.models.layouts import ESTIMATORS, Estimator

DEEPEST = 8  # models inside models
WIDEST = 2**24  # characters that labels take as an array of strings, each as long as the longest
KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
DTYPES = {
    "bool": ("bool",),
    "int": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "float": ("float16", "float32", "float64"),
    "str": ("str", "object"),
}
STORED = (*DTYPES["bool"], *DTYPES["int"], *DTYPES["float"])  # arrays of these can be parameters
PIPELINE = "Pipeline"


def apart(model: Any, *, fitted: bool = True) -> tuple[Arrays, Facts]:
    """All that makes a model, or, if it is not asked for as fitted, its parameters.

    Raises
    ------
    DataError, ParameterError
        Something in it cannot be saved.
    NotFittedError
        It has not learned anything yet.
    """
    from sklearn.utils.validation import check_is_fitted

    if _is_pipeline(model):
        return _steps_apart(model, fitted)
    layout = _layout(model)
    arrays: Arrays = {}
    inner: Arrays = {}
    parameters = model.get_params(deep=False)
    whose = type(model).__name__
    kept = {name: _packed(value, f"{whose}({name}=...)", name, inner) for name, value in parameters.items()}
    facts: Facts = {"algorithm": whose, "parameters": kept}
    if inner:
        arrays["parameters"] = inner
    if not fitted:
        return arrays, facts
    check_is_fitted(model, msg="This %(name)s is not fitted yet, so there is nothing to save; call fit first.")
    if layout.classes:
        facts["classes"] = _labels(model.classes_)
    if layout.columns:
        names = getattr(model, "feature_names_in_", None)
        facts["columns"] = {"count": int(model.n_features_in_), "names": None if names is None else list(names)}
    facts["encoding"] = _encoding(model)
    if layout.inside:
        there = getattr(model, layout.inside)
        _members_apart(there if isinstance(there, list) else [there], arrays, facts, fitted=True)
    facts["state"] = {}
    layout.take(model, arrays, facts["state"])
    return arrays, facts


def together(source: Source, *, fitted: bool = True, depth: int = 0) -> Any:
    """The model that was taken apart, after all has been checked.

    Raises
    ------
    DataError
        It is no model.
    """
    if depth > DEEPEST:
        raise source.refusal(f"has models inside models, more than {DEEPEST} deep")
    name = source.fact("algorithm")
    if name == PIPELINE:
        return _steps_together(source, fitted, depth)
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise source.refusal(f"is of a class {str(name)[:40]!r}, of which nothing is known")
    layout = ESTIMATORS[name]
    model = _parametrised(layout.found(name), source.inner("parameters", source.fact("parameters")), depth)
    if not fitted:
        source.end()
        return model
    sizes: dict[str, int] = {}
    if layout.classes:
        model.classes_ = _classes(Source(f"{source.where}.classes", {}, source.fact("classes")))
        k = sizes["k"] = len(model.classes_)
        sizes["scores"] = 1 if k == 2 else k
        if layout.two and k != 2:
            raise source.refusal(f"knows two classes, not {k}")
    if layout.columns:
        _name_columns(model, Source(f"{source.where}.columns", {}, source.fact("columns")))
        sizes["d"], sizes["d+1"] = model.n_features_in_, model.n_features_in_ + 1
    _encode(model, source)
    members = _members_together(source, True, depth) if layout.inside else []
    state = Source(source.where, source.arrays, source.fact("state"))
    source.arrays = {}
    source.end()
    layout.give(model, state, sizes)
    if layout.inside:
        _enclose(model, layout, members, source)
    return model


def _layout(model: Any) -> Estimator:
    name = type(model).__name__
    if name not in ESTIMATORS or ESTIMATORS[name].found(name) is not type(model):
        raise ParameterError(
            f"A {name} cannot be saved; what can be are {', '.join(ESTIMATORS)}, and a Pipeline of Scaling and one of "
            "them."
        )
    return ESTIMATORS[name]


def _enclose(model: Any, layout: Estimator, members: list[Any], source: Source) -> None:
    """Put the members inside, if they fit."""
    k = len(model.classes_)
    if len(members) != layout.members(k) or not all(hasattr(member, "decision_function") for member in members):
        raise source.refusal(f"has {len(members)} classifiers inside, which is not what {k} classes need")
    for member in members:
        if layout.columns:
            d = model.n_features_in_
            if type(model).__name__ == "Kessler":  # long rows, which contain the constant if there is one
                d = k * (d + (model._constant != 0))
            right = len(member.classes_) == 2 and member.n_features_in_ == d
        else:
            right = np.array_equal(member.classes_, model.classes_)
        if not right:
            raise source.refusal("has a classifier inside whose classes or columns do not fit its own")
    vars(model)[layout.inside] = members if str(layout.inside).endswith("s_") else members[0]


def _members_apart(members: Any, arrays: Arrays, facts: Facts, *, fitted: bool) -> None:
    parts = [apart(member, fitted=fitted) for member in members]
    facts["members"] = [inner for _, inner in parts]
    arrays["members"] = {str(i): inner for i, (inner, _) in enumerate(parts) if inner}


def _members_together(source: Source, fitted: bool, depth: int) -> list[Any]:
    facts = source.fact("members")
    if not isinstance(facts, list):
        raise source.refusal("has no list of what is inside")
    inside = source.inner("members", {})
    members = [together(inside.inner(str(i), each), fitted=fitted, depth=depth + 1) for i, each in enumerate(facts)]
    inside.end()
    return members


# A pipeline is scikit-learn's own, of scalings and then a classifier.


def _is_pipeline(model: Any) -> bool:
    return type(model).__name__ == PIPELINE and type(model).__module__.startswith("sklearn.")


def _steps_apart(model: Any, fitted: bool) -> tuple[Arrays, Facts]:
    *first, last = (step for _, step in model.steps)
    if any(type(step).__name__ != "Scaling" for step in first) or type(last).__name__ in (PIPELINE, "Scaling"):
        raise ParameterError("A Pipeline can be saved if it consists of Scaling and then a classifier of this package.")
    if model.memory is not None:
        raise ParameterError("A Pipeline with a memory on disk cannot be saved; set memory=None.")
    arrays: Arrays = {}
    facts: Facts = {"algorithm": PIPELINE, "steps": [name for name, _ in model.steps], "verbose": bool(model.verbose)}
    if fitted:
        facts["encoding"] = _encoding(model)
    _members_apart([step for _, step in model.steps], arrays, facts, fitted=fitted)
    return arrays, facts


def _steps_together(source: Source, fitted: bool, depth: int) -> Any:
    from sklearn.pipeline import Pipeline

    names, verbose = source.fact("steps"), source.fact("verbose")
    members = _members_together(source, fitted, depth)
    if not isinstance(names, list) or len(names) != len(members) or not members or type(verbose) is not bool:
        raise source.refusal("is a Pipeline whose steps have no names")
    if not all(isinstance(name, str) and name and "__" not in name for name in names) or len(set(names)) < len(names):
        raise source.refusal("is a Pipeline whose steps have names that they cannot have")
    *first, last = members
    if any(type(step).__name__ != "Scaling" for step in first) or not hasattr(last, "decision_function"):
        raise source.refusal("is a Pipeline of other things than Scaling and then a classifier")
    if fitted and len({step.n_features_in_ for step in members}) > 1:
        raise source.refusal("is a Pipeline whose steps have other columns than each other")
    model = Pipeline(list(zip(names, members, strict=True)), verbose=verbose)
    if fitted:
        _encode(model, source)
    source.end()
    return model


# Parameters: what users may give, as JSON; what JSON has no form for is an object with one key.


def _packed(value: Any, whose: str, name: str, arrays: Arrays) -> Any:
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.random.RandomState):
        raise ParameterError(f"{whose} is a RandomState, whose state would not be saved; give an integer or None.")
    if isinstance(value, np.bool_ | numbers.Integral):
        return bool(value) if isinstance(value, np.bool_) else int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    if isinstance(value, list | tuple):
        items = [_packed(np.asarray(v).tolist() if hasattr(v, "__array__") else v, whose, "", {}) for v in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, Mapping):
        return {"dict": [[_packed(part, whose, "", {}) for part in pair] for pair in value.items()]}
    if hasattr(value, "get_params") and not isinstance(value, type):
        inner, facts = apart(value, fitted=False)
        if inner:
            arrays[name] = inner
        return {"estimator": facts}
    if hasattr(value, "__array__"):
        array = np.array(value, order="C")
        if array.dtype.name in STORED:
            arrays[name] = array
            return {"array": array.dtype.name}
        if array.dtype.kind in "UO":
            return {
                "labels": _packed(array.tolist(), whose, "", {}),
                "dtype": "str" if array.dtype.kind == "U" else "object",
            }
    what = "a function, and a file holds no code" if callable(value) else f"a {type(value).__name__}"
    raise ParameterError(f"{whose} is {what}, so that it cannot be saved; give words or numbers instead.")


def _unpacked(kept: Any, name: str, source: Source, depth: int) -> Any:
    if kept is None or isinstance(kept, bool | str | int | float):
        return kept
    if isinstance(kept, list):
        return [_unpacked(each, "", source, depth) for each in kept]
    if isinstance(kept, dict) and kept.keys() == {"labels", "dtype"} and kept["dtype"] in ("str", "object"):
        labels = kept["labels"]
        if isinstance(labels, list) and len(labels) * max((len(str(x)) for x in labels), default=0) < WIDEST:
            return np.array(_unpacked(labels, "", source, depth), dtype=kept["dtype"])
    if isinstance(kept, dict) and len(kept) == 1:
        ((form, inner),) = kept.items()
        if form == "float" and isinstance(inner, str) and inner in BEYOND:
            return BEYOND[inner]
        if form == "tuple" and isinstance(inner, list):
            return tuple(_unpacked(each, "", source, depth) for each in inner)
        if form == "dict" and isinstance(inner, list):
            return {_unpacked(k, "", source, depth): _unpacked(v, "", source, depth) for k, v in inner}
        if form == "array" and name and isinstance(array := source.array(name), np.ndarray) and array.dtype == inner:
            return array
        if form == "estimator" and name:
            return together(source.inner(name, inner), fitted=False, depth=depth + 1)
    raise source.refusal(f"has a value for {name!r} that it cannot have")


def _parametrised(cls: Any, source: Source, depth: int) -> Any:
    """An estimator with these parameters, which it accepts."""
    from rosenblatt.base import parameters

    expected = set(cls._get_param_names())
    if source.facts.keys() != expected:
        strange = ", ".join(sorted(map(str, source.facts.keys() ^ expected)))
        raise source.refusal(f"lacks, or has too much, of what {cls.__name__} takes: {strange[:80]}")
    values = {name: _unpacked(source.fact(name), name, source, depth) for name in sorted(expected)}
    source.end()
    if "estimator" in expected and not hasattr(values["estimator"], "decision_function"):
        raise source.refusal("has no classifier as its estimator")
    model = cls(**values)
    try:
        parameters.check(model, getattr(cls, "_constraints", {}))
    except ParameterError as error:
        raise source.refusal(f"cannot be: {str(error).rstrip('.')}") from error
    return model


# Labels, columns, encoding.


def _labels(classes: NDArray[Any]) -> Facts:
    kind, dtype = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(classes.dtype.kind), classes.dtype.name
    labels = classes.tolist()
    if classes.dtype.kind in "UO" and all(isinstance(label, str) for label in labels):
        kind, dtype = "str", "str" if classes.dtype.kind == "U" else "object"
    if kind is None or dtype not in DTYPES[kind]:
        raise DataError(
            f"Class labels can be saved if they are integers, floats, booleans or strings; these are {labels[:3]}, of "
            f"type {classes.dtype}."
        )
    return {"kind": kind, "dtype": dtype, "labels": labels}


def _classes(source: Source) -> NDArray[Any]:
    kind, dtype, labels = (source.fact(name) for name in ("kind", "dtype", "labels"))
    source.end()
    if not isinstance(kind, str) or kind not in KINDS or dtype not in DTYPES[kind] or not isinstance(labels, list):
        raise source.refusal("are labels of no known kind")
    if len(labels) < 2 or not all(type(label) is KINDS[kind] for label in labels):
        raise source.refusal(f"are not two or more labels of the kind {kind!r}")
    if not all(a < b for a, b in pairwise(labels)) or (kind == "float" and not all(map(math.isfinite, labels))):
        raise source.refusal("are not in order")
    if dtype == "str" and len(labels) * max(map(len, labels)) > WIDEST:
        raise source.refusal("are too many labels, or one of them is too long")
    with np.errstate(over="ignore"):
        classes = np.array(labels, dtype=dtype)
    if classes.tolist() != labels:
        raise source.refusal(f"are labels that do not fit the type {dtype!r}")
    return classes


def _name_columns(model: Any, source: Source) -> None:
    count, names = source.fact("count"), source.fact("names")
    source.end()
    if type(count) is not int or not 1 <= count < 2**62:
        raise source.refusal("have no number")
    model.n_features_in_ = count
    if names is not None:
        if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
            raise source.refusal(f"have names that are not {count} words")
        model.feature_names_in_ = np.array(names, dtype=object)


def _encoding(model: Any) -> Any:
    encoding = getattr(model, "encoding_", None)
    if encoding is not None and not isinstance(encoding, dict):
        raise DataError(f"encoding_ must be a dict that can be written as JSON, not a {type(encoding).__name__}.")
    return encoding


def _encode(model: Any, source: Source) -> None:
    encoding = source.fact("encoding")
    if encoding is not None and not isinstance(encoding, dict):
        raise source.refusal("has an encoding that is no object")
    if encoding is not None:
        model.encoding_ = encoding

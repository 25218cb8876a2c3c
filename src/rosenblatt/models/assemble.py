"""A model as a tree of arrays and JSON facts, and back.

The tree has the parameters, the classes, the columns, the learned state, and the trees of the models inside the model.
"""

import importlib
import math
import numbers
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.base.json_forms import NON_FINITE
from rosenblatt.base.schema import Arrays, Facts, SavedState, Source
from rosenblatt.errors import ParameterError
from rosenblatt.models.labels import (
    DTYPES,
    MAX_LABEL_CHARACTERS,
    pack_columns,
    pack_encoding,
    pack_labels,
    unpack_columns,
    unpack_encoding,
    unpack_labels,
)
from rosenblatt.models.transformers import is_transformer, not_listed, transformer_from_tree, transformer_to_tree

CLASSES = (  # each has `_saved`, which says what a file keeps of it
    "Perceptron",
    "PassiveAggressive",
    "Pocket",
    "BatchPerceptron",
    "Kozinec",
    "NearestMean",
    "KernelPerceptron",
    "Anderson",
    "OneVsAll",
    "OneVsOne",
    "Kessler",
    "LeastRisk",
    "Calibrated",
    "Scaling",
)
MAX_DEPTH = 8  # models inside models
SCALARS = (bool, str, np.bool_, numbers.Real)
ARRAY_DTYPES = (*DTYPES["bool"], *DTYPES["int"], *DTYPES["float"])  # arrays of these can be parameters
PIPELINE = "Pipeline"


def to_tree(model: Any, *, fitted: bool = True) -> tuple[Arrays, Facts]:
    """The arrays and facts that make a model; its parameters alone if `fitted` is False.

    Raises
    ------
    DataError, ParameterError
        Something in the model cannot be saved.
    NotFittedError
        The model is not fitted.
    """
    from sklearn.utils.validation import check_is_fitted

    if _is_pipeline(model):
        return _pipeline_to_tree(model, fitted)
    saved = _saved_state(model)
    arrays: Arrays = {}
    array_parameters: Arrays = {}
    name = type(model).__name__
    parameters = {
        key: _pack(value, f"{name}({key}=...)", key, array_parameters)
        for key, value in model.get_params(deep=False).items()
    }
    facts: Facts = {"algorithm": name, "parameters": parameters}
    if array_parameters:
        arrays["parameters"] = array_parameters
    if not fitted:
        return arrays, facts
    check_is_fitted(model, msg="This %(name)s is not fitted yet, so there is nothing to save; call fit first.")
    if saved.classes:
        facts["classes"] = pack_labels(model.classes_)
    if saved.columns:
        facts["columns"] = pack_columns(model)
    facts["encoding"] = pack_encoding(model)
    if saved.inside:
        inside = getattr(model, saved.inside)
        _members_to_tree(inside if saved.holds_list else [inside], arrays, facts, fitted=True)
    facts["state"] = {}
    saved.take(model, arrays, facts["state"])
    return arrays, facts


def from_tree(source: Source, *, fitted: bool = True, depth: int = 0) -> Any:
    """The model that `to_tree` took apart. Every part is checked.

    Raises
    ------
    DataError
        The tree is not that of a model.
    """
    if depth > MAX_DEPTH:
        raise source.refusal(f"has models inside models, more than {MAX_DEPTH} deep")
    if "transformer" in source.facts:
        return transformer_from_tree(source, fitted=fitted)
    name = source.fact("algorithm")
    if name == PIPELINE:
        return _pipeline_from_tree(source, fitted, depth)
    if not isinstance(name, str) or name not in CLASSES:
        raise source.refusal(f"is of an unknown class, {str(name)[:40]!r}")
    cls = _class(name)
    model = _unfitted(cls, source.inner("parameters", source.fact("parameters")), depth)
    if fitted:
        _restore(model, cls._saved, source, depth)
    else:
        source.end()
    return model


def _restore(model: Any, saved: SavedState, source: Source, depth: int) -> None:
    """Give an unfitted model its classes, columns, members and learned state."""
    sizes: dict[str, int] = {}
    if saved.classes:
        model.classes_ = unpack_labels(Source(f"{source.where}.classes", {}, source.fact("classes")))
        k = sizes["k"] = len(model.classes_)
        sizes["scores"] = 1 if k == 2 else k
        if saved.two and k != 2:
            raise source.refusal(f"must have two classes, not {k}")
    if saved.columns:
        unpack_columns(model, Source(f"{source.where}.columns", {}, source.fact("columns")))
        sizes["d"], sizes["d+1"] = model.n_features_in_, model.n_features_in_ + 1
    unpack_encoding(model, source)
    members = _members_from_tree(source, True, depth) if saved.inside else []
    state = Source(source.where, source.arrays, source.fact("state"))
    source.arrays = {}
    source.end()
    saved.give(model, state, sizes)
    if saved.inside:
        _check_members(model, saved, members, source)
        vars(model)[saved.inside] = members if saved.holds_list else members[0]


def _saved_state(model: Any) -> SavedState:
    """What a file keeps of a model. A class that says `_saves_as` leaves models of that class."""
    name = type(model).__name__
    if name not in CLASSES or _class(name) is not vars(type(model)).get("_saves_as", type(model)):
        raise ParameterError(
            f"A {name} cannot be saved. These can: {', '.join(CLASSES)}, and a Pipeline that ends in one of them after "
            "transformers of scikit-learn."
        )
    saved: SavedState = type(model)._saved
    return saved


def _class(name: str) -> Any:
    """The class of this public name, which is imported when it is needed."""
    return getattr(importlib.import_module("rosenblatt"), name)


# Members: the models inside a model.


def _members_to_tree(members: Any, arrays: Arrays, facts: Facts, *, fitted: bool) -> None:
    trees = [
        transformer_to_tree(member) if is_transformer(member) else to_tree(member, fitted=fitted) for member in members
    ]
    facts["members"] = [inner for _, inner in trees]
    arrays["members"] = {str(i): inner for i, (inner, _) in enumerate(trees) if inner}


def _members_from_tree(source: Source, fitted: bool, depth: int) -> list[Any]:
    facts = source.fact("members")
    if not isinstance(facts, list):
        raise source.refusal("must have a list of members")
    inside = source.inner("members", {})
    members = [from_tree(inside.inner(str(i), each), fitted=fitted, depth=depth + 1) for i, each in enumerate(facts)]
    inside.end()
    return members


def _check_members(model: Any, saved: SavedState, members: list[Any], source: Source) -> None:
    """Refuse members that are too few or too many, or that have other classes or columns than the model needs."""
    k = len(model.classes_)
    if len(members) != saved.members(k) or not all(hasattr(member, "decision_function") for member in members):
        raise source.refusal(f"has {len(members)} classifiers inside, which does not fit {k} classes")
    for member in members:
        if saved.columns:
            fits = len(member.classes_) == 2 and member.n_features_in_ == saved.member_columns(model)
        else:
            fits = np.array_equal(member.classes_, model.classes_)
        if not fits:
            raise source.refusal("has a classifier inside with other classes or columns than it needs")


# A pipeline is scikit-learn's own: Scaling and transformers of scikit-learn, and then a classifier of this package.


def _is_pipeline(model: Any) -> bool:
    module = sys.modules.get("sklearn.pipeline")  # a slow import; whoever has a Pipeline has imported it
    return module is not None and type(model) is module.Pipeline


def _pipeline_to_tree(model: Any, fitted: bool) -> tuple[Arrays, Facts]:
    from rosenblatt.data.scaling import Scaling

    *first, last = (step for _, step in model.steps)
    for step in first:
        if type(step) is not Scaling and not is_transformer(step):
            raise not_listed(step)
    if type(last) is Scaling or _is_pipeline(last) or is_transformer(last):
        raise ParameterError(
            f"A Pipeline can be saved if it ends in a classifier of this package; this one ends in {last!r}."
        )
    if model.memory is not None:
        raise ParameterError("A Pipeline with a memory on disk cannot be saved; set memory=None.")
    arrays: Arrays = {}
    facts: Facts = {"algorithm": PIPELINE, "steps": [name for name, _ in model.steps], "verbose": bool(model.verbose)}
    if fitted:
        facts["encoding"] = pack_encoding(model)
    _members_to_tree([step for _, step in model.steps], arrays, facts, fitted=fitted)
    return arrays, facts


def _pipeline_from_tree(source: Source, fitted: bool, depth: int) -> Any:
    from sklearn.pipeline import Pipeline

    from rosenblatt.data.scaling import Scaling

    names, verbose = source.fact("steps"), source.fact("verbose")
    members = _members_from_tree(source, fitted, depth)
    if not isinstance(names, list) or len(names) != len(members) or not members or type(verbose) is not bool:
        raise source.refusal("is a Pipeline that does not have one name for each step")
    if not all(isinstance(name, str) and name and "__" not in name for name in names) or len(set(names)) < len(names):
        raise source.refusal("is a Pipeline with step names that are empty, repeated or contain '__'")
    *first, last = members
    only_scaled = all(type(step) is Scaling for step in first)
    if not all(type(step) is Scaling or is_transformer(step) for step in first) or not hasattr(
        last, "decision_function"
    ):
        raise source.refusal("is a Pipeline that does not consist of transformers and then a classifier")
    if fitted and only_scaled and len({step.n_features_in_ for step in members}) > 1:
        raise source.refusal("is a Pipeline whose steps differ in their number of columns")
    model = Pipeline(list(zip(names, members, strict=True)), verbose=verbose)
    if fitted:
        unpack_encoding(model, source)
    source.end()
    return model


# Parameters as JSON. A value that JSON has no form for becomes an object whose key names the form.


def _pack(value: Any, parameter: str, name: str, arrays: Arrays) -> Any:
    """A value as JSON; an array goes into `arrays` under this name."""
    if value is None or isinstance(value, SCALARS):
        return _pack_scalar(value)
    if isinstance(value, list | tuple | Mapping):
        return _pack_container(value, parameter)
    if hasattr(value, "get_params") and not isinstance(value, type):
        inner, facts = to_tree(value, fitted=False)
        if inner:
            arrays[name] = inner
        return {"estimator": facts}
    packed = _pack_array(value, parameter, name, arrays) if hasattr(value, "__array__") else None
    if packed is None:
        raise _unsavable(value, parameter)
    return packed


def _pack_scalar(value: Any) -> Any:
    if value is None:
        return None
    for kind, convert in ((str, str), (bool | np.bool_, bool), (numbers.Integral, int)):
        if isinstance(value, kind):
            return convert(value)
    number = float(value)
    return number if math.isfinite(number) else {"float": repr(number)}


def _pack_container(value: Any, parameter: str) -> Any:
    if isinstance(value, Mapping):
        return {"dict": [[_pack(part, parameter, "", {}) for part in pair] for pair in value.items()]}
    items = [_pack(np.asarray(v).tolist() if hasattr(v, "__array__") else v, parameter, "", {}) for v in value]
    return items if isinstance(value, list) else {"tuple": items}


def _pack_array(value: Any, parameter: str, name: str, arrays: Arrays) -> Any:
    """An array of numbers or of labels as JSON; None if its dtype cannot be saved."""
    array = np.array(value, order="C")
    if array.dtype.name in ARRAY_DTYPES:
        arrays[name] = array
        return {"array": array.dtype.name}
    if array.dtype.kind in "UO":
        labels = _pack(array.tolist(), parameter, "", {})
        return {"labels": labels, "dtype": "str" if array.dtype.kind == "U" else "object"}
    return None


def _unsavable(value: Any, parameter: str) -> ParameterError:
    if isinstance(value, np.random.RandomState):
        return ParameterError(f"{parameter} is a RandomState, whose state would not be saved; give an integer or None.")
    what = "a function, and a file holds no code" if callable(value) else f"a {type(value).__name__}"
    return ParameterError(f"{parameter} is {what}; it cannot be saved. Give strings or numbers instead.")


def _unpack(kept: Any, name: str, source: Source, depth: int) -> Any:
    """The value that `_pack` wrote, after a check."""
    match kept:
        case None | bool() | str() | int() | float():
            return kept
        case list():
            return [_unpack(each, "", source, depth) for each in kept]
        case {"labels": list(labels), "dtype": "str" | "object" as dtype, **rest} if not rest:
            if len(labels) * max((len(str(label)) for label in labels), default=0) < MAX_LABEL_CHARACTERS:
                return np.array(_unpack(labels, "", source, depth), dtype=dtype)
        case {"float": str(word), **rest} if not rest and word in NON_FINITE:
            return NON_FINITE[word]
        case {"tuple": list(items), **rest} if not rest:
            return tuple(_unpack(each, "", source, depth) for each in items)
        case {"dict": list(pairs), **rest} if not rest:
            return {_unpack(key, "", source, depth): _unpack(part, "", source, depth) for key, part in pairs}
        case {"array": dtype, **rest} if not rest and name:
            array = source.array(name)
            if isinstance(array, np.ndarray) and array.dtype == dtype:
                return array
        case {"estimator": facts, **rest} if not rest and name:
            return from_tree(source.inner(name, facts), fitted=False, depth=depth + 1)
    raise source.refusal(f"has an impossible value for {name!r}")


def _unfitted(cls: Any, source: Source, depth: int) -> Any:
    """An unfitted estimator with these parameters, after a check."""
    from rosenblatt.base import parameters

    source.facts = cls._saved.updated(source.facts)
    expected = set(cls._get_param_names())
    if source.facts.keys() != expected:
        different = ", ".join(sorted(map(str, source.facts.keys() ^ expected)))
        raise source.refusal(f"must be the parameters of {cls.__name__}; missing or unknown: {different[:80]}")
    values = {name: _unpack(source.fact(name), name, source, depth) for name in sorted(expected)}
    source.end()
    if "estimator" in expected and not hasattr(values["estimator"], "decision_function"):
        raise source.refusal("must have a classifier as its estimator")
    model = cls(**values)
    try:
        parameters.check(model, getattr(cls, "_constraints", {}))
    except ParameterError as error:
        raise source.refusal(f"has a wrong value: {str(error).rstrip('.')}") from error
    return model

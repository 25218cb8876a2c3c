"""Damaged, forged and invented model files: `load` refuses them with a message, or returns a model that works."""

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    DataError,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from rosenblatt.data.scaling import Scaling
from rosenblatt.models.save import from_bytes, to_bytes
from tests.support.effort import examples

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # numbers that were made up overflow
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
]

rng = np.random.default_rng(11)
X = np.round(rng.normal(size=(24, 3)), 2)
THREE = np.argmax(X + 0.3 * rng.normal(size=X.shape), axis=1)
WORDS = np.array(["a", "b", "c"])[THREE]
TWO = THREE > 0
SPARSE = scipy.sparse.csr_array(X)


MODELS: dict[str, tuple[Any, Any, Any]] = {  # of each kind one: the estimator, its rows, their labels
    "plain": (Perceptron(max_epochs=3), X, WORDS),
    "averaged": (Perceptron(average="averaged", init=np.ones(4), class_weight={True: 2.0}), X, TWO),
    "voted": (Perceptron(average="voted", max_epochs=2), X, THREE),
    "aggressive": (PassiveAggressive(C=float("inf"), max_epochs=2), X, THREE),
    "pocket": (Pocket(max_epochs=2), X, THREE),
    "batch": (BatchPerceptron(patience=3), X, THREE),
    "kozinec": (Kozinec(C=1.0), X, TWO),
    "sparse kozinec": (Kozinec(C=1.0), SPARSE, TWO),
    "mean": (NearestMean(), X, WORDS),
    "kernel": (KernelPerceptron(max_epochs=3), X, THREE),
    "sparse kernel": (KernelPerceptron(kernel="poly", max_epochs=3), SPARSE, THREE),
    "given kernel": (KernelPerceptron(kernel="precomputed", max_epochs=3), X @ X.T, THREE),
    "anderson": (Anderson(), X, TWO),
    "one vs all": (OneVsAll(Perceptron(max_epochs=2)), X, THREE),
    "one vs one": (OneVsOne(NearestMean()), X, THREE),
    "kessler": (Kessler(Perceptron(max_epochs=2)), X, THREE),
    "calibrated": (Calibrated(NearestMean()), X, THREE),
    "least risk": (LeastRisk(NearestMean(), np.ones((3, 3))), X, THREE),
    "pipeline": (make_pipeline(Scaling("standardize"), Perceptron(max_epochs=2)), X, THREE),
}
NAMES = list(MODELS)


def opened_file(raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    length = int.from_bytes(raw[:8], "little")
    body = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"]["rosenblatt"])
    return body, safetensors.numpy.load(raw)


def forged(body: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A file with a correct digest."""
    text = json.dumps({**body, "digest": "0" * 64})
    ordered = {name: np.array(array, order="C") for name, array in arrays.items()}
    raw = safetensors.numpy.save(ordered, {"rosenblatt": text})
    return raw.replace(b"0" * 64, hashlib.sha256(raw).hexdigest().encode(), 1)


@cache
def files() -> dict[str, bytes]:
    """The models as files, made when they are first needed."""
    with pytest.warns(ConvergenceWarning):
        return {name: to_bytes(clone(model).fit(rows, labels)) for name, (model, rows, labels) in MODELS.items()}


@cache
def originals() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    return {name: opened_file(raw) for name, raw in files().items()}


def opened(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return copy.deepcopy(originals()[name])


def array_names(name: str) -> list[str]:
    return sorted(originals()[name][1])


def refused(raw: bytes, message: str = ".") -> None:
    with pytest.raises(DataError, match=message) as caught:
        from_bytes(raw)
    assert re.fullmatch(r"[A-Z].*\.", str(caught.value), re.DOTALL)


def refused_or_works(raw: bytes, points: Any = X) -> None:
    """Check that the bytes give a DataError or a model that works."""
    try:
        model = from_bytes(raw)
    except DataError:
        return
    for rows in (points, scipy.sparse.csr_array(points)):
        try:
            assert np.isin(model.predict(rows), model.classes_).all()
            assert len(model.decision_function(rows)) == len(points)
            if hasattr(model, "learn_one") and len(model.classes_) == 3:
                if "held_out" in model.get_params():
                    model.set_params(held_out=None)  # `partial_fit` would refuse it
                model.partial_fit(rows, model.classes_[THREE]).learn_one(points[0], model.classes_.tolist()[0])
            to_bytes(model)
        except DataError:
            continue
    repr(model)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to each part of a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Damage


def test_what_was_not_tampered_with_is_loaded() -> None:
    for name, raw in files().items():
        assert to_bytes(from_bytes(raw)) == raw
        assert to_bytes(from_bytes(forged(*opened(name)))) == raw


@given(st.sampled_from(NAMES), st.integers(0, 10**9), st.integers(0, 7))
@settings(max_examples=examples(6))
def test_a_flipped_bit_is_noticed(name: str, byte: int, bit: int) -> None:
    raw = bytearray(files()[name])
    raw[byte % len(raw)] ^= 1 << bit
    refused(bytes(raw))


def test_every_flipped_bit_of_a_header_is_noticed() -> None:
    raw = files()["mean"]
    for byte in range(8 + int.from_bytes(raw[:8], "little")):
        damaged = bytearray(raw)
        damaged[byte] ^= 1 << byte % 8
        refused(bytes(damaged))


@given(st.sampled_from(NAMES), st.integers(0, 10**9))
def test_a_part_of_a_file_is_refused(name: str, length: int) -> None:
    refused(files()[name][: length % len(files()[name])])


@given(st.sampled_from(NAMES), st.binary(min_size=1, max_size=9))
def test_a_file_with_more_behind_it_is_refused(name: str, more: bytes) -> None:
    refused(files()[name] + more)


@given(st.binary(max_size=200))
@settings(max_examples=examples(5))
def test_random_bytes_are_refused(raw: bytes) -> None:
    refused(raw, "This is not a model")
    refused(len(raw).to_bytes(8, "little") + raw, "This is not a model")


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 100_000_001, 10**6])
def test_a_header_of_a_length_that_is_not_there_is_refused(length: int) -> None:
    refused(length.to_bytes(8, "little") + files()["mean"][8:], "This is not a model, or only a part of one")


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 50_000,
        b'{"__metadata__":' + b'{"a":' * 50_000,
        b'{"__metadata__":{}}',
        b'{"__metadata__":{"rosenblatt":3}}',
        b'{"__metadata__":{"rosenblatt":"[]"}}',
        b'{"__metadata__":{"rosenblatt":"{}","more":""}}',
        b'{"__metadata__":{"rosenblatt":"NaN"}}',
        b'{"w":{"dtype":"F64","shape":[4000000000,4000000000],"data_offsets":[0,8]}}' + b" " * 8,
        b"9" * 5000,
        b"\xff\xfe{\x00}\x00",
        "{}".encode("utf-16"),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(header: bytes) -> None:
    refused(len(header).to_bytes(8, "little") + header + b" " * 8, "This is not a model")


@pytest.mark.parametrize("version", [2, 10**30])
def test_a_format_of_the_future_asks_for_an_upgrade(version: int) -> None:
    body, arrays = opened("plain")
    refused(
        forged({**body, "version": version, "new": 1}, arrays), "reads version 1: upgrade rosenblatt with pip install"
    )


@pytest.mark.parametrize(
    "change", [{"format": "other"}, {"format": None}, {"version": 0}, {"version": "1"}, {"version": True}]
)
def test_another_format_is_refused(change: dict[str, Any]) -> None:
    body, arrays = opened("plain")
    refused(forged(body | change, arrays), "This is not a model: the format 'rosenblatt model' was expected")


def test_arrays_that_overlap_or_leave_holes_are_refused() -> None:
    """The digest is correct, so safetensors must detect it."""
    raw = files()["plain"]
    length = int.from_bytes(raw[:8], "little")
    first = '"_learner.w":{"dtype":"'
    for old, new in (
        ('data_offsets":[0,', 'data_offsets":[8,'),
        *((f"{first}F64", first + t) for t in ("F16", "BF16", "X")),
    ):
        header = json.loads(raw[8 : 8 + length])
        body = json.loads(header["__metadata__"]["rosenblatt"])
        header["__metadata__"]["rosenblatt"] = json.dumps(body | {"digest": "0" * 64})
        text = json.dumps(header, separators=(",", ":")).replace(old, new, 1).encode()
        draft = len(text).to_bytes(8, "little") + text + raw[8 + length :]
        refused(draft.replace(b"0" * 64, hashlib.sha256(draft).hexdigest().encode(), 1), "its arrays cannot be read")


# ---------------------------------------------------------------------------------------------------------------------
# Forgery, with a right digest


@pytest.mark.parametrize(
    "algorithm", ["Own", "Learner", "Plain", "builtins.eval", "os.system", "", None, 3, ["Perceptron"], {}, "Pipeline"]
)
@pytest.mark.parametrize("name", ["plain", "one vs all"])
def test_an_unknown_class_is_refused(name: str, algorithm: Any) -> None:
    body, arrays = opened(name)
    refused(forged({**body, "algorithm": algorithm}, arrays))
    if "members" in body:
        body["members"][1]["algorithm"] = algorithm
        refused(forged(body, arrays))


LATER = ("_training_digest", "_weight_range", "_hash_bits")  # files of earlier versions have none


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_is_needed_and_no_other_is_known(name: str) -> None:
    body, arrays = opened(name)
    for path in list(places(body)):
        if path[:1] == ("encoding",) or path in ((), ("digest",)):
            continue
        if isinstance(at(body, path[:-1]), dict) and path[-1] not in LATER:
            less = copy.deepcopy(body)
            del at(less, path[:-1])[path[-1]]
            refused(forged(less, arrays))
        if isinstance(at(body, path), dict):
            more = copy.deepcopy(body)
            at(more, path)["strange"] = 1
            refused(forged(more, arrays))
    refused(forged({**body, "strange": 1}, arrays), "has the unknown entry 'strange'")


@pytest.mark.parametrize("name", NAMES)
def test_every_array_is_needed_and_no_other_is_known(name: str) -> None:
    body, arrays = opened(name)
    for array in arrays:
        refused(forged(body, {other: part for other, part in arrays.items() if other != array}))
        refused(forged(body, arrays | {f"{array}.inside": np.zeros(1)}))
        refused(forged(body, arrays | {f"{array}_": np.zeros(1)}))
    refused(forged(body, arrays | {"strange": np.zeros(1)}), "has the unknown entry")
    refused(forged(body, arrays | {"a.b.c": np.zeros(1)}), "has the unknown entry")


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_another_type_are_refused_and_of_another_shape_too_where_it_counts(name: str) -> None:
    assert array_names(name)
    for array in array_names(name):
        check_type_and_shape(name, array)


def check_type_and_shape(name: str, array: str) -> None:
    body, arrays = opened(name)
    old = arrays[array]
    points = X @ X.T if name == "given kernel" else X
    for dtype in ("float64", "float32", "float16", "int64", "int32", "uint64", "bool"):
        if old.dtype != dtype and not (name.endswith("kozinec") and array.startswith("support_vectors_")):
            refused(forged(body, arrays | {array: old.astype(dtype)}))
    refuse = refused_or_works if array.startswith("parameters.") else refused  # of which a new fit may ask the shape
    refuse(forged(body, arrays | {array: old[np.newaxis]}))
    refuse(forged(body, arrays | {array: np.array(old.ravel()[0] if old.size else 0, dtype=old.dtype)}))
    for axis in range(old.ndim):
        part = old.take([0], axis=axis) if old.shape[axis] else np.zeros((1, *old.shape[1:]), old.dtype)
        for new in (np.concatenate([old, part], axis=axis), old.take(range(1, old.shape[axis]), axis=axis), old[:0]):
            refused_or_works(forged(body, arrays | {array: new}), points)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_that_are_none_are_refused(name: str) -> None:
    assert array_names(name)
    for array in array_names(name):
        check_numbers(name, array)


def check_numbers(name: str, array: str) -> None:
    body, arrays = opened(name)
    if array.startswith("parameters") and name == "least risk":  # the penalties are only looked at by a new fit
        return
    for bad in (np.nan,) if arrays[array].dtype.kind == "f" else (-(2**63),):
        if arrays[array].size:
            arrays[array].flat[-1] = bad
            if array.endswith(("history_.row", "history_.active")):  # a record of the past
                refused_or_works(forged(body, arrays))
            else:
                refused(forged(body, arrays))


def change(name: str, array: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """A change of one array: of its first number, or of the whole array by a function."""

    def apply(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        if callable(value):
            arrays[array] = value(arrays[array])
        else:
            arrays[array].flat[0] = value

    apply.__name__ = f"{name}: {array}"
    return apply


def fact(path: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def apply(body: dict[str, Any], _: dict[str, Any]) -> None:
        *before, last = path.split(".")
        at(body, tuple(before))[last] = value

    return apply


def renamed(path: str, name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """Another name and value in the place of an entry."""

    def apply(body: dict[str, Any], _: dict[str, Any]) -> None:
        *before, last = path.split(".")
        place = at(body, tuple(before))
        del place[last]
        place[name] = value

    return apply


FORGED: list[tuple[str, Callable[[dict[str, Any], dict[str, Any]], None], str]] = [
    ("kozinec", fact("parameters.relative", True), "missing or unknown: relative"),  # beside its name of today
    ("batch", fact("parameters.step", 1.0), "missing or unknown: step"),
    ("kozinec", renamed("parameters.epsilon_kind", "relative", [True]), r"epsilon_kind=...\) must be one of"),
    ("kozinec", renamed("parameters.epsilon_kind", "relative", 1), r"epsilon_kind=...\) must be one of"),
    ("plain", change("plain", "_learner.w", lambda w: w[:, :-1]), "'w' of shape"),
    ("plain", change("plain", "_learner.w", lambda w: w[:-1]), "'w' of shape"),
    ("plain", change("plain", "_learner.w", lambda w: w[0]), "'w' of shape"),
    ("plain", change("plain", "_learner.rate", lambda rate: rate[:-1]), "'rate' of shape"),
    ("plain", change("plain", "_learner.bound", -1.0), "numbers in 'bound'"),
    ("plain", change("plain", "_mistakes", lambda m: m[:0]), "'_mistakes' of shape"),
    ("plain", fact("classes.labels", ["a", "b", "c", "d"]), "does not fit"),
    ("plain", fact("classes.labels", ["a", "b"]), "does not fit"),
    ("plain", fact("classes.labels", ["a", "c", "b"]), "has labels that are not in increasing order"),
    ("plain", fact("classes.labels", ["a", "b", "b"]), "has labels that are not in increasing order"),
    ("plain", fact("classes.labels", ["a", "b", 3]), "of the kind 'str'"),
    ("plain", fact("classes.labels", ["a", "b", "c" * 2**23]), "has too many labels, or one that is too long"),
    ("plain", fact("classes", {"kind": "int", "dtype": "int8", "labels": [1, 2, 300]}), "contents that no model has"),
    ("plain", fact("classes", {"kind": "float", "dtype": "float16", "labels": [1.0, 2.0, 1e9]}), "do not fit the type"),
    ("plain", fact("columns.count", 4), "does not fit"),
    ("plain", fact("columns.count", 0), "must have a count of at least 1"),
    ("plain", fact("columns.names", ["a", "b"]), "must have 3 strings as names"),
    ("plain", fact("encoding", [1]), "has an encoding that is not an object"),
    ("plain", fact("state._training_digest", 7), "not a digest of rows"),
    ("plain", fact("state._training_digest", "dense float64 4 3"), "not a digest of rows"),
    ("plain", fact("state._weight_range", [1.0, 1.0]), "is not an object with named parts"),
    ("plain", fact("state._hash_bits", 3), "hashes names to 3 bits, which does not fit its 3 columns"),
    ("plain", fact("state._hash_bits", 2**61), "does not fit its 3 columns"),
    ("plain", fact("state._hash_bits", "one"), "as '_hash_bits', which is not a valid count"),
    ("plain", fact("state._weight_range.lower", "one"), "as 'lower', which is not an allowed value"),
    ("plain", fact("state._learner.kind", "Averaged"), "lacks the array 'late'"),
    ("plain", fact("state._learner.kind", "Pocketed"), "cannot have a learner of the kind 'Pocketed'"),
    ("plain", fact("state._learner.scale", 1e308), "too large for floats"),
    ("plain", fact("state._learner.bias", "nan"), "as 'bias', which is not an allowed value"),
    ("plain", fact("state._learner.tie", 0.5), "as 'tie', which is not an allowed value"),
    ("plain", fact("state.stop_reason_", "tired"), "stopped for no known reason"),
    ("plain", fact("parameters.order", "wild"), r"Perceptron\(order=...\) must be one of"),
    ("plain", fact("parameters.random_state", {"array": "int64"}), "lacks the array 'random_state'"),
    ("averaged", fact("state._learner.seen", 2**63), "as 'seen', which is not a valid count"),
    ("averaged", fact("state._learner.seen", -1), "as 'seen'"),
    ("voted", change("voted", "_learner.votes", lambda votes: votes[:-1]), "'votes' of shape"),
    ("voted", change("voted", "_learner.voters", lambda voters: voters[:0]), "'voters' of shape"),
    ("pocket", change("pocket", "_learner.runs", -1), "numbers in 'runs'"),
    ("pocket", change("pocket", "_learner.best", lambda best: best[:, 1:]), "'best' of shape"),
    ("sparse kernel", change("sparse kernel", "support_vectors_.indices", 3), "column numbers"),
    ("sparse kernel", change("sparse kernel", "support_vectors_.indices", -1), "column numbers"),
    ("sparse kernel", change("sparse kernel", "support_vectors_.indptr", 1), "."),
    ("sparse kernel", change("sparse kernel", "support_vectors_.indptr", lambda p: p[::-1]), "."),
    ("sparse kernel", change("sparse kernel", "support_vectors_.indptr", lambda p: p * 2), "."),
    ("sparse kernel", change("sparse kernel", "support_vectors_.data", lambda d: d[:-1]), "is not a CSR matrix"),
    ("given kernel", change("given kernel", "support_", 24), "a support vector number that is not one of its columns"),
    ("given kernel", fact("state._kernel.kind", "rbf"), "must have support vectors"),
    ("kernel", fact("state._kernel.kind", "precomputed"), "must have support vectors"),
    ("kernel", fact("state._kernel.kind", "cosine"), "must be one of"),
    ("kernel", fact("state._kernel.gamma", 0.0), "as 'gamma', which is not an allowed value"),
    ("kernel", fact("state._kernel.degree", 2**62), "as 'degree'"),
    ("kernel", change("kernel", "dual_coef_", lambda c: c[:1]), "'dual_coef_' of shape"),
    ("mean", change("mean", "means_", 1e200), "whose squares are too large for floats"),
    ("anderson", change("anderson", "covariances_", -1.0), "not positive semidefinite"),
    ("anderson", change("anderson", "codes", lambda codes: 0 * codes), "must have Gaussians of two classes"),
    ("anderson", change("anderson", "tight_", 2), "about Gaussians that do not exist"),
    ("anderson", fact("state.weights", ["1/0", "1/1"]), "that are not above 0"),
    ("anderson", fact("state.weights", ["__import__('os')", "1/1"]), "that are not fractions"),
    ("one vs all", fact("members", []), "has the unknown entry"),
    ("one vs one", fact("classes.labels", [0, 1]), "has 3 classifiers inside, which does not fit 2 classes"),
    ("one vs all", fact("columns.count", 2), "with other classes or columns than it needs"),
    ("kessler", fact("state._constant", 0.0), "with other classes or columns than it needs"),
    ("least risk", fact("classes.labels", [5, 6, 7]), "with other classes or columns than it needs"),
    ("least risk", fact("parameters.estimator", None), "must have a classifier as its estimator"),
    ("least risk", fact("parameters.estimator", {"estimator": {"algorithm": "Own"}}), "is of an unknown class, 'Own'"),
    ("pipeline", fact("steps", ["a"]), "does not have one name for each step"),
    ("pipeline", fact("steps", ["a", "a"]), "with step names that are empty, repeated or contain"),
    ("pipeline", change("pipeline", "members.0.record.scale", 0.0), "'scale'"),
]


@pytest.mark.parametrize(("name", "tamper", "message"), FORGED)
def test_what_does_not_fit_is_refused_though_the_digest_is_right(
    name: str, tamper: Callable[[dict[str, Any], dict[str, Any]], None], message: str
) -> None:
    body, arrays = opened(name)
    tamper(body, arrays)
    refused(forged(body, arrays), message)


def test_models_too_deep_inside_each_other_are_refused() -> None:
    body, arrays = opened("plain")
    body.pop("digest")
    for _ in range(9):
        kept = {"estimator": {"algorithm": "NearestMean", "parameters": {}}}
        body = {
            **{key: body[key] for key in ("format", "version", "classes", "columns", "encoding")},
            "algorithm": "LeastRisk",
            "parameters": {"estimator": kept, "penalty": None, "labels": None},
            "members": [{key: part for key, part in body.items() if key not in ("format", "version")}],
        }
    refused(forged(body, arrays))
    for algorithm in ("OneVsAll", "LeastRisk"):
        facts: dict[str, Any] = {"algorithm": "NearestMean", "parameters": {}}
        more = {"penalty": None, "labels": None} if algorithm == "LeastRisk" else {}
        for _ in range(9):
            facts = {"algorithm": algorithm, "parameters": {"estimator": {"estimator": facts}, **more}}
        body, arrays = opened("one vs all")
        body["parameters"]["estimator"] = {"estimator": facts}
        refused(forged(body, arrays), "models inside models, more than 8 deep")


JSON = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([2**62, 2**63, 10**400, -(2**70)]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "inf", "nan", "Voted", "precomputed", "object", "sparse array", "dense", "1/0"]),
    st.lists(st.integers(-1, 3), max_size=3),
    st.sampled_from(
        [{}, {"float": "inf"}, {"array": "float64"}, {"dict": [[[], 1]]}, {"tuple": [1]}, {"estimator": {}}]
    ),
)


@given(st.sampled_from(NAMES), st.integers(0, 10**6), JSON)
@settings(max_examples=examples(20))
def test_whatever_stands_in_a_fact_only_a_data_error_can_come_of_it(name: str, place: int, value: Any) -> None:
    body, arrays = opened(name)
    paths = [path for path in places(body) if path]
    path = paths[place % len(paths)]
    at(body, path[:-1])[path[-1]] = value
    refused_or_works(forged(body, arrays), X @ X.T if name == "given kernel" else X)


@given(st.sampled_from(NAMES), st.data())
@settings(max_examples=examples(10))
def test_whatever_stands_in_an_array_only_a_data_error_can_come_of_it(name: str, data: Any) -> None:
    body, arrays = opened(name)
    array = data.draw(st.sampled_from(array_names(name)))
    old = arrays[array]
    if data.draw(st.booleans()) and old.size:
        extreme = [0, -1, 1, 2**31, 2**62] if old.dtype.kind == "i" else [0.0, -1.0, 1e308, 5e-324, np.inf, 1e155]
        old.flat[data.draw(st.integers(0, old.size - 1))] = data.draw(st.sampled_from(extreme))
    else:
        shape = data.draw(st.lists(st.integers(0, 5), max_size=3))
        arrays[array] = np.ones(shape, dtype=data.draw(st.sampled_from([old.dtype, np.dtype("int64")])))
    refused_or_works(forged(body, arrays), X @ X.T if name == "given kernel" else X)

"""Training on a stream: what `fit` gives in the order of the files, to the last bit; nothing is kept of what fails."""

import gzip
import math
import os
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rosenblatt import (
    BatchPerceptron,
    DataError,
    Kozinec,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Stream,
    load,
    read,
    save,
)
from tests.classifiers.training.test_learner_state import snapshot
from tests.data.streams.test_stream import ANY, FORMS, Sample, made, options_of, samples, written
from tests.support.effort import examples

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

SHARE = 0.2  # of examples, for each of the rules
WEIGHTS = (None, {1: 0.1, 2: 0.3}, {2: 4.0})
#: Whose answers a stream must give; called with all that they share.
RULES: dict[str, Callable[..., Any]] = {
    "plain": lambda **o: Perceptron(order="cyclic", **o),
    "rate": lambda **o: Perceptron(order="cyclic", learning_rate=0.3, **o),
    "averaged": lambda **o: Perceptron(order="cyclic", average="averaged", **o),
    "voted": lambda **o: Perceptron(order="cyclic", average="voted", **o),
    "margin": lambda **o: Perceptron(order="cyclic", margin=0.7, **o),
    "tie": lambda **o: Perceptron(order="cyclic", tie="positive", **o),
    "other tie": lambda **o: Perceptron(order="cyclic", average="voted", tie="negative", **o),
    "pa1": lambda **o: PassiveAggressive(order="cyclic", C=0.1, **o),
    "pa2": lambda **o: PassiveAggressive(order="cyclic", variant="II", C=0.3, **o),
    "pa": lambda **o: PassiveAggressive(order="cyclic", C=math.inf, **o),
    "pocket": lambda **o: Pocket(order="cyclic", **o),
    "pocket, tie": lambda **o: Pocket(order="cyclic", tie="negative", **o),
    "batch": lambda **o: BatchPerceptron(**o),
    "batch, 1/t": lambda **o: BatchPerceptron(learning_rate="1/t", patience=3, **o),
    "batch, function": lambda **o: BatchPerceptron(learning_rate=lambda t: 0.1 * t, max_errors=1.0, **o),
    "batch, condition": lambda **o: BatchPerceptron(stop=lambda best, t, last: t >= last + 2 > best.errors, **o),
}
KEPT = (
    "coef_",
    "intercept_",
    "classes_",
    "n_updates_",
    "n_iter_",
    "mistakes_per_epoch_",
    "stop_reason_",
    "n_errors_",
    "history_",
)


def learned(model: Any, X: Any = None) -> dict[str, Any]:
    """All that a model says of what it has learned, arrays to the last bit."""
    said = {name: getattr(model, name) for name in KEPT if hasattr(model, name)}
    if X is not None:
        said |= {"scores": model.decision_function(X), "answers": model.predict(X)}
    said["names"] = list(getattr(model, "feature_names_in_", []))
    said["features"] = model.n_features_in_
    return {
        name: (value.shape, value.tolist() if value.dtype.kind in "US" else value.tobytes())
        if isinstance(value, np.ndarray)
        else value
        for name, value in said.items()
    }


# ---------------------------------------------------------------------------------------------------------------------
# Chunks = whole


@st.composite
def cases(draw: st.DrawFn) -> tuple[Sample, dict[str, Any], int]:
    sample = draw(samples())
    options = {
        "max_epochs": draw(st.integers(1, 6)),
        "class_weight": draw(st.sampled_from(WEIGHTS)),
        "bias": draw(st.sampled_from([0.0, 1.0, 0.3])),
    }
    return sample, options, draw(st.integers(1, 300))


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=examples(SHARE))
@given(cases(), st.sampled_from(list(FORMS)), st.integers(1, 3), st.booleans())
def test_a_stream_in_any_chunks_is_fit_in_its_order(
    rule: str, case: tuple[Sample, dict[str, Any], int], form: str, parts: int, cached: bool
) -> None:
    sample, options, size = case
    with tempfile.TemporaryDirectory() as name:
        paths = written(Path(name), form, sample, min(parts, len(sample.y)))
        reading = options_of(form)
        X, y = read(paths, **reading)
        expected = learned(RULES[rule](**options).fit(X, y), X)
        cache = Path(name) / "cache" if cached else False
        for _ in range(1 + cached):  # the cache is made; the cache is used
            stream = Stream(paths, classes=sorted(set(sample.y)), chunk_bytes=size, cache=cache, **reading)
            assert learned(RULES[rule](**options).fit_stream(stream), X) == expected
            assert (stream.n_rows_, stream.n_columns_) == X.shape


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=examples(SHARE / 5))
@given(st.integers(0, 10**6), st.integers(100, 2000))
def test_longer_streams_that_no_hyperplane_separates(rule: str, seed: int, size: int) -> None:
    """Enough rows for the pocket to look several times in a pass, and for all classes to come in the first chunk."""
    rng = np.random.default_rng(seed)
    sample = Sample(
        rng.integers(-9, 10, (120, 3)) * rng.integers(0, 2, (120, 3)) / 10, rng.integers(1, 3, 120).tolist()
    )
    with tempfile.TemporaryDirectory() as name:
        (path,) = written(Path(name), "svm", sample)
        X, y = read(path)
        for weight in WEIGHTS:
            options = {"max_epochs": 4, "class_weight": weight}
            stream = Stream(path, classes=[1, 2], chunk_bytes=size)
            assert learned(RULES[rule](**options).fit_stream(stream)) == learned(RULES[rule](**options).fit(X, y))


GROWING = "-1 1:1\n1 1:2\n" + "-1 2:1 5:-3\n1 9:2 3:1\n" * 3 + "1 1:-1 15:4\n-1 15:4 1:2\n1 1000:-1\n-1 1000:-2\n"


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_columns_that_grow_are_as_if_always_there(tmp_path: Path, rule: str, cached: bool) -> None:
    path = made(tmp_path, GROWING)
    X, y = read(path)
    expected = learned(RULES[rule](max_epochs=7).fit(X, y), X)
    for size in (14, 30, ANY):
        stream = Stream(path, chunk_bytes=size, cache=tmp_path / f"cache{size}" if cached else False)
        assert learned(RULES[rule](max_epochs=7).fit_stream(stream), X) == expected


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive, Pocket, BatchPerceptron])
def test_start_weights_of_all_columns_hold_while_columns_grow(tmp_path: Path, kind: Any) -> None:
    path = made(tmp_path, "-1 1:1\n1 1:2\n-1 2:1 3:-3\n1 3:2\n")
    start, order = [1.0, -2.0, 0.5, 0.1], {} if kind is BatchPerceptron else {"order": "cyclic"}
    expected = learned(kind(init=start, **order).fit(*read(path)))
    for size in (ANY, 14):
        assert learned(kind(init=start).fit_stream(path, chunk_bytes=size)) == expected


WORDS = "age,kind,smokes,label\n40,u,true,no\n50,v,false,yes\n61,v,true,yes\n33,u,false,no\n47,v,true,no\n"


@pytest.mark.parametrize("options", [{}, {"columns": ["kind", "age"]}, {"hash_bits": 4}, {"categories": ["age"]}])
def test_tables_with_words(tmp_path: Path, options: dict[str, Any]) -> None:
    path = made(tmp_path, WORDS, "data.csv")
    data = read(path, "label", **options)
    expected = Perceptron(order="cyclic").fit(*data)
    size = ANY if "categories" in options else 55
    model = Perceptron().fit_stream(path, "label", chunk_bytes=size, **options)
    assert learned(model, data.X) == learned(expected, data.X)
    assert data.encoding is not None
    assert model.encoding_ == data.encoding.to_dict()


@pytest.mark.parametrize("model", [Perceptron(), BatchPerceptron(), Kozinec()], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("first", [0, 1])
def test_the_number_of_the_first_column_is_known(tmp_path: Path, model: Any, first: int) -> None:
    path = made(tmp_path, f"-1 {first}:1\n1 {first}:-2 {first + 1}:1\n")
    fitted = clone(model).fit_stream(path)
    assert fitted.encoding_ == {"format": "libsvm", "zero_based": first == 0}
    save(fitted, tmp_path / "model")
    assert load(tmp_path / "model").encoding_ == fitted.encoding_
    assert not hasattr(fitted.fit([[1.0], [2.0]], [0, 1]), "encoding_")  # these rows come from no file


def test_a_stream_can_be_learned_from_again(tmp_path: Path) -> None:
    path = made(tmp_path, GROWING)
    stream = Stream(path, chunk_bytes=14)
    expected = learned(Perceptron(order="cyclic").fit(*read(path)))
    model = Perceptron()
    for _ in range(3):
        assert learned(model.fit_stream(stream)) == expected
    assert learned(Perceptron(order="shuffled", random_state=5).fit_stream(stream)) == expected


# ---------------------------------------------------------------------------------------------------------------------
# What fails leaves no trace


def spoiled(folder: Path) -> dict[str, Callable[[Any], Any]]:
    """Calls that fail: at once, in the first pass, in the second, at the end."""
    good = made(folder, GROWING)
    text = "1 1:1\n-1 1:2\n" * 20
    bad = made(folder, text + "x\n", "bad.svm")

    def interrupted(now: Any) -> None:
        if now.epoch == 2:
            raise KeyboardInterrupt

    return {
        "no file": lambda model: model.fit_stream(folder / "none.svm"),
        "bad row": lambda model: model.fit_stream(bad, chunk_bytes=30),
        "broken off": lambda model: model.fit_stream(good, chunk_bytes=30, progress=interrupted),
        "option": lambda model: model.fit_stream(good, chunk_bytes=0),
        "resume": lambda model: model.fit_stream(good, resume=True),
        "stream": lambda model: model.fit_stream(Stream(good), chunk_bytes=30),
        "no folder": lambda model: model.fit_stream(good, checkpoint=folder / "no" / "here", every_rows=1),
    }


@pytest.mark.parametrize("what", ["no file", "bad row", "broken off", "option", "resume", "stream", "no folder"])
@pytest.mark.parametrize("rule", ["plain", "averaged", "voted", "pa1", "pocket", "batch"])
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(tmp_path: Path, rule: str, what: str) -> None:
    call = spoiled(tmp_path)[what]
    fitted = RULES[rule](max_epochs=9).fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    for model in (RULES[rule](max_epochs=9), fitted):
        before = snapshot(vars(model))
        with pytest.raises((DataError, ParameterError, KeyboardInterrupt)):
            call(model)
        assert snapshot(vars(model)) == before


HUGE = "1 1:-1.7e308 2:-1.7e308\n1 1:-1.7e308 2:1.7e308\n-1 1:1\n"


@pytest.mark.parametrize("kind", [Perceptron, Pocket, BatchPerceptron])
def test_weights_that_overflow_are_refused_and_not_kept(tmp_path: Path, kind: Any) -> None:
    path = made(tmp_path, HUGE)
    for fitted in (False, True):
        model = kind(bias=0.0)
        if fitted:
            model.fit([[1.0, 1.0], [-1.0, -1.0]], ["a", "b"])
        model.init = [1.0, 1.0, 0.0]
        before = snapshot(vars(model))
        with pytest.raises(DataError, match="too large"):
            model.fit_stream(path)
        assert snapshot(vars(model)) == before


# ---------------------------------------------------------------------------------------------------------------------
# What a stream refuses


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Perceptron(order="random"), r"Perceptron\(order='random'\) chooses among all rows"),
        (Perceptron(order="first"), r"order='first'"),
        (PassiveAggressive(order="worst"), r"PassiveAggressive\(order='worst'\)"),
        (Pocket(order="random"), r"Pocket\(order='random'\)"),
        (Perceptron(held_out=0.2), "held_out"),
        (PassiveAggressive(held_out=0.2), "keep a file apart"),
        (Perceptron(class_weight="balanced"), "class_weight='balanced' needs all rows at once"),
        (Pocket(class_weight="balanced"), "class_weight='balanced'"),
        (BatchPerceptron(class_weight="balanced"), "class_weight='balanced'"),
        (Perceptron(warm_start=True), r"warm_start=True\) is for `fit`; a stream continues with resume=True"),
        (BatchPerceptron(shift=True), r"BatchPerceptron\(shift=True\) needs all rows at once"),
        (Perceptron(max_epochs=0), "max_epochs"),
        (Perceptron(class_weight={5: 2.0}), "class_weight names 5"),
        (BatchPerceptron(class_weight={5: 2.0}), "class_weight names 5"),
        (Perceptron(init=[1.0]), "init must have shape"),
    ],
    ids=str,
)
def test_parameters_that_a_stream_refuses(tmp_path: Path, model: Any, words: str) -> None:
    before = snapshot(vars(model))
    with pytest.raises(ParameterError, match=words) as said:
        model.fit_stream(made(tmp_path, GROWING))
    assert str(said.value).endswith(".")
    assert snapshot(vars(model)) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resume": True}, "resume=True needs checkpoint=FILE"),
        ({"every_seconds": -1}, "every_seconds must be a number of at least 0, not -1"),
        ({"every_seconds": math.nan}, "every_seconds"),
        ({"every_rows": 0}, "every_rows must be an integer above 0, or None, not 0"),
        ({"every_rows": 1.5}, "every_rows"),
    ],
)
@pytest.mark.parametrize("rule", ["plain", "pocket", "batch"])
def test_options_of_keeping(tmp_path: Path, rule: str, options: dict[str, Any], words: str) -> None:
    for more in ({}, {"checkpoint": tmp_path / "checkpoint"}):
        if options.keys() == {"resume"} and more:
            continue
        with pytest.raises(ParameterError, match=words):
            RULES[rule](max_epochs=2).fit_stream(made(tmp_path, GROWING), **options, **more)
    assert sorted(os.listdir(tmp_path)) == ["data.svm"]


# ---------------------------------------------------------------------------------------------------------------------
# Options of the stream itself


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on_error": "ignore"}, "on_error must be"),
        ({"on_error": "quarantine"}, "together with quarantine=FILE"),
        ({"quarantine": "bad.txt"}, "together with quarantine=FILE"),
        ({"chunk_bytes": 0}, "chunk_bytes must be an integer of at least 1, not 0"),
        ({"chunk_bytes": True}, "chunk_bytes must be an integer"),
        ({"chunk_bytes": 1.5}, "chunk_bytes must be an integer"),
        ({"fill": "mean"}, "needs all rows at once"),
        ({"format": "xls"}, "format must be one of"),
        ({"target": "y"}, "target does not fit libsvm, which has its label first"),
        ({"hash_bits": 40}, "hash_bits must be"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    path = made(tmp_path, "1 1:1\n-1 1:2\n")
    with pytest.raises(ParameterError, match=words):
        Stream(path, **options)


# ---------------------------------------------------------------------------------------------------------------------
# Progress


@pytest.mark.parametrize("rule", ["plain", "averaged", "pa1", "pocket", "batch"])
@pytest.mark.parametrize("form", FORMS)
def test_progress_adds_up(tmp_path: Path, rule: str, form: str) -> None:
    rng = np.random.default_rng(3)
    sample = Sample(rng.integers(-9, 10, (60, 3)) / 10, rng.integers(1, 3, 60).tolist())
    paths = written(tmp_path, form, sample, 2)
    told: list[Any] = []
    model = RULES[rule](max_epochs=4)
    model.fit_stream(paths, classes=[1, 2], chunk_bytes=300, progress=told.append, **options_of(form))
    total = sum(path.stat().st_size for path in paths)
    assert {now.max_epochs for now in told} == {4}
    assert {now.total for now in told} <= {total, None}
    assert [now.seconds for now in told] == sorted(now.seconds for now in told)
    for epoch, mistakes in enumerate(model.mistakes_per_epoch_.tolist(), start=1):
        own = [now for now in told if now.epoch == epoch]
        assert len(own) > 2
        assert all(a.rows < b.rows and a.size < b.size and a.mistakes <= b.mistakes for a, b in pairwise(own))
        assert (own[-1].rows, own[-1].mistakes) == (60, mistakes)
        if own[-1].total is not None:
            assert own[-1].size <= total
        if form in ("svm", "vw", "jsonl"):
            assert own[-1].size == total
    assert max(now.epoch for now in told) == model.n_iter_


def test_progress_of_compressed_text_does_not_pass_its_end(tmp_path: Path) -> None:
    path = made(tmp_path, gzip.compress(b"1 1:1\n-1 1:2\n" * 500), "data.svm.gz")
    told: list[Any] = []
    Perceptron(max_epochs=1).fit_stream(path, chunk_bytes=500, progress=told.append)
    assert all(now.total is None or now.size <= now.total for now in told)

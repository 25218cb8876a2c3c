"""Rows on disk give a solver the same answers as rows in memory."""

import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import DataError, Kozinec, ParameterError, Stream, read
from rosenblatt.data import validation
from rosenblatt.hulls import streamed_row_set
from rosenblatt.hulls.row_set import NO_ROWS, InMemory
from rosenblatt.hulls.search import SOLVERS
from rosenblatt.hulls.streamed_row_set import OnDisk
from tests.classifiers.training.test_learner_state import snapshot
from tests.classifiers.training.test_stream_passes import GROWING
from tests.data.streams.test_stream import ANY, Sample, give, made, samples, written
from tests.support.effort import covering, examples, pairwise
from tests.support.separability_oracle import kind_of, signed_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHARE = 0.2


def planted(seed: int, gap: float, n: int = 24) -> Sample:
    """Tenths on two sides of a plane, at least `gap` from it (negative: they overlap); classes 1 and 2."""
    rng = np.random.default_rng(seed)
    normal = rng.integers(-3, 4, 3) + np.array([0.5, 0.0, 0.0])
    X = rng.integers(-30, 31, (4 * n, 3)) / 10
    lead = (X @ normal + 0.3) / np.linalg.norm(normal)
    y = np.where(lead > 0, 2, 1)
    if gap < 0:
        y = np.where(lead + rng.normal(0, -gap, 4 * n) > 0, 2, 1)
    keep = np.flatnonzero(abs(lead) > gap)[:n]
    first = [int(np.flatnonzero(y[keep] == c)[0]) for c in (1, 2)]
    order = np.concatenate([keep[first], np.delete(keep, first)])
    return Sample(X[order], y[order].tolist())


def streamed(folder: Path, sample: Sample, form: str = "svm", **options: Any) -> tuple[Stream, Any, np.ndarray]:
    (path,) = written(folder, form, sample)
    return Stream(path, classes=[1, 2], **options), *read(path)


# ---------------------------------------------------------------------------------------------------------------------
# One question at a time


@pytest.mark.parametrize("few", [1, 2, 2000])
@settings(max_examples=examples(2 * SHARE))
@given(samples(classes=(2,)), st.booleans(), st.integers(1, 200), st.integers(0, 99), st.sampled_from(["svm", "csv"]))
def test_each_answer_is_that_of_rows_in_memory(
    few: int, sample: Sample, two: bool, size: int, seed: int, form: str
) -> None:
    """All numbers are whole, and all sums exact."""
    sample = Sample(sample.X * 10, sample.y)
    rng, bias = np.random.default_rng(seed), 0.0 if two else 1.0
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamed_row_set, "MAX_KEPT_ROWS", few)
        stream, X, y = streamed(Path(name), sample, form, chunk_bytes=size)
        disk = OnDisk(stream, bias, two=two)
        signs = np.where(y == 2, 1, -1).astype(np.int8)
        memory = InMemory(validation.rows(validation.points(X), bias), X.shape[1], signs, two=two)
        assert (disk.n, disk.d, disk.two, disk.radius) == (memory.n, memory.d, memory.two, memory.radius)
        for lifting in (False, True, False):
            w = rng.integers(-3, 4, X.shape[1] + 1).astype(float)
            lifted = rng.permutation(disk.n)[: disk.n // 2] if lifting else NO_ROWS
            lift = rng.integers(0, 9, len(lifted)).astype(float) if lifting else None
            ours, theirs = disk.worst(w, lifted, lift), memory.worst(w, lifted, lift)
            assert ours.lead.tolist() == theirs.lead.tolist()
            assert ours.row.tolist() == theirs.row.tolist()
            assert ours.wrong == theirs.wrong
            assert (ours.low <= ours.lead).all()
            for row in [i for i in ours.row.tolist() if i >= 0]:
                (at,) = disk.hold(np.array([row]))
                assert disk.numbers[at] == row
                assert disk.held.y[at] == signs[row]
                found, whole = disk.matrix(np.array([row])), X[[row]]
                assert (found != whole).sum() == 0
            bar = rng.integers(-5, 6, 2).astype(float)
            below, expected = disk.below(bar, disk.n), memory.below(bar, disk.n)
            assert set(below.tolist()) <= set(expected.tolist())
            if few == 2000:
                assert sorted(below.tolist()) == sorted(expected.tolist())
            assert len(disk.below(bar, 1)) <= 2
            held = disk.hold(below)
            assert disk.numbers[held].tolist() == below.tolist()
            count, total = disk.mistakes(w)
            assert (count, total.tolist()) == (memory.mistakes(w)[0], memory.mistakes(w)[1].tolist())


@pytest.mark.parametrize("seed", range(6))
def test_the_worst_of_many_rows_that_are_equally_near(tmp_path: Path, seed: int) -> None:
    """More ties than a pass keeps: the worst row must be among the rows that are kept."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8 * streamed_row_set.MAX_KEPT_ROWS, 12 * streamed_row_set.MAX_KEPT_ROWS))
    X = np.c_[rng.integers(0, 2, n), np.arange(n)].astype(float)
    np.savez(tmp_path / "data.npz", X=X, y=rng.integers(0, 2, n))
    disk = OnDisk(Stream(tmp_path / "data.npz"), 0.0, two=True)
    row = disk.worst(np.array([1.0, 0.0, 0.0])).row
    disk.hold(row)
    assert disk.matrix(row).tolist() == X[row].tolist()


# ---------------------------------------------------------------------------------------------------------------------
# The maximum margin


def check(model: Kozinec, whole: Kozinec, X: Any, y: np.ndarray) -> None:
    """The bounds agree and hold for the rows. The support vectors are rows and add up to the weights."""
    low, high = model.margin_bounds_
    assert low <= high
    assert low <= whole.margin_bounds_[1]
    assert whole.margin_bounds_[0] <= high
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    vectors = model.support_vectors_
    vectors = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
    assert (X[model.support_] == vectors).all()
    signs = np.where(y == 2, 1, -1)
    assert (np.sign(model.dual_coef_[0]) == signs[model.support_]).all()
    if model.stop_reason_ in ("gap_closed", "separated"):
        assert model.dual_coef_[0] @ vectors == pytest.approx(model.coef_[0], rel=1e-9, abs=1e-9)
    if math.isinf(model.C):
        constant = 1.0 if model.bias == "free" else float(model.bias)
        square = (model.coef_**2).sum()
        if model.bias not in ("free", 0.0):
            square += (model.intercept_[0] / constant) ** 2
        leads = signs * (X @ model.coef_[0] + model.intercept_[0]) / math.sqrt(square)
        assert leads.min() >= low - 1e-9
        assert model.stop_reason_ == whole.stop_reason_ or {model.stop_reason_, whole.stop_reason_} == {
            "gap_closed",
            "separated",
        }
    assert model.classes_.tolist() == whole.classes_.tolist()
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("bias", ["free", 0.0, 1.0])
@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=examples(SHARE / 6))
@given(
    seed=st.integers(0, 10**6), gap=st.sampled_from([0.2, 1.0]), size=st.integers(150, 900), cached=st.booleans(),
    form=st.sampled_from(["svm", "csv"]), few=st.sampled_from([3, 2000]),
)  # fmt: skip
def test_the_margin_of_classes_that_can_be_separated(
    solver: str, bias: Any, seed: int, gap: float, size: int, form: str, few: int, cached: bool
) -> None:
    sample = planted(seed, gap)
    options = {"solver": solver, "bias": bias, "epsilon": 0.05, "max_epochs": 150}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamed_row_set, "MAX_KEPT_ROWS", few)
        cache = Path(name) / "cache" if cached else False
        stream, X, y = streamed(Path(name), sample, form, chunk_bytes=size, cache=cache)
        whole = Kozinec(**options).fit(X, y)
        model = Kozinec(**options).fit_stream(stream)
        check(model, whole, X, y)
        if whole.stop_reason_ == "gap_closed":
            assert model.stop_reason_ == "gap_closed"
            assert (model.predict(X) == y).all()


@pytest.mark.parametrize(("solver", "bias", "C"), pairwise(SOLVERS, ["free", 1.0], [0.1, 10.0]))
@settings(max_examples=examples(SHARE / 10))
@given(seed=st.integers(0, 10**6), size=st.integers(150, 900))
def test_the_margin_with_slack(solver: str, bias: Any, C: float, seed: int, size: int) -> None:
    options = {"solver": solver, "bias": bias, "epsilon": 0.1, "C": C, "max_epochs": 150}
    with tempfile.TemporaryDirectory() as name:
        stream, X, y = streamed(Path(name), planted(seed, -0.5), chunk_bytes=size)
        check(Kozinec(**options).fit_stream(stream), Kozinec(**options).fit(X, y), X, y)


@settings(max_examples=examples(SHARE))
@given(samples(classes=(2,)), st.integers(1, 300), st.sampled_from([1, 2000]))
def test_what_cannot_be_separated_is_never_called_so(sample: Sample, size: int, few: int) -> None:
    """Against an oracle in fractions."""
    kind = kind_of(signed_rows((sample.X * 10).astype(int).tolist(), [c - 1 for c in sample.y], bias=True))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamed_row_set, "MAX_KEPT_ROWS", few)
        stream, _, _ = streamed(Path(name), sample, "csv", chunk_bytes=size)
        for epsilon in (1e-3, None):
            model = Kozinec(epsilon=epsilon).fit_stream(stream)
            assert (model.stop_reason_ in ("gap_closed", "separated")) == (kind == "strict")
            assert (model.margin_bounds_[0] > 0) <= (kind == "strict")
            assert (model.stop_reason_ == "proved_overlap") <= (kind != "strict")


@pytest.mark.parametrize(("solver", "cached"), covering(SOLVERS, [False, True]))
def test_columns_that_grow(tmp_path: Path, solver: str, cached: bool) -> None:
    path = made(tmp_path, GROWING)
    X, y = read(path)
    y = np.where(y > 0, 2, 1)
    for size in (14, 30, ANY):
        stream = Stream(path, chunk_bytes=size, cache=tmp_path / f"cache{size}" if cached else False)
        options: dict[str, Any] = {"solver": solver, "C": 1.0, "epsilon": 0.01, "max_epochs": 2000}
        model = Kozinec(**options).fit_stream(stream)
        model.classes_ = np.array([1, 2])
        check(model, Kozinec(**options).fit(X, y), X, y)


# ---------------------------------------------------------------------------------------------------------------------
# What it refuses


def test_more_or_fewer_than_two_classes(tmp_path: Path) -> None:
    path = made(tmp_path, "1 1:1\n2 1:2\n3 1:3\n")
    for classes in (None, [1, 2, 3]):
        with pytest.raises(DataError, match="two classes"):
            Kozinec().fit_stream(path, classes=classes)
    with pytest.raises(DataError, match="two classes"):
        Kozinec().fit_stream(made(tmp_path, "1 1:1\n1 1:2\n"), classes=[1, 2])


def test_what_fails_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = made(tmp_path, "1 1:1\n2 1:2\n")
    calls: list[Callable[[Kozinec], Any]] = [
        lambda model: model.fit_stream(tmp_path / "none.svm"),
        lambda model: model.fit_stream(made(tmp_path, "1 1:1\n2 1:2\nx\n", "bad.svm")),
        lambda model: model.fit_stream(made(tmp_path, "1 1:1e200\n2 1:2\n", "long.svm")),
        lambda model: model.fit_stream(good, chunk_bytes=0),
        lambda model: model.fit_stream(Stream(good), target="y"),
        lambda model: model.fit_stream("-", format="libsvm"),
        lambda model: model.set_params(C=-1.0).fit_stream(good),
    ]
    for fitted in (False, True):
        for call in calls:
            give(monkeypatch, "1 1:1\n2 1:2\n")
            model = Kozinec()
            if fitted:
                model.fit([[0.0], [1.0]], ["a", "b"])
            before = snapshot({name: value for name, value in vars(model).items() if name != "C"})
            with pytest.raises((DataError, ParameterError)):
                call(model)
            assert snapshot({name: value for name, value in vars(model).items() if name != "C"}) == before


def test_standard_input_with_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, "1 1:1\n2 1:2\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Kozinec().fit_stream("-", format="libsvm", cache=tmp_path / "cache")
    assert model.margin_bounds_ == pytest.approx((0.5, 0.5))

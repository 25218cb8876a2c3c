"""The verdict on a stream equals the verdict on all rows in memory, and its certificate verifies."""

import itertools
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import Certificate, DataError, ParameterError, Stream, read, separability
from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.proof.rounds import decide_rounds, decide_stream
from rosenblatt.proof.rounds.decide_rounds import Question
from rosenblatt.proof.verdict import Verdict
from tests.data.streams.test_stream import ANY, Sample, made, written
from tests.support.effort import examples
from tests.support.separability_oracle import kind_of, signed_rows

GROWING = "-1 1:1\n1 1:2\n" + "-1 2:1 5:-3\n1 9:2 3:1\n" * 3 + "1 1:-1 15:4\n-1 15:4 1:2\n"
FAMILIES = ("grid", "collinear", "touching", "overlapping", "separated", "equal", "zero")


@st.composite
def tables(draw: st.DrawFn) -> Sample:
    """Whole numbers of two or three classes, many of them in special positions."""
    family, k = draw(st.sampled_from(FAMILIES)), draw(st.sampled_from([2, 2, 3]))
    d, n = draw(st.integers(1, 3)), draw(st.integers(k, 14))
    y = np.array(
        draw(st.permutations([*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))]))
    )
    cell = st.integers(-3, 3)
    X = np.array(draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n)))
    if family == "collinear":
        X = X[:, :1] * np.array(draw(st.lists(cell, min_size=d, max_size=d)))
    elif family == "touching":  # classes share the plane between them, with some rows on it
        X[:, 0] = np.where(y == 0, -abs(X[:, 0]), abs(X[:, 0]))
    elif family == "separated":
        X[:, 0] = 9 * y + X[:, 0]
    elif family == "equal":
        X[-1] = X[0]
    elif family == "zero":
        X[:, -1] = 0
    return Sample(X.astype(float), y.tolist())


def asked(sample: Sample, size: int, few: tuple[int, int], form: str, *, cached: bool, **options: Any) -> Verdict:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide_rounds, "FIRST_ROWS", few[0])
        patch.setattr(decide_rounds, "MAX_NEW_ROWS", few[1])
        (path,) = written(Path(name), form, sample)
        cache = Path(name) / "cache" if cached else False
        return separability(Stream(path, classes=sorted(set(sample.y)), chunk_bytes=size, cache=cache), **options)


def check(found: Verdict, whole: Verdict, X: Any, y: Any) -> None:
    """The verdict equals that of rows in memory, and its evidence is true of the rows."""
    assert (found.kind, found.classes, found.n) == (whole.kind, whole.classes, whole.n)
    assert found.stuck.tolist() == whole.stuck.tolist()
    assert found.certificate is not None
    assert found.certificate.verify(X, y)
    again = Certificate.from_json(found.certificate.to_json())
    assert again.verify(X, y)
    assert (found.margin_bounds is None) == (whole.margin_bounds is None)
    if found.margin_bounds is not None and whole.margin_bounds is not None:
        assert found.margin_bounds[0] <= whole.margin_bounds[1]
        assert whole.margin_bounds[0] <= found.margin_bounds[1]
        assert found.margin_bounds[0] >= found.margin_bounds[1] * (1 - 1e-5)
    assert (found.witness is None) == (whole.witness is None)
    if found.witness is not None:
        assert sum(found.witness.weights) == 1
        assert set(found.witness.rows) <= set(whole.stuck.tolist())
    for i, j in found.contradictions:
        assert (X[i] == X[j]).all()
        assert y[i] != y[j]
    assert bool(found.contradictions) <= bool(whole.contradictions)


@given(
    tables(), st.integers(1, 150), st.sampled_from([(1, 1), (1, 2), (2, 1), (200, 500)]),
    st.sampled_from(["svm", "csv"]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_the_verdict_is_that_on_all_rows(
    sample: Sample, size: int, few: tuple[int, int], form: str, bias: bool, cached: bool
) -> None:
    width = max(1, *(int(j) + 1 for j in np.flatnonzero(sample.X.any(axis=0)))) if sample.X.any() else 1
    X = sample.X if form == "csv" else sample.X[:, :width]  # LIBSVM's text does not tell of columns of zeros
    found = asked(sample, size, few, form, cached=cached, through_origin=not bias)
    whole = separability(X, sample.y, through_origin=not bias)
    assert found.kind == kind_of(signed_rows(X.astype(int).tolist(), sample.y, bias=bias))
    check(found, whole, X, sample.y)
    assert list(found.pairs) == list(whole.pairs)
    for pair, verdict in found.pairs.items():
        check(verdict, whole.pairs[pair], X, sample.y)


@settings(max_examples=examples(0.5))
@given(tables(), st.integers(1, 150), st.sampled_from([(1, 1), (2, 1), (200, 500)]), st.booleans())
def test_without_detail(sample: Sample, size: int, few: tuple[int, int], bias: bool) -> None:
    """The kind is right, and all statements about rows are true."""
    found = asked(sample, size, few, "csv", cached=False, detail=False, through_origin=not bias)
    whole = separability(sample.X, sample.y, through_origin=not bias)
    assert found.kind == ("strict" if whole.kind == "strict" else "not_strict")
    assert found.certificate is not None
    assert found.certificate.verify(sample.X, sample.y)
    assert set(found.stuck.tolist()) <= set(whole.stuck.tolist())
    if found.witness is not None:
        assert set(found.witness.rows) <= set(found.stuck.tolist())


def test_the_hyperplane_has_all_rows_on_their_side() -> None:
    """Only a few of many rows are chosen, but the margin is that of the nearest row, wherever it is in the stream."""
    rng = np.random.default_rng(5)
    X = rng.integers(-50, 51, (3000, 2)).astype(float)
    lead = X @ [3, -4] + 1
    keep = abs(lead) > 4
    X, y = X[keep], (lead[keep] > 0).astype(int)
    for few in ((1, 1), (5, 3), (200, 500)):
        found = asked(Sample(X, y.tolist()), 4000, few, "csv", cached=True)
        assert (found.kind, found.n) == ("strict", len(y))
        assert found.hyperplane is not None
        assert found.margin_bounds is not None
        normal, b = [Fraction(a) for a in found.hyperplane.w.tolist()], Fraction(found.hyperplane.b)
        leads = [sum(a * Fraction(v) for a, v in zip(normal, x, strict=True)) + b for x in X.tolist()]
        nearest = min(lead if c else -lead for lead, c in zip(leads, y, strict=True))
        assert nearest > 0
        low, high = separability(X, y).margin_bounds or (0, 0)
        assert found.margin_bounds[0] <= high
        assert low <= found.margin_bounds[1]


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("size", [14, 30, ANY])
def test_columns_that_grow(tmp_path: Path, size: int, cached: bool) -> None:
    for text in (GROWING, GROWING + "1 1:1 2:-0.5\n-1 1:1 2:-0.5\n"):
        path = made(tmp_path, text)
        X, y = read(path)
        found = separability(Stream(path, chunk_bytes=size, cache=tmp_path / "cache" if cached else False))
        check(found, separability(X, y), X.toarray(), y)


def test_names_and_words(tmp_path: Path) -> None:
    path = made(tmp_path, "age,kind,label\n40,u,no\n50,v,yes\n61,v,yes\n33,u,no\n", "data.csv")
    found, whole = separability(Stream(path, chunk_bytes=50)), separability(*read(path))
    assert (found.feature_names, found.classes) == (["age", "kind=u", "kind=v"], ["no", "yes"])
    check(found, whole, *read(path))
    assert found.explain().startswith("Strictly separable.")


def test_a_certificate_of_a_stream_is_not_of_other_rows(tmp_path: Path) -> None:
    path = made(tmp_path, "1 1:1\n-1 1:2\n1 1:0\n-1 1:3\n")
    certificate = separability(Stream(path, chunk_bytes=13)).certificate
    assert certificate is not None
    X, y = (np.array([[1.0], [2.0], [0.0], [3.0]]), np.array([1, -1, 1, -1]))
    assert certificate.verify(X, y)
    for other in itertools.islice(itertools.permutations(range(4)), 1, 6):
        assert not certificate.verify(X[list(other)], y[list(other)])
    assert not certificate.verify(X + 1, y)


def test_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide_rounds, "FIRST_ROWS", 1)
    monkeypatch.setattr(decide_rounds, "MAX_NEW_ROWS", 1)
    rng = np.random.default_rng(1)
    sample = Sample(rng.integers(-9, 10, (300, 3)).astype(float), rng.integers(0, 2, 300).tolist())
    (path,) = written(tmp_path, "csv", sample)
    found = separability(Stream(path), time_limit=1e-9)
    assert (found.kind, found.certificate, found.n) == ("undecided", None, 300)
    check(separability(Stream(path), time_limit=1e6), separability(sample.X, sample.y), sample.X, sample.y)
    for time_limit in (0, -1, float("nan"), True, "1"):
        with pytest.raises(ParameterError, match="time_limit must be a number of seconds above 0"):
            separability(Stream(path), time_limit=time_limit)  # type: ignore[arg-type]


MIXED = Sample(np.array([[0.0], [2.0], [1.0], [3.0], [9.0]]), [0, 0, 1, 1, 2])  # classes 0 and 1 overlap


def test_a_pair_that_overlaps_decides_for_all_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no time left for all classes together."""
    prove = Question._prove

    def in_time(self: Question, chosen: Any, deadline: float) -> Any:
        if len(self.between) > 2:
            raise OutOfTime
        return prove(self, chosen, deadline)

    monkeypatch.setattr(Question, "_prove", in_time)
    (path,) = written(tmp_path, "csv", MIXED)
    found = separability(Stream(path))
    assert found.kind == "not_strict"
    assert found.certificate is not None
    assert found.certificate.verify(MIXED.X, MIXED.y)
    assert {pair: verdict.kind for pair, verdict in found.pairs.items()} == {
        (0, 1): "overlap", (0, 2): "strict", (1, 2): "strict",
    }  # fmt: skip


@pytest.mark.parametrize(("y", "kind"), [([0, 1, 0, 1], "not_strict"), ([0, 0, 1, 1], "undecided")])
def test_the_time_ends_in_a_pass_over_the_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, y: list[int], kind: str
) -> None:
    """A witness of some rows is a proof without the pass; a hyperplane for some rows is none."""
    ask, asks = Question._ask_all, [True]
    monkeypatch.setattr(decide_stream, "afford", lambda seconds, deadline: afford(seconds, deadline if asks else -1.0))

    def late(self: Question, found: Any, deadline: float) -> Any:
        asks.clear()
        return ask(self, found, deadline)

    monkeypatch.setattr(Question, "_ask_all", late)
    sample = Sample(np.arange(4.0)[:, np.newaxis], y)
    (path,) = written(tmp_path, "csv", sample)
    found = separability(Stream(path))
    assert found.kind == kind
    assert found.certificate is None or found.certificate.verify(sample.X, sample.y)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"data\.svm, line 3"):
        separability(Stream(made(tmp_path, "1 1:1\n-1 1:2\nx\n")))
    with pytest.raises(DataError, match="classes"):
        separability(Stream(made(tmp_path, "1 1:1\n1 1:2\n")))
    stream = Stream(made(tmp_path, "1 1:1\n-1 1:2\nx\n"), on_error="skip")
    assert (separability(stream).kind, stream.n_skipped_) == ("strict", 1)


def test_a_class_without_rows_is_said(tmp_path: Path) -> None:
    path = made(tmp_path, "1 1:1\n-1 1:2\n")
    with pytest.raises(DataError, match=r"there is no row of class 5; leave it out of classes\.$"):
        separability(Stream(path, classes=[-1, 1, 5]))

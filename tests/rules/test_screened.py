"""A copy of one byte for each number saves reading rows, and changes no bit of the weights."""

from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.classifiers.training import passes
from rosenblatt.data import validation
from rosenblatt.data.compiled.byte_rows import ByteRows, rough_dot, rough_weights
from rosenblatt.data.compiled.jit import compiled_at_once
from rosenblatt.data.compiled.rows import Dense, dot
from rosenblatt.data.large import byte_copy
from rosenblatt.data.large.byte_copy import rough_room, with_byte_copy
from rosenblatt.rules import binary, screened
from tests.support.effort import by_day


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a copy of any rows."""
    monkeypatch.setattr(byte_copy, "MIN_BYTES", 0)
    monkeypatch.setattr(byte_copy, "MAX_PART", 1000.0)


def rows_of(X: Any, bias: float) -> Dense:
    """Rows that end with this constant."""
    rows = validation.rows(X, bias)
    assert isinstance(rows, Dense)
    return rows


def tables(seed: int) -> dict[str, Any]:
    """Rows of many kinds, of six numbers."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((40, 6))
    wild = normal * 2.0 ** rng.integers(-1000, 1000, (40, 1))
    mixed = normal * 2.0 ** rng.integers(-140, 120, (40, 6))
    whole = rng.integers(-3, 4, (40, 6)).astype(float)
    zeros = whole.copy()
    zeros[::3] = 0.0
    return {
        "normal": normal,
        "float32": normal.astype(np.float32),
        "each row of another size": wild,
        "each number of another size": mixed,
        "whole": whole,
        "rows of zeros": zeros,
        "far from 0": normal + 1e6,
        "tiny": normal * 1e-300,
        "subnormal": normal * 1e-310,
        "huge": normal * 1e300,
    }


@pytest.mark.parametrize("kind", tables(0))
@pytest.mark.usefixtures("always")
def test_the_bound_holds(kind: str) -> None:
    """In fractions: |w.x - s (computed w.q)| <= size * bound, for weights of many sizes."""
    rng = np.random.default_rng(1)
    finite = 0
    for seed in range(by_day(3, 100)):
        X = tables(seed)[kind]
        rows = with_byte_copy(rows_of(X, 1.0))
        assert rows is not None
        for _ in range(5):
            w = rng.standard_normal(7) * 2.0 ** rng.integers(-60, 60) * rng.integers(0, 2, 7)
            rough = rough_room(w)
            with np.errstate(all="ignore"):
                size = rough_weights(w, rough)
            if not np.isfinite(size):
                continue
            assert Fraction(size) ** 2 >= sum(Fraction(v) ** 2 for v in w[:-1].tolist())
            for i in range(len(X)):
                scale, bound = (float(number) for number in rows.heads[i, :2])
                if not np.isfinite(bound):
                    continue
                exact = sum(Fraction(a) * Fraction(b) for a, b in zip(X[i].tolist(), w[:-1].tolist(), strict=True))
                computed = Fraction(scale) * Fraction(rough_dot(rows.records, rough, i))
                assert abs(exact - computed) <= Fraction(size) * Fraction(bound)
                finite += 1
    assert finite or kind in ("tiny", "subnormal", "huge")


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("kind", tables(0))
@pytest.mark.usefixtures("always")
def test_the_updates_are_those_of_the_plain_rule(kind: str, compiled: bool) -> None:
    rng = np.random.default_rng(2)
    with compiled_at_once() if compiled else nullcontext(), np.errstate(all="ignore"):
        for seed in range(by_day(4, 100)):
            X = tables(seed)[kind]
            for bias, margin, tie in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (3.0, 0.5, -1.0)):
                dense = rows_of(X, bias)
                rows = with_byte_copy(dense)
                assert rows is not None
                y = np.where(X[:, 0] > X[:, 1], 1, -1).astype(np.int8)
                y[rng.random(40) < 0.1] *= -1
                weight, rate = rng.random(40) + 0.5, np.array([0.5, 2.0])
                v, w, late, delay = np.zeros(7), np.zeros(7), np.zeros(7), np.zeros(7)
                u, z = np.zeros(7), np.zeros(7)
                for turn in range(6):
                    order = rng.permutation(40)
                    given = y, order, weight
                    made = binary.perceptron(dense, *given, v, rate, margin, tie)
                    assert screened.perceptron(rows, *given, w, rate, margin, tie, rough_room(w)) == made
                    assert v.tobytes() == w.tobytes()
                    made = binary.averaged(dense, *given, u, late, 40 * turn, rate, margin, tie)
                    steps = 40 * turn, rate, margin, tie
                    assert screened.averaged(rows, *given, z, delay, *steps, rough_room(z)) == made
                    assert (u.tobytes(), late.tobytes()) == (z.tobytes(), delay.tobytes())


@pytest.mark.usefixtures("always")
def test_most_rows_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the copy would be of no use."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 30))
    w = rng.standard_normal(31)
    y = np.where(X @ w[:-1] + w[-1] > 0, 1, -1).astype(np.int8)
    rows = with_byte_copy(rows_of(X, 1.0))
    read = []

    def noted(w: Any, rows: Any, i: int) -> Any:
        read.append(i)
        return dot(w, rows, i)

    monkeypatch.setattr(screened, "dot", noted)
    weight, rate = np.ones(400), np.ones(2)
    assert screened.perceptron(rows, y, np.arange(400), weight, w.copy(), rate, 0.0, 0.0, rough_room(w)) == 0
    assert len(read) < 40


MODELS = {
    "perceptron": lambda **options: Perceptron(**options),
    "margin and weights": lambda **options: Perceptron(margin=0.3, class_weight={0: 0.5, 1: 2.0}, bias=2.0, **options),
    "averaged": lambda **options: Perceptron(average="averaged", **options),
}


@pytest.mark.parametrize("order", ["shuffled", "random"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.usefixtures("always")
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_fit_with_the_copy_is_one_without(kind: str, dtype: Any, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 8)).astype(dtype)
    y = (X[:, 0] + 0.1 * rng.standard_normal(300) > 0).astype(int)
    made: list[ByteRows | None] = []

    def noted(rows: Dense) -> ByteRows | None:
        made.append(with_byte_copy(rows))
        return made[-1]

    monkeypatch.setattr(passes, "with_byte_copy", noted)
    one = MODELS[kind](order=order, max_epochs=12).fit(X, y)
    assert len(made) == 1
    assert made[0] is not None
    monkeypatch.setattr(passes, "with_byte_copy", lambda _: None)
    other = MODELS[kind](order=order, max_epochs=12).fit(X, y)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.mistakes_per_epoch_.tolist() == other.mistakes_per_epoch_.tolist()
    assert one.stop_reason_ is other.stop_reason_


@pytest.mark.usefixtures("always")
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_where_no_copy_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, for sparse rows, several classes, other rules, few passes, and where most rows are mistakes."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 2

    def fail(_: Any) -> None:
        raise AssertionError("a copy was made")

    monkeypatch.setattr(passes, "with_byte_copy", fail)
    Perceptron(order="cyclic", max_epochs=9).fit(X, X[:, 0] > 0)
    Perceptron(max_epochs=9).fit(scipy.sparse.csr_array(X), X[:, 0] > 0)
    Perceptron(max_epochs=9).fit(X, np.arange(60) % 3)
    Perceptron(max_epochs=9, average="voted").fit(X, X[:, 0] > 0)
    PassiveAggressive(max_epochs=9).fit(X, X[:, 0] > 0)
    Perceptron(max_epochs=3).fit(X, X[:, 0] > 0)
    Perceptron(max_epochs=9).fit(X, y)


def test_the_copy_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(np.ones((1000, 100)), 1.0)
    assert with_byte_copy(rows) is None  # few rows
    monkeypatch.setattr(byte_copy, "MIN_BYTES", 0)
    made = with_byte_copy(rows)
    assert made is not None
    assert made.records.shape == (1000, 128)
    assert made.records.ctypes.data % 64 == 0
    assert with_byte_copy(rows_of(np.ones((1000, 10)), 1.0)) is None  # 64 of 80 bytes
    monkeypatch.setattr(byte_copy, "MAX_BYTES", 100_000)
    assert with_byte_copy(rows) is None
    monkeypatch.setattr(byte_copy, "MAX_BYTES", 1 << 32)

    def full(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "zeros", full)
    assert with_byte_copy(rows) is None

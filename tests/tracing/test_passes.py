"""Traces of the batch perceptron: every step as on the slide, in fractions, and the run is that of `fit`."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, DataError, Trace, trace
from tests.support import oracle

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

SIGNS = {"mistake": 0, "positive": 1, "negative": -1}
STEPS: dict[str, Callable[[int], float]] = {"one": lambda _: 1.0, "halves": lambda t: 2.0 ** -(t % 3)}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any]:
    """Small integers of two or three classes."""
    k, d = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    y = [*range(k), *draw(st.lists(st.integers(0, k - 1), max_size=5))]
    X = draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=len(y), max_size=len(y)))
    return np.array(X, dtype=float), np.array(list("abc"))[y]


def rivals(w: Any, Z: list[oracle.Vector], codes: list[int], tie: int) -> list[int | None]:
    """For each row the class that wins it wrongly (of two, the other); None if it is right."""
    if not isinstance(w[0], list):
        signs = [2 * c - 1 for c in codes]
        return [
            1 - c if oracle.is_mistake(s * oracle.dot(w, z), s, tie) else None
            for z, c, s in zip(Z, codes, signs, strict=True)
        ]
    won = [oracle.winner(z, w, c, Fraction(0), tie) for z, c in zip(Z, codes, strict=True)]
    return [v if v != c else None for v, c in zip(won, codes, strict=True)]


def moved(w: Any, Z: list[oracle.Vector], codes: list[int], wrong: list[int | None], steps: list[Fraction]) -> Any:
    """w + step * (sum of y x of the wrong rows); of more classes, added to the true one and taken from the winner."""
    for z, c, v, step in zip(Z, codes, wrong, steps, strict=True):
        if v is not None and not isinstance(w[0], list):
            w = [a + step * (2 * c - 1) * b for a, b in zip(w, z, strict=True)]
        elif v is not None:
            w = [list(row) for row in w]
            w[c] = [a + step * b for a, b in zip(w[c], z, strict=True)]
            w[v] = [a - step * b for a, b in zip(w[v], z, strict=True)]
    return w


def exact(w: Any) -> Any:
    return [exact(v) for v in w] if isinstance(w, tuple) else Fraction(w)


@given(st.sampled_from(sorted(STEPS)), st.sampled_from(sorted(SIGNS)), tables())
def test_every_look_and_step_in_fractions(step: str, tie: Any, table: tuple[Any, Any]) -> None:
    """The rows that are wrong, w + eta times their sum, and the best weights that have been looked at."""
    X, y = table
    price = {"a": 2.0, "b": 1.0, "c": 1.0}
    model = BatchPerceptron(learning_rate=STEPS[step], tie=tie, max_epochs=6, class_weight={"a": 2.0})
    run = trace(model, X, y)
    classes = sorted(set(y))
    codes, Z = [classes.index(label) for label in y], [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    w, best, fewest = exact(run.start), None, None
    for t, found in enumerate(run, 1):
        wrong = rivals(w, Z, codes, SIGNS[tie])
        rows = [i for i, rival in enumerate(wrong) if rival is not None]
        assert found.active == tuple(rows)
        assert found.weights == tuple(price[y[i]] for i in rows)
        assert (found.epoch, found.mistake) == (t, bool(rows))
        errors = sum(price[y[i]] for i in rows)
        if fewest is None or errors < fewest:
            best, fewest = w, errors
        assert exact(found.answer) == best
        eta = Fraction(STEPS[step](t))
        after = moved(w, Z, codes, wrong, [eta * Fraction(price[label]) for label in y])
        assert found.updated == (t < len(run) or (run.stop_reason is None))
        w = after if found.updated else w
        assert exact(found.w) == w
        assert (found.index, found.x, found.y, found.score, found.predicted) == (None, (), None, None, None)
        assert found.updates == t - (not found.updated)
    assert len(run) == 6 or not run[-1].mistake


OPTIONS: list[dict[str, Any]] = [
    {},
    {"learning_rate": "1/t", "patience": 4},
    {"learning_rate": 0.3, "tie": "positive", "init": "given"},
    {"max_errors": 3, "class_weight": "balanced"},
    {"bias": 0.0, "stop": lambda _best, t, _last: t > 4},
]


@pytest.mark.parametrize("options", [*OPTIONS, {"shift": True}])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stored", [np.asarray, scipy.sparse.csr_array, np.float32], ids=["dense", "sparse", "float32"])
def test_a_trace_is_what_fit_does(options: dict[str, Any], classes: int, stored: Any) -> None:
    """The best weights, the last weights, the mistakes in each pass and the stop reason are equal to the last bit."""
    if "shift" in options and classes > 2:
        with pytest.raises(ValueError, match="shift=True"):
            trace(BatchPerceptron(**options), np.eye(3), [0, 1, 2])
        return
    rng = np.random.RandomState(classes)
    X = stored(rng.standard_normal((40, 3)))
    y = np.append(np.arange(classes), rng.randint(classes, size=40 - classes))
    given = dict(options, max_epochs=15)
    if "init" in options:
        given["init"] = rng.standard_normal(4 if classes == 2 else (3, 4))
    model = BatchPerceptron(**given)
    run = trace(model, X, y)
    model.fit(X, y)
    assert np.array(run[-1].answer).tobytes() == model._descent.best.w.tobytes()
    assert np.array(run[-1].w).tobytes() == model._descent.w.tobytes()
    assert [len(step.active or ()) for step in run] == model.mistakes_per_epoch_.tolist()
    assert run[-1].updates == model.n_updates_
    assert run.stop_reason is model.stop_reason_
    assert run.kind == "passes"


def test_cut_off() -> None:
    X, y = [[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1]
    whole = trace(BatchPerceptron(max_epochs=9), X, y)
    assert len(whole) == 9
    for m in range(12):
        cut = trace(BatchPerceptron(max_epochs=9), X, y, max_steps=m)
        assert (cut.start, cut.steps) == (whole.start, whole.steps[:m])
        assert cut.stop_reason is (None if m < 9 else whole.stop_reason)
        assert Trace.from_jsonl(cut.to_jsonl()) == cut


def test_nothing_is_changed_and_the_same_is_refused() -> None:
    model = BatchPerceptron()
    trace(model, [[0], [1]], [0, 1])
    assert not hasattr(model, "classes_")
    with pytest.raises(DataError) as by_fit:
        model.fit([[0], [1]], [0, 0])
    with pytest.raises(DataError) as by_trace:
        trace(model, [[0], [1]], [0, 0])
    assert str(by_trace.value) == str(by_fit.value)
    with pytest.raises(DataError, match="too large for floats"):
        trace(BatchPerceptron(), [[1e308], [-1e308], [1e308]], [1, 0, 1])


def test_the_table_counts_the_wrong() -> None:
    run = trace(BatchPerceptron(bias=0), [[-1, 2], [1, 0], [1, 1]], [-1, 1, 1])
    table = run.to_table()
    cells = [list(map(str, column.cells)) for column in table.columns]
    assert [str(column.header) for column in table.columns] == [
        "#",
        "pass",
        "wrong",
        "wrong rows",
        "w after",
        "|w|",
        "answer",
    ]
    assert cells[2:5] == [["3", "0"], ["0 1 2", ""], ["(3, -1, 0)"] * 2]
    assert cells[6] == ["(0, 0, 0)", "(3, -1, 0)"]

"""Progressive validation: a stream predicts each row before it learns from it; the weights stay the same."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import (
    BatchPerceptron,
    DataError,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Stream,
)
from rosenblatt.classifiers.training.learner import LinearLearner
from rosenblatt.data import validation

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

MODELS: dict[str, Any] = {
    "plain": Perceptron,
    "tie": lambda **o: Perceptron(tie="positive", **o),
    "margin": lambda **o: Perceptron(margin=2.0, **o),
    "averaged": lambda **o: Perceptron(average="averaged", **o),
    "averaged, tie": lambda **o: Perceptron(average="averaged", tie="positive", learning_rate=0.1, **o),
    "voted": lambda **o: Perceptron(average="voted", **o),
    "aggressive": PassiveAggressive,
}
N = 70


def rows(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and tenths, whose scores are often 0 or nearly 0."""
    rng = np.random.default_rng(k)
    X = np.where(rng.random((N, 3)) < 0.5, rng.integers(-2, 3, (N, 3)), 0.1 * rng.integers(-3, 4, (N, 3)))
    return X, rng.integers(k, size=N)


def written(folder: Path, X: Any, y: Any) -> Path:
    path = folder / "rows.csv"
    lines = [",".join(map(repr, [*map(float, x), int(label)])) for x, label in zip(X, y, strict=True)]
    path.write_text("\n".join(["a,b,c,label", *lines]) + "\n", encoding="utf-8")
    return path


def reference(model: Any, X: Any, y: Any) -> tuple[Any, list[list[int]]]:
    """Predict, then learn, one row after the other; count at 1, 2, 4, ... rows and at the end."""
    right, points = 0, []
    model = model(order="cyclic", max_epochs=1)
    model.learn_one(np.zeros(3), 0, classes=np.unique(y), sample_weight=0)  # it knows the classes, and nothing else
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True), start=1):
        right += model.predict_one(x) == label
        model.learn_one(x, label)
        if t == len(y) or t & (t - 1) == 0:
            points.append([t, right])
    return model, points


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", MODELS)
def test_the_curve_is_that_of_a_loop_and_the_weights_are_those_without_it(kind: str, k: int, tmp_path: Path) -> None:
    X, y = rows(k)
    path = written(tmp_path, X, y)
    one, expected = reference(MODELS[kind], X, y)
    made = MODELS[kind](order="cyclic", max_epochs=3)
    plain = MODELS[kind](order="cyclic", max_epochs=3).fit_stream(path, classes=range(k))
    assert plain.progressive_.shape == (0, 2)
    for chunk_bytes in (100, 10_000):
        made.fit_stream(path, progressive=True, chunk_bytes=chunk_bytes, classes=range(k))
        assert made.progressive_.tolist() == expected
        assert made._learner.w.tobytes() == plain._learner.w.tobytes()
        assert made.mistakes_per_epoch_.tolist() == plain.mistakes_per_epoch_.tolist()
        assert made.n_updates_ == plain.n_updates_
    assert one.mistakes_per_epoch_[-1] == made.mistakes_per_epoch_[0]
    assert made.fit(X, y).progressive_.shape == (0, 2)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", ["tie", "averaged", "averaged, tie", "aggressive"])
def test_the_rules_predict_what_the_learner_predicts(kind: str, sparse: bool) -> None:
    """Numbers whose sums cancel to nothing but rounding: the compiled rule and the row-by-row loop agree."""
    rng = np.random.default_rng(7)
    X = rng.choice([0.0, 0.1, 0.2, -0.3, 0.7, -1.1, 1e16, -1e16, 1e-16], size=(80, 4))
    for k in (2, 3):
        y = rng.integers(k, size=len(X))
        table = validation.points(scipy.sparse.csr_array(X) if sparse else X)
        given = validation.rows(table, 1.0), validation.targets(y, np.arange(k))
        fast = MODELS[kind]()._start(np.arange(k), 4)
        slow = MODELS[kind]()._start(np.arange(k), 4)
        tie = 1.0 if fast.tie > 0 else -1.0
        order, weight = np.arange(len(X)), np.ones(len(X))
        predicted, *counts = fast.predict_and_learn(*given, order, weight, tie)
        expected, *expected_counts = LinearLearner.predict_and_learn(slow, *given, order, weight, tie)
        assert predicted.tolist() == expected.tolist()
        assert counts == expected_counts
        assert fast.w.tobytes() == slow.w.tobytes()


def test_a_resumed_fit_has_the_curve_of_an_uninterrupted_one(tmp_path: Path) -> None:
    X, y = rows(2)
    path, checkpoint = written(tmp_path, X, y), tmp_path / "at"
    expected = Perceptron(average="averaged", max_epochs=2).fit_stream(path, progressive=True)
    calls = itertools.count()
    options: dict[str, Any] = {"checkpoint": checkpoint, "every_rows": 1, "chunk_bytes": 100, "progressive": True}
    with pytest.raises(KeyboardInterrupt):
        Perceptron(average="averaged", max_epochs=2).fit_stream(path, progress=lambda _: next(calls) == 4, **options)
    model = Perceptron(average="averaged", max_epochs=2).fit_stream(path, resume=True, **options)
    assert model.progressive_.tolist() == expected.progressive_.tolist()
    assert model.coef_.tobytes() == expected.coef_.tobytes()


def test_a_checkpoint_without_predictions_cannot_give_a_curve(tmp_path: Path) -> None:
    path, checkpoint = written(tmp_path, *rows(2)), tmp_path / "at"
    with pytest.raises(KeyboardInterrupt):
        Perceptron(max_epochs=1).fit_stream(path, progress=lambda _: True, checkpoint=checkpoint)
    with pytest.raises(DataError, match="a fit without progressive validation"):
        Perceptron(max_epochs=1).fit_stream(path, checkpoint=checkpoint, resume=True, progressive=True)


@pytest.mark.parametrize("model", [Pocket(), BatchPerceptron()], ids=str)
def test_what_looks_at_all_rows_first_is_refused(model: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        model.fit_stream(Stream(written(tmp_path, *rows(2))), progressive=True)
    assert str(caught.value).startswith("progressive is for Perceptron and PassiveAggressive")
    assert caught.value.with_flags().startswith("--progressive is for")
    assert type(model).__name__ in str(caught.value)

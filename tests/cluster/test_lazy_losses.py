"""Margins and losses, block by block: those of `rosenblatt.losses`, and lazy."""

from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest

from rosenblatt import DataError, ParameterError, Perceptron, cluster, losses
from tests.cluster.tables import in_blocks, table

CUTS = [70, 1, 129]


@pytest.fixture(scope="module")
def model() -> Any:
    return Perceptron(max_epochs=5, bias=1.0, random_state=0)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_two_classes(model: Any) -> None:
    X, y = table(200, 3)
    model.fit(X, y)
    given, signs = in_blocks(X, y, CUTS), np.where(y == "b", 1, -1)
    w = [*model.coef_[0], model.intercept_[0]]
    lazy = cluster.margins(model, *given)
    assert lazy.dask
    assert np.array_equal(lazy.compute(), model.decision_function(X) * signs)
    assert np.allclose(lazy.compute(), losses.margins(w, X, signs), rtol=1e-12)
    for name in ("hinge", "perceptron"):
        expected = getattr(losses, f"{name}_loss")(w, X, signs)
        assert float(cluster.loss(model, *given, name)) == pytest.approx(expected, rel=1e-12)
    assert int(cluster.loss(model, *given, "mistakes")) == losses.mistakes(w, X, signs)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_several_classes_and_frames(model: Any) -> None:
    import dask.dataframe as dd

    X, y = table(200, 3, 4)
    frame = pd.DataFrame(X, columns=["u", "v", "w"]).assign(kind=y)
    parts = dd.from_pandas(frame, npartitions=3)
    other_cuts = in_blocks(X, y, CUTS)[0], in_blocks(X, y, [100, 100])[1]
    for rows, given, labels in (
        (X, *in_blocks(X, y, CUTS)),
        (X, *other_cuts),
        (frame[["u", "v", "w"]], parts[["u", "v", "w"]], parts["kind"]),
    ):
        model.fit(rows, y)
        with dask.config.set(scheduler="synchronous"):
            found = cluster.margins(model, given, labels).compute()
        assert np.array_equal(found > 0, model.predict(rows) == y)
        assert int(cluster.loss(model, given, labels, "mistakes")) == np.count_nonzero(found < 0)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_wrong_input(model: Any) -> None:
    X, y = table(200, 3)
    model.fit(X, y)
    with pytest.raises(ParameterError, match="must be one of hinge, perceptron, mistakes, not 'log'"):
        cluster.loss(model, *in_blocks(X, y, CUTS), "log")
    with pytest.raises(DataError, match="z"):
        cluster.margins(model, *in_blocks(X, np.where(y == "a", "z", y), CUTS)).compute()

"""The batch perceptron and Kozinec on shards: the bits of the local fit, however the rows are divided."""

from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import scipy.sparse

import rosenblatt
from rosenblatt import DataError, ParameterError, cluster, load, save
from rosenblatt.cluster.classifiers import batch
from tests.cluster.tables import equal_cuts, in_blocks, table

CUTS = [1, 3, 8]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"learning_rate": "1/t", "tie": "positive"},
    {"learning_rate": 0.1, "class_weight": "balanced", "bias": 0.0},
    {"patience": 3, "max_errors": 5.0},
]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_the_batch_rule_does_not_depend_on_the_shards(
    settings: dict[str, Any], noise: float, k: int, sparse: bool
) -> None:
    X, y = table(300, 5, k, noise=noise)
    X = X * 10.0 ** np.arange(-8, 12, 4)  # sums of numbers of very different size
    X = scipy.sparse.csr_array(np.where(abs(X) > 1e-3, X, 0.0)) if sparse else X
    expected = rosenblatt.BatchPerceptron(max_epochs=20, **settings).fit(X, y)
    for shards in CUTS:
        model = cluster.BatchPerceptron(max_epochs=20, **settings).fit(*in_blocks(X, y, equal_cuts(len(y), shards)))
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.intercept_, expected.intercept_)
        assert np.array_equal(model.mistakes_per_epoch_, expected.mistakes_per_epoch_)
        assert (model.n_errors_, model.stop_reason_) == (expected.n_errors_, expected.stop_reason_)
        assert [cost.what for cost in model.rounds_] == ["rows are loaded", *["pass"] * model.n_iter_]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_rows_of_weight_k_are_k_copies() -> None:
    X, y = table(200, 4)
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    given = *in_blocks(X, y, equal_cuts(200, 3)), in_blocks(X, weights, equal_cuts(200, 3))[1]
    expected = rosenblatt.BatchPerceptron(max_epochs=9, patience=None).fit(X, y, weights)
    model = cluster.BatchPerceptron(max_epochs=9, patience=None).fit(*given)
    assert np.array_equal(model.coef_, expected.coef_)


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_descent_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    X, y = table(200, 4, 3)
    given, path = in_blocks(X, y, equal_cuts(200, 3)), tmp_path / "fit.state"
    whole = cluster.BatchPerceptron(max_epochs=9, learning_rate="1/t").fit(*given)
    model = cluster.BatchPerceptron(max_epochs=9, learning_rate="1/t")
    learned = batch.ShardsDescent.one_round
    for after in (0, 3, 8):
        with pytest.MonkeyPatch.context() as patch:

            def one_round(self: Any, last: int = after) -> Any:
                if self.passes == last:
                    raise DataError("The scheduler was lost.")
                return learned(self)

            patch.setattr(batch.ShardsDescent, "one_round", one_round)
            with pytest.raises(DataError, match="lost"):
                model.fit(*given, checkpoint=path, every_seconds=1e9, resume=after > 0)
    model.fit(*given, checkpoint=path, resume=True)
    assert np.array_equal(model.coef_, whole.coef_)
    assert np.array_equal(model.mistakes_per_epoch_, whole.mistakes_per_epoch_)
    model.fit(*given, checkpoint=path, resume=True)
    assert np.array_equal(model.coef_, whole.coef_)
    save(model, tmp_path / "model.st")
    assert type(load(tmp_path / "model.st")) is rosenblatt.BatchPerceptron


@pytest.mark.parametrize("bias", ["free", 1.0, 0.0])
@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("solver", ["auto", "wolfe", "mdm", "away", "kozinec"])
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning", "ignore::rosenblatt.OverlapWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_margin_does_not_depend_on_the_shards(solver: Any, noise: float, bias: Any) -> None:
    X, y = table(400, 4, noise=noise)
    expected = rosenblatt.Kozinec(solver=solver, bias=bias, max_epochs=25, screening=False).fit(X, y)
    for shards in CUTS:
        model = cluster.Kozinec(solver=solver, bias=bias, max_epochs=25)
        model.fit(*in_blocks(X, y, equal_cuts(len(y), shards)))
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.intercept_, expected.intercept_)
        assert model.margin_bounds_ == expected.margin_bounds_
        assert np.array_equal(model.history_, expected.history_)
        assert np.array_equal(model.mistakes_per_epoch_, expected.mistakes_per_epoch_)
        assert np.array_equal(model.support_, expected.support_)
        assert np.array_equal(model.dual_coef_, expected.dual_coef_)
        assert np.array_equal(model.support_vectors_, X[expected.support_])
        assert model.stop_reason_ is expected.stop_reason_


@pytest.mark.parametrize("kind", ["float32", "sparse"])
def test_other_storage_has_the_same_margin(kind: str) -> None:
    X, y = table(400, 4, noise=0.0)
    X = X.astype(np.float32) if kind == "float32" else scipy.sparse.csr_array(np.where(abs(X) > 0.1, X, 0.0))
    expected = rosenblatt.Kozinec(screening=False).fit(X, y)
    model = cluster.Kozinec().fit(*in_blocks(X, y, equal_cuts(X.shape[0], 5)))
    assert np.array_equal(model.coef_, expected.coef_)
    assert model.margin_bounds_ == expected.margin_bounds_


def test_slack_has_the_margin_of_memory_within_epsilon() -> None:
    X, y = table(400, 4)
    expected = rosenblatt.Kozinec(C=1.0, epsilon=1e-6).fit(X, y)
    model = cluster.Kozinec(C=1.0, epsilon=1e-6).fit(*in_blocks(X, y, equal_cuts(400, 5)))
    low, high = (max(a, b) for a, b in zip(model.margin_bounds_, expected.margin_bounds_, strict=True))
    assert low <= high
    assert np.allclose(model.coef_, expected.coef_, rtol=1e-4)


def test_schedulers_agree_about_the_margin() -> None:
    X, y = table(400, 4, noise=0.0)
    given, found = in_blocks(X, y, equal_cuts(len(y), 6)), []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler, num_workers=4):
            found.append(cluster.Kozinec().fit(*given))
    assert np.array_equal(found[0].coef_, found[1].coef_)


def test_what_is_refused() -> None:
    X, y = table(60, 2, 3)
    given = in_blocks(X, y, [30, 30])
    with pytest.raises(DataError, match="Only binary classification is supported"):
        cluster.Kozinec().fit(*given)
    with pytest.raises(ParameterError, match="shift=True"):
        cluster.BatchPerceptron(shift=True).fit(*given)
    weights = in_blocks(X, np.ones(60), [30, 30])[1]
    with pytest.raises(ParameterError, match="counts all rows alike"):
        cluster.Kozinec().fit(cluster.Shards(*given, weights))

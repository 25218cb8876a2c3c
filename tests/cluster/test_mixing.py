"""Iterative parameter mixing: one shard is the local fit, many shards obey the theorem, and the schedulers agree."""

from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import scipy.sparse

import rosenblatt
from rosenblatt import DataError, ParameterError, cluster, load, mistake_bound, save
from rosenblatt.cluster.classifiers.mixing import first_places, learn, shares_of
from tests.cluster.tables import equal_cuts, in_blocks, same_bits, table

PAIRS = {"Perceptron": (rosenblatt.Perceptron, cluster.Perceptron)}
PAIRS["PassiveAggressive"] = (rosenblatt.PassiveAggressive, cluster.PassiveAggressive)  # type: ignore[assignment]
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Perceptron", {}),
    ("Perceptron", {"order": "cyclic"}),
    ("Perceptron", {"average": "averaged"}),
    ("Perceptron", {"margin": 0.5, "learning_rate": 0.3, "tie": "positive", "bias": 2.0}),
    ("Perceptron", {"class_weight": "balanced", "random_state": 7}),
    ("PassiveAggressive", {}),
    ("PassiveAggressive", {"variant": "II", "C": 0.1, "order": "cyclic"}),
]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_one_shard_is_the_local_fit(name: str, options: dict[str, Any], noise: float, k: int, sparse: bool) -> None:
    X, y = table(300, 5, k, noise=noise)
    X = scipy.sparse.csr_array(np.where(abs(X) > 0.5, X, 0.0)) if sparse else X
    local, on_cluster = PAIRS[name]
    alone = on_cluster(max_epochs=6, **options).fit(*in_blocks(X, y, [X.shape[0]]))
    expected = local(max_epochs=6, **options).fit(X, y)
    assert same_bits(alone, expected)
    assert alone.classes_.tolist() == expected.classes_.tolist()
    assert np.array_equal(alone.predict(X), expected.predict(X))


def test_row_weights_count_as_in_memory() -> None:
    X, y = table(200, 4, noise=0.0)
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    Xb, yb = in_blocks(X, y, [len(y)])
    wb = in_blocks(X, weights, [len(y)])[1]
    alone = cluster.Perceptron(class_weight="balanced").fit(Xb, yb, wb)
    expected = rosenblatt.Perceptron(class_weight="balanced").fit(X, y, weights)
    assert same_bits(alone, expected)
    assert alone._weight_range == expected._weight_range


@pytest.mark.parametrize("mixing", ["mistakes", "uniform"])
@pytest.mark.parametrize("shards", [2, 5, 16])
def test_the_theorem_holds_for_separable_rows(shards: int, mixing: Any) -> None:
    X, y = table(400, 4, noise=0.0)
    model = cluster.Perceptron(max_epochs=5000).fit(*in_blocks(X, y, equal_cuts(len(y), shards)), mixing=mixing)
    assert str(model.stop_reason_) == "mistake_free"
    assert model.score(X, y) == 1.0
    bound = mistake_bound(X, y).max_updates
    assert bound is not None
    assert 0 < sum(model.mixed_updates_) <= bound
    assert len(model.mixed_updates_) == model.n_iter_


def test_a_shard_learns_as_a_local_pass() -> None:
    """The mixture of two passes, written out with the local class."""
    X, y = table(120, 3, noise=0.5)
    model = cluster.Perceptron(order="cyclic", average="averaged", max_epochs=1).fit(*in_blocks(X, y, [50, 70]))
    parts, total = [], np.zeros(4)
    for rows in (slice(0, 50), slice(50, 120)):
        own = rosenblatt.Perceptron(order="cyclic").partial_fit(X[rows], y[rows], classes=["a", "b"])
        parts.append((own.n_updates_, np.append(own.coef_[0], own.intercept_)))
        for n in range(rows.start + 1, rows.stop + 1):
            at = rosenblatt.Perceptron(order="cyclic").partial_fit(X[rows.start : n], y[rows.start : n], ["a", "b"])
            total += np.append(at.coef_[0], at.intercept_)
    updates = parts[0][0] + parts[1][0]
    expected = sum(k / updates * w for k, w in parts)
    assert np.allclose(model._learner.w, expected, rtol=1e-12)
    assert np.allclose(np.append(model.coef_[0], model.intercept_), total / 120, rtol=1e-9)
    assert model.n_updates_ == updates


@pytest.mark.parametrize(("name", "options"), OPTIONS)
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_schedulers_agree(name: str, options: dict[str, Any]) -> None:
    X, y = table(300, 5, 3)
    given = in_blocks(X, y, [40, 100, 10, 150])
    models = []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler, num_workers=4):
            models.append(PAIRS[name][1](max_epochs=5, **options).fit(*given))
    assert same_bits(*models)


def test_the_model_is_an_ordinary_one(tmp_path: Path) -> None:
    X, y = table(200, 3, 3, noise=0.0)
    model = cluster.Perceptron().fit(*in_blocks(X, y, equal_cuts(len(y), 3)))
    save(model, tmp_path / "model.st")
    loaded = load(tmp_path / "model.st")
    assert type(loaded) is rosenblatt.Perceptron
    assert same_bits(loaded, model)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert rosenblatt.to_json(model) == rosenblatt.to_json(loaded)


def test_rounds_tell_their_cost() -> None:
    X, y = table(200, 3)
    model = cluster.Perceptron(max_epochs=3, average=True).fit(*in_blocks(X, y, [100, 100]))
    passes = [cost for cost in model.rounds_ if cost.what == "pass"]
    assert len(passes) == 3
    w = 4 * 8  # bytes of a vector of three columns and the bias
    assert all(cost.sent >= 2 * 2 * w and cost.received >= 2 * 2 * w for cost in passes)  # w and the sum, two shards
    assert all(cost.sent < 20_000 and cost.seconds > 0 for cost in passes)  # the orders take 2.5 kB a shard


def test_shares() -> None:
    shard = cluster.Shards(*in_blocks(*table(20, 2), [20])).handles[0]
    model = cluster.Perceptron(order="cyclic")
    learned = learn(shard, None, (model._start(np.array(["a", "b"]), 2), 2))
    made = [learned._replace(updates=count) for count in (1, 0, 3)]
    assert shares_of(made, "mistakes") == [0.25, 0.0, 0.75]
    assert shares_of(made, "uniform") == [1 / 3] * 3
    assert shares_of([one._replace(updates=0) for one in made], "mistakes") == [1 / 3] * 3


def test_orders_of_shards_differ() -> None:
    keys = {tuple(place[0].tolist()) for place in first_places(0, 50)}
    assert len(keys) == 50
    assert first_places(0, 3)[1][0].tolist() == first_places(0, 50)[1][0].tolist()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "worst"}, "order='worst') chooses among all rows; on a cluster, set 'shuffled'"),
        ({"held_out": 0.2}, "held_out=0.2) is for rows in memory; on a cluster, set None"),
        ({"warm_start": True}, "warm_start=True) is for rows in memory; on a cluster, set False"),
        ({"average": "voted"}, "average='voted') keeps all its weight vectors"),
    ],
)
def test_what_needs_all_rows_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match="Perceptron") as caught:
        cluster.Perceptron(**options).fit(*in_blocks(*table(20, 2), [10, 10]))
    assert said in str(caught.value)


def test_options_of_fit_are_checked(tmp_path: Path) -> None:
    given = in_blocks(*table(20, 2), [10, 10])
    with pytest.raises(ParameterError, match="mixing"):
        cluster.Perceptron().fit(*given, mixing="often")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="resume needs the path of the checkpoint"):
        cluster.Perceptron().fit(*given, resume=True)
    with pytest.raises(ParameterError, match="every_seconds must be a number of at least 0"):
        cluster.Perceptron().fit(*given, checkpoint=tmp_path / "c", every_seconds=-1)
    weights = (given[1] == "a").astype(float)
    with pytest.raises(DataError, match="sample_weight is zero for every row of class 'b'"):
        cluster.Perceptron().fit(*given, weights)

"""Novikoff's bound on shards: true, proved, the same for any shards, and obeyed by fits in memory and on shards."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Certificate, ParameterError, Perceptron, cluster, mistake_bound
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.cluster.proof import mistake_bound as by_rounds
from tests.cluster.tables import equal_cuts, in_blocks, table


@pytest.fixture(params=[2, 3])
def separable(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return table(1200, 3, request.param, noise=0.0)


@pytest.mark.parametrize("bias", [1.0, 0.0, 2.5])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_bound_is_that_of_rows_in_memory(
    separable: tuple[Any, Any], bias: float, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = separable
    X = scipy.sparse.csr_array(X) if sparse else X
    monkeypatch.setattr(by_rounds, "FIRST_ROWS", 5)  # so that there are several rounds
    local, texts = mistake_bound(X, y, bias=bias), set()
    for shards in (1, 4, 7):
        given = in_blocks(X, y, equal_cuts(X.shape[0], shards))
        found = cluster.mistake_bound(*given, bias=bias)
        assert found.theorem == local.theorem
        assert found.radius == local.radius
        assert found.margin_bounds[0] <= local.margin_bounds[1]  # both enclose the margin
        assert local.margin_bounds[0] <= found.margin_bounds[1]
        if found.theorem is not None:
            assert found.margin_bounds[1] <= found.margin_bounds[0] * (1 + 1e-5)
        assert found.certificate.verify(X, y)
        assert cluster.verify(found.certificate, *given)
        texts.add(found.certificate.to_json())
    assert len(texts) == 1


@pytest.mark.parametrize("shards", [1, 3, 8])
def test_fits_obey_the_bound(separable: tuple[Any, Any], shards: int) -> None:
    X, y = separable
    given = in_blocks(X, y, equal_cuts(len(y), shards))
    bound = cluster.mistake_bound(*given)
    assert bound.max_updates is not None
    for mixing in ("mistakes", "uniform"):
        model = cluster.Perceptron(max_epochs=10_000).fit(*given, mixing=mixing)
        assert model.stop_reason_.name == "MISTAKE_FREE"
        assert sum(model.mixed_updates_) <= bound.max_updates
    assert Perceptron(max_epochs=10_000, order="cyclic").fit(X, y).n_updates_ <= bound.max_updates


def test_there_is_no_bound_where_classes_overlap() -> None:
    X, y = table(300, 3)
    given = in_blocks(X, y, [100, 200])
    found = cluster.mistake_bound(*given)
    assert (found.theorem, found.max_updates) == (None, None)
    assert found.certificate.claim == "not_strict"
    assert found.certificate.verify(X, y)
    assert cluster.verify(found.certificate, *given)


def test_a_bound_that_is_too_small_is_refused() -> None:
    X, y = table(300, 3, noise=0.0)
    given = in_blocks(X, y, equal_cuts(len(y), 3))
    body = Certificate.from_json(cluster.mistake_bound(*given).certificate.to_json()).body
    part = body["mistakes"]
    low, high = part["margin"]["lower"], part["margin"]["upper"]
    for false_part in (
        part | {"bound": "0x1"},
        part | {"radius": part["radius"] / 2},
        part | {"margin": part["margin"] | {"lower": high * 1.01}},
        part | {"margin": part["margin"] | {"upper": low * 0.9}},
    ):
        false = {**body, "mistakes": false_part}
        certificate = Certificate({**false, "seal": seal_of(false)})
        assert not cluster.verify(certificate, *given)
        assert not certificate.verify(X, y)


def test_wrong_input() -> None:
    X, y = table(60, 2)
    given = in_blocks(X, y, [30, 30])
    with pytest.raises(ParameterError, match="bias must be a finite number"):
        cluster.mistake_bound(*given, bias="free")  # type: ignore[arg-type]
    weights = in_blocks(np.ones((60, 1)), np.ones(60), [30, 30])[1]
    with pytest.raises(ParameterError, match="counts all rows alike"):
        cluster.mistake_bound(cluster.Shards(*given, weights))

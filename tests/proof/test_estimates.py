"""Which estimates are infinite: against an exact oracle. Certificates verify, and tampered ones do not."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rosenblatt import Certificate, DataError, Estimates, ParameterError, estimates
from rosenblatt.certificate.certificate import seal_of
from tests.support.effort import by_day
from tests.support.estimates_oracle import MODELS, Regression, draw, truth

SEEDS = by_day(dict.fromkeys(MODELS, 170) | {"multinomial": 90, "softmax": 70}, dict.fromkeys(MODELS, 3000))


def ask(asked: Regression, X: Any = None) -> Estimates:
    return estimates(asked.X if X is None else X, asked.y, model=asked.model, **asked.options)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("part", range(10))
def test_every_status_is_that_of_the_oracle(model: str, part: int) -> None:
    for seed in range(part * SEEDS[model] // 10, (part + 1) * SEEDS[model] // 10):
        asked = draw(model, seed)
        found, known = ask(asked), truth(asked)
        told = (found.statuses, found.kind, found.separated_rows.tolist())
        assert told == (known.statuses, known.kind, known.separated), (model, seed)
        assert found.certificate is not None
        again = Certificate.from_json(found.certificate.to_json())
        assert again.verify(asked.X, asked.y, **asked.checked_with), (model, seed)
        assert Estimates.from_json(found.to_json()) == found
        weights = asked.options.get("sample_weight", [1] * len(asked.X))
        present = {i for i, weight in enumerate(weights) if weight}
        assert set(found.kept_rows.tolist()) | set(found.separated_rows.tolist()) == present


QUASI = Regression([[1, 3], [1, 1], [0, 2], [0, 4], [0, 1], [0, 3]], [1, 1, 0, 1, 1, 0], "logit", {})
TAMPERED = [
    QUASI,
    draw("logit", 3),
    draw("grouped", 4),
    draw("poisson", 5),
    draw("multinomial", 12),
    draw("ordinal", 8),
]


def leaves(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all numbers and texts of a certificate."""
    if isinstance(part, dict):
        return [leaf for key, inner in part.items() for leaf in leaves(inner, (*path, key))]
    if isinstance(part, list):
        return [leaf for t, inner in enumerate(part) for leaf in leaves(inner, (*path, t))]
    return [path]


def other(value: Any, rng: np.random.Generator) -> Any:
    """Another value of the same type."""
    if isinstance(value, str) and value.lstrip("-").startswith("0x"):
        return str(rng.choice(["0x0", "0x1", "-0x1", "0x7", value.lstrip("-"), f"-{value.lstrip('-')}"]))
    if isinstance(value, str):
        return str(rng.choice(["finite", "+inf", "-inf", "undetermined", "not_estimable", "quasi", "none", "complete"]))
    if value is None:
        return int(rng.integers(3))
    return int(rng.integers(-1, 6)) if isinstance(value, int) else float(rng.choice([0.0, 1.0, 2.0]))


@pytest.mark.parametrize("asked", TAMPERED, ids=[asked.model for asked in TAMPERED])
def test_a_tampered_certificate_that_is_accepted_is_true(asked: Regression) -> None:
    known, certificate = truth(asked), ask(asked).certificate
    assert certificate is not None
    assert certificate.verify(asked.X, asked.y, **asked.checked_with)
    rng, refused = np.random.default_rng(0), 0
    places = [path for path in leaves(certificate.to_dict()) if path[0] in ("estimates", "about", "data")]
    for _ in range(by_day(150, 3000)):
        body = certificate.to_dict()
        for path in rng.choice(len(places), int(rng.integers(1, 3))):
            *way, last = places[path]
            part = body
            for key in way:
                part = part[key]
            part[last] = other(part[last], rng)
        if not Certificate({**body, "seal": seal_of(body)}).verify(asked.X, asked.y, **asked.checked_with):
            refused += 1
        elif {**body["about"], "between": 0} == {**certificate.body["about"], "between": 0}:
            told = [claim["status"] for claim in body["estimates"]["coefficients"]]
            assert (told, body["estimates"]["kind"]) == (known.statuses, known.kind)
    assert refused > by_day(50, 1000)


def test_a_proof_is_not_taken_for_another() -> None:
    """Each status with the proof of each other one is refused."""
    certificate = ask(QUASI).certificate
    assert certificate is not None
    claims = certificate.body["estimates"]["coefficients"]
    for t, claim in enumerate(claims):
        for wrong in (*claims, {"status": "not_estimable"}, {"status": "undetermined", "vectors": [0, 0]}):
            if wrong["status"] != claim["status"]:
                body = certificate.to_dict()
                body["estimates"]["coefficients"][t] = json.loads(json.dumps(wrong))
                assert not Certificate({**body, "seal": seal_of(body)}).verify(QUASI.X, QUASI.y)


CORNER = [[1.0, 0.5], [-0.25, 1.0], [-1.0, 0.125], [0.5, -1.0]]  # with the classes 1, 1, 0, 0: completely separated


def test_rows_alone_prove_an_infinite_coefficient() -> None:
    """Independent rows have one set of weights at most, so it is left out.

    The recession rows are (1, 0.5), (-0.25, 1), (1, -0.125) and (-0.5, 1). Rows 0 and 2 combine to (1, 0) with the
    weights 1 and 4, rows 0 and 3 to (0, 1) with the weights 1 and 2.
    """
    found = estimates(CORNER, [1, 1, 0, 0], intercept=False)
    assert found.certificate is not None
    body = found.certificate.to_dict()
    assert body["version"] == 6
    assert [claim.keys() for claim in body["estimates"]["coefficients"]] == 2 * [{"status", "rows"}]
    first, second = {"rows": [0, 2]}, {"rows": [0, 3]}

    def is_accepted(*proofs: dict[str, Any], version: int = 6) -> bool:
        claims = [{"status": "+inf", **proof} for proof in proofs]
        changed = {**body, "version": version, "estimates": {**body["estimates"], "coefficients": claims}}
        return bool(Certificate({**changed, "seal": seal_of(changed)}).verify(CORNER, [1, 1, 0, 0]))

    assert is_accepted(first, second)
    assert is_accepted(first, {**second, "weights": ["0x1", "0x2"]})
    assert not is_accepted(first, {**second, "weights": ["0x1", "0x1"]})
    assert not is_accepted(first, {"rows": [0, 2]})  # with weights of both signs only
    assert not is_accepted(first, {"rows": [0, 0, 3]})  # a row twice
    assert not is_accepted(first, {"rows": [0, 1, 3]})  # dependent: more than one set of weights
    assert not is_accepted(first, {"rows": [3]})
    assert not is_accepted(first, {"rows": []})
    with_weights = {**first, "weights": ["0x1", "0x4"]}, {**second, "weights": ["0x1", "0x2"]}
    assert is_accepted(*with_weights, version=3)
    assert not is_accepted(first, second, version=3)


def test_other_data_other_models_and_no_data() -> None:
    found = ask(QUASI)
    assert found.certificate is not None
    assert not found.certificate.verify(np.array(QUASI.X) + 1, QUASI.y)
    assert not found.certificate.verify(QUASI.X, QUASI.y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert found.certificate.verify(QUASI.X, QUASI.y, sample_weight=[1, 2, 3, 4, 5, 6])
    assert not found.certificate.verify(QUASI.X, ["a", "b", "a", "a", "b", "b"])
    with pytest.raises(DataError, match="needs two classes"):
        found.certificate.verify(QUASI.X, [0, 1, 2, 3, 4, 5])
    with pytest.raises(DataError, match="are for certificates of estimates"):
        Certificate({"claim": "strict"}).verify(QUASI.X, QUASI.y, trials=QUASI.y)
    again = Estimates.from_json(found.to_json())
    with pytest.raises(DataError, match="status_of needs the data"):
        again.status_of([1, 0, 0])
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


def test_there_are_enough_tables() -> None:
    assert sum(SEEDS.values()) >= by_day(1000, 20_000)


def test_any_linear_function_of_the_coefficients() -> None:
    """c.b is a coefficient if b_1 is written as (c.b - c_2 b_2 - ...) / c_1; the rows are multiplied by c_1 > 0."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(by_day(40, 1000)):
        X, y = rng.integers(-2, 3, (8, 2)), rng.permutation([0, 0, 0, 1, 1, 1, 1, 0])
        if rng.random() < 0.3:
            X[:, 1] = 2 * X[:, 0]
        c = np.array([rng.integers(1, 3), *rng.integers(-2, 3, 2)])
        rows = np.column_stack([X, np.ones(8, int)])
        moved = np.column_stack([rows[:, 0], c[0] * rows[:, 1:] - rows[:, :1] * c[1:]])
        expected = truth(Regression(moved.tolist(), y.tolist(), "logit", {"intercept": False})).statuses[0]
        assert estimates(X, y).status_of(c) == expected
        seen.add(expected)
    assert len(seen) >= 4


def test_functions_by_name() -> None:
    found = ask(QUASI)
    assert found.status_of({"x1": 2.0, "x2": -1.0}) == found.status_of([2, -1, 0]) == "+inf"


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("X", [[[0], [1]], [[-1, 2], [1, 1], [0, 3]], [[0, 0], [0, 0]]])
def test_counts_that_are_all_0(X: Any, intercept: bool) -> None:
    """All recession rows have one sign."""
    asked = Regression(X, [0] * len(X), "poisson", {"intercept": intercept})
    found, known = ask(asked), truth(asked)
    assert (found.statuses, found.kind, found.separated_rows.tolist()) == (known.statuses, known.kind, known.separated)
    assert found.certificate is not None
    assert found.certificate.verify(X, asked.y)


def test_a_categorical_y_has_an_order() -> None:
    """With the words in order, x separates the classes."""
    y = pd.Series(pd.Categorical(["low", "mid", "high", "high"], categories=["low", "mid", "high"], ordered=True))
    found = estimates([[1], [2], [3], [4]], y, model="ordinal")
    assert (found.kind, found.names) == ("complete", ["x1", "low|mid", "mid|high"])
    assert estimates([[1], [2], [3], [4]], y.tolist(), model="ordinal", classes=["low", "mid", "high"]) == found
    assert found.certificate is not None
    assert found.certificate.verify([[1], [2], [3], [4]], y)
    assert found.certificate.verify([[1], [2], [3], [4]], y.tolist())
    cured = pd.Series(pd.Categorical(["cured", "cured", "ill", "cured"], categories=["ill", "cured"]))
    assert estimates([[1], [1], [0], [0]], cured).status["x1"] == "+inf"


@pytest.mark.parametrize("stored", [scipy.sparse.csr_array, np.asfortranarray, lambda X: np.asarray(X, np.float32)])
def test_storage_does_not_count(stored: Any) -> None:
    assert ask(QUASI, stored(np.array(QUASI.X, dtype=float))) == ask(QUASI)


def test_the_words() -> None:
    found = ask(QUASI)
    assert repr(found) == "<Estimates: quasi, 1 of 3 infinite, 6 rows>"
    assert "rows 0 and 1 are fitted better and better" in found.explain()
    assert found.to_frame()["status"].to_dict() == found.status
    assert "<td>x1</td><td>+inf</td>" in str(found._repr_html_())
    many = estimates([[0], [1], [2], [3]], list("abcc"), model="multinomial")
    assert many.to_frame().loc[("c", "x1"), "status"] == "+inf"
    assert "x1 of 'c'" in many.explain()
    none = estimates([[0], [1], [0], [1]], [0, 0, 1, 1])
    assert none.explain().startswith("No row is separated: the likelihood has a maximum.")


def test_a_time_limit() -> None:
    rng = np.random.default_rng(0)
    found = estimates(rng.normal(size=(3000, 200)), rng.integers(0, 2, 3000), time_limit=1e-6)
    assert (found.kind, set(found.statuses), found.certificate) == ("undecided", {"undecided"}, None)
    assert "not decided in time" in found.explain()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimates([[0], [1]], [0, 1], model="probet"), "did you mean 'probit'?"),  # type: ignore[arg-type]
        (lambda: estimates([[0], [1], [2]], [0, 1, 2]), "needs two classes; y has 3"),
        (lambda: estimates([[0], [1]], [0, -1], model="poisson"), "in row 1 it is -1.0"),
        (lambda: estimates([[0], [1]], [3, 1], trials=[2, 2]), "Row 0 has more successes than trials"),
        (lambda: estimates([[0], [1]], [[1, 2, 3], [1, 2, 3]]), "successes and failures"),
        (lambda: estimates([[0], [1]], [0, 1], sample_weight=[0, 1]), "no row of class 0 with a weight above 0"),
        (lambda: estimates([[0], [1]], [0, 1], sample_weight=[0, 0]), "All rows have the weight 0"),
        (lambda: estimates([[0], [1]], [2, 1], trials=[2, 1]), "There is no row of class 'failure'."),
        (
            lambda: estimates([[0], [1]], ["no", "yes"], model="poisson"),
            "y must be numbers, one for each of the 2 rows",
        ),
        (lambda: estimates(pd.DataFrame({"(intercept)": [0, 1]}), [0, 1]), "rename the column"),
        (lambda: ask(QUASI).status_of({"x9": 1}), "There is no coefficient 'x9'; there are 'x1', 'x2', '(intercept)'."),
        (lambda: ask(QUASI).status_of("x1"), "c must be 3 finite numbers, or a dict"),
        (lambda: estimates([[0], [1]], [0, 1], sample_weight=[1, math.nan]), "finite numbers"),
        (lambda: estimates([[0], [1]], [0, 1], sample_weight=[1]), "one number for each of the 2 rows"),
        (lambda: estimates([[0], [1]], [1, 1], model="poisson", trials=[1, 1]), "binomial"),
        (lambda: estimates([[0], [1]], ["a", "b"], model="multinomial", reference="c"), "must be one of"),
        (lambda: estimates([[0], [1]], ["a", "b"], reference="a"), "is for model='multinomial'"),
        (lambda: estimates([[0], [1]], ["a", "b"], model="ordinal", classes=["a"]), "classes must name"),
    ],
)
def test_what_cannot_be_asked(call: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as error:
        call()
    assert words in str(error.value)

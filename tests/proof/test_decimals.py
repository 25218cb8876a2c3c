"""Floats that count as decimals: verdicts, statuses and bounds against oracles that take the texts as fractions."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rosenblatt import Certificate, ParameterError, Stream, error_bounds, estimates, separability
from rosenblatt.certificate.certificate import seal_of
from tests.support.decimal_tables import DecimalTable, drawn, in_decimals, on_a_line
from tests.support.effort import by_day
from tests.support.estimates_oracle import MODELS, draw, truth
from tests.support.separability_oracle import are_floats, kind_of, signed_rows

LINE = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]  # on one line in decimals, the second row in the middle
SUMS = [[0.1, 0.2, 0.3], [0.1, 0.1, 0.2], [0.3, 0.6, 0.9], [0.7, 0.1, 0.8], [0.4, 0.3, 0.7], [0.2, 0.4, 0.6]]
LABELS = [0, 1, 1, 0, 1, 0]


def check_verdict(table: DecimalTable) -> bool:
    """Is the verdict on the decimals not the one on the floats?  It must be that of the oracle, and verify."""
    X, y, origin = table.numbers, table.y, not table.bias
    verdict = separability(X, y, through_origin=origin, decimals=True)
    assert verdict.kind == kind_of(signed_rows(table.fractions, y, bias=table.bias))
    certificate = verdict.certificate
    assert certificate is not None
    assert certificate.verify(X, y)
    if are_floats([cell for row in X for cell in row]):
        floats = np.array(X, dtype=float)
        assert certificate.verify(floats, y)
        sparse = separability(scipy.sparse.csr_array(floats), y, through_origin=origin, decimals=True)
        assert sparse.kind == verdict.kind
        assert sparse.certificate is not None
        assert sparse.certificate.verify(floats, y)
    return verdict.kind != separability(X, y, through_origin=origin).kind


@pytest.mark.parametrize("part", range(4))
def test_verdicts_are_those_of_the_oracle(part: int) -> None:
    for seed in range(part, by_day(36, 4000), 4):
        check_verdict(drawn(seed))


def test_verdicts_on_rows_of_a_line() -> None:
    count = by_day(24, 2000)
    differs = sum(check_verdict(on_a_line(seed)) for seed in range(count))
    assert differs > count // 10  # the floats would give another verdict


@pytest.mark.parametrize("model", MODELS)
def test_statuses_are_those_of_the_oracle(model: str) -> None:
    for seed in range(by_day(6, 600)):
        asked = draw(model, seed)
        table = DecimalTable(in_decimals(asked.X, seed), [], bias=True)
        true = truth(asked._replace(X=table.fractions))
        found = estimates(table.numbers, asked.y, model=asked.model, decimals=True, **asked.options)  # type: ignore[arg-type]
        assert (found.statuses, found.kind) == (true.statuses, true.kind)
        assert found.separated_rows.tolist() == true.separated
        assert found.certificate is not None
        assert found.certificate.verify(table.numbers, asked.y, **asked.checked_with)


def test_a_column_that_is_a_sum_in_decimals_only() -> None:
    found = estimates(SUMS, LABELS, decimals=True)
    assert found.statuses[:3] == ["not_estimable"] * 3
    assert "not_estimable" not in estimates(SUMS, LABELS).statuses
    assert found.status_of([0.1, 0.2, 0.3, 0]) == "finite"  # 0.1 (1, 0, 1) and 0.2 (0, 1, 1) add up to it in decimals
    assert found.status_of({"x1": 0.1, "x2": 0.2, "x3": 0.4}) == "not_estimable"


def test_the_margin_is_in_the_units_of_the_data() -> None:
    """The classes are 0.2 apart: the margin is 1/10, which is no float."""
    verdict = separability([[0.1, 5.25], [0.3, 5.25]], [0, 1], decimals=True)
    assert verdict.margin_bounds is not None
    low, high = map(Fraction, verdict.margin_bounds)
    assert low < Fraction(1, 10) < high
    assert high - low < Fraction(1, 10**6)
    assert verdict.hyperplane is not None
    x = -verdict.hyperplane.b / verdict.hyperplane.w[0]
    assert x == pytest.approx(0.2, abs=1e-6)


def test_a_narrow_margin_of_decimals_is_no_rounding_error() -> None:
    X = [[0.1, 0.3], [0.2, 0.6000000000000001], [0.3, 0.9]]
    assert separability(X, [0, 1, 0]).narrow
    verdict = separability(X, [0, 1, 0], decimals=True)
    assert (verdict.kind, verdict.narrow) == ("strict", False)


def test_bounds_of_the_fewest_errors() -> None:
    bounds = error_bounds(LINE, [0, 1, 0], decimals=True)
    assert (bounds.lower, bounds.upper) == (1, 1)
    assert bounds.certificate.verify(LINE, [0, 1, 0])
    assert error_bounds(LINE, [0, 1, 0]).upper == 0


def test_whole_numbers_and_halves_have_the_same_certificate_as_before() -> None:
    X, y = [[0, 0.5], [1, -2.25], [2**60 + 1, 3.0]], [0, 1, 0]
    assert separability(X, y, decimals=True).certificate == separability(X, y).certificate


def made() -> Certificate:
    certificate = separability(LINE, [0, 1, 0], decimals=True).certificate
    assert certificate is not None
    return certificate


def changed(**parts: Any) -> Certificate:
    """A certificate of decimals with other parts, and a seal that fits."""
    body = json.loads(made().to_json())
    for name, part in parts.items():
        if name in ("version", "claim"):
            body[name] = part
        elif name == "constant":
            body["about"]["constant"] = part
        elif part is None:
            del body["data"]["decimals"]
        else:
            body["data"]["decimals"] = part
    return Certificate({**body, "seal": seal_of(body)})


def test_a_certificate_of_decimals() -> None:
    certificate = made()
    assert (certificate.body["version"], certificate.body["data"]["decimals"]) == (5, True)
    assert separability(LINE, [0, 1, 0]).kind == "strict"
    frame = pd.DataFrame(LINE, columns=["a", "b"])
    for X in (LINE, np.array(LINE), frame, scipy.sparse.csr_array(np.array(LINE))):
        assert certificate.verify(X, [0, 1, 0])
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.verify(LINE, [0, 1, 0]).why.endswith("true of these 3 rows of decimals.")
    assert "shortest decimal" in read.explain()


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"decimals": None, "version": 1}, "does not add up to 0"),  # of the floats it is not true
        ({"decimals": None}, "the decimals are not true"),
        ({"decimals": False}, "the decimals are not true"),
        ({"decimals": 1}, "the decimals are not true"),
        ({"decimals": [1, 1]}, "the decimals are not true"),
        ({"version": 1}, "decimals need version 5, 6 or 7"),
        ({"constant": 0.1}, "the constant is not 0 or 1"),
        ({"claim": "worst_error"}, "lacks worst_error"),
    ],
)
def test_a_tampered_certificate_is_refused(parts: dict[str, Any], why: str) -> None:
    found = changed(**parts).verify(LINE, [0, 1, 0])
    assert not found
    assert why.lower() in found.why.lower()


def test_a_certificate_of_floats_stays_one_of_floats() -> None:
    certificate = separability(LINE, [0, 1, 0]).certificate
    assert certificate is not None
    assert (certificate.claim, certificate.body["version"]) == ("strict", 1)
    assert certificate.verify(LINE, [0, 1, 0])
    body = json.loads(certificate.to_json())
    body["data"]["decimals"], body["version"] = True, 5
    assert not Certificate({**body, "seal": seal_of(body)}).verify(LINE, [0, 1, 0])


def test_a_near_witness_of_decimals() -> None:
    """Wide overlapping data with a column that is a sum of two others in decimals, and with numbers of 17 digits."""
    rng = np.random.default_rng(0)
    tenths = rng.integers(-300, 300, (220, 65))
    tenths[:, 5] = tenths[:, 0] + tenths[:, 1]
    X = tenths / 10  # a quotient of floats is the float nearest to the decimal
    X[:, 7] = rng.normal(size=220)
    y = rng.integers(0, 2, 220)
    verdict = separability(X, y, decimals=True)
    assert (verdict.kind, verdict.witness_is_rounded) == ("overlap", True)
    certificate = verdict.certificate
    assert certificate is not None
    assert certificate.body["near_witness"]["relations"][0]["columns"][0] in (0, 1, 5)
    assert certificate.verify(X, y)
    body = json.loads(certificate.to_json())
    del body["data"]["decimals"]
    body["version"] = 2
    found = Certificate({**body, "seal": seal_of(body)}).verify(X, y)
    assert "no such combination of other columns" in found.why


def test_streams_have_floats(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,kind\n0.1,0\n0.2,1\n")
    with pytest.raises(ParameterError, match="decimals=True"):
        separability(Stream(path), decimals=True)

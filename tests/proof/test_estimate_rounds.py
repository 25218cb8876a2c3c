"""Estimates by rounds over rows in chunks: the statuses of an exact oracle, and proofs that verify."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Estimates, estimates
from rosenblatt.base.deadline import OutOfTime, afford
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.regression.outcomes import read_outcomes
from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers, block_counts
from rosenblatt.certificate.regression.recession_rows import ModelForm
from rosenblatt.certificate.spans import factor_rows
from rosenblatt.proof.regression import estimate_rounds
from rosenblatt.proof.regression.estimate_rounds import ConeTest, Found, estimates_by_rounds
from rosenblatt.proof.regression.estimates import MODELS as NAMES
from rosenblatt.proof.regression.estimates import form_of_model, names_of
from rosenblatt.proof.rounds.decide_rounds import ChosenRows
from tests.proof.test_fixed_effects import drawn, dummies, pairs
from tests.support.effort import by_day
from tests.support.estimates_oracle import MODELS, Regression, draw, truth

SEEDS = by_day(dict.fromkeys(MODELS, 30) | {"multinomial": 20, "softmax": 15}, dict.fromkeys(MODELS, 1000))


class Chunks:
    """Rows in chunks, as a stream has them."""

    def __init__(self, X: Any, codes: Any, form: ModelForm, size: int) -> None:
        self.X, self.codes, self.form, self.size = X, codes, form, size
        self.n, self.d = X.shape
        self.names: list[str] | None = None
        self.tests = 0

    @property
    def absent(self) -> Any:
        return np.flatnonzero(~self.form.outcomes(self.codes).is_present)

    def first(self, many: int) -> ChosenRows:
        outcomes = range(len(self.form.labels) + 1)
        few = np.sort(np.concatenate([np.flatnonzero(self.codes == c)[:many] for c in outcomes]))
        return ChosenRows(self.X[few], self.codes[few], few)

    def test(self, test: ConeTest, words: str, deadline: float) -> Iterator[Found]:
        assert words.startswith("all rows are tested against the")
        self.tests += 1
        for start in range(0, self.n, self.size):
            afford(0.0, deadline)
            inside = slice(start, start + self.size)
            yield test.look_at(start, self.X[inside], self.codes[inside])

    def numbers_of(self, rows: Any) -> RecessionNumbers:
        counts = block_counts(self.codes, self.form)
        return RecessionNumbers.of_part(counts, np.array([0, counts[0].sum()])).take(rows)

    def digest(self) -> str:
        return Table(self.X, {}).digest(self.codes)


def by_rounds(asked: Regression, size: int = 3, *, sparse: bool = False) -> tuple[Estimates, Chunks]:
    """The answer for a regression in chunks of so many rows."""
    options = {"intercept": True, "reference": None, **asked.options}
    weights, trials = options.pop("sample_weight", None), options.pop("trials", None)
    X = np.array(asked.X, dtype=np.float64)
    outcomes = read_outcomes(np.array(asked.y), len(X), model=NAMES[asked.model], trials=trials, sample_weight=weights)
    form = form_of_model(asked.model, outcomes.labels, **options)
    rows = Chunks(scipy.sparse.csr_array(X) if sparse else X, outcomes.codes, form, size)
    return estimates_by_rounds(rows, form, names_of(form, None, rows.d), math.inf), rows


@pytest.fixture
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are chosen at first, and few join in a round."""
    for name, value in (("FIRST_ROWS", 1), ("MIN_NEW_ROWS", 1), ("ROWS_PER_COEFFICIENT", 0)):
        monkeypatch.setattr(estimate_rounds, name, value)


@pytest.mark.usefixtures("small_rounds")
@pytest.mark.parametrize("model", MODELS)
def test_every_status_is_that_of_the_oracle(model: str) -> None:
    rounds = Counter[int]()
    for seed in range(SEEDS[model]):
        asked = draw(model, seed)
        if not asked.is_of_floats:
            continue
        (found, rows), known = by_rounds(asked, 1 + seed % 5, sparse=seed % 3 == 0), truth(asked)
        told = (found.statuses, found.kind, found.separated_rows.tolist())
        assert told == (known.statuses, known.kind, known.separated), (model, seed)
        assert found.certificate is not None
        assert found.certificate.verify(asked.X, asked.y, **asked.checked_with), (model, seed)
        memory = estimates(asked.X, asked.y, model=asked.model, **asked.options)  # type: ignore[arg-type]
        assert found.kept_rows.tolist() == memory.kept_rows.tolist()
        again, _ = by_rounds(asked, len(asked.X), sparse=seed % 3 == 0)
        assert again.certificate == found.certificate
        rounds[rows.tests] += 1
    assert max(rounds) > 2
    assert sum(rounds.values()) > SEEDS[model] // 2


@pytest.mark.usefixtures("small_rounds")
def test_fixed_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are taken for graphs, too; a test of a part finds other factors than the cone of the chosen rows."""
    monkeypatch.setattr(factor_rows, "MIN_COLUMNS", 0)
    monkeypatch.setattr(factor_rows, "MAX_SHARE", 1.0)
    for seed in range(by_day(40, 3000)):
        asked = pairs(drawn(seed))
        (found, _), known = by_rounds(asked, 1 + seed % 5, sparse=True), truth(asked)
        assert (found.statuses, found.kind, found.separated_rows.tolist()) == known, seed
        assert found.certificate is not None
        assert found.certificate.verify(asked.X, np.array(asked.y)), seed


@pytest.mark.parametrize("is_sorted", [False, True])
def test_wide_factors_take_few_rounds(is_sorted: bool) -> None:
    """Two factors of 500 and 50 levels, some of which have one outcome."""
    rng = np.random.default_rng(0)
    a, b, y = rng.integers(0, 500, 20_000), rng.integers(0, 50, 20_000), rng.integers(0, 2, 20_000)
    a = np.sort(a) if is_sorted else a
    y[a == 7], y[b == 3] = 0, 1
    X = scipy.sparse.csr_array(scipy.sparse.hstack([dummies(a, 500), dummies(b, 50)]))
    form = form_of_model("logit", [0, 1], intercept=True, reference=None)
    rows = Chunks(X, y, form, 4096)
    found = estimates_by_rounds(rows, form, names_of(form, None, rows.d), math.inf)
    assert {name: status for name, status in found.status.items() if status != "finite"} == {
        "x7": "-inf",
        f"x{499 + 3}": "+inf",
    }
    assert found.separated_rows.tolist() == np.flatnonzero((a == 7) | (b == 3)).tolist()
    assert rows.tests <= 6
    assert found.certificate is not None
    assert found.certificate.verify(X, y)


def test_the_time_is_over() -> None:
    form = form_of_model("logit", [0, 1], intercept=True, reference=None)
    rows = Chunks(np.eye(4), np.array([0, 1, 3, 0]), form, 2)
    found = estimates_by_rounds(rows, form, names_of(form, None, 4), -math.inf)
    assert (found.kind, set(found.statuses), found.certificate) == ("undecided", {"undecided"}, None)
    assert (found.separated_rows.tolist(), found.kept_rows.tolist()) == ([], [0, 1, 3])
    with pytest.raises(OutOfTime):
        afford(0.0, -math.inf)

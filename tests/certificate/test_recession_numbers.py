"""The numbers of recession rows of parts, against `recession_rows` of all rows."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers, block_counts, part_starts
from rosenblatt.certificate.regression.recession_rows import ModelForm, Recession, recession_rows
from tests.support.effort import by_day

FORMS = [
    ModelForm("logit", 1.0, None, ["no", "yes"]),
    ModelForm("poisson", 0.0, None, [0, "positive"]),
    ModelForm("multinomial", 1.0, None, ["a", "b", "c"]),
    ModelForm("multinomial", 1.0, 1, ["a", "b", "c", "d"]),
    ModelForm("ordinal", 0.0, None, ["low", "mid", "high"]),
]


def drawn(form: ModelForm, seed: int) -> tuple[Any, Any]:
    """Rows that all differ, and their codes; some rows are absent, some have both outcomes."""
    rng = np.random.default_rng([seed, FORMS.index(form)])
    n, k = int(rng.integers(1, 30)), len(form.labels)
    possible = [*range(k), *[k] * (form.model == "logit"), *[k + 1] * int(rng.integers(3))]
    return np.arange(1.0, 2 * n + 1).reshape(n, 2), rng.choice(possible, n)


def rows_of(form: ModelForm, X: Any, codes: Any) -> Recession:
    return recession_rows(Table(X, {}), codes, form)


@pytest.mark.parametrize("form", FORMS, ids=[f"{form.model}-{form.reference}" for form in FORMS])
def test_the_numbers_are_those_of_all_rows(form: ModelForm) -> None:
    for seed in range(by_day(60, 2000)):
        X, codes = drawn(form, seed)
        whole, rng = rows_of(form, X, codes), np.random.default_rng(seed)
        cuts = [0, *np.sort(rng.integers(0, len(X) + 1, 3)).tolist(), len(X)]
        parts = [slice(start, end) for start, end in pairwise(cuts)]
        counts = [block_counts(codes[part], form) for part in parts]
        starts = part_starts([own.sum(axis=1) for own in counts])
        seen = []
        for part, own, start in zip(parts, counts, starts, strict=True):
            numbers, rows = RecessionNumbers.of_part(own, start), rows_of(form, X[part], codes[part])
            every = numbers.every()
            assert (whole.numbers[every] == rows.numbers + part.start).all()
            assert [whole.signed.row(i) for i in every.tolist()] == [rows.signed.row(t) for t in range(rows.signed.n)]
            some = np.flatnonzero(rng.random(len(own[0])) < 0.5)
            few = rows_of(form, X[part][some], codes[part][some])
            assert (whole.numbers[numbers.take(some).every()] == some[few.numbers] + part.start).all()
            wanted = rng.permutation(whole.signed.n)[:4]
            inside = np.unique(whole.numbers[np.intersect1d(wanted, every)])
            assert (numbers.rows_with(wanted) + part.start).tolist() == inside.tolist()
            seen += every.tolist()
        assert sorted(seen) == list(range(whole.signed.n))


def test_parts_are_joined() -> None:
    form, codes = FORMS[0], np.array([0, 1, 2, 3, 0])
    counts = [block_counts(own, form) for own in (codes[:2], codes[2:])]
    starts = part_starts([own.sum(axis=1) for own in counts])
    parts = [RecessionNumbers.of_part(own, start) for own, start in zip(counts, starts, strict=True)]
    assert RecessionNumbers.joined(parts).every().tolist() == [0, 1, 2, 3, 4]
    assert [part.every().tolist() for part in parts] == [[0, 1], [2, 3, 4]]  # row 2 has the numbers 2 and 4

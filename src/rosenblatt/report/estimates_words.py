"""Infinite estimates in words: the answer in one sentence, a table, the rows to look at, and what to do."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.words import count_of, listed
from rosenblatt.certificate.status_words import text_of_name
from rosenblatt.proof.estimates import Estimates

MAX_NAMES = 6  # of coefficients in a sentence
MAX_VALUES = 2  # with more different values, a column of numbers is not looked at value by value
MAX_CELLS = 8  # sentences about cells
WORDS = {
    "finite": "finite",
    "+inf": "+inf",
    "-inf": "-inf",
    "undetermined": "infinite, sign undetermined",
    "not_estimable": "not estimable",
    "undecided": "undecided",
}


class Factor(Protocol):
    """A column of the data."""

    @property
    def name(self) -> str: ...
    @property
    def values(self) -> NDArray[Any]: ...
    @property
    def design(self) -> list[str]: ...


def headline(found: Estimates) -> str:
    """The answer in one sentence; its first word is the kind of separation."""
    if found.kind == "undecided":
        return "undecided - the time ran out before a proof was found."
    infinite = [
        text_of_name(name) for name, status in found.status.items() if status in ("+inf", "-inf", "undetermined")
    ]
    lost = sum(status == "not_estimable" for status in found.statuses)
    more = f" {count_of(lost, 'coefficient')} {'is' if lost == 1 else 'are'} not estimable." if lost else ""
    if not infinite:
        return f"{found.kind} - no estimate of this {found.model} regression is infinite. Proved.{more}"
    which = ", ".join(infinite[:MAX_NAMES]) + ", ..." * (len(infinite) > MAX_NAMES)
    return (
        f"{found.kind} - {len(infinite):,} of {len(found.names):,} estimates of this {found.model} regression "
        f"{'is' if len(infinite) == 1 else 'are'} infinite: {which}. {len(found.separated_rows):,} of {found.n:,} rows "
        f"{'is' if len(found.separated_rows) == 1 else 'are'} separated. Proved.{more}"
    )


def table(found: Estimates) -> list[str]:
    """A line for each coefficient."""
    names = [text_of_name(name) for name in found.names]
    width = max(len("coefficient"), *map(len, names))
    lines = [f"{name:{width}}  {WORDS[status]}" for name, status in zip(names, found.statuses, strict=True)]
    return [f"{'coefficient':{width}}  estimate", *lines]


def cells(
    found: Estimates, factors: Sequence[Factor], outcomes: Sequence[str], causes: set[str] | None = None
) -> list[str]:
    """Sentences about values of columns that occur with one outcome only, and have an infinite coefficient.

    Parameters
    ----------
    found : the statuses
    factors : the columns of the data
    outcomes : what was observed of each row, in words that follow "have"; an empty text if the row does not count
    causes : the outcomes that can be separated; all if None
    """
    causes = set(outcomes) if causes is None else causes
    infinite = {name for name, status in found.status.items() if status not in ("finite", "not_estimable")}
    plain = {name if isinstance(name, str) else name[1] for name in infinite}
    told, sentences = np.array(outcomes, dtype=object), []
    is_mixed = len({word for word in outcomes if word}) > 1
    for factor in factors:
        if not plain.intersection(factor.design):
            continue
        rows_of: dict[Any, list[int]] = {}
        for i, (value, word) in enumerate(zip(factor.values.tolist(), outcomes, strict=True)):
            if word:
                rows_of.setdefault(value, []).append(i)
        if len(rows_of) > MAX_VALUES and factor.values.dtype != object:
            sentences += _threshold(factor, told)
            continue
        for value, rows in rows_of.items():
            seen = {outcomes[i] for i in rows}
            if len(seen) == 1 and seen <= causes and is_mixed:
                which = f"{factor.name} = {value:g}" if isinstance(value, float) else f"{factor.name} = {value!r}"
                every = f"all {len(rows):,} rows with {which} have" if len(rows) > 1 else f"the row with {which} has"
                sentences.append(f"{every} {seen.pop()} ({listed(rows)})")
    return sentences


def _threshold(factor: Factor, told: NDArray[Any]) -> list[str]:
    """A sentence if a threshold of a column of numbers separates two outcomes."""
    words = sorted({word for word in told.tolist() if word})
    if len(words) != 2 or factor.values.dtype == object:
        return []
    low, high = sorted(words, key=lambda word: float(factor.values[told == word].max()))
    end, start = factor.values[told == low].max(), factor.values[told == high].min()
    if not end < start:
        return []
    return [
        f"{factor.name} alone separates the outcomes: rows up to {end:g} have {low}, rows from {start:g} have {high}"
    ]


def advice(found: Estimates) -> str:
    """What to do."""
    if found.kind == "undecided":
        return "Give more time with --time-limit, or leave it out: without it the search always ends."
    parts = []
    if "not_estimable" in found.statuses:
        parts.append(
            "Coefficients that are not estimable belong to columns that depend on others: leave out one column of each "
            "dependence."
        )
    if found.kind == "none":
        which = "The other" if parts else "All"
        parts.append(
            f"{which} estimates are finite. A fit that does not converge has another reason, such as columns "
            "of very different scales."
        )
    else:
        parts.append(
            "Merge values that occur with one outcome only with others, or drop their columns; or penalise: Firth's "
            "method (firthmodels in Python, logistf in R) or a prior gives finite estimates. Do not report the numbers "
            "and standard errors that a fit prints for infinite estimates."
        )
        if found.kind == "quasi" and "finite" in found.statuses and found.model in ("logit", "poisson"):
            parts.append(
                "The finite estimates are those of the same regression without the separated rows, "
                f"{len(found.kept_rows):,} of {found.n:,}; leave out columns that depend on others there."
            )
    return " ".join(parts)

"""Infinite estimates in words: the answer in one sentence, a table, the rows to look at, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.words import count_of, listed
from rosenblatt.certificate.regression.status_words import text_of_name
from rosenblatt.proof.regression.result import Estimates

MAX_NAMES = 6  # of coefficients in a sentence
MAX_VALUES = 2  # with more different values, a column of numbers is not looked at value by value
MAX_CELLS = 8  # sentences about cells
MAX_LINES = 100  # coefficients in a table
WORDS = {
    "finite": "finite",
    "+inf": "+inf",
    "-inf": "-inf",
    "undetermined": "infinite, sign undetermined",
    "not_estimable": "not estimable",
    "undecided": "undecided",
}


class Cell(NamedTuple):
    """A sentence about a value of a column that occurs with one outcome only, or about its threshold.

    Attributes
    ----------
    column : the name of the column
    value : the value; None if there is a threshold
    sentence : the sentence, without its full stop
    """

    column: str
    value: Any
    sentence: str


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
    count = len(found.separated_rows)
    rows = f" {count:,} of {found.n:,} rows {'is' if count == 1 else 'are'} separated." if count else ""
    if not infinite:
        return f"{found.kind} - no estimate of this {found.model} regression is infinite.{rows} Proved.{more}"
    which = ", ".join(infinite[:MAX_NAMES]) + ", ..." * (len(infinite) > MAX_NAMES)
    return (
        f"{found.kind} - {len(infinite):,} of {len(found.names):,} estimates of this {found.model} regression "
        f"{'is' if len(infinite) == 1 else 'are'} infinite: {which}.{rows} Proved.{more}"
    )


def table(found: Estimates, signs: Mapping[Any, str] | None = None, limit: int = MAX_LINES) -> list[str]:
    """A line for each coefficient. If there are too many, those that are not finite come first.

    Parameters
    ----------
    found : the statuses
    signs : the signs of coefficients at the largest margin; they are told if the status leaves them open
    limit : the most coefficients in the table
    """
    told = list(found.status.items())
    if len(told) > limit:
        told = sorted(told, key=lambda one: one[1] == "finite")
    names = [text_of_name(name) for name, _ in told[:limit]]
    width = max(len("coefficient"), *map(len, names))
    lines = [f"{'coefficient':{width}}  estimate"]
    for text, (name, status) in zip(names, told, strict=False):
        sign = (signs or {}).get(name) if status == "undetermined" else None
        lines.append(f"{text:{width}}  {WORDS[status]}{f' ({sign} at the largest margin)' if sign else ''}")
    rest = [status for _, status in told[limit:]]
    if rest:
        finite = "all" if rest.count("finite") == len(rest) else f"{rest.count('finite'):,} of them"
        lines.append(f"and {len(rest):,} more, {finite} finite")
    return lines


def cells(
    found: Estimates, factors: Sequence[Factor], outcomes: Sequence[str], causes: set[str] | None = None
) -> list[Cell]:
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
    told, sentences = np.array(outcomes, dtype=object), list[Cell]()
    is_mixed = len({word for word in outcomes if word}) > 1
    for factor in factors:
        if not plain.intersection(factor.design):
            continue
        rows_of: dict[Any, list[int]] = {}
        for i, (value, word) in enumerate(zip(factor.values.tolist(), outcomes, strict=True)):
            if word:
                rows_of.setdefault(value, []).append(i)
        if len(rows_of) > MAX_VALUES and factor.values.dtype != object:
            sentences += [Cell(factor.name, None, sentence) for sentence in _threshold(factor, told)]
            continue
        for value, rows in rows_of.items():
            seen = {outcomes[i] for i in rows}
            if len(seen) == 1 and seen <= causes and is_mixed:
                which = f"{factor.name} = {value:g}" if isinstance(value, float) else f"{factor.name} = {value!r}"
                every = f"all {len(rows):,} rows with {which} have" if len(rows) > 1 else f"the row with {which} has"
                sentences.append(Cell(factor.name, value, f"{every} {seen.pop()} ({listed(rows)})"))
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
            "Do not report the numbers and standard errors that a fit prints for infinite estimates. Leave out "
            "what separates, or merge a level that has one outcome only with another one; or penalise: Firth's method "
            "or a prior gives finite estimates."
        )
        if found.kind == "quasi" and "finite" in found.statuses and found.model in ("logit", "poisson"):
            parts.append(
                f"The finite estimates are those of the same regression on the {len(found.kept_rows):,} rows that are "
                "not separated, without columns that depend on others there."
            )
    return " ".join(parts)

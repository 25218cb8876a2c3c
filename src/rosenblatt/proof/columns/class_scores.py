"""Few columns that separate several classes: a score for each class, and the highest one tells the class."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import whole
from rosenblatt.certificate.check_claims import view
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.regression.recession_rows import ModelForm, Outcomes, Recession
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.data.matrices import dense
from rosenblatt.proof.columns.column_sets import Places, column_of
from rosenblatt.proof.columns.short_equation import DIGITS, MAX_SMALL, is_rounded, sum_text
from rosenblatt.proof.decide import Labelled

MAX_SHOWN_CLASSES = 6  # whose scores are in a sentence
MAX_SHOWN_COLUMNS = 12  # of a set, in a sentence


class ClassScore(NamedTuple):
    """The score of a class: a weighted sum of columns, and a constant.

    Attributes
    ----------
    label : the class
    weights : exact numbers, one for each column
    constant : an exact number
    """

    label: Any
    weights: list[Fraction]
    constant: Fraction


@dataclass(frozen=True)
class ClassRows:
    """The rows of several classes, and the signed rows that are made of them.

    Attributes
    ----------
    table : the rows of the data that count
    codes : the class of each row
    labels : the classes
    signed : the signed rows: Kessler's, or those of an ordinal model
    numbers : the row of the table that each signed row comes from
    constant : the constant at the end of each row, or 0
    reference : the class without weights, or None
    is_ordinal : do the classes share their weights, and differ by thresholds?
    """

    table: Table
    codes: NDArray[Any]
    labels: list[Any]
    signed: Signed
    numbers: NDArray[Any]
    constant: float
    reference: int | None = None
    is_ordinal: bool = False

    @classmethod
    def of_classes(cls, given: Labelled, constant: float) -> "ClassRows":
        """The rows of the question whether all classes separate."""
        seen = view(given.table, given.codes, range(len(given.labels)), constant)
        return cls(given.table, given.codes, given.labels, seen.signed, seen.numbers, constant)

    @classmethod
    def of_model(cls, table: Table, outcomes: Outcomes, rows: Recession, form: ModelForm) -> "ClassRows":
        """The rows of a multinomial or ordinal regression."""
        here = np.flatnonzero(outcomes.is_present)
        numbers = np.searchsorted(here, rows.numbers)
        codes = outcomes.codes[here]
        kind = form.constant, form.reference, form.model == "ordinal"
        return cls(table.take(here), codes, outcomes.labels, rows.signed, numbers, *kind)

    @property
    def _starts(self) -> list[int | None]:
        """Where the weights of each class begin; None for the reference class."""
        width, places = self.table.d + bool(self.constant), itertools.count()
        return [None if c == self.reference else next(places) * width for c in range(len(self.labels))]

    def places(self) -> Places:
        """Where the weights of each column are."""
        d = self.table.d
        if self.is_ordinal:
            columns, free = [[j] for j in range(d)], list(range(d, self.signed.width))
        else:
            starts = [start for start in self._starts if start is not None]
            columns = [[start + j for start in starts] for j in range(d)]
            free = [start + d for start in starts] if self.constant else []
        return Places(columns, free, self.numbers, self._columns_apart())

    def _columns_apart(self) -> list[int] | None:
        """The columns in which the numbers of the classes do not overlap; None if they may separate anyway.

        With a constant, the class of the highest score changes at most once from one class to the next along a column.
        """
        if not (self.constant or self.is_ordinal):
            return None
        parts = [self.table.floats[self.codes == c] for c in range(len(self.labels))]
        low, top = (np.array([np.ravel(dense(getattr(part, end)(axis=0))) for part in parts]) for end in ("min", "max"))
        order = np.argsort(low, axis=0, kind="stable")
        low, top = np.take_along_axis(low, order, 0), np.take_along_axis(top, order, 0)
        # Numbers that differ may have one float, so columns that touch are kept.
        return [int(j) for j in np.flatnonzero((top[:-1] <= low[1:]).all(axis=0))]

    def short(self, w: Sequence[int], separates: Callable[[Sequence[int]], bool]) -> list[Fraction]:
        """Weights with few digits that separate, or these."""
        own = self._without_common_part(w)
        largest = max((abs(own[t]) for places in self.places().columns for t in places), default=Fraction(0))
        if not largest:
            return own
        exact = [number / largest for number in own]
        return next((weights for weights in _shorter(own, exact) if separates(whole(weights))), exact)

    def _without_common_part(self, w: Sequence[int]) -> list[Fraction]:
        """The weights minus those of the last class, if all classes have weights."""
        if self.is_ordinal or self.reference is not None:
            return [Fraction(number) for number in w]
        width = len(w) // len(self.labels)
        return [Fraction(number - w[len(w) - width + t % width]) for t, number in enumerate(w)]

    def scores(self, weights: Sequence[Fraction], columns: Sequence[int]) -> list[ClassScore]:
        """The score of each class in these columns.

        In an ordinal model the score of class c is c times the weighted sum, minus the thresholds below the class.
        """
        d = self.table.d
        if self.is_ordinal:
            own, ends = [weights[j] for j in columns], [Fraction(0), *weights[d:]]
            return [
                ClassScore(label, [c * weight for weight in own], -sum(ends[: c + 1], Fraction(0)))
                for c, label in enumerate(self.labels)
            ]
        scores = []
        for label, start in zip(self.labels, self._starts, strict=True):
            if start is None:
                scores.append(ClassScore(label, [Fraction(0)] * len(columns), Fraction(0)))
                continue
            constant = weights[start + d] * Fraction(self.constant) if self.constant else Fraction(0)
            scores.append(ClassScore(label, [weights[start + j] for j in columns], constant))
        return scores

    def text(
        self,
        weights: Sequence[Fraction],
        columns: Sequence[int],
        names: Sequence[str],
        sides: Sequence[str],
        strictly: bool,
    ) -> str:
        """What the columns tell, in words: the ranges of the classes, or the scores."""
        own = [names[j] for j in columns]
        if self.is_ordinal:
            slopes = [weights[j] for j in columns]
            values = np.sum(
                [float(slope) * column_of(self.table, j) for slope, j in zip(slopes, columns, strict=True)], 0
            )
            return f"{sum_text(own, slopes)}: {self._ranges(values, sides)}" + " (rounded)" * is_rounded(slopes)
        if strictly and len(columns) == 1 and self.constant:
            return f"{own[0]}: {self._ranges(column_of(self.table, columns[0]), sides)}"
        if len(self.labels) > MAX_SHOWN_CLASSES or len(columns) > MAX_SHOWN_COLUMNS:
            more = [f"and {len(own) - MAX_SHOWN_COLUMNS:,} more"] * (len(own) > MAX_SHOWN_COLUMNS)
            return f"scores in {', '.join([*own[:MAX_SHOWN_COLUMNS], *more])}"
        scores = self.scores(weights, columns)
        texts = [
            f"{side}: {sum_text(own, score.weights, score.constant)}" for side, score in zip(sides, scores, strict=True)
        ]
        rounded = is_rounded(number for score in scores for number in (*score.weights, score.constant))
        return f"scores {', '.join(texts)}" + " (rounded)" * rounded

    def _ranges(self, values: NDArray[Any], sides: Sequence[str]) -> str:
        """The smallest and the largest value of each class, in the order of the values."""
        found = sorted(
            (values[self.codes == c].min(), values[self.codes == c].max(), side) for c, side in enumerate(sides)
        )
        return ", ".join(range_texts(found))


def range_texts(found: Sequence[tuple[float, float, str]]) -> Iterator[str]:
    """Ranges with the words for them: the first has no lower end, and the last no upper one."""
    for t, (low, top, side) in enumerate(found):
        if low == top:
            yield f"at {low:.12g} {side}"
        elif t == 0:
            yield f"up to {top:.12g} {side}"
        elif t == len(found) - 1:
            yield f"from {low:.12g} {side}"
        else:
            yield f"{low:.12g} to {top:.12g} {side}"


def _shorter(own: list[Fraction], exact: list[Fraction]) -> Iterator[list[Fraction]]:
    """Weights with few digits, the shortest first."""
    if max(map(abs, own)) <= MAX_SMALL:
        yield own
    for digits in DIGITS:
        decimals = (Decimal(weight.numerator) / Decimal(weight.denominator) for weight in exact)
        yield [Fraction(f"{decimal:.{digits}g}") for decimal in decimals]

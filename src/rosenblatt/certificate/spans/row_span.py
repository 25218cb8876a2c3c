"""The linear combinations of some recession rows, exactly: by elimination, or by the graph of fixed effects."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from numpy.typing import NDArray

from rosenblatt.certificate.signed_rows import Signed, outside_span
from rosenblatt.certificate.spans.factor_rows import FactorRows, FactorSpan


class Span(Protocol):
    """The linear combinations of some rows."""

    def outside(self, candidates: NDArray[Any]) -> NDArray[Any]:
        """The candidates that are not linear combinations."""
        ...

    def contains(self, functional: Mapping[int, Fraction | int]) -> bool:
        """Is a linear functional, given by its factors of coefficients, a linear combination?"""
        ...

    def columns(self) -> list[bool]:
        """For each coefficient: is it a linear combination?"""
        ...


def span_of(signed: Signed, rows: Sequence[int], factors: FactorRows | None) -> Span:
    """The linear combinations of these rows. `factors` are the signed rows as a graph, if they are one."""
    return EliminatedSpan(signed, rows) if factors is None else FactorSpan(factors, rows)


class EliminatedSpan:
    """The linear combinations of some rows, found by elimination."""

    def __init__(self, signed: Signed, rows: Sequence[int]) -> None:
        self.signed, self.rows = signed, rows

    def outside(self, candidates: NDArray[Any]) -> NDArray[Any]:
        """The candidates that are not linear combinations."""
        return outside_span(self.signed, self.rows, candidates)

    def contains(self, functional: Mapping[int, Fraction | int]) -> bool:
        """Is a linear functional, given by its factors of coefficients, a linear combination?"""
        place = {j: t for t, j in enumerate(self._given.columns)}
        there = {j: factor for j, factor in functional.items() if factor}
        if not there or not place.keys() >= there.keys():
            return not there
        null, count = self._null
        factors = [(place[j], factor * self._given.units[place[j]]) for j, factor in there.items()]
        return not any(sum(factor * int(null[k, t]) for k, factor in factors) for t in range(count))

    def columns(self) -> list[bool]:
        """For each coefficient: is it a linear combination?"""
        there = set(self._given.columns)
        if not self._null[1]:
            return [j in there for j in range(self.signed.width)]
        return [self.contains({j: Fraction(1)}) for j in range(self.signed.width)]

    @cached_property
    def _given(self) -> Any:
        return self.signed.whole(self.rows)

    @cached_property
    def _null(self) -> tuple[Any, int]:
        """Vectors that all rows are orthogonal to, and their number."""
        full = self._given.rank(math.inf) == len(self._given.columns)
        return (None, 0) if full else self._given.matrix.nullspace()

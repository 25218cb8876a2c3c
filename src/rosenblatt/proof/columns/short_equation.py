"""The equation of a hyperplane in few columns, with numbers of few digits that still separate the rows."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.exact import whole
from rosenblatt.certificate.signed_rows import Signed

DIGITS = (1, 2, 3, 4, 6, 9, 12, 17)  # significant digits that are tried
MAX_SMALL = 999  # whole numbers up to this are not rounded
SHOWN_DIGITS = 6  # of numbers that need many
ZERO = Fraction(0)


class Equation(NamedTuple):
    """The rows of the sign 1 have weights.x > threshold, the others <; or = if the separation is weak."""

    columns: list[int]
    weights: list[Fraction]
    threshold: Fraction
    numbers: list[int]  # the weights of all columns and of the constant, as whole numbers

    def left_side(self, names: Sequence[str]) -> str:
        """The sum of the columns with their weights, such as "0.5 age + 2 dose"."""
        return sum_text([names[j] for j in self.columns], self.weights)

    @property
    def is_rounded(self) -> bool:
        """Does the text round a number?"""
        return is_rounded((*self.weights, self.threshold))


def sum_text(names: Sequence[str], weights: Sequence[Fraction], constant: Fraction = ZERO) -> str:
    """A sum of columns with their weights, and a constant.

    >>> sum_text(["age", "dose"], [Fraction(1, 2), Fraction(-1)], Fraction(3)), sum_text(["age"], [Fraction(0)])
    ('0.5 age - dose + 3', '0')
    """
    terms = [(weight, name) for name, weight in zip(names, weights, strict=True) if weight]
    texts = [
        f"{'-' if weight < 0 else '+'} {'' if abs(weight) == 1 else number_text(abs(weight)) + ' '}{name}"
        for weight, name in terms
    ]
    if constant:
        texts.append(f"{'-' if constant < 0 else '+'} {number_text(abs(constant))}")
    text = " ".join(texts).removeprefix("+ ")
    return (f"-{text[2:]}" if text.startswith("- ") else text) or "0"


def is_rounded(numbers: Iterable[Fraction]) -> bool:
    """Does `number_text` round one of these numbers?"""
    return any(Fraction(number_text(number)) != number for number in numbers)


def number_text(number: Fraction) -> str:
    """A number as a decimal: with all its digits if there are few, else rounded.

    >>> number_text(Fraction(1, 10)), number_text(Fraction(-2, 3)), number_text(Fraction(10**400, 7))
    ('0.1', '-0.666667', '1.42857e+399')
    """
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    texts = [f"{exact:.{digits}g}" for digits in (12, 17)]
    return next((text for text in texts if Fraction(text) == number), f"{exact:.{SHOWN_DIGITS}g}")


def short_equation(
    signed: Signed,
    w: Sequence[int],
    columns: Sequence[int],
    bias: int | None,
    separates: Callable[[Sequence[int]], bool],
) -> Equation:
    """Find an equation with few digits that separates, or the exact one.

    Parameters
    ----------
    signed : the rows
    w : a hyperplane in these columns that separates
    columns : its columns, at least one
    bias : the place of the bias in w; None if there is none
    separates : whether weights separate the rows, exactly
    """
    constant = Fraction(signed.constant or 1.0)
    largest = max(abs(w[j]) for j in columns)
    own = [Fraction(w[j], largest) for j in columns]
    exact = -Fraction(w[bias], largest) * constant if bias is not None else Fraction(0)
    X = signed.table.floats[:, list(columns)]
    for weights in _short_weights([w[j] for j in columns], own):
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.ravel(X @ np.array([float(weight) for weight in weights]))
        thresholds = [Fraction(0)] if bias is None else [*_in_gap(scores, signed.y), exact]
        for threshold in thresholds:
            full = [Fraction(0)] * len(w)
            for j, weight in zip(columns, weights, strict=True):
                full[j] = weight
            if bias is not None:
                full[bias] = -threshold / constant
            numbers = whole(full)
            if separates(numbers):
                return Equation(list(columns), weights, threshold, numbers)
    return Equation(list(columns), own, exact, list(w))


def _short_weights(numbers: Sequence[int], own: list[Fraction]) -> Iterator[list[Fraction]]:
    """Weights with few digits, the shortest first."""
    if len(own) > 1 and max(map(abs, numbers)) <= MAX_SMALL:
        yield [Fraction(number) for number in numbers]
    for digits in DIGITS:
        rounded = [Fraction(f"{float(weight):.{digits}g}") for weight in own]
        if all(rounded):
            yield rounded


def _in_gap(scores: NDArray[np.float64], y: NDArray[np.int8]) -> Iterator[Fraction]:
    """The shortest decimal between the scores of both signs, if they are apart or touch."""
    above, below = float(scores[y > 0].min(initial=math.inf)), float(scores[y < 0].max(initial=-math.inf))
    if not (math.isfinite(above) and math.isfinite(below) and below <= above):
        return
    middle = below / 2 + above / 2
    for digits in DIGITS:
        number = Fraction(f"{middle:.{digits}g}")
        if below < number < above or below == number == above:
            yield number
            return

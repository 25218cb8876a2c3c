"""The decimal that a float stands for: the shortest one that rounds to it, which is also what Python prints.

A text file has decimals, but 0.1 is not a float: the nearest float is larger than 1/10. The text can be found again. A
decimal of at most 15 significant digits is the only one of so few digits that rounds to its float (IEEE 754; the
constant DBL_DIG of C). Programs that write all digits of a float, such as Python and pandas, write the shortest
decimal that rounds to it. So in both cases the decimal of the text is the shortest one. A float that is a whole number
stands for itself.
"""

import numpy as np
from numpy.typing import NDArray

MAX_PLACES = 22  # a larger power of ten is not a float
MAX_NUMBER = 10**15  # whole numbers up to here, divided by a power of ten, have at most 15 significant digits
BITS, MAX_HALVED = 10, 2.0**16  # a fraction of 2^10 below 2^16 has at most 15 digits, so it is its own decimal
SAMPLE = 8  # numbers of a column whose places are looked at first
Floats = NDArray[np.float64]


def decimal_ratio(x: float) -> tuple[int, int]:
    """The shortest decimal that rounds to x, as a whole number and the power of ten that divides it."""
    if x.is_integer():
        return int(x), 1
    digits, _, exponent = repr(x).partition("e")
    head, _, tail = digits.partition(".")
    return int(head + tail), int(10 ** (len(tail) - int(exponent or 0)))


def differ_from_decimals(numbers: Floats) -> bool:
    """Is some float of them not equal to its decimal?  Of floats with many digits, this may be said without need."""
    with np.errstate(over="ignore"):
        halved = np.ldexp(numbers, BITS)
    own = (np.rint(numbers) == numbers) | ((np.rint(halved) == halved) & (np.abs(numbers) < MAX_HALVED))
    return not own.all()


def decimal_columns(X: Floats) -> tuple[list[int], list[int]]:
    """The decimals of dense floats row by row, those of a column times one power of ten; and its exponents.

    The number k of a column with p places stands for k / 10^p.
    """
    columns = [_column(x) for x in np.ascontiguousarray(X.T)]
    rows = zip(*(numbers for numbers, _ in columns), strict=True)
    return [number for row in rows for number in row], [places for _, places in columns]


def _column(x: Floats) -> tuple[list[int], int]:
    """The decimals of a column, times a power of ten; and its exponent."""
    first = [_places(number) for number in x[:SAMPLE].tolist()]
    for places in range(max(first, default=0), MAX_PLACES + 1):
        power = float(10**places)
        with np.errstate(over="ignore"):
            k = np.rint(x * power)
        if not (np.abs(k) <= MAX_NUMBER).all():
            break
        if (k / power == x).all():  # the quotient is the float nearest to k / 10^p
            return k.astype(np.int64).tolist(), places
    ratios = [decimal_ratio(number) for number in x.tolist()]
    unit = max((below for _, below in ratios), default=1)
    return [above * (unit // below) for above, below in ratios], len(str(unit)) - 1


def _places(x: float) -> int:
    return len(str(decimal_ratio(x)[1])) - 1

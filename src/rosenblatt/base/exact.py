"""Whole numbers for exact work: common units, text of numbers of any length, roots rounded to the safe side."""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

NUMBER = re.compile(r"-?0x[0-9a-f]+(p[0-9]{1,5})?")


def whole(numbers: Iterable[Fraction | float | int]) -> list[int]:
    """The same numbers in one unit, the largest that makes them all whole: a positive multiple of what was given."""
    ratios = [number.as_integer_ratio() for number in numbers]
    unit = math.lcm(*(below for _, below in ratios))
    scaled = [above * (unit // below) for above, below in ratios]
    common = math.gcd(*scaled)
    return [number // common for number in scaled] if common > 1 else scaled


def text_of(number: int) -> str:
    """Hexadecimal, with a power of two behind `p`: -0x5p3 is -40."""
    zeros = min((number & -number).bit_length() - 1, 99_999) if number else 0
    return hex(number >> zeros) + (f"p{zeros}" if zeros else "")


def number_of(text: object) -> int:
    """Read what `text_of` writes; ValueError if it is anything else."""
    if not isinstance(text, str) or not NUMBER.fullmatch(text):
        raise ValueError(f"{str(text)[:40]!r} is not a whole number such as '-0x5p3'")
    mantissa, _, power = text.partition("p")
    return int(mantissa, 16) << int(power or 0)


def root_below(square: Fraction) -> float:
    """The square root, or the float below it."""
    root = _root(square) if square > 0 else 0.0
    return root if math.isfinite(root) and Fraction(root) ** 2 <= square else math.nextafter(root, 0.0)


def root_above(square: Fraction) -> float:
    """The square root, or the float above it."""
    root = _root(square) if square > 0 else 0.0
    return math.nextafter(root, math.inf) if math.isfinite(root) and Fraction(root) ** 2 < square else root


def root_over(square: Fraction) -> Fraction:
    """A fraction that is at least the root, and more than it by less than one part in 2^100."""
    above, below = square.as_integer_ratio()
    shift = 2 * max(0, 110 - (above.bit_length() - below.bit_length()) // 2)
    root = math.isqrt((above << shift) // below)
    return Fraction(root + (root * root * below < above << shift), 1 << (shift // 2))


def _root(square: Fraction) -> float:
    """The square root to within one unit in the last place of a float."""
    above, below = square.as_integer_ratio()
    shift = 2 * max(0, 64 - (above.bit_length() - below.bit_length()) // 2)
    root = math.isqrt((above << shift) // below)  # at least 64 bits of it
    return float_of(root, shift // 2)


def float_of(number: int, power: int = 0) -> float:
    """number / 2^power as a float: to within one unit in its last place, cut off at the ends of the floats."""
    more = max(0, number.bit_length() - 1000)
    try:
        return math.ldexp(float(number >> more), more - power)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def floats_of(numbers: Sequence[int]) -> tuple[list[float], int]:
    """Whole numbers as floats in a unit of 2^power that keeps them in the middle of the floats, and that power."""
    sizes = [number.bit_length() for number in numbers if number]
    power = (max(sizes) + min(sizes)) // 2 if sizes else 0
    return [float_of(number, power) for number in numbers], power

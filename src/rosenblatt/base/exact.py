"""Exact numbers: common denominators, integers as text, and square roots with a known direction of rounding."""

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

NUMBER = re.compile(r"-?0x[0-9a-f]+(p[0-9]{1,5})?")


def whole(numbers: Iterable[Fraction | float | int]) -> list[int]:
    """Scale numbers by one positive factor, the smallest that makes all of them integers."""
    ratios = [number.as_integer_ratio() for number in numbers]
    unit = math.lcm(*(below for _, below in ratios))
    scaled = [above * (unit // below) for above, below in ratios]
    common = math.gcd(*scaled)
    return [number // common for number in scaled] if common > 1 else scaled


def text_of(number: int) -> str:
    """Write an integer in hexadecimal, with a power of two after `p`: -0x5p3 is -40."""
    zeros = min((number & -number).bit_length() - 1, 99_999) if number else 0
    return hex(number >> zeros) + (f"p{zeros}" if zeros else "")


def number_of(text: object) -> int:
    """Read an integer that `text_of` wrote; raise a ValueError for any other text."""
    if not isinstance(text, str) or not NUMBER.fullmatch(text):
        raise ValueError(f"{str(text)[:40]!r} is not a whole number such as '-0x5p3'")
    mantissa, _, power = text.partition("p")
    return int(mantissa, 16) << int(power or 0)


def root_below(square: Fraction) -> float:
    """Compute the square root, rounded down to a float."""
    root = _root(square) if square > 0 else 0.0
    return root if math.isfinite(root) and Fraction(root) ** 2 <= square else math.nextafter(root, 0.0)


def root_above(square: Fraction) -> float:
    """Compute the square root, rounded up to a float."""
    root = _root(square) if square > 0 else 0.0
    return math.nextafter(root, math.inf) if math.isfinite(root) and Fraction(root) ** 2 < square else root


def root_over(square: Fraction) -> Fraction:
    """Compute a fraction that is at least the square root, and larger by less than one part in 2^100."""
    above, below = square.as_integer_ratio()
    shift = 2 * max(0, 110 - (above.bit_length() - below.bit_length()) // 2)
    root = math.isqrt((above << shift) // below)
    return Fraction(root + (root * root * below < above << shift), 1 << (shift // 2))


def _root(square: Fraction) -> float:
    """Compute the square root to within one unit in the last place of a float."""
    above, below = square.as_integer_ratio()
    shift = 2 * max(0, 64 - (above.bit_length() - below.bit_length()) // 2)
    root = math.isqrt((above << shift) // below)  # the root has at least 64 bits
    return float_of(root, shift // 2)


def float_of(number: int, power: int = 0) -> float:
    """Compute number / 2^power to within one unit in the last place; infinite if it is too large for a float."""
    more = max(0, number.bit_length() - 1000)
    try:
        return math.ldexp(float(number >> more), more - power)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def floats_of(numbers: Sequence[int]) -> tuple[list[float], int]:
    """Convert integers to floats in units of 2^power, and give that power.

    The power is chosen so that the numbers are far from overflow and underflow.
    """
    sizes = [number.bit_length() for number in numbers if number]
    power = (max(sizes) + min(sizes)) // 2 if sizes else 0
    return [float_of(number, power) for number in numbers], power

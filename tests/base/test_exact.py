"""Exact numbers: text of integers of any size, common denominators, and roots rounded in a known direction."""

import math
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.base.exact import float_of, floats_of, number_of, root_above, root_below, root_over, text_of, whole

LARGEST, TINIEST, NORMAL = sys.float_info.max, 5e-324, sys.float_info.min
integers = st.one_of(
    st.integers(),
    st.builds(lambda a, b: a << b, st.integers(-(2**70), 2**70), st.integers(0, 5000)),
    st.builds(lambda a, b: (1 << a) + b, st.integers(0, 3000), st.integers(-3, 3)),
)
finite = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.one_of(st.integers(-20, 20), st.integers(), st.fractions(), finite, st.just(-0.0), st.just(TINIEST))


# ---------------------------------------------------------------------------------------------------------------------
# Text


@given(integers)
@example(0)
@example(-1)
@example(10**5000)
@example(-(1 << 100_000))
def test_a_number_is_read_from_its_text(number: int) -> None:
    assert number_of(text_of(number)) == number
    assert text_of(number_of(text_of(number))) == text_of(number)


@pytest.mark.parametrize("zeros", [999_999, 1_000_000, 1_000_001])
def test_a_number_with_very_many_zeros_is_read_from_its_text(zeros: int) -> None:
    number = -5 << zeros
    assert number_of(text_of(number)) == number


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0x0"), (1, "0x1"), (-40, "-0x5p3"), (255, "0xff"), (96, "0x3p5"), (-(2**64), "-0x1p64")]
)
def test_the_text_of_a_number(number: int, text: str) -> None:
    assert text_of(number) == text


@given(integers)
def test_what_stands_before_p_is_odd(number: int) -> None:
    mantissa, _, power = text_of(number).partition("p")
    assert int(mantissa, 16) % 2 or not number
    assert power != "0"


@pytest.mark.parametrize(
    "text",
    [
        *["", "5", "0x", "x5", "0x5p", "0x5p-3", "0x5p+3", "0x5.8", "0X5", "0xFF", "--0x5", "+0x5", " 0x5", "0x5 "],
        *["0x5\n", "0x_5", "0x5_5", "0x5p3p3", "0x5p٣", "0x٣", "0b1", "1e3", "nan", "inf", "0x1p9999999", "0x5p1_0"],
        *[None, 5, 5.0, True, [], ["0x5"], {}, {"0x5": "0x5"}, b"0x5", "0x5\x00"],
    ],
)
def test_other_texts_are_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is not a whole number"):
        number_of(text)


@given(st.text())
def test_any_text_is_a_number_or_refused(text: str) -> None:
    try:
        number = number_of(text)
    except ValueError:
        return
    assert number_of(text_of(number)) == number


def test_a_long_text_that_is_refused_is_not_repeated_in_full() -> None:
    with pytest.raises(ValueError, match="is not a whole number") as caught:
        number_of("9" * 100_000)
    assert len(str(caught.value)) < 200


# ---------------------------------------------------------------------------------------------------------------------
# One unit


@given(st.lists(numbers, max_size=8))
@example([0, 0.0])
@example([TINIEST, LARGEST])
def test_whole_numbers_are_a_positive_multiple_in_lowest_terms(given_numbers: list[Fraction | float | int]) -> None:
    found = whole(given_numbers)
    assert [type(number) for number in found] == [int] * len(given_numbers)
    exact = [Fraction(number) for number in given_numbers]
    if any(exact):
        assert math.gcd(*found) == 1
    factors = {b / a for a, b in zip(exact, found, strict=True) if a}
    assert len(factors) <= 1
    assert all(factor > 0 for factor in factors)
    assert [bool(number) for number in found] == [bool(number) for number in exact]


def test_whole_numbers_by_hand() -> None:
    assert whole([0.5, Fraction(-1, 3), 2]) == [3, -2, 12]
    assert whole([4, -6]) == [2, -3]
    assert whole([TINIEST, 1.0]) == [1, 2**1074]
    assert whole([]) == []


# ---------------------------------------------------------------------------------------------------------------------
# Roots

squares = st.one_of(
    st.fractions(min_value=0),
    st.builds(lambda x: Fraction(x) ** 2, finite),
    st.builds(lambda x, e: Fraction(x) ** 2 * (1 + Fraction(e, 2**200)), finite, st.integers(-9, 9)),
    st.builds(lambda x, p: Fraction(x) * Fraction(2) ** p, st.integers(0, 2**130), st.integers(-2400, 2400)),
)


def is_at_most(x: float, square: Fraction) -> bool:
    """Is x at most the root?"""
    return math.isfinite(x) and Fraction(x) ** 2 <= square


def check_roots(square: Fraction) -> None:
    """They enclose the root, and two floats farther on they would not."""
    below, above = root_below(square), root_above(square)
    assert 0 <= below < math.inf
    assert is_at_most(below, square)
    assert square == 0 or not is_at_most(math.nextafter(math.nextafter(below, math.inf), math.inf), square)
    assert above >= 0
    assert math.isinf(above) or square <= Fraction(above) ** 2
    assert is_at_most(math.nextafter(math.nextafter(above, 0.0), 0.0), square)


@given(squares)
@example(Fraction(0))
@example(Fraction(1))
@example(Fraction(4))
@example(Fraction(2))
@example(Fraction(TINIEST) ** 2)
@example(Fraction(TINIEST) ** 2 / 4)
@example(Fraction(TINIEST) ** 2 / 10**9)
@example(Fraction(TINIEST) ** 2 * 2)
@example(Fraction(NORMAL) ** 2)
@example(Fraction(NORMAL) ** 2 * (1 - Fraction(1, 2**60)))
@example(Fraction(LARGEST) ** 2)
@example(Fraction(LARGEST) ** 2 + 1)
@example(Fraction(2) ** 2048)
@example(Fraction(2) ** 2048 - 1)
@example(Fraction(1) - Fraction(1, 2**80))
def test_roots_are_on_the_safe_side_and_close(square: Fraction) -> None:
    check_roots(square)


@pytest.mark.parametrize("square", [Fraction(2) ** 2100, Fraction(10) ** 5000, Fraction(7) ** 90_000])
def test_the_root_of_what_is_beyond_the_floats_is_between_the_largest_and_infinity(square: Fraction) -> None:
    assert root_below(square) == LARGEST
    assert root_above(square) == math.inf


@pytest.mark.parametrize("square", [Fraction(1, 10**5000), Fraction(1, 7**90_000)])
def test_the_root_of_what_is_beyond_the_floats_is_between_0_and_the_tiniest(square: Fraction) -> None:
    assert (root_below(square), root_above(square)) == (0.0, TINIEST)


# ---------------------------------------------------------------------------------------------------------------------
# Floats


@given(integers, st.integers(-1200, 6000))
def test_a_float_is_the_nearest_or_at_an_end(number: int, power: int) -> None:
    exact, found = Fraction(number) / Fraction(2) ** power, float_of(number, power)
    if math.isinf(found):
        assert abs(exact) > LARGEST
        assert (found > 0) == (exact > 0)
    else:
        spacing = Fraction(math.ulp(found))
        assert abs(Fraction(found) - exact) <= spacing * (Fraction(1, 2) if abs(found) >= NORMAL else 1)


@pytest.mark.parametrize(("sign", "end"), [(1, math.inf), (-1, -math.inf)])
def test_a_number_beyond_the_floats_is_infinite(sign: int, end: float) -> None:
    assert float_of(sign * 10**5000) == end
    assert float_of(sign << 1024) == end


@given(st.lists(integers, min_size=1, max_size=6))
@example([1, 1 << 5000])
@example([0, 0])
@example([-1, 0, -(10**1000)])
def test_floats_in_one_unit(given_numbers: list[int]) -> None:
    floats, power = floats_of(given_numbers)
    assert floats == [float_of(number, power) for number in given_numbers]
    assert all((a < b) <= (x <= y) for (a, b), (x, y) in zip(pairwise(given_numbers), pairwise(floats), strict=True))


@given(st.fractions(min_value=0))
def test_a_root_that_is_not_less(square: Fraction) -> None:
    root = root_over(square)
    assert square <= root**2 <= square * (1 + Fraction(1, 2**98))
    assert root_over(square**2) >= square
    assert root_over(Fraction(square.numerator**2)) == square.numerator

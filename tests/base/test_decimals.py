"""The decimal that a float stands for, against Python's decimals and fractions."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.base.inputs.decimals import decimal_columns, decimal_ratio, differ_from_decimals

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SHORT = st.builds(
    lambda number, exponent: str(Decimal(number).scaleb(exponent)), st.integers(-(10**15), 10**15), st.integers(-40, 0)
)


def decimal_of(x: float) -> Fraction:
    return Fraction(*decimal_ratio(x))


TEXTS = (
    *("0.1", "-0.30", "2.5", "1e-300", "5e-324", "123456789.012345", "1.7976931348623157e308"),
    *("1E-7", "-1.5e-05", "0.8414709848078965", "+7.0", "1e22", "0"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_the_decimal_of_a_text(text: str) -> None:
    x = float(text)
    assert decimal_of(x) == (x if x.is_integer() else Fraction(text))


@given(SHORT)
def test_a_text_of_15_digits_is_found_again(text: str) -> None:
    assert decimal_of(float(text)) == Fraction(text)


@given(FLOATS)
def test_the_decimal_rounds_to_the_float(x: float) -> None:
    above, below = decimal_ratio(x)
    assert below == 10 ** (len(str(below)) - 1)
    assert float(Fraction(above, below)) == x
    if not x.is_integer():  # no decimal of fewer digits rounds to it
        digits = len(str(abs(above)).rstrip("0"))
        assert digits == 1 or float(f"{x:.{digits - 2}e}") != x


@given(st.lists(FLOATS | SHORT.map(float), min_size=1, max_size=12))
def test_a_column_of_decimals(column: list[float]) -> None:
    numbers, (places,) = decimal_columns(np.array([column]).T)
    assert [Fraction(number, 10**places) for number in numbers] == [decimal_of(x) for x in column]


def test_columns_of_several_scales_in_one_table() -> None:
    X = np.array([[0.1, 1e-300, 2.0, 1e20, 0.1234567890123456], [0.25, -3.0, 4.0, 0.1, 1e15]])
    numbers, places = decimal_columns(X)
    assert places == [2, 300, 0, 1, 16]
    assert numbers[:5] == [10, 1, 2, 10**21, 1234567890123456]
    assert numbers[5:] == [25, -3 * 10**300, 4, 1, 10**31]


@given(st.lists(FLOATS, min_size=1, max_size=4))
def test_floats_that_are_their_own_decimals(column: list[float]) -> None:
    """True may be said without need, False must be right."""
    assert differ_from_decimals(np.array(column)) or all(decimal_of(x) == Fraction(x) for x in column)
    assert not differ_from_decimals(np.array([0.5, -3.25, 7.0, 1e300, 0.0]))
    assert differ_from_decimals(np.array([0.5, 0.1]))

"""Decimal numbers in text: the same float that Python reads, to the last bit."""

import math
import re
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.data.compiled import decimals

READ: Any = decimals.read_number  # compiled
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
POWER = re.compile(r"[eE][+-]?[0-9]+")
LARGEST = 2**1024 - 2**971
TOO_LARGE = 2**1024 - 2**970  # half-way between the largest float and what would be the next: this and more is infinite

bits = st.integers(0, 2**64 - 1).map(lambda k: float(struct.unpack("<d", struct.pack("<Q", k))[0]))
floats = bits.filter(math.isfinite)
subnormal = st.integers(1, 2**52 - 1).map(lambda k: k * 5e-324)
signs = st.sampled_from(["", "-", "+"])
digits = st.text("0123456789", min_size=1)


def kernel(text: str) -> tuple[float, int, bool]:
    """The compiled answer: value, end, and if there is a number."""
    value, end, found = READ(np.frombuffer(text.encode("latin-1") + b"\n", np.uint8))
    return float(value), int(end), bool(found)


def interpreted(text: str) -> tuple[float, int, bool]:
    """Run the function as Python, which raises IndexError after the end of the text."""
    value, end, found = READ.run_as_python(np.frombuffer(text.encode("latin-1") + b"\n", np.uint8))
    return float(value), int(end), bool(found)


def oracle(text: str) -> tuple[float, int] | None:
    """The number that a text begins with, by Python, and where it ends; an `e` must have its power."""
    found = NUMBER.match(text)
    if found is None:
        return None
    end = found.end()
    if text[end : end + 1] in ("e", "E"):
        power = POWER.match(text, end)
        if power is None:
            return None
        end = power.end()
    return float(text[:end]), end


def same(a: float, b: float) -> bool:
    return struct.pack("<d", a) == struct.pack("<d", b)


def check(text: str) -> None:
    """Compiled = Python to the last bit; compiled = interpreted."""
    answer = kernel(text)
    expected = oracle(text)
    assert answer[2] == (expected is not None), (text, answer)
    if expected is not None:
        assert (same(answer[0], expected[0]), answer[1]) == (True, expected[1]), (text, answer, expected)
    assert repr(interpreted(text)) == repr(answer), text


def exactly(number: Fraction) -> str:
    """All digits of a number whose denominator is a power of two."""
    places = number.denominator.bit_length() - 1
    assert number.denominator == 1 << places
    return f"{number.numerator * 5**places}e-{places}" if places else str(number.numerator)


@given(floats | subnormal, signs)
@example(5e-324, "")
@example(2.2250738585072014e-308, "-")  # the smallest with all digits
@example(2.2250738585072009e-308, "")  # the largest without
@example(1.7976931348623157e308, "-")
@example(-0.0, "")
@example(9007199254740993.0, "")
def test_what_python_writes(x: float, sign: str) -> None:
    """By repr, and with as many digits as tell floats apart."""
    for text in (repr(x), f"{x:.17g}", f"{x:.16e}", f"{x:.25e}"):
        check(text)
        check(sign + text.lstrip("-"))


@given(floats, st.integers(0, 39))
def test_any_number_of_digits(x: float, places: int) -> None:
    check(f"{x:.{places}e}")
    check(f"{x:.{places}E}")


@given(st.integers(0, 10**15), st.integers(0, 22), signs)
def test_ordinary_numbers(m: int, places: int, sign: str) -> None:
    """Up to 15 digits and powers of ten up to 22 are one exact operation on floats."""
    for text in (f"{sign}{m}", f"{sign}{m}e{places}", f"{sign}{m}e-{places}", f"{sign}{m // 1000}.{m % 1000:03d}"):
        check(text)


@given(st.integers(1, 10**17), st.integers(-300, 280))
def test_seventeen_digits(m: int, e: int) -> None:
    check(f"{m}e{e}")


@given(floats.map(abs) | subnormal, st.sampled_from([-1, 0, 1]), st.integers(0, 30), signs)
@example(1.0, 0, 0, "")
@example(9007199254740992.0, 0, 0, "")
@example(0.0, 0, 0, "")
@example(0.0, -1, 25, "-")
@example(0.0, 1, 25, "-")
@example(2.2250738585072009e-308, 0, 0, "")
def test_half_way(x: float, aside: int, zeros: int, sign: str) -> None:
    """All digits of the number between two neighbours, and of one that is a little less or more."""
    after = math.nextafter(x, math.inf)
    middle = (Fraction(x) + (Fraction(after) if math.isfinite(after) else Fraction(2**1024))) / 2
    whole, _, power = exactly(middle).partition("e")
    written = str(int(whole) * 10 ** (zeros + 1) + aside)
    check(f"{sign}{written}e{int(power or 0) - zeros - 1}")
    check(f"{sign}{whole}" + (f"e{power}" if power else ""))
    if len(written) > 1:  # with a point
        check(f"{sign}{written[0]}.{written[1:]}e{int(power or 0) - zeros - 1 + len(written) - 1}")


@given(floats.filter(bool))
def test_neighbours_are_told_apart(x: float) -> None:
    """The exact digits of a float give this float, though there may be hundreds of them."""
    text = exactly(Fraction(x))
    assert same(kernel(text)[0], x)


@given(st.integers(-2, 2), st.integers(0, 3))
def test_the_largest(off: int, zeros: int) -> None:
    for whole in (LARGEST, TOO_LARGE, 2**1024):
        check(str(whole + off) + "0" * zeros)
        check(f"{whole + off}{'0' * zeros}e-{zeros}")
        check(f"{str(whole)[:19]}e{len(str(whole)) - 19}")


@pytest.mark.parametrize("text", [str(TOO_LARGE), str(TOO_LARGE + 1), f"{TOO_LARGE}.5", f"-{TOO_LARGE}"])
def test_half_way_to_what_would_be_the_next_is_infinite(text: str) -> None:
    assert math.isinf(kernel(text)[0])
    check(text)


@pytest.mark.parametrize("text", ["1e309", "-1e309", "1e999999999999999999999", "9" * 400, "1" + "0" * 309, "2e308"])
def test_overflow(text: str) -> None:
    assert kernel(text) == (float(text), len(text), True)
    assert math.isinf(float(text))
    check(text)


@pytest.mark.parametrize(
    "text", ["1e-400", "-1e-400", "0e999999999", "0.0e-5", "-0", "-.0", "+0.", "1e-99999999999999999999"]
)
def test_zero_keeps_its_sign(text: str) -> None:
    value, end, found = kernel(text)
    assert (end, found) == (len(text), True)
    assert same(value, float(text))
    check(text)


@given(
    signs,
    st.integers(0, 60),
    st.text("0123456789", max_size=60),
    st.text("0123456789", max_size=60),
    st.integers(0, 60),
)
def test_zeros_before_and_behind(sign: str, before: int, whole: str, part: str, behind: int) -> None:
    text = f"{sign}{'0' * before}{whole}.{part}{'0' * behind}"
    check(text)
    for power in ("e0", "E+05", "e-000", "e-320", "e300"):
        check(text + power)


@given(st.text("0123456789", min_size=1, max_size=900), st.integers(0, 900), st.integers(-1300, 1300))
def test_long_digit_strings(text: str, at: int, power: int) -> None:
    check(text)
    check(f"{text[:at]}.{text[at:]}")
    check(f"{text[:at]}.{text[at:]}e{power}")


@given(digits, st.integers(), st.integers(-(10**30), 10**30))
def test_huge_powers(text: str, small: int, large: int) -> None:
    check(f"{text}e{small}")
    check(f"{text}e{large}")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0." + "0" * 1_000_100 + "1e1000101", 1.0), ("1" + "0" * 1_000_100 + "e-1000100", 1.0)],
    ids=["zeros behind the point", "zeros before it"],
)
def test_a_power_that_makes_up_for_a_million_zeros(text: str, value: float) -> None:
    assert float(text) == value
    answer = kernel(text)
    assert answer == (value, len(text), True)


@given(st.text("0123456789+-.eE", max_size=12) | st.text("01.e-", max_size=30))
@example("1e+")
@example("1.e5")
@example(".e5")
@example("1..5")
@example("1e5e5")
def test_any_text_of_these_characters(text: str) -> None:
    check(text)


@given(
    st.text(st.characters(max_codepoint=255, exclude_characters="\n"), max_size=12),
    st.text("0123456789.e-+", max_size=6),
)
def test_any_bytes(tail: str, head: str) -> None:
    check(tail)
    check(head + tail)


NO_NUMBERS = [
    "",
    "+",
    "-",
    ".",
    "-.",
    "+.",
    "e",
    "e5",
    "-e5",
    ".e5",
    "1e",
    "1e+",
    "1e-",
    "1E",
    "--1",
    "+-1",
    " 1",
    "\t1",
]
NO_NUMBERS += ["x", "nan", "inf", "infinity", "-inf", "NaN", ":", "|", "#", ",", "_1", "\xb2", "\xff", "\x00"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_number(text: str) -> None:
    assert kernel(text)[2] is False
    check(text)


@pytest.mark.parametrize("character", [chr(c) for c in range(256) if chr(c) not in "0123456789.eE\n"])
def test_a_number_ends_at_any_other_character(character: str) -> None:
    for text in ("12", "1.5", "-0.5e3", "7."):
        assert kernel(f"{text}{character}9") == (float(text), len(text), True)


@given(floats, st.integers(0, 40))
def test_what_follows_makes_no_difference(x: float, more: int) -> None:
    text = repr(x)
    assert repr(kernel(text)) == repr(kernel(text + " " + "7" * more))


def test_the_table_of_powers() -> None:
    """Of each power of ten the first 128 bits of its odd part, cut off; in fractions."""
    for e in range(decimals.FIRST, decimals.LAST + 1):
        high, low = (int(word) for word in decimals.FIVES[e - decimals.FIRST])
        whole = (high << 64) | low
        shift = int(decimals.SHIFTS[e - decimals.FIRST]) - 128
        power = Fraction(10) ** e / Fraction(2) ** shift  # that whole is the integer part of
        assert 2**127 <= whole < 2**128
        assert whole <= power < whole + 1

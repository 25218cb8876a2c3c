"""Decimal numbers in text, as the nearest floats."""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

ZERO, POINT, PLUS, MINUS = 48, 46, 43, 45
NOTHING, RIGHT, HARD = 0, 1, 2  # no number; its value; a finite number whose nearest float was not found
LOW = np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)
LONGEST = np.uint64(10**18)  # a number below it has room for one more digit
EXACT = np.uint64(2**53)  # whole numbers up to here are floats
TENS = 10.0 ** np.arange(23)  # and so are these
FIRST, LAST = -342, 308  # beyond these powers of ten all that is written is 0, or infinite


def _powers():
    """Of 10^e: floor(5^e 2^s), with the s that gives it 128 bits, in two halves; and the power of two left over."""
    table = np.empty((LAST - FIRST + 1, 2), np.uint64)
    shifts = np.empty(LAST - FIRST + 1, np.int64)
    for e in range(FIRST, LAST + 1):
        if e >= 0:
            bits = (5**e).bit_length()
            whole = 5**e << 128 >> bits
        else:
            bits = 1 - (5**-e).bit_length()  # 5^e is at least 2^(bits-1), as no power of 5 is one of 2
            whole = (1 << (128 - bits)) // 5**-e
        table[e - FIRST] = whole >> 64, whole & (2**64 - 1)
        shifts[e - FIRST] = e + bits
    return table, shifts


FIVES, SHIFTS = _powers()


@register_jitable
def times_64(a, b):
    """a b as two words, the higher first."""
    s = np.uint64(32)
    a_high, a_low, b_high, b_low = a >> s, a & LOW, b >> s, b & LOW
    low, left, right = a_low * b_low, a_high * b_low, a_low * b_high
    middle = (low >> s) + (left & LOW) + (right & LOW)
    return a_high * b_high + (left >> s) + (right >> s) + (middle >> s), (middle << s) | (low & LOW)


@register_jitable
def nearest(m, e):
    """The float nearest to m 10^e, 0 < m < 10^19; infinity if that is too large; nan if it takes more digits to tell.

    m and the first 128 bits of 5^e give the first 64 bits of their product or, as those of 5^e are cut off, one less.
    Where the one or the other would be rounded to another float, or lie half-way, more is needed.
    """
    if e < FIRST:
        return 0.0
    if e > LAST:
        return math.inf
    shift = 64
    while m >> np.uint64(63) == 0:
        m <<= ONE
        shift -= 1
    at = e - FIRST
    high, low = times_64(m, FIVES[at, 0])
    more, _ = times_64(m, FIVES[at, 1])
    low += more
    if low < more:
        high += ONE
    below = 11 if high >> np.uint64(63) else 10  # bits that a float has no room for
    rest, half = high & np.uint64((1 << below) - 1), np.uint64(1 << (below - 1))
    if (rest == half - ONE and low + np.uint64(2) < low) or (rest == half and low == 0):
        return math.nan
    kept = (high >> np.uint64(below)) + (ONE if rest >= half else np.uint64(0))
    power = SHIFTS[at] + shift - 64 + below
    if power < -1074:
        return math.nan  # it is too small to have all its digits
    return math.ldexp(float(kept), power)


@register_jitable
def number(text, k):
    """Read a number at text[k]: its value, where it ends, and if there is one. The text ends with another character."""
    negative = text[k] == MINUS
    if negative or text[k] == PLUS:
        k += 1
    m, e, digits, cut = np.uint64(0), 0, 0, False
    point = -1
    while True:
        c = text[k]
        digit = np.uint64(c) - np.uint64(ZERO)  # others wrap around to large numbers
        if digit < np.uint64(10):
            if m < LONGEST:
                m = m * np.uint64(10) + digit
            else:
                e += 1
                cut |= digit != 0
            digits += 1
        elif c == POINT and point < 0:
            point = digits
        else:
            break
        k += 1
    if digits == 0:
        return 0.0, k, NOTHING
    if point >= 0:
        e -= digits - point
    if text[k] | 32 == 101:
        at = k + 1
        down = text[at] == MINUS
        if down or text[at] == PLUS:
            at += 1
        if np.uint64(text[at]) - np.uint64(ZERO) >= np.uint64(10):
            return 0.0, k, NOTHING
        power = 0
        while np.uint64(text[at]) - np.uint64(ZERO) < np.uint64(10):
            power = min(power * 10 + (text[at] - ZERO), 1_000_000)
            at += 1
        e += -power if down else power
        k = at
    if m == 0:
        value = 0.0
    elif m <= EXACT and -23 < e < 23 and not cut:
        value = float(m) / TENS[-e] if e < 0 else float(m) * TENS[e]
    else:
        value = nearest(m, e)
        if cut and value != nearest(m + ONE, e):
            value = math.nan
        if math.isnan(value):
            return value, k, HARD
    return -value if negative else value, k, RIGHT


@njit(cache=True, nogil=True)
def read_number(text):
    """The number that a text begins with, for tests: value, end, kind."""
    return number(text, 0)

"""Reading of decimal numbers in text; the result is always the nearest float."""

import math

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule

ZERO, POINT, PLUS, MINUS = 48, 46, 43, 45
DOWN, UP, HARD = 0, 1, 2
LOW = np.uint64(0xFFFFFFFF)
ONE, TEN, TO_DIGIT = np.uint64(1), np.uint64(10), np.uint64(48)
LETTER_E = 101
LONGEST = np.uint64(10**18)  # one more digit can be added to a smaller number without overflow
EXACT = np.uint64(2**53)  # all integers up to here are floats
TENS = 10.0 ** np.arange(23)  # these powers of ten are floats, too
LEAST, MOST = -1074, 971  # exponents of the smallest float, and of the last bit of the largest
DIGITS, LIMBS = 800, 256  # no midpoint of two floats has more digits; 32-bit words that such integers need
FIRST, LAST = -342, 308  # numbers beyond these powers of ten are 0 or infinite
text_rule = rule(of_text=True, error_model="numpy")


@helper
def char(text, k):
    """Give a character; an unsigned index saves the test for negative indices."""
    return text[np.uint64(k)]


def _powers():
    """Make a table for 10^e: the first 128 bits of 5^e in two words, and the remaining power of two."""
    table = np.empty((LAST - FIRST + 1, 2), np.uint64)
    shifts = np.empty(LAST - FIRST + 1, np.int64)
    for e in range(FIRST, LAST + 1):
        if e >= 0:
            bits = (5**e).bit_length()
            whole = 5**e << 128 >> bits
        else:
            bits = 1 - (5**-e).bit_length()  # 5^e is above 2^(bits-1), as no power of 5 is a power of 2
            whole = (1 << (128 - bits)) // 5**-e
        table[e - FIRST] = whole >> 64, whole & (2**64 - 1)
        shifts[e - FIRST] = e + bits
    return table, shifts


FIVES, SHIFTS = _powers()


@helper
def times_64(a, b):
    """Compute a b as two words, the higher one first."""
    s = np.uint64(32)
    a_high, a_low, b_high, b_low = a >> s, a & LOW, b >> s, b & LOW
    low, left, right = a_low * b_low, a_high * b_low, a_low * b_high
    middle = (low >> s) + (left & LOW) + (right & LOW)
    return a_high * b_high + (left >> s) + (right >> s) + (middle >> s), (middle << s) | (low & LOW)


@helper
def between(m, e):
    """Find the two floats around m 10^e, 0 < m < 10^19. The lower one is kept 2^power.

    The third result tells which of the two is nearest: DOWN, UP, or HARD if more digits are needed to decide.

    m and the first 128 bits of 5^e give the first 64 bits of the product, or one less, as the bits of 5^e are cut off.
    If these two values would be rounded to different floats, or one lies half-way, more digits are needed.
    """
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
    below = 11 if high >> np.uint64(63) else 10  # number of bits that do not fit in a float
    power = SHIFTS[at] + shift - 64 + below
    if power < LEAST:
        below, power = below + LEAST - power, LEAST  # a subnormal number has fewer bits
    if below > 63:
        return np.uint64(0), power, DOWN if below > 64 else HARD
    rest, half = high & ((ONE << np.uint64(below)) - ONE), ONE << np.uint64(below - 1)
    kept = high >> np.uint64(below)
    if (rest == half - ONE and low + np.uint64(2) < low) or (rest == half and low == 0):
        return kept, power, HARD
    return kept, power, UP if rest >= half else DOWN


@text_rule
def is_beyond(text, start, stop, e, kept, power):
    """Must the number, these digits times 10^e, be rounded up from kept 2^power?

    It must if it is above the midpoint (2 kept + 1) 2^(power-1), or equal to it and kept is odd. The comparison uses
    integers of any length.
    """
    left, right = np.zeros(LIMBS, np.uint64), np.zeros(LIMBS, np.uint64)
    digits, more = 0, False
    group, unit = 0, 1  # up to eight digits, which are added to the number together
    for k in range(start, stop):
        if char(text, k) == POINT:
            continue
        if digits < DIGITS:
            group, unit = 10 * group + (char(text, k) - ZERO), 10 * unit
            digits += digits > 0 or char(text, k) != ZERO
            if unit == 10**8:
                times_small(left, unit, group)
                group, unit = 0, 1
        else:
            more |= char(text, k) != ZERO
            e += 1
    times_small(left, unit, group)
    right[0], right[1] = (np.uint64(2) * kept + ONE) & LOW, (np.uint64(2) * kept + ONE) >> np.uint64(32)
    times_power(left if e > 0 else right, 10, abs(e))
    times_power(right if power > 1 else left, 2, abs(power - 1))
    for k in range(LIMBS - 1, -1, -1):
        if left[k] != right[k]:
            return left[k] > right[k]
    return more or kept & ONE == ONE


@helper
def times_power(number, base, power):
    """Compute number = number base^power, with eight factors at a time; the base is at most 10."""
    for _ in range(power // 8):
        times_small(number, base**8, 0)
    times_small(number, base ** (power % 8), 0)


@helper
def times_small(number, factor, plus):
    """Compute number = number factor + plus; the number is stored in 32-bit words."""
    carry = np.uint64(plus)
    for k in range(LIMBS):
        carry += number[k] * np.uint64(factor)
        number[k] = carry & LOW
        carry >>= np.uint64(32)


@helper
def float_of(kept, power):
    """Compute kept 2^power, for kept up to 2^53; infinity if it is too large."""
    if power > MOST or (power == MOST and kept == EXACT):
        return math.inf
    return math.ldexp(float(kept), int(power))


@helper
def nearest(text, start, stop, m, e, cut, whole):
    """Compute the float nearest to m 10^e or, if m was cut off, to the digits of the text times 10^whole."""
    if e < FIRST:
        return 0.0
    if e > LAST:
        return math.inf
    kept, power, side = between(m, e)
    if cut and side != HARD:
        other, further, there = between(m + ONE, e)
        if other != kept or further != power or there != side:
            kept, side = kept + (ONE if side == UP else np.uint64(0)), HARD
    if side == HARD:
        side = UP if is_beyond(text, start, stop, whole, kept, power) else DOWN
    return float_of(kept + (ONE if side == UP else np.uint64(0)), power)


@helper
def number(text, k):
    """Read a number at text[k]: give its value (infinity if it is too large), its end, and whether there is one.

    The last character of the text must not be part of a number.
    """
    negative = char(text, k) == MINUS
    if negative or char(text, k) == PLUS:
        k += 1
    start, m = k, np.uint64(0)
    digit = np.uint64(char(text, k)) - TO_DIGIT  # characters below '0' wrap around to large numbers
    while digit < TEN:
        m = m * TEN + digit
        k += 1
        digit = np.uint64(char(text, k)) - TO_DIGIT
    digits, places = k - start, 0
    if char(text, k) == POINT:
        k += 1
        first = k
        digit = np.uint64(char(text, k)) - TO_DIGIT
        while digit < TEN:
            m = m * TEN + digit
            k += 1
            digit = np.uint64(char(text, k)) - TO_DIGIT
        places = k - first
        digits += places
    if digits == 0:
        return 0.0, k, False
    if digits < 19 and m <= EXACT and char(text, k) | 32 != LETTER_E:
        value = float(m) / TENS[places]
        return -value if negative else value, k, True
    value, k, found = long_number(text, start, k, places)
    return -value if negative else value, k, found


@text_rule
def long_number(text, start, stop, places):
    """Read a number with many digits, `places` of them after the point, or with an exponent."""
    m, cut_off, cut = np.uint64(0), 0, False
    for k in range(start, stop):
        if char(text, k) != POINT:
            digit = np.uint64(char(text, k)) - TO_DIGIT
            if m < LONGEST:
                m = m * TEN + digit
            else:
                cut_off += 1
                cut |= digit != 0
    k, whole = stop, -places
    if char(text, k) | 32 == LETTER_E:
        at = k + 1
        down = char(text, at) == MINUS
        if down or char(text, at) == PLUS:
            at += 1
        if np.uint64(char(text, at)) - TO_DIGIT >= TEN:
            return 0.0, k, False
        power = 0
        while np.uint64(char(text, at)) - TO_DIGIT < TEN:
            power = min(power * 10 + (char(text, at) - ZERO), 10**15)
            at += 1
        whole += -power if down else power
        k = at
    e = whole + cut_off
    if m == 0:
        return 0.0, k, True
    if m <= EXACT and -23 < e < 23 and not cut:
        return float(m) / TENS[-e] if e < 0 else float(m) * TENS[e], k, True
    return nearest(text, start, stop, m, e, cut, whole), k, True


@text_rule
def read_number(text):
    """Read the number at the beginning of a text, for tests: value, end, and whether there is one."""
    return number(text, 0)

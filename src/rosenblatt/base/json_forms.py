"""Forms of values in JSON: how a value is written, and how it is read back and checked.

A form that reads a wrong value raises a ValueError whose message is the end of a sentence: "must be a whole number, not
'x'".
"""

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from rosenblatt.errors import abridged

FRACTION_TEXT = re.compile(r"(-?)([0-9]{1,4000}|0x[0-9a-f]+)(?:/([0-9]{1,4000}|0x[0-9a-f]+))?")
MAX_DECIMAL_BITS = 10_000  # larger integers are written in hexadecimal, because Python limits the digits of decimals
MAX_FLOAT = sys.float_info.max
NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}  # JSON has no numbers for them


def refuse_constant(name: str) -> float:
    """Refuse NaN and Infinity, which Python's JSON reader accepts; for its `parse_constant`."""
    raise ValueError(f"{name} is not a number")


class Form(NamedTuple):
    """How values of one kind are written as JSON, and read."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def mismatch(expected: str, value: object) -> ValueError:
    """Make the error of a value that is not as expected."""
    return ValueError(f"must be {expected}, not {abridged(value)}")


def of_type(expected: str, *types: type) -> Form:
    """The form of values that JSON holds as they are."""

    def read(value: Any) -> Any:
        if type(value) not in types:
            raise mismatch(expected, value)
        return value

    return Form(lambda value: value, read)


def _write_number(number: Any) -> float | str:
    return float(number) if math.isfinite(number) else repr(float(number))


def _read_number(value: Any) -> float:
    if isinstance(value, str) and value in NON_FINITE:
        return NON_FINITE[value]
    if type(value) not in (int, float) or not -MAX_FLOAT <= value <= MAX_FLOAT:
        raise mismatch("a number, 'inf', '-inf' or 'nan'", value)
    return float(value)


def _write_fraction(fraction: Fraction) -> str:
    above, below = fraction.as_integer_ratio()
    if max(above.bit_length(), below.bit_length()) > MAX_DECIMAL_BITS:
        return f"{above:#x}/{below:#x}"
    return str(fraction)


def _read_fraction(value: Any) -> Fraction:
    found = FRACTION_TEXT.fullmatch(value) if isinstance(value, str) else None
    below = 1 if found is None or found[3] is None else int(found[3], 16 if "x" in found[3] else 10)
    if found is None or below == 0:
        raise mismatch("a fraction as text, such as '1/3'", value)
    above = int(found[2], 16 if "x" in found[2] else 10)
    return Fraction(-above if found[1] else above, below)


TEXT = of_type("a text", str)
FLAG = Form(bool, of_type("true or false", bool).read)
WHOLE = Form(int, of_type("a whole number", int).read)
LABEL = of_type("a text, a number, true or false", str, int, float, bool)  # of a class, or of a row
NUMBER = Form(_write_number, _read_number)
FRACTION = Form(_write_fraction, _read_fraction)


def one_of(*words: str) -> Form:
    """The form of a choice."""

    def read(value: Any) -> str:
        if value not in words:
            raise mismatch(f"one of {', '.join(words)}", value)
        return str(value)

    return Form(str, read)


def optional(form: Form) -> Form:
    """The form of a value that may be None."""
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda value: None if value is None else form.read(value),
    )


def list_of(form: Form, count: int | None = None) -> Form:
    """The form of a list, of `count` values if that is given."""
    expected = "a list" if count is None else f"a list of {count}"

    def read(values: Any) -> list[Any]:
        if not isinstance(values, list) or len(values) != (len(values) if count is None else count):
            raise mismatch(expected, values)
        return [form.read(value) for value in values]

    return Form(lambda values: [form.write(value) for value in values], read)


def tuple_of(form: Form, count: int | None = None) -> Form:
    """The form of a tuple; JSON has a list."""
    listed = list_of(form, count)
    return Form(listed.write, lambda values: tuple(listed.read(values)))


def parts_of(make: Callable[..., Any], **forms: Form) -> Form:
    """The form of an object with these attributes; `make` builds it from them."""

    def read(body: Any) -> Any:
        return make(**read_parts(body, forms))

    return Form(lambda made: {name: form.write(getattr(made, name)) for name, form in forms.items()}, read)


def read_parts(body: Any, forms: dict[str, Form]) -> dict[str, Any]:
    """Read an object that must have exactly these parts."""
    if not isinstance(body, dict):
        raise mismatch("an object with named parts", body)
    if missing := forms.keys() - body.keys():
        raise ValueError(f"lacks {min(missing)!r}")
    if strange := body.keys() - forms.keys():
        raise ValueError(f"has the unknown part {abridged(min(strange, key=str))}")
    values = {}
    for name, form in forms.items():
        try:
            values[name] = form.read(body[name])
        except (ValueError, RecursionError) as error:
            raise ValueError(f"has {name!r}, which {error}") from error
    return values

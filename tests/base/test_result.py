"""Results as JSON and back: every form of a value, and what is refused."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, Hyperplane, Perceptron, Region, regions
from rosenblatt.base.json_forms import FLAG, FRACTION, LABEL, NUMBER, TEXT, WHOLE, Form, list_of, one_of, optional

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def back(form: Form, value: Any) -> Any:
    """Write a value as strict JSON text, and read it."""
    return form.read(json.loads(json.dumps(form.write(value), allow_nan=False)))


@given(st.floats())
def test_every_float_comes_back(number: float) -> None:
    found = back(NUMBER, number)
    assert type(found) is float
    assert found == number or (math.isnan(found) and math.isnan(number))


@given(st.fractions() | st.integers().map(Fraction) | st.integers(1, 99).map(lambda k: Fraction(3**k, 7 ** (99 * k))))
def test_every_fraction_comes_back(fraction: Fraction) -> None:
    assert back(FRACTION, fraction) == fraction


def test_small_fractions_are_readable_and_huge_ones_are_not_limited() -> None:
    """Python refuses to write or read a decimal of more than 4,300 digits."""
    assert [FRACTION.write(Fraction(x)) for x in ("1/3", "-5", "0")] == ["1/3", "-5", "0"]
    huge = Fraction(-(3**20_000), 2**30_001)
    assert back(FRACTION, huge) == huge


@pytest.mark.parametrize(
    ("form", "values"),
    [
        (FRACTION, [1, 0.5, None, "", "1/0", "1/-2", "x", "0x", "1.5", " 1", "1/2/3", "9" * 5000]),
        (NUMBER, [None, "1", "x", True, [], math.inf, math.nan, 10**400]),
        (WHOLE, [None, "1", 1.0, True, []]),
        (FLAG, [None, 0, 1, "true"]),
        (TEXT, [None, 1, ["a"]]),
        (LABEL, [None, [1], {}]),
        (list_of(WHOLE), [None, 1, "12", {}, [1, "2"]]),
        (list_of(WHOLE, 2), [[1, 2, 3]]),
        (optional(WHOLE), ["1"]),
        (one_of("a", "b"), ["c", ["a"]]),
    ],
    ids=["fraction", "number", "whole", "flag", "text", "label", "list", "list of 2", "optional", "choice"],
)
def test_wrong_values_are_refused(form: Form, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=r"^must be .*, not ") as caught:
            form.read(value)
        assert len(str(caught.value)) < 200


@given(st.lists(FLOATS, min_size=1, max_size=9), FLOATS)
def test_a_hyperplane_comes_back(w: list[float], b: float) -> None:
    plane = Hyperplane(w, b)
    again = Hyperplane.from_json(plane.to_json())
    assert (again, hash(again), again.w.tolist()) == (plane, hash(plane), w)
    assert Hyperplane.from_dict(plane.to_dict()) == plane


def test_the_form_of_a_hyperplane() -> None:
    assert Hyperplane([2, 1], b=-5).to_json() == '{"w": [2.0, 1.0], "b": -5.0}'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ('{"w": [NaN], "b": 0}', "NaN is not a number"),
        ('{"w": [Infinity], "b": 0}', "Infinity is not a number"),
        ("[1, 2]", "must be an object with named parts"),
        ("{}", "lacks 'b'"),
        ('{"w": [1]}', "lacks 'b'"),
        ('{"w": [1], "b": 0, "c": 1}', "unknown part 'c'"),
        ('{"w": [1], "b": "x"}', "has 'b', which must be a number"),
        ('{"w": 1, "b": 0}', "has 'w', which must be a list"),
        ('{"w": [1e999], "b": 0}', "has 'w', which must be a number"),
        ('{"w": ["inf"], "b": 0}', "w must be finite"),
        ('{"w": [], "b": 0}', "w must be a vector of 1 or more numbers"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_hyperplane_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why) as caught:
        Hyperplane.from_json(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("body", [None, 1, "w", [], {"w": (1,), "b": 0}, {1: 2}])
def test_a_dict_that_is_no_hyperplane_is_refused(body: Any) -> None:
    with pytest.raises(DataError, match=r"^This is not a Hyperplane: it "):
        Hyperplane.from_dict(body)


def test_regions_come_back_exactly() -> None:
    model = Perceptron().fit([[1, 0], [3, 0], [0, 2]], ["a", "b", "c"])
    found = regions(model, (0, 4, 0, 4))
    again = [Region.from_json(region.to_json()) for region in found]
    assert again == found == regions(model, (0, 4, 0, 4))
    assert len({*found, *again}) == 3
    assert [region.area for region in again] == [Fraction(191, 16), 1, Fraction(49, 16)]
    assert found[0] != found[1]


def test_what_is_no_region_is_refused() -> None:
    body = regions(Perceptron().fit([[1, 0], [0, 2]], [0, 1]), (0, 4, 0, 4))[0].to_dict()
    for change in ({"vertices": [["1/2"]]}, {"vertices": [[1, 2]]}, {"claims": 1}, {"label": [1]}, {"words": None}):
        with pytest.raises(DataError, match=r"^This is not a Region: it has "):
            Region.from_dict({**body, **change})

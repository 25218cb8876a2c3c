"""The neuron of McCulloch and Pitts: whole truth tables, thresholds, and refused input."""

import re
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.base.neuron import McCullochPittsNeuron
from rosenblatt.errors import DataError, ParameterError

TWO = [[0, 0], [0, 1], [1, 0], [1, 1]]
THREE = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
TABLES = {
    "OR of 2": (McCullochPittsNeuron.OR(2), 1, TWO, [0, 1, 1, 1]),
    "OR of 3": (McCullochPittsNeuron.OR(3), 1, THREE, [0, 1, 1, 1, 1, 1, 1, 1]),
    "AND of 2": (McCullochPittsNeuron.AND(2), 2, TWO, [0, 0, 0, 1]),
    "AND of 3": (McCullochPittsNeuron.AND(3), 3, THREE, [0, 0, 0, 0, 0, 0, 0, 1]),
}


@pytest.mark.parametrize(("neuron", "threshold", "inputs", "outputs"), TABLES.values(), ids=TABLES)
def test_lectures_0_1_or_and_and(
    neuron: McCullochPittsNeuron, threshold: int, inputs: list[list[int]], outputs: list[int]
) -> None:
    """The thresholds and the whole truth tables; no other threshold gives them."""
    assert neuron.threshold == threshold
    table_in, table_out = neuron.truth_table(len(inputs[0]))
    assert table_in.tolist() == inputs
    assert table_out.tolist() == outputs
    assert neuron.predict(inputs).tolist() == outputs
    assert neuron.fires(inputs).tolist() == [bool(output) for output in outputs]
    assert [neuron(*row) for row in inputs] == outputs
    assert list(McCullochPittsNeuron.thresholds(inputs, outputs)) == [threshold]


def test_lectures_0_1_xor_has_no_threshold() -> None:
    assert list(McCullochPittsNeuron.thresholds(TWO, [0, 1, 1, 0])) == []
    for threshold in range(4):
        assert McCullochPittsNeuron(threshold).predict(TWO).tolist() != [0, 1, 1, 0]


@given(
    st.integers(1, 4).flatmap(lambda d: st.tuples(st.just(d), st.lists(st.booleans(), min_size=2**d, max_size=2**d)))
)
def test_thresholds_are_those_that_reproduce_the_table(table: tuple[int, list[bool]]) -> None:
    d, outputs = table
    inputs = McCullochPittsNeuron(0).truth_table(d)[0]
    tried = [t for t in range(d + 2) if [sum(row) >= t for row in inputs.tolist()] == outputs]
    assert list(McCullochPittsNeuron.thresholds(inputs, outputs)) == tried


def test_thresholds_of_constants_and_of_a_part_of_a_table() -> None:
    assert list(McCullochPittsNeuron.thresholds(TWO, [1, 1, 1, 1])) == [0]
    assert list(McCullochPittsNeuron.thresholds(TWO, [0, 0, 0, 0])) == [3]
    assert list(McCullochPittsNeuron.thresholds([[0, 0, 0], [1, 1, 1]], [0, 1])) == [1, 2, 3]
    assert list(McCullochPittsNeuron.thresholds([[0, 1], [0, 1]], [0, 1])) == []


@given(st.integers(0, 6), st.integers(1, 5))
def test_lectures_0_2_threshold_form_and_bias_form_agree(threshold: int, d: int) -> None:
    """The sum reaches theta exactly when w.x + b >= 0 with w = 1 and b = -theta; in labels {0,1} and {-1,+1}."""
    neuron = McCullochPittsNeuron(threshold)
    plane = neuron.hyperplane(d)
    assert plane.w.tolist() == [1.0] * d
    assert plane.b == -threshold
    inputs, outputs = neuron.truth_table(d)
    assert plane.side(inputs, tie="positive").tolist() == (2 * outputs - 1).tolist()
    assert (plane.decision_function(inputs) >= 0).tolist() == neuron.fires(inputs).tolist()


def test_one_vector_gives_one_answer() -> None:
    neuron = McCullochPittsNeuron.AND(2)
    assert neuron.fires([1, 1]) is True
    assert neuron.fires([1, 0]) is False
    assert type(neuron.predict([1, 1])) is int
    assert neuron.predict([1, 1]) == 1
    assert type(neuron(True, True)) is int


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float32, object])
def test_booleans_may_be_stored_in_any_type(kind: type[Any]) -> None:
    assert McCullochPittsNeuron.AND(2).predict(np.array(TWO, dtype=kind)).tolist() == [0, 0, 0, 1]


def test_is_a_value() -> None:
    neuron = McCullochPittsNeuron(2)
    assert neuron == McCullochPittsNeuron.AND(2)
    assert len({neuron, McCullochPittsNeuron.AND(2), McCullochPittsNeuron(3)}) == 2
    assert repr(neuron) == "McCullochPittsNeuron(threshold=2)"
    assert type(McCullochPittsNeuron(np.int64(2)).threshold) is int  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        neuron.threshold = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            [[0, 1], [0.5, 1]],
            "X must be boolean, 0 or 1, but it is 0.5 at row 1, column 0; real inputs need a perceptron",
        ),
        ([[0, 1], [1, -1]], "it is -1.0 at row 1, column 1"),
        ([0, 1, 2], "it is 2.0 at entry 2"),
        ([[0, np.nan]], "X must be finite, but it is nan at row 0, column 1"),
        ([["0", "1"]], "X must be a rectangular array of numbers: its type is <U1"),
        ([[0, 1], [1]], "X must be a rectangular array of numbers: setting an array element with a sequence"),
        ([[[0, 1]]], "X must be one vector, or one row per vector, of booleans, but its shape is (1, 1, 2)"),
        (1, "but its shape is ()"),
    ],
)
def test_lectures_0_1_refuses_what_is_not_boolean(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        McCullochPittsNeuron(1).fires(X)
    with pytest.raises(DataError, match=re.escape(message)):
        McCullochPittsNeuron(1).predict(X)


def test_call_refuses_a_vector_and_a_real_number() -> None:
    with pytest.raises(DataError, match=re.escape("but its shape is (1, 1, 2)")):
        McCullochPittsNeuron(1)([0, 1])  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"it is 0\.3 at row 0, column 1"):
        McCullochPittsNeuron(1)(1, 0.3)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (TWO, [0, 1, 1], "a table is X, n x d, and y with n outputs, but their shapes are (4, 2) and (3,)"),
        ([0, 1], [0, 1], "but their shapes are (2,) and (2,)"),
        (TWO, [-1, 1, 1, 1], "y must be boolean, 0 or 1, but it is -1.0 at entry 0"),
        ([[0, 3]], [1], "X must be boolean, 0 or 1, but it is 3.0 at row 0, column 1"),
    ],
)
def test_thresholds_refuses_what_is_no_table(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        McCullochPittsNeuron.thresholds(X, y)


@pytest.mark.parametrize("threshold", [-1, 1.5, 2.0, True, np.True_, "1", None])
def test_refuses_a_threshold_that_is_no_count(threshold: Any) -> None:
    message = f"threshold must be an integer >= 0, but it is {threshold!r}"
    with pytest.raises(ParameterError, match=re.escape(message)):
        McCullochPittsNeuron(threshold)


@pytest.mark.parametrize("d", [0, -2, 2.0, True])
def test_refuses_a_number_of_inputs_that_is_no_count(d: Any) -> None:
    neuron = McCullochPittsNeuron(1)
    for call in (McCullochPittsNeuron.OR, McCullochPittsNeuron.AND, neuron.hyperplane):
        with pytest.raises(ParameterError, match=re.escape(f"d must be an integer >= 1, but it is {d!r}")):
            call(d)
    with pytest.raises(ParameterError, match=re.escape(f"d must be an integer from 1 to 20, but it is {d!r}")):
        neuron.truth_table(d)


def test_refuses_a_truth_table_too_long_to_write() -> None:
    with pytest.raises(ParameterError, match="d must be an integer from 1 to 20, but it is 21"):
        McCullochPittsNeuron(1).truth_table(21)

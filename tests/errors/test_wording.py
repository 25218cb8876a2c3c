"""Tests of sentences in two vocabularies: they survive copies, other processes and a source before them."""

import pickle

import numpy as np
import pytest

from rosenblatt import DataError, Kozinec, ParameterError, Perceptron, Scaling
from rosenblatt.errors.wording import Wording, Words, in_command_words, parameter, worded


def test_braces_in_values_stay() -> None:
    said = worded("{it} is not one of {'a': 1}.", it=parameter("order", "{x}"))
    assert (said, said.command) == ("order='{x}' is not one of {'a': 1}.", "--set order={x} is not one of {'a': 1}.")


def test_a_wording_is_a_string() -> None:
    said = worded("Give {it}.", it=Words("resume=True", "--resume"))
    assert said == "Give resume=True."
    assert in_command_words(said.after("a.csv: ")) == "a.csv: Give --resume."
    again = pickle.loads(pickle.dumps(said))  # noqa: S301  (made here)
    assert (again, again.command) == (said, said.command)
    assert Wording("plain").command == "plain"


def test_errors_keep_both() -> None:
    error = pickle.loads(pickle.dumps(DataError(worded("Give {it}.", it=parameter("how", "divide"))))).within("a.svm")  # noqa: S301
    assert (str(error), error.with_flags()) == ("a.svm: Give how='divide'.", "a.svm: Give --scale divide.")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Perceptron().set_params(order="best"), "--set order must be one of "),
        (Perceptron(max_epochs=0), "--passes must be an integer of at least 1, not 0."),
        (Perceptron(random_state=-1), "--seed must be "),
        (Kozinec(epsilon=None, C=1.0), "--set epsilon=None stops at the first hyperplane"),
        (Kozinec(C=1e-310), "--set C must be at least "),
        (Scaling().set_params(how="twice"), "--scale must be one of "),
    ],
)
def test_parameters_are_options_of_the_command(model: Perceptron | Kozinec | Scaling, words: str) -> None:
    with pytest.raises(ParameterError) as told:
        model.fit(np.eye(2), [0, 1])
    assert told.value.with_flags().startswith(words)
    assert type(model).__name__ in str(told.value)

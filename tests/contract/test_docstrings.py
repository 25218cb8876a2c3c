"""The check of docstrings that `make lint` runs finds each fault; estimators have the attributes that they document."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import NumpyDocString

import rosenblatt
from rosenblatt import Hyperplane, Perceptron, Verdict, datasets
from tests.support.docstrings import Public, findings, main, public

GOOD = """Scale a row.

Parameters
----------
x : array of shape (d,)
    The row.
how : {"unit", "none"}, default="unit"
    How it is scaled.

    - "unit": to length 1.
    - "none": not at all.

Returns
-------
array of shape (d,)
    The scaled row.

See Also
--------
Scaling : Scales tables.

Examples
--------
>>> import math
>>> from rosenblatt import Perceptron, datasets
>>> [math.floor(number) for number in (0.5, 1.5)]
[0, 1]
"""
ALL = {"EX01", "GL07", "GL08", "PR01", "PR02", "PR04", "PR07", "PR09", "RT01", "RT03", "SA01", "SA04", "SS03"}


def scaled(x: Any, how: str = "unit") -> Any:
    return [] if how == "none" else x


class Answer:
    """An answer."""

    def __init__(self, value: int) -> None:
        self.value = value

    @classmethod
    def of(cls) -> "Answer":
        """Make an answer."""
        return cls(42)


def faults(docstring: str, value: Any = scaled, *, is_member: bool = False) -> list[str]:
    """What is found in this docstring of a function or class of this module."""
    name, before = f"{__name__}.{value.__qualname__}", value.__doc__
    owner = getattr(value, "__func__", value)
    try:
        owner.__doc__ = docstring
        return findings(Public(name, value, is_member), ALL)
    finally:
        owner.__doc__ = before


def test_a_good_docstring_has_no_faults() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("text", "instead", "fault"),
    [
        (GOOD, "", "GL08"),
        ("Scale a row.", "Scale a row", "SS03"),
        ("x : array of shape (d,)", "x", "x has no type"),
        ("    The row.\n", "", "x has no description"),
        ("    The row.\n", "    the row.\n", "x has no description"),
        ("    How it is scaled.\n\n", "    How it is scaled.\n", "Not reStructuredText: a list needs an empty line"),
        ("The scaled row.", "It has |x| = 1.", "Not reStructuredText"),
        ('    - "none": not at all.\n', "", 'how has choices without a line in a list: "none"'),
        ("    The scaled row.\n", "", "RT03"),
        ("Returns\n-------\narray of shape (d,)\n    The scaled row.\n\n", "", "RT01"),
        ("See Also\n--------\nScaling : Scales tables.\n\n", "", "SA01"),
        ("Scaling : Scales tables.", "Scaling", "SA04"),
        ("Scaling : Scales tables.", "Skaling : Scales tables.", "See Also names Skaling"),
        ("from rosenblatt import", "from rosenblatt.classifiers.perceptron import", "Examples import rosenblatt.class"),
        ("import math", "import math, sklearn.datasets", "Examples import sklearn.datasets"),
        ("import math\n", "import json\n", "Examples do not define math"),
        ("number) for number", "n) for number", "Examples do not define n"),
    ],
)
def test_each_fault_is_found(text: str, instead: str, fault: str) -> None:
    assert text in GOOD
    found = faults(GOOD.replace(text, instead))
    assert any(each.startswith(fault) for each in found), found


def test_choices_may_be_explained_elsewhere() -> None:
    listed = '\n\n    - "unit": to length 1.\n    - "none": not at all.'
    assert faults(GOOD.replace(listed, " See `Scaling`.")) == []


def test_the_attributes_of_a_record_are_its_parameters() -> None:
    tail = "\n\nSee Also\n--------\nVerdict : A verdict.\n\nExamples\n--------\n>>> 1\n1\n"
    assert faults(f"An answer.\n\nAttributes\n----------\nvalue : int\n    It.{tail}", Answer) == []
    assert faults(f"An answer.\n\nAttributes\n----------\nvalue\n    It.{tail}", Answer) == ["value has no type"]
    assert faults(f"An answer.{tail}", Answer)[0].startswith("PR01")


def test_methods_need_neither_examples_nor_relations_but_say_what_they_return() -> None:
    assert faults("Make an answer.\n\nReturns\n-------\nAnswer\n    The answer.\n", Answer.of, is_member=True) == []
    assert faults("Make an answer.", Answer.of, is_member=True) == ["RT01 No Returns section found"]


@pytest.mark.parametrize(
    "value",
    [
        Perceptron,
        Perceptron.fit,
        Perceptron.certificate,
        Hyperplane.side,
        Verdict.explain,
        rosenblatt.separability,
        rosenblatt.losses.hinge_loss,
        rosenblatt.datasets.load,
        rosenblatt.plot.BoundaryDisplay,
        rosenblatt.plot.BoundaryDisplay.plot,
    ],
)
def test_every_kind_of_public_name_is_checked(value: Callable[..., Any]) -> None:
    assert any(each.value is value for each in public())


def test_make_lint_fails_if_a_docstring_is_broken(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    broken = (Perceptron.__doc__ or "").replace("learning_rate : float, default=1.0", "learning_rate")
    monkeypatch.setattr(Perceptron, "__doc__", broken)
    assert main() == 1
    assert capsys.readouterr().out.splitlines() == [
        'rosenblatt.Perceptron: PR04 Parameter "learning_rate" has no type',
        "rosenblatt.Perceptron: learning_rate has no type",
    ]


# ---------------------------------------------------------------------------------------------------------------------
# What is documented is there


@pytest.mark.parametrize(
    "model",
    [
        rosenblatt.Anderson(),
        rosenblatt.BatchPerceptron(),
        rosenblatt.KernelPerceptron(),
        rosenblatt.Kessler(Perceptron()),
        rosenblatt.Kozinec(),
        rosenblatt.LeastRisk(Perceptron()),
        rosenblatt.Calibrated(Perceptron()),
        rosenblatt.NearestMean(),
        rosenblatt.OneVsAll(Perceptron()),
        rosenblatt.OneVsOne(Perceptron()),
        rosenblatt.PassiveAggressive(),
        Perceptron(),
        rosenblatt.Pocket(),
        rosenblatt.Scaling(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_attributes_of_an_estimator_are_those_it_documents(model: Any) -> None:
    X, y = datasets.load("iris")
    model.fit(X, y == "setosa")
    there = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    attributes = NumpyDocString(inspect.getdoc(type(model)) or "")["Attributes"]
    assert {name for field in attributes for name in field.name.split(", ")} == there
    for field in attributes:
        value = getattr(model, field.name)
        if field.type in ("int", "float", "StopReason", "Hyperplane", "Certificate"):
            assert type(value).__name__ == field.type
        elif field.type.startswith("array"):
            assert isinstance(value, np.ndarray)
        if match := re.search(r"of shape \(1, d\)|of shape \(1,\)", field.type):
            assert value.shape == {"of shape (1, d)": (1, 4), "of shape (1,)": (1,)}[match.group()]

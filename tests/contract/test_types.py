"""Types as users see them: choices, attributes, and what type checkers say about scripts in `typed_scripts`.

Each line of a wrong script that must be an error is marked by `# type: ignore[code]`. Here mypy reads the scripts
without the marks. `make lint` runs pyright, and mypy again, on the scripts with the marks, where a mark that is not
needed is an error.
"""

import inspect
import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    KernelPerceptron,
    Kessler,
    Kozinec,
    LeastRisk,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Scaling,
)
from rosenblatt.base import hyperplane, parameters
from rosenblatt.classifiers.gaussians import search as gaussian_search
from rosenblatt.classifiers.training import learner, order
from rosenblatt.cli.commands import fit as fit_command
from rosenblatt.data import scaling
from rosenblatt.data.files import read, sources, write
from rosenblatt.data.streams import bad_rows
from rosenblatt.hulls import search, steps
from rosenblatt.proof import verdict
from tests.support.places import PACKAGE, ROOT

SCRIPTS = sorted((Path(__file__).parent / "typed_scripts").glob("*.py"))
MARK = re.compile(r"  # type: ignore\[([a-z-]+)\]$", flags=re.MULTILINE)
ESTIMATORS = [
    Anderson(),
    BatchPerceptron(),
    KernelPerceptron(),
    Kessler(Kozinec(bias=1.0)),
    Kozinec(),
    LeastRisk(Perceptron()),
    Calibrated(Perceptron()),
    NearestMean(),
    OneVsAll(Perceptron()),
    OneVsOne(Perceptron()),
    PassiveAggressive(),
    Perceptron(held_out=0.5),
    Pocket(),
    Scaling(),
]
X, y = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [4, 4], [5, 4], [4, 5], [5, 5]]), [0, 0, 0, 0, 1, 1, 1, 1]


def test_mypy_tells_a_user_exactly_the_marked_lines(tmp_path: Path) -> None:
    """No setting of ours is used, and errors inside the package are not shown, as for an installed package."""
    expected = set()
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        (tmp_path / script.name).write_text(MARK.sub("", text), encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            expected |= {(script.name, number, code) for code in MARK.findall(line)}
    assert {name for name, _, _ in expected} == {script.name for script in SCRIPTS if script.name.startswith("wrong_")}
    options = [
        "--config-file=",
        "--strict",
        "--follow-imports=silent",
        f"--cache-dir={ROOT / '.mypy_cache' / 'scripts'}",
    ]
    command = [sys.executable, "-m", "mypy", *options, *(script.name for script in SCRIPTS)]
    environment = os.environ | {"MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    found = re.findall(r"^(\w+\.py):(\d+): error: .*\[([a-z-]+)\]$", done.stdout, flags=re.MULTILINE)
    assert {(name, int(number), code) for name, number, code in found} == expected, done.stdout + done.stderr


def in_hint(hint: Any) -> set[Any]:
    """The words that a type allows, and None and bool if it allows these."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        return set().union(*map(in_hint, get_args(hint)))
    return {hint} & {bool, type(None)}


def in_constraint(constraint: parameters.Constraint) -> set[Any]:
    """The words that the check in `fit` allows, and None and bool if it allows these."""
    found: set[Any] = set()
    if isinstance(constraint, parameters.OneOf):
        found = set(constraint.choices) - {None}
    elif isinstance(constraint, parameters.Either):
        found = set().union(*map(in_constraint, constraint.constraints))
    elif isinstance(constraint, parameters.ClassWeight):
        found = {"balanced"}
    both = {type(None): None, bool: True}
    return found | {kind for kind, value in both.items() if constraint.allows(value)}


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_a_signature_has_the_choices_that_fit_allows(model: Any) -> None:
    hints = get_type_hints(type(model).__init__)
    for name, constraint in getattr(model, "_constraints", {}).items():
        allowed, declared = in_constraint(constraint), in_hint(hints[name])
        if isinstance(constraint, parameters.Weights):  # an array of booleans is an array of numbers
            allowed -= {bool}
        assert declared == allowed, name


@pytest.mark.parametrize(
    ("declared", "used"),
    [
        (hyperplane.Tie, hyperplane.SIDE_OF_ZERO),
        (hyperplane.Tie, learner.TIES),
        (steps.RuleName, steps.RULES),
        (search.Solver, ["auto", *steps.RULES]),
        (gaussian_search.Method, gaussian_search.SOLVERS),
        (verdict.VerdictKind, [*verdict.HEADS, "undecided"]),
        (sources.Format, sources.ENDINGS.values()),
        (write.Format, [*write.TEXTS, *write.TABLES]),
        (order.Order, [*get_args(order.FixedOrder), "first", "worst"]),
        (bad_rows.OnError, [*get_args(read.OnError), "quarantine"]),
        (bad_rows.OnError, get_args(fit_command.OnError)),
        (scaling.How, set(get_args(fit_command.Scale)) - {"none"}),
    ],
)
def test_a_list_of_choices_is_the_same_everywhere(declared: Any, used: Any) -> None:
    assert set(get_args(declared)) == set(used)


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_every_fitted_attribute_has_a_type(model: Any) -> None:
    model = clone(model).fit(X, y)
    classes = type(model).__mro__
    declared = {name for each in classes for name in vars(each).get("__annotations__", {})}
    fitted = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert fitted <= declared
    for name, value in inspect.getmembers(type(model), lambda value: isinstance(value, property)):
        if name.endswith("_") and not name.startswith("_"):
            assert get_type_hints(value.fget)["return"] is not Any, name


def test_public_functions_have_types_without_the_libraries_of_others() -> None:
    """Their hints can be evaluated, but for those that name an optional library."""
    for name in set(rosenblatt.__all__) - {"to_onnx", "to_river"}:
        public = getattr(rosenblatt, name)
        if inspect.isfunction(public):
            assert "return" in get_type_hints(public), name

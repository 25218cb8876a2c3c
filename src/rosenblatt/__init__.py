"""The perceptron family of linear classifiers, where every answer comes with evidence that can be checked.

Names are imported when they are first used, so that `import rosenblatt` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import losses
    from rosenblatt.errors import DataError, MissingExtra, NotANumber, ParameterError, RosenblattError
    from rosenblatt.hyperplane import Hyperplane
    from rosenblatt.kozinec import Kozinec
    from rosenblatt.neuron import McCullochPittsNeuron
    from rosenblatt.passive_aggressive import PassiveAggressive
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.steps import Step, Trace
    from rosenblatt.tracing import trace
    from rosenblatt.training import BudgetWarning, OverlapWarning, StopReason

__version__ = "0.1.0"

_HOME = {
    "BudgetWarning": "training",
    "DataError": "errors",
    "Hyperplane": "hyperplane",
    "Kozinec": "kozinec",
    "McCullochPittsNeuron": "neuron",
    "MissingExtra": "errors",
    "NotANumber": "errors",
    "OverlapWarning": "training",
    "ParameterError": "errors",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "RosenblattError": "errors",
    "Step": "steps",
    "StopReason": "training",
    "Trace": "steps",
    "trace": "tracing",
}

__all__ = [
    "BudgetWarning",
    "DataError",
    "Hyperplane",
    "Kozinec",
    "McCullochPittsNeuron",
    "MissingExtra",
    "NotANumber",
    "OverlapWarning",
    "ParameterError",
    "PassiveAggressive",
    "Perceptron",
    "RosenblattError",
    "Step",
    "StopReason",
    "Trace",
    "losses",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name == "losses":
        return importlib.import_module("rosenblatt.losses")
    if name in _HOME:
        value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

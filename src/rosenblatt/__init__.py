"""The perceptron family of linear classifiers, where every answer comes with evidence that can be checked.

Names are imported when they are first used, so that `import rosenblatt` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import losses
    from rosenblatt.anderson import Anderson
    from rosenblatt.batch import BatchPerceptron
    from rosenblatt.by_kessler import Kessler
    from rosenblatt.certificate import Certificate
    from rosenblatt.errors import DataError, MissingExtra, NotANumber, ParameterError, RosenblattError
    from rosenblatt.fewest_errors import ErrorBounds, error_bounds
    from rosenblatt.hyperplane import Hyperplane
    from rosenblatt.kernel_perceptron import KernelPerceptron
    from rosenblatt.kozinec import Kozinec
    from rosenblatt.least_risk import LeastRisk
    from rosenblatt.nearest_mean import NearestMean
    from rosenblatt.neuron import McCullochPittsNeuron
    from rosenblatt.novikoff import MistakeBound, mistake_bound
    from rosenblatt.one_vs_all import OneVsAll
    from rosenblatt.one_vs_one import OneVsOne
    from rosenblatt.partition import Region, regions
    from rosenblatt.passive_aggressive import PassiveAggressive
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.pocket import Pocket
    from rosenblatt.separation import separability
    from rosenblatt.steps import Step, Trace
    from rosenblatt.tracing import trace
    from rosenblatt.training import BudgetWarning, OverlapWarning, StopReason
    from rosenblatt.verdict import Verdict

__version__ = "0.1.0"

_HOME = {
    "Anderson": "anderson",
    "BatchPerceptron": "batch",
    "BudgetWarning": "training",
    "Certificate": "certificate",
    "DataError": "errors",
    "ErrorBounds": "fewest_errors",
    "Hyperplane": "hyperplane",
    "KernelPerceptron": "kernel_perceptron",
    "Kessler": "by_kessler",
    "Kozinec": "kozinec",
    "LeastRisk": "least_risk",
    "McCullochPittsNeuron": "neuron",
    "MissingExtra": "errors",
    "MistakeBound": "novikoff",
    "NearestMean": "nearest_mean",
    "NotANumber": "errors",
    "OneVsAll": "one_vs_all",
    "OneVsOne": "one_vs_one",
    "OverlapWarning": "training",
    "ParameterError": "errors",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "Pocket": "pocket",
    "Region": "partition",
    "RosenblattError": "errors",
    "Step": "steps",
    "StopReason": "training",
    "Trace": "steps",
    "Verdict": "verdict",
    "error_bounds": "fewest_errors",
    "mistake_bound": "novikoff",
    "regions": "partition",
    "separability": "separation",
    "trace": "tracing",
}

__all__ = [
    "Anderson",
    "BatchPerceptron",
    "BudgetWarning",
    "Certificate",
    "DataError",
    "ErrorBounds",
    "Hyperplane",
    "KernelPerceptron",
    "Kessler",
    "Kozinec",
    "LeastRisk",
    "McCullochPittsNeuron",
    "MissingExtra",
    "MistakeBound",
    "NearestMean",
    "NotANumber",
    "OneVsAll",
    "OneVsOne",
    "OverlapWarning",
    "ParameterError",
    "PassiveAggressive",
    "Perceptron",
    "Pocket",
    "Region",
    "RosenblattError",
    "Step",
    "StopReason",
    "Trace",
    "Verdict",
    "error_bounds",
    "losses",
    "mistake_bound",
    "regions",
    "separability",
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

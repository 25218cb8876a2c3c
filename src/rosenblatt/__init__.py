"""The perceptron family of linear classifiers, where every answer comes with evidence that can be checked.

Names are imported when they are first used, so that `import rosenblatt` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import datasets, losses, plot
    from rosenblatt.anderson import Anderson
    from rosenblatt.batch import BatchPerceptron
    from rosenblatt.by_kessler import Kessler
    from rosenblatt.certificate import Certificate
    from rosenblatt.encoding import Encoding
    from rosenblatt.errors import DataError, MissingExtra, NotANumber, ParameterError, RosenblattError
    from rosenblatt.exporting import to_json, to_onnx
    from rosenblatt.fewest_errors import ErrorBounds, error_bounds
    from rosenblatt.files import Data, read
    from rosenblatt.hyperplane import Hyperplane
    from rosenblatt.kernel_perceptron import KernelPerceptron
    from rosenblatt.kozinec import Kozinec
    from rosenblatt.least_risk import LeastRisk
    from rosenblatt.nearest_mean import NearestMean
    from rosenblatt.neuron import McCullochPittsNeuron
    from rosenblatt.novikoff import MistakeBound, mistake_bound
    from rosenblatt.one_step import Step
    from rosenblatt.one_vs_all import OneVsAll
    from rosenblatt.one_vs_one import OneVsOne
    from rosenblatt.partition import Region, regions
    from rosenblatt.passive_aggressive import PassiveAggressive
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.pocket import Pocket
    from rosenblatt.progress import show_progress
    from rosenblatt.saving import load, save
    from rosenblatt.scaling import Scaling
    from rosenblatt.separable import separability
    from rosenblatt.steps import Trace
    from rosenblatt.stream_training import Progress
    from rosenblatt.streams import Stream
    from rosenblatt.tracing import trace, trace_gaussians
    from rosenblatt.training import BudgetWarning, OverlapWarning, StopReason
    from rosenblatt.verdict import Verdict
    from rosenblatt.writing import write

__version__ = "0.1.0"

_HOME = {
    "Anderson": "anderson",
    "BatchPerceptron": "batch",
    "BudgetWarning": "training",
    "Certificate": "certificate",
    "Data": "files",
    "DataError": "errors",
    "Encoding": "encoding",
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
    "Progress": "stream_training",
    "Region": "partition",
    "RosenblattError": "errors",
    "Scaling": "scaling",
    "Step": "one_step",
    "StopReason": "training",
    "Stream": "streams",
    "Trace": "steps",
    "Verdict": "verdict",
    "error_bounds": "fewest_errors",
    "load": "saving",
    "mistake_bound": "novikoff",
    "read": "files",
    "regions": "partition",
    "save": "saving",
    "separability": "separable",
    "show_progress": "progress",
    "to_json": "exporting",
    "to_onnx": "exporting",
    "trace": "tracing",
    "trace_gaussians": "tracing",
    "write": "writing",
}

__all__ = [
    "Anderson",
    "BatchPerceptron",
    "BudgetWarning",
    "Certificate",
    "Data",
    "DataError",
    "Encoding",
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
    "Progress",
    "Region",
    "RosenblattError",
    "Scaling",
    "Step",
    "StopReason",
    "Stream",
    "Trace",
    "Verdict",
    "datasets",
    "error_bounds",
    "load",
    "losses",
    "mistake_bound",
    "plot",
    "read",
    "regions",
    "save",
    "separability",
    "show_progress",
    "to_json",
    "to_onnx",
    "trace",
    "trace_gaussians",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in ("datasets", "losses", "plot"):
        return importlib.import_module(f"rosenblatt.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

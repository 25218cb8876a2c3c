"""The perceptron family of linear classifiers, where every answer comes with evidence that can be checked.

Names are imported when they are first used, so that `import rosenblatt` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import datasets, losses, plot
    from rosenblatt.base.hyperplane import Hyperplane
    from rosenblatt.base.neuron import McCullochPittsNeuron
    from rosenblatt.base.progress_line import show_progress
    from rosenblatt.base.regions import Region, regions
    from rosenblatt.base.stopping import StopReason
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.verification import Verification
    from rosenblatt.classifiers.anderson import Anderson
    from rosenblatt.classifiers.batch_perceptron import BatchPerceptron
    from rosenblatt.classifiers.kernel_perceptron import KernelPerceptron
    from rosenblatt.classifiers.kozinec import Kozinec
    from rosenblatt.classifiers.multiclass.kessler import Kessler
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk
    from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
    from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
    from rosenblatt.classifiers.nearest_mean import NearestMean
    from rosenblatt.classifiers.passive_aggressive import PassiveAggressive
    from rosenblatt.classifiers.perceptron import Perceptron
    from rosenblatt.classifiers.pocket import Pocket
    from rosenblatt.classifiers.training.stream_passes import Progress
    from rosenblatt.data.files.encoding import Encoding
    from rosenblatt.data.files.read import Data, read
    from rosenblatt.data.files.write import write
    from rosenblatt.data.scaling import Scaling
    from rosenblatt.data.streams.stream import Stream
    from rosenblatt.errors import DataError, MissingExtraError, ParameterError, RosenblattError
    from rosenblatt.errors.warnings import BudgetWarning, OverlapWarning
    from rosenblatt.models.export import to_json, to_onnx
    from rosenblatt.models.save import load, save
    from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
    from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound
    from rosenblatt.proof.separability import separability
    from rosenblatt.proof.verdict import Verdict
    from rosenblatt.tracing.step import Step
    from rosenblatt.tracing.trace import Trace
    from rosenblatt.tracing.tracer import trace, trace_gaussians

__version__ = "0.1.0"

_HOME = {
    "Anderson": "classifiers.anderson",
    "BatchPerceptron": "classifiers.batch_perceptron",
    "BudgetWarning": "errors.warnings",
    "Certificate": "certificate.certificate",
    "Data": "data.files.read",
    "DataError": "errors",
    "Encoding": "data.files.encoding",
    "ErrorBounds": "proof.error_bounds",
    "Hyperplane": "base.hyperplane",
    "KernelPerceptron": "classifiers.kernel_perceptron",
    "Kessler": "classifiers.multiclass.kessler",
    "Kozinec": "classifiers.kozinec",
    "LeastRisk": "classifiers.multiclass.least_risk",
    "McCullochPittsNeuron": "base.neuron",
    "MissingExtraError": "errors",
    "MistakeBound": "proof.mistake_bound",
    "NearestMean": "classifiers.nearest_mean",
    "OneVsAll": "classifiers.multiclass.one_vs_all",
    "OneVsOne": "classifiers.multiclass.one_vs_one",
    "OverlapWarning": "errors.warnings",
    "ParameterError": "errors",
    "PassiveAggressive": "classifiers.passive_aggressive",
    "Perceptron": "classifiers.perceptron",
    "Pocket": "classifiers.pocket",
    "Progress": "classifiers.training.stream_passes",
    "Region": "base.regions",
    "RosenblattError": "errors",
    "Scaling": "data.scaling",
    "Step": "tracing.step",
    "StopReason": "base.stopping",
    "Stream": "data.streams.stream",
    "Trace": "tracing.trace",
    "Verdict": "proof.verdict",
    "Verification": "certificate.verification",
    "error_bounds": "proof.error_bounds",
    "load": "models.save",
    "mistake_bound": "proof.mistake_bound",
    "read": "data.files.read",
    "regions": "base.regions",
    "save": "models.save",
    "separability": "proof.separability",
    "show_progress": "base.progress_line",
    "to_json": "models.export",
    "to_onnx": "models.export",
    "trace": "tracing.tracer",
    "trace_gaussians": "tracing.tracer",
    "write": "data.files.write",
}

_ELSEWHERE = {  # names in other libraries, and what to use here
    "OneVsRest": "OneVsAll",
    "OneVsRestClassifier": "OneVsAll",
    "OneVsOneClassifier": "OneVsOne",
    "AveragedPerceptron": "Perceptron(average='averaged')",
    "VotedPerceptron": "Perceptron(average='voted')",
    "PassiveAggressiveClassifier": "PassiveAggressive",
    "PAClassifier": "PassiveAggressive",
    "LinearSVC": "Kozinec(C=1.0, bias=1.0)",
    "SVC": "Kozinec for a linear kernel, KernelPerceptron for others",
    "SVM": "Kozinec",
    "SGDClassifier": "Perceptron, which SGDClassifier(loss='perceptron') resembles",
    "NearestCentroid": "NearestMean",
    "StandardScaler": "Scaling",
    "is_separable": "separability",
    "detect_separation": "separability",
    "load_model": "load",
    "save_model": "save",
    "dump": "save",
    "read_csv": "read",
    "load_svmlight_file": "read",
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
    "MissingExtraError",
    "MistakeBound",
    "NearestMean",
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
    "Verification",
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


if not TYPE_CHECKING:  # a type checker would take every name that is misspelt for one of these

    def __getattr__(name: str) -> Any:
        if name in ("datasets", "losses", "plot"):
            return importlib.import_module(f"rosenblatt.{name}")
        if name in _HOME:
            value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}.{_suggestion(name)}", name=name, obj=None)


def _suggestion(name: str) -> str:
    """What is called differently here, or spelled nearly so."""
    if name.startswith("_"):
        return ""
    from rosenblatt.errors import meant

    here = _ELSEWHERE.get(name)
    return meant(name, __all__) if here is None else f" Here it is {here}."


def __dir__() -> list[str]:
    return __all__

"""The perceptron family of linear classifiers, where every answer comes with evidence that can be checked.

Everything public is listed below and in `__all__`. Import it from `rosenblatt`. The modules `cluster`, `datasets`,
`losses` and `plot` have an `__all__` of their own. All other packages, which `help` lists as PACKAGE CONTENTS, are
internal: they may change in any version. Names are imported when they are first used, so that `import rosenblatt` is
quick.

Classifiers
    Perceptron            Rosenblatt's rule, for two classes or more; averaged and voted
    PassiveAggressive     the smallest change of the weights that gives a row a margin of 1
    Pocket                the perceptron that keeps the best weights it met, for classes that overlap
    BatchPerceptron       a step for all mistakes of a pass at once
    KernelPerceptron      boundaries that are not straight, by kernels
    Kozinec               a separating hyperplane, the largest margin, or the best with quadratic slack
    Anderson              the hyperplane whose worst error on Gaussians is the smallest
    NearestMean           the class of the nearest mean
    OneVsAll              many classes: one classifier of two classes for each class
    OneVsOne              many classes: one classifier of two classes for each pair
    Kessler               many classes: one classifier of two classes in a larger space
    LeastRisk             decisions by a penalty matrix, around any classifier
    Calibrated            calibrated probabilities, around any classifier

Questions about data
    separability          decide whether a hyperplane separates the classes, and prove it
    culprits              name the columns that separate the classes
    error_bounds          bound the fewest errors of any hyperplane
    estimates             decide which estimates of a regression are infinite, and prove it
    mistake_bound         bound the updates of a perceptron
    trace                 record every step of a training run
    trace_gaussians       record every step of a run on given Gaussians
    regions               cut the plane into the regions of the classes

Answers
    Verdict               the answer of separability
    Culprits              the answer of culprits
    ErrorBounds           the answer of error_bounds
    Estimates             the answer of estimates
    MistakeBound          the answer of mistake_bound
    Certificate           a claim about data, with its proof
    Verification          the answer of Certificate.verify
    Trace                 the steps of a training run
    Step                  one step of a trace
    Region                one region of the plane
    Hyperplane            sides, distances, angles and margins
    McCullochPittsNeuron  the neuron of 1943
    StopReason            why training stopped

Data and models
    read                  read labelled rows from files
    write                 write labelled rows to a file
    Data                  rows and labels that were read
    Encoding              how the columns of a table become numbers
    Stream                labelled rows of files larger than memory
    Progress              how far fit_stream is
    Scaling               scale columns or rows
    save                  write a model to a file
    load                  read a model from a file
    to_json               write a linear model as JSON
    to_onnx               convert a model to an ONNX graph
    register_with_skl2onnx  let skl2onnx convert pipelines with estimators of this package
    to_river              make a classifier of river from an online estimator
    show_progress         show a progress line
    Client                ask a service, `rosenblatt serve`
    AsyncClient           ask a service, with asyncio

Modules
    cluster               the same classifiers and questions on a cluster of Dask
    datasets              built-in data sets, and generators with known facts
    losses                losses, their gradients, and the risk of decisions
    plot                  pictures of classifiers, verdicts and training runs

Errors and warnings
    RosenblattError       the base class of all errors
    DataError             the data cannot be used
    ParameterError        an option has a value that is not allowed
    MissingExtraError     an optional part is not installed
    ServiceError          a service refused a request, or did not answer
    BudgetWarning         training used its budget of passes
    OverlapWarning        no hyperplane separates the classes
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt import cluster, datasets, losses, plot
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
    from rosenblatt.classifiers.multiclass.calibrated import Calibrated
    from rosenblatt.classifiers.multiclass.kessler import Kessler
    from rosenblatt.classifiers.multiclass.least_risk import LeastRisk
    from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
    from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
    from rosenblatt.classifiers.nearest_mean import NearestMean
    from rosenblatt.classifiers.passive_aggressive import PassiveAggressive
    from rosenblatt.classifiers.perceptron import Perceptron
    from rosenblatt.classifiers.pocket import Pocket
    from rosenblatt.classifiers.training.stream_passes import Progress
    from rosenblatt.client.async_client import AsyncClient
    from rosenblatt.client.calls import ServiceError
    from rosenblatt.client.client import Client
    from rosenblatt.data.files.encoding import Encoding
    from rosenblatt.data.files.read import Data, read
    from rosenblatt.data.files.write import write
    from rosenblatt.data.scaling import Scaling
    from rosenblatt.data.streams.stream import Stream
    from rosenblatt.errors import DataError, MissingExtraError, ParameterError, RosenblattError
    from rosenblatt.errors.warnings import BudgetWarning, OverlapWarning
    from rosenblatt.models.export import to_json, to_onnx
    from rosenblatt.models.river import to_river
    from rosenblatt.models.save import load, save
    from rosenblatt.models.skl2onnx_converters import register_with_skl2onnx
    from rosenblatt.proof.columns.culprits import Culprits, culprits
    from rosenblatt.proof.error_bounds import ErrorBounds, error_bounds
    from rosenblatt.proof.mistake_bound import MistakeBound, mistake_bound
    from rosenblatt.proof.regression.estimates import estimates
    from rosenblatt.proof.regression.result import Estimates
    from rosenblatt.proof.separability import separability
    from rosenblatt.proof.verdict import Verdict
    from rosenblatt.tracing.step import Step
    from rosenblatt.tracing.trace import Trace
    from rosenblatt.tracing.tracer import trace, trace_gaussians

__version__ = "0.1.0"

_HOME = {
    "Anderson": "classifiers.anderson",
    "AsyncClient": "client.async_client",
    "BatchPerceptron": "classifiers.batch_perceptron",
    "BudgetWarning": "errors.warnings",
    "Calibrated": "classifiers.multiclass.calibrated",
    "Certificate": "certificate.certificate",
    "Client": "client.client",
    "Culprits": "proof.columns.culprits",
    "Data": "data.files.read",
    "DataError": "errors",
    "Encoding": "data.files.encoding",
    "ErrorBounds": "proof.error_bounds",
    "Estimates": "proof.regression.result",
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
    "ServiceError": "client.calls",
    "Step": "tracing.step",
    "StopReason": "base.stopping",
    "Stream": "data.streams.stream",
    "Trace": "tracing.trace",
    "Verdict": "proof.verdict",
    "Verification": "certificate.verification",
    "culprits": "proof.columns.culprits",
    "error_bounds": "proof.error_bounds",
    "estimates": "proof.regression.estimates",
    "load": "models.save",
    "mistake_bound": "proof.mistake_bound",
    "read": "data.files.read",
    "regions": "base.regions",
    "register_with_skl2onnx": "models.skl2onnx_converters",
    "save": "models.save",
    "separability": "proof.separability",
    "show_progress": "base.progress_line",
    "to_json": "models.export",
    "to_onnx": "models.export",
    "to_river": "models.river",
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
    "convert_sklearn_to_river": "to_river",
    "load_model": "load",
    "save_model": "save",
    "dump": "save",
    "read_csv": "read",
    "load_svmlight_file": "read",
}

__all__ = [
    "Anderson",
    "AsyncClient",
    "BatchPerceptron",
    "BudgetWarning",
    "Calibrated",
    "Certificate",
    "Client",
    "Culprits",
    "Data",
    "DataError",
    "Encoding",
    "ErrorBounds",
    "Estimates",
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
    "ServiceError",
    "Step",
    "StopReason",
    "Stream",
    "Trace",
    "Verdict",
    "Verification",
    "cluster",
    "culprits",
    "datasets",
    "error_bounds",
    "estimates",
    "load",
    "losses",
    "mistake_bound",
    "plot",
    "read",
    "regions",
    "register_with_skl2onnx",
    "save",
    "separability",
    "show_progress",
    "to_json",
    "to_onnx",
    "to_river",
    "trace",
    "trace_gaussians",
    "write",
]


if not TYPE_CHECKING:  # a type checker would take every name that is misspelt for one of these

    def __getattr__(name: str) -> Any:
        if name in ("cluster", "datasets", "losses", "plot"):
            return importlib.import_module(f"rosenblatt.{name}")
        if name in _HOME:
            value = getattr(importlib.import_module(f"rosenblatt.{_HOME[name]}"), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}.{_suggestion(name)}", name=name, obj=None)


def _suggestion(name: str) -> str:
    """Say which name to use instead of an unknown one. The text is empty if no name fits."""
    if name.startswith("_"):
        return ""
    from rosenblatt.errors import meant

    here = _ELSEWHERE.get(name)
    return meant(name, __all__) if here is None else f" Here it is {here}."


def __dir__() -> list[str]:
    return __all__

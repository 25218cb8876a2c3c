"""scikit-learn's own contract, over every estimator, and the table of the checks that do not apply."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    Calibrated,
    KernelPerceptron,
    Kessler,
    Kozinec,
    NearestMean,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
)
from tests.support.effort import by_day

ESTIMATORS = [
    Perceptron(),
    Perceptron(average="averaged", tie="positive"),
    Perceptron(average="voted"),
    Perceptron(margin=1.0, bias=2.0),
    PassiveAggressive(),
    PassiveAggressive(order="cyclic", variant="II"),
    Kozinec(),
    Kozinec(C=1.0, bias=1.0),
    Kozinec(solver="wolfe", C=10.0),
    BatchPerceptron(),
    Pocket(),
    KernelPerceptron(),
    KernelPerceptron(kernel="poly", max_support=100),
    NearestMean(),
    Anderson(),
    OneVsAll(Perceptron()),
    OneVsAll(Perceptron(order="random", tie="negative", learning_rate=0.5)),  # with "random", no partial_fit
    OneVsAll(Kozinec(C=1.0)),
    OneVsOne(Pocket()),
    OneVsOne(Anderson()),
    OneVsOne(KernelPerceptron()),
    Kessler(Perceptron()),
    Kessler(Kozinec(bias=1.0, C=1.0)),
    Calibrated(Perceptron(average="averaged")),
]


AT_NIGHT = [  # other options of the same classes
    Perceptron(tie="negative", learning_rate=0.5),
    Kozinec(epsilon=None, solver="kozinec", max_epochs=1000),
    Kozinec(solver="mdm", bias=0.0, max_epochs=1000),
    Kozinec(solver="away", epsilon_kind="absolute", screening=True, max_epochs=1000),
    BatchPerceptron(learning_rate=0.5, tie="positive", class_weight="balanced"),
    Pocket(tie="negative"),
    KernelPerceptron(kernel="linear", average="averaged", class_weight="balanced"),
    Anderson(n_components=2, covariance_type="diag", ridge=1e-3, solver="ascent"),
    Anderson(solver="gradient", max_iter=200),
    OneVsOne(Pocket(order="random", tie="negative")),
]
NOT_COPIES = "a weight multiplies the step (or C) of its row; a copy is presented again, and may then be no mistake"
EQUIVALENCE = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"], NOT_COPIES
)


def excuses(estimator: Any) -> dict[str, str]:
    return EQUIVALENCE if isinstance(estimator, Perceptron | PassiveAggressive | Pocket) else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    by_day(ESTIMATORS, [*ESTIMATORS, *AT_NIGHT]), expected_failed_checks=excuses, xfail_strict=True
)  # type: ignore[untyped-decorator]
def test_sklearn_contract(estimator: Any, check: Any) -> None:
    check(estimator)

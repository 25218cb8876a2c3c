"""scikit-learn's tags of every estimator are compared with what the estimator does."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
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

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(4)
X = np.abs(rng.normal(size=(30, 4)))
TWO, THREE = np.arange(30) % 2, np.arange(30) % 3
GAPS = np.where(np.arange(120).reshape(30, 4) == 7, np.nan, X)
ESTIMATORS = [
    Perceptron(max_epochs=2),
    Perceptron(max_epochs=2, average="voted"),
    PassiveAggressive(max_epochs=2),
    Pocket(max_epochs=2),
    BatchPerceptron(patience=2),
    Kozinec(C=1.0),
    Anderson(),
    NearestMean(),
    KernelPerceptron(max_epochs=2),
    OneVsAll(Kozinec(C=1.0)),
    OneVsOne(Anderson()),
    Kessler(Kozinec(bias=1.0, C=1.0)),
    LeastRisk(NearestMean()),
    LeastRisk(Kozinec(C=1.0)),
    LeastRisk(OneVsAll(Kozinec(C=1.0))),
]


def does(estimator: Any, rows: Any, labels: Any) -> bool:
    try:
        return len(clone(estimator).fit(rows, labels).predict(rows)) == 30
    except ValueError:
        return False


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: repr(each)[:60])
def test_tags_say_what_is_so(estimator: Any) -> None:
    tags = get_tags(estimator)
    assert tags.estimator_type == "classifier"
    assert tags.target_tags.required
    assert does(estimator, X, TWO)
    assert tags.classifier_tags.multi_class == does(estimator, X, THREE)
    assert tags.input_tags.sparse == does(estimator, scipy.sparse.csr_array(X), TWO)
    assert tags.input_tags.allow_nan == does(estimator, GAPS, TWO)


def test_only_kozinec_and_anderson_know_two_classes_alone() -> None:
    public = [getattr(rosenblatt, name) for name in rosenblatt.__all__]
    classifiers: list[Any] = [each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)]
    inner = {"estimator": NearestMean()}
    made = [each(**(inner if "estimator" in each._get_param_names() else {})) for each in classifiers]
    two = {type(each) for each in made if get_tags(each).classifier_tags and not is_for_many(each)}
    assert two == {Kozinec, Anderson}


def is_for_many(estimator: Any) -> bool:
    return bool(get_tags(estimator).classifier_tags.multi_class)


@pytest.mark.parametrize("wrapper", [OneVsAll, OneVsOne, LeastRisk])
def test_wrappers_take_what_their_estimator_takes(wrapper: Any) -> None:
    given = get_tags(wrapper(KernelPerceptron(kernel="precomputed"))).input_tags
    assert given.pairwise
    assert not get_tags(wrapper(KernelPerceptron())).input_tags.pairwise
    assert get_tags(wrapper(LogisticRegression())).input_tags.sparse


@pytest.mark.parametrize("how", ["standardize", "center", "divide", "unit"])
def test_scaling(how: Any) -> None:
    tags = get_tags(Scaling(how))
    try:
        takes_sparse = Scaling(how).fit_transform(scipy.sparse.csr_array(X)).shape == (30, 4)
    except ValueError:
        takes_sparse = False
    assert tags.input_tags.sparse == takes_sparse
    assert tags.transformer_tags is not None
    assert not tags.target_tags.required

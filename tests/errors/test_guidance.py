"""Names of other libraries: the error says what to use here."""

import inspect
import pickle
from typing import Any

import pytest
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
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
from rosenblatt.errors.guidance import NOT_HERE, OTHER_WAYS, SYNONYMS

FOREIGN: list[tuple[type[Any], str, str]] = [
    (Perceptron, "max_iter", "here it is 'max_epochs'"),
    (Perceptron, "n_iter", "here it is 'max_epochs'"),
    (Perceptron, "eta0", "here it is 'learning_rate'"),
    (Perceptron, "eta", "here it is 'learning_rate'"),
    (Perceptron, "fit_intercept", "bias=0 leaves the intercept out"),
    (Perceptron, "shuffle", "order='cyclic' does not"),
    (Perceptron, "early_stopping", "held_out=0.1"),
    (Perceptron, "validation_fraction", "'held_out'"),
    (Perceptron, "n_iter_no_change", "here it is 'patience'"),
    (Perceptron, "tol", "there is no tolerance"),
    (Perceptron, "penalty", "have no penalty"),
    (Perceptron, "alpha", "have no penalty"),
    (Perceptron, "l1_ratio", "have no penalty"),
    (Perceptron, "l2", "have no penalty"),
    (Perceptron, "n_jobs", "one thread"),
    (Perceptron, "verbose", "show_progress"),
    (Perceptron, "passes", "here it is 'max_epochs'"),
    (Perceptron, "optimizer", "the rule of each class is fixed"),
    (Perceptron, "seed", "here it is 'random_state'"),
    (Perceptron, "kernel", "KernelPerceptron has kernels"),
    (Perceptron, "sample_weight", "argument of fit"),
    (Perceptron, "voted", "average='voted'"),
    (Perceptron, "learning_rat", "did you mean 'learning_rate'"),
    (Perceptron, "qwertz", "it has average, bias, class_weight"),
    (PassiveAggressive, "loss", "each class has one loss"),
    (PassiveAggressive, "max_iter", "here it is 'max_epochs'"),
    (PassiveAggressive, "cost", "here it is 'C'"),
    (Pocket, "bounds", "call error_bounds"),
    (Pocket, "max_iter", "here it is 'max_epochs'"),
    (BatchPerceptron, "step", "here it is 'learning_rate'"),
    (BatchPerceptron, "target", "here it is 'max_errors'"),
    (KernelPerceptron, "budget", "here it is 'max_support'"),
    (KernelPerceptron, "sigma", "here it is 'gamma'"),
    (Kozinec, "tol", "here it is 'epsilon'"),
    (Kozinec, "relative", "here it is 'epsilon_kind'"),
    (Kozinec, "dual", "nothing to choose"),
    (Kozinec, "intercept_scaling", "'bias', the constant"),
    (Anderson, "max_epochs", "here it is 'max_iter'"),
    (Anderson, "covariance", "here it is 'covariance_type'"),
    (Anderson, "reg_covar", "here it is 'ridge'"),
    (NearestMean, "metric", "it has none"),
    (OneVsAll, "n_jobs", "one thread"),
    (OneVsOne, "base_estimator", "here it is 'estimator'"),
    (LeastRisk, "cost_matrix", "here it is 'penalty'"),
    (Scaling, "with_mean", "how='standardize'"),
]


@pytest.mark.parametrize(("estimator", "name", "words"), FOREIGN)
def test_a_foreign_keyword_is_explained(estimator: type[Any], name: str, words: str) -> None:
    with pytest.raises(TypeError) as raised:
        estimator(**{name: 1})
    assert str(raised.value).startswith(f"{estimator.__name__} has no parameter {name!r}; ")
    assert words in str(raised.value)
    model = estimator(Perceptron()) if "estimator" in inspect.signature(estimator).parameters else estimator()
    with pytest.raises(ValueError, match="has no parameter") as refused:
        model.set_params(**{name: 1})
    assert str(refused.value) == str(raised.value)


@pytest.mark.parametrize("name", [*SYNONYMS, *OTHER_WAYS, *NOT_HERE])
def test_advice_names_something_that_is_there(name: str) -> None:
    """Parameters that are advised exist in some estimator."""
    every = {parameter for estimator, *_ in FOREIGN for parameter in inspect.signature(estimator).parameters}
    assert set(SYNONYMS.get(name, ())) <= every
    assert name not in OTHER_WAYS or OTHER_WAYS[name][0] in every


class Own(Perceptron):
    """A subclass without a constructor of its own."""


def test_subclasses_are_called_by_their_own_name() -> None:
    with pytest.raises(TypeError, match=r"^Own has no parameter 'max_iter'; here it is 'max_epochs'"):
        Own(max_iter=3)  # type: ignore[call-arg]


def test_signature_clone_and_pickle_are_as_without_guidance() -> None:
    assert list(inspect.signature(Kozinec).parameters) == [
        "epsilon", "epsilon_kind", "solver", "C", "bias", "screening", "max_epochs",
    ]  # fmt: skip
    model = Perceptron(max_epochs=7, average="averaged")
    assert clone(model).get_params() == pickle.loads(pickle.dumps(model)).get_params() == model.get_params()  # noqa: S301
    assert repr(model) == "Perceptron(average='averaged', max_epochs=7)"
    nested = OneVsAll(Perceptron()).set_params(estimator__max_epochs=3)
    assert nested.estimator.max_epochs == 3
    with pytest.raises(ValueError, match="Perceptron has no parameter 'max_iter'"):
        nested.set_params(estimator__max_iter=3)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("OneVsRest", "Here it is OneVsAll."),
        ("Perceptrn", "Did you mean 'Perceptron'?"),
        ("is_separable", "Here it is separability."),
        ("LinearSVC", "Here it is Kozinec"),
        ("qwertz", "no attribute 'qwertz'."),
    ],
)
def test_a_foreign_name_of_the_package(name: str, words: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(rosenblatt, name)
    assert str(raised.value).endswith(words) or words in str(raised.value)
    assert not hasattr(rosenblatt, name)


@pytest.mark.parametrize(("model", "instead"), [(Kozinec(), "Perceptron, Pocket"), (Scaling(), "StandardScaler")])
def test_estimators_without_weights_say_so(model: Any, instead: str) -> None:
    name = type(model).__name__
    said = f"^{name}.fit takes no sample_weight: {name} counts every row alike. Leave it out. .*{instead}"
    with pytest.raises(TypeError, match=said):
        model.fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 2])
    model.fit([[0.0], [1.0]], [0, 1], sample_weight=None)
    assert "sample_weight" not in inspect.signature(type(model).fit).parameters

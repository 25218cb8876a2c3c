"""Parameters: `fit` refuses a wrong value by name, before it looks at the data."""

import inspect
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    NearestMean,
    ParameterError,
    PassiveAggressive,
    Perceptron,
    Pocket,
)

X = np.array([[2.0, 1, 0], [0, 3, 1], [1, 0, 2], [-1, -2, 0], [0, -1, -3], [-2, 0, -1]])  # separable by the sum
Y = np.array([1, 1, 1, 0, 0, 0])
ONLINE: list[type[Any]] = [Perceptron, PassiveAggressive, Pocket]  # these learn row by row, too
EVERY: list[type[Any]] = [*ONLINE, Kozinec, Anderson, BatchPerceptron, KernelPerceptron, NearestMean]

NOT_NUMBERS: list[Any] = ["1", None, True, np.True_, 1j, [1.0], np.array([1.0, 2.0]), math.nan]
SOME_NOT_NUMBERS = [value for value in NOT_NUMBERS if value is not None]
NOT_BIAS = [value for value in NOT_NUMBERS if not isinstance(value, bool | np.bool_)]
NOT_POSITIVE = [0, -1, -0.5, -math.inf]
TOO_LARGE = [math.inf, 10**400]
NOT_ABOVE_0 = [*NOT_NUMBERS, *NOT_POSITIVE, *TOO_LARGE]
NOT_WHOLE = ["3", True, np.True_, 0, -1, 1.0, 2.5, math.nan, math.inf]
ORDERS = "one of 'cyclic', 'shuffled', 'random', 'first', 'worst'"
DRAWN = "one of 'cyclic', 'shuffled', 'random', not"
INIT = "None or an array of finite numbers"
CLASS_WEIGHT = "None, 'balanced' or a dict of finite weights above 0 by label"

Bad = dict[str, list[tuple[str, list[Any]]]]  # parameter: what the message must say is expected, values

BAD: Bad = {
    "order": [(ORDERS, ["shufled", "CYCLIC", "", None, 3, ["cyclic"], True])],
    "tie": [("one of 'mistake', 'positive', 'negative'", ["pos", "", None, 0, 1.0])],
    "average": [("one of None, 'averaged', 'voted' or True or False", ["avg", "Voted", 0, 1])],
    "variant": [("one of 'I', 'II'", ["i", "III", None, 1])],
    "learning_rate": [("a finite number above 0", [*NOT_NUMBERS, *NOT_POSITIVE, *TOO_LARGE])],
    "C": [("a number above 0", [*NOT_NUMBERS, *NOT_POSITIVE])],
    "bias": [("a finite number of at least 0 or True or False", [*NOT_BIAS, -1, -1e-9, *TOO_LARGE])],
    "margin": [("a finite number of at least 0", [*NOT_NUMBERS, -1, -1e-9, *TOO_LARGE])],
    "max_epochs": [("an integer of at least 1", [*NOT_WHOLE, None])],
    "warm_start": [("True or False", [0, 1, None, "yes"])],
    "random_state": [("random_state", ["seed", -1, 1.5, 2**32, np.random.default_rng(0)])],
    "init": [(INIT, ["text", [1, 2, 3, "x"], [1, 2, 3, math.nan], [1, 2, -math.inf, 3], {"a": 1}, [[1, 2], [3]]])],
    "class_weight": [
        (CLASS_WEIGHT, ["balance", "", 5, True, [1.0, 2.0]]),
        (CLASS_WEIGHT, [{0: value} for value in [0, -1, math.inf, *NOT_NUMBERS]]),
    ],
    "epsilon": [("None or a finite number above 0", [*SOME_NOT_NUMBERS, *NOT_POSITIVE, *TOO_LARGE])],
    "max_errors": [("a finite number of at least 0", [*NOT_NUMBERS, -1, -1e-9, *TOO_LARGE])],
    "stop": [("None or a function of best, t, t_last_update", ["never", 0, True, 1.0, [print], float])],
    "kernel": [("'rbf', 'poly', 'linear', 'precomputed' or a function of two tables", ["RBF", "", None, 1, True, int])],
    "gamma": [("'scale' or a finite number above 0", ["auto", "Scale", *NOT_ABOVE_0])],
    "degree": [("an integer of at least 1", [*NOT_WHOLE, None])],
    "coef0": [("a finite number of at least 0", [*NOT_NUMBERS, -1, -1e-9, *TOO_LARGE])],
    "max_support": [("None or an integer of at least 1", NOT_WHOLE)],
    "held_out": [
        (
            "None or a number above 0 and below 1",
            ["0.1", True, np.True_, 1j, [0.1], math.nan, 0, 1, -0.1, 1.5, math.inf],
        )
    ],
    "patience": [("an integer of at least 1", [*NOT_WHOLE, None])],
    "epsilon_kind": [("one of 'relative', 'absolute'", ["rel", "", None, True, 0])],
    "shift": [("True or False", [0, 1, None, "yes"])],
    "solver": [("'kozinec', 'mdm', 'away', 'wolfe'", ["Wolfe", "smo", "", None, 0, True, ["mdm"]])],
    "screening": [("None or True or False", [0, 1, "yes", "None"])],
    "n_components": [("'bic' or an integer of at least 1", ["BIC", "aic", None, *NOT_WHOLE])],
    "max_components": [("an integer of at least 1", [*NOT_WHOLE, None])],
    "covariance_type": [("one of 'full', 'diag', 'tied'", ["diagonal", "Full", "", None, 0, True])],
    "ridge": [("a finite number of at least 0", [*NOT_NUMBERS, -1, -1e-9, *TOO_LARGE])],
    "max_iter": [("an integer of at least 1", [*NOT_WHOLE, None])],
}
OWN: dict[type[Any], Bad] = {  # what a parameter may not be in this estimator, though another has one of that name
    Kozinec: {
        "bias": [("'free' or a finite number of at least 0 or True or False", ["Free", *NOT_BIAS, -1, *TOO_LARGE])]
    },
    Anderson: {
        "epsilon": [("a finite number above 0", NOT_ABOVE_0)],
        "max_error": [("None or a number above 0 and below 0.5", ["0.1", True, 1j, [0.1], math.nan, 0, 0.5, -0.1, 2])],
        "solver": [("one of 'auto', 'ascent', 'bahadur', 'gradient'", ["Ascent", "sgd", "", None, 0, True])],
    },
    Pocket: {"order": [(DRAWN, ["first", "worst", "shufled", "", None, 3, ["cyclic"]])]},
    BatchPerceptron: {
        "patience": [("None or an integer of at least 1", NOT_WHOLE)],
        "learning_rate": [
            ("'1/t' or a finite number above 0 or a function of t = 1, 2, ...", ["1/T", float, *NOT_ABOVE_0])
        ],
    },
    KernelPerceptron: {
        "order": [(DRAWN, ["first", "worst", "shufled", "", None, 3, ["cyclic"]])],
        "average": [("one of None, 'averaged' or True or False", ["avg", "voted", 0, 1])],
    },
}
CASES = [
    pytest.param(estimator, name, expected, value, id=f"{estimator.__name__}-{name}-{str(value)[:20]}")
    for estimator in EVERY
    for name in inspect.signature(estimator).parameters
    for expected, values in {**BAD, **OWN.get(estimator, {})}[name]
    for value in values
]


def ways_to_learn(model: Any) -> list[Any]:
    """`fit`, and `partial_fit` where there is one."""
    if type(model) not in ONLINE:
        assert not hasattr(model, "partial_fit")
        return [model.fit]
    return [model.fit, lambda X, y: model.partial_fit(X, y, classes=[0, 1])]


class Untouchable:
    """Data that must not be looked at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the data was touched: {name}")


@pytest.mark.parametrize(("estimator", "name", "expected", "value"), CASES)
def test_bad_values_are_refused_before_the_data_is_touched(
    estimator: type[Any], name: str, expected: str, value: Any
) -> None:
    """Not in the constructor, which by scikit-learn's rule only keeps what it is given."""
    model = estimator(**{name: value})
    assert model.get_params()[name] is value
    for learn in ways_to_learn(model):
        with pytest.raises(ParameterError) as caught:
            learn(Untouchable(), Untouchable())
        message = str(caught.value)
        assert name in message
        assert expected in message
        assert repr(value) in message
    assert set(vars(model)) == set(model.get_params())  # still unfitted


@pytest.mark.parametrize("estimator", ONLINE)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": [1, 2]}, "init must have shape (4,), the weights of 3 features and then the bias weight, not (2,)."),
        ({"init": [[1, 2, 3, 4]]}, "not (1, 4)"),
        ({"init": 1.0}, "not ()"),
        ({"class_weight": {0: 1.0, 7: 1.0}}, "class_weight names 7, which is not one of the classes [0, 1]"),
        ({"class_weight": {"0": 1.0}}, "class_weight names '0', which is not one of the classes [0, 1]"),
    ],
    ids=str,
)
def test_what_does_not_fit_the_data_is_refused(estimator: type[Any], parameters: Any, message: str) -> None:
    for learn in ("fit", "partial_fit"):
        model = estimator(**parameters)
        with pytest.raises(ParameterError, match=re.escape(message)):
            getattr(model, learn)(X, Y, **({"classes": [0, 1]} if learn == "partial_fit" else {}))
        assert set(vars(model)) == set(model.get_params())


@pytest.mark.parametrize("shape", [(4,), (2, 4), (3, 3)])
def test_init_for_three_classes_has_a_row_for_each(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"bias weight for each class, not {shape}.")):
        Perceptron(init=np.ones(shape)).fit(X, [0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize("estimator", ONLINE)
def test_balanced_weights_cannot_be_known_in_a_stream(estimator: type[Any]) -> None:
    model = estimator(class_weight="balanced")
    with pytest.raises(ParameterError, match="class_weight='balanced' needs all rows"):
        model.partial_fit(Untouchable(), Untouchable(), classes=[0, 1])
    with pytest.raises(ParameterError, match="class_weight='balanced' needs all rows"):
        model.learn_one(X[0], Untouchable(), classes=[0, 1])
    assert model.fit(X, Y).stop_reason_.name == "MISTAKE_FREE"


@pytest.mark.parametrize(
    ("model", "nearest"),
    [
        (Perceptron(order="shufled"), "shuffled"),  # type: ignore[arg-type]
        (Perceptron(order="cycle"), "cyclic"),  # type: ignore[arg-type]
        (Perceptron(tie="mistakes"), "mistake"),  # type: ignore[arg-type]
        (Perceptron(average="average"), "averaged"),  # type: ignore[arg-type]
        (PassiveAggressive(order="wrost"), "worst"),  # type: ignore[arg-type]
        (PassiveAggressive(variant="III"), "II"),  # type: ignore[arg-type]
        (Kozinec(solver="kozinetz"), "kozinec"),  # type: ignore[arg-type]
        (Kozinec(solver="wolf"), "wolfe"),  # type: ignore[arg-type]
        (Kozinec(solver="MDM"), "mdm"),  # type: ignore[arg-type]
        (KernelPerceptron(kernel="RBF"), "rbf"),  # type: ignore[arg-type]
        (BatchPerceptron(learning_rate="1/T"), "1/t"),  # type: ignore[arg-type]
        (BatchPerceptron(tie="positiv"), "positive"),  # type: ignore[arg-type]
        (Pocket(order="randomly"), "random"),  # type: ignore[arg-type]
        (KernelPerceptron(kernel="polynomial"), "poly"),  # type: ignore[arg-type]
        (KernelPerceptron(kernel="rbff"), "rbf"),  # type: ignore[arg-type]
        (KernelPerceptron(gamma="scaled"), "scale"),  # type: ignore[arg-type]
        (KernelPerceptron(average="voted-averaged"), "averaged"),  # type: ignore[arg-type]
    ],
)
def test_a_near_miss_is_answered_with_the_word_that_was_meant(model: Any, nearest: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"did you mean '{nearest}'?")):
        model.fit(X, Y)


def test_a_far_miss_is_answered_without_a_guess() -> None:
    with pytest.raises(ParameterError, match=r"not 'alphabetical'\.$"):
        Perceptron(order="alphabetical").fit(X, Y)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (Perceptron, {"bias": 0}),
        (Perceptron, {"bias": np.float64(2.0), "learning_rate": np.float32(0.5), "margin": np.int64(1)}),
        (Perceptron, {"learning_rate": 5e-324, "max_epochs": np.int64(100)}),
        (Perceptron, {"learning_rate": 2**70, "max_epochs": 10**30}),
        (Perceptron, {"order": np.str_("cyclic"), "random_state": np.random.RandomState(3)}),
        (Perceptron, {"random_state": np.int64(7), "init": (0, 0, 0, 0), "class_weight": {0: np.float64(2.0)}}),
        (Perceptron, {"random_state": 2**32 - 1, "init": np.zeros(4, dtype=np.int8), "class_weight": {}}),
        (PassiveAggressive, {"C": math.inf, "random_state": None}),
        (PassiveAggressive, {"C": math.inf, "variant": "II", "bias": 0}),
        (PassiveAggressive, {"C": 1e-300}),
        (PassiveAggressive, {"C": 10**300, "variant": "II"}),
        (PassiveAggressive, {"C": np.int64(3), "bias": np.float32(0.5), "class_weight": {np.int64(1): 2}}),
        (Kozinec, {"bias": 0}),
        (Kozinec, {"bias": np.float64(2.0), "epsilon": np.float32(0.5), "C": np.int64(3)}),
        (Kozinec, {"bias": np.str_("free"), "solver": np.str_("mdm"), "max_epochs": np.int64(1000)}),
        (Kozinec, {"epsilon_kind": np.str_("absolute"), "screening": np.True_, "max_epochs": 10**30}),
        (Kozinec, {"epsilon": 1e308, "C": math.inf}),
        (Kozinec, {"epsilon": None, "bias": 1e-300}),
        (Kozinec, {"C": 10**300}),
        (Kozinec, {"C": 1e-300}),
        (BatchPerceptron, {"learning_rate": np.float32(0.5), "patience": None, "max_errors": np.int64(0), "bias": 0}),
        (
            BatchPerceptron,
            {"learning_rate": Fraction(1, 3), "max_epochs": 10**30, "stop": lambda best, *_: best.errors == 0},
        ),
        (BatchPerceptron, {"learning_rate": 1e300, "bias": 1e-300, "patience": np.int64(9)}),
        (BatchPerceptron, {"learning_rate": np.str_("1/t"), "class_weight": {0: 1e-300}, "init": (0, 0, 0, 0)}),
        (BatchPerceptron, {"learning_rate": lambda t: Fraction(1, t), "max_errors": 1e-300}),
        (Pocket, {"bias": 0}),
        (Pocket, {"max_epochs": 10**30, "order": np.str_("random")}),
        (Pocket, {"class_weight": {1: 1e300}}),
        (KernelPerceptron, {"gamma": np.float64(0.25), "degree": np.int64(3), "kernel": "poly", "coef0": 0, "bias": 0}),
        (KernelPerceptron, {"kernel": "linear", "max_support": 10**30, "max_epochs": 10**30}),
        (KernelPerceptron, {"gamma": 1e300, "random_state": np.int64(3)}),
        (KernelPerceptron, {"kernel": lambda X, Z: X @ Z.T, "bias": 0, "margin": np.float32(1.5)}),
    ],
    ids=lambda value: str(value).split(" at 0x")[0],
)
def test_extreme_values_are_accepted(estimator: type[Any], parameters: dict[str, Any]) -> None:
    """And learn: the rows are separable through the origin, by margins that all of these budgets reach."""
    model = estimator(**parameters).fit(X, Y)
    assert model.stop_reason_ in ("mistake_free", "gap_closed", "separated")
    assert model.predict(X).tolist() == Y.tolist()
    assert model.bias != 0 or not hasattr(model, "intercept_") or model.intercept_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (Perceptron, ["learning_rate"]),
        (Perceptron, ["bias", "margin"]),
        (PassiveAggressive, ["C"]),
        (Kozinec, ["epsilon"]),
        (Kozinec, ["bias", "C"]),
        (BatchPerceptron, ["learning_rate", "max_errors", "bias"]),
        (Pocket, ["bias"]),
        (KernelPerceptron, ["gamma", "coef0", "bias", "margin"]),
        (Anderson, ["ridge", "epsilon", "max_error"]),
    ],
    ids=str,
)
def test_a_fraction_is_taken_for_the_float_that_it_is(estimator: type[Any], names: list[str]) -> None:
    exact = estimator(**dict.fromkeys(names, Fraction(1, 4))).fit(X, Y)
    model = estimator(**dict.fromkeys(names, 0.25)).fit(X, Y)
    assert exact.decision_function(X).tobytes() == model.decision_function(X).tobytes()


def test_a_budget_of_support_points_and_their_mean_exclude_each_other() -> None:
    with pytest.raises(ParameterError, match=re.escape("KernelPerceptron(average=...) needs all support points")):
        KernelPerceptron(max_support=5, average="averaged").fit(Untouchable(), Untouchable())


OTHER: dict[str, Any] = {
    "order": "worst",
    "tie": "positive",
    "average": "voted",
    "variant": "II",
    "learning_rate": 0.25,
    "C": 7.0,
    "bias": 3.0,
    "margin": 0.5,
    "max_epochs": 17,
    "warm_start": True,
    "random_state": 42,
    "init": np.array([1.0, 2.0, 3.0, 4.0]),
    "class_weight": {0: 2.0},
    "held_out": 0.25,
    "patience": 7,
    "epsilon": 0.5,
    "epsilon_kind": "absolute",
    "shift": True,
    "solver": "mdm",
    "screening": True,
    "max_errors": 0.5,
    "stop": lambda *_: False,
    "kernel": "poly",
    "gamma": 0.25,
    "degree": 2,
    "coef0": 0.5,
    "max_support": 5,
    "n_components": "bic",
    "max_components": 1,
    "covariance_type": "diag",
    "ridge": 0.25,
    "max_iter": 50,
}
OWN_OTHER: dict[type[Any], dict[str, Any]] = {
    Pocket: {"order": "cyclic"},
    Anderson: {"solver": "gradient", "max_error": 0.25},
    KernelPerceptron: {"order": "cyclic", "average": None},  # the default of average: it excludes max_support
}


@pytest.mark.parametrize("estimator", EVERY)
def test_parameters_make_the_round_trip(estimator: type[Any]) -> None:
    """Through the constructor, get_params, set_params and clone; nothing is renamed, converted or shared."""
    names = set(inspect.signature(estimator).parameters)
    other = {name: {**OTHER, **OWN_OTHER.get(estimator, {})}[name] for name in names}
    model = estimator(**other)
    assert names == set(model.get_params())
    assert all(model.get_params()[name] is value for name, value in other.items())
    same = [name for name, value in estimator().get_params().items() if value is other[name]]
    assert same == (["average"] if estimator is KernelPerceptron else [])
    changed = estimator().set_params(**model.get_params())
    assert all(changed.get_params()[name] is value for name, value in other.items())
    twin = clone(model)
    assert all(np.array_equal(twin.get_params()[name], value) for name, value in other.items())
    assert estimator(**twin.get_params()).fit(X, Y).predict(X).tolist() == model.fit(X, Y).predict(X).tolist()
    if "init" in names:
        assert twin.init is not model.init
        assert model.init.tolist() == [1.0, 2.0, 3.0, 4.0]  # learning started from a copy
    with pytest.raises(ValueError, match="epochs"):
        model.set_params(epochs=3)
    with pytest.raises(TypeError, match=r"epochs|takes no arguments"):
        estimator(epochs=3)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        *((each, "order") for each in ONLINE),
        (Kozinec, "solver"),
        (BatchPerceptron, "learning_rate"),
        (KernelPerceptron, "kernel"),
    ],
)
def test_parameters_set_to_a_bad_value_leave_what_was_learned(estimator: type[Any], name: str) -> None:
    model = estimator().fit(X, Y)
    before = model.decision_function(X).tobytes(), model.n_updates_
    model.set_params(**{name: "sorted"})
    for learn in ways_to_learn(model):
        with pytest.raises(ParameterError, match=name):
            learn(-X, Y)
    assert (model.decision_function(X).tobytes(), model.n_updates_) == before
    assert model.predict(X).tolist() == Y.tolist()


@pytest.mark.parametrize("estimator", [*ONLINE, Kozinec, BatchPerceptron, KernelPerceptron])
def test_a_bias_of_true_is_one_and_of_false_is_none(estimator: type[Any]) -> None:
    for word, number in ((True, 1.0), (False, 0.0), (np.True_, 1.0)):
        one, other = (estimator(bias=bias).fit(X, Y).decision_function(X).tobytes() for bias in (word, number))
        assert one == other


@pytest.mark.parametrize("estimator", [Perceptron, KernelPerceptron])
def test_an_average_of_true_is_averaged(estimator: type[Any]) -> None:
    for word, meant in ((True, "averaged"), (False, None)):
        one, other = (estimator(average=a).fit(X, Y).decision_function(X).tobytes() for a in (word, meant))
        assert one == other

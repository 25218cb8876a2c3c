"""Built-in data sets: contents, facts, and wrong names and options."""

import dataclasses
import itertools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.datasets

from rosenblatt import Hyperplane, McCullochPittsNeuron, ParameterError, Perceptron, separability
from rosenblatt.datasets import Dataset, load, names, options
from rosenblatt.datasets.catalogue import ENTRIES

TWO = [name for name in names() if not name.startswith("berkeley_") or name == "berkeley_points"]
SEEDED = [name for name in names() if "seed" in options(name)]
GATES: dict[str, Callable[[tuple[int, ...]], bool]] = {
    "and": all,
    "or": any,
    "nand": lambda bits: not all(bits),
    "nor": lambda bits: not any(bits),
    "majority": lambda bits: 2 * sum(bits) > len(bits),
    "xor": lambda bits: sum(bits) % 2 == 1,
}


def dense(X: Any) -> Any:
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def rows(X: Any) -> list[list[float]]:
    return [list(row) for row in dense(X).tolist()]


def same(a: Dataset, b: Dataset) -> bool:
    return np.array_equal(dense(a.X), dense(b.X)) and a.y.tolist() == b.y.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# What a dataset is


@pytest.mark.parametrize("name", names())
def test_each_is_rows_labels_and_words(name: str) -> None:
    data = load(name)
    X, y = data
    n, d = X.shape
    assert data.name == name
    assert X.dtype == np.float64
    assert scipy.sparse.issparse(X) == (name == "sparse_text")
    assert y.shape == (n,)
    assert data.classes == sorted(set(y.tolist()))
    assert data.description.endswith(".")
    assert data.source
    if data.feature_names is None:
        assert type(X) is np.ndarray
    else:
        assert len(data.feature_names) == d
        assert X.columns == X[:1].columns == data.feature_names
    assert repr(data) == f"<Dataset {name}: {n} rows x {d} columns, {len(data.classes)} classes>"


@pytest.mark.parametrize("name", TWO)
def test_what_is_said_of_each_is_found_by_proof(name: str) -> None:
    data = load(name)
    verdict = separability(*data)
    assert verdict.kind == data.facts.get("kind", verdict.kind)
    assert verdict.certificate is not None
    assert verdict.certificate.verify(*data)
    if "margin" in data.facts and verdict.kind == "strict":
        assert verdict.margin_bounds is not None
        assert verdict.margin_bounds[0] <= data.facts["margin"] <= verdict.margin_bounds[1]
    if "margin_squared" in data.facts:
        assert verdict.margin_bounds is not None
        low, high = map(Fraction, verdict.margin_bounds)
        assert low**2 <= data.facts["margin_squared"] <= high**2


@pytest.mark.parametrize("name", [name for name in TWO if "hyperplane" in load(name).facts])
def test_a_hyperplane_has_no_row_on_its_wrong_side(name: str) -> None:
    data = load(name)
    if data.facts.get("kind") not in ("strict", "weak"):
        return  # overlapping and drifting rows: their tests say what is true of these
    plane = data.facts["hyperplane"]
    assert isinstance(plane, Hyperplane)
    w, b = list(map(Fraction, plane.w.tolist())), Fraction(plane.b)
    scores = [sum(a * Fraction(x) for a, x in zip(w, row, strict=True) if x) + b for row in rows(data.X)]
    leads = [score if label == data.classes[-1] else -score for score, label in zip(scores, data.y, strict=True)]
    if data.facts["kind"] == "strict":
        assert min(leads) > 0
    assert min(leads) >= 0


@pytest.mark.parametrize("name", [name for name in names() if "radius" in load(name).facts])
def test_no_row_is_longer_than_the_radius(name: str) -> None:
    data = load(name)
    lengths = [sum(Fraction(x) ** 2 for x in row if x) for row in rows(data.X)]
    assert max(lengths) <= Fraction(data.facts["radius"]) ** 2
    assert data.facts["radius"] <= math.sqrt(max(lengths)) * (1 + 1e-15)


def test_it_unpacks_to_what_a_model_fits() -> None:
    X, y = load("iris")
    model = Perceptron().fit(*load("cholesterol"))
    assert model.feature_names_in_.tolist() == ["Normal Cholesterol?", "Abnormal Cholesterol?"]
    assert (len(X), len(y)) == (150, 150)


def test_it_does_not_change_and_is_copied() -> None:
    data = load("and")
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "or"  # type: ignore[misc]
    assert same(pickle.loads(pickle.dumps(data)), data)  # noqa: S301  (our own)


def test_two_loads_share_nothing() -> None:
    first = load("xor")
    first.X[:] = 9
    first.facts["witness"].rows.clear()
    assert load("xor").X.max() == 1
    assert load("xor").facts["witness"].rows == [0, 1, 2, 3]


# ---------------------------------------------------------------------------------------------------------------------
# Lectures


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("inputs", [2, 3, 4])
def test_gates_have_their_truth_tables(name: str, inputs: int) -> None:
    X, y = data = load(name, inputs=inputs)
    table = list(itertools.product((0, 1), repeat=inputs))
    assert list(map(tuple, X.tolist())) == table
    assert y.tolist() == [int(GATES[name](bits)) for bits in table]
    verdict = separability(X, y)
    assert verdict.kind == data.facts["kind"] == ("overlap" if name == "xor" else "strict")
    if name != "xor":
        assert verdict.margin_bounds is not None
        low, high = map(Fraction, verdict.margin_bounds)
        assert low**2 <= data.facts["margin_squared"] == Fraction(1, 4 * inputs) <= high**2
        plane = data.facts["hyperplane"]
        assert (plane.functional_margin(X, 2 * y - 1) >= 0.5).all()
        assert plane.w @ plane.w == inputs


def test_the_not_gate() -> None:
    X, y = load("not")
    assert (X.tolist(), y.tolist()) == ([[0], [1]], [1, 0])


@pytest.mark.parametrize(("name", "inputs", "threshold"), [("or", 2, 1), ("or", 3, 1), ("and", 2, 2), ("and", 3, 3)])
def test_thresholds_of_the_lecture(name: str, inputs: int, threshold: int) -> None:
    X, y = data = load(name, inputs=inputs)
    assert data.facts["threshold"] == threshold
    assert McCullochPittsNeuron(threshold).predict(X.astype(int)).tolist() == y.tolist()


@pytest.mark.parametrize("inputs", [2, 3, 5])
def test_the_witness_of_xor(inputs: int) -> None:
    X, y = data = load("xor", inputs=inputs)
    found, weights = data.facts["witness"]
    for column in [*X.T.tolist(), [1.0] * len(X)]:
        assert sum(weight * (2 * int(y[i]) - 1) * int(column[i]) for i, weight in zip(found, weights, strict=True)) == 0
    assert sum(weights) == 1


def test_the_points_of_cs360() -> None:
    X, y = data = load("cs360_points")
    assert (X.tolist(), y.tolist()) == ([[1, 5], [-3, -2]], [1, -1])
    assert data.facts["hyperplane"].equation(solve_for="x2") == "x2 = 5 - 2 x1"
    assert data.facts["hyperplane"].score(X).tolist() == data.facts["scores"] == [2, -13]


def test_the_cholesterol_table() -> None:
    X, y = load("cholesterol")
    assert X.tolist() == [[1, 0], [1, 0], [0, 1]]
    assert y.tolist() == ["Normal", "Normal", "Abnormal"]
    assert X.columns == ["Normal Cholesterol?", "Abnormal Cholesterol?"]


def steps(data: Dataset, w: list[int], bias: int) -> tuple[list[int], list[bool], list[list[int]]]:
    """Scores, mistakes and weights after each row, as the slides have them: a score of 0 is positive."""
    scores, mistakes, weights = [], [], []
    for x, label in zip(data.X.astype(int).tolist(), data.y.tolist(), strict=True):
        z = [*x, bias]
        score = sum(a * b for a, b in zip(w, z, strict=True))
        mistake = (1 if score >= 0 else -1) != label
        w = [a + label * b for a, b in zip(w, z, strict=True)] if mistake else w
        scores.append(score)
        mistakes.append(mistake)
        weights.append(w)
    return scores, mistakes, weights


def test_the_points_of_cmu() -> None:
    data = load("cmu_points")
    assert data.X.tolist() == [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    assert data.y.tolist() == [-1, 1, 1, -1, -1, 1]
    _, mistakes, weights = steps(data, [0, 0, 0], bias=0)
    assert mistakes == data.facts["mistakes"] == [True, False, True, False, True, False]
    assert weights == data.facts["weights"].tolist()
    assert [w[:2] for w in weights] == [[1, -2], [1, -2], [2, -1], [2, -1], [3, 1], [3, 1]]


def test_the_points_of_berkeley() -> None:
    data = load("berkeley_points")
    assert data.X.tolist() == [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]]
    assert data.y.tolist() == [-1, 1, 1, 1, -1]
    assert data.X.columns == ["f1", "f2"]
    scores, mistakes, weights = steps(data, data.facts["init"].astype(int).tolist(), bias=1)
    assert scores == data.facts["scores"] == [-1, -1, 14, 17, 12]
    assert mistakes == data.facts["mistakes"] == [False, True, False, False, True]
    assert weights == data.facts["weights"].tolist()
    assert weights[-1] == [1, -1, -1]


def test_the_single_rows_of_berkeley() -> None:
    data = load("berkeley_activation")
    assert (data.X.tolist(), data.y.tolist()) == ([[4, 0, 1]], [-1])
    assert data.facts["hyperplane"].score(data.X).tolist() == data.facts["scores"] == [10]
    data = load("berkeley_three_classes")
    assert (data.X.tolist(), data.y.tolist()) == ([[-2, 3, 1]], [2])
    assert (data.facts["init"] @ data.X[0]).tolist() == data.facts["scores"] == [11, 13, 8]
    assert data.facts["weights"].tolist() == [[-2, 2, 1], [2, 0, 3], [-1, 7, -1]]


# ---------------------------------------------------------------------------------------------------------------------
# Well-known tables


@pytest.mark.parametrize(
    ("name", "loader", "classes"),
    [
        ("iris", "load_iris", ["setosa", "versicolor", "virginica"]),
        ("wine", "load_wine", ["class_0", "class_1", "class_2"]),
        ("wdbc", "load_breast_cancer", ["benign", "malignant"]),
        ("digits", "load_digits", list(range(10))),
    ],
)
def test_tables_are_those_of_scikit_learn(name: str, loader: str, classes: list[Any]) -> None:
    data, bunch = load(name), getattr(sklearn.datasets, loader)()
    assert data.classes == classes
    assert rows(data.X) == bunch.data.tolist()
    assert data.y.tolist() == [bunch.target_names[k] for k in bunch.target]
    assert data.feature_names == list(bunch.feature_names)


def test_what_is_said_of_iris() -> None:
    X, y = load("iris")
    pairs = separability(X, y).pairs
    assert {pair: verdict.kind for pair, verdict in pairs.items()} == {
        ("setosa", "versicolor"): "strict",
        ("setosa", "virginica"): "strict",
        ("versicolor", "virginica"): "overlap",
    }
    assert separability(X, y == "setosa").kind == "strict"


# ---------------------------------------------------------------------------------------------------------------------
# Names and options


@pytest.mark.parametrize("name", SEEDED)
def test_the_same_seed_gives_the_same_bits_and_another_does_not(name: str) -> None:
    assert same(load(name), load(name, seed=0))
    assert same(load(name, seed=7), load(name, seed=np.int64(7)))
    assert not same(load(name, seed=7), load(name, seed=8))


@pytest.mark.parametrize("name", [name for name in SEEDED if "rows" in options(name)])
def test_sizes_are_those_asked_for(name: str) -> None:
    given = {"columns": 6} if "columns" in options(name) else {}
    assert load(name, rows=57, **given).X.shape == (57, given.get("columns", 2))


@pytest.mark.parametrize("name", ["planted margin", "planted-margin", " Planted_Margin "])
def test_names_may_be_spelled_with_spaces_or_hyphens(name: str) -> None:
    assert load(name).name == "planted_margin"


def test_the_names_are_a_new_list() -> None:
    names().clear()
    assert {"and", "or", "not", "nand", "nor", "majority", "xor", "iris", "wine", "wdbc", "digits"} <= set(names())
    assert len(set(names())) == len(names())


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("irsi", "not 'irsi'; did you mean 'iris'?"),
        ("plantedmargin", "not 'plantedmargin'; did you mean 'planted_margin'?"),
        ("zzz", "not 'zzz'."),
        (3, "not 3."),
        (None, "not None."),
    ],
)
def test_a_name_that_is_wrong(name: Any, end: str) -> None:
    with pytest.raises(ParameterError) as caught:
        load(name)
    assert str(caught.value) == f"load(name) must be one of datasets.names(), {end}"


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("iris", {"seed": 1}, "An option of load('iris') must be left out, as there are none, not 'seed'."),
        (
            "integer grid",
            {"sise": 1},
            "An option of load('integer_grid') must be one of 'size', 'columns', 'seed', not 'sise'; "
            "did you mean 'size'?",
        ),
        ("planted_margin", {"rows": 4}, "load('planted_margin', rows=...) must be an integer of at least 5, not 4."),
        (
            "planted_margin",
            {"seed": 1.0},
            "load('planted_margin', seed=...) must be an integer of at least 0, not 1.0.",
        ),
        (
            "overlapping",
            {"distance": "x"},
            "load('overlapping', distance=...) must be a number from 0 to 1000, not 'x'.",
        ),
        ("xor", {"inputs": 2.0}, "load('xor', inputs=...) must be an integer from 2 to 16, not 2.0."),
        ("and", {"inputs": 17}, "load('and', inputs=...) must be an integer from 2 to 16, not 17."),
        ("and", {"inputs": True}, "load('and', inputs=...) must be an integer from 2 to 16, not True."),
    ],
)
def test_an_option_that_is_wrong(name: str, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        load(name, **wrong)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, None])
def test_numbers_that_are_none(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"load\('planted_margin', margin=...\) must be a number from 1e-100 to"):
        load("planted_margin", margin=value)


def test_options_of_each_are_known_with_their_defaults() -> None:
    for name in names():
        entry = ENTRIES[name]
        for option, default in options(name).items():
            assert entry.options[option].allows(default)
        assert same(load(name, **options(name)), load(name))

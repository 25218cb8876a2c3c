"""Columns that tell the label: what is named, and what is not."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.certificate.exact_table import Table
from rosenblatt.proof.columns.levels import level_groups, treatment_coded_table
from rosenblatt.proof.columns.telling_columns import Telling, telling_columns
from rosenblatt.report.telling_words import sentence, telling_sentences


def found(columns: dict[str, list[float]], y: list[object]) -> list[Telling]:
    labels = sorted(set(y), key=str)
    codes = np.array([labels.index(label) for label in y])
    floats = np.array(list(columns.values()), dtype=float).T
    dense = telling_columns(Table(np.ascontiguousarray(floats), {}, list(columns)), codes, labels)
    sparse = telling_columns(Table(scipy.sparse.csr_array(floats), {}, list(columns)), codes, labels)
    assert [one for one in dense if one.kind != "value"] == [one for one in sparse if one.kind != "value"]
    return dense


TWO = ["a"] * 12 + ["b"] * 18
NOISE = [float(i * 7 % 11) for i in range(30)]


def test_an_identifier_that_is_sorted_by_class() -> None:
    told = found({"id": [float(i) for i in range(30)], "x": NOISE}, list(TWO))
    assert [(one.kind, one.column, one.rows) for one in told] == [("label", "id", 30)]
    assert sentence(told[0]) == "id alone separates the classes: up to 11 'a', from 12 'b'"


def test_one_class_of_three() -> None:
    y = [*["a"] * 10, *["b"] * 10, *["c"] * 10]
    told = found({"x": [*[1.0, 2.0] * 5, *NOISE[:20]], "z": [*NOISE[:20], *[99.0] * 10]}, list(y))
    assert [sentence(one) for one in told] == ["z alone separates 'c' from the others: up to 10 the others, at 99 'c'"]
    told = found({"code": [*[5.0] * 10, *[1.0, 2.0] * 5, *[3.0] * 10]}, list(y))
    assert [sentence(one) for one in told] == ["code alone tells the class: 'b' from 1 to 2, 'c' at 3, 'a' at 5"]


def test_a_level_of_a_category() -> None:
    """Of 18 rows of class b, 14 have the level u, which no other row has."""
    u = [0.0] * 12 + [1.0] * 14 + [0.0] * 4
    v = [1.0 - one for one in u]
    told = found({"race=u": u, "race=v": v, "x": NOISE}, list(TWO))
    assert [(one.kind, one.column, one.value, one.label, one.rows) for one in told] == [("value", "race", "u", "b", 14)]
    assert sentence(told[0]) == "race = 'u' occurs only in class 'b' (14 rows)"


def test_a_category_that_tells_everything() -> None:
    levels = {f"race={word}": [float(i % 3 == k and i < 12) for i in range(30)] for k, word in enumerate("pqr")}
    levels["race=s"] = [float(i >= 12) for i in range(30)]
    assert [sentence(one) for one in found(levels, list(TWO))] == ["each value of race occurs in one class only"]


def test_rare_levels_and_identifiers_as_words_are_no_leaks() -> None:
    """A level of two rows is pure by chance; a level for each row is always pure."""
    rare = [float(i in (3, 4)) for i in range(30)]
    assert found({"race=u": rare, "race=v": [1 - one for one in rare]}, list(TWO)) == []
    assert found({f"name={k}": [float(i == k) for i in range(30)] for k in range(30)}, list(TWO)) == []


def test_a_large_class_is_often_pure() -> None:
    """With 990 of 1,000 rows in a class, 60 rows are all of this class with a probability of 0.5."""
    y = ["no"] * 990 + ["yes"] * 10
    level = [float(i < 60) for i in range(1000)]
    assert found({"site=u": level, "site=v": [1 - one for one in level]}, list(y)) == []


def test_random_labels_raise_no_alarm() -> None:
    """The bar is a probability of 1 in 1,000 for each table."""
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, 4, (40, 3)), rng.normal(size=(40, 3))])
        columns = {f"x{j}": X[:, j].tolist() for j in range(6)}
        alarms += bool(found(columns, rng.integers(0, 2, 40).tolist()))
    assert alarms <= 2


def test_numbers_of_sparse_rows() -> None:
    X = np.zeros((30, 2))
    X[12:28, 0], X[12:28, 1] = 1.0, 2.5
    X[0, 1] = 1.0
    table = Table(scipy.sparse.csr_array(X), {})
    codes = np.array([0] * 12 + [1] * 18)
    assert [sentence(one) for one in telling_columns(table, codes, ["a", "b"])] == [
        "x1 = 1 occurs only in class 'b' (16 rows)"
    ]
    X[0, 1], X[20, 0] = 0.0, 3.0
    told = telling_columns(Table(scipy.sparse.csr_array(X), {}), codes, ["a", "b"])
    assert sentence(told[0]) == "x1 other than 0 occurs only in class 'b' (16 rows)"


def test_few_sentences() -> None:
    many = [Telling("value", f"c{k}", 9, "a", "u") for k in range(8)]
    assert telling_sentences(many)[-1] == "and 3 more"


@pytest.mark.parametrize("sparse", [False, True])
def test_levels_in_treatment_coding(sparse: bool) -> None:
    X = np.array([[1.0, 0, 5, 1], [0, 1, 6, 0], [1, 0, 7, 0]])
    table = Table(scipy.sparse.csr_array(X) if sparse else X, {1: {2: 2**70}}, ["d=A", "d=B", "age", "e=x"])
    assert level_groups(table) == {"d": [0, 1], "e": [3]}
    coded = treatment_coded_table(table)
    assert coded.names == ["d[B]", "age", "e=x"]  # the category e is missing in some rows
    assert coded.large == {1: {1: 2**70}}
    assert (coded.floats.toarray() if sparse else coded.floats).tolist() == [[0, 5, 1], [1, 6, 0], [0, 7, 0]]
    assert treatment_coded_table(Table(X, {})).names is None

"""What is taken as X and y: every door takes the same, as the same numbers, and refuses the rest with the same words.

The examples are in tests/support/given_tables.py and given_labels.py; docs/inputs.md has the same tables.
"""

import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from rosenblatt import (
    DataError,
    KernelPerceptron,
    Kozinec,
    Perceptron,
    Scaling,
    error_bounds,
    mistake_bound,
    read,
    separability,
    trace,
    write,
)
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.data import validation
from tests.support.given_labels import COLUMNS
from tests.support.given_tables import LABELS, LARGE, LISTS, NUMBERS, TABLES, Row, last
from tests.support.places import ROOT

MODEL = Perceptron().fit(NUMBERS, LABELS)
CERTIFICATE: Any = separability(LISTS, LABELS).certificate

Door = Callable[[Any, Any, Path], Any]
DOORS: dict[str, Door] = {
    "fit": lambda X, y, _: Perceptron().fit(X, y),
    "partial_fit": lambda X, y, _: Perceptron().partial_fit(X, y, classes=[0, 1]),
    "predict": lambda X, _, __: MODEL.predict(X),
    "separability": lambda X, y, _: separability(X, y),
    "error_bounds": lambda X, y, _: error_bounds(X, y),
    "mistake_bound": lambda X, y, _: mistake_bound(X, y),
    "trace": lambda X, y, _: trace(Perceptron(), X, y),
    "Kozinec": lambda X, y, _: Kozinec().fit(X, y),
    "verify": lambda X, y, _: CERTIFICATE.verify(X, y),
    "KernelPerceptron": lambda X, y, _: KernelPerceptron().fit(X, y),
    "Scaling": lambda X, _, __: Scaling(how="divide").fit(X),
    "write": lambda X, y, folder: write(X, y, folder / "rows.npz"),
}
OF_LABELS = [door for door in DOORS if door not in ("predict", "Scaling", "partial_fit")]


def cases(rows: dict[str, Row], answer: str) -> Any:
    return [
        pytest.param(row, make, id=f"{name}: {case}")
        for name, row in rows.items()
        if row.answer == answer
        for case, make in row.cases.items()
    ]


def stored(matrix: Any) -> list[list[float]]:
    return (matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(("row", "make"), cases(TABLES, "taken"))
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
@pytest.mark.filterwarnings("ignore:X (does not have|has feature names)")
def test_every_door_takes_the_table_as_the_same_numbers(row: Row, make: Callable[[], Any], tmp_path: Path) -> None:
    exact = [[Fraction(cell) for cell in cells] for cells in row.stands_for]
    nearest = [[float(cell) for cell in cells] for cells in exact]
    table = read_table(make())
    assert [[Fraction(*table.row(i).get(j, (0, 1))) for j in range(2)] for i in range(4)] == exact
    assert stored(validation.points(make())) == nearest
    assert Perceptron().fit(make(), LABELS).coef_.tolist() == Perceptron().fit(nearest, LABELS).coef_.tolist()
    whole = [[int(2 * cell) for cell in cells] for cells in exact]  # twice the numbers, as integers
    assert separability(make(), LABELS).kind == separability(whole, LABELS).kind == "strict"
    made = separability(make(), LABELS).certificate
    assert made is not None
    assert made.verify(make(), LABELS)
    assert bool(CERTIFICATE.verify(make(), LABELS)) == (exact == LISTS)
    for name, door in DOORS.items():
        if name != "write":
            door(make(), LABELS, tmp_path)
    if nearest == exact:
        write(make(), LABELS, tmp_path / "rows.npz")
        assert stored(read(tmp_path / "rows.npz").X) == nearest
    else:
        with pytest.raises(DataError, match=f"{LARGE} would be rounded to {LARGE - 1}: row 3, column"):
            write(make(), LABELS, tmp_path / "rows.npz")


@pytest.mark.parametrize(("row", "make"), cases(TABLES, "refused"))
def test_every_door_refuses_the_table_with_the_same_words(row: Row, make: Callable[[], Any], tmp_path: Path) -> None:
    said = set()
    for door in DOORS.values():
        with pytest.raises(DataError, match=row.stands_for) as caught:
            door(make(), LABELS, tmp_path)
        said.add(re.sub(r"0x[0-9a-f]+", "", str(caught.value)))
    assert len(said) == 1
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("row", "make"), cases(COLUMNS, "taken"))
def test_every_door_takes_the_same_labels(row: Row, make: Callable[[], Any], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        for door in OF_LABELS:
            DOORS[door](LISTS, make(), tmp_path)
        assert Perceptron().fit(NUMBERS, make()).predict(NUMBERS).tolist() == row.stands_for
        verdict = separability(LISTS, make())
        certificate = separability(LISTS, row.stands_for).certificate
    assert verdict.classes == sorted(set(row.stands_for))
    assert verdict.certificate is not None
    assert certificate is not None
    assert verdict.certificate.verify(LISTS, make())
    assert certificate.verify(LISTS, make())
    write(LISTS, make(), tmp_path / "labels.npz")
    assert read(tmp_path / "labels.npz").y.tolist() == row.stands_for


@pytest.mark.parametrize(("row", "make"), cases(COLUMNS, "refused"))
def test_every_door_refuses_the_same_labels(row: Row, make: Callable[[], Any], tmp_path: Path) -> None:
    said = set()
    for door in OF_LABELS:
        if row.stands_for == "continuous" and door == "write":  # it stores numbers of every kind
            continue
        with pytest.raises(DataError, match=row.stands_for) as caught:
            DOORS[door](LISTS, make(), tmp_path)
        said.add(str(caught.value))
    assert len(said) == 1


def test_integers_beyond_the_floats_are_exact_in_proofs_and_refused_elsewhere() -> None:
    huge = last(10**400)
    assert separability(huge, LABELS).kind == "strict"
    assert read_table(huge).row(3) == {0: (1, 1), 1: (10**400, 1)}
    for door in (Perceptron().fit, Kozinec().fit):
        with pytest.raises(DataError, match=r"fit a float64: row 3, column 1 is 1000"):
            door(huge, LABELS)


@pytest.mark.parametrize("x", [["1", "0"], [b"1", 0], [np.datetime64("2020-01-01"), 0], [Fraction(1, 3), 0], [None, 0]])
def test_one_row_is_taken_like_a_table(x: list[Any]) -> None:
    for call in (MODEL.predict_one, lambda x: Perceptron().fit(NUMBERS, LABELS).learn_one(x, 1)):
        with pytest.raises(DataError, match="row 0, column 0 is "):
            call(x)
    assert MODEL.predict_one([Fraction(1, 2), Decimal(3)]) == MODEL.predict_one(np.array([0.5, 3.0]))


@pytest.mark.parametrize(("heading", "rows"), [("Rows", TABLES), ("Labels", COLUMNS)])
def test_the_documentation_has_the_same_table(heading: str, rows: dict[str, Row]) -> None:
    page = (ROOT / "docs" / "inputs.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    written = re.findall(r"^\| (.*?) \| (taken|refused)\b", section, re.MULTILINE)
    assert dict(written) == {name: row.answer for name, row in rows.items()}
    assert len(written) == len(rows)


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("indptr", [[0, -2, 3, 3, 3], [0, 2**30, 3, 3, 3], [1, 2, 3, 3, 3], [0, 1]])
def test_every_door_refuses_wild_pointers_of_sparse_matrices(kind: str, indptr: list[int], tmp_path: Path) -> None:
    X = sparse.csr_array((4, 4), dtype=np.int64) if kind == "csr" else sparse.csc_array((4, 4), dtype=np.int64)
    X.data, X.indices, X.indptr = np.ones(3, np.int64), np.arange(3), np.array(indptr)
    for door in DOORS.values():
        with pytest.raises(DataError, match=f"X is not a valid {kind.upper()} matrix"):
            door(X, LABELS, tmp_path)


def test_what_a_sparse_matrix_stores_beyond_its_last_row_does_not_count() -> None:
    X = sparse.csr_array(NUMBERS)
    X.data, X.indices = np.append(X.data, np.nan), np.append(X.indices, np.int32(9))
    assert CERTIFICATE.verify(X, LABELS)

"""Tables keep every number exactly, in any storage, and equal data have equal digests."""

import contextlib
import re
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rosenblatt import DataError
from rosenblatt.certificate import exact_table as table_module
from rosenblatt.certificate.exact_table import Table, read_table

Cell = int | float
Cells = list[list[Cell]]
ENDS = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1.7976931348623157e308, 0.1, 1.0]
LARGE = [2**53 - 1, 2**53, 2**53 + 1, 2**60, 2**63 - 1, -(2**63), 2**64 + 1, 10**308, 10**309 + 1, -(10**400)]
floats = st.one_of(st.sampled_from(ENDS), st.floats(allow_nan=False, allow_infinity=False))
cells = st.one_of(floats, st.integers(-3, 3), st.sampled_from(LARGE), st.integers(), st.booleans())


def tables(cell: st.SearchStrategy[Any], n: int = 4, d: int = 3) -> st.SearchStrategy[Any]:
    """Lists of rows of equal length."""
    sizes = st.tuples(st.integers(1, n), st.integers(1, d))
    return sizes.flatmap(
        lambda size: st.lists(st.lists(cell, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    )


def exact(table: Table) -> list[list[Fraction]]:
    """All numbers of a table."""
    rows = [table.row(i) for i in range(table.n)]
    return [[Fraction(*row[j]) if j in row else Fraction(0) for j in range(table.d)] for row in rows]


def fractions(X: Sequence[Sequence[Any]]) -> list[list[Fraction]]:
    return [[Fraction(cell) for cell in row] for row in X]


def digest(X: Any, codes: Sequence[int] | None = None) -> str:
    table = read_table(X)
    return table.digest(np.array(codes or [0] * table.n))


def with_zeros(X: Any) -> Any:
    """A CSR matrix that stores its zeros, every second one as -0.0."""
    n, d = X.shape
    data = np.where(X == 0, np.where(np.arange(d) % 2, 0.0, -0.0), X).ravel() if X.dtype.kind == "f" else X.ravel()
    return scipy.sparse.csr_array((data, np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), shape=(n, d))


def doubled(X: Any) -> Any:
    """A COO matrix with every number in two halves, the last first."""
    n, d = X.shape
    rows, columns = np.divmod(np.arange(n * d)[::-1], d)
    half = X.ravel()[::-1] // 2 if X.dtype.kind in "iu" else np.zeros(n * d)
    parts = np.concatenate([half, X.ravel()[::-1] - half])
    return scipy.sparse.coo_array((parts, (np.tile(rows, 2), np.tile(columns, 2))), shape=(n, d))


def disordered(X: Any) -> Any:
    """A CSR matrix whose columns fall within each row."""
    n, d = X.shape
    columns = np.tile(np.arange(d)[::-1], n)
    return scipy.sparse.csr_array((X[:, ::-1].ravel(), columns, np.arange(0, n * d + 1, d)), shape=(n, d))


def padded(X: Any) -> Any:
    """A view of every second row and column of a larger array."""
    wide = np.ones((2 * X.shape[0], 2 * X.shape[1]), X.dtype)
    wide[::2, ::2] = X
    return wide[::2, ::2]


STORAGES: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "view": padded,
    "swapped bytes": lambda X: X.astype(X.dtype.newbyteorder()),
    "object": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": list,
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
    "csr": scipy.sparse.csr_array,
    "csr_matrix": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "lil": scipy.sparse.lil_array,
    "dok": scipy.sparse.dok_array,
    "bsr": scipy.sparse.bsr_array,
    "explicit zeros": with_zeros,
    "duplicates": doubled,
    "disordered": disordered,
    "long indices": lambda X: scipy.sparse.csr_array(
        (with_zeros(X).data, with_zeros(X).indices.astype(np.int64), with_zeros(X).indptr.astype(np.int64)), X.shape
    ),
    "pandas": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "pandas without names": pd.DataFrame,
    "polars": lambda X: pl.DataFrame({f"c{j}": X[:, j] for j in range(X.shape[1])}),
    "arrow": lambda X: pa.table({f"c{j}": X[:, j] for j in range(X.shape[1])}),
    "arrow chunks": lambda X: pa.concat_tables([pa.table({f"c{j}": [x[j]] for j in range(len(x))}) for x in X]),
    "arrow batch": lambda X: pa.RecordBatch.from_pydict({f"c{j}": X[:, j] for j in range(X.shape[1])}),
}


# ---------------------------------------------------------------------------------------------------------------------
# Every number is kept


@given(tables(cells))
@example([[10**400, -(10**400)], [0.5, 1]])
@example([[1e308], [1e308]])
@example([[2**53, 2**53 + 1, 5e-324]])
@example([[True, 1, 1.0]])
def test_a_list_keeps_its_numbers(X: Cells) -> None:
    assert exact(read_table(X)) == fractions(X)


@given(tables(floats))
def test_floats_are_kept_in_every_storage(X: list[list[float]]) -> None:
    found = {storage: read_table(make(np.array(X))) for storage, make in STORAGES.items()}
    assert not [storage for storage, table in found.items() if exact(table) != fractions(X)]
    assert not any(table.large for table in found.values())


@given(tables(st.one_of(st.integers(-2, 2), st.integers(-(2**63), 2**63 - 1), st.integers(2**53 - 2, 2**53 + 2))))
@example([[-(2**63), 2**63 - 1]])
def test_long_integers_are_kept_in_every_storage(X: list[list[int]]) -> None:
    found = {storage: read_table(make(np.array(X, dtype=np.int64))) for storage, make in STORAGES.items()}
    assert not [storage for storage, table in found.items() if exact(table) != fractions(X)]


@given(tables(st.one_of(st.integers(0, 2), st.integers(0, 2**64 - 1))))
def test_long_unsigned_integers_are_kept_in_every_storage(X: list[list[int]]) -> None:
    found = {storage: read_table(make(np.array(X, dtype=np.uint64))) for storage, make in STORAGES.items()}
    assert not [storage for storage, table in found.items() if exact(table) != fractions(X)]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"])
@given(tables(st.integers(0, 2**64 - 1)))
def test_short_numbers_are_kept(dtype: str, X: list[list[int]]) -> None:
    """Random bits, read as numbers of this type."""
    size = np.dtype(dtype).itemsize
    bits = np.array(X, dtype=np.uint64) % np.uint64(2 if dtype == "bool" else 2 ** (8 * size))
    array = bits.astype(f"u{size}").view(dtype)
    assume(np.isfinite(array).all())
    for given_X in (
        array,
        array.tolist(),
        list(array),
        scipy.sparse.csr_array(array.astype("f4" if size == 2 else dtype)),
    ):
        assert exact(read_table(given_X)) == fractions(array.tolist())


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), floats, st.integers(0, 255)), min_size=1, max_size=4))
def test_frames_of_mixed_columns_are_kept(rows: list[tuple[int, float, int]]) -> None:
    columns = {"a": np.array([r[0] for r in rows], np.int64), "b": np.array([r[1] for r in rows])}
    columns["c"] = np.array([r[2] for r in rows], np.uint8)
    for frame in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        pd.DataFrame(columns).convert_dtypes(),
    ):
        table = read_table(frame)
        assert exact(table) == fractions(rows)
        assert table.names == ["a", "b", "c"]


def test_frames_of_nullable_categorical_and_boolean_columns() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 2**60 + 1], dtype="Int64"), "b": pd.Categorical([0.5, 2.0])})
    assert exact(read_table(frame)) == [[1, Fraction(1, 2)], [2**60 + 1, 2]]
    assert exact(read_table(pl.DataFrame({"a": [True, False], "b": [1, 2]}))) == [[1, 1], [0, 2]]
    assert read_table(pd.DataFrame([[1, 2]])).names is None
    with pytest.raises(DataError, match="2 are called 'same'"):
        read_table(pd.DataFrame([[1, 2]], columns=["same", "same"]))


def test_scalars_of_numpy_in_lists_are_kept() -> None:
    X = [
        [np.int64(-(2**63)), np.uint64(2**64 - 1)],
        [np.float32(0.1), np.bool_(True)],
        [np.int8(-128), np.float64(0.1)],
    ]
    assert exact(read_table(X)) == [[-(2**63), 2**64 - 1], [Fraction(float(np.float32(0.1))), 1], [-128, Fraction(0.1)]]


@pytest.mark.parametrize("cell", [Fraction(1, 2), Decimal("0.5"), Fraction(1, 3), Decimal("0.1"), np.longdouble(1) / 3])
def test_other_numbers_are_kept_or_refused_but_never_rounded(cell: Any) -> None:
    for X in ([[1, cell]], np.array([[1, cell]], dtype=object)):
        with contextlib.suppress(DataError):
            assert exact(read_table(X)) == [[1, Fraction(*cell.as_integer_ratio())]]


def test_long_doubles_are_refused_unless_they_are_floats() -> None:
    assert exact(read_table(np.array([[0.1]], dtype=np.longdouble))) == [[Fraction(0.1)]]
    for cell in (np.longdouble(1) / 3, np.longdouble("1e4000")):
        with pytest.raises(DataError, match=r"round them first|finite"):
            read_table(np.array([[cell]]))


@given(tables(cells, n=6), st.data())
def test_some_rows_of_a_table(X: Cells, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1))
    table = read_table(X)
    assert exact(table.take(np.array(rows))) == fractions([X[i] for i in rows])


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_blocks_are_all_rows_in_order(make: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(21.0).reshape(7, 3) - 9
    whole = digest(make(X))
    monkeypatch.setattr(table_module, "BLOCK", 6)
    blocks = list(read_table(make(X)).blocks())
    parts = [block.toarray() if scipy.sparse.issparse(block) else block for _, block in blocks]
    assert np.array_equal(np.vstack(parts), X)
    assert [start for start, _ in blocks] == np.cumsum([0, *map(len, parts)]).tolist()[:-1]
    assert digest(make(X)) == whole


# ---------------------------------------------------------------------------------------------------------------------
# Fingerprints


@given(tables(st.one_of(st.just(0.0), floats)))
def test_equal_floats_have_equal_digests_in_every_storage(X: list[list[float]]) -> None:
    expected = digest((np.array(X) + 0.0).tolist())  # 0.0 where it was -0.0
    assert not [storage for storage, make in STORAGES.items() if digest(make(np.array(X))) != expected]


@given(tables(st.one_of(st.just(0), st.integers(-(2**63), 2**63 - 1))))
@example([[2**53 + 1]])
def test_equal_integers_have_equal_digests_in_every_storage(X: list[list[int]]) -> None:
    found = {storage: digest(make(np.array(X, dtype=np.int64))) for storage, make in STORAGES.items()}
    assert not [storage for storage in found if found[storage] != digest(X)]


@given(tables(st.sampled_from([0, 1, -3, 2**24, 2**53, -(2**53), 2**60, -(2**63), 2**62 + 2**40])))
@example([[2**53]])
@example([[2**60]])
def test_integers_and_floats_that_are_equal_have_equal_digests(X: list[list[int]]) -> None:
    expected = digest(np.array(X, dtype=np.float64))
    assert not [storage for storage, make in STORAGES.items() if digest(make(np.array(X, np.int64))) != expected]


@given(tables(st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_short_floats_have_the_digest_of_long_ones(X: list[list[float]]) -> None:
    assert digest(np.array(X, dtype=np.float32)) == digest(X)
    assert digest(scipy.sparse.csc_array(np.array(X, dtype=np.float32))) == digest(X)


@given(tables(cells), tables(cells))
def test_different_tables_have_different_digests(X: Cells, other: Cells) -> None:
    assert (digest(X) == digest(other)) == (fractions(X) == fractions(other))


@given(tables(st.integers(0, 1)), tables(st.integers(0, 1)))
@example([[1, 0], [0, 1]], [[1, 0, 0], [0, 1, 0]])
@example([[1, 1, 0], [0, 0, 1]], [[1, 1], [0, 0], [1, 0]])
def test_small_tables_of_equal_numbers_in_other_places_have_different_digests(X: Any, other: Any) -> None:
    assert (digest(X) == digest(other)) == (fractions(X) == fractions(other))


@given(tables(cells, n=5), st.data())
def test_one_change_changes_the_digest(X: Cells, data: st.DataObject) -> None:
    i, j = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(0, len(X[0]) - 1))
    codes = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    before = digest(X, codes)
    changed = [list(row) for row in X]
    cell = changed[i][j]
    changed[i][j] = cell + 1 if isinstance(cell, int) else float(np.nextafter(cell, 0.0 if cell else 1.0))
    assert digest(changed, codes) != before
    assert digest(X, [code + (t == i) for t, code in enumerate(codes)]) != before
    assert digest([[*row, 0] for row in X], codes) != before
    assert digest([*X, X[-1]], [*codes, codes[-1]]) != before
    swapped = [X[j] if t == i else X[i] if t == j else row for t, row in enumerate(X)] if j < len(X) else X
    assert (digest(swapped, codes) == before) == (fractions(swapped) == fractions(X))


# ---------------------------------------------------------------------------------------------------------------------
# What is refused

NAN, INF = float("nan"), float("inf")
BAD_CELLS = [NAN, INF, -INF, None, "a", "", "1.5", b"1", 1j, [1], {}, np.datetime64("2020-01-01"), object()]


@pytest.mark.parametrize("cell", BAD_CELLS, ids=lambda value: repr(value).split(" at 0x")[0])
def test_a_cell_that_is_no_finite_number_is_named(cell: Any) -> None:
    column = np.empty(3, dtype=object)
    column[:] = [1, 2, cell]
    for X in ([[0, 1], [0, 2], [0, cell]], np.array([[0, 0, 0], column], dtype=object).T):
        with pytest.raises(DataError, match=r"row 2, column 1 is"):
            read_table(X)
    with pytest.raises(DataError, match=r"row 2, column 'b' is"):
        read_table(pd.DataFrame({"a": [0, 0, 0], "b": column}))


@pytest.mark.parametrize("cell", [NAN, INF, -INF])
def test_a_float_that_is_not_finite_is_named_in_every_storage(cell: float) -> None:
    X = np.array([[1.0, 2.0, 0.0], [INF, 4.0, 0.0], [5.0, 1e308, 1e308]])
    X[1, 0] = cell
    for storage, make in STORAGES.items():
        if storage != "duplicates":
            with pytest.raises(DataError, match=rf"row 1, column (0|'c0') is {re.escape(str(cell))}"):
                read_table(make(X))
    with pytest.raises(DataError, match=r"row 1, column 0 is"):
        read_table(np.where(np.isfinite(X), np.minimum(X, 9), X).astype(np.float32))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_missing_numbers_of_frames_are_named(frame: Any) -> None:
    with pytest.raises(DataError, match=r"row 1, column 'b' is"):
        read_table(frame({"a": [1, 2], "b": [2**60 + 1, None]}))


@pytest.mark.parametrize(
    "X",
    [
        *[
            [],
            [[]],
            [[], []],
            [1, 2],
            [[1, 2], [1]],
            [[1], 2],
            ["ab", "cd"],
            [[[1], [2]]],
            None,
            5,
            5.0,
            "abc",
            {},
            {"a": [1]},
        ],
        *[np.array([1.0]), np.array(1.0), np.ones((1, 1, 1)), np.ones((0, 2)), np.ones((2, 0)), np.array([["a", "b"]])],
        *[
            np.array([[1j]]),
            np.array([["2020"]], dtype="M8[Y]"),
            np.array([(1, 2.0)], dtype="i4,f8"),
            np.array([[b"1"]]),
        ],
        *[scipy.sparse.csr_array((0, 3)), scipy.sparse.csr_array((3, 0)), scipy.sparse.coo_array(np.ones(3))],
        *[scipy.sparse.csr_array([[1j]]), pd.DataFrame(), pd.DataFrame({"a": []}), pl.DataFrame(), pa.table({})],
        np.ma.array([[1.0, 2.0]], mask=[[True, False]]),
        *[pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), pd.Series([1.0]), pl.DataFrame({"a": ["x"]})],
    ],
    ids=lambda X: re.sub(r"\s+", " ", repr(X))[:40],
)
def test_what_is_no_table_of_numbers_is_refused(X: Any) -> None:
    with pytest.raises(DataError, match=r"X must|row 0, column"):
        read_table(X)


def test_large_numbers_make_no_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for X in ([[1e308], [1e308]], np.full((3, 3), 1e308), scipy.sparse.csr_array(np.full((3, 3), 1e308))):
            assert exact(read_table(X))[0][0] == Fraction(1e308)
    assert not caught


def test_a_process_that_takes_the_smallest_floats_for_zero_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not table_module.flushes_to_zero()
    monkeypatch.setattr(table_module, "flushes_to_zero", lambda: True)
    with pytest.raises(DataError, match="takes the smallest numbers for 0"):
        read_table([[1.0]])

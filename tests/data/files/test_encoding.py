"""Encoding of tables: categories, booleans, missing values, and the same encoding for other tables."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from rosenblatt import DataError, Encoding, Stream, read
from rosenblatt.data.files.encoding import Column, hash_of

CHOLESTEROL = "cholesterol,ill\nnormal,no\nnormal,no\nabnormal,yes\n"


def made(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("encoding")


def one_line(error: Exception) -> None:
    assert "\n" not in str(error)


def dense(X: Any) -> list[list[float]]:
    return (X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)).tolist()  # type: ignore[no-any-return]


def test_the_lecture(tmp_path: Path) -> None:
    """CMU 10-301, lecture 6: normal, normal, abnormal become (1, 0), (1, 0), (0, 1), up to the order of columns."""
    data = read(made(tmp_path, CHOLESTEROL))
    assert data.feature_names == ["cholesterol=abnormal", "cholesterol=normal"]
    assert dense(data.X) == [[0, 1], [0, 1], [1, 0]]
    normal_first = read(made(tmp_path, CHOLESTEROL.replace("abnormal", "zabnormal")))
    assert dense(normal_first.X) == [[1, 0], [1, 0], [0, 1]]


words = st.text("abcxyzäβ_-", min_size=1, max_size=5).map(lambda word: f"w{word}")


@given(st.lists(st.tuples(words, st.sampled_from(["p", "q"]), st.integers(-9, 9)), min_size=1, max_size=20))
def test_binary_columns_are_those_of_pandas(folder: Path, rows: list[tuple[str, str, int]]) -> None:
    """`get_dummies`, by an independent hand; many categories make a sparse matrix, few a dense one."""
    frame = pd.DataFrame(rows, columns=["c", "d", "n"])
    path = made(folder, frame.assign(kind="a").to_csv(index=False))
    data = read(path)
    expected = pd.concat([pd.get_dummies(frame[["c", "d"]], prefix_sep="="), frame["n"]], axis=1).astype(float)
    by_name = dict(zip(data.feature_names or [], np.array(dense(data.X)).T.tolist(), strict=True))
    assert by_name == expected.to_dict("list")
    assert data.feature_names == [f"c={w}" for w in sorted(set(frame["c"]))] + [
        f"d={w}" for w in sorted(set(frame["d"]))
    ] + ["n"]
    assert scipy.sparse.issparse(data.X) == (len(data.feature_names) > 12)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_numbers_that_are_categories(tmp_path: Path, name: str) -> None:
    """A postcode is no number."""
    frame = pd.DataFrame({"zip": [8001, 3000, 8001], "x": [1, 2, 3], "kind": ["a", "b", "a"]})
    path = tmp_path / name
    if name == "a.csv":
        frame.to_csv(path, index=False)
    elif name == "a.jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    data = read(path, categories=["zip"])
    assert data.feature_names == ["zip=3000", "zip=8001", "x"]
    assert dense(data.X) == [[0, 1, 1], [1, 0, 2], [0, 1, 3]]
    assert dense(read(path).X) == [[8001, 1], [3000, 2], [8001, 3]]


def test_categories_keep_their_zeros(tmp_path: Path) -> None:
    path = made(tmp_path, "zip,kind\n08001,a\n8001,b\n")
    assert read(path, categories=["zip"]).feature_names == ["zip=08001", "zip=8001"]


def test_categories_that_are_known(tmp_path: Path) -> None:
    """Those that do not occur have columns, others are refused."""
    path = made(tmp_path, "c,kind\np,a\nq,b\n")
    data = read(path, categories={"c": ["q", "r", "p"]})
    assert data.feature_names == ["c=p", "c=q", "c=r"]
    assert dense(data.X) == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(DataError) as told:
        read(path, categories={"c": ["p", "r"]})
    assert str(told.value) == (f"{path}, line 3, column 'c': one of the categories 'p', 'r' was expected, not 'q'.")
    skipped = read(path, categories={"c": ["p", "r"]}, on_error="skip")
    assert (dense(skipped.X), skipped.y.tolist(), skipped.skipped) == ([[1, 0]], ["a"], 1)


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        (["true", "false"], [1, 0]),
        (["True", "False"], [1, 0]),
        (["TRUE", "FALSE"], [1, 0]),
        (["false", "true"], [0, 1]),
    ],
)
def test_booleans(tmp_path: Path, written: list[str], numbers: list[float]) -> None:
    path = made(tmp_path, "t,kind\n" + "".join(f"{word},a\n" for word in written))
    data = read(path)
    assert (data.feature_names, dense(data.X)) == (["t"], [[number] for number in numbers])


def test_words_among_numbers(tmp_path: Path) -> None:
    """A typing error in a column of numbers must not make it a column of categories."""
    path = made(tmp_path, "x,kind\n1,a\n2,b\n3.5,a\nl0,b\n")
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value) == (
        f"{path}, line 5, column 'x': a number was expected, not 'l0'. If the column holds categories, say "
        "categories=['x']."
    )
    assert read(path, categories=["x"]).feature_names == ["x=1", "x=2", "x=3.5", "x=l0"]
    data = read(path, on_error="skip")
    assert (dense(data.X), data.skipped) == ([[1], [2], [3.5]], 1)


def test_numbers_among_words(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\np,a\nq,b\n3.5,a\n")
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value).startswith(
        f"{path}, line 4, column 'x': words were expected, as in most rows, not the number '3.5'"
    )
    assert read(path, categories=["x"]).feature_names == ["x=3.5", "x=p", "x=q"]


# ---------------------------------------------------------------------------------------------------------------------
# What is missing

HOLES = "x,c,t,kind\n1,p,true,a\n,q,false,b\n4,,,b\n"


@pytest.mark.parametrize("word", ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", '""', '"NA"'])
def test_missing_is_an_error(tmp_path: Path, word: str) -> None:
    path = made(tmp_path, f"x,kind\n1,a\n{word},b\n2,a\n")
    with pytest.raises(DataError) as told:
        read(path)
    remedy = (
        "missing='drop' leaves out the rows with gaps; instead of drop, mean, most_frequent, level or a number fills"
    )
    assert str(told.value) == f"{path}, line 3, column 'x': a number was expected, but it is missing. {remedy} them."
    assert dense(read(path, fill=7).X) == [[1], [7], [2]]
    assert dense(read(path, fill={"x": -0.5}).X) == [[1], [-0.5], [2]]
    assert dense(read(path, fill="mean").X) == [[1], [1.5], [2]]
    assert dense(read(path, on_error="skip").X) == [[1], [2]]


def test_missing_by_column(tmp_path: Path) -> None:
    path = made(tmp_path, HOLES)
    data = read(path, fill={"x": 9, "t": 0.5, "c": 0})
    assert data.feature_names == ["x", "c=p", "c=q", "t"]
    assert dense(data.X) == [[1, 1, 0, 1], [9, 0, 1, 0], [4, 0, 0, 0.5]]
    with pytest.raises(DataError, match=r"line 4, column 'c': a category was expected, but it is missing\."):
        read(path, fill={"x": 9, "t": 0.5})
    with pytest.raises(DataError, match=r"line 3, column 'x': a number was expected, but it is missing\."):
        read(path, fill={"c": 0, "t": 0.5})
    with pytest.raises(DataError, match=r"line 4, column 't': a boolean was expected, but it is missing\."):
        read(path, fill={"c": 0, "x": 0.5})


@given(
    st.lists(st.none() | st.floats(-1e9, 1e9), min_size=2, max_size=12).filter(
        lambda row: any(x is not None for x in row)
    )
)
def test_the_mean(folder: Path, numbers: list[float | None]) -> None:
    """Of the numbers that are there; that of pandas, up to rounding."""
    frame = pd.DataFrame({"x": pd.Series(numbers, dtype="float64"), "kind": "a"})
    expected = frame["x"].fillna(frame["x"].mean()).to_numpy()
    for name in ("a.csv", "a.parquet"):
        path = folder / name
        if name == "a.csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        X = read(path, fill="mean").X
        known = np.array([x is not None for x in numbers])
        assert np.asarray(X)[known, 0].tolist() == [x for x in numbers if x is not None]
        assert np.allclose(np.asarray(X)[:, 0], expected, rtol=1e-12, atol=1e-6)


def test_the_mean_of_booleans(tmp_path: Path) -> None:
    """Three of four are true."""
    path = made(tmp_path, "t,kind\ntrue,a\ntrue,b\ntrue,a\nfalse,b\n,a\n")
    assert dense(read(path, fill="mean").X) == [[1], [1], [1], [0], [0.75]]


def test_the_mean_of_numbers_with_a_plus(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\n+1,a\n+3,b\n,a\n,a\n,b\n")
    assert dense(read(path, fill="mean").X) == [[1], [3], [2], [2], [2]]


def test_columns_without_any_value(tmp_path: Path) -> None:
    """They hold what is filled in, or no category. They have no mean."""
    path = made(tmp_path, "x,c,kind\n1,,a\n2,,b\n")
    assert dense(read(path, fill=5).X) == [[1, 5], [2, 5]]
    for wish in ("mean", "most_frequent", "level", "drop"):
        with pytest.raises(DataError, match="column 'c': it has no value"):
            read(path, missing=wish)
    for _ in range(20):  # memory that was used before shows here
        np.full((2, 2), 77.0)
        data = read(path, categories=["c"], fill=0)
        assert [row[0] for row in dense(data.X)] == [1, 2]
        assert all(number == 0 for row in dense(data.X) for number in row[1:])
        assert data.feature_names is not None
        assert len(data.feature_names) == data.X.shape[1]


def test_a_missing_label_is_never_filled(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\n1,a\n2,\n")
    with pytest.raises(DataError, match=r"line 3, column 'kind': a label was expected, but it is missing\."):
        read(path, fill=0)


# ---------------------------------------------------------------------------------------------------------------------
# Hashing


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20))
def test_the_hash(word: str) -> None:
    assert hash_of(word) == murmurhash3_32(word.encode(), seed=0, positive=True)


@given(st.lists(st.tuples(words, words, st.integers(-9, 9)), min_size=1, max_size=10), st.integers(1, 31))
def test_hashed_categories(folder: Path, rows: list[tuple[str, str, int]], bits: int) -> None:
    """Numbers have the first columns, then column=value by its hash; those that meet add up."""
    text = "c,n,d,kind\n" + "".join(f"{c},{n},{d},a\n" for c, d, n in rows)
    data = read(made(folder, text), hash_bits=bits)
    assert data.X.shape == (len(rows), 1 + 2**bits)
    assert data.feature_names is None
    for i, (c, d, n) in enumerate(rows):
        expected: dict[int, float] = {0: float(n)} if n else {}
        for name in (f"c={c}", f"d={d}"):
            at = 1 + int(murmurhash3_32(name.encode(), seed=0, positive=True)) % 2**bits
            expected[at] = expected.get(at, 0.0) + 1.0
        part = slice(data.X.indptr[i], data.X.indptr[i + 1])
        assert dict(zip(data.X.indices[part].tolist(), data.X.data[part].tolist(), strict=True)) == expected


def test_hashing_knows_every_category(tmp_path: Path) -> None:
    train = read(made(tmp_path, "c,kind\np,a\nq,b\n"), hash_bits=8)
    test = read(made(tmp_path, "c,kind\nnew,a\n"), encoding=train.encoding)
    at = int(murmurhash3_32(b"c=new", seed=0, positive=True)) % 2**8
    assert test.X.shape == (1, 2**8)
    assert test.X.indices.tolist() == [at]


def test_hashing_of_numbers_changes_nothing(tmp_path: Path) -> None:
    data = read(made(tmp_path, "x,kind\n1,a\n0,b\n"), hash_bits=4)
    assert (dense(data.X), data.feature_names) == ([[1], [0]], ["x"])


# ---------------------------------------------------------------------------------------------------------------------
# Other data by the same encoding


def test_test_data_becomes_what_training_data_did(tmp_path: Path) -> None:
    train = read(made(tmp_path, "x,c,kind\n1,p,a\n2,q,b\n3,r,b\n"))
    test = made(tmp_path, "kind,c,more,x\nb,r,9,7\na,p,9,8\n", "test.csv")
    data = read(test, target="kind", encoding=train.encoding)
    assert data.feature_names == train.feature_names == ["x", "c=p", "c=q", "c=r"]
    assert dense(data.X) == [[7, 0, 0, 1], [8, 1, 0, 0]]
    assert data.y.tolist() == ["b", "a"]
    assert data.encoding == train.encoding


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_unknown_categories(tmp_path: Path, name: str) -> None:
    train = read(made(tmp_path, "x,c,kind\n1,p,a\n2,q,b\n"))
    frame, path = pd.DataFrame({"x": [1, 2], "c": ["q", "new"], "kind": ["a", "b"]}), tmp_path / name
    if name == "a.csv":
        frame.to_csv(path, index=False)
    elif name == "a.jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    with pytest.raises(DataError) as told:
        read(path, encoding=train.encoding)
    where = {"a.csv": "line 3", "a.jsonl": "line 2", "a.parquet": "row 2"}[name]
    assert str(told.value) == f"{path}, {where}, column 'c': one of the categories 'p', 'q' was expected, not 'new'."
    data = read(path, encoding=train.encoding, on_error="skip")
    assert (dense(data.X), data.skipped) == ([[1, 0, 1]], 1)


def test_missing_columns(tmp_path: Path) -> None:
    train = read(made(tmp_path, "x,c,kind\n1,p,a\n2,q,b\n"))
    path = made(tmp_path, "x,d,kind\n1,p,a\n2,q,b\n", "test.csv")
    with pytest.raises(DataError) as told:
        read(path, encoding=train.encoding)
    assert str(told.value) == f"{path}: there is no column 'c'; there are 'x', 'd', 'kind'."


@pytest.mark.parametrize(
    ("train", "test"),
    [
        (["01", "2"], ["01", "01"]),  # all of the test data could be numbers
        (["true", "maybe"], ["true", "true"]),  # or booleans
        (["2020-01-01", "never"], ["2020-01-01", "2020-01-01"]),  # or dates
        (["1.50", "x"], ["1.50", "1.50"]),
        (["p", "q"], ["p", "p"]),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_categories_are_words_in_test_data_too(
    tmp_path: Path, train: list[str], test: list[str], streamed: bool
) -> None:
    first = made(tmp_path, "c,kind\n" + "".join(f"{word},a\n" for word in train))
    second = made(tmp_path, "c,kind\n" + "".join(f"{word},a\n" for word in test), "test.csv")
    encoding = read(first, categories=["c"]).encoding
    assert encoding is not None
    if streamed:
        (chunk,) = Stream(second, encoding=encoding, classes=["a", "b"]).chunks()
        X = dense(chunk.X)
    else:
        X = dense(read(second, encoding=encoding).X)
    assert [[float(word == value) for value in sorted(train)] for word in test] == X


def test_numbers_and_booleans_in_test_data(tmp_path: Path) -> None:
    train = read(made(tmp_path, "x,t,kind\n1.5,true,a\n2,false,b\n"))
    data = read(made(tmp_path, "x,t,kind\n3,True,a\n+4,FALSE,b\n", "test.csv"), encoding=train.encoding)
    assert dense(data.X) == [[3, 1], [4, 0]]
    with pytest.raises(DataError, match=r"line 3, column 't': a boolean was expected, not 'maybe'"):
        read(made(tmp_path, "x,t,kind\n3,true,a\n4,maybe,b\n", "test.csv"), encoding=train.encoding)
    with pytest.raises(DataError, match=r"line 2, column 'x': a number was expected, not 'p'"):
        read(made(tmp_path, "x,t,kind\np,true,a\nq,false,b\n", "test.csv"), encoding=train.encoding)


def test_the_fill_of_training_data(tmp_path: Path) -> None:
    train = read(made(tmp_path, "x,kind\n1,a\n3,b\n,b\n"), fill="mean")
    data = read(made(tmp_path, "x,kind\n,a\n100,b\n", "test.csv"), encoding=train.encoding)
    assert dense(data.X) == [[2], [100]]


# ---------------------------------------------------------------------------------------------------------------------
# Records

values = st.lists(st.text(max_size=5), max_size=4, unique=True).map(tuple)
fills = st.none() | st.floats(allow_nan=False, allow_infinity=False)
columns = st.builds(
    Column, st.text(max_size=8), st.sampled_from(["number", "boolean"]), st.just(()), fills
) | st.builds(Column, st.text(max_size=8), st.just("category"), values, fills)
encodings = st.builds(
    Encoding,
    st.lists(columns, max_size=5, unique_by=lambda column: column.name).map(tuple),
    st.none() | st.text(min_size=9, max_size=12),
    st.none() | st.integers(1, 31),
)


@given(encodings)
def test_records_round_trip(encoding: Encoding) -> None:
    """Through JSON."""
    record = json.loads(json.dumps(encoding.to_dict()))
    again = Encoding.from_dict(record)
    assert again == encoding
    assert again.to_dict() == record
    assert (again.feature_names, again.width, again.is_dense) == (
        encoding.feature_names,
        encoding.width,
        encoding.is_dense,
    )


def test_a_record_encodes_as_before(tmp_path: Path) -> None:
    path = made(tmp_path, HOLES)
    data = read(path, fill={"x": 9, "t": 0.5, "c": 0})
    assert data.encoding is not None
    again = read(path, encoding=Encoding.from_dict(json.loads(json.dumps(data.encoding.to_dict()))))
    assert (again.feature_names, dense(again.X)) == (data.feature_names, dense(data.X))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 40) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A record, something in it changed."""
    record = draw(encodings).to_dict()
    key = draw(st.sampled_from(["columns", "target", "hash_bits"]))
    if key == "columns" and record["columns"] and draw(st.booleans()):
        column = draw(st.sampled_from(record["columns"]))
        column[draw(st.sampled_from(["name", "kind", "categories", "fill"]))] = draw(json_values)
    elif draw(st.booleans()):
        record[key] = draw(json_values)
    else:
        del record[key]
    return record


@given(json_values | damaged())
def test_any_record(record: Any) -> None:
    """An encoding that can be recorded again, or an error in one line."""
    try:
        encoding = Encoding.from_dict(record)
    except DataError as error:
        one_line(error)
        return
    again = encoding.to_dict()
    assert Encoding.from_dict(json.loads(json.dumps(again))).to_dict() == again
    for column in encoding.columns:
        assert column.fill is None or column.kind == "category" or math.isfinite(float(column.fill))
    assert encoding.width >= 0
    assert encoding.feature_names is None or len(encoding.feature_names) == encoding.width


@pytest.mark.parametrize(
    "record",
    [
        None,
        {},
        [],
        "x",
        {"columns": []},
        {"columns": [{"name": "x", "kind": "word"}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x"}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "number", "fill": "mean"}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "number", "fill": math.nan}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "number", "fill": True}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "category", "categories": "pq"}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "category", "categories": ["p", "p"]}], "target": None, "hash_bits": None},
        {"columns": [{"name": "x", "kind": "number", "categories": ["p"]}], "target": None, "hash_bits": None},
        {"columns": [], "target": None, "hash_bits": 0},
        {"columns": [], "target": None, "hash_bits": 32},
        {"columns": [], "target": None, "hash_bits": True},
        {"columns": [], "target": None, "hash_bits": "18"},
    ],
)
def test_what_is_no_record(record: Any) -> None:
    with pytest.raises(DataError, match="An encoding was expected, as `to_dict` gives it: "):
        Encoding.from_dict(record)


def test_many_categories_are_sparse(tmp_path: Path) -> None:
    table = pyarrow.table(
        {"c": [f"w{k:03d}" for k in range(200)], "x": list(range(200)), "kind": [k % 2 for k in range(200)]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    data = read(tmp_path / "a.parquet")
    assert data.X.shape == (200, 201)
    assert data.X.nnz == 399  # x is 0 in one row
    assert data.X.toarray()[:, :200].tolist() == np.eye(200).tolist()
    assert data.X.toarray()[:, 200].tolist() == list(range(200))

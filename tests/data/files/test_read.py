"""Reading: a table is the same in every format; targets, columns and labels."""

import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import DataError, read
from rosenblatt.certificate.reader import read_file
from tests.support.table_files import (
    PATIENTS,
    WRITERS,
    Sample,
    arrow_of,
    assert_is,
    dense,
    lines_of,
    made,
    npz_of,
    parquet_of,
    said_of,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("files")


@pytest.mark.parametrize("name", WRITERS)
def test_one_table_in_every_format(tmp_path: Path, name: str) -> None:
    data = read(made(tmp_path, WRITERS[name](PATIENTS), name))
    assert_is(data, PATIENTS)
    X, y = data
    assert X is data.X
    assert y is data.y
    assert data.encoding is not None
    assert data.encoding.feature_names == data.feature_names


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.feather"])
def test_what_pandas_writes(tmp_path: Path, name: str) -> None:
    frame, path = pd.DataFrame(PATIENTS.columns), tmp_path / name
    if name.endswith("csv"):
        frame.to_csv(path, index=False)
    elif name.endswith("tsv"):
        frame.to_csv(path, index=False, sep="\t")
    elif name.endswith("jsonl"):
        frame = frame.drop(columns="weight")  # pandas keeps at most 15 digits of floats
        frame.to_json(path, orient="records", lines=True)
    elif name.endswith("parquet"):
        frame.to_parquet(path)
    else:
        frame.to_feather(path)
    assert_is(read(path), Sample({column: PATIENTS.columns[column] for column in frame.columns}))


def test_npz(tmp_path: Path) -> None:
    """X and y, dense or sparse, with names or without."""
    X, y = np.array([[0.1, 0], [-0.0, 1e300], [3, 5e-324]]), np.array(["a", "b", "a"])
    S = scipy.sparse.csr_array(X)
    parts = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape)}
    for arrays, names in [
        ({"X": X}, None),
        ({"X": X, "names": np.array(["p", "q"])}, ["p", "q"]),
        (parts, None),
        (parts | {"names": np.array(["p", "q"])}, ["p", "q"]),
    ]:
        data = read(made(tmp_path, npz_of(**arrays, y=y), "a.npz"))
        assert dense(data.X).tolist() == X.tolist()
        assert (data.y.tolist(), data.feature_names, data.encoding) == (y.tolist(), names, None)
        assert scipy.sparse.issparse(data.X) == ("X" not in arrays)


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "float32", "float16", "bool"])
def test_npz_of_other_numbers(tmp_path: Path, kind: str) -> None:
    X = np.array([[0, 1], [1, 1]], dtype=kind)
    data = read(made(tmp_path, npz_of(X=X, y=np.array([1, 2])), "a.npz"))
    assert np.asarray(data.X).astype(float).tolist() == [[0, 1], [1, 1]]


words = st.text("abcdefghijklmnopqrstuvwxyzäß ,\"'=", max_size=6).map(lambda word: f"w{word}w")
kinds: dict[str, st.SearchStrategy[Any]] = {
    "whole": st.integers(-(2**53), 2**53),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "word": words,
    "few": st.sampled_from(["normal", "abnormal"]),
}


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    n = draw(st.integers(1, 6))
    names = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    columns = {
        name: draw(st.lists(kinds[draw(st.sampled_from(list(kinds)))], min_size=n, max_size=n)) for name in names
    }
    label = draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n) | st.lists(words, min_size=n, max_size=n))
    return Sample(columns | {"kind": label})


@given(samples(), st.sampled_from(list(WRITERS)))
def test_any_table_in_any_format(folder: Path, sample: Sample, name: str) -> None:
    assume(not (name.endswith(".zst") and "\t" in str(sample)))
    assert_is(read(made(folder, WRITERS[name](sample), name)), sample)


def test_minus_zero_and_whole_numbers(tmp_path: Path) -> None:
    """-0.0 keeps its sign in dense rows; whole numbers of any size are the nearest floats."""
    written = [
        "-0.0",
        str(2**53 + 1),
        str(2**63 - 1),
        str(2**63),
        str(2**64 + 1),
        "1" + "0" * 300,
        "0.1",
        "1e22",
        "1e23",
    ]
    path = made(tmp_path, "x,kind\n" + "".join(f"{number},a\n" for number in written))
    assert read(path).X.tobytes() == np.array([[float(number)] for number in written]).tobytes()


@given(st.lists(st.floats(-1e307, 1e307), min_size=1, max_size=6), st.integers(1, 25))
def test_decimals_are_the_nearest_floats(folder: Path, numbers: list[float], places_: int) -> None:
    """However many digits are written."""
    written = [f"{x:.{places_}e}" for x in numbers]
    expected = np.array([[float(word)] for word in written])
    rows = "".join(f"{word},a\n" for word in written)
    lines = "".join(f'{{"x": {word}, "kind": "a"}}\n' for word in written)
    assert read(made(folder, "x,kind\n" + rows, "digits.csv")).X.tobytes() == expected.tobytes()
    assert read(made(folder, lines, "digits.jsonl")).X.tobytes() == expected.tobytes()


def test_types_of_parquet(tmp_path: Path) -> None:
    """Numbers of all widths, decimals, dictionaries and long strings."""
    table = pyarrow.table(
        {
            "i8": pyarrow.array([1, -2], pyarrow.int8()),
            "u64": pyarrow.array([1, 2**64 - 1], pyarrow.uint64()),
            "f16": pyarrow.array(np.array([0.5, -2], np.float16)),
            "f32": pyarrow.array([0.1, 2], pyarrow.float32()),
            "dec": pyarrow.array([decimal.Decimal("0.10"), decimal.Decimal("-12345678901234567.89")]),
            "dict": pyarrow.array(["p", "q"]).dictionary_encode(),
            "long": pyarrow.array(["p", "q"], pyarrow.large_string()),
            "kind": pyarrow.array(["a", "b"]).dictionary_encode(),
        }
    )
    for name, raw in (("a.parquet", parquet_of(table)), ("a.arrow", arrow_of(table))):
        data = read(made(tmp_path, raw, name))
        expected = [
            [1, 1, 0.5, float(np.float32(0.1)), 0.1, 1, 0, 1, 0],
            [-2, float(2**64 - 1), -2, 2, float("-12345678901234567.89"), 0, 1, 0, 1],
        ]
        assert dense(data.X).tolist() == expected
        assert data.y.tolist() == ["a", "b"]


# ---------------------------------------------------------------------------------------------------------------------
# Targets, columns and labels


@pytest.mark.parametrize(
    ("target", "label"),
    [(None, "c"), ("c", "c"), ("a", "a"), (0, "a"), (1, "b"), (2, "c"), (-1, "c"), (-3, "a"), ("1", "b"), ("-2", "b")],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.feather", "stream.arrow"])
def test_target_by_name_and_number(tmp_path: Path, name: str, target: str | int | None, label: str) -> None:
    sample = Sample({"a": [1, 2, 3], "b": [4, 5, 6], "c": [7, 8, 9]}, label)
    assert_is(read(made(tmp_path, WRITERS[name](sample), name), target), sample)


@pytest.mark.parametrize("target", ["zz", 3, -4, "3", "--1", "", "²", "+-1", "1.0", "A"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_no_such_target(tmp_path: Path, name: str, target: Any) -> None:
    path = made(tmp_path, WRITERS[name](Sample({"a": [1, 2], "b": [4, 5], "c": [7, 8]}, "c")), name)
    with pytest.raises(DataError) as told:
        read(path, target)
    said = str(told.value)
    assert said.startswith(f"{path}: there is no column ")
    assert "'a', 'b', 'c'" in said
    assert said.endswith(" Did you mean 'a'?" if target == "A" else ".")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(["b"], ["b"]), (["b", "a"], ["b", "a"]), ([1], ["b"]), ([-3], ["b"]), ([1, "a"], ["b", "a"]), (("a",), ["a"])],
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_columns_by_name_and_number(tmp_path: Path, name: str, columns: Any, expected: list[str]) -> None:
    sample = Sample({"a": [1, 2], "b": [4, 5], "c": [7, 8], "kind": ["p", "q"]})
    chosen = Sample({column: sample.columns[column] for column in [*expected, "kind"]})
    assert_is(read(made(tmp_path, WRITERS[name](sample), name), columns=columns), chosen)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ["zz"]}, "there is no column 'zz'; there are 'a', 'b', 'kind'."),
        ({"columns": [5]}, "there is no column 5; there are 'a', 'b', 'kind'."),
        ({"columns": ["kind"]}, "column 'kind' is the target and cannot be learned from as well."),
        ({"categories": ["zz"]}, "categories names 'zz', which is not one of the columns ['a', 'b']."),
        ({"categories": ["b"], "columns": ["a"]}, "categories names 'b', which is not one of the columns ['a']."),
    ],
)
def test_no_such_columns(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    path = made(tmp_path, "a,b,kind\n1,2,p\n3,4,q\n")
    with pytest.raises(DataError) as told:
        read(path, **options)
    assert str(told.value) == f"{path}: {words}"


def test_at_least_one_column(tmp_path: Path) -> None:
    cases: list[tuple[Path, dict[str, Any]]] = [
        (made(tmp_path, parquet_of(pyarrow.table({"kind": [1, 2]})), "a.parquet"), {}),
        (made(tmp_path, '{"kind": 1}\n{"kind": 2}\n', "a.jsonl"), {}),
    ]
    for path, options in cases:
        with pytest.raises(DataError) as told:
            read(path, **options)
        assert str(told.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["+1", "-1"], [1, -1]),
        (["01", "2"], [1, 2]),
        (["1.0", "-2.0"], [1, -2]),
        (["1e2", "+3"], [100, 3]),
        (["1.0", "b"], ["1.0", "b"]),
        (["1", "b"], ["1", "b"]),
        (["+1", "b"], ["+1", "b"]),
        ([str(2**53), str(2**53 + 1)], [2**53, 2**53 + 1]),
        (["yes", "no"], ["yes", "no"]),
        ([" yes", "no "], ["yes", "no"]),
        (['"a,b"', '"say ""so"""'], ["a,b", 'say "so"']),
        (["é", "ß"], ["é", "ß"]),
        (["2020-01-01", "2021-12-31"], ["2020-01-01", "2021-12-31"]),
        (["2020-01-01 10:00:00", "2021-12-31 10:00:00"], ["2020-01-01 10:00:00", "2021-12-31 10:00:00"]),
        (["12:30", "12:31"], ["12:30", "12:31"]),
        (["0x10", "0x11"], ["0x10", "0x11"]),
        (["1_0", "2"], ["1_0", "2"]),
    ],
)
def test_labels_are_whole_numbers_or_words(tmp_path: Path, labels: list[str], expected: list[Any]) -> None:
    """Labels are those of the exact reader."""
    path = made(tmp_path, "x,kind\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    assert read_file(path).y == expected
    y = read(path).y.tolist()
    assert y == expected
    assert [type(label) for label in y] == [type(label) for label in expected]


@pytest.mark.parametrize("labels", [["2020-01-01", "2021-12-31"], ["12:30", "12:31"], ["1", "2"], ["true", "no"]])
def test_words_in_json_are_words(tmp_path: Path, labels: list[str]) -> None:
    """A value in quotes is a word in JSON, even if it looks like a number."""
    sample = Sample({"x": [1.5, 2.5], "when": labels, "kind": labels})
    assert read(made(tmp_path, lines_of(sample), "a.jsonl"), columns=["x"]).y.tolist() == labels
    assert_is(read(made(tmp_path, lines_of(sample), "a.jsonl"), categories=["when"]), sample)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_boolean_labels(tmp_path: Path, name: str) -> None:
    sample = Sample({"x": [1, 2], "kind": [True, False]})
    assert_is(read(made(tmp_path, WRITERS[name](sample), name)), sample)


def test_labels_beyond_64_bits_are_not_others(tmp_path: Path) -> None:
    """2^63 + 1 must not become negative."""
    table = pyarrow.table({"x": [1, 2], "kind": pyarrow.array([2**63 + 1, 1], pyarrow.uint64())})
    try:
        y = read(made(tmp_path, parquet_of(table), "a.parquet")).y.tolist()
    except DataError as error:
        said_of(error, "row 1, column 'kind'")
    else:
        assert y in ([2**63 + 1, 1], [str(2**63 + 1), "1"])

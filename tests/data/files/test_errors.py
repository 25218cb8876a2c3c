"""Error messages of the readers name the place; column names reach the model."""

import copy
import datetime
import io
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse
from sklearn.model_selection import train_test_split

from rosenblatt import DataError, ParameterError, Perceptron, RosenblattError, read, separability
from tests.support.table_files import Sample, dense, made, npz_of, parquet_of, said_of, text_of


def table_file(columns: dict[str, Any]) -> bytes:
    return parquet_of(pyarrow.table(columns))


LATIN = pyarrow.array([b"\xe9", b"y"]).view(pyarrow.string())
BAD: list[tuple[str, Any, dict[str, Any], str]] = [
    ("a.csv", "x,y,kind\n", {}, ": it has a header but no rows; line 1 was taken for the header."),
    ("a.csv", "x\n1\n", {}, ", line 1: at least two columns were expected, separated by ',', not 'x'."),
    ("a.csv", "\n\nx\n1\n", {}, ", line 3: at least two columns were expected, separated by ',', not 'x'."),
    ("a.tsv", "x\n1\n", {}, ", line 1: at least two columns were expected, separated by '\\t', not 'x'."),
    ("a.csv", "x,y,kind\n1,2,a\n3,b\n", {}, ", line 3: 3 columns were expected, as in the first line, not 2;"),
    ("a.csv", "x,y,kind\n\n1,2,a,9\n3,4,b\n", {}, ", line 3: 3 columns were expected, as in the first line, not 4;"),
    ("a.csv", "x,kind\n0,1,a\n1,2,b\n", {}, ", line 2: 2 columns were expected, as in the first line, not 3;"),
    ("a.csv", "x,y,kind\n1,2,a\n3,4,b\n5,oops,b\n", {}, ", line 4, column 'y': a number was expected, not 'oops'"),
    ("a.csv", "x,y,kind\n1,2,a\n3,,b\n", {}, ", line 3, column 'y': a number was expected, but it is missing."),
    ("a.csv", "x,y,kind\n1,2,a\n3,NA,b\n", {}, ", line 3, column 'y': a number was expected, but it is missing."),
    ("a.csv", "x,y,kind\n1,inf,a\n3,4,b\n", {}, ", line 2, column 'y': a finite number was expected, not inf."),
    ("a.csv", "x,y,kind\n1,2,a\n3,1e999,b\n", {}, ", line 3, column 'y': a finite number was expected, not inf."),
    ("a.csv", "x,y,kind\ninf,1,a\n-inf,1,b\n", {}, ", line 2, column 'x': a finite number was expected, not inf."),
    ("a.csv", "x,c,kind\n1,p,a\n2,,b\n", {}, ", line 3, column 'c': a category was expected, but it is missing."),
    ("a.csv", "x,y,kind\n1,2,a\n1,2,\n", {}, ", line 3, column 'kind': a label was expected, but it is missing."),
    (
        "a.csv",
        "x,kind\n1,0.25\n2,1\n",
        {},
        ", line 2, column 'kind': a label, a word or a whole number, was expected, not 0.25",
    ),
    (
        "a.csv",
        "x,kind\n1,a\n2,b\n3,a\n,b\r,a\n",
        {},
        ", line 5: a carriage return (\\r) alone was found; lines must end with a line feed (\\n).",
    ),
    ("a.csv", "x,x,kind\n1,2,a\n", {}, ", line 1: there are 2 columns 'x': the columns 1, 2. Rename one of them;"),
    (
        "a.csv",
        "x,c,kind\n1,p,a\n2,q,b\n3,4,b\n",
        {},
        ", line 4, column 'c': words were expected, as in most rows, not the number '4'. ",
    ),
    ("a.csv", b"x,kind\n1,\xe9\n", {"text_encoding": "utf-8"}, ", line 2: it cannot be read: "),
    ("a.csv", "x,when,kind\n1,2020-01-01,a\n", {}, ": column 'when': numbers, booleans or words were expected"),
    (
        "a.csv",
        "x,y,kind\n1,,a\n2,,b\n",
        {},
        ": column 'y': it has no value. Leave it out with columns=, or give a number for missing=.",
    ),
    ("a.csv", "x," + "y" * 140_000 + ",kind\n1,2,a\n", {"target": "no"}, ", line 1: it cannot be read: "),
    ("a.jsonl", "oops\n", {}, ", line 1: a JSON object was expected"),
    ("a.jsonl", "5\n", {}, ", line 1: a JSON object was expected, not int."),
    ("a.jsonl", "[1, 2]\n", {}, ", line 1: a JSON object was expected, not list."),
    ("a.jsonl", '{"x": 1, "k": 1}\n{"x": 1\n', {}, ", line 2: a JSON object was expected"),
    ("a.jsonl", '{"x": 1, "k": 1}\n{"x": 2, "k": 1} {"x": 2, "k": 1}\n', {}, ", line 2: a JSON object was expected"),
    ("a.jsonl", '{"x": 1, "k": 1}\n[]\n', {}, ", line 2: a JSON object was expected, not list."),
    ("a.jsonl", '{"x": 1, "k": 1}\nnull\n', {}, ", line 2"),
    ("a.jsonl", "{}\n{}\n", {}, ": "),
    ("a.jsonl", '{"x": 1, "k": 1}\n{"x": "p", "k": 2}\n', {}, ", line 2, column 'x': "),
    (
        "a.jsonl",
        '{"x": 1, "k": 1}\n{"x": [1], "k": 2}\n',
        {},
        ", line 2, column 'x': a number, a boolean or a word was expected",
    ),
    ("a.jsonl", '{"x": 1, "k": 1}\n{"k": 2}\n', {}, ", line 2, column 'x': a number was expected, but it is missing."),
    ("a.jsonl", '{"x": 1, "k": 1}\n{"x": 2}\n', {}, ", line 2, column 'k': a label was expected, but it is missing."),
    ("a.jsonl", '{"x": 1, "k": "\\ud800"}\n', {}, ", line 1"),
    ("a.jsonl", b'{"x": 1, "k": "a"}\n{"x": 1, "k": "\xe9"}\n', {"text_encoding": "utf-8"}, ", line 2"),
    (
        "a.jsonl",
        '{"x": 1, "k": 1}\n{"x": ' + "1" * 5000 + ', "k": 2}\n',
        {},
        ", line 2, column 'x': a finite number was expected",
    ),
    (
        "a.jsonl",
        '{"x": 1, "k": 1}\n{"x": ' + "[" * 100_000 + "\n",
        {},
        ", line 2: a JSON object was expected, but it is nested",
    ),
    ("a.parquet", b"oops", {}, ": it cannot be read as parquet: "),
    ("a.parquet", table_file({"x": [1, 2], "k": ["a", "b"]})[:-20], {}, ": it cannot be read as parquet: "),
    (
        "a.parquet",
        table_file({"x": [1, None], "k": ["a", "b"]}),
        {},
        ", row 2, column 'x': a number was expected, but it is missing.",
    ),
    (
        "a.parquet",
        table_file({"x": [1, 2], "k": ["a", None]}),
        {},
        ", row 2, column 'k': a label was expected, but it is missing.",
    ),
    (
        "a.parquet",
        table_file({"x": [1, math.inf], "k": ["a", "b"]}),
        {},
        ", row 2, column 'x': a finite number was expected, not inf.",
    ),
    (
        "a.parquet",
        table_file({"x": [1, 2], "k": [1.5, 2]}),
        {},
        ", row 1, column 'k': a label, a word or a whole number, was expected",
    ),
    ("a.parquet", table_file({"x": [1, 2], "k": [math.nan, 2]}), {}, ", row 1, column 'k': "),
    (
        "a.parquet",
        table_file({"x": [[1], [2]], "k": [1, 2]}),
        {},
        ": column 'x': numbers, booleans or words were expected",
    ),
    (
        "a.parquet",
        table_file({"x": [b"a", b"b"], "k": [1, 2]}),
        {},
        ": column 'x': numbers, booleans or words were expected",
    ),
    ("a.parquet", table_file({"x": [1, 2], "k": [[1], [2]]}), {}, ": column 'k': "),
    ("a.parquet", table_file({"x": [1, 2], "k": [{"p": 1}, {"p": 2}]}), {}, ": column 'k': "),
    ("a.parquet", table_file({"x": [1, 2], "k": LATIN}), {}, ": it cannot be read as parquet: "),
    ("a.parquet", table_file({"x": LATIN, "k": [1, 2]}), {}, ": it cannot be read as parquet: "),
    ("a.parquet", table_file({}), {}, ": it has no rows."),
    (
        "a.parquet",
        parquet_of(pyarrow.Table.from_arrays([[1], [2], [3]], names=["x", "x", "k"])),
        {},
        ": there are 2 columns 'x'",
    ),
    ("a.arrow", b"oops", {}, ": it cannot be read as arrow: "),
    ("a.arrow", b"ARROW1\0\0", {}, ": it cannot be read as arrow: "),
    ("a.npz", b"oops", {}, ": it cannot be read as npz: "),
    (
        "a.npz",
        npz_of(X=np.ones((2, 2))),
        {},
        ": arrays X and y were expected (or data, indices, indptr, shape and y), not X.",
    ),
    (
        "a.npz",
        npz_of(y=np.ones(2)),
        {},
        ": arrays X and y were expected (or data, indices, indptr, shape and y), not y.",
    ),
    (
        "a.npz",
        npz_of(X=np.ones((3, 2)), y=np.ones(2)),
        {},
        ": X must be a table of numbers and y hold a label for each row; ",
    ),
    (
        "a.npz",
        npz_of(X=np.ones(3), y=np.ones(3)),
        {},
        ": X must be a table of numbers and y hold a label for each row; their shapes are (3,)",
    ),
    (
        "a.npz",
        npz_of(X=np.float64(1), y=np.ones(1)),
        {},
        ": X must be a table of numbers and y hold a label for each row; ",
    ),
    (
        "a.npz",
        npz_of(X=np.ones((3, 2)), y=np.int64(1)),
        {},
        ": X must be a table of numbers and y hold a label for each row; ",
    ),
    ("a.npz", npz_of(X=np.array([["a"]]), y=np.ones(1)), {}, ": X must be a table of numbers"),
    ("a.npz", npz_of(X=np.array([[math.nan]]), y=np.ones(1)), {}, ": "),
    ("a.npz", npz_of(X=np.array([[object()]]), y=np.ones(1)), {}, ": it cannot be read as npz: "),
]
LOADED = io.BytesIO()
np.save(LOADED, np.ones((2, 2)))
BAD.append(("a.npz", LOADED.getvalue(), {}, ": it cannot be read as npz: "))
for broken in (
    {"indices": np.array([0, 7]), "indptr": np.array([0, 1, 2])},
    {"indices": np.array([0, -1]), "indptr": np.array([0, 1, 2])},
    {"indices": np.array([0, 1]), "indptr": np.array([0, 2, 1])},
    {"indices": np.array([0, 1]), "indptr": np.array([0, 1, 200])},
    {"indices": np.array([0, 1]), "indptr": np.array([0, -5, 2])},
):
    raw = npz_of(data=np.ones(2), shape=np.array([2, 2]), y=np.array([1, 2]), **broken)
    BAD.append(("a.npz", raw, {}, ": "))


@pytest.mark.parametrize(
    ("name", "content", "options", "words"), BAD, ids=[f"{k}-{bad[0]}-{bad[3][:40]}" for k, bad in enumerate(BAD)]
)
def test_what_cannot_be_read_is_said_where_it_is(
    tmp_path: Path, name: str, content: str | bytes, options: dict[str, Any], words: str
) -> None:
    """File, line or row, column, and what was expected, in one line."""
    path = made(tmp_path, content, name)
    with pytest.raises(RosenblattError) as told:
        read(path, **options)
    said = str(told.value)
    assert said.startswith(f"{path}{words}")
    assert said.endswith(".")
    assert not said.endswith(("?.", "..", "!."))
    assert "\n" not in said
    assert len(said) < len(str(path)) + 1000


def test_null_is_no_row(tmp_path: Path) -> None:
    """Arrow's reader of JSON dies of it, so it is tried in a process of its own."""
    import subprocess
    import sys

    texts = ["null\n", 'null{"x": 1, "k": 2}\n', 'null\n{"x": 1, "k": 2}\n']
    paths = [str(made(tmp_path, text, f"{number}.jsonl")) for number, text in enumerate(texts)]
    code = f"""
import rosenblatt as r
for path in {paths}:
    try:
        r.read(path)
    except r.DataError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert done.returncode == 0
    said = done.stdout.decode().splitlines()
    assert len(said) == len(paths)
    for path, sentence in zip(paths, said, strict=True):
        assert sentence.startswith(f"{path}, line 1: a JSON object was expected")


@pytest.mark.parametrize(
    "options",
    [
        {"columns": 5},
        {"columns": [None]},
        {"columns": [["x"]]},
        {"categories": 5},
        {"categories": [0]},
        {"categories": [None]},
        {"categories": {"x": 5}},
        {"categories": {"x": [b"x"]}},
        {"hash_bits": 0},
        {"hash_bits": 32},
        {"hash_bits": "x"},
        {"hash_bits": 2.0},
        {"hash_bits": True},
        {"fill": "median"},
        {"fill": [5]},
        {"fill": math.nan},
        {"fill": math.inf},
        {"fill": {"no such column": 1}},
        {"fill": np.array([1, 2])},
        {"on_error": "ignore"},
        {"on_error": None},
        {"zero_based": True},
        {"encoding": "x"},
        {"encoding": {}},
        {"target": []},
        {"target": b"kind"},
        {"format": "xls"},
        {"filesystem": 5},
    ],
    ids=str,
)
def test_options_that_have_no_sense(tmp_path: Path, options: dict[str, Any]) -> None:
    path = made(tmp_path, "x,y,kind\n1,2,a\n3,4,b\n")
    with pytest.raises(RosenblattError) as told:
        read(path, **options)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.svm", "1 1:2\n", {"target": "x"}),
        ("a.svm", "1 1:2\n", {"columns": [0]}),
        ("a.svm", "1 1:2\n", {"hash_bits": 3}),
        ("a.svm", "1 1:2\n", {"zero_based": 5}),
        ("a.svm", "1 1:2\n", {"fill": 0}),
        ("a.vw", "1 | a\n", {"target": 0}),
        ("a.vw", "1 | a\n", {"categories": ["a"]}),
        ("a.vw", "1 | a\n", {"zero_based": False}),
        ("a.npz", npz_of(X=np.ones((2, 2)), y=np.array([1, 2])), {"columns": [0]}),
        ("a.npz", npz_of(X=np.ones((2, 2)), y=np.array([1, 2])), {"target": 0}),
        ("a.npz", npz_of(X=np.ones((2, 2)), y=np.array([1, 2])), {"hash_bits": 3}),
    ],
)
def test_options_that_do_not_fit_the_format(tmp_path: Path, name: str, text: Any, options: dict[str, Any]) -> None:
    """An option that would be ignored is refused."""
    with pytest.raises(ParameterError):
        read(made(tmp_path, text, name), **options)


def test_bad_rows_are_skipped_and_counted(tmp_path: Path) -> None:
    text = "x,c,kind\n1,p,a\n,p,b\n2,,b\n3,q,\n4\n5,q,b\n6,q,b,7\n7,p,b\n"
    data = read(made(tmp_path, text), on_error="skip")
    assert data.feature_names == ["x", "c=p", "c=q"]
    assert data.X.tolist() == [[1, 1, 0], [5, 0, 1], [7, 1, 0]]
    assert (data.y.tolist(), data.skipped) == (["a", "b", "b"], 5)


def test_bad_json_is_skipped_without_losing_columns(tmp_path: Path) -> None:
    """A column that the first row lacks is still there."""
    good = ['{"x": 1, "k": "a"}', '{"x": 2, "z": 5, "k": "b"}', '{"x": 3, "z": 6, "k": "b"}']
    plain = read(made(tmp_path, "\n".join(good), "a.jsonl"), "k", fill=0)
    data = read(made(tmp_path, "\n".join([good[0], "oops", *good[1:]]), "a.jsonl"), "k", fill=0, on_error="skip")
    assert plain.X.tolist() == [[1, 0], [2, 5], [3, 6]]
    assert (data.feature_names, data.X.tolist(), data.skipped) == (plain.feature_names, plain.X.tolist(), 1)


def test_large_numbers_are_no_trouble(tmp_path: Path) -> None:
    """Their sum is beyond all floats, each of them is not; a warning would be an error here."""
    path = made(tmp_path, "x,kind\n1.7e308,a\n1.7e308,b\n")
    assert read(path).X.tolist() == [[1.7e308], [1.7e308]]
    assert read(path, fill="mean").X.tolist() == [[1.7e308], [1.7e308]]


def test_many_columns(tmp_path: Path) -> None:
    """A table of genes is wide."""
    d = 3000
    path = made(
        tmp_path, ",".join([*(f"gene{j}" for j in range(d)), "kind"]) + "\n" + "1," * d + "a\n" + "2," * d + "b\n"
    )
    data = read(path)
    assert data.X.shape == (2, d)


# ---------------------------------------------------------------------------------------------------------------------
# Names


def test_names_go_all_the_way(tmp_path: Path) -> None:
    """From the file to the model, its weights, the verdict and the certificate."""
    data = read(made(tmp_path, text_of(Sample({"x": [1, 2, 8], "c": ["p", "p", "q"], "kind": ["a", "a", "b"]}))))
    names = ["x", "c=p", "c=q"]
    model = Perceptron().fit(*data)
    assert model.feature_names_in_.tolist() == names
    assert sorted(name for name, _ in model.ranked_weights()) == sorted(names)
    verdict = separability(*data)
    assert verdict.feature_names == names
    assert verdict.certificate is not None
    assert verdict.certificate.body["data"]["names"] == names
    assert verdict.certificate.verify(data.X, data.y)


def test_names_of_sparse_rows(tmp_path: Path) -> None:
    columns = {"c": [f"w{k}" for k in range(12)], "kind": ["ab"[k % 2] for k in range(12)]}
    data = read(made(tmp_path, text_of(Sample(columns))))
    assert scipy.sparse.issparse(data.X)
    names = sorted(f"c=w{k}" for k in range(12))
    assert data.feature_names == names
    assert Perceptron().fit(*data).feature_names_in_.tolist() == names
    certificate = separability(*data).certificate
    assert certificate is not None
    assert certificate.body["data"]["names"] == names


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_names_stay_with_rows(tmp_path: Path, kind: str) -> None:
    """When rows are chosen, not when columns are; copies and pickles keep them."""
    X = read(made(tmp_path, text_of(Sample({"x": [1, 2, 3, 4], "y": [5, 6, 7, 8], "kind": [0, 1, 0, 1]})))).X
    if kind == "sparse":
        S = scipy.sparse.csr_array(np.asarray(X))
        arrays = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape)}
        X = read(made(tmp_path, npz_of(**arrays, names=np.array(["x", "y"]), y=np.arange(4)), "a.npz")).X
    for part in (X[1:3], X[[0, 2]], X[np.array([True, False, True, False])], X[np.array([3, 1])], *train_test_split(X)):
        assert part.columns == ["x", "y"]
    for part in (X[:, :1], X[:, [1, 0]], X + X, 2 * X, X.T):
        assert getattr(part, "columns", None) is None
    for same in (copy.copy(X), copy.deepcopy(X), X.copy(), pickle.loads(pickle.dumps(X))):  # noqa: S301
        assert getattr(same, "columns", None) in (["x", "y"], None)
        assert dense(same).tolist() == dense(X).tolist()


def all_dates() -> Iterator[tuple[str, Any]]:
    yield "date", datetime.date(2020, 1, 2)
    yield "time", datetime.time(12, 30)
    yield "timestamp", datetime.datetime(2020, 1, 2, 12, 30)
    yield "duration", datetime.timedelta(days=2)


@pytest.mark.parametrize(("name", "value"), list(all_dates()))
def test_dates_are_neither_numbers_nor_labels(tmp_path: Path, name: str, value: Any) -> None:
    """Not as Python writes its objects, at least."""
    for columns in ({name: [value, value], "kind": [1, 2]}, {"x": [1, 2], name: [value, value]}):
        try:
            y = read(made(tmp_path, table_file(columns), "a.parquet")).y.tolist()
        except DataError as error:
            said_of(error, f"column {name!r}")
        else:
            assert "datetime" not in str(y)

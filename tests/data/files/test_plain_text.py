"""Plain text against the independent exact reader of the checker; several files at once."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, read
from rosenblatt.certificate.reader import read_file
from tests.support.table_files import PATIENTS, WRITERS, Sample, assert_is, made, npz_of, said_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("files")


cells = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-(2**80), 2**80).map(str)
cells |= st.sampled_from(
    ["+1", " 2", "3 ", ".5", "5.", "1E5", "+1e-5", "-0", "007", '"8"', "1e22", "123456789012345678901234.5"]
)
label_lists = [
    ["1", "-1"],
    ["+1", "-1"],
    ["a", "b"],
    ["1.0", "2"],
    ["1", "x"],
    [" a", "b "],
    ["1e1", "3"],
    ['"q"', "r s"],
]


@given(
    st.integers(1, 3).flatmap(lambda d: st.lists(st.lists(cells, min_size=d, max_size=d), min_size=2, max_size=7)),
    st.sampled_from(label_lists),
    st.data(),
    st.sampled_from([("exact.csv", ","), ("exact.tsv", "\t")]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_both_readers_agree(
    folder: Path, rows: list[list[str]], labels: list[str], data: Any, kind: tuple[str, str], header: bool, end: str
) -> None:
    name, gap = kind
    lines = [gap.join([f"x{j + 1}" for j in range(len(rows[0]))] + ["kind"])] if header else []
    lines += [gap.join([*row, data.draw(st.sampled_from(labels))]) for row in rows]
    path = made(folder, end.join(lines) + end, name)
    try:
        exact = read_file(path)
    except DataError:
        with pytest.raises(DataError):
            read(path)
        return
    both = read(path)
    assert both.feature_names == exact.X.names
    assert both.X.tolist() == exact.X.floats.tolist()
    assert both.y.tolist() == exact.y
    assert [type(label) for label in both.y.tolist()] == [type(label) for label in exact.y]


FORMS = [
    "x,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n",
    "1,2.5,a\n3,-4,b\n-5e-3,6,a",
    "x,y,kind\r\n1,2.5,a\r\n3,-4,b\r\n-5e-3,6,a\r\n",
    "\ufeffx,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n",
    "\n\nx,y,kind\n\n1,2.5,a\n3,-4,b\n\n-5e-3,6,a\n\n\n",
    '"x","y","kind"\n"1","2.5","a"\n"3","-4","b"\n"-5e-3","6","a"\n',
    " x , y , kind \n 1 , 2.5 , a \n3, -4,b\n-5e-3,+6, a \n",
    "x,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n   \n",
]


@pytest.mark.parametrize("text", FORMS)
def test_forms_of_one_table(tmp_path: Path, text: str) -> None:
    """Of `test_reading`, all of which the exact reader takes."""
    path = made(tmp_path, text)
    exact, data = read_file(path), read(path)
    assert data.X.tolist() == exact.X.floats.tolist() == [[1, 2.5], [3, -4], [-5e-3, 6]]
    assert data.y.tolist() == exact.y == ["a", "b", "a"]
    assert data.feature_names == exact.X.names


@pytest.mark.parametrize(
    "text",
    [
        "x,y,kind\r1,2.5,a\r3,-4,b\r-5e-3,6,a\r",
        "x,y,kind\n1,2.5,a\r3,-4,b\n-5e-3,6,a\r",
        "x,y,kind\r\n1,2.5,a\r3,-4,b\r\n,6,a\r5,6,b\n",
        "x,y,kind\n1,2.5,a\r3,-4,b\n5,6\r7,8,b\n",
    ],
)
def test_old_line_ends(tmp_path: Path, text: str) -> None:
    """Lone carriage returns are lines as for the exact reader, or the file is refused."""
    path = made(tmp_path, text)
    try:
        exact: Any = read_file(path)
    except DataError:
        exact = None
    try:
        data = read(path)
    except DataError as error:
        said_of(error, str(path))
        return
    assert exact is not None
    assert data.X.tolist() == exact.X.floats.tolist()
    assert data.y.tolist() == exact.y


def test_a_quote_that_does_not_end(tmp_path: Path) -> None:
    """It must not swallow the rest of the file."""
    path = made(tmp_path, 'x,kind\n1,"a\n2,b\n3,c\n')
    for reader in (read_file, read):
        with pytest.raises(DataError) as told:
            reader(path)
        assert str(told.value).startswith(str(path))


def test_a_word_with_a_line_end(tmp_path: Path) -> None:
    """In quotes, it belongs to the word; lines after it keep their numbers."""
    path = made(tmp_path, 'x,kind\n1,"p\nq"\n2,r\n')
    assert read(path).y.tolist() == read_file(path).y == ["p\nq", "r"]
    path = made(tmp_path, 'x,kind\n1,"p\nq"\n2,r\n,s\n')
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value).startswith(f"{path}, line 5, column 'x': ")


@pytest.mark.parametrize("name", ["a\x0cb", "a\u2028b", "a\x85b", "a\x1cb"])
def test_only_line_ends_end_lines(tmp_path: Path, name: str) -> None:
    """Not all that Unicode knows as such."""
    path = made(tmp_path, f"{name},y,kind\n1,2,p\n3,4,q\n")
    assert read(path).feature_names == read_file(path).X.names == [name, "y"]


def test_hexadecimal_is_no_number(tmp_path: Path) -> None:
    """In no format, and in no column: Arrow would take it for one."""
    path = made(tmp_path, "x,y,kind\n0x10,1,p\n3,4,q\n5,6,p\n")
    for reader in (read_file, read):
        with pytest.raises(DataError, match=r"line 2, column 'x': a number was expected, not '0x10'"):
            reader(path)


# ---------------------------------------------------------------------------------------------------------------------
# Several files


@pytest.mark.parametrize("name", WRITERS)
def test_several_files_are_one(tmp_path: Path, name: str) -> None:
    more = {column: [*values, *values[:2]] for column, values in PATIENTS.columns.items()}
    more["cholesterol"][-1] = "unknown"  # in the second file only
    whole = Sample(more)
    paths = [
        made(tmp_path, WRITERS[name](Sample({column: values[part] for column, values in more.items()})), f"{k}-{name}")
        for k, part in enumerate([slice(0, 4), slice(4, 6)])
    ]
    assert_is(read(paths), whole)
    assert_is(read(str(tmp_path / f"*-{name}")), whole)


def test_files_of_other_columns(tmp_path: Path) -> None:
    first, second = made(tmp_path, "x,y,kind\n1,2,a\n", "1.csv"), made(tmp_path, "x,z,kind\n1,2,a\n", "2.csv")
    with pytest.raises(DataError) as told:
        read([first, second])
    said = f"{second}: its columns ['x', 'z', 'kind'] differ from those of the first file, ['x', 'y', 'kind']."
    assert str(told.value) == said


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.feather"])
def test_a_bad_row_in_the_second_file(tmp_path: Path, name: str) -> None:
    """The file is named in which it is, and the row is counted in this file."""
    good = Sample({"x": [1.5, 2.5], "kind": ["a", "b"]})
    bad = Sample({"x": [1.5, None, 3.5], "kind": ["a", "b", "a"]})
    paths = [made(tmp_path, WRITERS[name](part), f"{k}-{name}") for k, part in enumerate([good, bad])]
    with pytest.raises(DataError) as told:
        read(paths)
    where = {"a.csv": "line 3", "a.jsonl": "line 2"}.get(name, "row 2")
    said = f"{paths[1]}, {where}, column 'x': a number was expected, but it is missing. missing='drop' leaves out"
    assert str(told.value).startswith(said)
    data = read(paths, on_error="skip")
    assert (data.X.tolist(), data.skipped) == ([[1.5], [2.5], [1.5], [3.5]], 1)


def test_sparse_text_in_several_files(tmp_path: Path) -> None:
    """The result is as wide as the widest file; columns count from 0 if any file has a column 0."""
    paths = [made(tmp_path, "1 1:1 2:2\n", "1.svm"), made(tmp_path, "-1 5:3\n", "2.svm")]
    assert read(paths).X.toarray().tolist() == [[1, 2, 0, 0, 0], [0, 0, 0, 0, 3]]
    paths.append(made(tmp_path, "-1 0:7\n", "3.svm"))
    assert read(paths).X.toarray().tolist() == [[0, 1, 2, 0, 0, 0], [0, 0, 0, 0, 0, 3], [7, 0, 0, 0, 0, 0]]


def test_arrays_in_several_files(tmp_path: Path) -> None:
    paths = [made(tmp_path, npz_of(X=np.full((2, 2), k), y=np.array([k, k + 1])), f"{k}.npz") for k in (1, 2)]
    assert read(paths).X.tolist() == [[1, 1], [1, 1], [2, 2], [2, 2]]
    paths.append(made(tmp_path, npz_of(X=np.ones((2, 3)), y=np.array([1, 2])), "3.npz"))
    with pytest.raises(DataError) as told:
        read(paths)
    assert "\n" not in str(told.value)
    assert str(paths[2]) in str(told.value)


def test_the_mean_is_that_of_all_rows(tmp_path: Path) -> None:
    """Also where nothing is missing, and the first megabyte would do to read on."""
    n = 200_000
    path = made(tmp_path, "x,kind\n" + "".join(f"{k},{k % 2}\n" for k in range(n)))
    encoding = read(path, fill="mean").encoding
    assert encoding is not None
    assert encoding.columns[0].fill == (n - 1) / 2


def test_width_of_what_can_be_read_once(tmp_path: Path) -> None:
    """No line is lost while it is found out where columns count from."""
    code = (
        "from rosenblatt import read; data = read('-', format='libsvm', width=5); print(data.X.shape, data.y.tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="1 1:2\n-1 3:4\n", capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "(2, 5) [1, -1]\n"

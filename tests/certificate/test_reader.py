"""The checker's reader of files: it reads what was written, and its errors name line and column."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import DataError, separability
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.reader import read_file

TABLE = [[1, 2.5], [3, -4], [-5e-3, 6]]
LABELS = ["a", "b", "a"]


def made(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def cells(table: Table) -> list[list[Any]]:
    """The rows of a table, as fractions."""
    rows = [table.row(i) for i in range(table.n)]
    assert all(0 <= j < table.d and numerator != 0 for row in rows for j, (numerator, _) in row.items())
    return [[Fraction(*row.get(j, (0, 1))) for j in range(table.d)] for row in rows]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n", "data.csv"),
        ("1,2.5,a\n3,-4,b\n-5e-3,6,a\n", "data.csv"),
        ("1,2.5,a\n3,-4,b\n-5e-3,6,a", "data.csv"),  # no end of the last line
        ("x\ty\tkind\n1\t2.5\ta\n3\t-4\tb\n-5e-3\t6\ta\n", "data.tsv"),
        ("1\t2.5\ta\n3\t-4\tb\n-5e-3\t6\ta\n", "data.tab"),
        ("x,y,kind\r\n1,2.5,a\r\n3,-4,b\r\n-5e-3,6,a\r\n", "DATA.CSV"),
        ("\ufeffx,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n", "data.csv"),
        ("\ufeff1,2.5,a\n3,-4,b\n-5e-3,6,a\n", "data.csv"),
        ("\n\nx,y,kind\n\n1,2.5,a\n3,-4,b\n\n-5e-3,6,a\n\n\n", "data.csv"),
        ('"x","y","kind"\n"1","2.5","a"\n"3","-4","b"\n"-5e-3","6","a"\n', "data.csv"),
        (" x , y , kind \n 1 , 2.5 , a \n3, -4,b\n-5e-3,+6, a \n", "data.csv"),
        ("x,y,kind\n1,2.5,a\n3,-4,b\n-5e-3,6,a\n   \n", "data.csv"),
    ],
)
def test_forms_of_one_table(tmp_path: Path, text: str, name: str) -> None:
    file = read_file(made(tmp_path, text, name))
    assert cells(file.X) == TABLE
    assert file.y == LABELS
    assert file.X.names == (["x", "y"] if "kind" in text else ["x1", "x2"])
    assert (file.X.n, file.X.d, file.X.large) == (3, 2, {})
    assert isinstance(file.X.floats, np.ndarray)
    assert file.X.floats.dtype == np.float64
    assert file.X.floats.tolist() == TABLE
    assert read_file(str(tmp_path / name)).y == LABELS


@pytest.mark.parametrize(
    ("target", "y", "names"),
    [
        (None, [7, 8, 7], ["id", "kind"]),
        ("last", [7, 8, 7], ["id", "kind"]),
        ("kind", ["a", "b", "a"], ["id", "last"]),
        ("0", [1, 2, 3], ["kind", "last"]),
        ("1", ["a", "b", "a"], ["id", "last"]),
        ("2", [7, 8, 7], ["id", "kind"]),
        ("-1", [7, 8, 7], ["id", "kind"]),
        ("-3", [1, 2, 3], ["kind", "last"]),
        ("+2", [7, 8, 7], ["id", "kind"]),
    ],
)
def test_target_by_name_and_number(tmp_path: Path, target: str | None, y: list[Any], names: list[str]) -> None:
    text = "id,kind,last\n1,a,7\n2,b,8\n3,a,7\n"
    if "kind" in names:  # which then must be numbers
        text = text.replace("a,7", "10,7").replace("b,8", "20,8")
    file = read_file(made(tmp_path, text), target)
    assert file.y == y
    assert file.X.names == names
    assert file.X.n == 3


@pytest.mark.parametrize(
    ("header", "target", "y"),
    [
        ("b,1,0", "1", [6, 9]),
        ("b,0,1", "1", [7, 10]),
        ("b,c,0", "0", [7, 10]),
        ("b,c,2020", "2020", [7, 10]),
    ],
)
def test_names_go_before_numbers(tmp_path: Path, header: str, target: str, y: list[int]) -> None:
    assert read_file(made(tmp_path, f"{header}\n5,6,7\n8,9,10\n"), target).y == y


@pytest.mark.parametrize(("target", "y"), [("0", [1, 2, 0]), ("1", [0, 3, 1]), ("2", [5, 0, 5]), (None, [5, 0, 5])])
def test_without_a_header_a_number_is_that_of_a_column(tmp_path: Path, target: str | None, y: list[int]) -> None:
    """Even where the first line has the number in a cell."""
    assert read_file(made(tmp_path, "1,0,5\n2,3,0\n0,1,5\n"), target).y == y


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("1,0,5\n2,3,0\n0,1,5\n", "3"),
        ("1,0,5\n2,3,0\n0,1,5\n", "-5"),
        ("1,0,5\n2,3,0\n0,1,5\n", "5"),
        ("2020,2021,2022\n1,2,3\n4,5,6\n", "2020"),
    ],
)
def test_without_a_header_there_is_no_column_beyond_the_last(tmp_path: Path, text: str, target: str) -> None:
    """Even where the first line has the number in a cell."""
    with pytest.raises(DataError, match=f"there is no column {target}; the first line has 3: "):
        read_file(made(tmp_path, text), target)


@pytest.mark.parametrize(
    ("header", "target", "names", "rows", "y"),
    [
        ("2019,2020,label", "label", ["2019", "2020"], [[1, 2], [4, 5]], [3, 6]),
        ("label,2019,2020", "label", ["2019", "2020"], [[2, 3], [5, 6]], [1, 4]),
        ("2019,label,2020", "label", ["2019", "2020"], [[1, 3], [4, 6]], [2, 5]),
        ("1,2,1.5", "1.5", ["1", "2"], [[1, 2], [4, 5]], [3, 6]),
        (",,label", "label", ["x1", "x2"], [[1, 2], [4, 5]], [3, 6]),
    ],
)
def test_a_line_with_the_name_of_the_target_is_a_header(
    tmp_path: Path, header: str, target: str, names: list[str], rows: list[list[int]], y: list[int]
) -> None:
    """The first line is a header although no other name is a word: the names are years, or there are no others."""
    file = read_file(made(tmp_path, f"{header}\n1,2,3\n4,5,6\n"), target)
    assert (file.X.names, cells(file.X), file.y) == (names, rows, y)


@pytest.mark.parametrize("header", ["x,,kind", ",x,kind"])
def test_a_header_may_leave_a_name_out(tmp_path: Path, header: str) -> None:
    file = read_file(made(tmp_path, f"{header}\n1,2,a\n3,4,b\n"))
    names = ["x", "x2"] if header.startswith("x") else ["x1", "x"]  # as `read` calls them
    assert (file.X.names, cells(file.X), file.y) == (names, [[1, 2], [3, 4]], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "target", "words"),
    [
        ("1,,a\n3,4,b\n5,6,a\n", None, "line 1, column 'x2': a number was expected, not ''"),
        (",2,a\n3,4,b\n", None, "line 1, column 'x1': a number was expected, not ''"),
        (",,a\n3,4,b\n", None, "line 1, column 'x1': a number was expected, not ''"),
        ("\n1,,a\n3,4,b\n", None, "line 2, column 'x2': a number was expected, not ''"),
        ("a,1,\nb,3,4\n", "0", "line 1, column 'x3': a number was expected, not ''"),
        ("1,2,\n3,4,b\n", None, "line 1, column 'x3': a label was expected, but it is missing"),
    ],
)
def test_a_first_line_with_a_hole_is_no_header(tmp_path: Path, text: str, target: str | None, words: str) -> None:
    """The first line is a row with a missing number, and must not be taken for a header."""
    with pytest.raises(DataError, match=words):
        read_file(made(tmp_path, text), target)


def test_columns_of_one_name(tmp_path: Path) -> None:
    """They are refused, as `read` refuses them, whatever the target is."""
    path = made(tmp_path, "x,x,kind\n1,2,3\n4,5,6\n")
    with pytest.raises(DataError, match=r"there are 2 columns 'x'; give its number, from 0\."):
        read_file(path, "x")
    for target in ("0", "1", "kind", None):
        with pytest.raises(DataError, match=r"line 1: there are 2 columns 'x': the columns 1, 2\. Rename") as told:
            read_file(path, target)
        assert str(path) in str(told.value)


@given(
    st.lists(
        st.tuples(st.integers(-(2**200), 2**200), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=5,
    )
)
def test_numbers_are_what_they_are(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, float]]) -> None:
    """Integers of any size, and every float as Python writes it."""
    text = "".join(f"{a},{b!r},c\n" for a, b in rows)
    file = read_file(made(tmp_path_factory.mktemp("numbers"), text))
    assert cells(file.X) == [[Fraction(a), Fraction(b)] for a, b in rows]
    assert file.X.floats.tolist() == [[float(a), b] for a, b in rows]
    large = {i: {0: a} for i, (a, _) in enumerate(rows) if int(float(a)) != a}
    assert {i: row for i, row in file.X.large.items() if int(float(row[0])) != row[0]} == large
    assert all(type(a) is int for row in file.X.large.values() for a in row.values())


def test_integers_beyond_all_floats(tmp_path: Path) -> None:
    file = read_file(made(tmp_path, f"{10**400},a\n-{10**400 + 1},b\n"))
    assert cells(file.X) == [[10**400], [-(10**400) - 1]]
    assert file.X.large == {0: {0: 10**400}, 1: {0: -(10**400) - 1}}
    assert np.isfinite(file.X.floats).all()


def test_integers_beyond_floats_decide(tmp_path: Path) -> None:
    """2^53 and 2^53 + 1 are the same float."""
    file = read_file(made(tmp_path, f"x,kind\n{2**53},a\n{2**53 + 1},b\n"))
    verdict = separability(*file)
    assert (verdict.kind, verdict.feature_names) == ("strict", ["x"])
    overlap = read_file(made(tmp_path, f"x,kind\n{2**53},a\n{2**53},b\n"))
    assert separability(*overlap).kind == "overlap"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["01", "2"], [1, 2]),
        (["1", "b"], ["1", "b"]),
        (["1.0", "2"], [1, 2]),
        (["1.0", "-2.0"], [1, -2]),
        (["1e2", "+3"], [100, 3]),
        (["1", "1.0", "2"], [1, 1, 2]),
        (["1.0", "b"], ["1.0", "b"]),
        (["1", "1_0"], ["1", "1_0"]),
        ([str(2**53), str(2**53 + 1)], [2**53, 2**53 + 1]),
        (["yes", "no"], ["yes", "no"]),
        ([" yes", "no "], ["yes", "no"]),
        (['"a,b"', '"say ""so"""'], ["a,b", 'say "so"']),
        (["é", "ß"], ["é", "ß"]),
    ],
)
def test_labels_are_integers_if_all_are_whole(tmp_path: Path, labels: list[str], expected: list[Any]) -> None:
    text = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    y = read_file(made(tmp_path, text)).y
    assert y == expected
    assert [type(label) for label in y] == [type(label) for label in expected]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no rows"),
        ("\n\n", "it has no rows"),
        ("x,y,kind\n", "a header but no rows"),
        ("x\n1\n", "at least two columns"),
        ("\n\nx\n1\n", "line 3"),
        ("x y kind\n1 2 a\n", "at least two columns"),
        ("x,y,kind\n1,2,a\n3,b\n", "line 3: 3 columns were expected, as in the first line, not 2"),
        ("x,y,kind\n\n1,2,a,9\n", "line 3: 3 columns were expected, as in the first line, not 4"),
        ("\nx,y,kind\n1,2\n", "line 3: 3 columns were expected, as in the first line, not 2"),
        ("x,y,kind\n1,2,a\n3,oops,b\n", "line 3, column 'y': a number was expected, not 'oops'"),
        ("x,y,kind\n1,2,a\n3,,b\n", "line 3, column 'y': a number was expected, not ''"),
        ("1,2,a\n3,4 5,b\n", "line 2, column 'x2': a number was expected, not '4 5'"),
        ('x,y,kind\n1,"2\n3",a\n', "column 'y'"),
        ("x,y,kind\n1,1_000,a\n", "line 2, column 'y': a number was expected, not '1_000'"),
        ("x,y,kind\n1,nan,a\n", "line 2, column 'y': a finite number was expected, not 'nan'"),
        ("x,y,kind\n1,2,a\n-inf,1,a\n", "line 3, column 'x': a finite number was expected, not '-inf'"),
        ("x,y,kind\n1,1e999,a\n", "line 2, column 'y': a finite number was expected, not '1e999'"),
        ("x,y,kind\n1,2,a\n1,2,\n", "line 3, column 'kind': a label was expected, but it is missing"),
        ('x,kind\n1,"a\n2,b\n3,c\n', "cannot be read"),
        pytest.param("x,kind\n" + "1" * 5000 + ",a\n", "line 2, column 'x'", id="5000 digits"),
    ],
)
def test_what_cannot_be_read_is_said_where_it_is(tmp_path: Path, text: str | bytes, words: str) -> None:
    path = made(tmp_path, text)
    with pytest.raises(DataError, match=words) as told:
        read_file(path)
    assert str(path) in str(told.value)
    assert str(told.value).endswith(".")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        *[(name, f"there is no column '{name}'; the first line has ") for name in ("zz", "", "--1", "²", "1.0")],
        *[(number, f"there is no column {number}; the first line has 3: ") for number in ("3", "-4", "99")],
    ],
)
def test_no_such_column(tmp_path: Path, target: str, words: str) -> None:
    path = made(tmp_path, "x,y,kind\n1,2,a\n")
    with pytest.raises(DataError) as told:
        read_file(path, target)
    assert str(told.value) == f"{path}: {words}'x', 'y', 'kind'."


@pytest.mark.parametrize("target", ["KIND", "knd", "kinds"])
def test_the_nearest_column_is_suggested(tmp_path: Path, target: str) -> None:
    with pytest.raises(DataError, match=rf"no column '{target}'; .* Did you mean 'kind'\?$"):
        read_file(made(tmp_path, "x,y,kind\n1,2,a\n"), target)


@pytest.mark.parametrize("name", ["none.csv", "none.svm", "no/such/folder.csv"])
def test_no_such_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        read_file(tmp_path / name)


@pytest.mark.parametrize("name", ["folder.csv", "folder.svm"])
def test_a_folder_is_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        read_file(tmp_path / name)


@pytest.mark.parametrize("name", ["data.txt", "data", "data.txt.gz", "data.xlsx"])
def test_unknown_ending(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"ends with .csv, .tsv, .*\.svm"):
        read_file(made(tmp_path, "1,2\n", name))


# ---------------------------------------------------------------------------------------------------------------------
# LIBSVM's format


@pytest.mark.parametrize("name", ["data.svm", "data.libsvm", "data.svmlight", "DATA.SVM"])
def test_libsvm(tmp_path: Path, name: str) -> None:
    file = read_file(made(tmp_path, "1 1:2.5 3:-4\n-1 2:1e-3 # a comment\n1\n", name))
    assert scipy.sparse.issparse(file.X.floats)
    assert file.X.floats.format == "csr"
    assert file.X.floats.toarray().tolist() == [[2.5, 0, -4], [0, 1e-3, 0], [0, 0, 0]]
    assert cells(file.X) == [[2.5, 0, -4], [0, Fraction(1e-3), 0], [0, 0, 0]]
    assert (file.X.names, file.X.large) == (None, {})
    assert file.y == [1, -1, 1]
    assert all(type(label) is int for label in file.y)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1 1:2 2:3\n-1 2:4", [[2, 3], [0, 4]]),  # no end of the last line
        ("1 1:2 2:3\r\n-1 2:4\r\n", [[2, 3], [0, 4]]),
        ("\ufeff1 1:2 2:3\n-1 2:4\n", [[2, 3], [0, 4]]),
        ("# first 1:9\n\n1 1:2 2:3\n   \n-1 2:4 #5:x\n# end", [[2, 3], [0, 4]]),
        ("  +1\t1:2   2:3 \n-1.0 2:4\n", [[2, 3], [0, 4]]),
        ("1 qid:7 1:2 2:3\n-1 qid:8 2:4\n", [[2, 3], [0, 4]]),
        ("1 2:3 1:2\n-1 2:4 1:0\n", [[2, 3], [0, 4]]),  # columns in any order, and a number that is 0
        ("1 01:2 2:3\n-1 2:4\n", [[2, 3], [0, 4]]),
        ("1 0:2 1:3\n-1 1:4\n", [[2, 3], [0, 4]]),  # columns from 0
        ("1 1:3\n-1 1:4 0:7\n", [[0, 3], [7, 4]]),
        ("1 0:3\n-1 0:4\n", [[3], [4]]),
        ("1 2:3\n-1 2:4\n", [[0, 3], [0, 4]]),  # and not from the lowest
        ("1 5:0\n-1 1:4\n", [[0, 0, 0, 0, 0], [4, 0, 0, 0, 0]]),
    ],
)
def test_forms_of_libsvm(tmp_path: Path, text: str, rows: list[list[int]]) -> None:
    file = read_file(made(tmp_path, text, "data.svm"))
    assert cells(file.X) == rows
    assert file.X.floats.toarray().tolist() == rows
    assert file.X.floats.has_canonical_format
    assert file.y == [1, -1]
    assert all(type(label) is int for label in file.y)


@pytest.mark.parametrize("label", ["2.5", "1e-1", "inf"])
def test_labels_that_are_numbers_but_not_whole_are_refused(tmp_path: Path, label: str) -> None:
    """A target of prices would be as many classes as rows."""
    trouble = f"a label, a word or a whole number, was expected, not {label}. It looks like a number to predict"
    message = f"data.csv, line 2, column 'x2': {trouble}"
    with pytest.raises(DataError, match=message):
        read_file(made(tmp_path, f"1,1.0\n2,{label}\n"))


def test_libsvm_labels_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2, label: a label, a word or a whole number, was expected, not 0\.5\.$"):
        read_file(made(tmp_path, "1 1:2\n0.5 1:3\n", "data.svm"))


def test_libsvm_and_csv_agree(tmp_path: Path) -> None:
    sparse = separability(*read_file(made(tmp_path, "1 1:3 2:1\n2 1:1 2:7\n2 1:2 2:2\n1 1:9 2:1\n", "data.svm")))
    dense = separability(*read_file(made(tmp_path, "3,1,1\n1,7,2\n2,2,2\n9,1,1\n")))
    assert sparse.kind == dense.kind
    assert sparse.margin_bounds == pytest.approx(dense.margin_bounds)


def test_libsvm_integers_beyond_floats_stay_as_they_are(tmp_path: Path) -> None:
    """2^53 and 2^53 + 1 are the same float."""
    file = read_file(made(tmp_path, f"1 1:{2**53}\n-1 1:{2**53 + 1}\n", "data.svm"))
    assert cells(file.X) == [[2**53], [2**53 + 1]]
    assert file.X.large[1] == {0: 2**53 + 1}
    assert separability(*file).kind == "strict"
    overlap = read_file(made(tmp_path, f"1 1:{2**53}\n-1 1:{2**53}\n", "data.svm"))
    assert separability(*overlap).kind == "overlap"


@pytest.mark.parametrize("base", [0, 1])
def test_libsvm_integers_beyond_floats_are_in_their_columns(tmp_path: Path, base: int) -> None:
    text = f"1 {base + 2}:-{2**80 + 1} {base}:5\n-1\n1 {base + 1}:{10**400} {base}:{2**53 + 1}\n"
    file = read_file(made(tmp_path, text, "data.svm"))
    assert file.X.large == {0: {2: -(2**80) - 1}, 2: {0: 2**53 + 1, 1: 10**400}}
    assert cells(file.X) == [[5, 0, -(2**80) - 1], [0, 0, 0], [2**53 + 1, 10**400, 0]]
    assert np.isfinite(file.X.floats.data).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no rows"),
        ("\n# a comment\n", "it has no rows"),
        ("1\n-1\n", "no row has a number"),
        ("1 1:2\n-1 1:oops\n", "line 2, column 1: a number was expected, not 'oops'"),
        ("1 1:2\n\n-1 1:2 3:\n", "line 3, column 3: a number was expected, not ''"),
        ("1 1:2\n-1 1:1_0\n", "line 2, column 1: a number was expected, not '1_0'"),
        ("1 1:2\n-1 1:2:3\n", "line 2, column 1: a number was expected, not '2:3'"),
        ("1 1:2\n-1 x:1\n", "line 2: 'column:number' was expected, not 'x:1'"),
        ("1 1:2\n-1 -1:1\n", "line 2: 'column:number' was expected, not '-1:1'"),
        ("1 1:2\n-1 :1\n", "line 2: 'column:number' was expected, not ':1'"),
        ("1 1:2\n-1 12\n", "line 2: 'column:number' was expected, not '12'"),
        ("1 1:2\n-1 2:1 1:1 2:1\n", "line 2: column 2 occurs twice"),
        ("1 1:2\n-1 1:1 01:1\n", "line 2: column 01 occurs twice"),
        ("1 1:2\n1:2\n", "line 2: a label was expected first, not '1:2'"),
        ("1 1:2\nqid:1 1:2\n", "line 2: a label was expected first, not 'qid:1'"),
        ("a 1:2\nb 1:3\n", "line 1, label: a number was expected, not 'a'"),
        ("1,-1 1:2\n", "line 1, label: a number was expected, not '1,-1'"),
        ("1 1:2\nnan 1:3\n", "line 2, label: a finite number was expected, not 'nan'"),
        ("1 1:2\n-1 1:inf\n", "line 2, column 1: a finite number was expected, not 'inf'"),
        (b"1 1:2\n-1 1:\xe9\n", "not UTF-8 text"),
        ("1 1:2\n-1 99999999999999999999:1\n", "line 2"),
    ],
)
def test_what_is_not_libsvm_is_said_where_it_is(tmp_path: Path, text: str | bytes, words: str) -> None:
    path = made(tmp_path, text, "data.svm")
    with pytest.raises(DataError, match=words) as told:
        read_file(path)
    assert str(path) in str(told.value)
    assert str(told.value).endswith(".")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("target", ["kind", "0", ""])
def test_libsvm_has_no_columns_to_choose_a_target_from(tmp_path: Path, target: str) -> None:
    path = made(tmp_path, "1 1:2\n-1 1:3\n", "data.svm")
    with pytest.raises(DataError, match="the label comes first; leave the target out") as told:
        read_file(path, target)
    assert str(path) in str(told.value)

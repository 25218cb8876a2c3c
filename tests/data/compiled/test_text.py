"""LIBSVM text against scikit-learn, Vowpal Wabbit text against MurmurHash3, and the places of bad lines."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from sklearn.utils import murmurhash3_32

from rosenblatt import DataError, read
from rosenblatt.certificate.reader import read_file
from rosenblatt.data.compiled import hashing
from rosenblatt.data.compiled import text as sparse_text
from tests.support import fuzz_readers

FORMS: tuple[Callable[[float], str], ...] = (
    repr,
    "{:.17g}".format,
    "{:.20e}".format,
    "{:+.17g}".format,
    "{:.3f}".format,
)
numbers = st.builds(lambda form, x: form(x), st.sampled_from(FORMS), st.floats(allow_nan=False, allow_infinity=False))
numbers |= st.sampled_from(["0", "-0", "1", ".5", "5.", "+1", "1E5", "-1e-5", "9007199254740993", "5e-324", "0.1"])
labels = st.sampled_from(["1", "-1", "+1", "0", "2", "1.0", "-1.", "1e2", "007"])
spaces = st.sampled_from([" ", "  ", "\t", " \t "])
ends = st.sampled_from(["\n", "\r\n", " \n", "\t\r\n"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("text")


def made(folder: Path, text: str | bytes, name: str = "data.svm") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def assert_same(X: Any, Y: Any) -> None:
    """To the last bit, and in the same places."""
    assert X.shape == Y.shape
    assert X.indptr.tolist() == Y.indptr.tolist()
    assert X.indices.tolist() == Y.indices.tolist()
    assert X.data.dtype == Y.data.dtype == np.float64
    assert X.data.tobytes() == Y.data.tobytes()


class Line(NamedTuple):
    label: str
    pairs: list[tuple[int, str]]
    gap: str
    qid: str
    comment: str
    end: str

    def text(self, pairs: Sequence[tuple[int, str]] | None = None) -> str:
        words = [self.label, *([self.qid] if self.qid else [])]
        words += [f"{column}:{number}" for column, number in (self.pairs if pairs is None else pairs)]
        return self.gap.join(words) + self.comment + self.end


@st.composite
def lines(draw: st.DrawFn, least: int = 1) -> Line:
    columns = sorted(draw(st.sets(st.integers(least, 40) | st.integers(least, 10**6), max_size=6)))
    return Line(
        draw(labels),
        [(column, draw(numbers)) for column in columns],
        draw(spaces),
        draw(st.sampled_from(["", "", "qid:3", "qid:12"])),
        draw(st.sampled_from(["", "", " # a comment", " #", " # 3:4 qid:1 : x"])),
        draw(ends),
    )


others = st.sampled_from(["", "\n", "\r\n", "   \n", "# only a comment\n", "  # and 1:2\n"])


@given(st.lists(st.tuples(lines(), others), min_size=1, max_size=8), st.booleans())
def test_libsvm_is_what_scikit_learn_reads(folder: Path, given_lines: list[tuple[Line, str]], ended: bool) -> None:
    """Data, indices, indptr and labels; columns count from 1."""
    assume(any(line.pairs for line, _ in given_lines))
    text = "".join(other + line.text() for line, other in given_lines)
    path = made(folder, text if ended else text.rstrip())
    data = read(path)
    X, y = load_svmlight_file(str(path))
    assert_same(data.X, X)
    assert data.y.dtype == np.int64
    assert data.y.tolist() == y.tolist()
    assert (data.feature_names, data.encoding, data.skipped) == (None, None, 0)


@given(st.lists(lines(0), min_size=1, max_size=6), st.sampled_from([None, True]))
def test_libsvm_from_column_0(folder: Path, given_lines: list[Line], zero_based: bool | None) -> None:
    first = [(0, "2.5"), *(pair for pair in given_lines[0].pairs if pair[0])]
    given_lines[0] = given_lines[0]._replace(pairs=first)
    path = made(folder, "".join(line.text() for line in given_lines))
    data = read(path, zero_based=zero_based)
    X, y = load_svmlight_file(str(path))
    assert_same(data.X, X)
    assert data.y.tolist() == y.tolist()


@given(st.lists(lines(1), min_size=1, max_size=6), st.booleans())
def test_libsvm_counts_columns_as_it_is_told(folder: Path, given_lines: list[Line], zero_based: bool) -> None:
    assume(any(line.pairs for line in given_lines))
    path = made(folder, "".join(line.text() for line in given_lines))
    assert_same(read(path, zero_based=zero_based).X, load_svmlight_file(str(path), zero_based=zero_based)[0])


@given(st.lists(lines(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_columns_are_sorted(folder: Path, given_lines: list[Line], random: Any) -> None:
    assume(any(line.pairs for line in given_lines))
    mixed = [line.text(random.sample(line.pairs, len(line.pairs))) for line in given_lines]
    data = read(made(folder, "".join(mixed)))
    X, y = load_svmlight_file(str(made(folder, "".join(line.text() for line in given_lines), "sorted.svm")))
    assert_same(data.X, X)
    assert data.y.tolist() == y.tolist()


@pytest.mark.parametrize("count", [2, 63, 64, 65, 66, 500])
def test_long_rows_are_sorted(tmp_path: Path, count: int) -> None:
    """By insertion or by merging, as they are long."""
    columns = np.random.default_rng(count).permutation(count) + 1
    data = read(made(tmp_path, "1 " + " ".join(f"{column}:{column / 7!r}" for column in columns.tolist()) + "\n"))
    assert data.X.indices.tolist() == list(range(count))
    assert data.X.data.tolist() == [column / 7 for column in range(1, count + 1)]


@given(st.lists(lines(), min_size=1, max_size=6))
def test_libsvm_is_what_the_exact_reader_reads(folder: Path, given_lines: list[Line]) -> None:
    assume(any(line.pairs for line in given_lines))
    path = made(folder, "".join(line.text() for line in given_lines))
    data, exact = read(path), read_file(path)
    assert data.X.shape == exact.X.floats.shape
    assert data.X.toarray().tolist() == exact.X.floats.toarray().tolist() if data.X.shape[1] < 100 else True
    assert np.array_equal((data.X - exact.X.floats).data, np.zeros((data.X - exact.X.floats).nnz))
    assert data.y.tolist() == exact.y


@pytest.mark.parametrize(
    "text",
    [
        "1 1:2#c\n-1 2:3\n",
        "1 1:2 3:4#\n-1 2:3\n",
        "1#c\n-1 2:3\n",
        "1 qid:3#x 1:2\n-1 2:3\n",
        "1 1:0.1234567890123456789012345#c\n-1 2:3\n",
    ],
)
def test_a_comment_needs_no_space(tmp_path: Path, text: str) -> None:
    """Text after # is not part of the row, whatever comes before it."""
    path = made(tmp_path, text)
    X, y = load_svmlight_file(str(path), zero_based=False)
    data = read(path)
    assert_same(data.X, X)
    assert data.y.tolist() == y.tolist()


def test_hard_numbers(tmp_path: Path) -> None:
    """Half-way ones, those with hundreds of digits, and the smallest: Python's floats."""
    written = ["9007199254740993", "9007199254740993." + "0" * 400 + "1", "2.2250738585072011e-308", "3e-324", "1e-400"]
    written += [
        "0." + "0" * 330 + "1234567",
        "-" + "7" * 300,
        "1.00000000000000011102230246251565404236316680908203125",
    ]
    path = made(tmp_path, "1 " + " ".join(f"{j}:{word}" for j, word in enumerate(written, start=1)) + "\n")
    data = read(path)
    assert data.X.data.tobytes() == np.array([float(word) for word in written]).tobytes()
    vw = read(made(tmp_path, "1 | " + " ".join(f"{j}:{word}" for j, word in enumerate(written)), "data.vw"))
    assert vw.X.data.tobytes() == data.X.data.tobytes()


@pytest.mark.parametrize("number", ["1e309", "-1e309", "9" * 310, str(2**1024), str(2**1024 - 2**970)])
@pytest.mark.parametrize(
    ("name", "line"), [("data.svm", "1 1:{}"), ("data.vw", "1 | a:{}"), ("data.vw", "1 |n:0 a:{}")]
)
def test_infinity_is_no_number(tmp_path: Path, number: str, name: str, line: str) -> None:
    """Also where only Python can tell that it is infinite."""
    assert math.isinf(float(number))
    path = made(tmp_path, line.format("1") + "\n" + line.format(number) + "\n", name)
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value).startswith(f"{path}, line 2: a finite number was expected, not '")
    assert read(path, on_error="skip").skipped == 1


def test_a_column_0_where_columns_count_from_1(tmp_path: Path) -> None:
    """It has no place, and must not become column -1."""
    path = made(tmp_path, "1 1:3\n-1 0:2 1:3\n")
    with pytest.raises(DataError, match="column") as told:
        read(path, zero_based=False)
    assert str(told.value).startswith(f"{path}, line 2")


@pytest.mark.parametrize("column", ["1234567890", "9999999999", "4294967297", "0000000001", "12345678901"])
def test_columns_have_at_most_9_digits(tmp_path: Path, column: str) -> None:
    """More would not fit: 4294967297 is 1 in 32 bits."""
    path = made(tmp_path, f"1 1:2\n-1 {column}:3\n")
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value) == f"{path}, line 2: a column of at most 9 digits was expected, not '{column}:3'."


def test_the_largest_column(tmp_path: Path) -> None:
    data = read(made(tmp_path, "1 999999999:2\n-1 1:3\n"))
    assert data.X.shape == (2, 999999999)
    assert data.X.indices.tolist() == [999999998, 0]


def test_rows_without_numbers(tmp_path: Path) -> None:
    data = read(made(tmp_path, "1\n-1 2:3\n1\n"))
    assert data.X.toarray().tolist() == [[0, 0], [0, 3], [0, 0]]
    assert data.y.tolist() == [1, -1, 1]


BAD_LIBSVM = [
    ("x 1:2", "a whole number was expected as label, not 'x'"),
    ("1:2 2:3", "a whole number was expected as label, not '1:2'"),
    ("qid:1 1:2", "a whole number was expected as label, not 'qid:1'"),
    ("1.5 1:2", "a whole number was expected as label, not '1.5'"),
    ("1,2 1:2", "a whole number was expected as label, not '1,2'"),
    ("nan 1:2", "a whole number was expected as label, not 'nan'"),
    ("inf 1:2", "a whole number was expected as label, not 'inf'"),
    ("1e999 1:2", "a whole number was expected as label, not '1e999'"),
    ("1e300 1:2", "a whole number was expected as label, not '1e300'"),
    ("9007199254740993 1:2", "a whole number was expected as label, not '9007199254740993'"),
    ("+ 1:2", "a whole number was expected as label, not '+'"),
    ("-", "a whole number was expected as label, not '-'"),
    ("1e 1:2", "a whole number was expected as label, not '1e'"),
    ("1 2", "'column:number' was expected, not '2'"),
    ("1 a:2", "'column:number' was expected, not 'a:2'"),
    ("1 -1:2", "'column:number' was expected, not '-1:2'"),
    ("1 +1:2", "'column:number' was expected, not '+1:2'"),
    ("1 :2", "'column:number' was expected, not ':2'"),
    ("1 1.0:2", "'column:number' was expected, not '1.0:2'"),
    ("1 1 :2", "'column:number' was expected, not '1'"),
    ("1 1:2 qid", "'column:number' was expected, not 'qid'"),
    ("1 1:2 é:3", "'column:number' was expected, not 'é:3'"),
    (
        "1 123456789012345678901234567890:2",
        "a column of at most 9 digits was expected, not '123456789012345678901234567890:2'",
    ),
    ("1 1:2 1:3", "each column was expected once"),
    ("1 3:2 1:3 3:2", "each column was expected once"),
    ("1 01:2 1:3", "each column was expected once"),
    ("1 1:inf", "a number was expected behind the colon, not '1:inf'"),
    ("1 1:nan", "a number was expected behind the colon, not '1:nan'"),
    ("1 1:", "a number was expected behind the colon, not '1:'"),
    ("1 1: 2", "a number was expected behind the colon, not '1:'"),
    ("1 1:x", "a number was expected behind the colon, not '1:x'"),
    ("1 1:2x", "a number was expected behind the colon, not '1:2x'"),
    ("1 1:2:3", "a number was expected behind the colon, not '1:2:3'"),
    ("1 1:1e", "a number was expected behind the colon, not '1:1e'"),
    ("1 1:1_0", "a number was expected behind the colon, not '1:1_0'"),
    ("1 1:0x10", "a number was expected behind the colon, not '1:0x10'"),
    ("1 1:-", "a number was expected behind the colon, not '1:-'"),
    ("1 1:1,5", "a number was expected behind the colon, not '1:1,5'"),
    ("1 1:1e309", "a finite number was expected, not '1e309'"),
]
BAD_VOWPAL = [
    ("x | a", "a whole number was expected as label, not 'x'"),
    ("| a", "a whole number was expected as label, not '|'"),
    ("0.5 | a", "a whole number was expected as label, not '0.5'"),
    ("1:2 | a", "a whole number was expected as label, not '1:2'"),
    ("1", "a bar | was expected before the names, but the line ends"),
    ("1 'tag", "a bar | was expected before the names"),
    ("1 2 | a", "an importance of 1 was expected (rows are not weighed), not '2'"),
    ("1 0.5 'tag | a", "an importance of 1 was expected (rows are not weighed), not '0.5'"),
    ("1 |n:x a", "a number was expected behind the colon, not 'x'"),
    ("1 |n: a", "a number was expected behind the colon"),
    ("1 | a:x", "a number was expected behind the colon, not 'x'"),
    ("1 | a:", "a number was expected behind the colon"),
    ("1 | a:1:2", "a number was expected behind the colon, not '1:2'"),
    ("1 | a:inf", "a number was expected behind the colon, not 'inf'"),
    ("1 | a:1e999", "a finite number was expected, not '1e999'"),
    ("1 |n:1e308 a:1e308", "a finite number was expected, not '1e308'"),
]


@pytest.mark.parametrize(
    ("name", "good", "bad", "words"),
    [("data.svm", "1 1:5", *case) for case in BAD_LIBSVM] + [("data.vw", "1 | a:5", *case) for case in BAD_VOWPAL],
)
def test_every_bad_line_is_said_where_it_is(tmp_path: Path, name: str, good: str, bad: str, words: str) -> None:
    """File, line, what was expected, what came, in one sentence; skipped, it makes no difference to the others."""
    path = made(tmp_path, f"{good}\n\n{bad}\n{good}\n", name)
    with pytest.raises(DataError) as told:
        read(path)
    said = str(told.value)
    assert said.startswith(f"{path}, line 3: {words}")
    assert said.endswith(".")
    assert "\n" not in said
    data = read(path, on_error="skip")
    plain = read(made(tmp_path, f"{good}\n{good}\n", f"good-{name}"))
    assert_same(data.X, plain.X)
    assert (data.y.tolist(), data.skipped) == (plain.y.tolist(), 1)
    with pytest.raises(DataError, match=r"it has no rows; 1 row could not be used\."):
        read(made(tmp_path, f"{bad}\n", name), on_error="skip")


@given(st.lists(lines() | st.sampled_from([bad for bad, _ in BAD_LIBSVM]), min_size=1, max_size=8))
def test_only_good_lines_are_read(folder: Path, mixed: list[Line | str]) -> None:
    good = [line for line in mixed if isinstance(line, Line)]
    assume(any(line.pairs for line in good))
    path = made(folder, "".join(line.text() if isinstance(line, Line) else line + "\n" for line in mixed))
    X, y = load_svmlight_file(str(made(folder, "".join(line.text() for line in good), "good.svm")))
    data = read(path, on_error="skip")
    assert_same(data.X, X)
    assert (data.y.tolist(), data.skipped) == (y.tolist(), len(mixed) - len(good))
    if len(good) < len(mixed):
        first = next(k for k, line in enumerate(mixed, start=1) if isinstance(line, str))
        with pytest.raises(DataError) as told:
            read(path)
        assert str(told.value).startswith(f"{path}, line {first}: ")


def test_what_comes_is_shortened(tmp_path: Path) -> None:
    """A message is no dump of the file."""
    path = made(tmp_path, "1 1:2\n1 1:" + "x" * 100_000 + "\n")
    with pytest.raises(DataError) as told:
        read(path)
    assert len(str(told.value)) < len(str(path)) + 200


# ---------------------------------------------------------------------------------------------------------------------
# Vowpal Wabbit's text


def column(name: str, seed: int) -> int:
    """Vowpal Wabbit's hash of a name in a space whose hash is the seed."""
    if name.isascii() and name.isdigit():
        return (int(name) + seed) % 2**32
    return int(murmurhash3_32(name.encode(), seed=seed, positive=True)) if name else seed


class Space(NamedTuple):
    name: str
    factor: str
    features: list[tuple[str, str]]

    def text(self) -> str:
        words = [f"|{self.name}" + (f":{self.factor}" if self.factor else "")]
        return " ".join(words + [name + (f":{number}" if number else "") for name, number in self.features])


names = st.text(
    st.characters(codec="utf-8", exclude_characters=":| \t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=9
)
names |= st.text("0123456789", min_size=1, max_size=12) | st.sampled_from(["a", "b", "price", "0", "18"])
plain = st.sampled_from(["", "1", "2.5", "-3", "1e-3", "0.125", "+4", "0", "100000"])
space = st.builds(
    Space, names | st.just(""), plain.filter(lambda x: x != "0"), st.lists(st.tuples(names, plain), max_size=6)
)
heads = st.sampled_from(["1 ", "-1 ", "1", "2 'tag", "1 1 ", "1 1.0 'tag", "-1 1 tag", " +1  1  "])


def rows_of(spaces: Sequence[Space], bits: int) -> dict[int, float]:
    """The numbers of each column, those that meet added up in the order in which they are written."""
    row: dict[int, float] = {}
    for part in spaces:
        seed, factor = column(part.name, 0), float(part.factor or 1)
        for name, number in part.features:
            at = column(name, seed) % 2**bits
            value = float(number or 1) * factor
            row[at] = row[at] + value if at in row else value
    return row


@given(st.lists(st.tuples(heads, st.lists(space, min_size=1, max_size=3)), min_size=1, max_size=4), st.integers(1, 31))
@example([("1 ", [Space("", "", [("a", ""), ("a", "2.5"), ("a", "-3")])])], 18)
@example([("1 ", [Space("18", "2.5", [("0", ""), ("18", "1"), ("x1", "")])])], 18)
def test_vowpal_by_murmurhash(folder: Path, given_lines: list[tuple[str, list[Space]]], bits: int) -> None:
    """The column of a name is its hash; the space is the seed, and factors its numbers; those of one column add up."""
    text = "".join(head + " ".join(part.text() for part in spaces) + "\n" for head, spaces in given_lines)
    data = read(made(folder, text, "data.vw"), hash_bits=bits)
    assert data.X.shape == (len(given_lines), 2**bits)
    assert data.y.tolist() == [int(float(head.split("'")[0].split()[0])) for head, _ in given_lines]
    for i, (_, spaces) in enumerate(given_lines):
        expected = rows_of(spaces, bits)
        part = slice(data.X.indptr[i], data.X.indptr[i + 1])
        assert data.X.indices[part].tolist() == sorted(expected)
        assert data.X.data[part].tolist() == [expected[j] for j in sorted(expected)]


#: Said by vowpalwabbit 9.11.9 itself: `Workspace("--quiet --noconstant -b 18").example(line).iter_features()`.
BY_VOWPAL_WABBIT = [
    ("1 |5 a", {66185: 1}),
    ("1 |n 7", {121011: 1}),
    ("1 |n:2 a:3 b", {55346: 6, 233442: 2}),
    ("1 | a b", {92594: 1, 163331: 1}),
    ("1 2|a b", {144016: 1}),  # 2 is a tag, as no space follows it
    ("1 |n 99999999999", {49323: 1}),
    ("1 |\ta\tb", {92594: 1, 163331: 1}),
    ("1 | a b#c", {92594: 1, 89523: 1}),
    ("1 |n a a:2", {55346: 3}),
    ("1 | :5 :6 a", {0: 5, 1: 6, 92594: 1}),  # without names, columns are counted
]


@pytest.mark.parametrize(("line", "expected"), BY_VOWPAL_WABBIT)
def test_what_vowpal_wabbit_says(tmp_path: Path, line: str, expected: dict[int, float]) -> None:
    data = read(made(tmp_path, line + "\n" + "1 | z z z z\n", "data.vw"))  # the second line has room for tabs
    assert data.X.shape == (2, 2**18)
    part = slice(0, data.X.indptr[1])
    assert dict(zip(data.X.indices[part].tolist(), data.X.data[part].tolist(), strict=True)) == expected


@given(st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"")), st.integers(0, 2**32 - 1))
def test_murmur(raw: bytes, seed: int) -> None:
    text = np.frombuffer(b"ab" + raw + b"\n", np.uint8)
    expected = murmurhash3_32(raw, seed=seed, positive=True)
    assert int(hashing.murmur(text, 2, 2 + len(raw), np.uint32(seed))) == expected


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("1 |n:2 a:9007199254740993", 2.0 * float("9007199254740993")),
        ("1 |n:9007199254740993 a:2", 2.0 * float("9007199254740993")),
        ("1 |n a:9007199254740993 a:1", float("9007199254740993") + 1.0),
        ("1 |n:1.00000000000000011102230246251565404236316680908203126 a", 1.0000000000000002),
    ],
)
def test_hard_numbers_with_factors_and_sums(tmp_path: Path, line: str, value: float) -> None:
    """A number that floats do not follow is as good as any other."""
    data = read(made(tmp_path, line + "\n", "data.vw"))
    assert data.X.data.tolist() == [value]


def test_a_factor_of_0_and_an_infinite_number(tmp_path: Path) -> None:
    """Their product is no number."""
    path = made(tmp_path, "1 |n:0 a:1e999 |m b:9007199254740993\n", "data.vw")
    with pytest.raises(DataError, match=r"line 1: a finite number was expected, not '1e999'"):
        read(path)


def test_sums_beyond_all_floats(tmp_path: Path) -> None:
    path = made(tmp_path, "1 | a:1\n1 | a:1e308 a:1e308\n", "data.vw")
    with pytest.raises(DataError, match=r"line 2: .*finite"):
        read(path)
    assert read(path, on_error="skip").skipped == 1


def test_hash_bits_of_18_are_the_default(tmp_path: Path) -> None:
    path = made(tmp_path, "1 | a b:2 c\n-1 |d e\n", "data.vw")
    assert_same(read(path).X, read(path, hash_bits=18).X)
    assert scipy.sparse.issparse(read(path).X)


# ---------------------------------------------------------------------------------------------------------------------
# No kernel reads or writes outside its arrays


def test_kernels_stay_inside_their_arrays(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nasty input under numba's check of bounds, in a process of its own, which compiles each kernel once."""
    fuzz_readers.run(tmp_path_factory, "kernels", "libsvm,vw,numbers")


@given(st.binary(max_size=80))
@example(b"")
@example(b"1 1:2\n\n:: :\n")
def test_measure(raw: bytes) -> None:
    text = np.frombuffer(raw + b"\n", np.uint8)
    counted = tuple(int(count) for count in sparse_text.measure(text))
    ends = sum(raw.count(character) for character in (b" ", b"\t", b"\r", b"|"))
    assert counted == (raw.count(b"\n") + 1, raw.count(b":"), ends)

"""Sources: all file endings, patterns, lists, standard input and file systems of pyarrow; blocks of lines."""

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow
import pyarrow.feather
import pyarrow.fs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import DataError, ParameterError, read
from rosenblatt.data.files.sources import Place, blocks_of_lines, places

TEXT = "x,kind\n1,a\n2,b\n"
MARK = b"\xef\xbb\xbf"


def made(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("sources")


def refused(source: Any, **options: Any) -> str:
    """Give the message of the error, which must be one line with at least one sentence."""
    with pytest.raises((DataError, ParameterError)) as told:
        places(source, **options)
    said = str(told.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("name", "format", "compression"),
    [
        ("a.csv", "csv", None),
        ("a.CSV", "csv", None),
        ("a.tsv", "tsv", None),
        ("a.tab", "tsv", None),
        ("a.parquet", "parquet", None),
        ("a.pq", "parquet", None),
        ("a.feather", "arrow", None),
        ("a.arrow", "arrow", None),
        ("a.ipc", "arrow", None),
        ("a.jsonl", "jsonl", None),
        ("a.ndjson", "jsonl", None),
        ("a.svm", "libsvm", None),
        ("a.libsvm", "libsvm", None),
        ("a.svmlight", "libsvm", None),
        ("a.vw", "vw", None),
        ("a.npz", "npz", None),
        ("a.csv.gz", "csv", "gzip"),
        ("a.CSV.GZ", "csv", "gzip"),
        ("a.b.jsonl.zst", "jsonl", "zstd"),
        ("a.svm.zstd", "libsvm", "zstd"),
    ],
)
def test_the_name_tells_the_format(tmp_path: Path, name: str, format: Any, compression: str | None) -> None:  # noqa: A002
    path = made(tmp_path, "", name)
    assert places(path) == places(str(path)) == places([path]) == [Place(str(path), format, compression, None)]


def test_or_it_is_named(tmp_path: Path) -> None:
    assert [place.format for place in places(made(tmp_path, "", "a.txt"), "csv")] == ["csv"]
    assert [place.format for place in places(made(tmp_path, "", "a.csv"), "tsv")] == ["tsv"]
    assert places(made(tmp_path, "", "a.gz"), "vw")[0].compression == "gzip"


@pytest.mark.parametrize("name", ["a", "a.txt", "a.xlsy", "csv", "a.gz", "a.txt.gz", "a.csv.bz2"])
def test_a_name_that_tells_nothing(tmp_path: Path, name: str) -> None:
    path = made(tmp_path, "", name)
    said = refused(path)
    assert said.startswith(f"{path}: its name does not tell its format. Expected an ending of .csv, ")
    assert "format=" in said


@pytest.mark.parametrize("name", ["a.parquet.gz", "a.npz.zst", "a.arrow.GZ"])
def test_only_text_is_compressed_as_a_whole(tmp_path: Path, name: str) -> None:
    path = made(tmp_path, "", name)
    said = refused(path)
    assert said.startswith(f"{path}: ")
    assert said.endswith(f"only text is read from {os.path.splitext(name)[1]} files.")


@pytest.mark.parametrize("format", ["xls", "CSV", "", 5, ["csv"], b"csv"])
def test_no_such_format(tmp_path: Path, format: Any) -> None:  # noqa: A002
    with pytest.raises(
        ParameterError, match="format must be one of csv, tsv, parquet, arrow, jsonl, libsvm, vw, npz, lab, not "
    ):
        places(made(tmp_path, TEXT), format)


def test_no_such_file(tmp_path: Path) -> None:
    path = tmp_path / "no.csv"
    assert refused(path) == f"{path}: there is no such file."
    assert refused([made(tmp_path, TEXT), path]) == f"{path}: there is no such file."
    assert refused(tmp_path / "none" / "no.csv").endswith("there is no such file.")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    assert refused(tmp_path / "a.csv").startswith(f"{tmp_path / 'a.csv'}: it cannot be read: it is a folder.")
    file = made(tmp_path, TEXT, "b.csv")
    assert refused(file / "c.csv").startswith(f"{file / 'c.csv'}: ")


@pytest.mark.parametrize("source", [None, 5, 1.5, b"a.csv", [], [5], [None], {"a": 1}, ["a.csv", 5], (), object()])
def test_no_source(source: Any) -> None:
    assert refused(source).startswith("A path, a pattern, a list of them, an open file or '-' was expected, not ")


@pytest.mark.parametrize("name", ["a\x00.csv", "\x00", "a" * 5000 + ".csv", "\ud800.csv"])
def test_names_that_no_file_has(name: str) -> None:
    with pytest.raises(DataError):
        read(name)
    with pytest.raises(DataError):
        read([name])


def test_patterns_are_sorted(tmp_path: Path) -> None:
    for k in (3, 1, 2, 10):
        made(tmp_path, f"x,kind\n{k},a\n", f"part-{k}.csv")
    made(tmp_path, "", "other.txt")
    names = ["part-1.csv", "part-10.csv", "part-2.csv", "part-3.csv"]
    assert [Path(place.name).name for place in places(str(tmp_path / "part-*.csv"))] == names
    assert [Path(place.name).name for place in places(tmp_path / "part-?.csv")] == [names[k] for k in (0, 2, 3)]
    assert read(str(tmp_path / "part-*.csv")).X.tolist() == [[1], [10], [2], [3]]
    given_order = [tmp_path / name for name in reversed(names)]
    assert read(given_order).X.tolist() == [[3], [2], [10], [1]]
    assert read([tmp_path / "part-3.csv", str(tmp_path / "part-1*.csv")]).X.tolist() == [[3], [1], [10]]


def test_a_pattern_that_nothing_matches(tmp_path: Path) -> None:
    assert refused(str(tmp_path / "*.csv")) == f"{tmp_path}/*.csv: no file matches this pattern."


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT, "part[1].csv")
    made(tmp_path, "x,kind\n7,c\n", "part1.csv")
    assert read(path).X.tolist() == [[1], [2]]


def test_files_of_two_formats(tmp_path: Path) -> None:
    first, second = made(tmp_path, TEXT), made(tmp_path, "1 1:2\n", "a.svm")
    said = refused([first, second])
    assert said == (f"{second}: files that are read together must have one format; this is libsvm, but {first} is csv.")


@contextmanager
def piped(text: bytes) -> Iterator[None]:
    """Standard input is a pipe that holds this text."""
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:
        pipe.write(text)
    with open(reading) as stdin, mock.patch.object(sys, "stdin", stdin):
        yield


@pytest.mark.parametrize(
    ("format", "text", "X", "y"),
    [
        ("csv", b"x,kind\n1,a\n2,b\n", [[1], [2]], ["a", "b"]),
        ("jsonl", b'{"x": 1, "kind": "a"}\n{"x": 2, "kind": "b"}', [[1], [2]], ["a", "b"]),
        ("libsvm", MARK + b"1 1:1\n-1 1:2", [[1], [2]], [1, -1]),
        ("vw", b"1 | 0:1\n-1 | 0:2\n", [[1, 0], [2, 0]], [1, -1]),
    ],
)
def test_standard_input(format: Any, text: bytes, X: list[Any], y: list[Any]) -> None:  # noqa: A002
    options: dict[str, Any] = {"hash_bits": 1} if format == "vw" else {}
    with piped(text):
        data = read("-", format=format, **options)
    found = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    assert (found.tolist(), data.y.tolist()) == (X, y)


def test_standard_input_of_a_process() -> None:
    code = "import rosenblatt as r; d = r.read('-', format='csv'); print(d.X.tolist(), d.y.tolist())"
    done = subprocess.run([sys.executable, "-c", code], input=TEXT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[[1.0], [2.0]] ['a', 'b']\n", "")


def test_standard_input_of_tables() -> None:
    """They are read as a whole first, as a pipe cannot be read to and fro."""
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"x": [1, 2], "kind": ["a", "b"]})
    with pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with piped(sink.getvalue().to_pybytes()):
        data = read("-", format="arrow")
    assert (data.X.tolist(), data.y.tolist()) == ([[1.0], [2.0]], ["a", "b"])


def test_standard_input_has_no_ending() -> None:
    assert refused("-").startswith("-: its name does not tell its format.")


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "data.npz", "data.arrow"])
def test_filesystems(tmp_path: Path, name: str) -> None:
    """Of pyarrow, as such, for a folder, and by an address."""
    import numpy as np
    import pyarrow.parquet

    path, table = tmp_path / name, pyarrow.table({"x": [1.0, 2.0], "kind": ["a", "b"]})
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(TEXT.encode()))
    elif name.endswith("csv"):
        path.write_text(TEXT)
    elif name.endswith("parquet"):
        pyarrow.parquet.write_table(table, path)
    elif name.endswith("npz"):
        np.savez(path, X=[[1.0], [2.0]], y=["a", "b"])
    else:
        pyarrow.feather.write_feather(table, path)
    local = pyarrow.fs.LocalFileSystem()
    for data in (
        read(path),
        read(str(path), filesystem=local),
        read(name, filesystem=pyarrow.fs.SubTreeFileSystem(str(tmp_path), local)),
        read([name, name], filesystem=pyarrow.fs.SubTreeFileSystem(str(tmp_path), local)),
        read(f"file://{path}"),
    ):
        assert data.X.tolist() in ([[1], [2]], [[1], [2], [1], [2]])
        assert data.y.tolist() in (["a", "b"], ["a", "b", "a", "b"])


def test_an_address_with_a_space(tmp_path: Path) -> None:
    """In a URI, %20 is a space."""
    path = made(tmp_path, TEXT, "my data.csv")
    assert read(path.as_uri()).X.tolist() == [[1], [2]]


@pytest.mark.parametrize("name", ["no.csv", "no.parquet", "no.npz", "no.svm", "no.jsonl.gz"])
def test_no_such_file_on_a_filesystem(tmp_path: Path, name: str) -> None:
    part = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())
    for source, options in ((name, {"filesystem": part}), (f"file://{tmp_path}/{name}", {})):
        with pytest.raises(DataError) as told:
            read(source, **options)
        assert str(told.value).startswith(f"{source}: it cannot be read")
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["strange://a/b.csv", "://a.csv", "http://x/a.csv", "no such://a.csv"])
def test_no_such_filesystem(name: str) -> None:
    with pytest.raises(DataError) as told:
        read(name)
    assert str(told.value).startswith(f"{name}: pyarrow knows no filesystem for it: ")
    assert "\n" not in str(told.value)


def test_no_filesystem_at_all(tmp_path: Path) -> None:
    with pytest.raises((ParameterError, DataError)):
        read(made(tmp_path, TEXT), filesystem="s3")


def test_what_is_known_of_a_place(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    (local,) = places(path)
    (remote,) = places(f"file://{path}")
    (piped,) = places("-", "csv")
    assert (local.size, local.can_be_read_again) == (len(TEXT), True)
    assert (remote.size, remote.can_be_read_again) == (len(TEXT), True)
    assert (piped.size, piped.can_be_read_again) == (None, False)


# ---------------------------------------------------------------------------------------------------------------------
# Compressed text


@pytest.mark.parametrize(("ending", "codec"), [(".gz", "gzip"), (".zst", "zstd"), (".zstd", "zstd")])
@pytest.mark.parametrize("size", [None, 5, 1000, 1 << 20])
def test_compressed_text(tmp_path: Path, ending: str, codec: str, size: int | None) -> None:
    text = "".join(f"{k},{k * k}\n" for k in range(5000)).encode()
    (place,) = places(made(tmp_path, pyarrow.compress(text, codec, asbytes=True), "a.csv" + ending))
    assert b"".join(bytes(block) for block in blocks_of_lines(place, size)) == text


def test_compressed_in_parts(tmp_path: Path) -> None:
    """`cat a.gz b.gz` makes such files."""
    parts = [TEXT.encode(), b"3,a\n", b"4,b\n"]
    path = made(tmp_path, b"".join(map(gzip.compress, parts)), "a.csv.gz")
    assert read(path).X.tolist() == [[1], [2], [3], [4]]
    frames = b"".join(pyarrow.compress(part, "zstd", asbytes=True) for part in parts)
    assert read(made(tmp_path, frames, "a.csv.zst")).X.tolist() == [[1], [2], [3], [4]]


@pytest.mark.parametrize(("ending", "codec"), [(".gz", "gzip"), (".zst", "zstd")])
@pytest.mark.parametrize("damage", ["cut", "other", "flipped"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.svm", "a.vw"])
def test_what_cannot_be_decompressed(tmp_path: Path, name: str, ending: str, codec: str, damage: str) -> None:
    text = "".join(f"{k} 1:{k * k}\n" for k in range(5000)).encode()
    raw = bytearray(pyarrow.compress(text, codec, asbytes=True))
    if damage == "cut":
        raw = raw[: len(raw) // 2]
    elif damage == "other":
        raw = bytearray(text)
    else:
        raw[0] ^= 255
    path = made(tmp_path, bytes(raw), name + ending)
    with pytest.raises(DataError) as told:
        read(path)
    assert str(told.value).startswith(f"{path}: it cannot be read: ")
    assert "\n" not in str(told.value)


# ---------------------------------------------------------------------------------------------------------------------
# Blocks of whole lines


def joined(path: Path, size: int | None) -> bytes:
    (place,) = places(path)
    blocks = [bytes(block) for block in blocks_of_lines(place, size)]
    assert all(block.endswith(b"\n") for block in blocks)
    return b"".join(blocks)


lines = st.binary(max_size=30).map(lambda line: line.replace(b"\r", b"\r\n").replace(b"\0", b"0"))
texts = st.lists(lines | st.just(b"x" * 200), max_size=12).map(b"\n".join)


@given(texts, st.none() | st.integers(3, 300), st.booleans(), st.booleans())
@example(b"", 3, False, True)
@example(b"\n", 3, False, True)
def test_blocks_are_the_text(folder: Path, text: bytes, size: int | None, ended: bool, marked: bool) -> None:
    """Of any size: whole lines, in order, the last ended too, the mark at the front left out."""
    text = text.removeprefix(MARK) + (b"\n" if ended else b"")
    path = made(folder, MARK * marked + text, "a.svm")
    assert joined(path, size) == (text if text.endswith(b"\n") or not text else text + b"\n")


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("text", [b"1 1:2\n-1 1:3", b"", b"\n"])
def test_blocks_smaller_than_the_mark(tmp_path: Path, size: int, text: bytes) -> None:
    assert joined(made(tmp_path, MARK + text, "a.svm"), size) == joined(made(tmp_path, text, "b.svm"), size)


@given(st.integers(1, 40), st.lists(st.integers(0, 60), min_size=1, max_size=8))
def test_lines_longer_than_a_block(folder: Path, size: int, lengths: list[int]) -> None:
    text = b"".join(b"y" * length + b"\n" for length in lengths)
    assert joined(made(folder, text, "a.vw"), size) == text


@pytest.mark.parametrize("length", [(1 << 12) - 1, 1 << 12, (1 << 16) + 1, 1 << 17])
def test_a_long_last_line(tmp_path: Path, length: int) -> None:
    """The end of the last whole line is looked for further and further back."""
    text = b"1 1:2\n" + b"1 # " + b"x" * length
    for size in (length, length + 8, 1 << 18):
        assert joined(made(tmp_path, text, "a.svm"), size) == text + b"\n"

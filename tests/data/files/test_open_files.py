"""Reading from open files."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from rosenblatt import DataError, read

TEXT = "a,b,label\n1,2.5,yes\n3,4,no\n"


def check(file: Any, **options: Any) -> None:
    found = read(file, **options)
    assert found.X.tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert found.y.tolist() == ["yes", "no"]
    assert found.feature_names == ["a", "b"]


def test_bytes_text_and_open_paths(tmp_path: Path) -> None:
    check(io.BytesIO(TEXT.encode()), format="csv")
    check(io.StringIO(TEXT), format="csv")
    path = tmp_path / "data.csv"
    path.write_text(TEXT)
    with path.open("rb") as file:
        check(file)
    with path.open() as words:
        check(words)


def test_a_name_tells_format_and_compression() -> None:
    file = io.BytesIO(gzip.compress(TEXT.encode()))
    file.name = "data.csv.gz"
    check(file)


def test_what_is_left_is_read() -> None:
    file = io.StringIO("a remark\n" + TEXT)
    file.readline()
    check(file, format="csv")


def test_without_a_format_it_says_so() -> None:
    with pytest.raises(DataError, match="the open file: its name does not tell its format"):
        read(io.BytesIO(b"1,2\n"))


def test_errors_name_the_file() -> None:
    file = io.StringIO("a,b,label\n1,2,yes\n3,no\n")
    file.name = "mine.csv"
    with pytest.raises(DataError, match=r"mine\.csv, line 3: 3 columns were expected, as in the first line, not 2"):
        read(file)


def test_other_things_that_read_are_refused() -> None:
    class Odd:
        def read(self) -> int:
            return 3

    with pytest.raises(DataError, match=r"bytes or text were expected from its read\(\), not int"):
        read(Odd(), format="csv")  # type: ignore[arg-type]

"""Data and streams are shown in one short line."""

from pathlib import Path

from rosenblatt import Stream, read

CSV = "width,height,kind\n1,2,a\n3,4,b\n5,6,b\n"


def test_data(tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text(CSV)
    assert repr(read(path)) == "<Data: 3 rows x 2 columns, 2 classes>"
    path.write_text(CSV + "7,nan,a\n")
    assert repr(read(path, on_error="skip")) == "<Data: 3 rows x 2 columns, 2 classes, 1 skipped>"
    (tmp_path / "two.svm").write_text("-1 1:1\n1 3:2\n")
    assert repr(read(tmp_path / "two.svm")) == "<Data: 2 rows x 3 columns, 2 classes>"


def test_a_stream_says_what_is_known_so_far(tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text(CSV)
    stream = Stream(path)
    assert repr(stream) == f"<Stream: {str(path)!r}, csv, not read yet>"
    chunks = stream.chunks()
    next(chunks)
    assert repr(stream) == f"<Stream: {str(path)!r}, csv, 2 columns, 2 classes>"
    assert list(chunks) == []
    assert repr(stream) == f"<Stream: {str(path)!r}, csv, 3 rows x 2 columns, 2 classes>"
    assert repr(Stream([path, path])) == "<Stream: 2 files, csv, not read yet>"

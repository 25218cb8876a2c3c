"""Tables as files of every format, for tests."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse

from rosenblatt import Data


class Sample(NamedTuple):
    """A table by columns, and what it must become."""

    columns: dict[str, list[Any]]
    label: str = "kind"

    @property
    def names(self) -> list[str]:
        """A column, or one for each of its words, sorted."""
        made = []
        for name, values in self.columns.items():
            if name != self.label:
                words = sorted(set(values)) if isinstance(values[0], str) else []
                made += [f"{name}={word}" for word in words] or [name]
        return made

    @property
    def X(self) -> list[list[float]]:  # noqa: N802
        made: list[list[float]] = []
        for name, values in self.columns.items():
            if name == self.label:
                continue
            if isinstance(values[0], str):
                made += [[float(value == word) for value in values] for word in sorted(set(values))]
            else:
                made.append([float(value) for value in values])
        return [list(row) for row in zip(*made, strict=True)]

    @property
    def y(self) -> list[Any]:
        return self.columns[self.label]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]


def text_of(sample: Sample, delimiter: str = ",", end: str = "\n") -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow(sample.columns)
    writer.writerows(zip(*sample.columns.values(), strict=True))
    return file.getvalue().encode()


def lines_of(sample: Sample) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in sample.rows).encode()


def arrow_of(table: Any, opened: Callable[..., Any] = pyarrow.ipc.new_file) -> bytes:
    file = io.BytesIO()
    with opened(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return file.getvalue()


def parquet_of(table: Any) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, row_group_size=3)
    return file.getvalue()


def npz_of(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


WRITERS: dict[str, Callable[[Sample], bytes]] = {
    "a.csv": text_of,
    "a.tsv": lambda sample: text_of(sample, "\t"),
    "crlf.csv": lambda sample: text_of(sample, end="\r\n"),
    "mark.csv": lambda sample: b"\xef\xbb\xbf" + text_of(sample),
    "open.csv": lambda sample: text_of(sample)[:-1],
    "a.csv.gz": lambda sample: gzip.compress(text_of(sample)),
    "a.tsv.zst": lambda sample: pyarrow.compress(text_of(sample, "\t"), "zstd", asbytes=True),
    "a.jsonl": lines_of,
    "open.ndjson": lambda sample: lines_of(sample)[:-1],
    "a.jsonl.gz": lambda sample: gzip.compress(lines_of(sample)),
    "a.parquet": lambda sample: parquet_of(pyarrow.table(sample.columns)),
    "a.feather": lambda sample: arrow_of(pyarrow.table(sample.columns)),
    "stream.arrow": lambda sample: arrow_of(pyarrow.table(sample.columns), pyarrow.ipc.new_stream),
}
PATIENTS = Sample(
    {
        "age": [40, 50, 60, 35],
        "weight": [0.1, 1 / 3, 5e-324, -1.7976931348623157e308],
        "smokes": [True, False, True, True],
        "cholesterol": ["normal", "normal", "abnormal", "normal"],
        "kind": ["no", "no", "yes", "yes"],
    }
)


def made(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def said_of(error: Exception, words: str) -> None:
    assert words in str(error)


def dense(X: Any) -> np.ndarray:
    return X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)


def assert_is(data: Data, sample: Sample) -> None:
    """The same numbers to the last bit, labels and names."""
    assert data.feature_names == sample.names
    assert dense(data.X).dtype == np.float64
    assert dense(data.X).tolist() == sample.X
    assert data.y.tolist() == sample.y
    assert [type(label) for label in data.y.tolist()] == [type(label) for label in sample.y]
    assert data.skipped == 0

"""What was read from a stream, kept in a file in binary form, chunk by chunk.

The file: a magic word; the arrays of each chunk, one after the other; a description in JSON (what it was made of, the
classes, where each array is and of which type); the length of that; the magic word again. Numbers are kept in the
narrowest type that holds all numbers of a chunk exactly. Every chunk has a fingerprint, which is checked.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.chunks import Chunk
from rosenblatt.encoding import Encoding
from rosenblatt.errors import DataError
from rosenblatt.kernels.sparse_text import fingerprint
from rosenblatt.named import named

MAGIC = b"rosenblatt cache 1\n"
ONES = "ones"  # numbers that are all 1 are not kept
KEPT = ("float32", "float64", "int8", "int32", "int64", "uint32")


class Known(NamedTuple):
    """What a cache says of its stream."""

    classes: NDArray[Any]
    names: list[str] | None
    encoding: Encoding | None
    n_rows: int
    n_skipped: int
    skipped: list[str]


class Cache:
    """A file with what was read.

    Parameters
    ----------
    path : of the file
    identity : of what is read; a file of another identity is not used, but replaced
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path, self.identity = path, json.loads(json.dumps(identity))

    @property
    def is_whole(self) -> bool:
        """Is there such a file, made of this source?"""
        return self._description is not None

    @cached_property
    def _description(self) -> dict[str, Any] | None:
        try:
            with self.path.open("rb") as file:
                size, end = os.fstat(file.fileno()).st_size, len(MAGIC) + 8
                if size < end + len(MAGIC) or file.read(len(MAGIC)) != MAGIC:
                    return None
                file.seek(-end, os.SEEK_END)
                tail = file.read(end)
                length = int.from_bytes(tail[:8], "little")
                if tail[8:] != MAGIC or length > size - end - len(MAGIC):
                    return None
                file.seek(-end - length, os.SEEK_END)
                said = json.loads(file.read(length))
        except (OSError, ValueError):
            return None
        return said if isinstance(said, dict) and said.get("identity") == self.identity else None

    @property
    def known(self) -> Known:
        """What the cache says of its stream."""
        said = self._description
        assert said is not None  # noqa: S101
        encoding = None if said["encoding"] is None else Encoding.from_record(said["encoding"])
        counts = said["n_rows"], said["n_skipped"], said["skipped"]
        return Known(np.array(said["classes"]), said["names"], encoding, *counts)

    def chunks(self, skip: int) -> Iterator[tuple[Chunk, int]]:
        """The chunks, and how many columns were known with each; the first `skip` without rows.

        Raises
        ------
        DataError
            The file is damaged.
        """
        said = self._description
        assert said is not None  # noqa: S101
        parts = said["chunks"]
        with self.path.open("rb", buffering=0) as file, ThreadPoolExecutor(1) as ahead:
            later = ahead.submit(self._read, file, parts[0], skip > 0) if parts else None
            for number, part in enumerate(parts):
                assert later is not None  # noqa: S101
                chunk = later.result()
                if number + 1 < len(parts):
                    later = ahead.submit(self._read, file, parts[number + 1], number + 1 < skip)
                yield chunk._replace(number=number), part["width"]

    def _read(self, file: Any, part: dict[str, Any], skipped: bool) -> Chunk:
        arrays: dict[str, NDArray[Any]] = {}
        if not skipped:
            raw = np.empty(part["length"], np.uint8)
            if os.preadv(file.fileno(), [raw.data], part["start"]) != part["length"]:
                raise DataError(f"{self.path}: the cache is damaged (it is too short). Remove it, and run again.")
            if int(fingerprint(raw, np.uint64(0))) != part["print"]:
                raise DataError(f"{self.path}: the cache is damaged (its numbers changed). Remove it, and run again.")
            at = 0
            for name, kind, count in part["arrays"]:
                if kind == ONES:
                    arrays[name] = np.ones(count, np.float32)
                    continue
                size = np.dtype(kind).itemsize * count
                arrays[name] = raw[at : at + size].view(kind)
                at += -(-size // 8) * 8
        codes = arrays["codes"].astype(np.int64) if arrays else np.empty(0, np.int64)
        X = _matrix(arrays, part, self.known.names) if arrays else None
        return Chunk(X, codes, 0, part["size"], part["mark"], part["bad"])

    def writer(self) -> "Writer":
        return Writer(self)


def _matrix(arrays: dict[str, NDArray[Any]], part: dict[str, Any], names: list[str] | None) -> Any:
    n, width = part["shape"]
    if "X" in arrays:
        return named(arrays["X"].reshape(n, width), names)
    X = scipy.sparse.csr_array((n, width), dtype=arrays["data"].dtype)
    X.data, X.indices, X.indptr = arrays["data"], arrays["indices"], arrays["indptr"]
    return named(X, names)


class Writer:
    """A cache that is being written, under another name until it is whole."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.parts: list[dict[str, Any]] = []
        try:
            handle, name = tempfile.mkstemp(dir=cache.path.parent, prefix=f".{cache.path.name}.")
        except OSError as error:
            raise DataError(f"{cache.path}: the cache cannot be written: {error.strerror}.") from error
        self.temporary, self.file = Path(name), os.fdopen(handle, "wb", buffering=0)
        self.file.write(MAGIC)

    def write(self, chunk: Chunk, width: int) -> None:
        """Add a chunk."""
        arrays = _kept(chunk)
        pieces, listed = [], []
        for name, array in arrays.items():
            if array is None:
                listed.append([name, ONES, chunk.X.nnz])
                continue
            flat = np.ascontiguousarray(array).reshape(-1)
            listed.append([name, flat.dtype.name, flat.size])
            pieces += [flat.view(np.uint8), np.zeros(-flat.nbytes % 8, np.uint8)]
        raw = np.concatenate(pieces) if pieces else np.empty(0, np.uint8)
        try:
            start = self.file.tell()
            self.file.write(raw.data)
        except OSError as error:
            raise DataError(f"{self.cache.path}: the cache cannot be written: {error.strerror}.") from error
        self.parts.append(
            {
                "start": start,
                "length": raw.size,
                "arrays": listed,
                "shape": list(chunk.X.shape),
                "width": width,
                "size": chunk.size,
                "mark": chunk.mark,
                "bad": chunk.bad,
                "print": int(fingerprint(raw, np.uint64(0))),
            }
        )

    def end(self, known: Known) -> None:
        """All chunks are there: give the file its name."""
        said = {
            "identity": self.cache.identity,
            **known._asdict(),
            "classes": known.classes.tolist(),
            "encoding": None if known.encoding is None else known.encoding.record(),
            "chunks": self.parts,
        }
        text = json.dumps(said).encode()
        try:
            self.file.write(text + len(text).to_bytes(8, "little") + MAGIC)
            self.file.close()
            self.temporary.replace(self.cache.path)
        except OSError as error:
            raise DataError(f"{self.cache.path}: the cache cannot be written: {error.strerror}.") from error
        self.cache.__dict__.pop("_description", None)

    def close(self) -> None:
        """Leave nothing behind that is not whole."""
        self.file.close()
        self.temporary.unlink(missing_ok=True)


def _kept(chunk: Chunk) -> dict[str, NDArray[Any] | None]:
    """The arrays of a chunk, each in the narrowest type that holds it; None for numbers that are all 1."""
    narrow = np.int8 if chunk.codes.max(initial=0) < 128 else np.int32
    arrays: dict[str, NDArray[Any] | None] = {"codes": chunk.codes.astype(narrow)}
    X = chunk.X
    if not scipy.sparse.issparse(X):
        return arrays | {"X": _narrow(np.asarray(X))}
    ones = X.nnz > 0 and bool((X.data == 1.0).all())
    return arrays | {"indptr": X.indptr, "indices": X.indices, "data": None if ones else _narrow(X.data)}


def _narrow(numbers: NDArray[np.float64]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        short = numbers.astype(np.float32)
    return short if np.array_equal(short, numbers) else numbers

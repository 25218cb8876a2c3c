"""What was read from a stream, kept in a file in binary form, chunk by chunk.

The file: a magic word; the arrays of each chunk, one after the other; a description in JSON (what it was made of, the
classes, where each array is and of which type); its SHA-256 and its length; the magic word again. Numbers are kept in
the narrowest type that holds all numbers of a chunk exactly. Every chunk has a fingerprint; it is checked, and so is
all that a kernel relies on.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data.compiled.hashing import fingerprint
from rosenblatt.data.compiled.rows import first_disordered
from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.named_arrays import named
from rosenblatt.data.streams.chunk import Chunk
from rosenblatt.errors import DataError

MAGIC = b"rosenblatt cache 1\n"
ONES = "ones"  # numbers that are all 1 are not kept
KEPT = ("float32", "float64", "int8", "int32")


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
    use : may a file that is there already be used?
    """

    def __init__(self, path: Path, identity: dict[str, Any], *, use: bool = True) -> None:
        self.path, self.identity, self.use = path, json.loads(json.dumps(identity)), use

    @property
    def is_whole(self) -> bool:
        """Is there such a file, made of this source?"""
        return self.use and self.path.exists() and self._description is not None

    @property
    def width(self) -> int:
        """How many columns there are in all."""
        said = self._description
        return max((part["width"] for part in said["chunks"]), default=0) if said else 0

    @cached_property
    def _description(self) -> dict[str, Any] | None:
        try:
            with self.path.open("rb") as file:
                size, end = os.fstat(file.fileno()).st_size, len(MAGIC) + 40
                if size < end + len(MAGIC) or file.read(len(MAGIC)) != MAGIC:
                    return None
                file.seek(-end, os.SEEK_END)
                tail = file.read(end)
                length = int.from_bytes(tail[32:40], "little")
                if tail[40:] != MAGIC or length > size - end - len(MAGIC):
                    return None
                file.seek(-end - length, os.SEEK_END)
                text = file.read(length)
                if hashlib.sha256(text).digest() != tail[:32]:
                    return None
                said = json.loads(text)
        except (OSError, ValueError):
            return None
        return said if isinstance(said, dict) and said.get("identity") == self.identity else None

    @cached_property
    def known(self) -> Known:
        """What the cache says of its stream."""
        said = self._description
        assert said is not None  # noqa: S101
        encoding = None if said["encoding"] is None else Encoding.from_record(said["encoding"])
        counts = said["n_rows"], said["n_skipped"], said["skipped"]
        return Known(np.array(said["classes"]), said["names"], encoding, *counts)

    def chunks(self, skip: int) -> Iterator[Chunk]:
        """The chunks, the first `skip` of the stream without rows.

        Raises
        ------
        DataError
            The file is damaged.
        """
        said = self._description
        assert said is not None  # noqa: S101
        parts = said["chunks"]
        with self.path.open("rb", buffering=0) as file, ThreadPoolExecutor(1) as ahead:
            later = ahead.submit(self._read, file, parts[0], skip) if parts else None
            for k in range(len(parts)):
                assert later is not None  # noqa: S101
                chunk = later.result()
                if k + 1 < len(parts):
                    later = ahead.submit(self._read, file, parts[k + 1], skip)
                yield chunk

    def _read(self, file: Any, part: dict[str, Any], skip: int) -> Chunk:
        said = (part["number"], part["size"], part["mark"], part["bad"])
        if part["number"] < skip:
            return Chunk(None, np.empty(0, np.int64), *said)
        try:
            raw = np.empty(part["length"], np.uint8)
            whole = os.preadv(file.fileno(), [raw.data], part["start"]) == part["length"]
            if not whole or int(fingerprint(raw, np.uint64(0))) != part["print"]:
                raise ValueError("its numbers are not those that were written")
            arrays = _arrays(raw, part["arrays"])
            X = _matrix(arrays, part, self.known.names)
            codes = arrays["codes"].astype(np.int64)
            if len(codes) != X.shape[0] or not 0 <= codes.min(initial=0) <= codes.max(initial=0) < len(
                self.known.classes
            ):
                raise ValueError("its classes are others")
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise DataError(f"{self.path}: the cache is damaged ({error}). Remove it, and run again.") from error
        return Chunk(X, codes, *said)

    def writer(self) -> "Writer":
        return Writer(self)


def _arrays(raw: NDArray[np.uint8], listed: list[Any]) -> dict[str, NDArray[Any]]:
    """The arrays that are one after the other in some bytes; numbers as they were read, in 64 bits."""
    arrays, at = {}, 0
    for name, kind, count in listed:
        if kind == ONES:
            arrays[name] = np.ones(count)
            continue
        if kind not in KEPT:
            raise ValueError(f"an array is of type {kind}")
        size = np.dtype(kind).itemsize * count
        held = raw[at : at + size].view(kind)
        arrays[name] = held.astype(np.float64) if kind == "float32" else held
        at += -(-size // 8) * 8
    return arrays


def _matrix(arrays: dict[str, NDArray[Any]], part: dict[str, Any], names: list[str] | None) -> Any:
    n, width = part["shape"]
    if "X" in arrays:
        return named(arrays["X"].reshape(n, width), names)
    data, indices, indptr = arrays["data"], arrays["indices"], arrays["indptr"]
    fits = len(indptr) == n + 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(data)
    if not fits or first_disordered(indices.view(np.uint32), indptr.view(np.uint32), width) >= 0:
        raise ValueError("its columns are not in order")
    X = scipy.sparse.csr_array((n, width), dtype=np.float64)
    X.data, X.indices, X.indptr = data, indices, indptr
    return named(X, names)


class Writer:
    """A cache that is being written, under another name until it is whole."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.parts: list[dict[str, Any]] = []
        self.temporary = cache.path.parent / f".rosenblatt-{secrets.token_hex(8)}"
        try:
            self.file = self.temporary.open("xb", buffering=0)
        except OSError as error:
            raise DataError(f"{cache.path}: the cache cannot be written: {error.strerror}.") from error
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
                "number": chunk.number,
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
            self.file.write(text + hashlib.sha256(text).digest() + len(text).to_bytes(8, "little") + MAGIC)
            self.file.close()
            self.temporary.replace(self.cache.path)
        except OSError as error:
            raise DataError(f"{self.cache.path}: the cache cannot be written: {error.strerror}.") from error
        for name in ("_description", "known"):
            self.cache.__dict__.pop(name, None)
        self.cache.use = True

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
    indptr, indices = X.indptr.astype(np.int32, copy=False), X.indices.astype(np.int32, copy=False)
    return arrays | {"indptr": indptr, "indices": indices, "data": None if ones else _narrow(X.data)}


def _narrow(numbers: NDArray[np.float64]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        short = numbers.astype(np.float32)
    return short if np.array_equal(short, numbers) else numbers

"""The cache of a stream: the parsed chunks in one binary file.

The file holds, in this order: a magic word; the arrays of each chunk, one after the other; a description in JSON (the
identity of the source, the classes, the position and type of each array); the SHA-256 of the description and its
length; the magic word again. The numbers of a chunk are stored in the narrowest type that holds all of them exactly.
Reading checks the fingerprint of every chunk, and everything else that compiled functions rely on.
"""

import hashlib
import json
import os
import secrets
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
from rosenblatt.data.validation import Codes
from rosenblatt.errors import DataError

MAGIC = b"rosenblatt cache 1\n"
ALL_ONES = "ones"  # the type of an array that is not stored, because all its numbers are 1
STORED_TYPES = ("float32", "float64", "int8", "int32")


class CacheSummary(NamedTuple):
    """The classes, columns and counts of the stream that a cache was made of."""

    classes: NDArray[Any]
    names: list[str] | None
    encoding: Encoding | None
    n_rows: int
    n_skipped: int
    skipped: list[str]
    zero_based: bool | None = None  # a cache of an earlier version does not tell


class OpenCache:
    """A complete cache file that stays open, so that the same bytes are read even if another file takes its name.

    Parameters
    ----------
    path : the path of the file
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        weakref.finalize(self, self._file.close)
        self.description = _description_in(self._file)  # None if the file is not a complete cache

    def read(self, start: int, length: int) -> NDArray[np.uint8]:
        """Read bytes of the file; fewer if it ends before. The system gives at most 2 GiB at a time."""
        raw, done = np.empty(length, np.uint8), 0
        while done < length:
            got = os.preadv(self._file.fileno(), [raw.data[done:]], start + done)
            if not got:
                break
            done += got
        return raw[:done]


class Cache:
    """The cache file of a stream.

    Once the file was found to be complete, or was written, it stays open: a stream with other options that replaces it
    does not change what this one reads.

    Parameters
    ----------
    path : the path of the file
    identity : a description of the source; a file with another identity is not used, and is replaced
    use : may an existing file be used?
    """

    def __init__(self, path: Path, identity: dict[str, Any], *, use: bool = True) -> None:
        self.path, self.identity, self.use = path, json.loads(json.dumps(identity)), use
        self._opened: OpenCache | None = None

    @property
    def is_whole(self) -> bool:
        """Is there a complete file, made of this source?"""
        if not self.use or not self.path.exists():
            return False
        if self._opened is None:
            with suppress(OSError, ValueError):
                found = OpenCache(self.path)
                is_ours = isinstance(found.description, dict) and found.description.get("identity") == self.identity
                self._opened = found if is_ours else None
        return self._opened is not None

    @property
    def width(self) -> int:
        """The number of columns of the whole stream."""
        return max((part["width"] for part in self._complete.description["chunks"]), default=0)

    @property
    def _complete(self) -> OpenCache:
        """The open file.

        Raises
        ------
        DataError
            There is no complete file for this source; `is_whole` tells this beforehand.
        """
        if self._opened is None:
            raise DataError(f"{self.path}: there is no complete cache of this data.")
        return self._opened

    @property
    def summary(self) -> CacheSummary:
        """The classes, columns and counts of the stream."""
        said = self._complete.description
        encoding = None if said["encoding"] is None else Encoding.from_dict(said["encoding"])
        counts = said["n_rows"], said["n_skipped"], said["skipped"], said.get("zero_based")
        return CacheSummary(np.array(said["classes"]), said["names"], encoding, *counts)

    def chunks(self, skip: int) -> Iterator[Chunk]:
        """Read the chunks in order; the first `skip` chunks of the stream come without rows.

        Raises
        ------
        DataError
            The file is damaged.
        """
        file, summary = self._complete, self.summary
        parts = file.description["chunks"]
        if not parts:
            return
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._read, file, summary, parts[0], skip)
            for part in parts[1:]:
                chunk, ahead = ahead.result(), pool.submit(self._read, file, summary, part, skip)
                yield chunk
            yield ahead.result()

    def _read(self, file: OpenCache, summary: CacheSummary, part: dict[str, Any], skip: int) -> Chunk:
        origin = (part["number"], part["size"], part["mark"], part["bad"])
        if part["number"] < skip:
            return Chunk(None, np.empty(0, np.int64), *origin)
        try:
            X, codes = _rows_of(file, summary, part)
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise DataError(f"{self.path}: the cache is damaged ({error}). Remove it, and run again.") from error
        return Chunk(X, codes, *origin)

    def writer(self) -> "CacheWriter":
        """Start to write a new file, which replaces the old one when it is complete."""
        return CacheWriter(self)

    def read_from(self, file: OpenCache) -> None:
        """Read from this file from now on; it is complete and made of this source."""
        self._opened, self.use = file, True


def _rows_of(file: OpenCache, summary: CacheSummary, part: dict[str, Any]) -> tuple[Any, Codes]:
    raw = file.read(part["start"], part["length"])
    if len(raw) < part["length"] or int(fingerprint(raw, np.uint64(0))) != part["print"]:
        raise ValueError("its bytes have changed")
    arrays = _arrays(raw, part["arrays"])
    X = _matrix(arrays, part, summary.names)
    codes = arrays["codes"].astype(np.int64)
    are_known = 0 <= codes.min(initial=0) <= codes.max(initial=0) < len(summary.classes)
    if len(codes) != X.shape[0] or not are_known:
        raise ValueError("its class numbers do not fit its classes")
    return X, codes


def _description_in(file: Any) -> Any:
    """Read the description at the end of a file; None if the file is not a complete cache."""
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
    return json.loads(text) if hashlib.sha256(text).digest() == tail[:32] else None


def _arrays(raw: NDArray[np.uint8], listed: list[Any]) -> dict[str, NDArray[Any]]:
    """Make the arrays that are stored one after the other in `raw`; float32 numbers become float64 again."""
    arrays, at = {}, 0
    for name, kind, count in listed:
        if kind == ALL_ONES:
            arrays[name] = np.ones(count)
            continue
        if kind not in STORED_TYPES:
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


class CacheWriter:
    """Writes a cache file, under a temporary name until it is complete."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.parts: list[dict[str, Any]] = []
        self.path = Path(os.path.realpath(cache.path))  # a link stays a link
        self.temporary = self.path.parent / f".rosenblatt-{secrets.token_hex(8)}"
        with self._refusing():
            self.file = self.temporary.open("xb")
            self.file.write(MAGIC)

    def write(self, chunk: Chunk, width: int) -> None:
        """Add a chunk."""
        arrays = _stored_arrays(chunk)
        pieces, listed = [], []
        for name, array in arrays.items():
            if array is None:
                listed.append([name, ALL_ONES, chunk.X.nnz])
                continue
            flat = np.ascontiguousarray(array).reshape(-1)
            listed.append([name, flat.dtype.name, flat.size])
            pieces += [flat.view(np.uint8), np.zeros(-flat.nbytes % 8, np.uint8)]
        raw = np.concatenate(pieces) if pieces else np.empty(0, np.uint8)
        with self._refusing():
            start = self.file.tell()
            self.file.write(raw.data)
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

    def end(self, summary: CacheSummary) -> None:
        """Complete the file and give it its name; all chunks must have been written."""
        description = {
            "identity": self.cache.identity,
            **summary._asdict(),
            "classes": summary.classes.tolist(),
            "encoding": None if summary.encoding is None else summary.encoding.to_dict(),
            "chunks": self.parts,
        }
        text = json.dumps(description).encode()
        with self._refusing():
            self.file.write(text + hashlib.sha256(text).digest() + len(text).to_bytes(8, "little") + MAGIC)
            self.file.close()
            complete = OpenCache(self.temporary)  # opened before another stream can give the name to its own file
            self.temporary.replace(self.path)
        self.cache.read_from(complete)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn errors of the file system into a DataError that names the cache."""
        try:
            yield
        except OSError as error:
            raise DataError(
                f"{self.cache.path}: the cache cannot be written: {error.strerror}. Give another place for the cache, "
                "or leave it out."
            ) from error

    def close(self) -> None:
        """Close the file, and remove it if it is not complete."""
        with suppress(OSError):  # what is not written yet has no room; `write` or `end` has said so
            self.file.close()
        self.temporary.unlink(missing_ok=True)


def _stored_arrays(chunk: Chunk) -> dict[str, NDArray[Any] | None]:
    """Convert the arrays of a chunk to the narrowest types that hold them exactly; None for numbers that are all 1."""
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

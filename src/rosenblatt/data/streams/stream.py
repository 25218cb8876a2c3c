"""Data larger than memory: labelled rows in chunks, pass after pass."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rosenblatt.data import validation
from rosenblatt.data.compiled.hashing import fingerprint
from rosenblatt.data.files.blocks import Block, Layout
from rosenblatt.data.files.discovery import Wishes
from rosenblatt.data.files.encoding import BOOLEANS, Encoding, number_in
from rosenblatt.data.files.options import check_options
from rosenblatt.data.files.read import read_ahead, refusal
from rosenblatt.data.files.sources import Place, places
from rosenblatt.data.files.sparse_text import HASH_BITS, Bad, Rows
from rosenblatt.data.scaling import Scaling
from rosenblatt.data.streams.cache import Cache, Known
from rosenblatt.data.streams.chunk import Chunk, StreamHeader, as_wide
from rosenblatt.data.validation import Codes
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy

CHUNK = 1 << 23  # bytes of text that are read at a time; a few such chunks, parsed, are in memory
ON_ERROR = ("stop", "skip", "quarantine")


class Stream:
    """Labelled rows that are read in chunks, as often as they are asked for; memory holds a few chunks at a time.

    Rows come in the order of the files. The first chunk settles what is not said: the classes, the columns of a table
    and their categories, and whether LIBSVM's columns count from 0. What comes later must fit: a label or category that
    was not known is a row that cannot be used (`on_error`). Only the columns of LIBSVM's text may grow in number (if no
    `width` is given); a weight that has not been met is 0, so that the answer is the same as if all had been known. A
    line of CSV is a row: in a stream, none may end inside quotes.

    Parameters
    ----------
    source, target, format, columns, categories, hash_bits, fill, zero_based, width, encoding, filesystem
        As for `read`; fill="mean" is not possible, as the mean is known at the end only.
    classes : list of labels, optional
        All that will come; those of the first chunk if not given.
    on_error : {"stop", "skip", "quarantine"}, default="stop"
        At a row that cannot be used: stop with an error; count it and go on; and write it to a file as well.
    quarantine : path, optional
        That file: lines as they were, rows of tables as JSON. It is written in the first pass.
    cache : bool or path, default=False
        Keep what was read in a file, beside the first one (True) or here, in binary form: later passes, and later runs,
        read it many times faster. It is made in the first pass that reaches the end, and used only while the files have
        the sizes and times they had then.
    chunk_bytes : int, default=2**23
        What is read at a time. It does not change the answer.

    Attributes
    ----------
    classes_ : the labels, sorted
    n_columns_, names_, encoding_ : as far as they are known
    n_rows_, n_skipped_ : rows used, and not used, in the last pass that reached the end
    skipped_ : the troubles of the first ten rows that could not be used

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import Perceptron, Stream
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "and.svm"
    >>> _ = path.write_text("-1\\n-1 2:1\\n-1 1:1\\n1 1:1 2:1\\n")
    >>> model = Perceptron().fit_stream(Stream(path))
    >>> print(model.stop_reason_, "after", model.n_updates_, "updates:", model.hyperplane_.equation())
    mistake_free after 18 updates: 3 x1 + 2 x2 - 4 = 0
    """

    def __init__(
        self,
        source: Any,
        target: str | int | None = None,
        *,
        classes: Any = None,
        format: str | None = None,  # noqa: A002
        columns: Sequence[str | int] | None = None,
        categories: Sequence[str] | Mapping[str, Sequence[str]] = (),
        hash_bits: int | None = None,
        fill: float | str | Mapping[str, float] | None = None,
        zero_based: bool | None = None,
        width: int | None = None,
        encoding: Encoding | None = None,
        on_error: str = "stop",
        quarantine: str | os.PathLike[str] | None = None,
        cache: bool | str | os.PathLike[str] = False,
        chunk_bytes: int = CHUNK,
        filesystem: Any = None,
    ) -> None:
        if on_error not in ON_ERROR or (on_error == "quarantine") != (quarantine is not None):
            raise ParameterError(
                f"on_error must be 'stop', 'skip', or 'quarantine' together with quarantine=FILE, not {on_error!r} "
                f"with {quarantine!r}."
            )
        if isinstance(chunk_bytes, bool) or not isinstance(chunk_bytes, int) or chunk_bytes < 1:
            raise ParameterError(f"must be an integer of at least 1, not {chunk_bytes!r}.", "chunk_bytes")
        if fill == "mean":
            raise ParameterError(
                "cannot be 'mean' for a stream, as a mean needs all rows at once; give a number.", "fill"
            )
        self.places = places(source, format, filesystem)
        self.format = self.places[0].format
        self._layout = Layout(target, Wishes(columns, categories, hash_bits, fill), zero_based, width, encoding)
        check_options(self._layout.options, self.format)
        self.on_error = on_error
        self.chunk_bytes = chunk_bytes
        self._quarantine = None if quarantine is None else Path(quarantine)
        self._begun = self._passed = False
        self.quarantined = 0  # bytes that were written there
        self.classes_: NDArray[Any] | None = None
        if classes is not None:
            self.classes_, _ = validation.classes(list(classes), len(classes), name="classes")
        self.n_columns_ = 0
        self.names_: list[str] | None = None
        self.n_rows_ = self.n_skipped_ = 0
        self.skipped_: list[str] = []
        self.scaling: Scaling | None = None
        self.identity = self._identity()
        self._cache = self._cache_of(cache)

    @classmethod
    def of(cls, source: Any, options: dict[str, Any]) -> "Stream":
        """Return the source itself if it is a `Stream`, else a stream of these files with these options."""
        if not isinstance(source, Stream):
            return cls(source, **options)
        if options:
            raise ParameterError(f"Options of reading, such as {next(iter(options))}, are given to the Stream itself.")
        return source

    def _cache_of(self, cache: bool | str | os.PathLike[str]) -> Cache | None:
        if cache is False:
            return None
        first = self.places[0]
        if cache is True:
            if first.filesystem is not None or first.name == "-":
                raise ParameterError(f"cache=True is a file beside the data; for {first.name} give its path.")
            cache = first.name + ".rosenblatt"
        again = all(place.can_be_read_again for place in self.places)
        return Cache(Path(cache), dict(self.identity), use=again)  # another standard input would look the same

    def _identity(self) -> dict[str, Any]:
        """What is read, and how."""
        asked = {name: repr(value) for name, value in self._layout.options.items()}
        given = None if self.classes_ is None else self.classes_.tolist()
        files = [[place.name, self.format, place.size, place.changed] for place in self.places]
        others = {"on_error": self.on_error, "classes": given, "chunk_bytes": self.chunk_bytes}
        return {"files": files, **asked, **others}

    @property
    def header(self) -> StreamHeader:
        """The classes and columns of the stream.

        Raises
        ------
        DataError
            No chunk has been read yet.
        """
        if self.classes_ is None or self.n_columns_ == 0:
            raise DataError(
                f"{self.places[0].name}: the classes and columns of a stream are not known before its first chunk was "
                "read. Read a chunk first, for example with next(stream.chunks())."
            )
        return StreamHeader(self.classes_, self.names_, self.n_columns_)

    @property
    def encoding_(self) -> Encoding | None:
        """How the columns of a table become numbers."""
        return self._layout.encoding

    @property
    def size(self) -> int | None:
        """How many bytes will be read, if that is known; of compressed files it is not."""
        sizes = [None if place.compression else place.size for place in self.places]
        return None if any(size is None for size in sizes) else sum(size for size in sizes if size is not None)

    @property
    def can_be_read_again(self) -> bool:
        """Is more than one pass possible?  Of standard input, only with a cache."""
        cached = self._cache is not None and self._cache.is_whole
        return cached or all(place.can_be_read_again for place in self.places)

    def scale(self, how: str) -> Scaling:
        """Scale all rows from now on, by what passes over them find; the `Scaling` goes with the model.

        Parameters
        ----------
        how : see `Scaling`
        """
        scaling = Scaling(how=how)
        for _ in self.chunks():  # only then is it known how many columns there are
            pass
        for chunk in self.chunks():
            scaling.partial_fit(as_wide(chunk.X, self.n_columns_))
        self.scaling = scaling
        self.identity["scaling"] = how
        return scaling

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """All rows, in order; of the first `skip` chunks only the fingerprint, without rows.

        Raises
        ------
        DataError
            A row cannot be used, and on_error is "stop"; or the files cannot be read (again).
        """
        for chunk in self._as_read(skip):
            if self.scaling is None or chunk.X is None:
                yield chunk
            else:
                yield chunk._replace(X=self.scaling.transform(as_wide(chunk.X, self.scaling.n_features_in_)))

    def _as_read(self, skip: int) -> Iterator[Chunk]:
        if self._cache is not None and self._cache.is_whole:
            yield from self._from_cache(skip)
            return
        if self._begun and not self.can_be_read_again:
            raise DataError(
                f"{self.places[0].name}: it can be read only once, and more than one pass is needed. Save it to a "
                "file first, give cache=FILE, or ask for one pass."
            )
        self._begun = True
        yield from self._from_files(skip)

    def _from_files(self, skip: int) -> Iterator[Chunk]:
        rows, bad, number, mark = 0, 0, 0, np.uint64(0)
        writer = self._cache.writer() if self._cache is not None and skip == 0 else None
        sizes: list[tuple[int, Any]] = []
        settled = False

        def blocks() -> Iterator[Block]:
            nonlocal mark, settled
            for place in self.places:
                for block in self._layout.blocks(place, self.chunk_bytes):
                    settled = settled or self._layout.settle(block)
                    mark = mark_of(block.content, mark)
                    sizes.append((size_of(block.content), mark))
                    yield block

        try:
            given = blocks()
            for _ in range(skip):
                if next(given, None) is None:
                    break
                size, seen = sizes[number]
                yield Chunk(None, np.empty(0, np.int64), number, size, int(seen), 0)
                number += 1
            for place, part in read_ahead(given, self._read):
                size, seen = sizes[number]
                number += 1
                if self.classes_ is None and len(part.labels) == 0:  # nothing to go by yet
                    self._refuse(place, part.bad, number - 1)
                    bad += len(part.bad)
                    continue
                chunk = self._chunk(place, part, number - 1, size, int(seen))
                if writer is not None:
                    writer.write(chunk, self.n_columns_)
                yield chunk
                rows, bad = rows + len(chunk.codes), bad + chunk.bad
            self.n_rows_, self.n_skipped_, self._passed = rows, bad, True
            if rows == 0 and skip == 0:
                raise DataError(f"{self.places[0].name}: it has no rows that can be used ({bad} cannot).")
            if writer is not None:
                writer.end(self._known())
        finally:
            if writer is not None:
                writer.close()

    def _known(self) -> Known:
        header = self.header
        return Known(header.classes, header.names, self.encoding_, self.n_rows_, self.n_skipped_, self.skipped_)

    def _from_cache(self, skip: int) -> Iterator[Chunk]:
        assert self._cache is not None  # noqa: S101
        known = self._cache.known
        self.classes_ = known.classes
        self.names_ = known.names
        self._layout.encoding = known.encoding
        self.n_columns_ = max(self.n_columns_, self._cache.width)
        for chunk in self._cache.chunks(skip):
            yield chunk if chunk.X is None else chunk._replace(X=as_wide(chunk.X, self.n_columns_))
        self.n_rows_, self.n_skipped_, self.skipped_ = known.n_rows, known.n_skipped, known.skipped

    def _read(self, block: Block) -> Rows:
        """The rows of a block; of one that comes before columns are known, only what is wrong with it."""
        if block.place.format in ("libsvm", "vw", "npz") or self._layout.encoding is not None:
            return self._layout.read(block)
        _, odd = self._layout.table(block)
        return Rows(np.empty((0, 1)), np.empty(0), self._layout.told(block, odd), lambda row: (row, ""))

    def _chunk(self, place: Place, part: Rows, number: int, size: int, mark: int) -> Chunk:
        """Rows with the numbers of their classes, those of other classes left out."""
        if self.classes_ is None:
            if part.bad and self.on_error == "stop":
                raise refusal(place, part.bad[0])
            self.classes_ = self._first_classes(part.labels, place)
        codes = codes_of(part.labels, self.classes_)
        X, bad = part.X, list(part.bad)
        strange = np.flatnonzero(codes < 0)
        if len(strange):
            bad = sorted(bad + [self._strange(part, row, self.classes_) for row in strange.tolist()])
            X, codes = X[np.flatnonzero(codes >= 0)], codes[codes >= 0]
        self._refuse(place, bad, number)
        if self.names_ is None:
            self.names_ = getattr(X, "columns", None)
        if self.format == "vw":
            self.n_columns_ = 2 ** (self._layout.wishes.hash_bits or HASH_BITS)
        else:
            self.n_columns_ = max(self.n_columns_, X.shape[1])
        return Chunk(as_wide(X, self.n_columns_), codes, number, size, mark, len(bad))

    def _first_classes(self, labels: NDArray[Any], place: Place) -> NDArray[Any]:
        try:
            found, _ = validation.classes(labels, len(labels))
        except DataError as error:
            raise DataError(
                f"{place.name}: its first {len(labels)} rows must have at least two classes: {error}",
                Remedy("Or name all classes that will come: {classes}."),
            ) from error
        return found

    def _strange(self, part: Rows, row: int, classes: NDArray[Any]) -> Bad:
        known = ", ".join(map(repr, classes.tolist()[:8]))
        line, text = part.find(row)
        label = part.labels[row].item()
        trouble = f"a label of the known classes {known} was expected, not {label!r}"
        return Bad(line, "", trouble, text, Remedy("Name all classes that will come: {classes}."))

    def _refuse(self, place: Place, bad: Sequence[Bad], number: int) -> None:
        """Do with rows that cannot be used what was asked for."""
        if bad and self.on_error == "stop":
            raise refusal(place, bad[0])
        if self._passed:
            return
        self.skipped_ += [str(refusal(place, trouble)) for trouble in bad[: max(0, 10 - len(self.skipped_))]]
        if self._quarantine is None:
            return
        try:
            with self._quarantine.open("a" if number else "w", encoding="utf-8") as file:
                file.writelines(trouble.text + "\n" for trouble in bad)
                self.quarantined = file.tell()
        except OSError as error:
            raise DataError(f"{self._quarantine}: it cannot be written: {error.strerror}.") from error

    def take_back(self, quarantined: int) -> None:
        """Cut the quarantine back to so many bytes, as a fit goes on from there."""
        self.quarantined = quarantined
        if self._quarantine is not None and self._quarantine.exists():
            os.truncate(self._quarantine, quarantined)


def codes_of(labels: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """Of each label the number of its class, -1 if it is of none."""
    if labels.dtype.kind == "U" and classes.dtype.kind in "biu":  # a word among them kept all from becoming numbers
        known = {label: k for k, label in enumerate(classes.tolist())}
        words, where = np.unique(labels, return_inverse=True)
        read = (BOOLEANS.get(word) if classes.dtype.kind == "b" else number_in(word) for word in words.tolist())
        return np.array([known.get(label, -1) for label in read], np.int64)[where]
    if (labels.dtype.kind == "U") != (classes.dtype.kind == "U"):
        labels = labels.astype(str)
        classes = classes.astype(str)
    order = np.argsort(classes)
    at = np.minimum(np.searchsorted(classes[order], labels), len(classes) - 1)
    found = order[at]
    return np.asarray(np.where(classes[found] == labels, found, -1), dtype=np.int64)


def size_of(content: Any) -> int:
    """How many bytes a block has."""
    if isinstance(content, np.ndarray):
        return content.nbytes
    return (
        int(content.nbytes)
        if hasattr(content, "nbytes")
        else int(content.X.nbytes if hasattr(content.X, "nbytes") else content.X.data.nbytes)
    )


def mark_of(content: Any, mark: Any) -> Any:
    """A fingerprint of a block, and of what was before it."""
    for array in _arrays(content):
        mark = np.uint64(fingerprint(array, np.uint64(mark)))
    return mark


def _arrays(content: Any) -> Iterator[NDArray[np.uint8]]:
    if isinstance(content, np.ndarray):
        yield content
    elif hasattr(content, "to_batches"):
        import pyarrow

        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, content.schema) as writer:
            writer.write_table(content)
        yield np.frombuffer(sink.getvalue(), np.uint8)
    else:
        X = content.X
        parts = [X.data, X.indices, X.indptr] if scipy.sparse.issparse(X) else [np.ascontiguousarray(X)]
        labels = np.array([str(label) for label in np.asarray(content.y).tolist()], dtype="S")
        for part in [*parts, labels]:
            yield np.ascontiguousarray(part).reshape(-1).view(np.uint8)

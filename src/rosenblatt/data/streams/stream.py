"""Data larger than memory: labelled rows that are read in chunks, in as many passes as needed."""

import hashlib
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FilePath
from rosenblatt.base.files.file_kinds import CACHE_ENDING, FileKind
from rosenblatt.base.files.output_files import Output, check_outputs
from rosenblatt.base.files.standard_input import STANDARD_INPUT
from rosenblatt.base.text_tables.dialect import Decimal, Dialect, DialectOptions
from rosenblatt.base.text_tables.labels import TextLabels
from rosenblatt.base.words import count_of
from rosenblatt.data import validation
from rosenblatt.data.files.blocks import Block, Layout
from rosenblatt.data.files.discovery import ColumnOptions
from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.files.options import TEXT_OPTIONS, StreamMissing, check_options, only_missing
from rosenblatt.data.files.read import no_rows, read_ahead
from rosenblatt.data.files.sources import Format, Place, Source, places
from rosenblatt.data.files.sparse_text import HASH_BITS, ParsedRows
from rosenblatt.data.streams.bad_rows import BadRows, OnError
from rosenblatt.data.streams.cache import Cache, CacheSummary
from rosenblatt.data.streams.chunk import Chunk, StreamHeader, as_wide
from rosenblatt.data.streams.fingerprinted_blocks import KnownMarks, MarkedBlocks
from rosenblatt.data.streams.known_classes import first_classes, known_rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy

if TYPE_CHECKING:
    from rosenblatt.data.scaling import How, Scaling

CHUNK_BYTES = 1 << 23  # bytes of text that are read at a time; memory holds a few such chunks, parsed


class Stream:
    """Labelled rows that are read from files in chunks, in as many passes as needed.

    Memory holds a few chunks at a time. Rows come in the order of the files. The first chunk settles what the
    parameters leave open: the classes, the columns of a table and their categories, and whether the columns of LIBSVM
    text count from 0. Later chunks must fit: a row with an unknown label or category cannot be used, and `on_error`
    says what happens to it. Only LIBSVM text without a `width` may get more columns later. The weight of a new column
    starts at 0, so the result is the same as if all columns had been known from the start. In a stream, a CSV row
    must be one line: quoted cells must not contain line breaks.

    Parameters
    ----------
    source : str, path, list of them, or open file
        The files; see `read`.
    target : str or int, optional
        The column with the labels; see `read`.
    classes : list of labels, optional
        All classes of the stream. If not given, the classes are those of the first chunk. Their type decides how labels
        in text are read: for the classes "01" and "1" they are words, for 0 and 1 they are numbers.
    format : str, optional
        The format of the files; see `read`.
    columns : list of str or int, optional
        The columns to learn from; see `read`.
    categories : list of str, or dict, optional
        Columns that hold categories; see `read`.
    hash_bits : int, optional
        Hash the categories into 2^hash_bits columns; see `read`.
    missing : float, dict, "drop" or "level", optional
        What to do about missing values; see `read`. "mean" and "most_frequent" are not possible, because they are known
        only after the last row. Rows that "drop" leaves out are counted by `n_skipped_`. With "level", a column has a
        level for missing categories if one is missing in the first chunk.
    fill : float, dict, or str, optional
        An older name of `missing`.
    delimiter : str, optional
        The character between two cells of a text table; see `read`.
    decimal : {".", ","}, optional
        The decimal mark of numbers in a text table; see `read`.
    text_encoding : str, optional
        How the characters of a text table are encoded; see `read`.
    zero_based : bool, optional
        True if the columns of LIBSVM text count from 0; see `read`.
    width : int, optional
        The number of columns of LIBSVM text; see `read`.
    encoding : Encoding, optional
        The encoding of other data; see `read`.
    on_error : {"stop", "skip", "quarantine"}, default="stop"
        What happens to a row that cannot be used.

        - "stop": an error is raised.
        - "skip": the row is counted, and the others are read.
        - "quarantine": as "skip", and the row is written to the file `quarantine`.
    quarantine : path, optional
        The quarantine file. Text lines are written as they were, rows of tables as JSON. It is written in the first
        pass, and replaces any file of this name, except the data.
    cache : bool or path, default=False
        Keep the parsed rows in a binary file: beside the first data file (True), or at this path. Later passes and
        later runs read it many times faster. The first pass that reaches the end writes it. It is used as long as the
        data files keep their sizes and modification times. A file that is not a cache is not replaced.
    chunk_bytes : int, default=2**23
        The number of bytes that are read at a time. It does not change the result.
    filesystem : pyarrow.fs.FileSystem, optional
        The file system that holds the files.

    Attributes
    ----------
    classes_ : array of shape (k,), or None
        The sorted labels; None before the first chunk, unless `classes` was given.
    n_columns_ : int
        The number of columns that are known so far.
    feature_names_ : list of str, or None
        The names of the columns, if they have names.
    encoding_ : Encoding, or None
        How the columns of a table become numbers; None for sparse text, and before the first chunk.
    dialect_ : Dialect, or None
        How the text of a table is written: `delimiter`, `decimal`, `encoding`; None before the first chunk.
    zero_based_ : bool, or None
        True if the columns of LIBSVM text count from 0; None for other formats, and before the first chunk.
    header : StreamHeader
        Classes and columns together; it raises an error before the first chunk was read.
    n_rows_ : int
        The number of rows used in the last pass that reached the end.
    n_skipped_ : int
        The number of rows not used in that pass.
    skipped_ : list of str
        Messages about the first ten rows that could not be used.

    See Also
    --------
    read : Reads all rows into memory.
    Perceptron.fit_stream : Learns from a stream.
    separability : Decides about the rows of a stream.

    Notes
    -----
    These take a stream: `fit_stream` of the classifiers that have it, `separability`, and `predict`,
    `decision_function` and `score` of every classifier (and `claims` of `OneVsAll` and `OneVsOne`). They use its own
    labels, so y is left out. Answers are in the order of the rows; a row that cannot be used has none. Everything else
    needs rows in memory, and refuses a stream.

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
        source: Source,
        target: str | int | None = None,
        *,
        classes: Collection[Any] | None = None,
        format: Format | None = None,  # noqa: A002
        columns: Sequence[str | int] | None = None,
        categories: Sequence[str] | Mapping[str, Sequence[str]] = (),
        hash_bits: int | None = None,
        missing: float | StreamMissing | Mapping[str, float | StreamMissing] | None = None,
        fill: float | StreamMissing | Mapping[str, float | StreamMissing] | None = None,
        delimiter: str | None = None,
        decimal: Decimal | None = None,
        text_encoding: str | None = None,
        zero_based: bool | None = None,
        width: int | None = None,
        encoding: Encoding | None = None,
        on_error: OnError = "stop",
        quarantine: FilePath | None = None,
        cache: bool | FilePath = False,
        chunk_bytes: int = CHUNK_BYTES,
        filesystem: Any = None,
    ) -> None:
        self._bad_rows = BadRows(on_error, quarantine)
        missing = only_missing(missing, fill)
        _check_chunking(chunk_bytes, missing)
        self.places = places(source, format, filesystem)
        self.format = self.places[0].format
        column_options = ColumnOptions(columns, categories, hash_bits, missing)
        self._layout = Layout(target, column_options, zero_based, width, encoding)
        self._layout.text_options = DialectOptions(delimiter, decimal, text_encoding)
        check_options(self._layout.options, self.format)
        self.on_error, self.chunk_bytes = on_error, chunk_bytes
        self.classes_: NDArray[Any] | None = None
        self._are_classes_given = classes is not None
        if classes is not None:
            self.classes_, _ = validation.classes(list(classes), len(classes), name="classes")
            self._layout.text_labels = TextLabels.of_classes(self.classes_.tolist())
        self.feature_names_: list[str] | None = None
        self.n_columns_ = self.n_rows_ = self.n_skipped_ = 0
        self.scaling: Scaling | None = None
        self._is_begun = False
        self._known_marks = KnownMarks([place.name for place in self.places])
        self.identity = self._identity()
        self._cache = self._cache_of(cache)
        self.outputs = [
            Output("cache=", None if self._cache is None else self._cache.path, FileKind.CACHE, is_read_back=True),
            Output("quarantine=", quarantine, None),
        ]
        check_outputs(self.outputs, {"the data": self.files})

    def __repr__(self) -> str:
        files = repr(self.places[0].name) if len(self.places) == 1 else count_of(len(self.places), "file")
        known = "not read yet"
        if self.n_columns_ and self.classes_ is not None:
            rows = f"{count_of(self.n_rows_, 'row')} x " if self.n_rows_ else ""
            known = f"{rows}{count_of(self.n_columns_, 'column')}, {count_of(len(self.classes_), 'class')}"
        return f"<Stream: {files}, {self.format}, {known}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Raise DataError. NumPy calls this method where a function needs rows in memory."""
        raise DataError(
            f"{_called_function()} expected an array, but a Stream came: {self!r}. A Stream is learned from with "
            "fit_stream, and scaled with its method scale; separability, predict, decision_function and score take it "
            "for X. Everything else needs rows in memory, as read returns them."
        )

    @classmethod
    def of(cls, source: "Source | Stream", options: dict[str, Any]) -> "Stream":
        """Return the source itself if it is a `Stream`, else a stream of these files with these options.

        Parameters
        ----------
        source : Stream, or what `Stream` takes
            The rows.
        options : dict
            Options of the `Stream`, if the source is not one.

        Returns
        -------
        Stream
            The stream.
        """
        if not isinstance(source, Stream):
            return cls(source, **options)
        if options:
            raise ParameterError(f"Options of reading, such as {next(iter(options))}, are given to the Stream itself.")
        return source

    def _cache_of(self, cache: bool | FilePath) -> Cache | None:
        if cache is False:
            return None
        first = self.places[0]
        if cache is True:
            is_file = first.content is None or os.path.isfile(first.name)  # an open file may have no name
            if first.filesystem is not None or first.name == STANDARD_INPUT or not is_file:
                raise ParameterError(
                    f"cache=True makes a file beside the data, which is not possible for {first.name}; "
                    "give the path of the cache."
                )
            cache = first.name + CACHE_ENDING
        again = all(place.can_be_read_again for place in self.places)
        return Cache(Path(cache), dict(self.identity), use=again)  # two standard inputs cannot be told apart

    def _identity(self) -> dict[str, Any]:
        """Describe the files and the options that decide what is read; a cache is valid for one such description."""
        options = {name: repr(value) for name, value in self._layout.options.items() if name not in TEXT_OPTIONS}
        options["fill"] = options.pop("missing")  # as in caches of earlier versions
        options |= {name: value for name, value in self._layout.text_options._asdict().items() if value is not None}
        given = None if self.classes_ is None else self.classes_.tolist()
        files = [[place.name, self.format, place.size, _stamp(place)] for place in self.places]
        others = {"on_error": self.on_error, "classes": given, "chunk_bytes": self.chunk_bytes}
        return {"files": files, **options, **others}

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
        return StreamHeader(self.classes_, self.feature_names_, self.n_columns_, self.zero_based_)

    @property
    def encoding_(self) -> Encoding | None:
        """How the columns of a table become numbers; None for sparse text, and before the first chunk."""
        return self._layout.encoding

    @property
    def dialect_(self) -> Dialect | None:
        """How the text of a table is written; None for other formats, and before the first chunk."""
        return self._layout.dialect

    @property
    def zero_based_(self) -> bool | None:
        """True if the columns of LIBSVM text count from 0; None for other formats, and before the first chunk."""
        return self._layout.zero_based

    @property
    def skipped_(self) -> list[str]:
        """Messages about the first ten rows that could not be used."""
        return self._bad_rows.messages

    @property
    def quarantined(self) -> int:
        """The number of bytes written to the quarantine file."""
        return self._bad_rows.quarantined_bytes

    @property
    def quarantine_digest(self) -> str:
        """The SHA-256 of these bytes."""
        return self._bad_rows.digest

    @property
    def files(self) -> list[str]:
        """The paths of the files on this machine that are read, and "-" for standard input."""
        return [place.local_path for place in self.places if place.local_path is not None]

    @property
    def size(self) -> int | None:
        """The number of bytes of all files; None if it is not known, as for compressed files."""
        sizes = [None if place.compression else place.size for place in self.places]
        return None if any(size is None for size in sizes) else sum(size for size in sizes if size is not None)

    @property
    def can_be_read_again(self) -> bool:
        """True if more than one pass is possible. Standard input needs a cache for that."""
        return self._whole_cache is not None or all(place.can_be_read_again for place in self.places)

    @property
    def _whole_cache(self) -> Cache | None:
        """The cache, if it is complete and may be used."""
        return self._cache if self._cache is not None and self._cache.is_whole else None

    def scale(self, how: "How") -> "Scaling":
        """Scale all rows from now on; this makes two passes to learn the scaling.

        Parameters
        ----------
        how : {"standardize", "center", "divide", "unit"}
            How rows are scaled; see `Scaling`.

        Returns
        -------
        Scaling
            To be kept with the model that is trained on the scaled rows.
        """
        from rosenblatt.data.scaling import Scaling  # an estimator: it loads scikit-learn

        scaling = Scaling(how=how)
        for _ in self.chunks():  # the number of columns is known only after a whole pass
            pass
        for chunk in self.chunks():
            scaling.partial_fit(as_wide(chunk.X, self.n_columns_))
        self.scaling = scaling
        self.identity["scaling"] = how
        return scaling

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """Read all rows in order, chunk by chunk.

        Parameters
        ----------
        skip : int, default=0
            The number of chunks at the beginning that come without rows, with their fingerprint only.

        Yields
        ------
        Chunk
            The rows and labels of a chunk.

        Raises
        ------
        DataError
            A row cannot be used, and on_error is "stop"; or the files cannot be read, or not a second time.
        """
        for chunk in self._unscaled_chunks(skip):
            if self.scaling is None or chunk.X is None:
                yield chunk
            else:
                yield chunk._replace(X=self.scaling.transform(as_wide(chunk.X, self.scaling.n_features_in_)))

    def _unscaled_chunks(self, skip: int) -> Iterator[Chunk]:
        cache = self._whole_cache
        if cache is not None:
            yield from self._from_cache(cache, skip)
            return
        if self._is_begun and not self.can_be_read_again:
            raise DataError(
                f"{self.places[0].name}: it can be read only once, and more than one pass is needed.",
                Remedy(
                    "Save it to a file first, give cache=FILE, or ask for one pass.",
                    in_command="Save it to a file first, or give --passes 1.",
                ),
            )
        self._is_begun = True
        yield from self._from_files(skip)

    def _from_cache(self, cache: Cache, skip: int) -> Iterator[Chunk]:
        summary = cache.summary
        self.classes_ = summary.classes
        self.feature_names_ = summary.names
        self._layout.encoding = summary.encoding
        if summary.zero_based is not None:
            self._layout.zero_based = summary.zero_based
        self.n_columns_ = max(self.n_columns_, cache.width)
        for chunk in cache.chunks(skip):
            self._known_marks.check(chunk.number, chunk.mark, len(self.places) - 1)  # a cache does not tell the file
            yield chunk if chunk.X is None else chunk._replace(X=as_wide(chunk.X, self.n_columns_))
        self.n_rows_, self.n_skipped_, self._bad_rows.messages = summary.n_rows, summary.n_skipped, summary.skipped

    def _from_files(self, skip: int) -> Iterator[Chunk]:
        """Read the chunks from the files; a pass without `skip` also writes the cache."""
        writer = self._cache.writer() if self._cache is not None and skip == 0 else None
        rows = bad = 0
        try:
            for chunk in self._parsed_chunks(skip):
                bad += chunk.bad
                if chunk.X is None and chunk.number >= skip:  # it has no rows, and the classes are still unknown
                    continue
                if writer is not None:
                    writer.write(chunk, self.n_columns_)
                yield chunk
                rows += len(chunk.codes)
            self.n_rows_, self.n_skipped_, self._bad_rows.pass_is_complete = rows, bad, True
            if rows == 0 and skip == 0:
                raise no_rows(self.places[0], bad, self._layout.header)
            if writer is not None:
                writer.end(self._summary())
        finally:
            if writer is not None:
                writer.close()

    def _summary(self) -> CacheSummary:
        header, counts = self.header, (self.n_rows_, self.n_skipped_, self.skipped_)
        return CacheSummary(header.classes, header.feature_names, self.encoding_, *counts, header.zero_based)

    def _parsed_chunks(self, skip: int) -> Iterator[Chunk]:
        """Parse the blocks of the files; the first `skip` of them are only fingerprinted."""
        marked = MarkedBlocks(self.places, self._layout, self.chunk_bytes, self._known_marks)
        blocks = iter(marked)
        for number, _ in enumerate(islice(blocks, skip)):
            yield _without_rows(number, *marked.origins[number], 0)
        for number, (place, part) in enumerate(read_ahead(blocks, self._read), start=len(marked.origins)):
            yield self._chunk(place, part, number, *marked.origins[number])

    def _read(self, block: Block) -> ParsedRows:
        """Parse a block. Before the columns of a table are known, it gives bad rows only."""
        if block.place.format in ("libsvm", "vw", "npz") or self._layout.encoding is not None:
            return self._layout.read(block)
        _, odd = self._layout.table(block)
        return ParsedRows(np.empty((0, 1)), np.empty(0), self._layout.bad_lines(block, odd), lambda row: (row, ""))

    def _chunk(self, place: Place, part: ParsedRows, number: int, size: int, mark: int) -> Chunk:
        """Number the classes of the rows, and leave out the rows of unknown classes."""
        if self.classes_ is None:
            if len(part.labels) == 0:
                self._bad_rows.handle(place, part.bad, number)
                return _without_rows(number, size, mark, len(part.bad) + part.dropped)
            self._bad_rows.stop_at(place, part.bad)
            self.classes_ = first_classes(part.labels, place)
        X, codes, bad = known_rows(part, self.classes_, given=self._are_classes_given)
        self._bad_rows.handle(place, bad, number)
        if self.feature_names_ is None:
            self.feature_names_ = getattr(X, "columns", None)
        if self.format == "vw":
            self.n_columns_ = 2 ** (self._layout.column_options.hash_bits or HASH_BITS)
        else:
            self.n_columns_ = max(self.n_columns_, X.shape[1])
        return Chunk(as_wide(X, self.n_columns_), codes, number, size, mark, len(bad) + part.dropped)

    def take_back(self, quarantined: int, digest: str | None) -> None:
        """Cut the quarantine file back to `quarantined` bytes, because a fit resumes from a checkpoint.

        Parameters
        ----------
        quarantined : int
            The size that the quarantine file had at the checkpoint.
        digest : str or None
            Its digest then; None if the checkpoint has none.
        """
        self._bad_rows.cut_quarantine(quarantined, digest)


def _stamp(place: Place) -> int | str | None:
    """Give what changes when a file changes: its time, or the digest of an open file, which has been read already."""
    return place.changed if place.content is None else hashlib.sha256(place.content).hexdigest()


def _check_chunking(chunk_bytes: Any, missing: Any) -> None:
    if isinstance(chunk_bytes, bool) or not isinstance(chunk_bytes, int) or chunk_bytes < 1:
        raise ParameterError(f"must be an integer of at least 1, not {chunk_bytes!r}.", "chunk_bytes")
    for wish in missing.values() if isinstance(missing, Mapping) else [missing]:
        if isinstance(wish, str) and wish in ("mean", "most_frequent"):
            raise ParameterError(
                f"cannot be {wish!r} for a stream, as that needs all rows at once; give a number, 'level' or 'drop'.",
                "missing",
            )


def _without_rows(number: int, size: int, mark: int, bad: int) -> Chunk:
    return Chunk(None, np.empty(0, np.int64), number, size, mark, bad)


def _called_function() -> str:
    """Name the function that was called from outside this package, such as "Perceptron.fit"."""
    name = "This function"
    frame: FrameType | None = sys._getframe(2)  # of the function that asked for an array
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module.startswith("rosenblatt.") and not module.startswith("rosenblatt.errors"):  # which has decorators
            owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
            kind = owner if isinstance(owner, type) else type(owner)
            function = frame.f_code.co_name.lstrip("_")
            name = function if owner is None else f"{kind.__name__}.{function}"
        frame = frame.f_back
    return name

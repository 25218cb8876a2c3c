"""Sources of data: paths, patterns, standard input, open files, and files of any pyarrow file system."""

import glob
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.argument_types import FilePath
from rosenblatt.base.files.standard_input import STANDARD_INPUT, standard_input
from rosenblatt.base.text_tables.decoded_file import DecodedFile, beginning_of
from rosenblatt.base.text_tables.dialect import Dialect, DialectOptions, find_dialect
from rosenblatt.base.text_tables.lines import MAX_LINE_BYTES, lone_return, null_character, too_long
from rosenblatt.data.files.lab_board import MAX_BYTES, Board
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.remedy import Remedy

Format = Literal["csv", "tsv", "parquet", "arrow", "jsonl", "libsvm", "vw", "npz", "lab"]
FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[str, Format] = {  # file endings and the formats that they stand for
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".vw": "vw",
    ".npz": "npz",
    ".json": "lab",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # how compressed files begin
READ_ONLY_ENDINGS = (".pq", ".ipc", ".zstd")  # `write` does not take them
TEXT = ("csv", "tsv", "jsonl", "libsvm", "vw")  # formats of text, which may be compressed
DECODED = ("csv", "tsv", "jsonl")  # formats of text that may have other characters than UTF-8
WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
NULL, CARRIAGE_RETURN, LINE_FEED = 0, 13, 10
READ_BYTES = 1 << 23  # bytes that are read at a time from a text that becomes one block
PIECE_BYTES = 1 << 16  # bytes of a text that are searched at a time
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some programs begin UTF-8 files with it
Bytes = NDArray[np.uint8]
Source: TypeAlias = FilePath | Sequence[FilePath] | IO[bytes] | IO[str]  # a path, a pattern, "-", or an open file


class Place(NamedTuple):
    """A file to read from."""

    name: str
    format: Format
    compression: str | None = None
    filesystem: Any = None  # a file system of pyarrow; None for local files
    path: str = ""  # in that file system
    content: bytes | None = None  # of a file that the user had opened
    dialect: Dialect = Dialect()  # how its text is written; `with_dialect` finds it
    begun: Any = None  # the open file, if it cannot be read again and its beginning was looked at

    @property
    def local_path(self) -> str | None:
        """The path of a file on this machine, or "-" for standard input; None for a file elsewhere."""
        if self.filesystem is None:
            return self.name
        outer = getattr(self.filesystem, "base_fs", self.filesystem)  # of a folder that is used as a file system
        if getattr(outer, "type_name", "") != "local":
            return None
        return self.path if outer is self.filesystem else f"{self.filesystem.base_path}/{self.path}"

    @property
    def size(self) -> int | None:
        """The number of bytes; None if it is not known before reading."""
        if self.content is not None:
            return len(self.content)
        if self.name == STANDARD_INPUT:
            return None
        if self.filesystem is not None:
            return self.filesystem.get_file_info(self.path).size  # type: ignore[no-any-return]
        return os.path.getsize(self.name) if os.path.isfile(self.name) else None

    @property
    def changed(self) -> int | None:
        """The time of the last change, in nanoseconds; None if it is not known."""
        if self.content is not None:
            return None
        if self.filesystem is not None:
            return self.filesystem.get_file_info(self.path).mtime_ns  # type: ignore[no-any-return]
        return os.stat(self.name).st_mtime_ns if os.path.isfile(self.name) else None

    @property
    def can_be_read_again(self) -> bool:
        """Can the file be read more than once?  Standard input and pipes cannot."""
        if self.content is not None:
            return True
        if self.name == STANDARD_INPUT:
            return False
        if self.filesystem is not None or not os.path.exists(self.name):  # reading a missing file raises a clear error
            return True
        return os.path.isfile(self.name)

    def open(self) -> Any:
        """Open the file for reading bytes from beginning to end, decompressed."""
        import pyarrow

        if self.content is not None or self.name == STANDARD_INPUT:
            file: Any = standard_input() if self.content is None else io.BytesIO(self.content)
            compression = self.compression
            if compression is None and self.format in TEXT and hasattr(file, "peek"):
                compression = _compression_of(file.peek(4))
            return pyarrow.CompressedInputStream(file, compression) if compression else file
        if self.filesystem is not None:
            return self.filesystem.open_input_stream(self.path, compression=self.compression)
        if self.compression:
            return pyarrow.CompressedInputStream(pyarrow.OSFile(self.name), self.compression)
        return Path(self.name).open("rb", buffering=0)

    def open_text(self) -> Any:
        """Open a text for reading its bytes in UTF-8 from beginning to end."""
        if self.begun is not None:
            return self.begun
        file = self.open()
        return file if self.dialect.encoding == "utf-8" else DecodedFile(file, self.dialect.encoding)

    def open_at_once(self) -> Any:
        """Open the file for reading at any position, as Parquet, Arrow and NPZ need it."""
        if self.content is not None or self.name == STANDARD_INPUT:
            return io.BytesIO(standard_input().read() if self.content is None else self.content)
        if self.filesystem is not None:
            return self.filesystem.open_input_file(self.path)
        return Path(self.name).open("rb")


def places(source: Any, format: Format | None = None, filesystem: Any = None) -> list[Place]:  # noqa: A002
    """Find the files of a source, in order.

    Raises
    ------
    DataError
        There is no such file, or its format is not known.
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(f"must be one of {', '.join(FORMATS)}, not {format!r}.", "format")
    if filesystem is not None and not hasattr(filesystem, "open_input_stream"):
        raise ParameterError(f"filesystem must be one of pyarrow.fs, not {filesystem!r}.")
    if hasattr(source, "read"):
        return [_open_file(source, format)]
    if isinstance(source, list) and source and all(isinstance(place, Place) for place in source):
        return source
    if isinstance(source, str | os.PathLike):
        names = expanded(os.fspath(source), filesystem)
    elif isinstance(source, Sequence) and source and all(isinstance(name, str | os.PathLike) for name in source):
        names = [name for given in source for name in expanded(os.fspath(given), filesystem)]
    else:
        raise DataError(f"A path, a pattern, a list of them, an open file or '-' was expected, not {source!r}.")
    found = [_place(name, format, filesystem) for name in names]
    other = next((place for place in found if place.format != found[0].format), None)
    if other is not None:
        raise DataError(
            f"{other.name}: files that are read together must have one format; this is {other.format}, but "
            f"{found[0].name} is {found[0].format}."
        )
    return found


def _open_file(file: Any, format: Format | None) -> Place:  # noqa: A002
    """Read the rest of an open file, which gives bytes or text."""
    name = getattr(file, "name", None)
    name = name if isinstance(name, str) else "the open file"
    content = file.read()
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        raise DataError(f"{name}: bytes or text were expected from its read(), not {type(content).__name__}.")
    kind, compression = _format_of(name, format)
    if kind == "lab":
        return _board(name, content)
    compression = compression or (_compression_of(content) if kind in TEXT else None)
    return Place(name, kind, compression, content=content)


def _board(name: str, content: bytes) -> Place:
    """Convert a board that the lab saved to a table of its points."""
    try:
        if len(content) > MAX_BYTES:
            raise DataError(f"a board has at most {MAX_BYTES:,} bytes.")
        board = Board.from_json(content.decode())
        if not board.points:
            more = "drawn Gaussians, but no points to read" if board.gaussians else "no points"
            raise DataError(f"the board has {more}.")
    except (DataError, UnicodeDecodeError) as error:
        raise DataError(f"{name}: {error}") from error
    return Place(name, "jsonl", content=board.to_jsonl().encode())


def expanded(name: str, filesystem: Any = None) -> list[str]:
    """The files that match a pattern, in order; the name itself if it is none."""
    here = filesystem is None and "://" not in name and name != STANDARD_INPUT
    if not here or not glob.has_magic(name) or "\0" in name or os.path.exists(name):
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise DataError(f"{name}: no file matches this pattern.")
    return found


def _place(name: str, format: Format | None, filesystem: Any) -> Place:  # noqa: A002
    if filesystem is None and name != STANDARD_INPUT and "://" not in name:
        check_readable(name)
    kind, compression = _format_of(name, format)
    if kind == "lab":
        if filesystem is not None or not Path(name).is_file():
            raise DataError(f"{name}: a board of the lab is read from a local file only.")
        with Path(name).open("rb") as file:
            return _board(name, file.read(MAX_BYTES + 1))
    path = name
    if compression is None and kind in TEXT and filesystem is None and os.path.isfile(name):
        with Path(name).open("rb") as file:
            compression = _compression_of(file.read(4))
    if filesystem is None and "://" in name:
        filesystem, path = _filesystem_of(name)
    return Place(name, kind, compression, filesystem, path if filesystem is not None else "")


def _compression_of(start: bytes) -> str | None:
    """Tell by the first bytes how a file is compressed; None if it is not."""
    return next((name for magic, name in COMPRESSED.items() if start.startswith(magic)), None)


def _format_of(name: str, format: Format | None) -> tuple[Format, str | None]:  # noqa: A002
    """Give the format and the compression: the given format, or what the ending of the name tells."""
    stem, ending = os.path.splitext(name)
    compression = COMPRESSIONS.get(ending.lower())
    inner = os.path.splitext(stem)[1] if compression else ending
    kind = format or ENDINGS.get(inner.lower())
    if kind is None and ending.lower() in WORKBOOKS:
        raise DataError(f"{name}: it is not text but a workbook. Save it as CSV.")
    if kind is None:
        known = ", ".join(ENDINGS)
        raise DataError(
            f"{name}: its name does not tell its format. Expected an ending of {known} (text ones may end with "
            f".gz or .zst after that).",
            Remedy(f"Or give {{format}}, one of {', '.join(FORMATS)}."),
        )
    if compression and kind not in TEXT:
        raise DataError(f"{name}: {kind} files are compressed inside; only text is read from {ending} files.")
    return kind, compression


def _filesystem_of(name: str) -> tuple[Any, str]:
    import pyarrow.fs

    try:
        return pyarrow.fs.FileSystem.from_uri(name)  # type: ignore[no-any-return]
    except (ValueError, OSError) as error:
        raise DataError(f"{name}: pyarrow knows no filesystem for it: {str(error).splitlines()[0]}.") from error


def check_readable(name: str) -> None:
    """Raise a DataError if this local file does not exist or cannot be read."""
    if "\0" not in name and os.path.isdir(name):
        raise DataError(f"{name}: it cannot be read: it is a folder. Give the files in it, as in {name}/*.csv.")
    try:
        Path(name).open("rb").close()
    except FileNotFoundError as error:
        raise DataError(f"{name}: there is no such file.") from error
    except OSError as error:
        raise DataError(f"{name}: it cannot be read: {error.strerror}.") from error
    except ValueError as error:  # the name has a character that is not allowed
        raise DataError(f"{name!r}: there can be no such file: {error}.") from error


def with_dialect(place: Place, given: DialectOptions) -> Place:
    """Find how a text is written, from its beginning and what the user says.

    Raises
    ------
    DataError
        The file cannot be read, or is not a text.
    """
    if place.format not in DECODED:
        return place
    with reading(place):
        if place.can_be_read_again:
            with place.open() as file:
                sample = beginning_of(file)
            return place._replace(dialect=find_dialect(place.name, sample, place.format, given))
        file = place.open()
        sample = beginning_of(file)
        dialect = find_dialect(place.name, sample, place.format, given)
        return place._replace(dialect=dialect, begun=DecodedFile(file, dialect.encoding, sample))


@contextmanager
def reading(place: Place) -> Iterator[None]:
    """Turn errors of reading into a DataError that names the file."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error).splitlines()[0]
        if "header check" in said or "Unknown frame descriptor" in said:
            said = f"its name says {place.compression}, but its content is not compressed. Rename it"
        elif "Truncated" in said:
            said = "its end is missing (the compressed data was cut off). Copy or download it again"
        raise DataError(f"{place.name}: it cannot be read: {said}.") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{place.name}: it is not {error.encoding.upper()} text ({error.reason}).",
            Remedy("Say how its characters are encoded: {text_encoding}."),
        ) from error


def blocks_of_lines(place: Place, size: int | None) -> Iterator[Bytes]:
    """Read a text in blocks of about `size` bytes; None makes one block.

    Each block has whole lines. The last line of the file gets a line feed if it has none.

    Raises
    ------
    DataError
        The file cannot be read or decompressed; a line is too long, or has a lone carriage return or the character 0.
    """
    with reading(place), place.open_text() as file:
        blocks = _blocks(file, size or READ_BYTES, place.name)
        yield from blocks if size else _joined(blocks)


def _joined(blocks: Iterator[Bytes]) -> Iterator[Bytes]:
    whole = bytearray()
    for block in blocks:
        whole += block.data
    if whole:
        yield np.frombuffer(whole, np.uint8)


def _blocks(file: Any, size: int, name: str) -> Iterator[Bytes]:
    left, first, lines, size = np.empty(0, np.uint8), True, 0, max(size, len(BYTE_ORDER_MARK))
    while True:
        block = np.empty(len(left) + size + 1, np.uint8)
        block[: len(left)] = left
        end = len(left) + _fill(file, memoryview(block)[len(left) : -1])  # type: ignore[arg-type]
        ended = end < len(block) - 1
        if first and end >= len(BYTE_ORDER_MARK) and block[: len(BYTE_ORDER_MARK)].tobytes() == BYTE_ORDER_MARK:
            block, end = block[len(BYTE_ORDER_MARK) :], end - len(BYTE_ORDER_MARK)
        first = False
        if ended and end and block[end - 1] != LINE_FEED:
            block[end] = LINE_FEED
            end += 1
        _check_lines(block[:end], lines, name)
        cut = _after_last_line(block[:end])
        if cut:
            yield block[:cut]
        if ended:
            return
        left, lines = block[cut:end].copy(), lines + int(np.count_nonzero(block[:cut] == LINE_FEED))


def _check_lines(block: Bytes, lines: int, name: str) -> None:
    """Raise if a line is too long, or has a character that cannot be in it; `lines` is the number of lines before."""
    returns = np.flatnonzero(block[:-1] == CARRIAGE_RETURN)
    alone = returns[block[returns + 1] != LINE_FEED]
    for wrong, error in ((np.flatnonzero(block == NULL), null_character), (alone, lone_return)):
        if len(wrong):
            raise error(name, lines + int(np.count_nonzero(block[: wrong[0]] == LINE_FEED)) + 1)
    if len(block) > MAX_LINE_BYTES:
        ends = np.flatnonzero(block == LINE_FEED)
        long = np.flatnonzero(np.diff(ends, prepend=-1, append=len(block)) > MAX_LINE_BYTES + 1)
        if len(long):
            raise too_long(name, lines + int(long[0]) + 1)


def _fill(file: Any, room: memoryview) -> int:
    done = 0
    while done < len(room):
        got = file.readinto(room[done:])
        if not got:
            break
        done += got
    return done


def _after_last_line(block: Bytes) -> int:
    """Find the position after the last line feed; 0 if there is none."""
    reach = 1 << 12
    while True:
        found = np.flatnonzero(block[-reach:] == LINE_FEED)
        if len(found):
            return max(0, len(block) - reach) + int(found[-1]) + 1
        if reach >= len(block):
            return 0
        reach *= 16


def after_lines(text: Bytes, lines: int) -> int:
    """Find the position after so many lines; the length of the text if it has fewer."""
    start = 0
    while lines and start < len(text):
        found = np.flatnonzero(text[start : start + PIECE_BYTES] == LINE_FEED)
        if len(found) >= lines:
            return start + int(found[lines - 1]) + 1
        lines, start = lines - len(found), start + PIECE_BYTES
    return min(start, len(text))


def longest_line(text: Bytes) -> int:
    """Give the number of bytes of the longest line, with its line feed."""
    longest = before = 0
    for start in range(0, len(text), PIECE_BYTES):
        ends = np.flatnonzero(text[start : start + PIECE_BYTES] == LINE_FEED) + (start + 1)
        if len(ends):
            longest, before = max(longest, int(np.diff(ends, prepend=before).max())), int(ends[-1])
    return max(longest, len(text) - before)

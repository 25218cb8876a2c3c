"""Atomic writing of files: after an error there is the old file or the new file, never a part of it."""

import errno
import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from rosenblatt.base.files.file_kinds import FileKind, may_replace
from rosenblatt.errors import DataError

STANDARD_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
FILE_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")


class NotWrittenError(DataError):
    """A file could not be written; the message says why. Its content may be kept in another file."""


@contextmanager
def replacing(path: str | os.PathLike[str], kind: FileKind | None = None) -> Iterator[BinaryIO]:
    """Open a binary file for writing that replaces `path` when the block ends without an error.

    The new file is written beside the old one, flushed to disk and renamed. On an error the old file is unchanged, and
    nothing is left behind. A device, a pipe or /dev/stdout is written to directly. If `path` is a symbolic link, the
    file it points to is replaced.

    Parameters
    ----------
    path : the file
    kind : the kind of the new file; a file of another kind is not replaced. None replaces any file

    Raises
    ------
    NotWrittenError
        The file cannot be written, or is of another kind.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"hello")
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'hello', 1)
    """
    try:
        if kind is not None and not is_written_directly(path) and not may_replace(path, kind):
            raise NotWrittenError(
                f"{os.fspath(path)}: it cannot be written: a file of this name exists, and it is not {kind.value}. "
                "Remove the file, or give another name."
            )
        with _opened(Path(path)) as file:
            yield file
    except OSError as error:
        raise NotWrittenError(f"{os.fspath(path)}: it cannot be written: {error.strerror or error}.") from error


def is_written_directly(path: str | os.PathLike[str]) -> bool:
    """Is it standard output, a device or a pipe, to which content is added, rather than a file that is replaced?"""
    path = Path(path)
    return _handle(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


def _handle(path: Path) -> int | None:
    """The number of the open file that a path such as /dev/stdout stands for."""
    number = FILE_DESCRIPTOR.fullmatch(str(path))
    return int(number[1]) if number else STANDARD_STREAMS.get(str(path))


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    handle = _handle(path)
    if handle is not None:  # it may be redirected to a file with content: append, never replace it
        sys.stdout.flush()
        return os.fdopen(os.dup(handle), "wb")
    if is_written_directly(path):
        return path.open("wb")
    return _beside(Path(os.path.realpath(path)))


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """Open a new file in the same folder; rename it to `path` at the end, or remove it after an error."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    draft = path.parent / f".rosenblatt-{secrets.token_hex(8)}"
    try:
        with draft.open("xb") as file:  # its mode follows the umask
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that the new name survives a loss of power."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot flush folders
            raise
    finally:
        os.close(handle)

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

from rosenblatt.errors import DataError

STANDARD_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
FILE_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file for writing that replaces `path` when the block ends without an error.

    The new file is written beside the old one, flushed to disk and renamed. On an error the old file is unchanged, and
    nothing is left behind. A device, a pipe or /dev/stdout is written to directly. If `path` is a symbolic link, the
    file it points to is replaced.

    Raises
    ------
    DataError
        The file cannot be written; the message says why.

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
        with _opened(Path(path)) as file:
            yield file
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: it cannot be written: {error.strerror or error}.") from error


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    number = FILE_DESCRIPTOR.fullmatch(str(path))
    handle = int(number[1]) if number else STANDARD_STREAMS.get(str(path))
    if handle is not None:  # it may be redirected to a file with content: append, never replace it
        sys.stdout.flush()
        return os.fdopen(os.dup(handle), "wb")
    if path.exists() and not path.is_file() and not path.is_dir():
        return path.open("wb")
    return _beside(Path(os.path.realpath(path)))


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """Open a new file in the same folder; rename it to `path` at the end, or remove it after an error."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    draft = path.parent / f".rosenblatt-{secrets.token_hex(8)}"
    with draft.open("xb") as file:  # its mode follows the umask
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
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

"""Writing a file so that there is the old one or the new one, never a part of it."""

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

STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
HANDLE = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a binary file to write to, which takes the place of `path` when all went well.

    It is written beside the old one, brought to the disk and renamed. On any error the old file is as it was, and
    nothing is left behind. A device, a pipe or /dev/stdout is written to directly. A symbolic link stays, and what it
    points to is replaced.

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
    number = HANDLE.fullmatch(str(path))
    handle = int(number[1]) if number else STREAMS.get(str(path))
    if handle is not None:  # it may be a file that has lines already: go on after them, never replace it
        sys.stdout.flush()
        return os.fdopen(os.dup(handle), "wb")
    if path.exists() and not path.is_file() and not path.is_dir():
        return path.open("wb")
    return _beside(Path(os.path.realpath(path)))


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """A new file in the same folder, renamed to `path` at the end, removed if there is an error before."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    draft = path.parent / f".rosenblatt-{secrets.token_hex(8)}"
    with draft.open("xb") as file:  # made with the mode that the umask says
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    _keep_name(path.parent)


def _keep_name(folder: Path) -> None:
    """Bring a folder to the disk, so that the new name outlives a loss of power."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems have no such thing for folders
            raise
    finally:
        os.close(handle)

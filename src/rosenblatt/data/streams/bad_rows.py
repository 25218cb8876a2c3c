"""Rows of a stream that cannot be used: raise an error, count them, or write them to a quarantine file."""

import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from rosenblatt.base.argument_types import FilePath
from rosenblatt.data.files.read import refusal
from rosenblatt.data.files.sources import Place
from rosenblatt.data.files.sparse_text import BadRow
from rosenblatt.errors import DataError, ParameterError

OnError = Literal["stop", "skip", "quarantine"]
MAX_MESSAGES = 10


class BadRows:
    """Treats the rows that cannot be used as `on_error` says.

    Messages and the quarantine file are written in the first pass that reaches the end; later passes only count.

    Parameters
    ----------
    on_error : {"stop", "skip", "quarantine"}
    quarantine : the path of the quarantine file; given if, and only if, on_error is "quarantine"
    """

    def __init__(self, on_error: OnError, quarantine: FilePath | None) -> None:
        if on_error not in get_args(OnError) or (on_error == "quarantine") != (quarantine is not None):
            raise ParameterError(
                f"on_error must be 'stop', 'skip', or 'quarantine' together with quarantine=FILE, not {on_error!r} "
                f"with {quarantine!r}."
            )
        self.on_error = on_error
        self.messages: list[str] = []  # of the first MAX_MESSAGES bad rows
        self.quarantined_bytes = 0
        self._digest = hashlib.sha256()  # of these bytes
        self.pass_is_complete = False
        self._quarantine = None if quarantine is None else Path(quarantine)

    def stop_at(self, place: Place, bad: Sequence[BadRow]) -> None:
        """Raise an error for the first bad row if on_error is "stop"."""
        if bad and self.on_error == "stop":
            raise refusal(place, bad[0])

    def handle(self, place: Place, bad: Sequence[BadRow], chunk_number: int) -> None:
        """Treat the bad rows of a chunk.

        Raises
        ------
        DataError
            There is a bad row, and on_error is "stop"; or the quarantine file cannot be written.
        """
        self.stop_at(place, bad)
        if self.pass_is_complete:
            return
        self.messages += [str(refusal(place, row)) for row in bad[: max(0, MAX_MESSAGES - len(self.messages))]]
        if self._quarantine is None:
            return
        text = "".join(row.text + "\n" for row in bad).encode()
        try:
            with self._quarantine.open("ab" if chunk_number else "wb", buffering=0) as file:
                self._append(file, text)
        except OSError as error:
            raise DataError(f"{self._quarantine}: it cannot be written: {error.strerror}.") from error

    def _append(self, file: io.FileIO, text: bytes) -> None:
        """Add lines, so that there are whole lines in the file at any moment.

        One call of the system writes them all, unless they are more than 2 GiB.
        """
        if file.tell() == 0:
            self._digest = hashlib.sha256()
        before, done = file.tell(), 0
        try:
            while done < len(text):
                done += file.write(memoryview(text)[done:])
        except OSError:
            file.truncate(before)
            raise
        self._digest.update(text)
        self.quarantined_bytes = file.tell()

    @property
    def digest(self) -> str:
        """The SHA-256 of what was written to the quarantine file."""
        return self._digest.hexdigest()

    def cut_quarantine(self, size: int, digest: str | None) -> None:
        """Cut the quarantine file back to `size` bytes, its size when a checkpoint was written.

        Raises
        ------
        DataError
            The file does not begin with what was written then (`digest`; None if the checkpoint does not tell).
        """
        self.quarantined_bytes = size
        if self._quarantine is None or not self._quarantine.exists():
            return
        with self._quarantine.open("rb") as file:
            self._digest = hashlib.sha256(file.read(size))
        if digest not in (None, self.digest):
            raise DataError(
                f"{self._quarantine}: this is not the quarantine file of the checkpoint. Give that file, or leave "
                "resume out to start again."
            )
        os.truncate(self._quarantine, size)

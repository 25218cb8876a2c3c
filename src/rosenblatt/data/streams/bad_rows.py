"""Rows of a stream that cannot be used: raise an error, count them, or write them to a quarantine file."""

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
        try:
            with self._quarantine.open("a" if chunk_number else "w", encoding="utf-8") as file:
                file.writelines(row.text + "\n" for row in bad)
                self.quarantined_bytes = file.tell()
        except OSError as error:
            raise DataError(f"{self._quarantine}: it cannot be written: {error.strerror}.") from error

    def cut_quarantine(self, size: int) -> None:
        """Cut the quarantine file back to `size` bytes, its size when a checkpoint was written."""
        self.quarantined_bytes = size
        if self._quarantine is not None and self._quarantine.exists():
            os.truncate(self._quarantine, size)

"""Files of text whose characters are not UTF-8, read as if they were."""

import codecs
import io
from typing import Any

from rosenblatt.base.text_tables.dialect import SAMPLE_BYTES


class DecodedFile(io.RawIOBase):
    """The bytes in UTF-8 of a file with other characters, or of a file whose first bytes were read already."""

    def __init__(self, file: Any, encoding: str, begin: bytes = b"") -> None:
        self._file, self._ended = file, False
        self._decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)()
        self._ready = self._in_utf8(begin)

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        while not self._ready and not self._ended:
            more = self._file.read(SAMPLE_BYTES)
            self._ended = not more
            self._ready = self._in_utf8(more, final=not more)
        size = min(len(room), len(self._ready))
        room[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _in_utf8(self, part: bytes, *, final: bool = False) -> memoryview:
        return memoryview(part if self._decoder is None else self._decoder.decode(part, final=final).encode())

    def close(self) -> None:
        self._file.close()
        super().close()


def beginning_of(file: Any) -> bytes:
    """Read the bytes that tell how a text is written."""
    parts, size = list[bytes](), 0
    while size < SAMPLE_BYTES and (part := file.read(SAMPLE_BYTES - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)

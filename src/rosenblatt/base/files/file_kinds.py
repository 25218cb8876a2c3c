"""Kinds of files that this package writes. They are recognised by their content, not by their name."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path

CACHE_ENDING = ".rosenblatt"  # of a cache beside the data
HEAD, TAIL = 1 << 11, 1 << 16  # bytes that are read from both ends of a file
MAX_HEADER_BYTES = 100_000_000  # a limit of safetensors
SAFETENSORS = b'{"__metadata__":{'  # after eight bytes, which hold the length of the header
PICTURE = re.compile(rb"\x89PNG\r\n\x1a\n|%PDF-|\s*<\?xml[^>]*>\s*<!DOCTYPE svg")
CACHE = b"rosenblatt cache "  # at the start and at the end
CERTIFICATE = re.compile(rb'\s*\{\s*"format"\s*:\s*"rosenblatt certificate"')
_any_kind = ContextVar("any_kind", default=False)


class FileKind(Enum):
    """The kinds of files, in words. A text, such as a table, has no mark by which it can be recognised."""

    MODEL = "a model"
    CHECKPOINT = "a checkpoint"
    CACHE = "a cache"
    CERTIFICATE = "a certificate"
    REPORT = "a report"
    PICTURE = "a picture that Matplotlib drew"
    ANIMATION = "an animation of rosenblatt"
    TEXT = "a text"


@contextmanager
def any_kind_is_replaced(forced: bool) -> Iterator[None]:
    """Inside this block, files of any kind may be replaced, if `forced` is true; for the option --force."""
    before = _any_kind.set(forced)
    try:
        yield
    finally:
        _any_kind.reset(before)


def may_replace(path: str | os.PathLike[str], kind: FileKind) -> bool:
    """May a new file of this kind take the place of `path`?

    It may if there is no such file, or the file is empty, or it is of the same kind.
    """
    return _any_kind.get() or not os.path.isfile(path) or os.path.getsize(path) == 0 or _is_of(Path(path), kind)


def _is_of(path: Path, kind: FileKind) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            if kind is FileKind.CHECKPOINT and head[8:].startswith(SAFETENSORS):  # its mark may be far from the start
                head += file.read(min(int.from_bytes(head[:8], "little"), MAX_HEADER_BYTES))
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            return _has_mark(kind, head, file.read())
    except OSError:
        return False


def _has_mark(kind: FileKind, head: bytes, tail: bytes) -> bool:
    """Do the beginning and the end of a file have the mark of this kind?"""
    match kind:
        case FileKind.MODEL:
            return head[8:].startswith(SAFETENSORS + b'"rosenblatt":') and b"rosenblatt model" in head
        case FileKind.CHECKPOINT:
            return head[8:].startswith(SAFETENSORS) and b'"format":"rosenblatt checkpoint ' in head
        case FileKind.CACHE:
            return head.startswith(CACHE) or CACHE.startswith(head) or CACHE in tail[-len(CACHE) - 2 :]
        case FileKind.CERTIFICATE:
            return CERTIFICATE.match(head) is not None
        case FileKind.REPORT:
            return b'<meta name="generator" content="rosenblatt report">' in head
        case FileKind.PICTURE:
            return PICTURE.match(head) is not None and b"Matplotlib" in head + tail
        case FileKind.ANIMATION:
            page = b'<meta name="generator" content="rosenblatt animation">' in head
            return page or (head.startswith(b"GIF8") and b"rosenblatt animation" in head)
        case FileKind.TEXT:
            return False

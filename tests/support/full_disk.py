"""Disks on which writing fails: files that must stay small, and folders that have no room."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the system refuse to write more than `size` bytes to a file; the bytes before that are written."""
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


def fill(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Let new files in these folders, and in folders inside, fail when they are complete; without folders, anywhere."""
    flush = os.fsync

    def full(handle: int) -> None:
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if not folders or any(place.is_relative_to(folder) for folder in folders):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(handle)

    monkeypatch.setattr(os, "fsync", full)

"""Atomic writing: a file is replaced as a whole or not at all."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rosenblatt import DataError
from rosenblatt.base.files.atomic_file import replacing


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_and_raise(path: Path, error: BaseException) -> None:
    with replacing(path) as file:
        file.write(b"part")
        raise error


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for text in (b"first", b"2"):
        with replacing(path) as file:
            file.write(text)
        assert path.read_bytes() == text
        assert files(tmp_path) == ["file"]


def test_a_name_as_text_and_one_of_255_letters(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with replacing(str(path)) as file:
        file.write(b"long")
    assert path.read_bytes() == b"long"


def test_until_the_end_there_is_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, DataError])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    for target in (path, tmp_path / "new"):
        with pytest.raises(error, match="stop"):
            write_and_raise(target, error("stop"))
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == ["file"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(*((os, "fsync", fail) if call == "fsync" else (Path, "replace", fail)))
    with pytest.raises(DataError, match=r"file: it cannot be written: Input/output error\.$"), replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == ["file"]


def test_the_file_and_then_its_folder_are_brought_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, bool]] = []
    path = tmp_path / "file"
    monkeypatch.setattr(
        os, "fsync", lambda handle: seen.append((stat.S_ISDIR(os.fstat(handle).st_mode), path.exists()))
    )
    with replacing(path) as file:
        file.write(b"x")
    assert seen == [(False, False), (True, True)]


def test_folders_that_cannot_be_brought_to_the_disk_are_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", fsync)
    with replacing(tmp_path / "file") as file:
        file.write(b"x")
    assert (tmp_path / "file").read_bytes() == b"x"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_says_the_mode(tmp_path: Path, mask: int, mode: int) -> None:
    path = tmp_path / "file"
    before = os.umask(mask)
    try:
        with replacing(path) as file:
            file.write(b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in (b"made", b"replaced"):
        with replacing(link) as file:
            file.write(text)
        assert link.is_symlink()
        assert target.read_bytes() == text
    assert files(tmp_path) == ["folder", "link"]


@pytest.mark.parametrize(("name", "why"), [("", "Is a directory"), ("no/file", "No such file or directory")])
def test_what_cannot_be_written_is_said(tmp_path: Path, name: str, why: str) -> None:
    path = tmp_path / name
    with pytest.raises(DataError) as caught, replacing(path):
        pytest.fail("it was opened")
    assert str(caught.value) == f"{path}: it cannot be written: {why}."
    assert files(tmp_path) == []


def test_a_full_device_is_said() -> None:
    with pytest.raises(DataError) as caught, replacing("/dev/full") as file:
        file.write(b"x")
    assert str(caught.value) == "/dev/full: it cannot be written: No space left on device."


def test_an_error_without_words_of_the_system_has_its_own(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it cannot be written: no such thing\.$"), replacing(tmp_path / "file"):
        raise OSError("no such thing")


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    with replacing(path) as file:
        file.write(b"through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_goes_on_after_what_is_there(tmp_path: Path, path: str) -> None:
    code = (
        "from rosenblatt.base.files.atomic_file import replacing\nprint('before')\n"
        f"with replacing({path!r}) as file: file.write(b'within\\n')\nprint('after')"
    )
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with (tmp_path / "file").open("wb") as file:
        file.write(b"first\n")
        file.flush()
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True, env=buffered)
    assert (tmp_path / "file").read_text().split() == ["first", "before", "within", "after"]
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, env=buffered)
    assert piped.stdout.split() == [b"before", b"within", b"after"]

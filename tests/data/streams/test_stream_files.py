"""Files that a stream writes, its cache and its quarantine, and a checkpoint: never the data, and never two as one."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest

from rosenblatt import BatchPerceptron, DataError, ParameterError, Perceptron, Pocket, Stream, save, trace, write
from rosenblatt.plot import animate
from tests.data.streams.test_stream import gathered, made
from tests.support.full_disk import files_of_at_most

TEXT = "1 1:1\n-1 1:2\n1 1:1 2:1\n-1 2:-1\n"
QUARANTINE: dict[str, Any] = {"on_error": "quarantine", "classes": [-1, 1]}
LEARNERS = [Perceptron, Pocket, BatchPerceptron]


def linked(path: Path, make: Callable[..., None]) -> Path:
    link = path.with_name("link.svm")
    make(link, path)
    return link


WAYS: dict[str, Callable[[Path], tuple[Any, Any, dict[str, Any]]]] = {
    "same": lambda path: (path, path, {}),
    "relative": lambda path: (str(path), os.path.relpath(path), {}),
    "symbolic link": lambda path: (path, linked(path, Path.symlink_to), {}),
    "hard link": lambda path: (path, linked(path, Path.hardlink_to), {}),
    "input is a link": lambda path: (linked(path, Path.symlink_to), path, {}),
    "pattern": lambda path: (str(path.parent / "d*.svm"), path, {}),
    "list": lambda path: ([made(path.parent, TEXT, "first.svm"), path], path, {}),
    "address": lambda path: (path.as_uri(), path, {}),
    "open file": lambda path: (path.open(), path, {}),
    "file system": lambda path: (str(path), path, {"filesystem": pyarrow.fs.LocalFileSystem()}),
    "folder as a file system": lambda path: (
        path.name,
        path,
        {"filesystem": pyarrow.fs.SubTreeFileSystem(str(path.parent), pyarrow.fs.LocalFileSystem())},
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("option", ["cache", "quarantine", "checkpoint"])
def test_the_data_is_never_replaced(tmp_path: Path, option: str, way: str) -> None:
    path = made(tmp_path, TEXT)
    source, out, more = WAYS[way](path)
    words = f"^{option}='.*': this is the file that is read as the data.* Writing would destroy it; give another name"
    more |= {option: out} | (QUARANTINE if option == "quarantine" else {})
    with pytest.raises(ParameterError, match=words):
        Perceptron().fit_stream(source, **more)
    assert path.read_text() == TEXT
    if hasattr(source, "close"):
        source.close()


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_checks_its_checkpoint(tmp_path: Path, learner: Any) -> None:
    path, notes = made(tmp_path, TEXT), made(tmp_path, "notes", "notes.txt")
    with pytest.raises(ParameterError, match="read as the data"):
        learner().fit_stream(path, checkpoint=path, every_rows=1)
    with pytest.raises(ParameterError, match=r"not a checkpoint\. Remove it, or give another name"):
        learner().fit_stream(path, checkpoint=notes, every_rows=1)
    with pytest.raises(ParameterError, match="there is no folder"):
        learner().fit_stream(path, checkpoint=tmp_path / "no" / "checkpoint")
    assert (path.read_text(), notes.read_text()) == (TEXT, "notes")


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    path, y = made(tmp_path, TEXT), tmp_path / "y"
    with pytest.raises(ParameterError, match=r"^cache='.*y' and quarantine='.*y' are the same file"):
        Stream(path, cache=y, quarantine=y, **QUARANTINE)
    for options in ({"cache": y}, {"quarantine": y, **QUARANTINE}):
        with pytest.raises(ParameterError, match=r"^checkpoint='.*y' and (cache|quarantine)='.*y' are the same file"):
            Perceptron().fit_stream(path, checkpoint=y, **options)
    beside = tmp_path / "data.svm.rosenblatt"
    with pytest.raises(ParameterError, match="are the same file"):
        Perceptron().fit_stream(path, checkpoint=beside, cache=True)
    assert os.listdir(tmp_path) == ["data.svm"]


def test_files_with_a_mark_are_not_replaced_by_others(tmp_path: Path) -> None:
    """A model, an animation: a wrong name costs nothing. Tables and quarantine files replace any file, as to_csv."""
    model = Perceptron(order="cyclic").fit([[0.0], [1.0]], [0, 1])
    steps = trace(Perceptron(order="cyclic"), [[0.0], [1.0]], [0, 1])
    calls: dict[str, Callable[[Path], None]] = {"notes.txt": partial(save, model), "notes.gif": partial(animate, steps)}
    for name, call in calls.items():
        notes = made(tmp_path, "notes", name)
        with pytest.raises(DataError, match=r"cannot be written: a file of this name exists, and it is not an? "):
            call(notes)
        assert notes.read_text() == "notes"
        notes.write_text("")
        call(notes)
        first = notes.read_bytes()
        call(notes)
        assert notes.read_bytes() == first
    table = made(tmp_path, "notes", "notes.csv")
    write([[1.0]], ["a"], table)
    assert table.read_text() == "x1,label\n1,a\n"


# ---------------------------------------------------------------------------------------------------------------------
# The quarantine file has whole lines


def test_a_disk_that_fills_leaves_whole_lines(tmp_path: Path) -> None:
    lines = ["1 1:1\n", "-1 1:2\n", *(f"bad {number}\n" for number in range(50))]
    path, kept = made(tmp_path, "".join(lines)), tmp_path / "bad.txt"
    for size in range(0, 200, 7):
        with files_of_at_most(size), pytest.raises(DataError, match=r"bad\.txt: it cannot be written: "):
            gathered(Stream(path, chunk_bytes=30, quarantine=kept, **QUARANTINE))
        found = kept.read_text()
        assert found == "".join(lines[2:])[: len(found)]
        assert not found or found.endswith("\n")
        assert len(found) <= size


def test_the_system_takes_few_bytes_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with more than 2 GiB of bad rows: what is left is written by further calls."""

    class Short(io.FileIO):
        def write(self, text: Any) -> int:
            return super().write(text[:5])

    opened = Path.open
    lines = ["1 1:1\n", "-1 1:2\n", *(f"bad {number}\n" for number in range(50))]
    stream = Stream(made(tmp_path, "".join(lines)), quarantine=tmp_path / "bad.txt", **QUARANTINE)
    monkeypatch.setattr(
        Path,
        "open",
        lambda path, mode, **how: Short(path, mode) if path.name == "bad.txt" else opened(path, mode, **how),
    )
    gathered(stream)
    monkeypatch.undo()
    assert (tmp_path / "bad.txt").read_text() == "".join(lines[2:])
    assert stream.quarantined == len("".join(lines[2:]))


KILLED = """
import io, os, signal, sys
from rosenblatt import Stream
from rosenblatt.data.streams.bad_rows import BadRows
append, seen = BadRows._append, []
def killed(self, file, text):
    seen.append(text)
    append(self, file, text)
    if len(seen) == 3: os.kill(os.getpid(), signal.SIGKILL)
BadRows._append = killed
for _ in Stream(sys.argv[1], chunk_bytes=9, classes=[-1, 1], on_error="quarantine", quarantine=sys.argv[2]).chunks():
    pass
"""


def test_killed_it_has_whole_lines(tmp_path: Path) -> None:
    path, kept = made(tmp_path, "1 1:1\n-1 1:2\n" + "bad row\n" * 9), tmp_path / "bad.txt"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), str(kept)], check=False)
    assert ended.returncode == -signal.SIGKILL
    found = kept.read_text()
    assert found
    assert set(found.splitlines(keepends=True)) == {"bad row\n"}


CACHE_KILLED = """
import os, signal, sys
from pathlib import Path
from rosenblatt import Stream
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
for _ in Stream(sys.argv[1], chunk_bytes=15, cache=sys.argv[2]).chunks():
    pass
"""


def test_killed_the_old_cache_is_whole(tmp_path: Path) -> None:
    path, place = made(tmp_path, TEXT), tmp_path / "cache"
    gathered(Stream(path, chunk_bytes=15, cache=place))
    old = place.read_bytes()
    made(tmp_path, TEXT * 2)
    ended = subprocess.run([sys.executable, "-c", CACHE_KILLED, str(path), str(place)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert place.read_bytes() == old
    X, _ = gathered(Stream(path, chunk_bytes=15, cache=place))
    assert X.shape[0] == 8

"""A file that changes between two passes of a stream is refused: every pass must read the same bytes."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import DataError, Kozinec, Perceptron, Progress, Scaling, Stream, separability
from tests.data.streams.test_stream import FORMS, Sample, gathered, made, options_of, written

TEXT = "1 1:1\n-1 1:2\n" * 20
CHANGES: dict[str, Callable[[str], str]] = {
    "the first row": lambda text: "1 1:3\n" + text[6:],
    "the last row": lambda text: text[:-7] + "-1 1:5\n",
    "a row more": lambda text: text + "1 1:1\n",
    "a row less": lambda text: text[:-7],
    "much more": lambda text: text * 3,
    "much less": lambda text: text[: len(text) // 2],
    "nothing left": lambda _: "",
    "other labels": lambda text: text.replace("-1 ", "+1 ").replace("1 1:1", "-1 1:1"),
}


def refusal(path: Path) -> str:
    return rf"{path.name}: it has changed since the first pass over it\."


@pytest.mark.parametrize("size", [7, 60, 10**6])
@pytest.mark.parametrize("change", CHANGES)
def test_a_pass_over_other_rows_is_refused(tmp_path: Path, change: str, size: int) -> None:
    path = made(tmp_path, TEXT)
    stream = Stream(path, chunk_bytes=size, classes=[-1, 1])
    before = gathered(stream)
    path.write_text(CHANGES[change](TEXT))
    for _ in range(2):
        with pytest.raises(DataError, match=refusal(path)):
            gathered(stream)
    path.write_text(TEXT)
    after = gathered(stream)
    assert (before[0].tobytes(), before[1]) == (after[0].tobytes(), after[1])


@pytest.mark.parametrize("form", FORMS)
def test_in_every_format(tmp_path: Path, form: str) -> None:
    rows = Sample(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [1, 2, 1])
    other = Sample(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), [1, 2, 1])
    (path,) = written(tmp_path, form, rows)
    stream = Stream(path, chunk_bytes=20, **options_of(form), classes=[1, 2])
    gathered(stream)
    gathered(stream)
    written(tmp_path, form, other)
    with pytest.raises(DataError, match=refusal(path)):
        gathered(stream)


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("change", ["the first row", "a row more", "a row less", "much more", "much less"])
@pytest.mark.parametrize("size", [7, 60, 10**6])
def test_the_file_that_changed_is_named(tmp_path: Path, which: int, change: str, size: int) -> None:
    paths = [made(tmp_path, TEXT, f"part{k}.svm") for k in range(3)]
    stream = Stream(paths, chunk_bytes=size, classes=[-1, 1])
    gathered(stream)
    paths[which].write_text(CHANGES[change](TEXT))
    with pytest.raises(DataError, match=refusal(paths[which])):
        gathered(stream)


def test_a_broken_pass_counts_as_far_as_it_went(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    stream = Stream(path, chunk_bytes=13)
    next(stream.chunks())
    path.write_text(TEXT + "1 1:1\n")  # after what was read
    assert len(gathered(stream)[1]) == 41
    again = Stream(path, chunk_bytes=13)
    next(again.chunks())
    path.write_text(CHANGES["the first row"](TEXT))
    with pytest.raises(DataError, match=refusal(path)):
        next(again.chunks())


def test_a_file_that_was_only_touched_is_read_on(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    stream = Stream(path, chunk_bytes=60)
    gathered(stream)
    os.utime(path, ns=(1, 1))
    assert len(gathered(stream)[1]) == 40


def test_a_cache_still_has_the_rows_of_the_first_pass(tmp_path: Path) -> None:
    """Later passes read the cache, so the rows stay the same. Without the cache, the change is found."""
    path = made(tmp_path, TEXT)
    stream = Stream(path, chunk_bytes=60, cache=tmp_path / "cache")
    before = gathered(stream)
    path.write_text(CHANGES["the first row"](TEXT))
    assert gathered(stream)[0].tobytes() == before[0].tobytes()
    (tmp_path / "cache").unlink()
    with pytest.raises(DataError, match=refusal(path)):
        gathered(stream)


def changing(path: Path, text: str) -> Callable[[Progress], None]:
    """A progress callback that replaces the file in the second pass."""

    def progress(now: Progress) -> None:
        if now.epoch == 2:
            path.write_text(text)

    return progress


@pytest.mark.parametrize("change", ["the last row", "much more", "much less"])
def test_a_fit_stops(tmp_path: Path, change: str) -> None:
    overlapping = "1 1:1\n-1 1:2\n1 1:3\n" * 20
    path = made(tmp_path, overlapping)
    model = Perceptron()
    with pytest.raises(DataError, match=refusal(path)):
        model.fit_stream(path, chunk_bytes=60, progress=changing(path, CHANGES[change](overlapping)))
    assert not hasattr(model, "coef_")


def replaced_after_first_pass(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> None:
    """Replace the file as soon as a pass over it has reached the end."""
    chunks = Stream.chunks

    def then(self: Stream, skip: int = 0) -> Any:
        yield from chunks(self, skip)
        path.write_text(text)

    monkeypatch.setattr(Stream, "chunks", then)


@pytest.mark.parametrize(
    "learn",
    [
        lambda path: Kozinec().fit_stream(path, chunk_bytes=60),
        lambda path: separability(Stream(path, chunk_bytes=60)),
        lambda path: Stream(path, chunk_bytes=60).scale("divide"),
    ],
    ids=["Kozinec", "separability", "scale"],
)
def test_whoever_makes_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learn: Callable[[Path], Any]) -> None:
    path = made(tmp_path, TEXT)
    replaced_after_first_pass(monkeypatch, path, TEXT.replace("1:2", "1:4"))
    with pytest.raises(DataError, match=refusal(path)):
        learn(path)


def test_a_scaling_of_rows_that_changed_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, TEXT)
    stream = Stream(path, chunk_bytes=60)
    with monkeypatch.context() as patched:
        replaced_after_first_pass(patched, path, TEXT * 2)
        with pytest.raises(DataError, match=refusal(path)):
            stream.scale("divide")
    assert stream.scaling is None
    path.write_text(TEXT)
    assert isinstance(stream.scale("divide"), Scaling)

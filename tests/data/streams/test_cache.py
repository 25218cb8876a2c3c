"""The cache of a stream: used while the data is unchanged, never wrong, never incomplete."""

import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.fs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, DataError, ParameterError, Perceptron, Stream, read
from rosenblatt.data.streams import cache
from tests.classifiers.training.test_stream_passes import GROWING, learned
from tests.data.streams.test_stream import LINES, dense, gathered, give, made
from tests.support.full_disk import files_of_at_most

pytestmark = pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")

TEXT = "1 1:0.1 3:1\n-1 2:-0.25\n1 1:2\n-1 4:1 2:1e300\n" * 5
OTHER = TEXT.replace("1:2", "1:3")  # of the same length


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A folder with data and its cache."""
    gathered(Stream(made(tmp_path, TEXT), chunk_bytes=60, cache=tmp_path / "cache"))
    assert sorted(os.listdir(tmp_path)) == ["cache", "data.svm"]
    return tmp_path


def swap(path: Path, text: str) -> None:
    """Other content with the same size and times, so that only a cache can still tell the old."""
    times = path.stat()
    path.write_text(text)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def changes(folder: Path) -> dict[str, Any]:
    """Of each file its number on the disk and the time of its last change."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


# ---------------------------------------------------------------------------------------------------------------------
# When it is used


def test_it_is_used_in_the_second_pass_and_by_later_runs(there: Path) -> None:
    expected = gathered(Stream(there / "data.svm", chunk_bytes=60))[0].tolist()
    swap(there / "data.svm", OTHER)
    before = changes(there)
    stream = Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache")
    for _ in range(2):
        X, y = gathered(stream)
        assert (X.tolist(), y) == (expected, [1, -1] * 10)
        assert (stream.n_rows_, stream.n_columns_, stream.n_skipped_) == (20, 4, 0)
    assert changes(there) == before


def test_beside_the_file(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    first = gathered(Stream(path, cache=True))[0]
    assert sorted(os.listdir(tmp_path)) == ["data.svm", "data.svm.rosenblatt"]
    assert (gathered(Stream(path, cache=True))[0] == first).all()


def test_a_cache_is_for_others_to_read(there: Path) -> None:
    """The mode of the file follows the umask."""
    plain = made(there, "", "plain")
    assert stat.S_IMODE((there / "cache").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


OPTIONS: dict[str, dict[str, Any]] = {
    "chunk size": {"chunk_bytes": 61},
    "classes": {"classes": [-1, 1, 2]},
    "columns from 0": {"zero_based": True},
    "errors": {"on_error": "skip"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_other_options_make_another(there: Path, name: str) -> None:
    path, options = there / "data.svm", {"chunk_bytes": 60} | OPTIONS[name]
    swap(path, OTHER)
    expected = gathered(Stream(path, **options))
    for _ in range(2):
        X, y = gathered(Stream(path, cache=there / "cache", **options))
        assert (X.tolist(), y) == (expected[0].tolist(), expected[1])


TABLES: list[dict[str, Any]] = [
    {},
    {"target": "a"},
    {"columns": ["a"]},
    {"columns": ["b", "a"]},
    {"categories": ["a"]},
    {"categories": ["a"], "hash_bits": 3},
    {"categories": ["a"], "hash_bits": 4},
    {"fill": 1.0},
    {"fill": {"a": 2.0}},
]


def test_options_of_tables_make_others(tmp_path: Path) -> None:
    path = made(tmp_path, "a,b,label\n0,2,1\n1,0,0\n0,1,0\n1,1,1\n", "data.csv")
    for options in [*TABLES, *TABLES[::-1]]:
        X, y = gathered(Stream(path, cache=tmp_path / "cache", **options))
        whole = read(path, **options)
        assert (X.tolist(), y) == (dense(whole.X, X.shape[1]).tolist(), whole.y.tolist()), options


def replaced(path: Path) -> None:
    path.write_text(OTHER)
    os.utime(path, ns=(1, 1))


CHANGES: dict[str, Callable[[Path], Any]] = {
    "touched": lambda path: os.utime(path, ns=(1, 1)),
    "grown": lambda path: path.write_text(TEXT + "1 5:1\n"),
    "shorter": lambda path: path.write_text(TEXT[: TEXT.rindex("\n", 0, -1) + 1]),
    "other content": replaced,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_changed_is_read_again(there: Path, name: str) -> None:
    path = there / "data.svm"
    CHANGES[name](path)
    before = changes(there)
    X, y = gathered(Stream(path, chunk_bytes=60, cache=there / "cache"))
    whole = read(path)
    assert (X.tolist(), y) == (whole.X.toarray().tolist(), whole.y.tolist())
    assert changes(there)["cache"] != before["cache"]


def test_several_files_and_their_order(tmp_path: Path) -> None:
    one, two = made(tmp_path, TEXT, "one.svm"), made(tmp_path, "1 1:9\n-1 7:1\n", "two.svm")
    for paths in ([one, two], [two, one], [one], [two], [one, two]):
        X, y = gathered(Stream(paths, cache=tmp_path / "cache"))
        whole = read(paths)
        assert (X.tolist(), y) == (whole.X.toarray().tolist(), whole.y.tolist())


def test_another_standard_input_is_not_that_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing tells that it is the same: it must be read."""
    for text in (TEXT, OTHER):
        give(monkeypatch, text)
        X, _ = gathered(Stream("-", format="libsvm", cache=tmp_path / "cache"))
        assert X.tolist() == read(made(tmp_path, text)).X.toarray().tolist()


def test_files_of_a_filesystem_that_changed(tmp_path: Path) -> None:
    where = pyarrow.fs.LocalFileSystem()
    for time, text in enumerate((TEXT, OTHER), start=1):
        path = made(tmp_path, text)
        os.utime(path, (time, time))
        X, _ = gathered(Stream(str(path), filesystem=where, cache=tmp_path / "cache"))
        assert X.tolist() == read(path).X.toarray().tolist()


def test_quarantine_is_filled_also_if_a_cache_was_made_without(tmp_path: Path) -> None:
    path, kept = made(tmp_path, "\n".join(LINES) + "\n"), tmp_path / "bad.txt"
    options: dict[str, Any] = {"classes": [-1, 1], "cache": tmp_path / "cache"}
    gathered(Stream(path, on_error="skip", **options))
    stream = Stream(path, on_error="quarantine", quarantine=kept, **options)
    gathered(stream)
    assert stream.n_skipped_ == 5
    assert len(kept.read_text().splitlines()) == 5


# ---------------------------------------------------------------------------------------------------------------------
# Two streams, one cache


def test_a_stream_that_runs_keeps_the_cache_that_it_opened(there: Path) -> None:
    """Another stream replaces it, with other options, between two passes and during a pass."""
    path, place = there / "data.svm", there / "cache"
    running = Stream(path, chunk_bytes=60, cache=place)
    expected = gathered(running)[0].tolist()
    gathered(Stream(path, chunk_bytes=200, cache=place))
    others = changes(there)["cache"]
    assert gathered(running)[0].tolist() == expected
    chunks = running.chunks()
    parts = [next(chunks)]
    gathered(Stream(path, chunk_bytes=30, cache=place))
    parts += chunks
    assert np.concatenate([dense(part.X, 4) for part in parts]).tolist() == expected
    assert changes(there)["cache"] != others  # that of the last stream


def test_a_stream_that_wrote_the_cache_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input could not be read again."""
    give(monkeypatch, TEXT)
    place = tmp_path / "cache"
    running = Stream("-", format="libsvm", cache=place)
    expected = gathered(running)[0].tolist()
    gathered(Stream(made(tmp_path, OTHER), cache=place))
    for _ in range(2):
        assert gathered(running)[0].tolist() == expected


def test_a_cache_is_closed_with_its_stream(there: Path) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_files()
    stream = Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache")
    gathered(stream)
    assert open_files() == before + 1
    del stream
    assert open_files() == before


def test_the_system_gives_few_bytes_at_a_time(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with chunks above 2 GiB: what is left is read by further calls."""
    expected = gathered(Stream(there / "data.svm", chunk_bytes=60))[0].tolist()
    swap(there / "data.svm", OTHER)
    preadv = os.preadv
    monkeypatch.setattr(os, "preadv", lambda file, rooms, start: preadv(file, [rooms[0][:7]], start))
    assert gathered(Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache"))[0].tolist() == expected


# ---------------------------------------------------------------------------------------------------------------------
# Damage


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, bytes, dict[str, Any]]:
    """A table with words, its cache, that cache's bytes, and what is learned from it."""
    folder = tmp_path_factory.mktemp("damage")
    text = "a,c,label\n" + "0.1,u,yes\n2,v,no\n1e300,u,no\n-4,v,yes\n" * 4
    path = made(folder, text, "data.csv")
    stream = Stream(path, chunk_bytes=60, cache=folder / "cache")
    expected = learned(Perceptron(max_epochs=3).fit_stream(stream))
    return path, folder / "cache", (folder / "cache").read_bytes(), expected


def learned_from(path: Path, place: Path) -> dict[str, Any] | str:
    """Give what is learned with this cache, or the message that refuses it."""
    try:
        return learned(Perceptron(max_epochs=3).fit_stream(Stream(path, chunk_bytes=60, cache=place)))
    except (DataError, ParameterError) as error:
        return str(error)


def is_right(found: dict[str, Any] | str, expected: dict[str, Any]) -> bool:
    """The truth, or a sentence about the cache."""
    return ("cache" in found and found.endswith(".")) if isinstance(found, str) else found == expected


@given(st.data())
def test_flipped_bytes_are_found(kept: tuple[Path, Path, bytes, dict[str, Any]], data: st.DataObject) -> None:
    path, place, raw, expected = kept
    damaged = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    place.write_bytes(damaged)
    assert is_right(learned_from(path, place), expected)


def test_every_digit_of_the_description_counts(kept: tuple[Path, Path, bytes, dict[str, Any]]) -> None:
    """Digits that become others, and letters: it stays JSON, with other numbers, classes and names."""
    path, place, raw, expected = kept
    begin = raw.index(b'{"identity"')
    for at in range(begin, len(raw) - len(cache.MAGIC), 7):
        damaged = bytearray(raw)
        if chr(raw[at]).isalnum():
            damaged[at] = raw[at] ^ 1
            place.write_bytes(damaged)
            assert is_right(learned_from(path, place), expected), at


@given(st.integers(0, 10**6))
def test_a_part_of_a_cache_is_none(kept: tuple[Path, Path, bytes, dict[str, Any]], size: int) -> None:
    path, place, raw, expected = kept
    place.write_bytes(raw[: size % len(raw)])
    assert learned_from(path, place) == expected  # read again from the file, and replaced
    assert learned_from(path, place) == expected


@pytest.mark.parametrize("content", [b"", cache.MAGIC[:1], cache.MAGIC, cache.MAGIC * 40, b"x" * 1000 + cache.MAGIC])
def test_a_damaged_cache_is_replaced(there: Path, content: bytes) -> None:
    (there / "cache").write_bytes(content)
    gathered(Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache"))
    assert (there / "cache").read_bytes().startswith(cache.MAGIC)
    assert (there / "cache").read_bytes() != content


@pytest.mark.parametrize("content", [b"x", b"a,b,label\n1,2,x\n", b"\0" * 1000, b"{" * 1000])
def test_a_file_that_is_no_cache_is_not_replaced(there: Path, content: bytes) -> None:
    (there / "cache").write_bytes(content)
    with pytest.raises(ParameterError, match=r"^cache='.*cache': a file of this name exists, and it is not a cache\. "):
        Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache")
    assert (there / "cache").read_bytes() == content


def test_a_cache_that_is_gone_between_passes(there: Path) -> None:
    """It is read again, or said; not a crash."""
    stream = Stream(there / "data.svm", chunk_bytes=60, cache=there / "cache")
    expected = gathered(stream)[0].tolist()
    (there / "cache").unlink()
    assert gathered(stream)[0].tolist() == expected


# ---------------------------------------------------------------------------------------------------------------------
# All of it or nothing


def test_a_pass_broken_off_leaves_nothing(tmp_path: Path) -> None:
    path = made(tmp_path, TEXT)
    for chunk in Stream(path, chunk_bytes=60, cache=tmp_path / "cache").chunks():
        if chunk.number == 2:
            break
    assert os.listdir(tmp_path) == ["data.svm"]

    def stop(now: Any) -> None:
        if now.rows > 8:
            raise KeyboardInterrupt

    for model in (Perceptron(), BatchPerceptron()):
        with pytest.raises(KeyboardInterrupt):
            model.fit_stream(path, chunk_bytes=60, cache=tmp_path / "cache", progress=stop)
        assert os.listdir(tmp_path) == ["data.svm"]


def test_a_bad_row_leaves_the_old_one(there: Path) -> None:
    path, old = made(there, TEXT + "x\n", "data.svm"), (there / "cache").read_bytes()
    with pytest.raises(DataError, match="line 21"):
        gathered(Stream(path, chunk_bytes=60, cache=there / "cache"))
    assert sorted(os.listdir(there)) == ["cache", "data.svm"]
    assert (there / "cache").read_bytes() == old


def test_a_full_disk_leaves_the_old_one(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, old = made(there, TEXT + "1 1:1\n", "data.svm"), (there / "cache").read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", full)
        with pytest.raises(DataError, match="the cache cannot be written: No space left on device"):
            gathered(Stream(path, chunk_bytes=60, cache=there / "cache"))
    assert sorted(os.listdir(there)) == ["cache", "data.svm"]
    assert (there / "cache").read_bytes() == old


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"cache': it cannot be written: there is no folder '.*no'\. Make it first"
    ):
        Stream(made(tmp_path, TEXT), cache=tmp_path / "no" / "cache")


def test_a_disk_that_fills_at_any_byte_leaves_the_old_one(there: Path) -> None:
    """A part of a chunk, or of the description, may still find room."""
    path, old = made(there, TEXT + "1 1:1\n", "data.svm"), (there / "cache").read_bytes()
    for size in [*range(0, len(old), 97), len(old) - 1]:
        with files_of_at_most(size), pytest.raises(DataError, match="the cache cannot be written: File too large"):
            gathered(Stream(path, chunk_bytes=60, cache=there / "cache"))
        assert sorted(os.listdir(there)) == ["cache", "data.svm"]
        assert (there / "cache").read_bytes() == old


def test_a_link_to_a_cache_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "cache")
    gathered(Stream(made(tmp_path, TEXT), cache=tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert os.listdir(tmp_path / "folder") == ["cache"]


def test_a_cache_must_be_a_file(tmp_path: Path) -> None:
    """A pipe is not replaced, and is not waited for."""
    path = made(tmp_path, TEXT)
    os.mkfifo(tmp_path / "data.svm.rosenblatt")
    with pytest.raises(ParameterError, match="it is a pipe or a device, and cannot be read again"):
        Stream(path, cache=True)
    assert stat.S_ISFIFO((tmp_path / "data.svm.rosenblatt").stat().st_mode)


def test_open_files_of_one_size_are_told_apart(tmp_path: Path) -> None:
    for text in (TEXT, OTHER):
        X, _ = gathered(Stream(io.StringIO(text), format="libsvm", cache=tmp_path / "cache"))
        assert X.tolist() == read(made(tmp_path, text)).X.toarray().tolist()


def test_an_open_file_without_a_name_has_nothing_beside_it() -> None:
    with pytest.raises(ParameterError, match="not possible for the open file; give the path of the cache"):
        Stream(io.StringIO(TEXT), format="libsvm", cache=True)


def test_numbers_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    numbers = [0.1, -0.0, 5e-324, 1.7976931348623157e308, 2.0**-149, 2.0**-150, 16777217.0, 1e39, -1.0, 3.4e38]
    path = made(tmp_path, "a,label\n" + "".join(f"{x!r},{i % 2}\n" for i, x in enumerate(numbers)), "data.csv")
    for size in (1, 10, 10**6):
        stream = Stream(path, classes=[0, 1], chunk_bytes=size, cache=tmp_path / f"cache{size}")
        for _ in range(2):
            assert gathered(stream)[0].tobytes() == np.array(numbers).tobytes()


def test_columns_that_grow_come_from_the_cache_as_well(tmp_path: Path) -> None:
    path = made(tmp_path, GROWING)
    stream = Stream(path, chunk_bytes=30, cache=tmp_path / "cache")
    expected = read(path).X.toarray().tolist()
    for _ in range(3):
        assert gathered(stream)[0].tolist() == expected
        assert stream.n_columns_ == 1000

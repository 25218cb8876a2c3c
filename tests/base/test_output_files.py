"""Outputs are checked before the work: inputs, equal names, folders, and what cannot be written."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rosenblatt import ParameterError
from rosenblatt.base.files import output_files
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output, check_outputs


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("1,2\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


def out(path: object, option: str = "--out", kind: FileKind | None = None) -> Output:
    return Output(option, str(path), kind)


def linked(link: str, to: str, make: Callable[[str, str], None] = os.symlink) -> str:
    make(to, link)
    return link


SPELLINGS: dict[str, Callable[[Path], tuple[object, object]]] = {
    "same": lambda _: ("a.csv", "a.csv"),
    "absolute output": lambda folder: ("a.csv", folder / "a.csv"),
    "absolute input": lambda folder: (folder / "a.csv", "a.csv"),
    "dots": lambda _: ("a.csv", "folder/.././a.csv"),
    "two slashes": lambda _: ("a.csv", ".//a.csv"),
    "output is a link": lambda _: ("a.csv", linked("link", "a.csv")),
    "input is a link": lambda _: (linked("link", "a.csv"), "a.csv"),
    "link to a link": lambda _: (linked("one", "a.csv"), linked("two", "one")),
    "hard link": lambda _: ("a.csv", linked("twin", "a.csv", os.link)),
    "link to the folder": lambda _: ("a.csv", f"{linked('here', '.')}/a.csv"),
    "pattern": lambda _: ("*.csv", "a.csv"),
    "pattern of folders": lambda folder: (f"{folder}/**/a*", "a.csv"),
    "address": lambda folder: (f"file://{folder}/a.csv", "a.csv"),
    "address with a coded letter": lambda folder: (f"file://{folder}/%61.csv", "a.csv"),
    "open file": lambda _: (f"/dev/fd/{os.open('a.csv', os.O_RDONLY)}", "a.csv"),
}


@pytest.mark.parametrize("way", SPELLINGS)
def test_an_input_is_refused_however_it_is_spelled(there: Path, way: str) -> None:
    source, path = SPELLINGS[way](there)
    with pytest.raises(
        ParameterError, match=r"^--out .*: this is the file that is read as DATA.* Writing would destroy"
    ):
        check_outputs([out(path)], {"MODEL": ["none"], "DATA": ["folder", str(source)]})


@pytest.mark.usefixtures("there")
def test_standard_input_is_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("a.csv").open() as file:
        monkeypatch.setattr(output_files, "STANDARD_INPUT", file.fileno())
        with pytest.raises(ParameterError, match=r"^--out a\.csv: this is the file that is read as DATA \(-\)\."):
            check_outputs([out("a.csv")], {"DATA": ["-"]})
        check_outputs([out("b.csv"), out("-")], {"DATA": ["-"]})  # "-" as an output is a file of this name


def test_other_files_are_no_inputs(there: Path) -> None:
    (there / "folder" / "a.csv").write_text("1,2\n")
    check_outputs([out("folder/a.csv"), out("b.csv")], {"DATA": ["a.csv", "none.csv", "s3://bucket/b.csv", "a\0b"]})
    check_outputs([Output("--out", None, None), out("/dev/null"), out("/dev/null")], {"DATA": ["/dev/null"]})


PAIRS: dict[str, Callable[[Path], tuple[object, object]]] = {
    "same": lambda _: ("y", "y"),
    "absolute": lambda folder: ("y", folder / "y"),
    "dots": lambda _: ("y", "folder/../y"),
    "a link without a file": lambda _: ("y", linked("link", "y")),
    "folders": lambda _: ("folder/y", f"{linked('here', 'folder')}/y"),
    "hard link": lambda _: ("a.csv", linked("twin", "a.csv", os.link)),
    "standard output": lambda _: ("/dev/stdout", "/dev/stdout"),
}


@pytest.mark.parametrize("way", PAIRS)
def test_two_outputs_that_are_one_file_are_refused(there: Path, way: str) -> None:
    first, second = PAIRS[way](there)
    with pytest.raises(ParameterError) as said:
        check_outputs([out(first), out(second, "--report")], {})
    assert str(said.value) == f"--out {first} and --report {second} are the same file. Give each a name of its own."


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("folder", "it is a folder. Give the name of a file in it, as in folder/NAME."),
        (".", "it is a folder. Give the name of a file in it, as in ./NAME."),
        ("no/file", "there is no folder 'no'. Make it first."),
        ("a.csv/file", "there is no folder 'a.csv'. Make it first."),
        ("x" * 300, "File name too long."),
        ("a\0b", "embedded null byte."),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(path: str, why: str) -> None:
    with pytest.raises(ParameterError) as said:
        check_outputs([out(path)], {})
    assert str(said.value) == f"--out {path}: it cannot be written: {why}"


@pytest.mark.usefixtures("there")
def test_a_link_into_a_folder_that_is_not_there() -> None:
    with pytest.raises(ParameterError, match=r"^--out link: it cannot be written: there is no folder '.*/none'\. Make"):
        check_outputs([out(linked("link", "none/file"))], {})


@pytest.mark.parametrize(("place", "words"), [("folder", "its folder"), ("folder/file", "the file")])
def test_a_read_only_place_is_said(there: Path, monkeypatch: pytest.MonkeyPatch, place: str, words: str) -> None:
    """The administrator may write anywhere, so the answer of the system is made up."""
    (there / "folder" / "file").touch()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != (there / place).resolve())
    with pytest.raises(ParameterError, match=f"^--out folder/file: it cannot be written: {words} is read-only"):
        check_outputs([out("folder/file")], {})


@pytest.mark.usefixtures("there")
def test_a_file_of_another_kind_is_said_in_the_words_of_the_user() -> None:
    with pytest.raises(ParameterError) as said:
        check_outputs([out("a.csv", "--out", FileKind.MODEL)], {})
    assert str(said.value) == (
        "--out a.csv: a file of this name exists, and it is not a model. Give another name, or --force to replace it."
    )
    with pytest.raises(ParameterError) as said:
        check_outputs([out("a.csv", "--out", FileKind.TEXT)], {})
    assert str(said.value) == "--out a.csv: a file of this name exists. Give another name, or --force to replace it."
    with pytest.raises(ParameterError) as said:
        check_outputs([out("a.csv", "cache=", FileKind.CACHE)], {})
    assert str(said.value) == (
        "cache='a.csv': a file of this name exists, and it is not a cache. Remove it, or give another name."
    )
    check_outputs([out("a.csv")], {})


@pytest.mark.usefixtures("there")
def test_standard_output_that_is_a_file_is_added_to() -> None:
    with Path("a.csv").open("a") as file:
        check_outputs([out(f"/dev/fd/{file.fileno()}", "--out", FileKind.MODEL)], {})
        with pytest.raises(ParameterError, match="read as DATA"):
            check_outputs([out(f"/dev/fd/{file.fileno()}", "--out", FileKind.MODEL)], {"DATA": ["a.csv"]})


def test_what_is_read_again_must_be_a_file(tmp_path: Path) -> None:
    """A pipe, also behind a link: a cache that replaces it, or a fit that removes its checkpoint, would destroy it."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        for kind in (FileKind.CACHE, FileKind.CHECKPOINT, None):
            output = Output("cache=", tmp_path / name, kind, is_read_back=True)
            with pytest.raises(
                ParameterError, match=rf"^cache='.*{name}': it is a pipe or a device, and cannot be read"
            ):
                check_outputs([output], {})
        check_outputs([Output("--out", tmp_path / name, None)], {})


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(
        ParameterError, match=r"^--out .*one: it cannot be written: it is a symbolic link that leads to"
    ):
        check_outputs([Output("--out", tmp_path / "one", None)], {})

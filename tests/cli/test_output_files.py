"""Files of the command: no input is an output, no other file is lost, and no result is lost if writing fails."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from rosenblatt import Certificate, load
from rosenblatt.base.files import output_files
from rosenblatt.base.files.file_kinds import FileKind, may_replace
from tests.cli.test_main import AND, LEAVES, XOR, Ended, commands, made, refused, run, strict_json
from tests.support.effort import covering
from tests.support.full_disk import fill


class Door(NamedTuple):
    """An option that names an output.

    Attributes
    ----------
    command : the words before the data
    option : the option
    name : the name of a file for it
    kind : what the option writes
    words : more words, which the option needs
    """

    command: tuple[str, ...]
    option: str
    name: str
    kind: FileKind
    words: tuple[str, ...] = ()

    def line(self, data: Path, out: Path, *more: object) -> list[object]:
        before = [data.parent / "model"] if self.command == ("predict",) else []
        return [*self.command, *before, data, *self.words, "--format", "csv", self.option, out, *more]


STREAM = ("--stream", "--chunk-bytes", "9", "--classes", "no,yes")
DOORS = [
    Door(("check",), "--cert", "cert.json", FileKind.CERTIFICATE),
    Door(("check",), "--keep", "kept.csv", FileKind.TEXT, ("--model", "logit")),
    Door(("fit",), "--out", "new.model", FileKind.MODEL),
    Door(("fit",), "--report", "page.html", FileKind.REPORT),
    Door(("fit",), "--checkpoint", "checkpoint", FileKind.CHECKPOINT, (*STREAM, "--every-rows", "1")),
    Door(("fit",), "--quarantine", "bad.csv", FileKind.TEXT, (*STREAM, "--on-error", "quarantine")),
    Door(("predict",), "--out", "answers.csv", FileKind.TEXT),
    Door(("trace",), "--animate", "steps.gif", FileKind.ANIMATION, ("--steps", "2")),
    Door(("plot",), "--out", "picture.png", FileKind.PICTURE),
]
AT_THE_END = [door for door in DOORS if door.option not in ("--checkpoint", "--quarantine")]


def names(door: Any) -> str:
    return f"{' '.join(door.command)} {door.option}" if isinstance(door, Door) else str(door)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A folder with a model."""
    data = made(tmp_path, AND)
    assert run("fit", data, "--algorithm", "perceptron", "--out", tmp_path / "model").code == 0
    data.unlink()
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_outputs_of_all_commands_are_tested_here() -> None:
    """A new option whose value is a path must be added to DOORS, or be an input."""
    inputs = {"model"}
    found = {
        (*path, option.name)
        for path, command in commands()
        if path in LEAVES
        for option in command.params
        if Path in (option.type_descriptor.annotation, *get_args(option.type_descriptor.annotation))
        and option.name not in inputs
    }
    known = {(*door.command, door.option.removeprefix("--")) for door in DOORS} | {("data", "write", "file")}
    assert found == known


# ---------------------------------------------------------------------------------------------------------------------
# No input is an output

SPELLINGS = ["same", "relative", "symbolic link", "input is a link", "hard link", "pattern"]


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("way", SPELLINGS)
@pytest.mark.parametrize("door", DOORS, ids=names)
def test_data_is_never_replaced(
    there: Path, monkeypatch: pytest.MonkeyPatch, door: Door, way: str, force: list[str]
) -> None:
    """The data has a name that the option allows."""
    data = made(there, AND, door.name)
    source, out = data, data
    if way == "relative":
        monkeypatch.chdir(there)
        out = Path("..") / there.name / data.name
    elif way in ("symbolic link", "hard link"):
        out = there / f"other-{data.name}"
        out.symlink_to(data) if way == "symbolic link" else out.hardlink_to(data)
    elif way == "input is a link":
        source = there / "link"
        source.symlink_to(data)
    elif way == "pattern":
        source = there / f"[{data.name[0]}]{data.name[1:]}"
    before = contents(there)
    ended = run(*door.line(source, out, *force))
    refused(ended, f"{door.option} {out}: this is the file that is read as DATA", "Writing would destroy it")
    assert contents(there) == before


@pytest.mark.parametrize("door", DOORS, ids=names)
def test_data_from_standard_input_is_not_replaced(there: Path, monkeypatch: pytest.MonkeyPatch, door: Door) -> None:
    """As in `rosenblatt predict model - --out data.csv < data.csv`."""
    data = made(there, AND, door.name)
    line = [Path("-") if word == data else word for word in door.line(data, there / "none")]
    if door.command == ("predict",):
        line[1] = there / "model"
    line[line.index(there / "none")] = data
    with data.open() as file:
        monkeypatch.setattr(output_files, "STANDARD_INPUT", file.fileno())
        refused(run(*line, stdin=AND), f"{data}: this is the file that is read as DATA (-)")
    assert data.read_text() == AND


def test_a_model_that_is_used_is_not_replaced(there: Path) -> None:
    data, model, picture = made(there, AND), there / "model", there / "model.png"
    picture.symlink_to(model)
    before = contents(there)
    refused(run("predict", model, data, "--out", model, "--force"), "read as MODEL")
    refused(run("predict", picture, data, "--out", model), f"read as MODEL ({picture})")
    refused(run("plot", data, "--model", model, "--out", picture, "--force"), f"read as --model ({model})")
    assert contents(there) == before


def test_one_of_many_files_is_not_replaced(there: Path) -> None:
    for number in range(3):
        made(there, AND, f"part-{number}.csv")
    before = contents(there)
    for more in ([], ["--stream"]):
        refused(run("fit", there / "part-*.csv", "--out", there / "part-1.csv", *more), "part-1.csv: this is the file")
        files = [there / f"part-{number}.csv" for number in range(3)]
        refused(run("fit", *files, "--out", there / "part-2.csv", *more), "part-2.csv: this is the file")
    assert contents(there) == before


def test_the_shell_gives_standard_input(there: Path) -> None:
    data = made(there, AND)
    line = f"{sys.executable} -m rosenblatt.cli predict model - --out data.csv --force < data.csv"
    ended = subprocess.run(line, shell=True, cwd=there, capture_output=True, text=True, check=False)  # noqa: S602
    refused(
        Ended(ended.returncode, ended.stdout, ended.stderr), "--out data.csv: this is the file that is read as DATA"
    )
    assert data.read_text() == AND


# ---------------------------------------------------------------------------------------------------------------------
# Two outputs are two files


@pytest.mark.parametrize("first", ["--out", "--checkpoint", "--quarantine", "--cache"])
@pytest.mark.parametrize("second", ["--report", "--out", "--checkpoint"])
def test_two_outputs_of_one_name(there: Path, first: str, second: str) -> None:
    data, y = made(there, AND), there / "y"
    if first == second:
        return
    if first == "--cache":
        y, asked = there / "data.csv.rosenblatt", ["--cache"]
    else:
        asked = [first, str(y)]
    before = contents(there)
    line = ["fit", data, "--stream", "--on-error", "quarantine" if first == "--quarantine" else "stop"]
    ended = run(*line, *asked, second, y, "--force")
    refused(ended, f"{first} {y}", f"{second} {y}", "are the same file. Give each a name of its own.")
    assert contents(there) == before


# ---------------------------------------------------------------------------------------------------------------------
# Other files are replaced only with --force


@pytest.mark.parametrize("door", DOORS, ids=names)
def test_a_file_of_another_kind_is_replaced_with_force_only(there: Path, door: Door) -> None:
    data, out = made(there, AND + "x,y,no\n" * (door.option == "--quarantine"), "rows"), made(there, "notes", door.name)
    words = "a file of this name exists" + f", and it is not {door.kind.value}" * (door.kind is not FileKind.TEXT)
    refused(run(*door.line(data, out)), f"{door.option} {out}: {words}. Give another name, or --force to replace it.")
    assert out.read_text() == "notes"
    ended = run(*door.line(data, out, "--force"))
    assert (ended.code, out.read_bytes() == b"notes") == (0, False)


@pytest.mark.parametrize("door", [door for door in DOORS if door.kind is not FileKind.TEXT], ids=names)
def test_a_file_of_the_same_kind_is_replaced(there: Path, door: Door) -> None:
    data, out = made(there, AND, "rows"), there / door.name
    for _ in range(2):
        assert run(*door.line(data, out)).code == 0
        assert may_replace(out, door.kind)
    assert out.stat().st_size > 0


@pytest.mark.parametrize("door", DOORS, ids=names)
def test_an_empty_file_is_replaced(there: Path, door: Door) -> None:
    """As mktemp makes it."""
    out = made(there, "", door.name)
    assert run(*door.line(made(there, AND, "rows"), out)).code == 0


def test_a_dataset_that_is_there_already(tmp_path: Path) -> None:
    for name in ("iris.csv", "iris.parquet", "iris.npz"):
        path = tmp_path / name
        assert run("data", "write", "iris", path).code == 0
        before = path.read_bytes()
        assert run("data", "write", "iris", path).code == 0  # nothing would be lost
        refused(run("data", "write", "xor", path), f"FILE {path}: a file of this name exists.", "--force")
        assert path.read_bytes() == before
        assert run("data", "write", "xor", path, "--force").code == 0
        assert path.read_bytes() != before


@pytest.mark.parametrize("classes", [["--classes", "-1,1"], []], ids=["given", "found"])
def test_the_quarantine_file_of_another_run_is_not_cut(tmp_path: Path, classes: list[str]) -> None:
    """A resumed fit cuts the file back to where the checkpoint was, but only if it is that file."""
    lines = "1 1:1\n-1 1:2\nx\n" * 3
    data, kept, place = made(tmp_path, lines, "data.svm"), tmp_path / "bad.txt", tmp_path / "checkpoint"
    asked = ["fit", data, "--stream", "--chunk-bytes", 15, *classes, "--on-error", "quarantine"]
    asked += ["--checkpoint", place, "--every-rows", 1, "--quarantine"]
    assert run(*asked, kept).code == 0
    notes = made(tmp_path, "x\ny\nz\nand more\n", "notes.txt")
    refused(run(*asked, notes, "--resume"), "notes.txt: this is not the quarantine file of the checkpoint")
    assert notes.read_text() == "x\ny\nz\nand more\n"
    assert run(*asked, kept, "--resume").code == 0
    assert kept.read_text() == "x\nx\nx\n"


# ---------------------------------------------------------------------------------------------------------------------
# What can be known is said before the work


@pytest.mark.parametrize("place", ["no folder", "folder", "read-only"])
@pytest.mark.parametrize("door", DOORS, ids=names)
def test_nothing_is_read_if_nothing_can_be_written(
    there: Path, monkeypatch: pytest.MonkeyPatch, door: Door, place: str
) -> None:
    """There is no such data, but that is not what is said: the data was not looked at."""
    data, out = there / "none", there / "place" / door.name
    if place == "folder":
        out.mkdir(parents=True)
    elif place == "read-only":
        out.parent.mkdir()
        monkeypatch.setattr(os, "access", lambda path, _: Path(path) != out.parent)
    words = {"no folder": "there is no folder", "folder": "it is a folder", "read-only": "its folder is read-only"}
    refused(run(*door.line(data, out, "--force")), f"{door.option} {out}: it cannot be written: {words[place]}")


# ---------------------------------------------------------------------------------------------------------------------
# A disk that is full at the end


def is_trained(path: Path) -> bool:
    return bool(load(path).classes_.tolist() == ["no", "yes"])


def usable(door: Door, path: Path) -> bool:
    """Is the content of the file what the command would have written?"""
    if door.kind is FileKind.MODEL:
        return is_trained(path)
    if door.kind is FileKind.CERTIFICATE:
        return Certificate.from_json(path.read_bytes()).claim == "strict"
    if door.option == "--keep":  # all rows are separated
        return path.read_text() == "x,y,kind\n"
    if door.kind is FileKind.TEXT:
        return path.read_text().split() == ["no", "no", "no", "yes"]
    return may_replace(path, door.kind) and path.stat().st_size > 1000


@pytest.mark.parametrize("door", AT_THE_END, ids=names)
def test_a_full_disk_costs_no_result(there: Path, monkeypatch: pytest.MonkeyPatch, door: Door) -> None:
    """The answer is printed, and the content is in a folder for temporary files, whose path is said."""
    (there / "full").mkdir()
    (there / "temporary").mkdir()
    data, out = made(there, AND, "rows"), there / "full" / door.name
    expected = run(*door.line(data, there / door.name))
    before = contents(there)
    monkeypatch.setattr(tempfile, "tempdir", str(there / "temporary"))
    with monkeypatch.context() as broken:
        fill(broken, there / "full")
        ended = run(*door.line(data, out))
    (kept,) = (there / "temporary").rglob(door.name)
    assert ended.code == 2
    assert f"error: {out}: it cannot be written: No space left on device. It is kept in {kept}.\n" in ended.err
    said, answer = (re.sub(r"^time .*$", "", text, flags=re.MULTILINE) for text in (ended.out, expected.out))
    assert said == answer.replace(str(there / door.name), str(kept))
    assert usable(door, kept)
    assert contents(there) == before | {str(kept.relative_to(there)): kept.read_bytes()}


@pytest.mark.parametrize("door", AT_THE_END, ids=names)
def test_a_file_that_came_meanwhile_is_not_replaced(there: Path, monkeypatch: pytest.MonkeyPatch, door: Door) -> None:
    """The content is kept beside it."""
    data, out = made(there, AND, "rows"), there / "place" / door.name
    out.parent.mkdir()
    monkeypatch.setattr(output_files, "_refuse_unwritable", lambda *_: None)  # it was not there yet
    out.mkdir()
    ended = run(*door.line(data, out))
    (kept,) = (path for path in out.parent.iterdir() if path != out)
    assert ended.code == 2
    assert f"error: {out}: it cannot be written: Is a directory. It is kept in {kept}.\n" in ended.err
    assert kept.name.startswith(out.stem)
    assert usable(door, kept)


def test_both_files_of_a_fit_are_kept(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, full = made(there, AND), there / "full"
    full.mkdir()
    (there / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there / "temporary"))
    fill(monkeypatch, full)
    ended = run("fit", data, "--out", full / "a.model", "--report", full / "a.html", "--json")
    (model,), (page,) = ((there / "temporary").rglob(f"a.{ending}") for ending in ("model", "html"))
    assert (ended.code, strict_json(ended.out)["model"]) == (2, str(model))
    assert ended.err.count("\n") == 1
    for path in (model, page):
        assert f"It is kept in {path}." in ended.err


def test_no_room_anywhere_is_said(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(monkeypatch)
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    ended = run("fit", made(there, AND), "--out", there / "new.model")
    assert ended.code == 2
    assert "mistakes" in ended.out
    assert f"No space left on device. There is no room in {there} to keep it either.\n" in ended.err
    assert sorted(os.listdir(there)) == ["data.csv", "model"]


def test_a_model_that_cannot_be_made_costs_no_report(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.models.save.MAX_HEADER_BYTES", 9)
    ended = run("fit", made(there, AND), "--out", there / "new.model", "--json")
    assert (ended.code, strict_json(ended.out)["model"]) == (2, None)
    assert ended.err.startswith("error: The names of columns or classes take more than 9 bytes.")


def test_a_report_that_cannot_be_printed_costs_no_page(there: Path) -> None:
    data = str(made(there, AND))
    line = [sys.executable, "-m", "rosenblatt.cli", "fit", data, "--out", "a.model", "--report", "a.html"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, cwd=there, text=True, check=False)
    assert ended.returncode == 2
    assert "No space left on device" in ended.stderr
    assert may_replace(there / "a.html", FileKind.REPORT)
    assert is_trained(there / "a.model")


# ---------------------------------------------------------------------------------------------------------------------
# kill -9

KILLED = """
import os, signal, sys
from pathlib import Path
call = sys.argv.pop(1)
def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
if call == "fsync": os.fsync = kill
else: Path.replace = kill
from rosenblatt.cli.main import main
main()
"""


@pytest.mark.parametrize(("door", "call"), covering(AT_THE_END, ["fsync", "replace"]), ids=names)
def test_killed_while_it_writes_the_old_file_is_whole(there: Path, door: Door, call: str) -> None:
    """Killed when all is written but not on the disk, and when the new file is about to get its name."""
    data, out = made(there, AND, "rows"), there / door.name
    assert run(*door.line(made(there, XOR.replace("even", "no").replace("odd", "yes"), "rows"), out)).code == 0
    made(there, AND, "rows")
    before = contents(there)
    line = [sys.executable, "-c", KILLED, call, *map(str, door.line(data, out, "--force"))]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    after = contents(there)
    (draft,) = (name for name in after if name not in before)
    assert draft.startswith(".rosenblatt-")
    assert {name: content for name, content in after.items() if name != draft} == before

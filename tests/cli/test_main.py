"""Tests of the whole command: help, errors, output streams and exit codes."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

import rosenblatt
from rosenblatt.cli import check_verdict
from rosenblatt.cli import main as cli

XOR = "x,y,kind\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n"
AND = "x,y,kind\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
HEAVY = ("numpy", "scipy", "numba", "sklearn", "pyarrow", "matplotlib", "flint", "safetensors", "pandas", "uvicorn")
MODULE = [sys.executable, "-m", "rosenblatt.cli"]
SCRIPT = [str(Path(sys.executable).with_name("rosenblatt"))]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def ends(arguments: Sequence[object], stdin: str | bytes, out: Any, err: Any) -> int:
    """Run the command in this process as the script does; return the exit code."""
    given = io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin))
    with (
        mock.patch.object(sys, "argv", ["rosenblatt", *map(str, arguments)]),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # else its name is that of the test runner
        mock.patch.object(sys, "stdin", given),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        cli.main()
    return end.value.code if isinstance(end.value.code, int) else 1


def run(*arguments: object, stdin: str | bytes = b"") -> Ended:
    out, err = io.StringIO(), io.StringIO()
    return Ended(ends(arguments, stdin, out, err), out.getvalue(), err.getvalue())


def made(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(ended: Ended, *words: str) -> None:
    """Assert exit code 2, no output, and one line on standard error that has these words."""
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert ended.err.endswith((".\n", "?\n"))
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def strict_json(text: str) -> Any:
    """Parse JSON, and refuse Infinity and NaN, which are not JSON."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def process(command: Sequence[str], *arguments: object) -> Ended:
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands and groups of commands, with their names."""
    command = get_command(cli.app) if command is None else command
    yield path, command
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, (*path, name))


PATHS = [path for path, _ in commands()]
LEAVES = [path for path, command in commands() if not hasattr(command, "commands")]


# ---------------------------------------------------------------------------------------------------------------------
# Help and version


def test_the_commands_are_those_that_were_promised() -> None:
    names = {path[0] for path in PATHS if path}
    assert names == {
        "fit",
        "predict",
        "check",
        "verify",
        "trace",
        "plot",
        "lab",
        "serve",
        "send",
        "data",
        "info",
        "compile",
    }
    assert {path[1] for path in PATHS if len(path) == 2} == {"list", "show", "write"}


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_help(path: tuple[str, ...]) -> None:
    ended = run(*path, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"Usage: {' '.join(['rosenblatt', *path])} " in ended.out
    assert ("Examples:" in ended.out) == (path in LEAVES)


@pytest.mark.parametrize("path", LEAVES, ids=str)
def test_every_command_answers_in_json(path: tuple[str, ...]) -> None:
    command = dict(commands())[path]
    assert "--json" in {name for option in command.params for name in option.opts}


@pytest.mark.parametrize("arguments", [[], ["data"]], ids=str)
def test_without_a_command_there_is_help(arguments: list[str]) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.err) == (2, "")
    assert "Commands" in ended.out


def test_version() -> None:
    assert run("--version") == Ended(0, f"rosenblatt {rosenblatt.__version__}\n", "")


def test_help_imports_nothing_heavy() -> None:
    """The help of every command, the version and usage errors are fast."""
    asked = [[*path, "--help"] for path in PATHS] + [["--version"], ["nonsense"]]
    code = f"""
import contextlib, os, sys
from rosenblatt.cli.main import main
for arguments in {asked}:
    sys.argv = ["rosenblatt", *arguments]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        with contextlib.suppress(SystemExit):
            main()
print(*(name for name in {HEAVY} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split() == []


# ---------------------------------------------------------------------------------------------------------------------
# Completion


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", ["_rosenblatt_completion() {", "complete -o default -F _rosenblatt_completion rosenblatt"]),
        ("zsh", ["#compdef rosenblatt", "compdef _rosenblatt_completion rosenblatt"]),
        ("fish", ["complete --command rosenblatt "]),
    ],
)
def test_the_script_for_a_shell(monkeypatch: pytest.MonkeyPatch, shell: str, words: list[str]) -> None:
    monkeypatch.setenv("_ROSENBLATT_COMPLETE", f"source_{shell}")
    ended = run()
    assert (ended.code, ended.err) == (0, "")
    for word in words:
        assert word in ended.out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rosenblatt ch", {"check"}),
        ("rosenblatt data w", {"write"}),
        ("rosenblatt check --ex", {"--expect"}),
        ("rosenblatt fit --algorithm po", {"pocket"}),
        ("rosenblatt fit --scale s", {"standardize", "standardise"}),
        ("rosenblatt plot --kind w", {"witness", "weights"}),
    ],
)
def test_what_is_completed(monkeypatch: pytest.MonkeyPatch, line: str, words: set[str]) -> None:
    monkeypatch.setenv("_ROSENBLATT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    ended = run()
    assert (ended.code, set(ended.out.split())) == (0, words)


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be: one sentence, and exit code 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["No such command 'nonsense'", "See rosenblatt --help."]),
        (["chek", "data.csv"], ["'chek'", "Did you mean 'check'?"]),
        (["data", "lst"], ["'lst'", "Did you mean 'list'?", "See rosenblatt data --help."]),
        (["--what"], ["--what", "See rosenblatt --help."]),
        (["check"], ["Missing argument 'DATA'", "See rosenblatt check --help."]),
        (["verify", "one"], ["Missing argument 'DATA'"]),
        (["check", "a.csv", "b.csv"], ["b.csv"]),
        (["check", "a.csv", "--what"], ["No such option: --what"]),
        (["check", "a.csv", "--taget", "kind"], ["--taget", "--target"]),
        (["check", "a.csv", "--target"], ["--target"]),
        (["check", "a.csv", "--expect", "strickt"], ["--expect", "'strickt'", "'strict', 'weak', 'overlap'"]),
        (["check", "a.csv", "--time-limit", "soon"], ["--time-limit", "number"]),
        (["fit"], ["Missing argument 'DATA'", "See rosenblatt fit --help."]),
        (["fit", "a.csv", "--algorithm", "pockt"], ["--algorithm", "'pockt'", "'pocket'"]),
        (["fit", "a.csv", "--cv", "1"], ["--cv", "2"]),
        (["fit", "a.csv", "--passes", "0"], ["--passes", "1"]),
        (["fit", "a.csv", "--json=yes"], ["--json"]),
        (["plot", "a.csv"], ["Missing option '--out'"]),
        (["plot", "a.csv", "--out", "a.png", "--width", "1e9"], ["--width"]),
        (["data", "show"], ["Missing argument"]),
    ],
    ids=str,
)
def test_wrong_usage(arguments: list[str], words: list[str]) -> None:
    refused(run(*arguments), *words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "none.csv"],
        ["verify", "none.json", "none.csv"],
        ["fit", "none.csv"],
        ["fit", "none.csv", "--stream"],
        ["predict", "none.model", "none.csv"],
        ["trace", "none.csv"],
        ["plot", "none.csv", "--out", "none.png"],
        ["plot", "none.csv", "--model", "none.model", "--out", "none.png"],
        ["lab", "none.csv"],
        ["lab", "none.json"],
        ["info", "none.csv"],
        ["info", "none"],
        ["info", "none.model"],
    ],
    ids=str,
)
def test_no_such_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run(*arguments), "error: none", ": there is no such file.")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("command", [["check"], ["fit"], ["fit", "--stream"], ["trace"], ["plot", "--out", "a.png"]])
def test_the_nearest_column_is_suggested(tmp_path: Path, command: list[str]) -> None:
    asked = [*command, made(tmp_path, XOR), "--target", "knd"]
    refused(run(*asked), "data.csv: there is no column 'knd'", "'x', 'y', 'kind'", "Did you mean 'kind'?")


@pytest.mark.parametrize("command", [["check"], ["fit"], ["fit", "--stream"], ["trace"], ["plot", "--out", "a.png"]])
def test_a_column_that_is_no_label(tmp_path: Path, command: list[str]) -> None:
    """A column of fractions holds measurements, not labels."""
    refused(run(*command, made(tmp_path, "x,y\n1,0.25\n2,0.5\n3,0.75\n")), "data.csv", "a label", "a number to predict")


@pytest.mark.parametrize("command", [["check"], ["fit"], ["trace"], ["plot", "--out", "a.png"]])
def test_a_column_of_names_is_no_label(tmp_path: Path, command: list[str]) -> None:
    rows = "".join(f"{i},{i % 2},person{i}\n" for i in range(300))
    refused(run(*command, made(tmp_path, f"age,ill,name\n{rows}")), "data.csv", "300 different values", "--target")


cells = st.sampled_from(["0", "1", "-2.5", "3", "1e300", "a", "b", "", "nan", "é", '"', "1_0", "9" * 20])
tables = st.integers(1, 4).flatmap(lambda d: st.lists(st.lists(cells, min_size=d, max_size=d), max_size=6))


@given(st.sampled_from(["check", "fit", "trace", "info"]), tables)
def test_whatever_a_file_holds(tmp_path_factory: pytest.TempPathFactory, command: str, table: list[list[str]]) -> None:
    """The command gives an answer, or one sentence that says why it cannot."""
    text = "".join(",".join(row) + "\n" for row in table)
    ended = run(command, made(tmp_path_factory.mktemp("any"), text))
    if ended.code:
        refused(ended, "data.csv")
    else:
        assert ended.out


# ---------------------------------------------------------------------------------------------------------------------
# Where an error comes from


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("arguments", [["check", "none.csv"], ["chek", "none.csv"]], ids=str)
def test_debug_stands_anywhere_and_shows_it(arguments: list[str], place: int) -> None:
    quiet = run(*arguments)
    ended = run(*arguments[:place], "--debug", *arguments[place:])
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Traceback (most recent call last):\n")
    assert ended.err.endswith(quiet.err)
    refused(quiet)


def test_debug_changes_no_answer(tmp_path: Path) -> None:
    path = made(tmp_path, AND)
    assert run("check", path, "--debug") == run("check", path)


# ---------------------------------------------------------------------------------------------------------------------
# Stopped, or not listened to


def test_stopped_by_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of an interrupted process."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check_verdict, "labelled_rows", interrupted)
    path = made(tmp_path, XOR)
    assert run("check", path) == Ended(130, "", "stopped.\n")


def test_an_interrupt_from_the_keyboard() -> None:
    """A signal during reading stops the command at once."""
    code = """
import os, signal, sys
from rosenblatt.cli import main
from rosenblatt.cli import check_verdict
def interrupted(*_):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("it went on")
check_verdict.labelled_rows = interrupted
sys.argv = ["rosenblatt", "check", "-"]
main.main()
"""
    assert process([sys.executable, "-c", code]) == Ended(130, "", "stopped.\n")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "-"]], ids=str)
def test_a_reader_who_has_read_enough(arguments: list[str]) -> None:
    """`rosenblatt ... | head -1` prints no traceback, and does not exit with the code of a false claim."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*MODULE, *arguments], input=AND.encode(), stdout=writing, stderr=subprocess.PIPE, timeout=300, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")  # 128 + SIGPIPE


class Full(io.StringIO):
    """A device that is full."""

    def write(self, _: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("arguments", [["data", "list"], ["check"], ["check", "--json"], ["trace"], ["fit"]], ids=str)
def test_an_answer_that_cannot_be_written(tmp_path: Path, arguments: list[str]) -> None:
    out, err = Full(), io.StringIO()
    files = [made(tmp_path, AND)] * (arguments[0] != "data")
    code = ends([*arguments, *files], b"", out, err)
    refused(Ended(code, out.getvalue(), err.getvalue()), "No space left on device")


@pytest.mark.parametrize("command", [["check"], ["check", "--expect", "weak"], ["fit"], ["trace"], ["info"]], ids=str)
def test_without_standard_output(tmp_path: Path, command: list[str]) -> None:
    """A process may have no standard output. Its exit code is an answer too."""
    err = io.StringIO()
    assert ends([*command, made(tmp_path, AND)], b"", None, err) == int("weak" in command)
    assert err.getvalue() == ""


# ---------------------------------------------------------------------------------------------------------------------
# What goes where


@pytest.mark.parametrize("command", ["check", "fit", "trace", "info"])
def test_quiet_and_plain_where_nobody_sees_it(tmp_path: Path, command: str) -> None:
    ended = run(command, made(tmp_path, AND))
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    assert max(map(len, ended.out.splitlines()[1:])) <= 120  # the answer is one line, with the name of the file


def test_the_script_and_its_exit_codes(tmp_path: Path) -> None:
    data, other, cert = made(tmp_path, XOR), made(tmp_path, AND, "and.csv"), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    verified, false = process(SCRIPT, "verify", cert, data), process(SCRIPT, "verify", cert, other)
    assert (verified.code, verified.out.split()[0], verified.err) == (0, "verified:", "")
    assert (false.code, false.out.split()[0], false.err) == (1, "refused:", "")
    refused(process(SCRIPT, "verify", cert, tmp_path / "none.csv"), "none.csv: there is no such file")


def test_the_checker_needs_no_searches(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    code = f"""
import contextlib, sys
from rosenblatt.cli.main import main
sys.argv = ["rosenblatt", "verify", {str(cert)!r}, {str(data)!r}]
with contextlib.suppress(SystemExit):
    main()
print(*(name for name in ("numba", "sklearn", "rosenblatt.proof.decide", "rosenblatt.rules") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    *_, imported = done.stdout.split("\n")[:-1]
    assert (done.stdout.startswith("verified: overlap\n"), imported) == (True, "")

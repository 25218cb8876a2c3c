"""Tests of the documentation: every command in it runs, and every option is documented and exists."""

import itertools
import re
import shlex
import webbrowser
from pathlib import Path
from typing import Any, Self, get_args

import pytest

from rosenblatt.cli import compile_jobs, signals
from rosenblatt.cli import main as cli
from rosenblatt.client import client
from rosenblatt.client.calls import Learned
from rosenblatt.lab.web import server
from rosenblatt.service.http import serving
from tests.cli.test_main import LEAVES, Ended, commands, run
from tests.support.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
COMMANDS = dict(commands())
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
DATA = [
    ("iris", "iris.csv"),
    ("and", "and.csv"),
    ("berkeley_points", "berkeley.csv"),
    ("sparse_text", "clicks.svm"),
    ("sparse_text", "wide.svm"),
]
#: Commands need files that the commands before them write.
ORDER = ["data", "check", "verify", "fit", "predict", "trace", "plot", "lab", "serve", "send", "info"]


def options(command: Any) -> set[str]:
    return {name for option in command.params if option.param_type_name == "option" for name in names(option)}


def names(option: Any) -> list[str]:
    return [*option.opts, *option.secondary_opts]


EVERY = {"--help"}.union(*map(options, COMMANDS.values()))


# ---------------------------------------------------------------------------------------------------------------------
# What is run


def console_lines(page: Path) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line for line in lines if "rosenblatt " in line]


def examples(command: Any) -> list[str]:
    """The paragraphs under "Examples:" in the help."""
    _, _, text = command.help.partition("Examples:\n")
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def lines_to_run() -> list[str]:
    """All command lines, each once; commands that write a file come before those that need it."""
    found = itertools.chain(*map(console_lines, PAGES), *(examples(COMMANDS[path]) for path in LEAVES))
    return sorted(dict.fromkeys(found), key=lambda line: ORDER.index(verb(line)) if verb(line) in ORDER else -1)


def verb(line: str) -> str:
    return line.split("rosenblatt ")[-1].split()[0]


def run_line(line: str) -> Ended:
    """Run a shell line: commands joined by |, with < FILE and > FILE."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    ended = Ended(0, "", "")
    for is_pipe, stage in itertools.groupby(words, lambda word: word == "|"):
        if not is_pipe:
            ended = run_stage(list(stage), ended.out.encode())
    return ended


def run_stage(words: list[str], given: bytes) -> Ended:
    files = {sign: words[words.index(sign) + 1] for sign in ("<", ">") if sign in words}
    program, *arguments = itertools.takewhile(lambda word: word not in ("<", ">"), words)
    assert program == "rosenblatt"
    ended = run(*arguments, stdin=Path(files["<"]).read_bytes() if "<" in files else given)
    if ">" in files:
        Path(files[">"]).write_text(ended.out, encoding="utf-8")
    return ended


class FakeClient:
    """A service that learns from everything, and is never wrong."""

    def __init__(self, address: str, *, token: str | None) -> None:
        assert (address, token) == ("http://127.0.0.1:8959", None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def model(self, _: str) -> dict[str, Any]:
        return {"columns": None}

    def send(self, _: str, text: bytes) -> list[Learned]:
        return [Learned("spam", False, 1)] * len(text.splitlines())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data files of the examples."""
    monkeypatch.chdir(tmp_path)
    for name, file in DATA:
        assert run("data", "write", name, file).code == 0
    Path("examples.jsonl").write_text('{"x": {"offer": 1}, "y": "spam"}\n')
    Path("tokens.txt").write_text(f"admin {'t' * 20}\n")
    Path("tokens.txt").chmod(0o600)
    for name in ("cert.pem", "key.pem"):
        Path(name).touch()
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_every_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands run in one folder, one after the other. Servers return at once, and no rules are compiled."""
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    monkeypatch.setattr(server, "serve", lambda _, __, started: started())
    monkeypatch.setattr(serving, "serve", lambda *given: given[-1]())
    monkeypatch.setattr(client, "Client", FakeClient)
    monkeypatch.setattr(compile_jobs, "run_all", lambda: 0)
    ended = {line: run_line(line) for line in lines_to_run()}
    assert {line: end.err for line, end in ended.items() if end.code != 0} == {}
    assert [line for line, end in ended.items() if not end.out + end.err] == []


def test_there_is_something_to_run() -> None:
    assert all(console_lines(page) for page in (ROOT / "README.md", ROOT / "docs" / "command.md"))
    assert all(examples(COMMANDS[path]) for path in LEAVES)
    assert {verb(line) for line in lines_to_run()} >= set(ORDER)


@pytest.mark.parametrize("path", LEAVES, ids=str)
def test_examples_are_of_their_command_and_shown(path: tuple[str, ...]) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m|\s", "", run(*path, "--help").out)
    for example in examples(COMMANDS[path]):
        assert example.startswith(" ".join(["rosenblatt", *path]))
        assert re.sub(r"\s", "", example) in shown


@pytest.mark.usefixtures("folder")
def test_what_the_readme_quotes_is_what_is_said() -> None:
    """The quoted text, up to each `...`, is the output of the command before it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quotes = re.findall(r"^\$ (rosenblatt check [^\n]*)\n```\n[^>`]*\n((?:>[^\n]*\n)+)", text, re.MULTILINE)
    assert quotes
    for line, quote in quotes:
        said = " ".join(run_line(line).out.split())
        for part in " ".join(quote.replace(">", " ").split()).split("..."):
            assert part.strip() in said


# ---------------------------------------------------------------------------------------------------------------------
# What is named


def section(name: str) -> str:
    """The section about a command; for "", the part before all sections."""
    first, *others = re.split(r"^## ", COMMAND, flags=re.MULTILINE)
    return first if not name else next(part for part in others if part.startswith(f"{name}\n"))


@pytest.mark.parametrize("path", [path for path in COMMANDS if path], ids=str)
def test_every_command_is_documented(path: tuple[str, ...]) -> None:
    assert f"`{path[0]}`" in section("")
    assert f"$ {' '.join(['rosenblatt', *path])}" in section(path[0]) or path == ("data",)


@pytest.mark.parametrize("path", COMMANDS, ids=str)
def test_every_option_is_documented(path: tuple[str, ...]) -> None:
    known = set(OPTION.findall(section("") + (section(path[0]) if path else "")))
    assert options(COMMANDS[path]) <= known


@pytest.mark.parametrize("path", LEAVES, ids=str)
def test_every_choice_is_documented(path: tuple[str, ...]) -> None:
    text = section(path[0]) + (section("fit") if path == ("plot",) else "")  # --algorithm is that of fit
    for option in COMMANDS[path].params:
        for choice in get_args(option.type_descriptor.annotation):
            if isinstance(choice, str):
                assert f"`{choice}`" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_that_is_named_exists(page: Path) -> None:
    """Options in the text must exist. Options in command lines are tested by running them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert set(OPTION.findall(text)) <= EVERY


@pytest.mark.parametrize("name", ORDER)
def test_the_options_of_a_section_are_those_of_its_command(name: str) -> None:
    own = {"--help"}.union(*(options(command) for path, command in COMMANDS.items() if path[:1] == (name,)))
    rows = re.findall(r"^\| (`--[^|]*) \|", section(name), re.MULTILINE)
    assert {option for row in rows for option in OPTION.findall(row)} <= own


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_named_exists(page: Path) -> None:
    for words in re.findall(r"`rosenblatt ([a-z][^`]*)`", page.read_text(encoding="utf-8")):
        first = tuple(itertools.takewhile(str.isalpha, words.split()))
        assert any(first[: len(path)] == path for path in LEAVES) or first == ("data",)


def test_every_exit_code_is_documented() -> None:
    table = re.search(r"^\| exit code .*?\n\n", COMMAND, re.MULTILINE | re.DOTALL)
    assert table is not None
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", table[0], re.MULTILINE)] == [
        0,
        1,
        2,
        cli.DEFECT,
        signals.STOPPED,
        cli.PIPE_CLOSED,
        signals.TERMINATED,
    ]
    shown = " ".join(run("--help").out.split())
    for words in ("0 success", "1 a claim is false or undecided", "2 bad input"):
        assert words in shown

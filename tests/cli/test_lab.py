"""Tests of `rosenblatt lab`: the address it prints, the board it opens, and how it stops."""

import os
import re
import signal
import subprocess
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from rosenblatt.data.files import lab_board as board
from rosenblatt.data.files.lab_board import Board
from rosenblatt.lab.web import server
from rosenblatt.web.guard import HOST
from rosenblatt.web.serving import listen
from tests.cli.test_main import AND, MODULE, Ended, made, refused, run, strict_json
from tests.support.browser import started

PATIENCE = 300.0  # seconds; the first start on a machine compiles the kernels
SIDE_BY_SIDE = "x,y,z,kind\n0,0,5,no\n0,1,6,no\n1,0,7,no\n1,1,8,yes\n"


class Served(NamedTuple):
    """The arguments of a call of the server."""

    port: int
    start: str


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """Replace the server by one that records its arguments and returns at once."""
    asked: list[Served] = []

    def serve(listening: Any, start: str, started: Any) -> None:
        asked.append(Served(listening.getsockname()[1], start))
        started()

    monkeypatch.setattr(server, "serve", serve)
    return asked


def board_of(served: list[Served]) -> Board:
    assert served[0].start.startswith("/#board=")
    return Board.from_link(served[0].start[1:])


# ---------------------------------------------------------------------------------------------------------------------
# Where it is


def test_the_address_is_said(served: list[Served]) -> None:
    ended = run("lab", "--port", 0, "--no-browser")
    ((port, start),) = served
    assert ended == Ended(0, f"lab: http://127.0.0.1:{port}/  (press Ctrl-C to stop)\n", "")
    assert start == "/"


def test_the_address_as_json(served: list[Served]) -> None:
    ended = run("lab", "--port", 0, "--no-browser", "--json")
    port = served[0].port
    assert (ended.code, ended.err) == (0, "")
    assert strict_json(ended.out) == {"address": f"http://127.0.0.1:{port}/", "port": port}


def test_a_port_that_is_taken(served: list[Served]) -> None:
    with listen(HOST, 0) as other:
        port = other.getsockname()[1]
        ended = run("lab", "--port", port, "--no-browser")
    free = served[0].port
    assert free != port
    assert ended.out.startswith(f"lab: http://127.0.0.1:{free}/ ")
    assert ended.err == f"note: port {port} is in use or reserved, so the lab uses port {free}.\n"


@pytest.mark.parametrize("is_wanted", [True, False])
def test_the_browser_is_opened_unless_it_is_not_wanted(
    tmp_path: Path, served: list[Served], monkeypatch: pytest.MonkeyPatch, is_wanted: bool
) -> None:
    """With a file, the browser opens the address that leads to its board."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    before = threading.enumerate()
    run("lab", made(tmp_path, AND), "--port", 0, *["--no-browser"] * (not is_wanted))
    for thread in set(threading.enumerate()) - set(before):
        thread.join()
    assert opened == [f"http://127.0.0.1:{served[0].port}/start"] * is_wanted


# ---------------------------------------------------------------------------------------------------------------------
# What it opens


def test_data_as_a_board(tmp_path: Path, served: list[Served]) -> None:
    assert run("lab", made(tmp_path, AND), "--port", 0, "--no-browser").code == 0
    shown = board_of(served)
    assert (shown.names, shown.classes) == (("x", "y"), ("no", "yes"))
    assert shown.points == ((0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1))


@pytest.mark.parametrize("columns", ["z,x", "2,0"])
def test_two_columns_of_more(tmp_path: Path, served: list[Served], columns: str) -> None:
    run("lab", made(tmp_path, SIDE_BY_SIDE), "--columns", columns, "--port", 0, "--no-browser")
    shown = {name: [point[j] for point in board_of(served).points] for j, name in enumerate(board_of(served).names)}
    assert shown == {"x": [0, 0, 1, 1], "z": [5, 6, 7, 8]}


def test_another_target(tmp_path: Path, served: list[Served]) -> None:
    data = made(tmp_path, "kind,x,y\nb,0,1\na,2,3\n")
    run("lab", data, "--target", "kind", "--port", 0, "--no-browser")
    assert board_of(served).points == ((0, 1, 1), (2, 3, 0))


def test_foreign_text_with_gaps(tmp_path: Path, served: list[Served]) -> None:
    data = made(tmp_path, "x;y;kind\n0,5;1;b\n;7;a\n2,5;3;a\n")
    refused(run("lab", data, "--no-browser"), "line 3, column 'x'", "--missing drop leaves out the rows with gaps")
    ended = run("lab", data, "--missing", "drop", "--port", 0, "--no-browser")
    assert board_of(served).points == ((0.5, 1, 1), (2.5, 3, 0))
    assert "was read with semicolons between cells, decimal commas" in ended.err
    assert "1 of 3 rows have gaps and were left out" in ended.err
    given = ["--missing", "drop", "--delimiter", "semicolon", "--decimal", "comma"]
    assert "decimal commas" not in run("lab", data, *given, "--port", 0, "--no-browser").err
    assert served[0].start == served[1].start


def test_sparse_data(tmp_path: Path, served: list[Served]) -> None:
    run("lab", made(tmp_path, "-1 1:3\n1 2:4\n", "data.svm"), "--port", 0, "--no-browser")
    assert board_of(served).points == ((3, 0, 0), (0, 4, 1))


def test_a_board_that_the_lab_has_saved(tmp_path: Path, served: list[Served]) -> None:
    saved = Board(
        names=("a", "b"),
        points=((0.5, -1, 0), (2, 3, 1)),
        gaussians=((0, 0, 1, 0, 0, 1, 1),),
        panes=(board.Pane("pocket", {"order": "shuffled"}), board.Pane()),
        step=3,
    )
    run("lab", made(tmp_path, saved.to_json(), "lab.json"), "--port", 0, "--no-browser")
    assert board_of(served) == saved


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        ("data.csv", SIDE_BY_SIDE, [], ["data.csv: the lab shows two columns", "3: 'x', 'y', 'z'", "--columns"]),
        ("data.csv", "x,kind\n1,a\n2,b\n", [], ["data.csv: the lab shows two columns", "1: 'x'"]),
        ("data.csv", SIDE_BY_SIDE, ["--columns", "x,what"], ["data.csv", "'what'"]),
        ("data.csv", AND, ["--target", "knd"], ["Did you mean 'kind'?"]),
        ("data.csv", "x,y,kind\n" + "1,2,a\n" * 2001, [], ["data.csv", "2,000", "2,001"]),
        ("data.csv", "x,y,kind\n1,2,a\n1e300,2,b\n", [], ["data.csv", "points[1][0]"]),
        ("data.csv", "x,y,kind\n" + "".join(f"1,2,{k}\n" for k in "abcdefg"), [], ["data.csv: classes", "6", "7"]),
        ("lab.json", "{", [], ["lab.json: "]),
        ("lab.json", "[]", [], ["lab.json: "]),
        ("lab.json", '{"rosenblatt_lab": 2}', [], ["lab.json: ", "'rosenblatt_lab'"]),
        ("lab.json", "{}", ["--columns", "a,b"], ["lab.json: ", "--columns is for data files"]),
        ("lab.json", "{}", ["--encoding", "latin-1"], ["lab.json: ", "--encoding is for data files"]),
        ("data.csv", AND, ["--port", "65536"], ["--port", "65535"]),
        ("data.csv", AND, ["--port", "http"], ["--port"]),
    ],
    ids=range(14),
)
def test_what_cannot_be_shown(
    tmp_path: Path, served: list[Served], name: str, text: str, options: list[str], words: list[str]
) -> None:
    refused(run("lab", made(tmp_path, text, name), *options, "--no-browser"), *words)
    assert served == []


def test_bytes_that_are_no_text(tmp_path: Path, served: list[Served]) -> None:
    (tmp_path / "lab.json").write_bytes(b'{"rosenblatt_lab": "\xff"}')
    refused(run("lab", tmp_path / "lab.json", "--no-browser"), "lab.json: byte 20 is not UTF-8")
    assert served == []


@pytest.mark.parametrize("part", ["starlette.applications", "uvicorn"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setitem(sys.modules, part, None)
    for module in ("rosenblatt.lab.web.server", "rosenblatt.web.serving"):
        monkeypatch.delitem(sys.modules, module)
        monkeypatch.delattr(module)
    refused(run("lab", "--no-browser"), "The lab needs an optional part: pip install 'rosenblatt[serve]'")


# ---------------------------------------------------------------------------------------------------------------------
# The whole of it


def test_from_start_to_end(tmp_path: Path) -> None:
    """Get the page, one of its files and a job; then send SIGINT to the process group, as a terminal does."""
    asked = [*MODULE, "lab", str(made(tmp_path, AND)), "--port", "0", "--no-browser"]
    with started(asked, subprocess.PIPE) as process:
        assert process.stdout is not None
        found = re.fullmatch(
            r"lab: (http://127\.0\.0\.1:\d+)/start  \(press Ctrl-C to stop\)\n", process.stdout.readline()
        )
        assert found is not None
        with httpx.Client(base_url=found[1], timeout=PATIENCE) as client:
            start = client.get("/start").headers["location"]
            assert "<html" in client.get("/").text
            shown = Board.from_link(start)
            verdict = client.post("/api/verdict", json={"board": shown.document()})
            assert (verdict.status_code, verdict.json()["kind"]) == (200, "strict")
            assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)  # until nobody holds the pipes: no child is left
    assert (process.returncode, out, err) == (0, "", "")


def test_the_script_starts_workers_too(lab: str) -> None:
    """Worker processes import the file of the command. The fixture checks how the process ends."""
    answered = httpx.post(f"{lab}api/data", json={"name": "xor"}, timeout=PATIENCE)
    assert (answered.status_code, len(answered.json()["board"]["points"])) == (200, 4)


def test_the_limit_of_a_request_is_that_of_a_board(lab: str) -> None:
    assert httpx.get(f"{lab}api/catalogue").json()["limits"]["bytes"] == server.MAX_REQUEST_BYTES

"""Edge cases of the command: early errors, charts that fail, signals, and readers that must agree."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.classifiers.perceptron import Averaged
from rosenblatt.cli import check_verdict, fit_pipeline, signals
from rosenblatt.cli.main import DEFECT
from rosenblatt.report import charts as report_charts
from tests.cli.test_main import AND, XOR, made, refused, run, strict_json


def test_an_error_that_nobody_expected_is_no_false_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its own exit code, because 1 means that a certificate was refused."""

    def broken(*_: Any) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(check_verdict, "labelled_rows", broken)
    ended = run("check", made(tmp_path, AND))
    assert (ended.code, ended.out) == (DEFECT, "")
    assert "RuntimeError: out of order" in ended.err
    assert ended.err.endswith("please report it.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "--out", "no/model"],
        ["fit", "--report", "no/page.html"],
        ["check", "--cert", "no/cert.json"],
        ["trace", "--animate", "no/steps.gif"],
        ["plot", "--out", "no/picture.png"],
    ],
    ids=str,
)
def test_a_folder_that_is_not_there_is_said_before_the_work(tmp_path: Path, arguments: list[str]) -> None:
    command, option, file = arguments
    ended = run(command, made(tmp_path, AND), option, tmp_path / file)
    refused(ended, "it cannot be written: there is no folder")


def test_a_chart_that_fails_does_not_cost_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> None:
        raise ValueError("beyond the axes")

    monkeypatch.setattr(report_charts, "CHARTS", (("margins", broken), *report_charts.CHARTS[3:]))
    page = tmp_path / "page.html"
    assert run("fit", made(tmp_path, AND), "--report", page).code == 0
    assert "The chart of the margins could not be drawn: beyond the axes" in page.read_text()


def test_numbers_at_the_end_of_floats_have_a_report(tmp_path: Path) -> None:
    data = made(tmp_path, "x,y,kind\n1e300,1,a\n-1e300,2,b\n1e299,1,a\n-1e299,3,b\n")
    assert run("fit", data, "--algorithm", "perceptron", "--report", tmp_path / "page.html").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_was_ignored_stays_so(number: signal.Signals) -> None:
    old = signal.signal(number, signal.SIG_IGN)
    try:
        with signals.ends_in_order(), signals.first_interrupt() as stopping:
            signal.raise_signal(number)
            assert not stopping()
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, old)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_stops_at_once(number: signal.Signals) -> None:
    before = signal.getsignal(number)

    def twice() -> None:
        with signals.ends_in_order(), signals.first_interrupt() as stopping:
            signal.raise_signal(number)
            assert stopping()
            signal.raise_signal(number)

    with pytest.raises((KeyboardInterrupt, SystemExit)) as ended:
        twice()
    assert getattr(ended.value, "code", None) == (signals.TERMINATED if number == signal.SIGTERM else None)
    assert signal.getsignal(number) is before


def test_sigterm_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a cache is written, and a certificate."""
    path = made(tmp_path, AND)
    monkeypatch.setattr(Averaged, "learn", lambda *_: signal.raise_signal(signal.SIGTERM))
    ended = run("fit", path, "--stream", "--cache")
    assert (ended.code, ended.out, ended.err) == (signals.TERMINATED, "", "stopped.\n")
    monkeypatch.setattr(os, "fsync", lambda _: signal.raise_signal(signal.SIGTERM))
    assert run("check", path, "--cert", tmp_path / "cert.json").code == signals.TERMINATED
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("words", [("true", "false"), ("True", "False"), ("yes", "no"), ("1", "0")])
def test_the_command_on_the_page_verifies_whatever_the_labels_are(tmp_path: Path, words: tuple[str, str]) -> None:
    """`fit` and `verify` read the file with different code. Both must find the same labels."""
    yes, no = words
    data = made(tmp_path, f"x,kind\n0,{no}\n1,{no}\n3,{yes}\n5,{yes}\n")
    cert = tmp_path / "cert.json"
    found = fit_pipeline.fit_in_memory(
        fit_pipeline.FitRequest("auto", None, 0, {}, None, None, None, prove=True),
        [str(data)],
        {"target": None, "columns": None, "categories": (), "hash_bits": None, "missing": None, "format": None},
    )
    assert found.verdict is not None
    assert found.verdict.certificate is not None
    cert.write_text(found.verdict.certificate.to_json())
    assert found.check == str(data)
    assert run("verify", cert, data).code == 0


def test_numbers_that_fit_has_rounded_are_not_offered_for_verification(tmp_path: Path) -> None:
    data = made(tmp_path, f"x,kind\n{2**53},a\n{2**53 + 1},b\n0,a\n{2**54},b\n")
    page = tmp_path / "page.html"
    ended = run("fit", data, "--report", page)
    assert "were rounded to floats" in ended.err
    assert "rosenblatt verify" not in page.read_text()


@pytest.mark.parametrize("option", [["--columns", "0"], ["--algorithm", "pocket"], ["--set", "C=1"]], ids=str)
def test_options_that_a_model_leaves_no_room_for(tmp_path: Path, option: list[str]) -> None:
    data, model = made(tmp_path, AND), tmp_path / "model"
    assert run("fit", data, "--out", model).code == 0
    refused(run("plot", data, "--model", model, "--out", tmp_path / "p.png", *option), "leave --model out")


@pytest.mark.parametrize("option", [["--every", 5], ["--every-rows", 5], ["--chunk-bytes", 99]], ids=str)
def test_options_of_streams_are_not_ignored(tmp_path: Path, option: list[Any]) -> None:
    refused(run("fit", made(tmp_path, AND), *option), f"{option[0]} is for streams")


def test_two_classes_are_asked_about_alone(tmp_path: Path) -> None:
    """The certificate refers to the rows of all classes, because `verify` reads all of them."""
    data = made(tmp_path, "x,kind\n0,a\n1,b\n2,a\n9,c\n8,c\n")
    cert = tmp_path / "cert.json"
    answer = strict_json(run("check", data, "--classes", "c,a", "--cert", cert, "--json").out)
    assert (answer["kind"], answer["pairs"]) == ("strict", [])
    assert answer["margin_bounds"] == pytest.approx([3, 3])
    assert run("verify", cert, data).code == 0
    assert strict_json(run("check", data, "--classes", "a,b", "--json").out)["kind"] == "overlap"


def test_no_label_steers_the_terminal(tmp_path: Path) -> None:
    data = made(tmp_path, "x\x1b[2J,kind\n0,a\x1b[31m\n1,b\n")
    for command in ("trace", "check", "fit", "info"):
        ended = run(command, data)
        assert ended.code == 0
        assert "\x1b" not in ended.out


def test_what_separates_a_line_is_found(tmp_path: Path) -> None:
    data = made(tmp_path, "x;kind\n0;a\n1;b\n")
    for command in ("check", "fit"):
        ended = run(command, data)
        assert (ended.code, "was read with semicolons between cells" in ended.err) == (0, True)
        refused(run(command, data, "--delimiter", ","), "separated by ','", "say --delimiter")


def test_a_file_called_minus_is_not_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, "nonsense", "-")
    assert strict_json(run("fit", "-", "--json", stdin=XOR.encode()).out)["rows"] == 4


def test_rows_wider_than_a_page_are_rows(tmp_path: Path) -> None:
    row = {f"column {j}": j for j in range(900)}
    path = made(tmp_path, "".join(json.dumps(row | {"kind": kind}) + "\n" for kind in "ab"), "wide.jsonl")
    facts = strict_json(run("info", path, "--json").out)
    assert (facts["kind"], facts["rows"], facts["columns"]) == ("data", 2, 900)


@pytest.mark.parametrize(
    "command",
    [["check"], ["fit"], ["trace"], ["plot", "--out", "a.png"], ["verify", "c.json"], ["predict", "m.model"]],
    ids=lambda command: command[0],
)
def test_a_missing_file_is_said_before_anything_slow_is_imported(command: list[str], tmp_path: Path) -> None:
    script = "import sys; from rosenblatt.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    made(tmp_path, "{}", "c.json")
    ended = subprocess.run(
        [sys.executable, "-c", script, *command, "no.csv"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (ended.returncode, ended.stderr) == (2, "error: no.csv: there is no such file.\n")
    assert not {"numpy", "scipy", "sklearn", "numba", "pyarrow", "pandas"} & set(ended.stdout.split())

"""The command: what it prints, what it writes, and how it ends."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from rosenblatt import Certificate, cli, write
from rosenblatt.cli import app

XOR = "x,y,kind\n0,0,even\n1,1,even\n0,1,odd\n1,0,odd\n"
AND = "x,y,kind\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
WEAK = "x,kind\n0,low\n1,low\n1,high\n3,high\n"
THREE = "x,y,kind\n1,0,a\n0,1,b\n-1,-1,c\n"


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, as the script calls it."""

    def ended(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["rosenblatt", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        code = end.value.code
        return Ended(code if isinstance(code, int) else 0 if code is None else 1, *capsys.readouterr())

    return ended


def made(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(ended: Ended, *words: str) -> None:
    """Exit code 2, nothing on standard output, one line on standard error with these words."""
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert ended.err.endswith(".\n")
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def strict_json(text: str) -> Any:
    """Without Infinity and NaN, which are not JSON."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (AND, "strict", "Strictly separable"),
        (XOR, "overlap", "two crossing segments"),
        (WEAK, "weak", "quasi-complete"),
        (THREE, "strict", "Pair by pair"),
    ],
)
def test_check_prints_the_kind_first(tmp_path: Path, text: str, kind: str, words: str) -> None:
    result = CliRunner().invoke(app, ["check", str(made(tmp_path, text))])
    assert result.exit_code == 0
    assert result.stdout.split()[0] == kind
    assert words in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        (XOR, "data.csv", []),
        (XOR, "data.csv", ["--target", "kind"]),
        (XOR, "data.csv", ["--target", "2"]),
        (XOR, "data.csv", ["--target", "-1"]),
        (XOR.replace(",", "\t"), "data.tsv", []),
        ("\ufeff" + XOR.replace("\n", "\r\n"), "data.csv", []),
        ("kind,x,y\neven,0,0\neven,1,1\nodd,0,1\nodd,1,0\n", "data.csv", ["--target", "kind"]),
        ("0,0,0\n1,1,0\n0,1,1\n1,0,1\n", "data.csv", []),
        ("-1 1:0 2:0\n-1 1:1 2:1\n1 2:1\n1 1:1\n", "data.svm", []),
    ],
)
def test_xor_in_every_form(tmp_path: Path, run: Run, text: str, name: str, options: list[str]) -> None:
    ended = run("check", made(tmp_path, text, name), *options)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.split()[0] == "overlap"
    assert "rows 0 and 1" in ended.out
    assert "rows 2 and 3" in ended.out


def test_integers_beyond_floats(tmp_path: Path, run: Run) -> None:
    text = f"x,kind\n{2**53},a\n{2**53 + 1},b\n"
    assert run("check", made(tmp_path, text)).out.startswith("strict")


def test_huge_integers(tmp_path: Path, run: Run) -> None:
    """Their distance is no float; JSON has no word for infinity."""
    path = made(tmp_path, f"x,kind\n-{10**400},a\n{10**400},b\n")
    assert run("check", path).out.startswith("strict")
    ended = run("check", path, "--json")
    assert strict_json(ended.out)["kind"] == "strict"


@pytest.mark.parametrize(("text", "kind"), [(AND, "strict"), (XOR, "overlap"), (WEAK, "weak"), (THREE, "strict")])
def test_check_as_json(tmp_path: Path, run: Run, text: str, kind: str) -> None:
    ended = run("check", made(tmp_path, text), "--json")
    answer = strict_json(ended.out)
    assert (ended.code, ended.err, answer["kind"]) == (0, "", kind)
    assert {"margin_bounds", "witness", "contradictions", "explanation"} <= set(answer)
    if text is XOR:
        assert answer["witness"] == {"rows": [0, 1, 2, 3], "weights": ["1/4"] * 4}
        assert answer["margin_bounds"] is None
    if text is AND:
        assert answer["margin_bounds"] == pytest.approx([0.125**0.5] * 2)
        assert answer["witness"] is None
    if text is WEAK:
        assert answer["contradictions"] == [[1, 2]]


def test_no_detail(tmp_path: Path, run: Run) -> None:
    assert run("check", made(tmp_path, XOR), "--no-detail").out.startswith("not_strict")


def test_undecided_ends_with_1(tmp_path: Path, run: Run) -> None:
    rows = "".join(f"{(i * 7919) % 1009},{(i * i * 31) % 997},{(i * i * i) % 991},{i % 2}\n" for i in range(1500))
    path, cert = made(tmp_path, rows), tmp_path / "cert.json"
    ended = run("check", path, "--budget", "1e-9", "--cert", cert)
    assert (ended.code, ended.out.split()[0]) == (1, "undecided")
    assert not cert.exists()
    assert run("check", path).out.startswith("overlap")


# ---------------------------------------------------------------------------------------------------------------------
# Certificates


@pytest.mark.parametrize("text", [AND, XOR, WEAK, THREE])
def test_a_certificate_verifies(tmp_path: Path, run: Run, text: str) -> None:
    data, cert = made(tmp_path, text), tmp_path / "cert.json"
    checked = run("check", data, "--target", "kind", "--cert", cert)
    assert (checked.code, "cert.json" in checked.err) == (0, True)
    assert os.listdir(tmp_path) in (["data.csv", "cert.json"], ["cert.json", "data.csv"])
    kind = checked.out.split()[0]
    verified = run("verify", cert, data, "--target", "kind")
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith(f"verified: {kind}\n")
    answer = strict_json(run("verify", cert, data, "--json").out)
    assert (answer["verified"], answer["claim"]) == (True, kind)
    assert Certificate.from_json(cert.read_bytes()).claim == kind


def test_a_certificate_of_one_form_verifies_in_another(tmp_path: Path, run: Run) -> None:
    cert = tmp_path / "cert.json"
    run("check", made(tmp_path, "0,0,0\n1,1,0\n0,1,1\n1,0,1\n"), "--cert", cert)
    sparse = made(tmp_path, "0 1:0 2:0\n0 1:1 2:1\n1 2:1\n1 1:1\n", "data.svm")
    assert run("verify", cert, sparse).code == 0


def test_other_data_is_refused(tmp_path: Path, run: Run) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    for other in (AND, XOR.replace("1,1,even", "1,2,even"), XOR + "5,5,even\n", XOR.replace("1,0,odd", "1,0,even")):
        ended = run("verify", cert, made(tmp_path, other, "other.csv"))
        assert (ended.code, ended.err) == (1, "")
        assert ended.out.startswith("refused: overlap\n")
        assert strict_json(run("verify", cert, tmp_path / "other.csv", "--json").out)["verified"] is False


def changed(body: dict[str, Any]) -> list[dict[str, Any]]:
    witness = body["witness"]
    return [
        {**body, "claim": "strict"},
        {**body, "claim": "nonsense"},
        {**body, "witness": {**witness, "weights": ["0x1", "0x1", "0x1", "0x2"]}},
        {**body, "witness": {**witness, "rows": [0, 1, 2, 2]}},
        {**body, "witness": None},
        {**body, "data": None},
        {key: part for key, part in body.items() if key != "seal"},
    ]


def test_a_tampered_certificate_is_refused(tmp_path: Path, run: Run) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    for body in changed(json.loads(cert.read_text())):
        cert.write_text(json.dumps(body))
        ended = run("verify", cert, data)
        assert (ended.code, ended.err) == (1, "")
        assert ended.out.startswith("refused: ")
        assert len(ended.out.splitlines()) == 2


def test_a_certificate_is_the_old_or_the_new(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    data, cert = made(tmp_path, XOR), made(tmp_path, "old", "cert.json")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        refused(run("check", data, "--cert", cert), "cert.json", "No space left")
    assert cert.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["cert.json", "data.csv"]
    assert run("check", data, "--cert", cert).code == 0
    assert run("verify", cert, data).code == 0


def test_a_certificate_is_for_others_to_read(tmp_path: Path, run: Run) -> None:
    """As any file that the user makes: what the umask allows."""
    data, cert, plain = made(tmp_path, XOR), tmp_path / "cert.json", made(tmp_path, "", "plain")
    run("check", data, "--cert", cert)
    assert stat.S_IMODE(cert.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


# ---------------------------------------------------------------------------------------------------------------------
# Bad input: one sentence that names the file, and exit code 2


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", [], ["no rows"]),
        ("x,y,kind\n1,2,a\n3,b\n", [], ["line 3", "3 columns"]),
        ("x,y,kind\n1,2,a\n3,oops,b\n", [], ["line 3", "'y'", "'oops'"]),
        ("x,y,kind\n1,nan,a\n3,4,b\n", [], ["line 2", "'y'", "nan"]),
        ("x,y,kind\n1,2,a\n3,1e400,b\n", [], ["line 3", "'y'"]),
        ("x,y,kind\n1,2,a\n3,4,a\n", [], ["2 classes"]),
        ("x,y,kind\n1,2,a\n3,4,\n", [], ["line 3"]),
        (XOR, ["--target", "sort"], ["'sort'", "'x', 'y', 'kind'"]),
        (XOR, ["--target", "--9"], ["'--9'"]),
        (XOR, ["--target", "y"], ["line 2", "'kind'", "'even'"]),
    ],
)
def test_bad_data(tmp_path: Path, run: Run, text: str, options: list[str], words: Sequence[str]) -> None:
    refused(run("check", made(tmp_path, text), *options), "data.csv", *words)


@pytest.mark.parametrize("budget", ["0", "-1", "nan"])
def test_bad_budget(tmp_path: Path, run: Run, budget: str) -> None:
    refused(run("check", made(tmp_path, XOR), "--budget", budget), "budget must be a number of seconds above 0")


def test_labels_beyond_64_bits_are_labels_too(tmp_path: Path, run: Run) -> None:
    """Numbers of accounts, say."""
    assert run("check", made(tmp_path, f"1,{2**70}\n2,{2**71}\n")).out.startswith("strict")
    assert run("check", made(tmp_path, f"1,{2**63}\n2,1\n")).out.startswith("strict")


def test_bad_paths(tmp_path: Path, run: Run) -> None:
    data = made(tmp_path, XOR)
    (tmp_path / "folder.csv").mkdir()
    refused(run("check", tmp_path / "none.csv"), "none.csv: there is no such file")
    refused(run("check", tmp_path / "folder.csv"), "folder.csv", "directory")
    refused(run("check", made(tmp_path, XOR, "data.txt")), "data.txt", ".csv")
    refused(run("check", data, "--cert", tmp_path / "no" / "cert.json"), "cert.json", "cannot be written")
    refused(run("check", data, "--cert", tmp_path / "folder.csv"), "folder.csv", "cannot be written")
    assert sorted(os.listdir(tmp_path)) == ["data.csv", "data.txt", "folder.csv"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a certificate"),
        ("{", "not a certificate"),
        ("[1, 2]", "not a certificate"),
        ('{"format": "rosenblatt certificate", "version": 99}', "version 99"),
        ("[" * 100_000, "not a certificate"),
        ("\x00\x01", "not a certificate"),
    ],
    ids=lambda text: text[:20],
)
def test_bad_certificates(tmp_path: Path, run: Run, text: str, words: str) -> None:
    cert = made(tmp_path, text, "cert.json")
    refused(run("verify", cert, made(tmp_path, XOR)), words, "cert.json")


def test_no_certificate(tmp_path: Path, run: Run) -> None:
    data = made(tmp_path, XOR)
    refused(run("verify", tmp_path / "none.json", data), "none.json", "No such file")
    refused(run("verify", tmp_path, data), "directory")


@pytest.mark.parametrize(
    "arguments", [["check"], ["verify", "one"], ["nonsense"], ["check", "a.csv", "--what"]], ids=str
)
def test_wrong_usage_ends_with_2(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Usage" in ended.err


def test_stopped_by_the_user(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither true nor false: the exit code of a process that was interrupted."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "read_file", interrupted)
    ended = run("check", made(tmp_path, XOR))
    assert (ended.code, ended.out) == (130, "")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["verify", "--help"]], ids=str)
def test_help(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert "rosenblatt" in ended.out


# ---------------------------------------------------------------------------------------------------------------------
# As a process


def process(command: Sequence[str], *arguments: object) -> Ended:
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


MODULE = [sys.executable, "-m", "rosenblatt.cli"]
SCRIPT = [str(Path(sys.executable).with_name("rosenblatt"))]


def test_the_script_and_its_exit_codes(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    checked = process(SCRIPT, "check", data, "--cert", cert)
    assert (checked.code, checked.out.split()[0]) == (0, "overlap")
    assert process(SCRIPT, "verify", cert, data).code == 0
    other = process(SCRIPT, "verify", cert, made(tmp_path, AND, "and.csv"))
    assert (other.code, other.out.split()[0], other.err) == (1, "refused:", "")


def test_the_module_and_its_messages(tmp_path: Path) -> None:
    refused(process(MODULE, "check", tmp_path / "none.csv"), "none.csv: there is no such file")
    refused(process(MODULE, "check", made(tmp_path, "x,kind\n1,a\nb,c\n")), "data.csv, line 3, column 'x'", "'b'")


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".jsonl", ".npz", ".csv.gz", ".svm.zst"])
def test_check_and_verify_read_every_format(run: Run, tmp_path: Path, ending: str) -> None:
    """The certificate of one format is true of the same rows in another."""
    write(tmp_path / "xor.csv", [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    write(tmp_path / f"xor{ending}", [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    done = run("check", tmp_path / f"xor{ending}", "--cert", tmp_path / "xor.json")
    assert (done.code, done.out.split()[0]) == (0, "overlap")
    assert run("verify", tmp_path / "xor.json", tmp_path / "xor.csv").out.startswith("verified")
    assert run("verify", tmp_path / "xor.json", tmp_path / f"xor{ending}").out.startswith("verified")

"""Tests of `rosenblatt verify`, and of the certificates that `rosenblatt check` writes."""

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rosenblatt import Certificate, write
from tests.cli.test_check import SVM, THREE, WEAK
from tests.cli.test_main import AND, MODULE, XOR, made, refused, run, strict_json
from tests.support.full_disk import fill


@pytest.mark.parametrize("text", [AND, XOR, WEAK, THREE])
def test_a_certificate_verifies(tmp_path: Path, text: str) -> None:
    data, cert = made(tmp_path, text), tmp_path / "cert.json"
    ended = run("check", data, "--target", "kind", "--cert", cert)
    assert (ended.code, ended.err) == (0, f"certificate: {cert}\n")
    assert sorted(os.listdir(tmp_path)) == ["cert.json", "data.csv"]
    kind = ended.out.split()[0]
    verified = run("verify", cert, data, "--target", "kind")
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith(f"verified: {kind}\n")
    answer = strict_json(run("verify", cert, data, "--json").out)
    assert (answer["verified"], answer["claim"]) == (True, kind)
    assert Certificate.from_json(cert.read_bytes()).claim == kind


def test_a_certificate_of_one_form_verifies_in_another(tmp_path: Path) -> None:
    cert = tmp_path / "cert.json"
    run("check", made(tmp_path, "0,0,-1\n1,1,-1\n0,1,1\n1,0,1\n"), "--cert", cert)
    assert run("verify", cert, made(tmp_path, SVM, "data.svm")).code == 0


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".jsonl", ".npz", ".csv.gz", ".svm.zst"])
def test_check_and_verify_read_every_format(tmp_path: Path, ending: str) -> None:
    """A certificate made from one format verifies with the same rows in another format."""
    write([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], tmp_path / "xor.csv")
    write([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], tmp_path / f"xor{ending}")
    done = run("check", tmp_path / f"xor{ending}", "--cert", tmp_path / "xor.json")
    assert (done.code, done.out.split()[0]) == (0, "overlap")
    assert run("verify", tmp_path / "xor.json", tmp_path / "xor.csv").out.startswith("verified")
    assert run("verify", tmp_path / "xor.json", tmp_path / f"xor{ending}").out.startswith("verified")


def test_other_data_is_refused(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    for other in (AND, XOR.replace("1,1,even", "1,2,even"), XOR + "5,5,even\n", XOR.replace("1,0,odd", "1,0,even")):
        ended = run("verify", cert, made(tmp_path, other, "other.csv"))
        assert (ended.code, ended.err) == (1, "")
        assert ended.out.startswith("refused: overlap\n")
        answer = run("verify", cert, tmp_path / "other.csv", "--json")
        assert (answer.code, strict_json(answer.out)["verified"]) == (1, False)


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


def test_a_tampered_certificate_is_refused(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    for body in changed(json.loads(cert.read_text())):
        cert.write_text(json.dumps(body))
        ended = run("verify", cert, data)
        assert (ended.code, ended.err) == (1, "")
        assert ended.out.startswith("refused: ")
        assert len(ended.out.splitlines()) == 2


def test_a_certificate_is_the_old_or_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    assert run("check", made(tmp_path, AND, "other.csv"), "--cert", cert).code == 0
    old = cert.read_text()

    with monkeypatch.context() as broken:
        fill(broken)
        ended = run("check", data, "--cert", cert)
    assert (ended.code, ended.out.split()[0]) == (2, "overlap")  # the verdict is printed nevertheless
    assert "cert.json: it cannot be written: No space left" in ended.err
    assert cert.read_text() == old
    assert sorted(os.listdir(tmp_path)) == ["cert.json", "data.csv", "other.csv"]
    assert run("check", data, "--cert", cert).code == 0
    assert run("verify", cert, data).code == 0


def test_a_certificate_is_for_others_to_read(tmp_path: Path) -> None:
    """The file has the permissions that the umask allows."""
    data, cert, plain = made(tmp_path, XOR), tmp_path / "cert.json", made(tmp_path, "", "plain")
    run("check", data, "--cert", cert)
    assert stat.S_IMODE(cert.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_standard_input_by_its_path(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    command = [*MODULE, "verify", str(cert), "/dev/stdin"]
    done = subprocess.run(command, input=XOR, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (run("verify", cert, data).out, "")


def test_a_certificate_from_a_pipe(tmp_path: Path) -> None:
    data, cert = made(tmp_path, XOR), tmp_path / "cert.json"
    run("check", data, "--cert", cert)
    assert run("verify", "-", data, stdin=cert.read_bytes()) == run("verify", cert, data)


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
def test_bad_certificates(tmp_path: Path, text: str, words: str) -> None:
    cert = made(tmp_path, text, "cert.json")
    refused(run("verify", cert, made(tmp_path, XOR)), words, "cert.json")


def test_no_certificate(tmp_path: Path) -> None:
    data = made(tmp_path, XOR)
    refused(run("verify", tmp_path / "none.json", data), "none.json: there is no such file")
    refused(run("verify", tmp_path, data), "directory")

"""The numbers of text files count as the decimals that they are: 0.1 is 1/10."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Certificate, estimates, mistake_bound, read, separability, write
from tests.cli.test_main import made, run, strict_json
from tests.support.decimal_tables import DecimalTable, as_csv, in_decimals, on_a_line
from tests.support.effort import by_day
from tests.support.estimates_oracle import Regression, draw, truth
from tests.support.separability_oracle import kind_of, signed_rows

LINE = "a,b,kind\n0.1,0.3,no\n0.2,0.6,yes\n0.3,0.9,no\n"  # on one line in decimals, the second row in the middle
SUMS = "a,b,c,kind\n0.1,0.2,0.3,0\n0.1,0.1,0.2,1\n0.3,0.6,0.9,1\n0.7,0.1,0.8,0\n0.4,0.3,0.7,1\n0.2,0.4,0.6,0\n"
IN_FORMATS = {
    "line.csv": LINE,
    "line.tsv": LINE.replace(",", "\t"),
    "line.svm": "0 1:0.1 2:0.3\n1 1:0.2 2:0.6\n0 1:0.3 2:0.9\n",
    "line.jsonl": '{"a": 0.1, "b": 0.3, "k": "n"}\n{"a": 0.2, "b": 0.6, "k": "y"}\n{"a": 0.3, "b": 0.9, "k": "n"}\n',
    "exponents.csv": "a,b,kind\n1e-1,3E-1,no\n.2,0.60,yes\n0.3,9e-1,no\n",
}


def kind_in(path: Path, *options: str) -> str:
    return str(strict_json(run("check", path, *options, "--json").out)["kind"])


@pytest.mark.parametrize("name", IN_FORMATS)
def test_every_text_format(tmp_path: Path, name: str) -> None:
    path, cert = made(tmp_path, IN_FORMATS[name], name), tmp_path / "cert.json"
    ended = run("check", path, "--cert", cert)
    assert ended.out.startswith("overlap - ")
    assert "exactly 1 of 3 rows" in ended.out
    verified = run("verify", cert, path)
    assert (verified.code, verified.out.splitlines()[1]) == (
        0, "Checked in whole numbers: the claim 'overlap' is true of these 3 rows of decimals."
    )  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--columns", "a,b"), ("--fill", "0"), ("--classes", "no,yes")])
def test_every_way_to_read_a_table(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert kind_in(made(tmp_path, LINE), *options) == "overlap"


def test_beside_words_and_from_a_pipe(tmp_path: Path) -> None:
    words = "a,b,colour,kind\n0.1,0.3,red,no\n0.2,0.6,red,yes\n0.3,0.9,red,no\n"
    assert kind_in(made(tmp_path, words)) == "overlap"
    assert run("check", "-", stdin=LINE).out.startswith("overlap")


@pytest.mark.parametrize("ending", [".parquet", ".npz"])
def test_files_of_floats_have_floats(tmp_path: Path, ending: str) -> None:
    X, y = read(made(tmp_path, LINE))
    write(X, y, tmp_path / f"line{ending}")
    assert kind_in(tmp_path / f"line{ending}") == separability(X, y).kind == "strict"


def test_verdicts_are_those_of_the_oracle(tmp_path: Path) -> None:
    for seed in range(by_day(8, 300)):
        table = on_a_line(seed)
        true = kind_of(signed_rows(table.fractions, table.y, bias=True))
        assert kind_in(made(tmp_path, as_csv(table))) == true


def test_statuses_are_those_of_the_oracle(tmp_path: Path) -> None:
    differs = 0
    for seed in range(by_day(8, 300)):
        line = on_a_line(seed)
        found = strict_json(run("check", made(tmp_path, as_csv(line)), "--model", "logit", "--json").out)
        true = truth(Regression(line.fractions, line.y, "logit", {}))
        assert (found["kind"], [part["status"] for part in found["coefficients"]]) == (true.kind, true.statuses)
        differs += estimates(line.numbers, line.y).statuses != true.statuses
    assert differs > 1


def test_statuses_of_other_tables(tmp_path: Path) -> None:
    asked = draw("multinomial", 3)
    table = DecimalTable(in_decimals(asked.X, 3), asked.y, bias=True)
    true = truth(Regression(table.fractions, asked.y, "multinomial", {}))
    found = strict_json(run("check", made(tmp_path, as_csv(table)), "--model", "multinomial", "--json").out)
    assert [part["status"] for part in found["coefficients"]] == true.statuses


def test_a_column_that_is_a_sum(tmp_path: Path) -> None:
    path, cert = made(tmp_path, SUMS), tmp_path / "cert.json"
    found = strict_json(run("check", path, "--model", "logit", "--cert", cert, "--json").out)
    assert [part["status"] for part in found["coefficients"]] == ["not_estimable"] * 3 + ["finite"]
    assert run("verify", cert, path).code == 0
    frame = pd.read_csv(path)
    certificate = Certificate.from_json(cert.read_bytes())
    assert certificate.verify(frame[["a", "b", "c"]], frame["kind"])
    assert estimates(frame[["a", "b", "c"]], frame["kind"], decimals=True).certificate == certificate
    assert estimates(frame[["a", "b", "c"]], frame["kind"]).status["a"] != "not_estimable"


def test_python_users_verify_what_the_command_wrote(tmp_path: Path) -> None:
    path, cert = made(tmp_path, LINE), tmp_path / "cert.json"
    run("check", path, "--cert", cert)
    certificate, frame, data = Certificate.from_json(cert.read_bytes()), pd.read_csv(path), read(path)
    assert certificate.verify(frame[["a", "b"]], frame["kind"])
    assert certificate.verify(data.X, data.y)
    assert certificate.verify([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], ["no", "yes", "no"])
    assert separability(data.X, data.y, decimals=True).certificate == certificate
    assert not certificate.verify([[0.1, 0.3], [0.2, 0.6], [0.3, 0.91]], ["no", "yes", "no"])


@pytest.mark.parametrize("model", [None, "logit"])
def test_certificates_of_floats_verify_as_before(tmp_path: Path, model: Any) -> None:
    """Before, the command took the floats. Such a certificate is still about them."""
    path, cert = made(tmp_path, SUMS), tmp_path / "cert.json"
    frame = pd.read_csv(path)
    X, y = frame[["a", "b", "c"]], frame["kind"]
    certificate = (separability(X, y) if model is None else estimates(X, y, model=model)).certificate
    assert certificate is not None
    assert "decimals" not in certificate.body["data"]
    cert.write_text(certificate.to_json())
    verified = run("verify", cert, path)
    assert verified.code == 0
    assert "decimal" not in verified.out


def test_tampered_decimals_are_refused(tmp_path: Path) -> None:
    path, cert = made(tmp_path, LINE), tmp_path / "cert.json"
    run("check", path, "--cert", cert)
    body = json.loads(cert.read_text())
    del body["data"]["decimals"]
    cert.write_text(json.dumps(body))
    ended = run("verify", cert, path)
    assert (ended.code, ended.out.startswith("refused")) == (1, True)


@pytest.mark.parametrize("text", ["a,b,k\n0,1,n\n3,2,y\n4,9,n\n", "a,b,k\n0.5,1,n\n3.25,2,y\n4,9,n\n"])
def test_numbers_that_floats_hold_have_no_decimals(tmp_path: Path, text: str) -> None:
    path, cert = made(tmp_path, text), tmp_path / "cert.json"
    run("check", path, "--cert", cert)
    body = json.loads(cert.read_text())
    assert (body["version"], "decimals" in body["data"]) == (1, False)


def test_the_margin_is_in_the_units_of_the_file(tmp_path: Path) -> None:
    found = strict_json(run("check", made(tmp_path, "a,k\n0.1,n\n0.3,y\n"), "--json").out)
    assert found["margin_bounds"] == pytest.approx([0.1, 0.1])
    assert -found["hyperplane"]["b"] / found["hyperplane"]["w"][0] == pytest.approx(0.2)


def test_fit_and_plot_agree_with_check(tmp_path: Path) -> None:
    path = made(tmp_path, LINE)
    found = strict_json(run("fit", path, "--json").out)
    assert (found["verdict"], found["algorithm"]) == ("overlap", "averaged")
    picture = tmp_path / "witness.svg"
    assert run("plot", path, "--kind", "witness", "--out", picture).code == 0
    assert picture.stat().st_size


def test_a_bound_on_updates_is_about_the_floats(tmp_path: Path) -> None:
    """The perceptron learns from floats; its bound must be that of the floats."""
    path = made(tmp_path, "a,b,k\n0.1,0.7,n\n0.3,0.1,y\n0.2,0.9,n\n")
    found = strict_json(run("fit", path, "--algorithm", "perceptron", "--report", tmp_path / "r.html", "--json").out)
    data = read(path)
    assert found["verdict"] == "strict"
    assert found["mistake_bound"] == mistake_bound(data.X, data.y).max_updates


def test_numbers_of_many_digits_count_as_the_shortest_decimal(tmp_path: Path) -> None:
    """What numpy.savetxt writes by default is read as the numbers that were saved."""
    X = np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]])
    np.savetxt(tmp_path / "long.csv", np.column_stack([X, [0, 1, 0]]), delimiter=",", fmt=["%.18e", "%.17g", "%d"])
    assert kind_in(tmp_path / "long.csv") == "overlap"

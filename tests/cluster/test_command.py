"""`--cluster` of fit, check, verify and predict: the answers of the library on the same cluster, and its errors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import Certificate, Stream, cluster, load, mistake_bound, separability, write
from rosenblatt.data.named_arrays import named
from tests.cli.test_main import run
from tests.cluster.tables import same_bits, table

X, Y = table(400, 3)
NAMED = named(X, ["x1", "x2", "x3"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files."""
    path = tmp_path_factory.mktemp("parts")
    for number, part in enumerate(np.array_split(np.arange(400), 4)):
        write(X[part], Y[part], path / f"part-{number}.csv")
    return path


@pytest.fixture(scope="module")
def address(two_workers: Any) -> str:
    return str(two_workers.scheduler.address)


def test_fit_and_predict(folder: Path, address: str, tmp_path: Path) -> None:
    out = tmp_path / "model"
    ended = run("fit", f"{folder}/part-*.csv", "--cluster", address, "--out", out, "--json")
    assert (ended.code, ended.err.splitlines()[0][:9]) == (0, "cluster: ")
    facts = json.loads(ended.out)
    expected = cluster.Perceptron(average="averaged", max_epochs=10).fit(folder)
    assert same_bits(load(out), expected)
    assert facts["mistakes_per_pass"] == expected.mistakes_per_epoch_.tolist()
    assert facts["right"]["right"] == int((expected.predict(NAMED) == Y).sum())
    assert [one["what"] for one in facts["rounds"]].count("pass") == 10
    assert all(one["sent"] > 0 and one["seconds"] > 0 for one in facts["rounds"] if one["what"] == "pass")
    text = run("fit", folder, "--cluster", address, "--algorithm", "kozinec", "--set", "C=1").out
    assert "rounds over the shards" in text
    assert "on files that were not used for training" in text
    local = run("predict", out, folder / "part-1.csv", "--target", "label", "--scores")
    there = run("predict", out, folder / "part-1.csv", "--target", "label", "--scores", "--cluster", address)
    assert there.out == local.out
    assert there.err.splitlines()[-1] == local.err.splitlines()[-1]
    every = run("predict", out, folder, "--cluster", address)
    assert every.out.splitlines() == expected.predict(NAMED).tolist()


def test_the_bound_of_a_fit(address: str, tmp_path: Path) -> None:
    rows, labels = table(400, 3, noise=0.0)
    for number, part in enumerate(np.array_split(np.arange(len(labels)), 3)):
        write(rows[part], labels[part], tmp_path / f"{number}.csv")
    fit = ["fit", tmp_path, "--cluster", address, "--algorithm", "perceptron", "--passes", 1000]
    facts = json.loads(run(*fit, "--json").out)
    assert facts["mistake_bound"] == mistake_bound(rows, labels).max_updates
    assert 0 < sum(facts["mixed_updates"]) <= facts["mistake_bound"]
    assert f"Hall and Mann allows at most {facts['mistake_bound']:,}" in " ".join(run(*fit).out.split())
    for option in ("class_weight=balanced", "margin=0.5"):
        assert json.loads(run(*fit, "--json", "--set", option).out)["mistake_bound"] is None


def test_check_and_verify(folder: Path, address: str, tmp_path: Path) -> None:
    cert = tmp_path / "proof.json"
    ended = run("check", folder, "--cluster", address, "--cert", cert)
    assert (ended.code, ended.out.split()[0]) == (0, "overlap")
    stream = separability(Stream(f"{folder}/part-*.csv")).certificate
    assert stream is not None
    assert cert.read_text().strip() == stream.to_json()
    assert run("verify", cert, folder, "--cluster", address).out.startswith("verified: overlap")
    assert Certificate.from_json(cert.read_text()).verify(X, Y)
    other = run("verify", cert, folder / "part-0.csv", "--cluster", address)
    assert (other.code, other.out.split(":")[0]) == (1, "refused")
    facts = json.loads(run("check", folder, "--cluster", address, "--no-detail", "--json").out)
    assert facts["kind"] == "not_strict"


PATIENTS = ["A,30,m,yes", "A,41,f,no", "B,33,f,yes", "C,44,f,yes", "A,50,m,no", "B,47,m,yes", "C,38,m,no", "C,20,f,no"]


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files with words."""
    path = tmp_path_factory.mktemp("patients")
    for number in range(2):
        rows = PATIENTS[4 * number : 4 * number + 4]
        (path / f"{number}.csv").write_text("\n".join(["drug,age,sex,cured", *rows, ""]))
    (path / "all.txt").write_text("\n".join(["drug,age,sex,cured", *PATIENTS, ""]))
    return path


@pytest.mark.parametrize("options", [["--model", "logit"], ["--model", "ordinal", "--classes", "yes,no"]])
def test_check_a_regression(patients: Path, address: str, tmp_path: Path, options: list[str]) -> None:
    """The answer comes first, then the table, as in memory; there is nothing about single rows."""
    cert, files, whole = tmp_path / "proof.json", f"{patients}/*.csv", [patients / "all.txt", "--format", "csv"]
    ended = run("check", files, *options, "--cluster", address, "--cert", cert)
    memory = run("check", *whole, *options)
    assert (ended.code, memory.code) == (0, 0)
    parts, known = ended.out.split("\n\n"), memory.out.split("\n\n")
    assert parts[:2] == known[:2]
    assert parts[0].startswith("quasi - 1 of ")
    assert "drug[B]" in parts[1]
    assert "Look at" in memory.out
    assert [part.split(".")[0] for part in parts[2:]] == ["What to do"]
    assert run("verify", cert, files, "--cluster", address).out.startswith("verified: estimates")
    assert run("verify", cert, *whole).out.startswith("verified: estimates")
    assert run("verify", cert, patients / "0.csv", "--cluster", address).out.startswith("refused: estimates")
    facts = json.loads(run("check", files, *options, "--cluster", address, "--json").out)
    expected = json.loads(run("check", *whole, *options, "--json").out)
    for name in ("kind", "model", "coefficients", "separated_rows", "kept_rows", "advice"):
        assert facts[name] == expected[name]
    assert (facts["cells"], facts["culprits"], facts["code"], expected["rounds"]) == ([], None, None, None)
    assert [one["what"] for one in facts["rounds"]].count("test of the proof") > 0


def test_a_column_with_one_value(address: str, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("site,x,y\nnorth,0,a\nnorth,1,b\nnorth,1,a\n")
    said = run("check", tmp_path, "--model", "logit", "--cluster", address).out
    assert "Column 'site' has only the value 'north', so it has no coefficient." in said


def test_options_of_regressions(patients: Path, address: str) -> None:
    asked = ["check", f"{patients}/*.csv", "--cluster", address]
    options = ["--model", "multinomial", "--reference", "yes", "--columns", "sex,age", "--no-intercept", "--json"]
    some, memory = run(*asked, *options), run("check", patients / "all.txt", "--format", "csv", *options)
    assert json.loads(some.out)["coefficients"] == json.loads(memory.out)["coefficients"]
    counts = json.loads(run(*asked, "--model", "poisson", "--target", "age", "--json").out)
    assert (counts["model"], counts["kind"]) == ("poisson", "none")
    late = run(*asked, "--model", "logit", "--time-limit", "0.000001")
    assert (late.code, late.out.split()[0]) == (1, "undecided")
    assert (
        "--classes names 'maybe', but the classes are no, yes"
        in run(*asked, "--model", "logit", "--classes", "maybe,no").err
    )
    assert "needs two classes; column 'drug' has" in run(*asked, "--model", "logit", "--target", "drug").err


def test_checkpoints(folder: Path, address: str, tmp_path: Path) -> None:
    state = tmp_path / "fit.state"
    given = ["fit", folder, "--cluster", address, "--checkpoint", state, "--passes", 3]
    assert run(*given).code == 0
    again = run(*given, "--resume", "--json")
    assert [one["what"] for one in json.loads(again.out)["rounds"]].count("pass") == 0
    assert "this checkpoint is of a fit with other options: max_epochs was" in run(*given[:-1], 4, "--resume").err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cluster", "tcp://127.0.0.1:1"], "no scheduler of Dask answers there"),
        (["--cluster", "no address"], "no scheduler of Dask answers there"),
        (["--workers", "2"], "--workers is the size of a local cluster"),
        (["--cluster", "local", "--stream"], "--stream and --cluster are two ways to read rows"),
        (["--cluster", "local", "--test", "0.2"], "--test is for data in memory"),
        (["--cluster", "local", "--algorithm", "voted"], "--algorithm voted needs all rows in one place"),
        (["--cluster", "local", "--scale", "unit"], "--scale is for data in memory"),
        (["--cluster", "local", "--cache"], "--cache is for streams; leave it out with --cluster"),
    ],
)
def test_wrong_options_of_fit(folder: Path, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.cli.on_cluster.options.CONNECT_SECONDS", 0.5)
    ended = run("fit", folder / "part-0.csv", *options)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize(
    "options",
    [
        ["--formula", "label ~ x1"],
        ["--trials", "x1"],
        ["--failures", "x1"],
        ["--weight", "x1"],
        ["--keep", "kept.csv"],
    ],
)
def test_options_that_need_all_rows(folder: Path, options: list[str]) -> None:
    data, said = folder / "part-0.csv", f"{options[0]} is for data in memory; leave --cluster out"
    assert said in run("check", data, "--cluster", "local", "--model", "logit", *options).err
    if options[0] != "--keep":
        assert said in run("verify", data, data, "--cluster", "local", *options).err


def test_what_is_for_memory_only(folder: Path) -> None:
    said = run("check", folder / "part-0.csv", "--cluster", "local", "--classes", "a,b")
    assert "--classes without --model is for data in memory" in said.err
    assert "--workers is the size" in run("check", folder / "part-0.csv", "--workers", "2").err


def test_a_broken_file_is_named(address: str, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("x,kind\n1,a\n2,b\n")
    (tmp_path / "2.csv").write_text("x,kind\n1,a\noops,b\n")
    ended = run("fit", tmp_path, "--target", "kind", "--cluster", address)
    assert ended.code == 2
    assert "2.csv, line 3" in ended.err


def test_a_local_cluster(folder: Path) -> None:
    ended = run("check", folder, "--cluster", "local", "--workers", "1")
    assert (ended.code, ended.out.split()[0]) == (0, "overlap")
    assert "1 worker; dashboard: http://127.0.0.1:" in ended.err

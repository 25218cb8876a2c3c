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


def test_what_is_for_memory_only(folder: Path) -> None:
    said = run("check", folder / "part-0.csv", "--cluster", "local", "--model", "logit")
    assert "--model and --classes are for data in memory" in said.err
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

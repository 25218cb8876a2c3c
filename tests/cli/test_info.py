"""Tests of `rosenblatt info`: descriptions of files and of the installation."""

import gzip
import importlib.metadata
import importlib.util
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import Certificate, datasets, load, write
from rosenblatt.cli.commands.info import EXTRAS
from tests.cli.test_main import AND, XOR, made, refused, run, strict_json

CSV = "age,colour,label\n40,red,no\n50,blue,yes\n61,green,yes\n33,red,no\n47,blue,no\n"
SVM = "1 1:1 2:1\n-1 2:-1\n1 1:3\n-1 1:-2 5:1\n"


def told(*arguments: object, stdin: str = "") -> Any:
    """The facts as JSON; the text output must have them too."""
    ended = run("info", *arguments, "--json", stdin=stdin)
    assert (ended.code, ended.err) == (0, "")
    facts = strict_json(ended.out)
    text = run("info", *arguments, stdin=stdin)
    assert (text.code, text.err) == (0, "")
    assert text.out.split()[1] == str(next(iter(facts.values())))
    assert text.out == "".join(line.rstrip() + "\n" for line in text.out.splitlines())
    assert "None" not in text.out
    return facts


# ---------------------------------------------------------------------------------------------------------------------
# What is installed


def test_what_is_installed() -> None:
    facts = told()
    assert (facts["rosenblatt"], facts["python"]) == (rosenblatt.__version__, platform.python_version())
    assert facts["parts"] == {name: importlib.metadata.version(name) for name in facts["parts"]}
    assert {"numpy", "scipy", "numba", "scikit-learn", "pyarrow", "python-flint"} <= set(facts["parts"])
    assert 1 <= facts["cores"] <= (os.cpu_count() or 1)


def test_extras_that_are_there_and_what_to_install_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    assert set(told()["extras"]) == {name for name, module in EXTRAS.items() if found(module)}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "onnx" else found(name))
    facts = told()
    assert "onnx" not in facts["extras"]
    assert facts["missing_extras"] == ["pip install 'rosenblatt[onnx]'"]


def test_the_extras_are_those_of_the_package() -> None:
    offered = importlib.metadata.metadata("rosenblatt").get_all("Provides-Extra") or []
    assert set(EXTRAS) <= set(offered)


# ---------------------------------------------------------------------------------------------------------------------
# Data


def test_a_table(tmp_path: Path) -> None:
    facts = told(made(tmp_path, CSV))
    assert facts == {
        "kind": "data",
        "format": "csv",
        "rows": 5,
        "columns": 4,
        "names": ["age", "colour=blue", "colour=green", "colour=red"],
        "target": "label",
        "classes": {"no": 3, "yes": 2},
        "class_shares": {"no": 0.6, "yes": 0.4},
        "storage": "dense",
        **dict.fromkeys(("gaps", "rows_with_gaps", "missing_labels", "duplicates", "contradictions", "bad_lines"), 0),
        **{name: [] for name in ("constant", "id", "nearly_unique", "no_value", "counts", "remarks")},
        "table": [
            {"name": "age", "kind": "number", "gaps": 0, "distinct": 5, "least": 33, "most": 61, "remark": ""},
            {"name": "colour", "kind": "category", "gaps": 0, "distinct": 3, "least": None, "most": None, "remark": ""},
        ],
    }
    assert told("-", stdin=CSV) == facts
    assert told(made(tmp_path, CSV, "data.txt"), "--format", "csv") == facts
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    assert told(tmp_path / "data.csv.gz") == facts
    other = told(tmp_path / "data.csv", "--target", "colour")
    assert (other["target"], other["classes"]) == ("colour", {"blue": 2, "green": 1, "red": 2})


def test_sparse_rows(tmp_path: Path) -> None:
    facts = told(made(tmp_path, SVM, "data.svm"))
    assert (facts["format"], facts["rows"], facts["columns"]) == ("libsvm", 4, 5)
    assert (facts["storage"], facts["nonzeros"], facts["classes"]) == ("sparse", 6, {"-1": 2, "1": 2})


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".feather", ".jsonl"])
def test_irises_in_every_format(tmp_path: Path, ending: str) -> None:
    X, y = datasets.load("iris")
    write(X, y, tmp_path / f"iris{ending}")
    facts = told(tmp_path / f"iris{ending}")
    assert (facts["kind"], facts["rows"], facts["columns"]) == ("data", 150, 4)
    assert facts["classes"] == {str(label): int((y == label).sum()) for label in np.unique(y)}
    assert facts["names"] == list(X.columns)


# ---------------------------------------------------------------------------------------------------------------------
# What this package writes


@pytest.mark.parametrize(
    "options",
    [[], ["--scale", "standardize"], ["--algorithm", "kernel"], ["--algorithm", "anderson"], ["--stream"]],
    ids=str,
)
def test_a_model(tmp_path: Path, options: list[str]) -> None:
    model = tmp_path / "file"
    assert run("fit", made(tmp_path, CSV), *options, "--out", model).code == 0
    facts, loaded = told(model), load(model)
    inner = loaded.steps[-1][1] if hasattr(loaded, "steps") else loaded
    assert (facts["kind"], facts["classes"], facts["columns"]) == ("model", ["no", "yes"], 4)
    assert facts["names"] == ["age", "colour=blue", "colour=green", "colour=red"]
    assert facts["target"] == "label"
    assert (facts["stop_reason"], facts["passes"]) == (str(inner.stop_reason_), inner.n_iter_)
    assert facts["estimator"] == " ".join(repr(loaded).split())
    if hasattr(inner, "coef_"):
        weights = dict(zip(facts["names"], inner.coef_[0].tolist(), strict=True))
        assert facts["largest_weights"] == {name: round(weight, 6) for name, weight in weights.items()}
        sizes = [abs(weight) for weight in facts["largest_weights"].values()]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("first", [0, 1])
def test_a_model_of_sparse_text(tmp_path: Path, first: int) -> None:
    path = made(tmp_path, f"1 {first}:1\n-1 {first}:-1\n", "data.svm")
    run("fit", path, "--out", tmp_path / "model")
    facts = told(tmp_path / "model")
    assert (facts["zero_based"], facts["target"], facts["names"]) == (first == 0, None, [])


@pytest.mark.parametrize("algorithm", ["averaged", "kozinec", "anderson", "kernel"])
def test_a_model_of_three_classes(tmp_path: Path, algorithm: str) -> None:
    path = made(tmp_path, "x,y,kind\n0,0,a\n1,0,a\n0,1,a\n4,4,b\n5,4,b\n4,5,b\n0,9,c\n1,9,c\n0,8,c\n")
    run("fit", path, "--algorithm", algorithm, "--out", tmp_path / "model")
    facts = told(tmp_path / "model")
    assert (facts["classes"], facts["names"], facts["target"]) == (["a", "b", "c"], ["x", "y"], "kind")


def test_a_model_of_sparse_rows_has_no_names(tmp_path: Path) -> None:
    run("fit", made(tmp_path, SVM, "data.svm"), "--out", tmp_path / "model")
    facts = told(tmp_path / "model")
    assert (facts["columns"], facts["classes"]) == (5, [-1, 1])
    assert facts.get("names", []) == []


@pytest.mark.parametrize(("text", "claim"), [(AND, "strict"), (XOR, "overlap")])
def test_a_certificate(tmp_path: Path, text: str, claim: str) -> None:
    cert = tmp_path / "file"
    run("check", made(tmp_path, text), "--cert", cert)
    facts = told(cert)
    assert (facts["kind"], facts["claim"]) == ("certificate", claim)
    assert facts["words"] == Certificate.from_json(cert.read_bytes()).explain()


def test_a_trace(tmp_path: Path) -> None:
    """A trace is recognised even if the file name says JSON lines."""
    path = made(tmp_path, run("trace", made(tmp_path, AND), "--passes", 1, "--jsonl").out, "steps.jsonl")
    facts = told(path)
    assert (facts["kind"], facts["steps"], facts["stop_reason"]) == ("trace", 4, "budget")
    assert (facts["classes"], facts["names"]) == (["no", "yes"], ["x", "y"])
    made(tmp_path, run("trace", tmp_path / "data.csv", "--steps", 3, "--jsonl").out, "steps.jsonl")
    assert told(path)["stop_reason"] == "cut off"


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "empty"),
        (b"", "empty.csv"),
        (b"\x00\x01\x02" * 100, "bytes"),
        (b'{"a": 1}', "a.json"),
        (b'{"a": ', "cut.json"),
        (b'{"rosenblatt_trace": 2}\n', "steps"),
        (b"\x10\x00\x00\x00\x00\x00\x00\x00{not a header at all", "model"),
        (b"<!doctype html>", "page.html"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_that_are_nothing_of_this(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(content)
    refused(run("info", tmp_path / name), name)


def test_bad_data(tmp_path: Path) -> None:
    path = made(tmp_path, CSV)
    refused(run("info", path, "--target", "lable"), "Did you mean 'label'?")
    refused(run("info", path, "--format", "libsvm"), "data.csv, line 1")
    refused(run("info", path, "--format", "xls"), "--format must be one of")
    refused(run("info", tmp_path), "folder")

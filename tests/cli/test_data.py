"""Tests of `rosenblatt data`: its output and the files that it writes."""

from pathlib import Path

import pytest

from rosenblatt import datasets
from tests.cli.test_main import refused, run, strict_json


def printed(*arguments: object) -> str:
    ended = run("data", *arguments)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def test_the_list_has_a_line_for_each() -> None:
    header, *lines = printed("list").splitlines()
    assert header.split() == ["name", "rows", "x", "columns", "classes", "what", "it", "is"]
    assert [line.split()[0] for line in lines] == datasets.names()
    iris = next(line for line in lines if line.startswith("iris"))
    assert "150 x 4" in iris
    assert iris.endswith(datasets.load("iris").description)


def test_the_list_as_json() -> None:
    found = {entry["name"]: entry for entry in strict_json(printed("list", "--json"))}
    assert list(found) == datasets.names()
    assert found["wdbc"]["classes"] == ["benign", "malignant"]
    assert (found["sparse_text"]["rows"], found["sparse_text"]["columns"]) == (1000, 5000)
    assert found["planted_margin"]["options"] == datasets.options("planted_margin")


@pytest.mark.parametrize("name", datasets.names())
def test_each_is_shown(name: str) -> None:
    data = datasets.load(name)
    text = printed("show", name)
    for words in (data.description, data.source, f"{data.X.shape[0]} rows x {data.X.shape[1]} columns"):
        assert words in text
    for fact in data.facts:
        assert f"fact {fact} " in text
    for option in datasets.options(name):
        assert f"option {option} " in text
    assert "row 0 " in text
    assert max(map(len, text.splitlines())) < 160
    shown = strict_json(printed("show", name, "--json"))
    assert shown["facts"].keys() == data.facts.keys()
    assert shown["names"] == data.feature_names
    assert [row["label"] for row in shown["first"]] == data.y[:5].tolist()


def test_facts_as_json() -> None:
    shown = strict_json(printed("show", "xor", "--json"))
    assert shown["facts"]["witness"] == {"rows": [0, 1, 2, 3], "weights": ["1/4"] * 4}
    assert shown["first"][1] == {"x1": 0, "x2": 1, "label": 1}
    assert strict_json(printed("show", "and", "--json"))["facts"]["hyperplane"] == {"w": [1, 1], "b": -1.5}
    first = strict_json(printed("show", "sparse_text", "--json"))["first"][0]
    assert 0 not in first.values()


def test_options_are_passed_on() -> None:
    chosen = ["--seed", 7, "--rows", 20, "--columns", 3, "--set", "margin=0.25", "--set", "radius = 2"]
    shown = strict_json(printed("show", "planted margin", *chosen, "--json"))
    data = datasets.load("planted_margin", seed=7, rows=20, columns=3, margin=0.25, radius=2)
    assert (shown["rows"], shown["columns"]) == (20, 3)
    assert shown["facts"]["margin"] == data.facts["margin"]
    assert shown["first"][0]["x1"] == data.X[0, 0]


def test_a_dataset_is_written(tmp_path: Path) -> None:
    path = tmp_path / "xor.csv"
    ended = run("data", "write", "xor", path, "--set", "inputs=2")
    assert ended == (0, "", f"{path}: 4 rows of 2 columns, 2 classes\n")
    assert path.read_text() == "x1,x2,label\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"


def test_a_format_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "data"
    assert run("data", "write", "xor", path, "--format", "libsvm").code == 0
    assert path.read_text() == "0\n1 2:1\n1 1:1\n0 1:1 2:1\n"


def test_names_are_written(tmp_path: Path) -> None:
    path = tmp_path / "iris.tsv"
    assert run("data", "write", "iris", path).code == 0
    assert path.read_text().splitlines()[0].split("\t") == [*datasets.load("iris").X.columns, "label"]


def test_options_come_before_or_after_the_names(tmp_path: Path) -> None:
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    assert run("data", "write", "--rows", 10, "--seed", 3, "collinear", first).code == 0
    assert run("data", "write", "collinear", second, "--seed", 3, "--rows", 10).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text().count("\n") == 11


def test_what_was_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "and.csv"
    ended = run("data", "write", "and", path, "--json")
    assert (ended.code, ended.err) == (0, "")
    answer = strict_json(ended.out)
    assert (answer["file"], answer["name"], answer["rows"], answer["columns"]) == (str(path), "and", 4, 2)
    assert path.read_text().count("\n") == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "irsi"], ["'irsi'", "id you mean 'iris'?"]),
        (["show", "iris", "--seed", "1"], ["must be left out"]),
        (["show", "overlapping", "--set", "distance=far"], ["not 'far'."]),
        (["show", "overlapping", "--set", "distance"], ["--set must be like margin=0.25, not 'dist"]),
        (["show", "overlapping", "--set", "distanse=1"], ["distanse"]),
        (["show", "planted_margin", "--rows", "0"], ["rows"]),
        (["show", "planted_margin", "--rows", "many"], ["--rows"]),
        (["write", "iris", "iris.xls"], ["expected a file that ends with .csv"]),
        (["write", "iris", "iris.svm"], ["iris.svm: in LIBSVM's format labels are whole numbers"]),
        (["write", "xor", "xor.vw"], ["xor.vw: in Vowpal Wabbit's format two classes are -1 and 1", "labels are 0, 1"]),
        (["write", "iris", "iris.csv", "--format", "cvs"], ["id you mean 'csv'?"]),
        (
            ["write", "iris", "no/iris.csv"],
            ["FILE no/iris.csv: it cannot be written: there is no folder 'no'. Make it first."],
        ),
    ],
    ids=str,
)
def test_one_sentence_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(run("data", *arguments), *words)
    assert list(tmp_path.iterdir()) == []

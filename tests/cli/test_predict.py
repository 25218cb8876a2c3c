"""Tests of `rosenblatt predict`: it predicts the same labels as the library, for every format of rows."""

import csv
import io
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import beta
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt import NearestMean, Perceptron, datasets, load, read, save, write
from tests.cli.test_main import made, refused, run, strict_json
from tests.support.full_disk import fill

CSV = "age,colour,label\n40,red,no\n50,blue,yes\n61,green,yes\n33,red,no\n47,blue,no\n39,green,yes\n"
NUMBERS = "x,y,label\n0,0,0\n1,1,1\n0,1,0\n2,2,1\n"
SVM = "1 1:1 2:1\n-1 2:-1\n1 1:3\n-1 1:-2 3:1\n"
THREE = "x,y,label\n0,0,a\n1,0,a\n4,4,b\n5,4,b\n0,9,c\n1,9,c\n"


def trained(folder: Path, text: str, *options: object, name: str = "data.csv") -> tuple[Path, Path]:
    """The model, and the data that it was trained on."""
    path, model = made(folder, text, name), folder / "model"
    assert run("fit", path, "--out", model, *options, "--json").code == 0
    return model, path


# ---------------------------------------------------------------------------------------------------------------------
# What the library says


@pytest.mark.parametrize("text", [CSV, NUMBERS, THREE])
@pytest.mark.parametrize(
    "options",
    [
        ["--algorithm", "perceptron"],
        ["--algorithm", "voted"],
        ["--algorithm", "kozinec", "--set", "C=1"],
        ["--algorithm", "anderson"],
        ["--algorithm", "kernel"],
        ["--algorithm", "averaged", "--scale", "standardize"],
        ["--stream"],
    ],
    ids=str,
)
def test_labels_and_scores_are_those_of_the_library(tmp_path: Path, text: str, options: list[str]) -> None:
    model, path = trained(tmp_path, text, *options)
    X, fitted = read(path).X, load(model)
    labels, scores = fitted.predict(X).tolist(), fitted.decision_function(X).reshape(len(X), -1)
    assert run("predict", model, path) == (0, "".join(f"{label}\n" for label in labels), "")
    header, *rows = csv.reader(io.StringIO(run("predict", model, path, "--scores").out))
    classes = [str(label) for label in fitted.classes_]
    scored = classes if len(classes) > 2 else classes[1:]
    assert header == ["label", *(f"score of {label}" for label in scored)]
    assert rows == [[str(label), *map(str, row)] for label, row in zip(labels, scores.tolist(), strict=True)]
    lines = [strict_json(line) for line in run("predict", model, path, "--json").out.splitlines()]
    assert [line["label"] for line in lines] == labels
    assert [line["scores"] for line in lines] == [dict(zip(scored, row, strict=True)) for row in scores.tolist()]


def test_the_score_is_that_of_the_second_class(tmp_path: Path) -> None:
    """The score of a class is positive where that class is predicted."""
    model, path = trained(tmp_path, NUMBERS)
    for line in run("predict", model, path, "--json").out.splitlines():
        answer = strict_json(line)
        assert (answer["scores"]["1"] > 0) == (answer["label"] == 1)


# ---------------------------------------------------------------------------------------------------------------------
# Columns


def shuffled(text: str, seed: int) -> str:
    """The order of the columns does not matter."""
    table = [line.split(",") for line in text.splitlines()]
    order = list(range(len(table[0])))
    random.Random(seed).shuffle(order)  # noqa: S311
    return "".join(",".join(row[j] for j in order) + "\n" for row in table)


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_found_by_name(tmp_path: Path, seed: int) -> None:
    model, path = trained(tmp_path, CSV)
    other = made(tmp_path, shuffled(CSV, seed), "other.csv")
    assert run("predict", model, other, "--scores") == run("predict", model, path, "--scores")


def test_the_label_may_be_missing_and_others_be_there(tmp_path: Path) -> None:
    model, path = trained(tmp_path, CSV)
    expected = run("predict", model, path)
    bare = "".join(line.rsplit(",", 1)[0] + "\n" for line in CSV.splitlines())
    assert run("predict", model, made(tmp_path, bare, "bare.csv")) == expected
    more = "".join(f"{line},{'note' if i == 0 else f'n{i}'}\n" for i, line in enumerate(bare.splitlines()))
    assert run("predict", model, made(tmp_path, more, "more.csv")) == expected


@pytest.mark.parametrize("ending", [".parquet", ".jsonl", ".tsv", ".csv.gz"])
def test_every_format_gives_the_same(tmp_path: Path, ending: str) -> None:
    X, y = datasets.load("iris")
    write(X, y, tmp_path / "iris.csv")
    write(X, y, tmp_path / f"iris{ending}")
    model = tmp_path / "model"
    assert run("fit", tmp_path / "iris.csv", "--algorithm", "averaged", "--out", model, "--json").code == 0
    expected = run("predict", model, tmp_path / "iris.csv")
    assert run("predict", model, tmp_path / f"iris{ending}") == expected
    assert len(expected.out.splitlines()) == 150


def test_a_pipe(tmp_path: Path) -> None:
    model, path = trained(tmp_path, CSV)
    assert run("predict", model, "-", stdin=CSV) == run("predict", model, path)
    svm, sparse = trained(tmp_path, SVM, name="data.svm")
    assert run("predict", svm, "-", "--format", "libsvm", stdin=SVM) == run("predict", svm, sparse)


def test_sparse_rows_shorter_than_those_learned_from(tmp_path: Path) -> None:
    """Columns that do not occur in the rows count as zeros."""
    model, _ = trained(tmp_path, SVM, name="data.svm")
    short = run("predict", model, made(tmp_path, "1 1:1\n-1 1:-2\n", "short.svm"))
    assert short.out.split() == [str(label) for label in load(model).predict([[1, 0, 0], [-2, 0, 0]])]


FROM_0 = "1 0:1 1:-1\n-1 0:-1 1:1\n1 0:2 1:-2\n-1 0:-3 1:3\n"
HOW = [["--algorithm", "perceptron"], ["--scale", "unit"], ["--stream", "--passes", "20"], ["--stream", "--cache"]]


@pytest.mark.parametrize("options", HOW, ids=str)
def test_columns_count_from_0_as_in_training(tmp_path: Path, options: list[str]) -> None:
    """Also in rows without a column 0, whose scores are those of the same rows beside one with a column 0."""
    model, path = trained(tmp_path, FROM_0, *options, name="data.svm")
    some = made(tmp_path, "1 1:-1\n-1 1:1\n1 1:-2\n", "some.svm")
    rows, fitted = [[0, -1], [0, 1], [0, -2]], load(model)
    scores = [
        float(line["scores"]["1"])
        for line in map(strict_json, run("predict", model, some, "--json").out.split("\n")[:-1])
    ]
    assert scores == fitted.decision_function(scipy.sparse.csr_array(rows, dtype=float)).tolist()
    assert run("predict", model, some).err == share(3, 3)
    more = made(tmp_path, "1 1:-1\n-1 1:1\n1 1:-2\n-1 0:-3 1:3\n", "more.svm")
    assert (
        run("predict", model, more, "--scores").out.splitlines()[:4]
        == run("predict", model, some, "--scores").out.splitlines()
    )
    assert run("predict", model, path).err == share(4, 4)


@pytest.mark.parametrize("options", HOW, ids=str)
def test_columns_that_contradict_the_training_are_refused(tmp_path: Path, options: list[str]) -> None:
    one, _ = trained(tmp_path, "1 1:1 2:-1\n-1 1:-1 2:1\n", *options, name="one.svm")
    zero = made(tmp_path, "1 1:1\n-1 0:1\n", "zero.svm")
    told = [
        "zero.svm, line 2, column 0: columns were expected to count from 1",
        "The model was trained on columns that",
    ]
    refused(run("predict", one, zero), *told)
    wide = made(tmp_path, "1 1:1\n-1 1:2 2:1\n", "wide.svm")
    assert run("predict", one, wide).code == 0
    model, _ = trained(tmp_path, FROM_0, *options, name="data.svm")
    refused(run("predict", model, wide), "wide.svm, line 2: at most 2 columns were expected, 0 to 1")


def test_the_first_column_may_be_given(tmp_path: Path) -> None:
    """Rows that happen to have no column 0 tell nothing."""
    text = "1 1:1\n-1 1:-1\n"
    zero = made(tmp_path, "1 0:1 1:2\n-1 0:1 1:-2\n", "zero.svm")
    model, _ = trained(tmp_path, text, "--zero-based", name="data.svm")
    assert load(model).n_features_in_ == 2
    assert run("predict", model, zero).err == share(2, 2)
    model, _ = trained(tmp_path, text, "--one-based", name="data.svm")
    assert load(model).n_features_in_ == 1
    refused(run("predict", model, zero), "zero.svm, line 1, column 0: columns were expected to count from 1")
    refused(run("fit", zero, "--one-based"), "line 1, column 0: columns were expected to count from 1", "--zero-based")
    refused(run("fit", made(tmp_path, CSV), "--zero-based"), "--zero-based does not fit csv")


def test_a_model_without_a_base_takes_columns_as_the_file_does(tmp_path: Path) -> None:
    """As models that were saved before."""
    model, _ = trained(tmp_path, FROM_0, "--algorithm", "perceptron", name="data.svm")
    older = load(model)
    older.encoding_ = None
    save(older, tmp_path / "older")
    for text, rows in (("1 1:-1\n", [[-1, 0]]), ("1 1:-1\n1 0:5\n", [[0, -1], [5, 0]])):
        found = run("predict", tmp_path / "older", made(tmp_path, text, "some.svm"))
        assert found.out.split() == [str(label) for label in older.predict(scipy.sparse.csr_array(rows, dtype=float))]


@pytest.mark.parametrize("options", [[], ["--stream"], ["--hash-bits", "3"]], ids=str)
def test_a_model_with_named_columns_takes_no_libsvm_text(tmp_path: Path, options: list[str]) -> None:
    """Nothing tells which column of such a text is which name."""
    model, _ = trained(tmp_path, CSV if options else NUMBERS, *options)
    sparse = made(tmp_path, "0 1:0 2:0\n1 1:2 2:2\n", "data.svm")
    refused(run("predict", model, sparse), "data.svm: ", "LIBSVM text, whose columns have no names", "Give a table")


def test_a_model_made_in_python_with_names(tmp_path: Path) -> None:
    """It takes a table that has columns of these names, in any order, and no LIBSVM text."""
    data = read(made(tmp_path, NUMBERS))
    save(Perceptron().fit(*data), tmp_path / "model")
    table = made(tmp_path, "y,more,x\n0,7,0\n1,7,1\n", "other.csv")
    assert run("predict", tmp_path / "model", table).out.split() == ["0", "1"]
    refused(run("predict", tmp_path / "model", made(tmp_path, "0 1:0\n", "data.svm")), "Give a table", "'x', 'y'")


def test_hashed_names(tmp_path: Path) -> None:
    text = "1 | a:1 b:2\n-1 | a:-1 c:3\n1 | b:4\n-1 | c:1\n"
    model, path = trained(tmp_path, text, "--hash-bits", 6, name="data.vw")
    assert run("predict", model, path).out.split() == ["1", "-1", "1", "-1"]
    model, path = trained(tmp_path, CSV, "--hash-bits", 4, "--algorithm", "averaged")
    assert run("predict", model, path).out.split() == load(model).predict(read(path, hash_bits=4).X).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# How many are right


def share(right: int, n: int) -> str:
    """The line about the accuracy, with the interval of Clopper and Pearson by quantiles of beta distributions."""
    low = beta.ppf(0.025, right, n - right + 1) if right else 0.0
    high = beta.ppf(0.975, right + 1, n - right) if right < n else 1.0
    return f"{100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {n:,} rows are right.\n"


@pytest.mark.parametrize("target", ["label", "2", "-1"])
def test_how_many_are_right_is_said_beside(tmp_path: Path, target: str) -> None:
    model, path = trained(tmp_path, CSV, "--algorithm", "averaged", "--passes", 1)
    data = read(path)
    right = int((load(model).predict(data.X) == data.y).sum())
    assert run("predict", model, path, "--target", target) == (0, run("predict", model, path).out, share(right, 6))


def test_all_and_none_are_right(tmp_path: Path) -> None:
    model, path = trained(tmp_path, NUMBERS, "--algorithm", "kozinec")
    assert run("predict", model, path, "--target", "label").err == share(4, 4)
    wrong = "".join(
        line if i == 0 else f"{line[:-2]}{1 - int(line[-2])}\n" for i, line in enumerate(NUMBERS.splitlines(True))
    )
    assert run("predict", model, made(tmp_path, wrong, "wrong.csv"), "--target", "label").err == share(0, 4)


def test_sparse_text_has_labels_in_any_case(tmp_path: Path) -> None:
    model, path = trained(tmp_path, SVM, name="data.svm")
    assert run("predict", model, path).err == share(4, 4)
    refused(run("predict", model, path, "--target", "y"), "target")


# ---------------------------------------------------------------------------------------------------------------------
# Into a file


@pytest.mark.parametrize("options", [[], ["--scores"], ["--json"]], ids=str)
def test_out(tmp_path: Path, options: list[str]) -> None:
    model, path = trained(tmp_path, CSV)
    out = tmp_path / "answers"
    assert run("predict", model, path, "--out", out, *options) == (0, "", f"{out}: 6 labels\n")
    assert out.read_text(encoding="utf-8") == run("predict", model, path, *options).out


def test_out_is_the_old_or_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = trained(tmp_path, CSV)
    out = made(tmp_path, "old", "answers")

    fill(monkeypatch)
    ended = run("predict", model, path, "--out", out, "--force", "--target", "label")
    assert ended.code == 2
    assert "rows are right" in ended.err
    assert "answers: it cannot be written: No space left on device. There is no room" in ended.err
    assert out.read_text() == "old"


def test_labels_with_commas_and_quotes(tmp_path: Path) -> None:
    labels = ['a "b", c', "d,e"]
    out = io.StringIO()
    csv.writer(out).writerows([["x", "label"], [1, labels[0]], [5, labels[1]]])
    model, path = trained(tmp_path, out.getvalue())
    assert run("predict", model, path).out.splitlines() == labels
    rows = list(csv.reader(io.StringIO(run("predict", model, path, "--scores").out)))
    assert [row[0] for row in rows[1:]] == labels


@pytest.mark.parametrize("label", ["a\nb", "a\rb", "a\r\nb"])
def test_a_label_with_a_line_break(tmp_path: Path, label: str) -> None:
    """One label in a line is not possible; CSV and JSON quote it."""
    model, path = tmp_path / "model", tmp_path / "rows.npz"
    save(Perceptron().fit([[0.0], [1.0], [2.0]], ["c", label, label]), model)
    write([[0.0], [2.0]], ["c", label], path)
    refused(run("predict", model, path), f"The label {label!r} has a line break", "Give --json, or --scores")
    refused(run("predict", model, path, "--out", tmp_path / "out"), "has a line break")
    assert not (tmp_path / "out").exists()
    rows = list(csv.reader(io.StringIO(run("predict", model, path, "--scores").out, newline="")))
    other = max("c", label)
    assert (rows[0], [row[0] for row in rows[1:]]) == (["label", f"score of {other}"], ["c", label])
    told = run("predict", model, path, "--json").out.splitlines()
    assert [strict_json(line)["label"] for line in told] == ["c", label]


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age,color\n40,red\n", ["there is no column 'colour'", "Did you mean 'color'?"]),
        ("40,red\n", ["there is no column 'age'"]),
        ("age,colour\n40,pink\n", ["line 2, column 'colour'", "'blue', 'green', 'red'", "'pink'"]),
        ("age,colour\nold,red\n", ["line 2, column 'age'", "a number was expected", "'old'"]),
        ("age,colour\n40\n", ["line 2", "2 columns were expected"]),
        ("age,colour\n,red\n", ["line 2, column 'age'", "missing"]),
        ("", ["no rows"]),
    ],
)
def test_rows_of_another_kind(tmp_path: Path, text: str, words: list[str]) -> None:
    model, _ = trained(tmp_path, CSV)
    refused(run("predict", model, made(tmp_path, text, "other.csv")), "other.csv", *words)


def test_files_of_another_kind(tmp_path: Path) -> None:
    table, path = trained(tmp_path, CSV)
    refused(run("predict", path, path), "data.csv", "not a model")
    refused(run("predict", made(tmp_path, "", "empty"), path), "empty", "not a model")
    refused(run("predict", tmp_path, path), "it is not a file")
    refused(run("predict", table, path, "--target", "lable"), "data.csv", "Did you mean 'label'?")
    refused(run("predict", table, path, "--target", "7"), "data.csv", "no column", "7")
    refused(run("predict", table, path, "--out", tmp_path / "no" / "answers"), "answers: it cannot be written")
    sparse, _ = trained(tmp_path, SVM, name="data.svm")
    refused(run("predict", sparse, path), "data.csv: the file is a table with named columns, but this model")
    refused(run("predict", sparse, made(tmp_path, "1 9:1\n", "wide.svm")), "wide.svm, line 1", "at most 3 columns")


def test_a_model_made_in_python(tmp_path: Path) -> None:
    """Such a model knows its number of columns, but not their names."""
    X: Any = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0]]
    save(Perceptron().fit(X, [0, 0, 1, 1]), tmp_path / "model")
    svm = made(tmp_path, "0 2:1\n0 1:1\n1 1:2 2:2\n1 1:3 2:3\n", "data.svm")
    assert run("predict", tmp_path / "model", svm).out.split() == ["0", "0", "1", "1"]
    refused(run("predict", tmp_path / "model", made(tmp_path, NUMBERS)), "data.csv")


# ---------------------------------------------------------------------------------------------------------------------
# Pipelines of scikit-learn's transformers


def pipeline_of_columns(folder: Path) -> tuple[Path, Path, Any]:
    """A model of a table with words and missing cells, the table as a file, and the labels that Python predicts."""
    table = pd.read_csv(io.StringIO("age,colour\n40,red\n50,blue\n,green\n33,red\n47,blue\n39,\n"))
    labels = ["no", "yes", "yes", "no", "no", "yes"]
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer((numbers, ["age"]), (OneHotEncoder(handle_unknown="ignore"), ["colour"]))
    model = make_pipeline(columns, NearestMean()).fit(table, labels)
    save(model, folder / "model")
    path = folder / "rows.csv"
    table.assign(other=1, label=labels)[["label", "colour", "other", "age"]].to_csv(path, index=False)
    return folder / "model", path, model.predict(table).tolist()


def test_a_pipeline_with_words_and_missing_cells(tmp_path: Path) -> None:
    model, path, expected = pipeline_of_columns(tmp_path)
    found = run("predict", model, path, "--target", "label")
    assert found.code == 0
    assert found.out.split() == expected
    pd.read_csv(path).to_parquet(tmp_path / "rows.parquet")
    assert run("predict", model, tmp_path / "rows.parquet").out.split() == expected
    wrong = {
        "colour,years\nred,3\n": "there is no column 'age', which the model needs",
        "colour,age\n": "it has a header but no rows; line 1 was taken for the header",
        "colour,age\nred,1,2\n": "line 2: 2 columns were expected, as in the first line, not 3",
    }
    for text, words in wrong.items():
        refused(run("predict", model, made(tmp_path, text, "wrong.csv")), "wrong.csv", words)
    described = run("info", model, "--json")
    assert strict_json(described.out)["names"] == ["age", "colour"]


def test_a_pipeline_of_columns_reads_foreign_text(tmp_path: Path) -> None:
    """The delimiter, the decimal mark and the encoding are found, or given, as for every model."""
    model, path, expected = pipeline_of_columns(tmp_path)
    table = pd.read_csv(path)
    table["age"] += 0.25
    table.to_csv(tmp_path / "plain.csv", index=False)
    table.to_csv(tmp_path / "foreign.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    plain = run("predict", model, tmp_path / "plain.csv", "--scores")
    found = run("predict", model, tmp_path / "foreign.csv", "--scores")
    assert found.out == plain.out
    assert [line.split(",")[0] for line in found.out.splitlines()[1:]] == expected
    assert "was read with semicolons between cells, decimal commas, UTF-16 characters" in found.err
    given = run(
        "predict", model, tmp_path / "foreign.csv", "--scores", "--delimiter", "semicolon", "--decimal", "comma"
    )
    assert given.out == plain.out
    pd.read_csv(path).to_parquet(tmp_path / "rows.parquet")
    refused(run("predict", model, tmp_path / "rows.parquet", "--decimal", "comma"), "--decimal does not fit parquet")


def test_a_pipeline_of_texts_is_for_python(tmp_path: Path) -> None:
    save(make_pipeline(CountVectorizer(), NearestMean()).fit(["a few", "of them"], [0, 1]), tmp_path / "model")
    rows = made(tmp_path, CSV, "rows.csv")
    refused(run("predict", tmp_path / "model", rows), "starts with CountVectorizer, which takes no table")
    assert run("info", tmp_path / "model").code == 0

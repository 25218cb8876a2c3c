"""Broken and foreign files: what `check`, `fit`, `predict` and `info` say about each."""

import gzip
from pathlib import Path

import pytest

from tests.cli.test_main import made, refused, run, strict_json

PLAIN = "x,z,label\n1.5,2,a\n2.5,1,b\n3.25,4,a\n0.5,7,b\n4.5,2,a\n"
GERMAN = PLAIN.replace(",", ";").replace(".", ",")
READ: dict[str, tuple[bytes, str]] = {
    "semicolons": (GERMAN.encode(), "read with semicolons between cells, decimal commas;"),
    "tabs": (PLAIN.replace(",", "\t").encode(), "read with tabs between cells;"),
    "pipes": (PLAIN.replace(",", "|").encode(), "read with bars (|) between cells;"),
    "latin-1": (PLAIN.replace("a\n", "ä\n").encode("latin-1"), "read with Windows-1252 characters;"),
    "utf-16": (PLAIN.encode("utf-16"), "read with UTF-16 characters;"),
    "mark": (PLAIN.encode("utf-8-sig"), ""),
    "gzip": (gzip.compress(PLAIN.encode()), ""),
}
REFUSED: dict[str, tuple[str, list[str]]] = {
    "long": (PLAIN + "1,2,3,a\n", ["line 7: 3 columns were expected, as in the first line, not 4", "needs quotes"]),
    "short": (PLAIN + "1,a\n", ["line 7: 3 columns were expected, as in the first line, not 2", "delimiter"]),
    "twice": ("x,x,label\n1,2,a\n2,3,b\n", ["line 1: there are 2 columns 'x': the columns 1, 2", "Rename"]),
    "empty": ("", ["it has no rows; the file is empty"]),
    "header": ("x,z,label\n", ["it has a header but no rows; line 1"]),
    "excel": ("PK\x03\x04" + "x" * 99, ["it is not text but a zip archive or an Excel workbook. Save it as CSV"]),
}


def model_of_plain(folder: Path) -> Path:
    assert run("fit", made(folder, PLAIN, "plain.csv"), "--algorithm", "perceptron", "--out", folder / "m").code == 0
    return folder / "m"


@pytest.mark.parametrize("kind", READ)
def test_a_foreign_file_is_read_as_the_plain_one(tmp_path: Path, kind: str) -> None:
    """The certificate of one is true of the other, so all numbers are the same, as exact decimals."""
    text, words = READ[kind]
    plain, path = (
        made(tmp_path, PLAIN.replace("a\n", "ä\n") if kind == "latin-1" else PLAIN, "p.csv"),
        tmp_path / "f.csv",
    )
    path.write_bytes(text)
    checked = run("check", path, "--cert", tmp_path / "cert")
    told = [line for line in checked.err.splitlines() if line.startswith("note:")]
    assert (checked.code, len(told)) == (0, bool(words))
    assert all(words in line for line in told)
    assert run("verify", tmp_path / "cert", plain).out.startswith("verified")
    assert run("verify", tmp_path / "cert", path).out.startswith("verified")
    model = model_of_plain(tmp_path)
    predicted = run("predict", model, path)
    assert (predicted.code, predicted.out) == (0, run("predict", model, plain).out)
    assert words in predicted.err
    assert strict_json(run("info", path, "--json").out)["rows"] == 5


@pytest.mark.parametrize("kind", REFUSED)
def test_a_broken_file_is_refused_alike(tmp_path: Path, kind: str) -> None:
    text, words = REFUSED[kind]
    path, model = made(tmp_path, text), model_of_plain(tmp_path)
    for command in (["check"], ["fit"], ["predict", model]):
        refused(run(*command, path), "data.csv", *words)
    refused(run("fit", "--stream", path), "data.csv", *(words if kind not in ("empty", "header") else ["no rows"]))


def test_given_options_are_not_told(tmp_path: Path) -> None:
    ended = run("check", made(tmp_path, GERMAN), "--delimiter", ";", "--decimal", ",")
    assert (ended.code, ended.err) == (0, "")
    refused(run("check", made(tmp_path, PLAIN), "--delimiter", "ab"), "--delimiter must be one of the characters")
    refused(run("fit", made(tmp_path, PLAIN), "--encoding", "klingon"), "--encoding must be the name of an encoding")


GAPS = "x,colour,label\n1,red,a\n,blue,b\n3,,a\n2,blue,b\n4,red,\n1,red,a\n1,red,b\n"


def test_gaps(tmp_path: Path) -> None:
    path = made(tmp_path, GAPS)
    for command in ("check", "fit"):
        refused(run(command, path), "line 3, column 'x'", "--missing drop leaves out the rows with gaps")
    ended = run("check", path, "--missing", "drop", "--cert", tmp_path / "cert")
    assert "3 of 7 rows have gaps and were left out" in ended.err
    assert run("verify", tmp_path / "cert", path, "--missing", "drop").out.startswith("verified")
    facts = strict_json(run("fit", path, "--missing", "drop", "--algorithm", "averaged", "--json").out)
    assert (facts["rows"], facts["skipped"]) == (4, 3)
    assert "; 3 rows with gaps were left out" in run("fit", path, "--missing", "drop", "--stream").out
    complete = made(tmp_path, GAPS.replace("4,red,\n", ""), "complete.csv")
    out = run("check", complete, "--model", "logit", "--missing", "level").err
    assert "column 'x'" in out
    levels = strict_json(run("check", complete, "--model", "logit", "--missing", "mean", "--json").out)
    assert "colour[missing]" in {each["name"] for each in levels["coefficients"]}


def test_gaps_in_predict(tmp_path: Path) -> None:
    """The model has the values of training; without one, a gap is an error that says so, and no row is left out."""
    train, model = made(tmp_path, "x,label\n1,a\n,a\n5,b\n9,b\n"), tmp_path / "m"
    asked = ["--algorithm", "perceptron", "--out", model]
    assert run("fit", train, "--missing", "mean", *asked).code == 0
    filled = made(tmp_path, "x,label\n1,a\n5,a\n5,b\n9,b\n", "filled.csv")
    assert run("predict", model, train).out == run("predict", model, filled).out  # the mean of 1, 5 and 9 is 5
    assert run("fit", train, "--missing", "drop", *asked).code == 0
    refused(run("predict", model, train), "line 3, column 'x'", "The model has no value for a gap", "--missing mean")


def test_info_counts(tmp_path: Path) -> None:
    """Counted by hand: rows 0, 5 and 6 have equal columns, and one of them another label."""
    ended = run("info", made(tmp_path, GAPS), "--json")
    facts = strict_json(ended.out)
    assert [facts[name] for name in ("rows", "gaps", "rows_with_gaps", "missing_labels")] == [7, 3, 3, 1]
    assert (facts["duplicates"], facts["contradictions"]) == (1, 3)
    assert (facts["classes"], facts["class_shares"]) == ({"a": 3, "b": 3}, {"a": 0.5, "b": 0.5})
    rows = "".join(f"{i},n{i},c{i % 9},7,{'ab'[i % 2]}\n" for i in range(12))
    facts = strict_json(run("info", made(tmp_path, f"patient_id,name,code,site,label\n{rows}"), "--json").out)
    found = [facts[name] for name in ("id", "nearly_unique", "constant")]
    assert found == [["patient_id", "name"], ["code"], ["site"]]


def test_a_target_that_is_a_number(tmp_path: Path) -> None:
    text = "w,age\n" + "".join(f"{i * 37 % 101},{18 + i % 60}\n" for i in range(300))
    path = made(tmp_path, text)
    for command in (["check"], ["fit"], ["fit", "--stream"], ["trace"]):
        refused(run(*command, path), "column 'age' has 60 different whole numbers", "--target", "--categories age")
    assert "looks like a number to predict" in run("info", path).out
    assert run("fit", path, "--categories", "age", "--algorithm", "averaged", "--passes", 1).code == 0


def test_counts_of_grouped_data(tmp_path: Path) -> None:
    trials = made(tmp_path, "dose,n,killed\n1.7,59,6\n1.8,60,13\n1.9,62,18\n2.0,56,28\n")
    refused(run("check", trials), "counts of successes beside column 'n'", "--model logit --target killed --trials n")
    assert run("check", trials, "--model", "logit", "--target", "killed", "--trials", "n").code == 0
    freq = made(tmp_path, "sex,survived,Freq\nm,no,670\nm,yes,192\nf,no,106\nf,yes,296\n")
    for command in ("check", "fit"):
        refused(run(command, freq), "column 'Freq' looks like counts of equal rows", "--weight Freq", "--target")
    note = run("check", freq, "--target", "survived").err
    assert "note: column 'Freq' looks like counts of equal rows, but each line counts as one row" in note


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dose,successes,trials\n1,0,10\n2,3,10\n3,7,10\n", "--target successes --trials trials"),
        ("dose,y,n\n1,0,9\n2,3,10\n3,7,8\n", "--target y --trials n"),
        ("dose,cured,failed\n1,0,10\n2,3,7\n3,7,3\n", "--target cured --failures failed"),
    ],
)
def test_a_target_that_counts_trials_or_failures(tmp_path: Path, text: str, words: str) -> None:
    """Grouped data has the trials or the failures in its last column as often as the successes."""
    path = made(tmp_path, text)
    for command in (["check"], ["fit"], *([["fit", "--stream"]] if "10\n2,3,10" not in text else [])):
        refused(run(*command, path), "beside", f"--model logit {words} takes it so")
    assert words in run("info", path).out
    assert run("check", path, "--model", "logit", *words.split()).code == 0


def test_a_column_beside_that_is_larger_is_no_count(tmp_path: Path) -> None:
    path = made(tmp_path, "y,n\n1,2\n5,2\n3,3\n7,3\n")
    assert run("check", path).code == 0


def test_a_file_without_header_for_a_model_with_names(tmp_path: Path) -> None:
    path = made(tmp_path, "1,2\n3,4\n")
    refused(run("predict", model_of_plain(tmp_path), path), "there is no column 'x'", "The first line is no header")


@pytest.mark.parametrize("arguments", [["check"], ["fit"], ["fit", "--stream", "--classes", "a,b"]])
def test_a_table_without_a_header_is_told(tmp_path: Path, arguments: list[str]) -> None:
    rows = "1,2,a\n3,4,b\n5,7,a\n"
    plain, named = made(tmp_path, rows, "plain.csv"), made(tmp_path, f"x1,x2,x3\n{rows}", "named.csv")
    words = f"{plain} has no header: its first line holds numbers"
    assert words in run(*arguments, plain).err
    assert "has no header" not in run(*arguments, named).err

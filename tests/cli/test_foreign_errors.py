"""What the command says about files that need a way out: the same in memory and in a stream, with its own options."""

import gzip
from pathlib import Path

import pytest

from tests.cli.test_foreign_files import model_of_plain
from tests.cli.test_main import made, refused, run, strict_json

LABELLED = "x,colour,label\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "x,label\n1,a\n2,b\n-,a\n",
            ["line 4, column 'x'", "not '-'. If it stands for a missing value, leave the cell"],
        ),
        ("x,label\n1,a\n2,b\n#N/A,a\n", ["line 4, column 'x'", "not '#N/A'. If it stands for a missing value"]),
        ("x,label\n1,a\n2,b\n ,a\n", ["line 4, column 'x'", "it is missing", "mean, most-frequent, level or a number"]),
        ("x,label\n1,a\n2,b\n NA,a\n", ["line 4, column 'x'", "it is missing", "--missing drop"]),
        ("c,label\np,a\nq,b\n , \n", ["line 4", "it is missing"]),
        ("c,label\n\np,a\n\n\nq,b\n3,a\n", ["line 7, column 'c': words were expected", "--categories c"]),
        ("x,price\n1,9.5\n2,19.5\n", ["line 2, column 'price'", "not 9.5", "a number to predict", "--target"]),
        ("x,label\n1,a\n2,a\n", ["2 rows have the label 'a'; two classes are needed"]),
        ("rate,label\n14%,a\n25%,b\n", ["column 'rate': plain numbers were expected, not '14%'", "--categories rate"]),
        ("# by a tool\nx,label\n1,a\n2,b\n", ["line 1: at least two columns", "a title or a comment, delete it"]),
        ('x,label\n1,a\n2,"b\n3,a\n', ["line 3", "a quote is not closed"]),
    ],
)
def test_all_commands_say_the_same(tmp_path: Path, text: str, words: list[str]) -> None:
    path = made(tmp_path, text)
    for command in (["check"], ["fit"], ["fit", "--stream"]):
        ended = run(*command, path)
        refused(ended, "data.csv", *words)
        assert not any(word in ended.err for word in ("most_frequent", "missing=", "categories=", "classes=", "y must"))


def test_a_delimiter_at_the_end_of_each_line(tmp_path: Path) -> None:
    """It makes a last column without a value, which is no target; dropping its gaps would drop all rows."""
    path = made(tmp_path, "x,label,\n1,a,\n2,b,\n")
    for command in ("check", "fit"):
        refused(run(command, path), "column 'x3' is the target, but it has no value", "--target", "--columns")
    assert run("check", path, "--target", "label", "--columns", "x").code == 0


def test_spaces_and_gap_words_between_spaces_are_gaps(tmp_path: Path) -> None:
    """Filled by hand: the mean of 1, 3 and 5 is 3, and red is the most frequent word."""
    path = made(tmp_path, "x, colour, label\n1, red, a\n ,  , b\n3, NA, a\n5, red, b\n?, blue, b\n")
    plain = made(tmp_path, "x,colour,label\n1,red,a\n3,red,b\n3,red,a\n5,red,b\n3,blue,b\n", "plain.csv")
    assert strict_json(run("info", path, "--json").out)["gaps"] == 4
    cert = tmp_path / "cert"
    assert run("check", plain, "--cert", cert).code == 0
    filled = made(tmp_path, path.read_text().replace(" ,  ,", " , red,").replace("NA", "red"), "filled.csv")
    assert run("verify", cert, filled, "--missing", "mean").out.startswith("verified")


def test_files_with_the_wrong_name(tmp_path: Path) -> None:
    rows = made(tmp_path, '[{"x": 1, "label": "a"}, {"x": 2, "label": "b"}]', "rows.json")
    sheet, plain = made(tmp_path, "PK", "sheet.xlsx"), made(tmp_path, LABELLED, "plain.csv.gz")
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress((LABELLED * 900).encode())[:60])
    for command in (["check"], ["fit"], ["fit", "--stream"], ["predict", model_of_plain(tmp_path)]):
        refused(run(*command, sheet), "sheet.xlsx: it is not text but a workbook. Save it as CSV")
        refused(run(*command, plain), "its name says gzip, but its content is not compressed. Rename it")
        refused(run(*command, cut), "its end is missing")
        refused(run(*command, rows), "rows.json", "Write the rows as JSON lines")


def test_a_cell_above_a_mebibyte(tmp_path: Path) -> None:
    """It is a word as any other, in the first rows too; only copying such rows is refused."""
    word = "w" * (1 << 20) + "w"
    path = made(tmp_path, f"x,c,label\n5,{word},a\n1,v,b\n2,v,a\n3,v,b\n")
    for command in (["check", "--no-detail"], ["fit", "--algorithm", "averaged"], ["fit", "--stream"], ["info"]):
        assert run(*command, path).code == 0
    keep = ["--model", "logit", "--keep", tmp_path / "kept.csv"]
    refused(run("check", path, *keep), "data.csv, line 2: its lines cannot be copied: field larger")


def test_the_model_and_the_data_in_the_wrong_order(tmp_path: Path) -> None:
    path, model = made(tmp_path, LABELLED, "plain.csv"), model_of_plain(tmp_path)
    refused(run("predict", path, model), f"Give the model first: rosenblatt predict {model} {path}")


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    for extra in ([], ["--stream"]):
        ended = run("fit", made(tmp_path, LABELLED), "--categories", "color", *extra)
        refused(ended, "data.csv: --categories names 'color'", "Did you mean 'colour'?")


def test_json_that_is_cut_off(tmp_path: Path) -> None:
    path = made(tmp_path, '{"a": 1, "label": "x"}\n{"a": 2, "label":', "data.jsonl")
    for command in (["check"], ["fit"], ["fit", "--stream"]):
        refused(
            run(*command, path), "line 2: a JSON object was expected, but it is not JSON (Expecting value, character"
        )


def test_a_label_with_a_line_break_keeps_the_lines_of_the_report(tmp_path: Path) -> None:
    path = made(tmp_path, 'x,label\n1,"a\nb"\n2,c\n3,"a\nb"\n')
    for extra in ([], ["--stream"]):
        out = run("fit", path, "--algorithm", "perceptron", *extra).out
        assert "a\\nb" in out
        assert "a\nb" not in out


def test_weights_of_classes_are_no_advice_where_classes_are_even(tmp_path: Path) -> None:
    """Both classes have three rows; one pass from rows far from the origin leaves one of them unfound."""
    path = made(tmp_path, "x,label\n1001,a\n1002,b\n1001,a\n1002,b\n1001,a\n1002,b\n")
    out = run("fit", path, "--algorithm", "averaged", "--passes", "1").out
    assert "0 of 3 training rows found" in out
    assert "class_weight" not in out
    assert "--scale standardize" in out


def test_dates_are_called_dates(tmp_path: Path) -> None:
    path = made(tmp_path, "day,x,label\n2024-01-02,1,a\n2024-01-03,2,b\n")
    for command in (["check"], ["fit"], ["fit", "--stream"]):
        refused(run(*command, path), "column 'day'", "it holds dates or times. Leave it out with --columns")

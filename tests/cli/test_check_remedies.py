"""What `check --model` offers: code to paste, which runs, and the rows that are kept."""

import contextlib
import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from tests.cli.test_check_model import DOSES, DRUG, VISITS
from tests.cli.test_main import made, refused, run, strict_json


def pasted(path: Path, *options: object, keep: bool = False) -> dict[str, Any]:
    """Run the code that the command prints, in the folder of the file; return its names."""
    more = ("--keep", path.parent / "kept.csv", "--force") if keep else ()
    facts = strict_json(run("check", path, *options, *more, "--json").out)
    printed = run("check", path, *options, *more).out
    assert facts["code"].strip() in printed
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(facts["code"], names)  # noqa: S102  (this is what a user does)
    return names


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("model", ["logit", "probit"])
def test_code_for_a_logistic_regression(tmp_path: Path, model: str, keep: bool) -> None:
    """The limiting model has the finite estimates: those of a fit whose separated rows are left out by hand."""
    names = pasted(made(tmp_path, DRUG), "--model", model, keep=keep)
    assert list(names["X"].columns) == ["drug[B]", "drug[C]", "sex[m]", "age"]
    assert names["y"].tolist() == [1, 0, 0, 1, 1, 1, 0, 1, 0, 1]
    assert np.isfinite(names["firth"].coef_).all()
    assert np.isfinite(names["prior"][-1].coef_).all()
    assert list(names["Z"].columns) == ["const", "drug[C]", "age", "sex[m]"]
    by_hand = pd.read_csv(tmp_path / "data.csv").query("drug != 'B'")
    X = pd.DataFrame({"c": by_hand.drug == "C", "age": by_hand.age, "m": by_hand.sex == "m"}, dtype=float)
    assert names["Z"].to_numpy()[:, 1:].tolist() == X.to_numpy().tolist()
    assert np.isfinite(sm.Logit(names["kept_y"], names["Z"]).fit(disp=0).params).all()
    assert list(names["smaller"].columns) == ["drug[C]", "sex[m]", "age"]


def test_code_for_grouped_data(tmp_path: Path) -> None:
    path = made(tmp_path, DOSES)
    for options in (("--trials", "n"),):
        names = pasted(path, "--target", "dead", *options, "--model", "logit", keep=True)
        assert (len(names["y"]), int(names["y"].sum())) == (23, 7)
        assert list(names["Z"].columns) == ["const", "dose"]
    failures = made(tmp_path, "dose,kind,dead,alive\n1,a,1,3\n2,a,2,2\n3,a,4,0\n1,b,0,3\n2,b,0,3\n3,b,0,5\n", "f.csv")
    names = pasted(failures, "--target", "dead", "--failures", "alive", "--model", "logit")
    assert (len(names["y"]), int(names["y"].sum())) == (23, 7)


def test_failures_are_trials_less_successes(tmp_path: Path) -> None:
    failures = made(tmp_path, "dose,kind,dead,alive\n1,a,1,3\n2,a,2,2\n3,a,4,0\n1,b,0,3\n2,b,0,3\n3,b,0,5\n", "f.csv")
    cert = tmp_path / "cert.json"
    options = ("--target", "dead", "--failures", "alive")
    out = run("check", failures, *options, "--model", "logit", "--cert", cert, "--json").out
    trials = run("check", made(tmp_path, DOSES), "--target", "dead", "--trials", "n", "--model", "logit", "--json").out
    assert strict_json(out)["coefficients"] == strict_json(trials)["coefficients"]
    assert run("verify", cert, failures, *options).out.startswith("verified: estimates")
    hint = "If check had --formula, --trials, --failures, --weight"
    ended = run("verify", cert, failures, "--target", "dead")
    assert (ended.code, hint in ended.out) == (1, True)
    assert hint not in run("verify", cert, failures, "--target", "dead", "--failures", "dose").out


def test_code_for_weights_and_counts(tmp_path: Path) -> None:
    path = made(tmp_path, "treated,w,y\n1,1,well\n1,2,well\n1,0,ill\n0,1,ill\n0,3,well\n")
    names = pasted(path, "--model", "logit", "--weight", "w", keep=True)
    assert (len(names["X"]), names["kept_y"].tolist()) == (7, [0, 1, 1, 1])
    names = pasted(made(tmp_path, VISITS), "--model", "poisson")
    assert names["y"].tolist() == [0, 0, 2, 1, 0]
    assert list(names["Z"].columns) == ["const", "age"]
    assert np.isfinite(names["prior"][-1].coef_).all()
    rest = made(tmp_path, "x,w,y\n1,0.5,well\n0,1,ill\n", "rest.csv")
    assert strict_json(run("check", rest, "--model", "logit", "--weight", "w", "--json").out)["code"] is None


def test_code_for_classes_and_files_of_other_kinds(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\n0,a\n1,b\n2,c\n3,c\n1,a\n")
    names = pasted(path, "--model", "multinomial")
    assert names["prior"][-1].coef_.shape == (3, 1)
    tabs = made(tmp_path, DRUG.replace(",", "\t"), "drug.tsv")
    assert len(pasted(tabs, "--model", "logit", keep=True)["kept_y"]) == 7
    bare = made(tmp_path, "1,5,a\n2,3,a\n3,4,b\n4,1,b\n", "bare.csv")
    assert list(pasted(bare, "--model", "logit")["X"].columns) == ["x1", "x2"]
    spaced = made(tmp_path, DRUG.replace(",", ", "), "spaced.csv")
    assert pasted(spaced, "--model", "logit")["y"].sum() == 6
    frame = tmp_path / "drug.parquet"
    pd.read_csv(made(tmp_path, DRUG)).to_parquet(frame)
    assert len(pasted(frame, "--model", "logit")["kept_y"]) == 7
    assert "import pandas" not in run("check", "-", "--model", "logit", stdin=DRUG).out


def test_columns_that_depend_on_others_are_left_out(tmp_path: Path) -> None:
    """The column twice is 2 age; on the rows that are kept, one is 1."""
    rows = [row.split(",") for row in DRUG.splitlines()[1:]]
    text = "one,age,twice,cured\n" + "".join(
        f"{int(drug != 'B')},{age},{2 * int(age)},{cured}\n" for drug, age, _, cured in rows
    )
    names = pasted(made(tmp_path, text), "--model", "logit", keep=True)
    assert list(names["X"].columns) == ["one", "age"]
    assert list(names["Z"].columns) == ["const", "age"]
    assert np.isfinite(names["firth"].coef_).all()


def test_the_rows_that_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "kept.csv"
    text = 'drug,"a note",cured\n' + "".join(
        f'{row.split(",")[0]},"{i}, and ""more""",{row.split(",")[3]}\n' for i, row in enumerate(DRUG.splitlines()[1:])
    )
    path = made(tmp_path, text)
    ended = run("check", path, "--model", "logit", "--columns", "drug", "--keep", kept)
    assert (ended.code, ended.err) == (0, f"{kept}: 7 rows\n")
    with path.open(newline="") as given, kept.open(newline="") as written:
        header, *rows = csv.reader(given)
        assert list(csv.reader(written)) == [header, *(row for row in rows if row[0] != "B")]
    refused(
        run("check", path, "--model", "logit", "--columns", "drug", "--keep", path), "this is the file that is read"
    )
    refused(run("check", path, "--model", "logit", "--columns", "drug", "--keep", kept), "a file of this name exists")
    refused(run("check", "-", "--model", "logit", "--keep", tmp_path / "k.csv", stdin=DRUG), "one CSV or TSV file")


def test_counts_need_not_be_whole(tmp_path: Path) -> None:
    path = made(tmp_path, "insured,site,visits\n1,a,0\n1,b,0.0\n0,a,2.5\n0,b,1\n0,a,0\n")
    facts = strict_json(run("check", path, "--model", "poisson", "--json").out)
    assert facts["coefficients"][0] == {"name": "insured", "status": "-inf"}
    assert facts["separated_rows"] == [0, 1]
    cert = tmp_path / "cert.json"
    run("check", path, "--model", "poisson", "--cert", cert)
    assert run("verify", cert, path).out.startswith("verified: estimates")
    refused(run("check", made(tmp_path, "x,n\n1,0\n2,two\n"), "--model", "poisson"), "y must be numbers")


def test_what_is_said_about_columns(tmp_path: Path) -> None:
    path = made(tmp_path, "site,x,y\nu,1,a\nu,2,b\nu,3,a\nu,4,b\n")
    out = run("check", path, "--model", "logit").out
    assert "Column 'site' has only the value 'u', so it has no coefficient.\n" in out
    gap = made(tmp_path, "d,x,y\na,1,0\n,2,1\nb,3,0\nb,4,1\n", "gap.csv")
    refused(
        run("check", gap, "--model", "logit", "--missing", "0"), "row 1 has no word in column 'd'", "--missing level"
    )
    words = made(tmp_path, "x,w,y\n1,1,a\n2,oops,b\n3,1,a\n4,1,b\n", "words.csv")
    refused(run("check", words, "--model", "logit", "--weight", "w"), "The column of --weight must be numbers.")
    refused(run("check", path, "--failures", "x"), "--failures is for regressions")
    refused(run("check", path, "--model", "poisson", "--failures", "x"), "--failures is for --model logit")
    refused(run("check", path, "--model", "logit", "--failures", "x", "--trials", "x"), "not both")
    drug = made(tmp_path, DRUG, "drug.csv")
    refused(
        run("check", drug, "--model", "logit", "--failures", "age"), "column 'cured' must have numbers of successes"
    )

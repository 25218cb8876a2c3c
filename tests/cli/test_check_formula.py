"""`rosenblatt check --formula`: a regression as a formula."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_check_model import DOSES, DRUG
from tests.cli.test_main import Ended, made, refused, run, strict_json

GROUPS = "dose,good,bad\n1,1,3\n2,2,2\n3,4,0\n1,3,1\n"


def statuses(path: Path, *options: str) -> dict[str, str]:
    facts = strict_json(run("check", path, "--model", "logit", "--json", *options).out)
    return {part["name"]: part["status"] for part in facts["coefficients"]}


def test_the_formula_names_the_target_and_the_columns(tmp_path: Path) -> None:
    """The target is not the last column, and a column that is not named may have empty cells."""
    path = made(
        tmp_path, "cured,drug,age,note\nyes,A,30,\nno,A,41,\nno,A,50,x\nyes,B,33,\nyes,B,47,\nno,C,38,\nyes,C,44,\n"
    )
    out = run("check", path, "--model", "logit", "--formula", "cured ~ drug + age").out
    assert out.startswith("quasi - 1 of 4 estimates of this logit regression is infinite: drug[B].")
    assert "Look at: all 2 rows with drug = 'B' have cured = 'yes' (rows 3 and 4)." in out


def test_a_formula_without_extras_is_the_plain_regression(tmp_path: Path) -> None:
    path = made(tmp_path, DRUG)
    plain = statuses(path)
    assert statuses(path, "--formula", "cured ~ drug + age + sex") == plain
    assert statuses(path, "--formula", "cured ~ .", "--target", "cured") == plain
    assert statuses(path, "--formula", "cured ~ . - sex") == statuses(path, "--columns", "drug,age")
    assert statuses(path, "--formula", "cured ~ age - 1") == statuses(path, "--columns", "age", "--no-intercept")


def test_categories_of_numbers_and_interactions(tmp_path: Path) -> None:
    """In stage 3 everybody was cured; in stage 2 every woman."""
    path = made(
        tmp_path, "stage,sex,cured\n1,m,yes\n1,m,no\n1,f,yes\n1,f,no\n2,m,yes\n2,m,no\n2,f,yes\n3,m,yes\n3,f,yes\n"
    )
    out = run("check", path, "--model", "logit", "--formula", "cured ~ C(stage)").out
    assert "C(stage)[2]  finite\nC(stage)[3]  +inf\n" in out
    assert "all 2 rows with stage = 3 have cured = 'yes' (rows 7 and 8)." in out
    both = statuses(path, "--formula", "cured ~ C(stage)*sex")
    assert (both["C(stage)[2]"], both["C(stage)[2]:sex[m]"], both["sex[m]"]) == ("+inf", "-inf", "finite")


@pytest.mark.parametrize("left", ["good + bad", "cbind(good, bad)"])
def test_successes_and_failures(tmp_path: Path, left: str) -> None:
    facts = strict_json(run("check", made(tmp_path, GROUPS), "--model", "logit", "--formula", f"{left} ~ C(dose)",
                            "--json").out)  # fmt: skip
    assert {part["name"]: part["status"] for part in facts["coefficients"]} == {
        "C(dose)[2]": "finite",
        "C(dose)[3]": "+inf",
        "(intercept)": "finite",
    }
    assert facts["cells"] == ["the row with dose = 3 has only successes (row 2)"]


def test_few_failures_beside_many_successes(tmp_path: Path) -> None:
    """As a float the number of trials in the first row would be that of its successes."""
    path = made(tmp_path, "x,good,bad\n0,100000000000000000,1\n1,1,1\n")
    assert statuses(path, "--formula", "good + bad ~ x") == {"x": "finite", "(intercept)": "finite"}


def test_trials_and_weights(tmp_path: Path) -> None:
    path = made(tmp_path, DOSES)
    assert statuses(path, "--formula", "dead ~ .", "--trials", "n") == statuses(
        path, "--target", "dead", "--trials", "n"
    )
    weighed = made(tmp_path, "treated,w,y\n1,1,well\n1,2,well\n1,0,ill\n0,1,ill\n0,1,well\n", "w.csv")
    assert statuses(weighed, "--formula", "y ~ treated", "--weight", "w")["treated"] == "+inf"
    assert statuses(weighed, "--formula", "y ~ treated")["treated"] == "finite"


def test_a_certificate_of_a_formula(tmp_path: Path) -> None:
    path, cert, formula = made(tmp_path, DRUG), tmp_path / "cert.json", "cured ~ drug:age - 1"
    run("check", path, "--model", "logit", "--formula", formula, "--cert", cert)
    assert run("verify", cert, path, "--formula", formula).out.startswith("verified: estimates")
    assert run("verify", cert, path, "--formula", "cured ~ drug - 1").out.startswith("refused: estimates")
    assert run("verify", cert, path).code == 1


def test_standard_input(tmp_path: Path) -> None:
    """It can be read only once."""
    command = [sys.executable, "-m", "rosenblatt.cli", "check", "-", "--model", "logit", "--formula", "cured ~ ."]
    ended = subprocess.run(command, input=DRUG, capture_output=True, text=True, cwd=tmp_path)
    assert ended.stdout.startswith("quasi - 1 of 5 estimates")


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, DRUG)

    def ask(formula: str, *options: str) -> Ended:
        return run("check", path, "--model", "logit", "--formula", formula, *options)

    refused(run("check", path, "--formula", "cured ~ age"), "--formula is for regressions", "--model logit")
    refused(ask("cured ~ age", "--target", "sex"), "--target is 'sex', but --formula begins with 'cured'")
    refused(ask("cured ~ age", "--columns", "age"), "leave --columns out")
    refused(ask("cured ~ age", "--no-intercept"), "a formula without intercept ends with - 1")
    refused(ask("cured ~ drugs"), "there is no column 'drugs'", "Did you mean 'drug'?")
    refused(ask("curd ~ drug"), "there is no column 'curd'", "Did you mean 'cured'?")
    refused(ask("cured + age"), "--formula must be like 'y ~ x1 + x2'")
    refused(ask("cured ~ (drug"), "cannot be read")
    refused(ask("cured ~ np.log(drug)"), "cannot be evaluated")
    refused(ask("cured ~ 1"), "--formula must have a column on its right side")
    refused(ask("I(age > 40) ~ drug"), "The left side of --formula must be a column")
    refused(ask("cured ~ drug", "--weight", "cured"), "column 'cured' is the target")
    refused(ask("cured ~ drug", "--weight", "sex"), "column 'sex' of --weight must be numbers")
    refused(ask("cured ~ .", "--weight", "agee"), "there is no column 'agee'", "Did you mean 'age'?")
    refused(ask("cured + age ~ drug"), "column 'cured' must have numbers of successes")
    refused(ask("age + stage ~ drug", "--trials", "age"), "leave --trials out")
    monkeypatch.setitem(sys.modules, "formulaic", None)
    refused(ask("cured ~ drug"), "rosenblatt[formula]")

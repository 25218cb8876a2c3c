"""`rosenblatt check --model`: which estimates of a regression are infinite."""

import json
from pathlib import Path

import pytest

from tests.cli.test_main import made, refused, run, strict_json

DRUG = """drug,age,sex,cured
A,30,m,yes
A,41,f,no
A,50,m,no
B,33,f,yes
B,47,m,yes
B,52,f,yes
C,38,m,no
C,44,f,yes
C,58,f,no
C,61,m,yes
"""
DOSES = "dose,kind,dead,n\n1,a,1,4\n2,a,2,4\n3,a,4,4\n1,b,0,3\n2,b,0,3\n3,b,0,5\n"
VISITS = "insured,age,visits\n1,30,0\n1,45,0\n0,31,2\n0,50,1\n0,42,0\n"


def test_the_answer_comes_first(tmp_path: Path) -> None:
    ended = run("check", made(tmp_path, DRUG), "--model", "logit")
    assert ended.code == 0
    assert ended.out.startswith(
        "quasi - 1 of 5 estimates of this logit regression is infinite: drug[B]. 3 of 10 rows are separated.\nProved.\n"
        "\n"
        "coefficient  estimate\n"
        "drug[B]      +inf\n"
        "drug[C]      finite\n"
        "age          finite\n"
        "sex[m]       finite\n"
        "(intercept)  finite\n"
        "\n"
        "Look at: all 3 rows with drug = 'B' have cured = 'yes' (rows 3, 4 and 5).\n"
        "\n"
        "What to do. Do not report the numbers and standard errors that a fit prints for infinite estimates."
    )


def test_json(tmp_path: Path) -> None:
    facts = strict_json(run("check", made(tmp_path, DRUG), "--model", "probit", "--json").out)
    assert facts["coefficients"][0] == {"name": "drug[B]", "status": "+inf"}
    assert (facts["kind"], facts["separated_rows"], len(facts["kept_rows"])) == ("quasi", [3, 4, 5], 7)
    assert facts["cells"] == ["all 3 rows with drug = 'B' have cured = 'yes' (rows 3, 4 and 5)"]


def test_trials(tmp_path: Path) -> None:
    """No animal of kind b died, so its coefficient is minus infinity."""
    facts = strict_json(run("check", made(tmp_path, DOSES), "--target", "dead", "--trials", "n", "--model", "logit",
                            "--json").out)  # fmt: skip
    status = {part["name"]: part["status"] for part in facts["coefficients"]}
    assert status == {"dose": "finite", "kind[b]": "-inf", "(intercept)": "finite"}
    assert facts["cells"] == ["all 3 rows with kind = 'b' have only failures (rows 3, 4 and 5)"]


def test_weights_of_0_do_not_count(tmp_path: Path) -> None:
    """The one ill patient who was treated has the weight 0."""
    path = made(tmp_path, "treated,w,y\n1,1,well\n1,2,well\n1,0,ill\n0,1,ill\n0,1,well\n")
    out = run("check", path, "--model", "logit", "--weight", "w").out
    assert out.startswith("quasi - 1 of 2 estimates of this logit regression is infinite: treated. 2 of 5 rows")
    assert "all 2 rows with treated = 1 have y = 'well' (rows 0 and 1)." in out
    assert run("check", path, "--model", "logit", "--columns", "treated").out.startswith("none - ")


def test_counts(tmp_path: Path) -> None:
    out = run("check", made(tmp_path, VISITS), "--model", "poisson").out
    assert "insured      -inf" in out
    assert "all 2 rows with insured = 1 have a count of 0 (rows 0 and 1)." in out


def test_classes_and_their_reference(tmp_path: Path) -> None:
    path = made(tmp_path, "x,kind\n0,a\n1,b\n2,c\n3,c\n1,a\n")
    facts = strict_json(run("check", path, "--model", "multinomial", "--reference", "c", "--json").out)
    assert [(part["class"], part["name"]) for part in facts["coefficients"]] == [
        ("a", "x"), ("a", "(intercept)"), ("b", "x"), ("b", "(intercept)"),
    ]  # fmt: skip
    refused(run("check", path, "--model", "multinomial", "--reference", "d"), "--reference names 'd'", "a, b, c")


def test_classes_in_order(tmp_path: Path) -> None:
    path = made(tmp_path, "x,size\n1,low\n2,mid\n3,high\n4,high\n")
    assert run("check", path, "--model", "ordinal").out.startswith("none - ")  # high, low, mid
    out = run("check", path, "--model", "ordinal", "--classes", "low,mid,high").out
    assert out.startswith("complete - 3 of 3 estimates of this ordinal regression are infinite: x, low|mid, mid|high.")


def test_counts_that_are_all_0(tmp_path: Path) -> None:
    out = run("check", made(tmp_path, "x,n\n0,0\n1,0\n2,0\n"), "--model", "poisson").out
    assert out.startswith("complete - ")


def test_a_column_that_separates_alone(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * i % 7},{'high' if i > 5 else 'low'}\n" for i in range(12))
    out = run("check", made(tmp_path, f"leak,x,y\n{rows}"), "--model", "logit").out
    assert out.startswith("complete - ")
    assert "leak alone separates the outcomes: rows up to 5 have y = 'low', rows from 6 have y = 'high'" in " ".join(
        out.split()
    ).replace("Leak alone", "leak alone")


def test_a_certificate_is_written_and_verified(tmp_path: Path) -> None:
    path, cert = made(tmp_path, DOSES), tmp_path / "cert.json"
    ended = run("check", path, "--target", "dead", "--trials", "n", "--model", "logit", "--cert", cert)
    assert (ended.code, ended.err) == (0, f"certificate: {cert}\n")
    checked = run("verify", cert, path, "--target", "dead", "--trials", "n")
    assert (checked.code, checked.out.splitlines()[0]) == (0, "verified: estimates")
    assert run("verify", cert, made(tmp_path, DOSES.replace("3,b,0,5", "3,b,1,5"), "b.csv"), "--target", "dead",
               "--trials", "n").code == 1  # fmt: skip
    body = json.loads(cert.read_text())
    body["estimates"]["coefficients"][0]["status"] = "+inf"
    cert.write_text(json.dumps(body))
    assert run("verify", cert, path, "--target", "dead", "--trials", "n").out.startswith("refused: estimates")


def test_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.base.deadline import OutOfTime
    from rosenblatt.proof.regression import estimates

    def late(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(estimates, "cone_of", late)
    ended = run("check", made(tmp_path, DRUG), "--model", "logit", "--time-limit", "1")
    assert ended.code == 1
    assert ended.out.startswith("undecided - the time ran out before a proof was found.")
    assert "--time-limit" in ended.out


def test_what_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, DRUG)
    refused(run("check", path, "--trials", "age"), "--trials is for regressions", "--model logit")
    refused(run("check", path, "--no-intercept"), "--no-intercept is for regressions")
    refused(run("check", path, "--model", "logit", "--no-detail"), "--expect and --no-detail are for verdicts")
    refused(run("check", path, "--model", "logit", "--classes", "yes,na"), "--classes names 'na'", "no, yes")
    refused(run("check", path, "--model", "logit", "--reference", "yes"), "--reference is for --model multinomial")
    refused(run("check", path, "--model", "logit", "--weight", "cured"), "column 'cured' is the target")
    refused(
        run("check", path, "--model", "logit", "--weight", "agee"), "there is no column 'agee' for --weight", "'age'"
    )
    refused(run("check", path, "--model", "logit", "--weight", "sex"), "column 'sex' of --weight must be numbers")
    refused(run("check", path, "--model", "logit", "--target", "drug"), "data.csv", "needs two classes; column")
    refused(run("check", tmp_path / "no.csv", "--model", "logit"), "no such file")
    refused(run("check", made(tmp_path, "1 1:1\n0 1:2\n", "a.svm"), "--model", "logit"), "a table with names")


def test_a_column_of_many_levels(tmp_path: Path) -> None:
    """The design is sparse. The level p7 has one outcome, and so has no finite estimate."""
    lines = [f"p{t},{t % 4 + (k in (1, 2))},{'ny'[k % 2 if t != 7 else 1]}" for t in range(300) for k in range(4)]
    path, proof = made(tmp_path, "\n".join(["patient,dose,cured", *lines, ""])), tmp_path / "proof.json"
    facts = strict_json(run("check", path, "--model", "logit", "--cert", proof, "--json").out)
    infinite = [part["name"] for part in facts["coefficients"] if part["status"] != "finite"]
    assert (infinite, facts["separated_rows"]) == (["patient[p7]"], [28, 29, 30, 31])
    assert facts["cells"] == ["all 4 rows with patient = 'p7' have cured = 'y' (rows 28, 29, 30 and 31)"]
    assert run("verify", proof, path).code == 0

"""What `check` says about columns: those that tell the label, those that separate, and coefficients."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.test_main import made, refused, run, strict_json

LEAK = "race,age,kind\n" + "".join(
    f"{'unknown' if i < 40 else 'pq'[i % 2]},{i * 7 % 50},{'injured' if i < 50 else 'well'}\n" for i in range(90)
)
AGES, DOSES = [30, 50, 20, 60, 44, 10, 20], [20, 14, 30, 2, 9, 12, 19]
PAIR = "age,dose,ward,state\n" + "".join(
    f"{age},{dose},{'1221212'[i]},{'cured' if i < 3 else 'ill'}\n"
    for i, (age, dose) in enumerate(zip(AGES, DOSES, strict=True))
)


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_level_that_tells_the_label_is_named_first(tmp_path: Path) -> None:
    verdict, first, *_ = run("check", made(tmp_path, LEAK)).out.split("\n\n")
    assert verdict.startswith("weak - ")
    assert words(first) == (
        "Look at first: race = 'unknown' occurs only in class 'injured' (40 rows). If such a column is known only "
        "after the label, leave it out."
    )


def test_coefficients_without_a_model(tmp_path: Path) -> None:
    """The level 'unknown' is not the reference level, which is the first word, p."""
    out = run("check", made(tmp_path, LEAK)).out
    table = (
        "A logistic regression on these columns:\n\n"
        "coefficient    estimate\nrace[q]        finite\nrace[unknown]  -inf\n"
        "age            finite\n(intercept)    finite\n"
    )
    assert table in out
    facts = strict_json(run("check", made(tmp_path, LEAK), "--json").out)
    assert facts["coefficients"][1] == {"name": "race[unknown]", "status": "-inf"}
    assert facts["telling"] == [
        {"kind": "value", "column": "race", "rows": 40, "class": "injured",
         "text": "race = 'unknown' occurs only in class 'injured' (40 rows)"}
    ]  # fmt: skip
    assert [one["columns"] for one in facts["culprits"]] == [["race=unknown"]]
    assert facts["culprits"][0]["rows"] == 40


def test_a_pair_of_columns(tmp_path: Path) -> None:
    out = words(run("check", made(tmp_path, PAIR)).out)
    assert "Columns. No single column separates the classes, but a pair does: " in out
    facts = strict_json(run("check", made(tmp_path, PAIR), "--json").out)
    (one,) = facts["culprits"]
    assert (one["columns"], one["minimal"], one["rows"]) == (["age", "dose"], True, 7)
    w, bar = [Fraction(weight) for weight in one["weights"]], Fraction(one["threshold"])
    assert [w[0] * age + w[1] * dose < bar for age, dose in zip(AGES, DOSES, strict=True)] == [True] * 3 + [False] * 4


def test_signs_at_the_largest_margin(tmp_path: Path) -> None:
    """The nearest points of the hulls are known by hand: the weights are (2, 0) first, then (2, 1)."""
    path = made(tmp_path, "x1,x2,y\n0,0,a\n0,3,a\n2,1,b\n2,2.5,b\n")
    assert "x2           infinite, sign undetermined\n" in run("check", path, "--model", "logit").out
    path = made(tmp_path, "x1,x2,y\n0,0,a\n-4,3,a\n2,1,b\n5,-2,b\n")
    out = run("check", path, "--model", "logit").out
    assert "x2           infinite, sign undetermined (+ at the largest margin)\n" in out
    facts = strict_json(run("check", path, "--json").out)
    assert facts["coefficients"][1] == {"name": "x2", "status": "undetermined", "sign_at_largest_margin": "+"}


def test_overlap_has_no_culprits(tmp_path: Path) -> None:
    facts = strict_json(run("check", made(tmp_path, "x,kind\n0,a\n1,b\n2,a\n"), "--json").out)
    assert (facts["culprits"], facts["coefficients"], facts["telling"]) == (None, None, [])


def test_three_classes(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 5 % 7},{'abc'[min(2, i // 10)]}\n" for i in range(30))
    first = run("check", made(tmp_path, f"id,x,kind\n{rows}")).out.split("\n\n")[1]
    assert words(first).startswith(
        "Look at first: id alone tells the class: 'a' from 0 to 9, 'b' from 10 to 19, 'c' from 20 to 29."
    )


def test_two_of_three_classes(tmp_path: Path) -> None:
    rows = "".join(f"{i % 10 + 20 * (i // 20)},{i * 5 % 7},{'abc'[min(2, i // 10)]}\n" for i in range(30))
    path = made(tmp_path, f"x,z,kind\n{rows}")
    out = words(run("check", path, "--classes", "b,c").out)
    assert "x alone separates the classes: up to 9 'b', from 20 'c'" in out


def test_many_coefficients_are_cut(tmp_path: Path) -> None:
    header = ",".join(f"c{j}" for j in range(40))
    rows = "".join(",".join(str((i * (j + 3)) % 11) for j in range(39)) + f",{i},{'ab'[i > 20]}\n" for i in range(60))
    out = run("check", made(tmp_path, f"{header},kind\n{rows}")).out
    assert out.count("\nc") <= 31
    assert "\nand 11 more, " in out


def test_no_table_for_columns_without_names(tmp_path: Path) -> None:
    path = made(tmp_path, "-1 1:1\n-1 1:2\n1 1:3\n1 1:5\n", "a.svm")
    assert "logistic regression on these columns" not in run("check", path).out
    facts = strict_json(run("check", path, "--json").out)
    assert (facts["culprits"][0]["columns"], facts["coefficients"]) == (["x1"], None)


@pytest.mark.parametrize("limit", ["0.000001"])
def test_a_time_limit_leaves_columns_out(tmp_path: Path, limit: str) -> None:
    ended = run("check", made(tmp_path, LEAK), "--time-limit", limit, "--json")
    facts = strict_json(ended.out)
    assert (facts["culprits"], facts["coefficients"]) == (None, None)


def test_keep_is_for_regressions(tmp_path: Path) -> None:
    refused(run("check", made(tmp_path, LEAK), "--keep", tmp_path / "kept.csv"), "--keep is for regressions")

"""Formulas: the answers are those for arrays made by hand."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rosenblatt import DataError, MissingExtraError, ParameterError, estimates
from rosenblatt.proof.model_objects import formula_design
from tests.support.effort import by_day
from tests.support.estimates_oracle import Regression, truth
from tests.support.patients import AGE, CURED, IS_B, IS_C, PATIENTS, PLAIN, ROWS, STAGES, agree


@pytest.mark.parametrize(
    "made", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
def test_a_formula(made: Any) -> None:
    found = estimates("cured ~ drug + age", made(PATIENTS))
    assert found.names == ["drug[B]", "drug[C]", "age", "(intercept)"]
    assert found.statuses == PLAIN.statuses
    agree(found, PLAIN)
    assert found == estimates("cured ~ drug + age", data=made(PATIENTS))
    assert found.certificate is not None
    assert found.certificate.verify(ROWS, CURED)


@pytest.mark.parametrize(
    ("formula", "names", "columns", "intercept"),
    [
        ("cured ~ drug + age - 1", ["drug[A]", "drug[B]", "drug[C]", "age"], [1 - IS_B - IS_C, IS_B, IS_C, AGE], False),
        ("cured ~ 0 + age", ["age"], [AGE], False),
        ("cured ~ C(stage)", ["C(stage)[2]", "C(stage)[3]"], STAGES, True),
        (
            "cured ~ drug:age",
            ["drug[A]:age", "drug[B]:age", "drug[C]:age"],
            [(1 - IS_B - IS_C) * AGE, IS_B * AGE, IS_C * AGE],
            True,
        ),
        (
            "cured ~ C(stage)*drug",
            [
                "C(stage)[2]",
                "C(stage)[3]",
                "drug[B]",
                "drug[C]",
                "C(stage)[2]:drug[B]",
                "C(stage)[3]:drug[B]",
                "C(stage)[2]:drug[C]",
                "C(stage)[3]:drug[C]",
            ],
            [*STAGES, IS_B, IS_C, *(stage * drug for drug in (IS_B, IS_C) for stage in STAGES)],
            True,
        ),
        (
            "cured ~ {age ** 2} + np.sqrt(stage)",
            ["age ** 2", "np.sqrt(stage)"],
            [AGE**2, np.sqrt(PATIENTS["stage"])],
            True,
        ),
        ("cured ~ . - visits - size - stage", ["drug[B]", "drug[C]", "age"], [IS_B, IS_C, AGE], True),
        ("I(cured < 1) ~ age", ["age"], [-AGE], True),
    ],
)
def test_names_and_the_intercept_are_those_of_the_formula(
    formula: str, names: list[str], columns: list[Any], intercept: bool
) -> None:
    found = estimates(formula, PATIENTS)
    assert found.names == [*names, *["(intercept)"] * intercept]
    assert found.statuses == estimates(np.column_stack(columns), CURED, intercept=intercept).statuses


def test_random_frames_against_the_oracle() -> None:
    """The columns of an interaction are written by hand, and the oracle is exact."""
    rng, seen = np.random.default_rng(0), set()
    for _ in range(by_day(25, 500)):
        frame = pd.DataFrame({"f": [*"abc", *rng.choice(list("abc"), 7)], "x": rng.integers(-2, 3, 10)})
        frame["y"] = [0, 1, *rng.integers(0, 2, 8)]
        b, c, x = (frame["f"] == "b").astype(int), (frame["f"] == "c").astype(int), frame["x"]
        known = truth(Regression(np.column_stack([b, c, x, b * x, c * x]).tolist(), frame["y"].tolist(), "logit", {}))
        found = estimates("y ~ f*x", frame)
        assert found.names == ["f[b]", "f[c]", "x", "f[b]:x", "f[c]:x", "(intercept)"]
        assert (found.statuses, found.kind, found.separated_rows.tolist()) == (
            known.statuses, known.kind, known.separated,
        )  # fmt: skip
        seen |= set(found.statuses)
    assert len(seen) == 5


def test_a_formula_with_a_constant_only() -> None:
    assert estimates("cured ~ 1", PATIENTS).status == {"(intercept)": "finite"}
    assert estimates("visits ~ 1", PATIENTS.assign(visits=0), model="poisson").status == {"(intercept)": "-inf"}


def test_the_left_side_is_not_coded() -> None:
    words = estimates("size ~ drug + age", PATIENTS, model="multinomial", reference="s")
    assert words.status == dict(
        zip(words.names, estimates(ROWS, PATIENTS["size"], model="multinomial", reference="s").statuses, strict=True)
    )
    order = pd.Categorical(PATIENTS["size"], categories=["s", "m", "l"], ordered=True)
    ordered = estimates("size ~ drug + age", PATIENTS.assign(size=order), model="ordinal")
    assert ordered.names == ["drug[B]", "drug[C]", "age", "s|m", "m|l"]
    agree(ordered, estimates(ROWS, PATIENTS["size"], model="ordinal", classes=["s", "m", "l"]))
    agree(
        estimates("visits ~ drug + age", PATIENTS, model="poisson"),
        estimates(ROWS, PATIENTS["visits"], model="poisson"),
    )
    agree(estimates("cured ~ drug + age", PATIENTS.astype({"cured": bool})), PLAIN)


@pytest.mark.parametrize("left", ["good + bad", "cbind(good, bad)"])
def test_successes_and_failures(left: str) -> None:
    groups = pd.DataFrame(
        {"good": [1, 2, 4, 0, 3], "bad": [3, 2, 0, 0, 1], "dose": [1, 2, 3, 9, 1], "n": [4, 4, 4, 0, 4]}
    )
    found = estimates(f"{left} ~ dose", groups)
    agree(found, estimates(groups[["dose"]], groups[["good", "bad"]].to_numpy()))
    assert 3 not in found.kept_rows
    agree(estimates("good ~ dose", groups, trials="n"), found)
    agree(estimates("good ~ dose", groups, trials=[4, 4, 4, 0, 4]), found)


def test_rows_with_missing_values_do_not_count_and_keep_their_numbers() -> None:
    """The uncured patient with drug B has no age; numbers are those of the whole frame."""
    gaps = PATIENTS.astype({"age": float, "drug": object})
    gaps.loc[5, ["cured", "age"]] = [0, np.nan]
    gaps.loc[8, "drug"] = None
    gaps["unused"] = np.nan
    present = [i for i in range(12) if i not in (5, 8)]
    plain = estimates(ROWS[present], CURED[present])
    for frame in (gaps, pl.from_pandas(gaps), gaps.convert_dtypes()):
        found = estimates("cured ~ drug + age", frame)
        assert found.statuses == plain.statuses
        assert found.separated_rows.tolist() == [present[i] for i in plain.separated_rows]
        assert found.kept_rows.tolist() == [present[i] for i in plain.kept_rows]
        assert found.n == 12
        assert found.certificate is not None
        assert found.certificate.verify(**found.design)
    named = estimates("cured ~ drug + age", gaps.set_index(pd.Index(list("abcdefghijkl"))))
    assert named.row_labels == {4: "e", 6: "g"}


def test_weights_in_a_formula() -> None:
    """The uncured patient with drug B has the weight 0."""
    weighed = PATIENTS.assign(w=[1, 2, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1.5])
    weighed.loc[5, "cured"] = 0
    plain = estimates(ROWS, weighed["cured"], sample_weight=weighed["w"])
    agree(estimates("cured ~ drug + age", weighed, sample_weight="w"), plain)
    agree(estimates("cured ~ drug + age", weighed, sample_weight=weighed["w"]), plain)
    assert plain.status["x1"] == "+inf"
    assert estimates("cured ~ drug + age", weighed).status["drug[B]"] == "finite"


def test_levels_that_do_not_occur_have_no_column() -> None:
    drug = pd.Categorical(PATIENTS["drug"], categories=["Z", "C", "B", "Y", "A"])
    found = estimates("cured ~ drug", PATIENTS.assign(drug=drug))
    assert found.names == ["drug[B]", "drug[A]", "(intercept)"]
    agree(found, estimates(np.column_stack([IS_B, 1 - IS_B - IS_C]), CURED))


def test_products_of_whole_numbers_do_not_overflow() -> None:
    """The product of x and z is 2^65 in every second row, and in 64 bits it would be 0."""
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "x": [0, 2**33, 0, 2**33], "z": [2**32] * 4})
    assert estimates("y ~ x:z", frame).status["x:z"] == "+inf"


def test_whole_numbers_that_no_float_holds() -> None:
    """As floats both numbers would be 2^53. An identity of that size on the left side does no harm."""
    frame = pd.DataFrame({"y": [0, 1], "x": [2**53, 2**53 + 1]})
    assert estimates("y ~ x", frame).status["x"] == "+inf"
    assert estimates("x ~ y", frame).status["y"] == "+inf"
    for right in ("C(x)", "{x - 1}", "x + x:y"):
        with pytest.raises(DataError, match="Column 'x' has whole numbers that no float holds"):
            estimates(f"y ~ {right}", frame)


@pytest.mark.parametrize("formula", ["cured ~ drug*C(stage) + age", "cured ~ drug - 1", "cured ~ 1"])
def test_large_designs_are_sparse(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = PATIENTS.astype({"age": float})
    gaps.loc[3, "age"] = np.nan
    dense = estimates(formula, gaps)
    monkeypatch.setattr(formula_design, "MAX_DENSE_CELLS", 10)
    found = estimates(formula, gaps)
    assert scipy.sparse.issparse(found.design["X"])
    assert found == dense
    assert found.certificate is not None
    assert found.certificate.verify(**found.design)


def test_without_formulaic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(MissingExtraError, match=r"rosenblatt\[formula\]"):
        estimates("cured ~ age", PATIENTS)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimates("cured ~ drugs", PATIENTS), "no column 'drugs' for 'cured ~ drugs'. Did you mean 'drug'?"),
        (lambda: estimates("curd ~ drug", PATIENTS), "no column 'curd' for 'curd ~ drug'. Did you mean 'cured'?"),
        (lambda: estimates("cured ~ age", PATIENTS, sample_weight="agge"), "Did you mean 'age'?"),
        (lambda: estimates("cured ~ (drug", PATIENTS), "The formula 'cured ~ (drug' cannot be read"),
        (lambda: estimates("cured ~ drug +", PATIENTS), "cannot be read: Operator `+`"),
        (lambda: estimates("drug + age", PATIENTS), "A formula has a ~, as in 'y ~ x1 + x2'"),
        (lambda: estimates("~ drug + age", PATIENTS), "one left and one right side"),
        (lambda: estimates("cured ~ drug | age", PATIENTS), "one left and one right side"),
        (lambda: estimates("cured ~ 0", PATIENTS), "no column on its right side"),
        (lambda: estimates("C(cured) ~ age", PATIENTS), "must be a column, successes + failures"),
        (lambda: estimates("cured + age + stage ~ drug", PATIENTS), "must be a column, successes + failures"),
        (lambda: estimates("cured ~ np.log(drug)", PATIENTS), "cannot be evaluated"),
        (lambda: estimates("cured ~ np.log(age - 30)", PATIENTS), "row 0, column 'np.log(age - 30)' is -inf"),
        (lambda: estimates("cured ~ Intercept", PATIENTS.assign(Intercept=0)), "cannot be called 'Intercept'"),
        (lambda: estimates("cured ~ age", PATIENTS.assign(age=np.nan)), "Every row has a missing value"),
        (lambda: estimates("cured ~ age", PATIENTS, sample_weight=[1, 2]), "one number for each of the 12 rows"),
        (
            lambda: estimates("cured ~ age", [[1, 2]]),
            "needs a data frame whose columns have names; the data is of type",
        ),
        (lambda: estimates("cured ~ age"), "needs a data frame whose columns have names; the data is None"),
        (lambda: estimates("cured ~ age", PATIENTS, intercept=False), "a formula without a constant ends with - 1"),
        (lambda: estimates("cured ~ age", CURED, data=PATIENTS), "leave y out"),
        (lambda: estimates([[0], [1]], [0, 1], data=PATIENTS), "estimates(data=...) is for formulas"),
        (lambda: estimates([[0], [1]], [0, 1], [0, 1]), "three arguments for scikit-learn"),
        (lambda: estimates([[0], [1]]), "y"),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as error:
        call()
    assert words in str(error.value)

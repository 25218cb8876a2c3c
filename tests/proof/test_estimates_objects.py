"""Models of statsmodels and pipelines of scikit-learn: the answers are those for arrays made by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

from rosenblatt import DataError, Estimates, ParameterError, estimates
from tests.support.patients import AGE, CURED, IS_B, IS_C, PATIENTS, PLAIN, ROWS, agree


def test_the_plain_answer_is_worth_comparing() -> None:
    assert PLAIN.statuses == ["+inf", "finite", "finite", "finite"]
    assert PLAIN.separated_rows.tolist() == [4, 5, 6]


EXOG = sm.add_constant(pd.DataFrame({"B": IS_B, "C": IS_C, "age": AGE}))
PAIRS = np.column_stack([CURED * 3, (1 - CURED) * 2])
HEAVY = np.array([1, 2, 1, 1, 1, 0, 1, 1, 1, 1, 1, 2.0])
TWO = sm.families.Binomial
LINKS = sm.families.links


@pytest.mark.parametrize(
    "model",
    [
        sm.Logit(CURED, EXOG),
        sm.Probit(CURED, EXOG),
        sm.Logit(CURED, EXOG, offset=AGE),
        sm.GLM(CURED, EXOG, family=TWO()),
        sm.GLM(CURED, EXOG, family=TWO(LINKS.Probit())),
        sm.GLM(CURED, EXOG, family=TWO(LINKS.CLogLog())),
        sm.GLM(CURED, EXOG, family=TWO(LINKS.LogLog())),
        sm.GLM(CURED, EXOG, family=TWO(LINKS.Cauchy())),
        sm.GLM(PAIRS, EXOG, family=TWO()),
        sm.GLM(CURED, EXOG, family=TWO(), freq_weights=np.arange(1, 13), var_weights=np.full(12, 0.5)),
        smf.logit("cured ~ C(drug) + age", PATIENTS),
        smf.glm("cured ~ C(drug) + age", PATIENTS, family=TWO()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_two_outcomes_in_statsmodels(model: Any) -> None:
    found = estimates(model)
    agree(found, PLAIN)
    assert found.names == model.exog_names
    assert found.status[model.exog_names[1]] == "+inf"
    assert found.model == "logit"


def test_shares_in_statsmodels() -> None:
    """Shares of 0 and 1 are failures and successes; a share between them is both."""
    shares = np.array([0.0, 0.25, 0.5, 1.0])
    found = estimates(sm.GLM(shares, [[1.0, 0], [1, 0], [1, 1], [1, 2]], family=TWO(), var_weights=[4, 4, 4, 4]))
    plain = estimates([[0], [0], [1], [2]], [[0, 4], [1, 3], [2, 2], [4, 0]])
    agree(found, plain)
    large = np.array([[10**17, 1], [10**17, 0]])  # as shares both would be 1
    assert estimates(sm.GLM(large, [[1.0], [1.0]], family=TWO())).status == {"const": "finite"}


def test_weights_of_0_in_statsmodels() -> None:
    y = CURED.copy()
    y[5] = 0
    for weights in ({"freq_weights": HEAVY}, {"var_weights": HEAVY}):
        agree(estimates(sm.GLM(y, EXOG, family=TWO(), **weights)), estimates(ROWS, y, sample_weight=HEAVY))
    assert estimates(sm.GLM(y, EXOG, family=TWO())).status["B"] == "finite"


def test_counts_in_statsmodels() -> None:
    visits = PATIENTS["visits"].where(PATIENTS["drug"] != "B", 0)
    plain = estimates(ROWS, visits, model="poisson")
    assert plain.status["x1"] == "-inf"
    models = [
        sm.Poisson(visits, EXOG),
        sm.Poisson(visits, EXOG, exposure=np.arange(1, 13)),
        sm.GLM(visits, EXOG, family=sm.families.Poisson()),
        smf.poisson("visits ~ drug + age", PATIENTS.assign(visits=visits)),
    ]
    for model in models:
        agree(estimates(model), plain)


def test_several_classes_in_statsmodels() -> None:
    plain = estimates(ROWS, PATIENTS["size"], model="multinomial", reference="l")
    found = estimates(sm.MNLogit(PATIENTS["size"], EXOG))
    agree(found, plain)
    assert found.status[("s", "const")] == plain.status[("s", "(intercept)")]
    stages = estimates(sm.MNLogit(PATIENTS["stage"], EXOG))
    agree(stages, estimates(ROWS, PATIENTS["stage"], model="multinomial"))
    assert {name[0] for name in stages.names if isinstance(name, tuple)} == {2, 3}
    agree(estimates(smf.mnlogit("stage ~ drug + age", PATIENTS)), stages)


def test_ordered_classes_in_statsmodels() -> None:
    order = pd.Series(pd.Categorical(PATIENTS["size"], categories=["s", "m", "l", "xl"], ordered=True))
    plain = estimates(ROWS, PATIENTS["size"], model="ordinal", classes=["s", "m", "l"])
    found = estimates(OrderedModel(order, EXOG.drop(columns="const"), distr="logit"))
    assert found.names == ["B", "C", "age", "s|m", "m|l"]
    agree(found, plain)
    by_formula = OrderedModel.from_formula(
        "size ~ drug + age", PATIENTS.assign(size=order.cat.remove_unused_categories())
    )
    agree(estimates(by_formula), plain)
    stages = estimates(OrderedModel(PATIENTS["stage"], EXOG[["age"]]))
    agree(stages, estimates(AGE.reshape(-1, 1), PATIENTS["stage"], model="ordinal"))


def test_results_of_statsmodels() -> None:
    overlap = sm.Logit(CURED, sm.add_constant(AGE)).fit(disp=0)
    assert estimates(overlap).status == {"const": "finite", "x1": "finite"}
    agree(estimates(sm.GLM(CURED, EXOG, family=TWO()).fit()), PLAIN)
    agree(estimates(sm.Logit(CURED, EXOG).fit_regularized(disp=0, alpha=1.0)), PLAIN)


def test_rows_that_statsmodels_drops_keep_their_numbers() -> None:
    gaps = PATIENTS.astype({"age": float})
    gaps.loc[[5, 8], "age"] = np.nan
    present = [i for i in range(12) if i not in (5, 8)]
    plain = estimates(ROWS[present], CURED[present])
    found = estimates(smf.logit("cured ~ drug + age", gaps.set_index(pd.Index(list("abcdefghijkl")))))
    assert found.statuses == ["finite", "+inf", "finite", "finite"]
    assert found.separated_rows.tolist() == [present[i] for i in plain.separated_rows]
    assert found.kept_rows.tolist() == [present[i] for i in plain.kept_rows]
    assert found.row_labels == {4: "e", 6: "g"}
    assert found.certificate is not None
    assert found.certificate.verify(**found.design)
    assert estimates(smf.logit("cured ~ drug + age", gaps)).row_labels is None
    arrays = sm.Logit(CURED, sm.add_constant(gaps[["age"]]), missing="drop")
    agree(estimates(arrays), estimates("cured ~ age", gaps))


class Twice(sm.Logit):
    """A user's own subclass."""


def test_a_subclass_of_a_model_is_that_model() -> None:
    agree(estimates(Twice(CURED, EXOG)), PLAIN)


SCALED = make_pipeline(
    make_column_transformer((OneHotEncoder(drop="first"), ["drug"]), ("passthrough", ["age"])), LogisticRegression()
)


@pytest.mark.parametrize("fitted", [False, True])
def test_a_pipeline(fitted: bool) -> None:
    pipe = SCALED.fit(PATIENTS, CURED) if fitted else SCALED
    found = estimates(pipe, PATIENTS, CURED)
    assert found.status == {
        "onehotencoder__drug_B": "+inf",
        "onehotencoder__drug_C": "finite",
        "passthrough__age": "finite",
        "(intercept)": "finite",
    }
    agree(found, PLAIN)
    assert hasattr(pipe[0], "transformers_") == fitted


def test_pipelines_and_estimators() -> None:
    agree(estimates(LogisticRegression(), ROWS, CURED), PLAIN)
    agree(estimates(Pipeline([("fit", LogisticRegressionCV())]), ROWS, CURED), PLAIN)
    bare = estimates(LogisticRegression(fit_intercept=False), ROWS, CURED)
    agree(bare, estimates(ROWS, CURED, intercept=False))
    assert bare.names == ["x1", "x2", "x3"]
    frame = pd.DataFrame({"b": IS_B, "c": IS_C, "age": AGE}, index=list("abcdefghijkl"))
    nameless = make_pipeline(FunctionTransformer(np.asarray), LogisticRegression())
    assert estimates(nameless, frame, CURED).names == ["x1", "x2", "x3", "(intercept)"]
    assert estimates(nameless, frame, CURED).row_labels == {4: "e", 5: "f", 6: "g"}
    as_frames = make_pipeline(StandardScaler(), LogisticRegression()).set_output(transform="pandas")
    assert estimates(as_frames, frame, CURED).names == ["b", "c", "age", "(intercept)"]
    stateless_last = Pipeline([("scale", StandardScaler()), ("same", FunctionTransformer()), ("none", "passthrough"),
                               ("fit", LogisticRegression())])  # fmt: skip
    centred = [
        *PLAIN.statuses[:3],
        "+inf",
    ]  # the intercept is the one at the mean of all columns, so that of B is in it
    assert estimates(stateless_last, ROWS, CURED).statuses == centred
    y = CURED.copy()
    y[5] = 0
    agree(estimates(LogisticRegression(), ROWS, y, sample_weight=HEAVY), estimates(ROWS, y, sample_weight=HEAVY))


def test_more_than_two_classes_in_a_pipeline() -> None:
    """The order is scikit-learn's, not that of a categorical column; the first class is the reference."""
    size = pd.Series(pd.Categorical(PATIENTS["size"], categories=["s", "m", "l"]))
    found = estimates(SCALED, PATIENTS, size)
    agree(found, estimates(ROWS, PATIENTS["size"], model="multinomial", reference="l"))
    softmax = estimates(SCALED, PATIENTS, size, model="softmax")
    assert set(softmax.statuses) == {"not_estimable"}
    assert (
        softmax.status_of({("m", "passthrough__age"): 1, ("l", "passthrough__age"): -1})
        == found.status[("m", "passthrough__age")]
    )


def test_a_result_that_was_read_has_no_design() -> None:
    with pytest.raises(DataError, match="There is no design"):
        Estimates.from_json(PLAIN.to_json()).design  # noqa: B018


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimates(sm.OLS(CURED, EXOG)), "estimates takes Logit, Probit, MNLogit"),
        (lambda: estimates(sm.OLS(CURED, EXOG).fit()), "this is OLS of statsmodels"),
        (lambda: estimates(sm.NegativeBinomial(CURED, EXOG)), "this is NegativeBinomial of statsmodels"),
        (lambda: estimates(sm.GEE(CURED, EXOG, groups=CURED, family=TWO())), "this is GEE of statsmodels"),
        (lambda: estimates(sm.GLM(CURED, EXOG)), "the family of this GLM is Gaussian"),
        (lambda: estimates(sm.Logit(CURED, EXOG), model="probit"), "estimates(model=...) cannot be given here"),
        (lambda: estimates(sm.Logit(CURED, EXOG), CURED), "estimates(y=...) cannot be given here"),
        (
            lambda: estimates(sm.GLM(CURED, EXOG[["const", "age"]], family=TWO()).fit_constrained("age = 0")),
            "constraints",
        ),
        (lambda: estimates(LogisticRegression(), PATIENTS), "estimates(pipeline, X, y)"),
        (
            lambda: estimates(SGDClassifier(), [[0], [1]], [0, 1]),
            "takes LogisticRegression, or a Pipeline that ends in it",
        ),
        (lambda: estimates(make_pipeline(StandardScaler()), [[0], [1]], [0, 1]), "this one ends in StandardScaler"),
        (lambda: estimates(LogisticRegression(), [[0], [1]], [0, 1], intercept=False), "has fit_intercept"),
        (lambda: estimates(LogisticRegression(), [[0], [1]], [0, 1], model="poisson"), "not 'poisson'"),
        (lambda: estimates(LogisticRegression(class_weight={0: 0, 1: 1}), [[0], [1]], [0, 1]), "the weight 0"),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as error:
        call()
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (
            TWO(LINKS.Identity()),
            "must have the link logit or probit or cloglog or loglog or cauchy; this GLM has identity",
        ),
        (TWO(LINKS.Log()), "this GLM has log"),
        (sm.families.Poisson(LINKS.Sqrt()), "must have the link log; this GLM has sqrt"),
    ],
)
def test_other_links_are_refused(family: Any, words: str) -> None:
    with pytest.warns(Warning, match="does not respect the domain"):
        model = sm.GLM(CURED, EXOG, family=family)
    with pytest.raises(DataError, match=words):
        estimates(model)


def test_a_distribution_that_ends_is_refused() -> None:
    from scipy import stats

    with pytest.raises(DataError, match="'uniform'"):
        estimates(OrderedModel(PATIENTS["stage"], EXOG[["age"]], distr=stats.uniform))

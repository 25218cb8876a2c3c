"""Which estimates of a regression are infinite?  `estimates` answers coefficient by coefficient, with a proof."""

from collections import Counter
from typing import Any, Literal

import numpy as np

from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.parameters import Flag, OneOf, check_argument
from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.exact_table import read_table
from rosenblatt.certificate.regression.outcomes import read_outcomes
from rosenblatt.certificate.regression.recession_rows import Model, ModelForm, Name, coefficient_names, recession_rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.columns.class_scores import ClassRows
from rosenblatt.proof.decide import deadline_of
from rosenblatt.proof.fixed_effects.cone import cone_of
from rosenblatt.proof.model_objects.recognise import regression_of
from rosenblatt.proof.model_objects.regression import Regression
from rosenblatt.proof.regression.result import Estimates
from rosenblatt.proof.row_labels import labels_of

ModelName = Literal["logit", "probit", "cloglog", "multinomial", "softmax", "ordinal", "poisson"]
MODELS: dict[str, Model] = {
    "logit": "logit",
    "probit": "logit",
    "cloglog": "logit",
    "multinomial": "multinomial",
    "softmax": "multinomial",
    "ordinal": "ordinal",
    "poisson": "poisson",
}


def estimates(
    X: TableLike,
    y: LabelsLike | None = None,
    labels: LabelsLike | None = None,
    *,
    data: Any = None,
    model: ModelName | None = None,
    trials: Any = None,
    sample_weight: Any = None,
    intercept: bool = True,
    reference: Any = None,
    classes: Any = None,
    time_limit: float | None = None,
    decimals: bool = False,
) -> Estimates:
    r"""Decide which coefficients of a regression have finite maximum-likelihood estimates, and prove it.

    A likelihood has no maximum if some direction b of the coefficients fits some rows better and better and no row
    worse. With recession rows z of the model these are the b with :math:`z \cdot b \ge 0` for all z. There is no
    tolerance: a float counts as the exact fraction that it is.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list of shape (n, d); or a formula, a model or a pipeline
        The rows, without a column for the intercept. Categories of a data frame have treatment coding: a column "drug"
        with the levels A, B and C has the coefficients "drug[B]" and "drug[C]". Levels of words are sorted; those of a
        categorical column have its order. Instead of rows:

        - ``estimates("cured ~ drug + age", frame)``: a formula and a data frame. Rows with missing values in its
          columns do not count.
        - ``estimates(model)``: a model of statsmodels, or its results. These are Logit, Probit, MNLogit, Poisson,
          OrderedModel, and GLM with the family Binomial or Poisson. The model has its own y, options and constant.
        - ``estimates(pipeline, X, y)``: a LogisticRegression of scikit-learn, or a pipeline that ends in one. The
          answer is about the regression without its penalty, on the columns that the pipeline makes.
    y : array of shape (n,) or (n, 2), optional
        Class labels; for "poisson" counts; for grouped binomial data successes and failures in two columns. With a
        formula it is the data frame, with a pipeline X.
    labels : array of shape (n,), optional
        The labels of the rows of a pipeline.
    data : data frame, optional
        The data frame of a formula; it may also be the second argument.
    model : str, optional
        The model; "logit" by default. A model of statsmodels is its own. A pipeline is "logit" with two classes, and
        "multinomial" with more, where the first class is the reference.

        - "logit", "probit", "cloglog": two classes. Links of this kind have the same infinite estimates.
        - "multinomial": several classes, with a reference class.
        - "softmax": several classes without a reference class. Only differences between classes are estimable.
        - "ordinal": cumulative link, with a threshold between successive classes and no intercept.
        - "poisson": counts with a log link.
    trials : array of shape (n,), optional
        The number of trials of each row of a binomial model; y then has the successes. With a formula it may be the
        name of a column.
    sample_weight : array of shape (n,), optional
        Rows of weight 0 do not count. Other weights change nothing. With a formula it may be the name of a column.
    intercept : bool, default=True
        False: a model without an intercept. A formula ends with "- 1" instead.
    reference : label, optional
        The reference class of a multinomial model; the first one by default.
    classes : list, optional
        The classes in their order, for "ordinal"; with two classes, the failure first. By default they are sorted, or
        have the order of a categorical y.
    time_limit : float, optional
        In seconds. When the time is over, everything is "undecided".
    decimals : bool, default=False
        True: a float counts as the shortest decimal that rounds to it, so that 0.1 is 1/10. This is how the command
        `rosenblatt check` takes the numbers of a text file; see docs/inputs.md.

    Returns
    -------
    Estimates
        Its `kind` is "none", "quasi" or "complete", its `status` has the answer for each coefficient.

    Raises
    ------
    DataError
        The rows, the outcomes, the formula or the model cannot be used.
    MissingExtraError
        X is a formula, and formulaic is not installed.
    ParameterError
        An option has a value that is not allowed, or what was given as X settles it.

    See Also
    --------
    separability : Asks whether a hyperplane separates classes.

    References
    ----------
    A. Albert and J. A. Anderson, Biometrika 71 (1984); K. Konis, Linear programming algorithms for detecting separated
    data in binary logistic regression models, University of Oxford (2007); S. Correia, P. Guimaraes and T. Zylkin,
    Verifying the existence of maximum likelihood estimates for generalized linear models, arXiv 1903.01633 (2019).

    Examples
    --------
    >>> from rosenblatt import estimates
    >>> found = estimates([[1, 3], [1, 1], [0, 2], [0, 4], [0, 1], [0, 3]], [1, 1, 0, 1, 1, 0])
    >>> found.kind, found.status, found.separated_rows.tolist()
    ('quasi', {'x1': '+inf', 'x2': 'finite', '(intercept)': 'finite'}, [0, 1])
    >>> print(found.explain())
    Some rows are separated: the likelihood has no maximum. It rises without end while rows 0 and 1 are fitted better
    and better. Finite estimates: x2, (intercept). Estimates of plus infinity: x1. The finite estimates are those of the
    same regression on the other 4 rows.
    """
    if model is not None:
        check_argument("estimates", "model", model, OneOf(*MODELS))
    check_argument("estimates", "intercept", intercept, Flag())
    check_argument("estimates", "decimals", decimals, Flag())
    deadline = deadline_of(time_limit)
    given = Regression(X, y, model, trials, sample_weight, intercept, reference, classes)
    asked = regression_of(given, labels, data)
    table, kind = read_table(asked.X, words=True), MODELS[str(asked.model)]
    table = table.in_decimals() if decimals else table
    design = {"y": asked.y, "trials": asked.trials, "sample_weight": asked.sample_weight}
    outcomes = read_outcomes(n=table.n, model=kind, classes=asked.classes, **design)
    form = form_of_model(str(asked.model), outcomes.labels, intercept=asked.intercept, reference=asked.reference)
    names = names_of(form, table.names, table.d)
    rows = recession_rows(table, outcomes.codes, form)
    present = np.flatnonzero(outcomes.is_present)
    try:
        cone = cone_of(rows.signed, deadline)
        found = cone.coefficients()
    except OutOfTime:
        none = np.empty(0, np.int64)
        return Estimates("undecided", names, ["undecided"] * len(names), none, present, None, kind, table.n)
    certificate = Certificate.of(
        "estimates",
        table,
        outcomes.codes,
        outcomes.labels,
        range(len(outcomes.labels)),
        form.constant,
        {"model": kind, "reference": form.reference},
        estimates=cone.to_part(found),
    )
    separated = np.unique(rows.numbers[cone.moving])
    answer = Estimates(
        cone.kind,
        names,
        [coefficient.status for coefficient in found],
        separated,
        np.setdiff1d(present, separated),
        certificate,
        kind,
        table.n,
        labels_of(asked.index, separated),
    )
    answer._cones.append(cone)
    if kind in ("multinomial", "ordinal"):
        answer._class_rows.append(ClassRows.of_model(table, outcomes, rows, form))
    answer._design.update(X=asked.X, **design)
    return answer


def names_of(form: ModelForm, columns: list[str] | None, d: int) -> list[Name]:
    """The names of the coefficients of a model on d columns; raise if two are equal."""
    columns = columns or [f"x{j + 1}" for j in range(d)]
    names = coefficient_names(columns, form.labels, form.model, form.constant, form.reference)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise DataError(f"Two coefficients would have the name {twice!r}; rename the column.")
    return names


def form_of_model(name: str, labels: list[Any], *, intercept: bool, reference: Any) -> ModelForm:
    """What the recession rows of a model depend on.

    Parameters
    ----------
    name : the name of the model
    labels : the classes in their order
    intercept : does it have an intercept?  An ordinal model has thresholds instead.
    reference : the label of the reference class of a multinomial model; None for the first one
    """
    model, number = MODELS[name], None
    if name == "multinomial":
        if reference is not None and reference not in labels:
            raise ParameterError(f"estimates(reference=...) must be one of {labels}, not {reference!r}.")
        number = 0 if reference is None else labels.index(reference)
    elif reference is not None:
        raise ParameterError(f"estimates(reference=...) is for model='multinomial', not {name!r}.")
    return ModelForm(model, float(intercept and model != "ordinal"), number, labels)

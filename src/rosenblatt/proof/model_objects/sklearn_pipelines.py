"""Estimators of scikit-learn: LogisticRegression, alone or at the end of a pipeline."""

from typing import Any

import numpy as np

from rosenblatt.base.inputs.labels import take_class_labels
from rosenblatt.base.inputs.tables import column_names
from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.model_objects.regression import Regression, refuse_options
from rosenblatt.proof.row_labels import index_of

TAKEN = ("LogisticRegression", "LogisticRegressionCV")
MODELS = ("logit", "multinomial", "softmax")


def of_sklearn(given: Regression, labels: Any) -> Regression:
    """The regression of a LogisticRegression without its penalty, on the rows that its pipeline makes.

    Two classes make a logit model, more classes a multinomial model.

    Parameters
    ----------
    given : the arguments of `estimates`; X is the estimator and y its rows
    labels : the labels of the rows

    Raises
    ------
    DataError
        The estimator is no LogisticRegression, or its pipeline does not end in one.
    ParameterError
        There is an argument that the estimator settles itself.
    """
    refuse_options(given, "LogisticRegression", intercept="has fit_intercept", trials="has classes, no trials")
    steps = getattr(given.X, "steps", None)
    last = given.X if steps is None else steps[-1][1]
    kind = next((kind.__name__ for kind in type(last).__mro__ if kind.__module__.startswith("sklearn.")), "nothing")
    if kind not in TAKEN:
        what = f"this is {type(last).__name__}" if steps is None else f"this one ends in {type(last).__name__}"
        raise DataError(f"estimates takes LogisticRegression, or a Pipeline that ends in it; {what}.")
    if isinstance(last.class_weight, dict) and not all(last.class_weight.values()):
        raise DataError("class_weight gives a class the weight 0; leave the rows of that class out instead.")
    if given.model is not None and given.model not in MODELS:
        raise ParameterError(f"LogisticRegression is {' or '.join(map(repr, MODELS))}, not {given.model!r}.")
    rows = given.y if steps is None or len(steps) == 1 else _transformed(given.X[:-1], given.y, labels)
    classes = np.unique(take_class_labels(labels, np.shape(rows)[0]).labels)
    return given._replace(
        X=rows,
        y=labels,
        model=given.model or ("logit" if len(classes) == 2 else "multinomial"),
        intercept=bool(last.fit_intercept),
        classes=classes.tolist() if given.classes is None else given.classes,
        index=index_of(given.y),
    )


def _transformed(steps: Any, X: Any, y: Any) -> Any:
    """The rows that the transformers make, with names. Transformers that are not fitted are fitted, as copies."""
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        for _, step in steps.steps:
            if hasattr(step, "transform"):  # some steps are words, such as "passthrough"
                check_is_fitted(step)
    except NotFittedError:
        steps = clone(steps).fit(X, y)
    made = steps.transform(X)
    if column_names(made) is not None:
        return made
    try:
        return named(made, [str(name) for name in steps.get_feature_names_out()])
    except (AttributeError, ValueError, NotFittedError):  # a transformer that has no names for its columns
        return made

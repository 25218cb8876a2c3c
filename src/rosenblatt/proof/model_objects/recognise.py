"""What was given to `estimates`: rows, a formula, a model of statsmodels, or an estimator of scikit-learn.

Nothing is imported to find that out: objects are known by the names and modules of their classes.
"""

from typing import Any

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.proof.model_objects.regression import Regression
from rosenblatt.proof.row_labels import index_of


def regression_of(given: Regression, labels: Any = None, data: Any = None) -> Regression:
    """The regression with its rows, outcomes and model.

    Parameters
    ----------
    given : the arguments of `estimates`
    labels : the third argument, which only scikit-learn's estimators have
    data : the data frame of a formula

    Raises
    ------
    DataError
        The formula, the model or the estimator cannot be used.
    ParameterError
        There is an argument that what was given does not take.
    """
    if data is not None and not isinstance(given.X, str):
        raise ParameterError("estimates(data=...) is for formulas, as in estimates('y ~ x', data=frame).")
    estimator = is_made_by("sklearn.base", given.X)
    if labels is not None and not estimator:
        raise ParameterError("estimates takes three arguments for scikit-learn: a pipeline, X and y.")
    if isinstance(given.X, str):
        from rosenblatt.proof.model_objects.formulas import of_formula

        if data is not None and given.y is not None:
            raise ParameterError("estimates takes a formula and a data frame; leave y out, which the formula names.")
        return of_formula(given._replace(y=given.y if data is None else data))
    if is_made_by("statsmodels", given.X):
        from rosenblatt.proof.model_objects.statsmodels_models import of_statsmodels

        return of_statsmodels(given)
    if estimator:
        from rosenblatt.proof.model_objects.sklearn_pipelines import of_sklearn

        if labels is None:
            raise DataError(f"estimates takes X and y beside {type(given.X).__name__}: estimates(pipeline, X, y).")
        return of_sklearn(given, labels)
    return given._replace(model=given.model or "logit", index=index_of(given.X))


def is_made_by(module: str, thing: Any) -> bool:
    """Is one of the classes of an object from this module, or from a module in it?"""
    return any(f"{kind.__module__}.".startswith(f"{module}.") for kind in type(thing).__mro__)

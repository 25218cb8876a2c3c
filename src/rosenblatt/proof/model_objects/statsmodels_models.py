"""Models and results of statsmodels. They are read without importing statsmodels."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.data.named_arrays import named
from rosenblatt.errors import DataError
from rosenblatt.proof.model_objects.regression import Regression, places, refuse_options, weights_with_gaps

TAKEN = "estimates takes Logit, Probit, MNLogit, Poisson, OrderedModel, and GLM with the family Binomial or Poisson"
# These links take the probabilities between 0 and 1 to all numbers, and they rise. So a success is fitted perfectly in
# the limit exactly if its linear predictor goes to infinity, and all these links have the same infinite estimates. Log
# and identity links give a probability of 1 to a finite linear predictor.
BINOMIAL_LINKS = ("logit", "probit", "cloglog", "loglog", "cauchy")
WHOLE_LINE = ("norm", "logistic", "gumbel_l", "gumbel_r", "cauchy")  # distributions with a density above 0 everywhere


def of_statsmodels(given: Regression) -> Regression:
    """The regression of a statsmodels model, or of the model of statsmodels results.

    Rows that the model dropped, because of missing values, have the weight 0.

    Raises
    ------
    DataError
        The model is of another kind.
    ParameterError
        There is an argument that the model settles itself.
    """
    own = dict.fromkeys(("y", "model", "trials", "sample_weight", "reference", "classes"), "has its own")
    refuse_options(given, "a model of statsmodels", intercept="has a column for the constant, or none", **own)
    model = getattr(given.X, "model", given.X)  # of results
    if getattr(given.X, "constraints", None) is not None:
        raise DataError("These results have constraints; estimates answers for models without constraints.")
    kind = next(kind.__name__ for kind in type(model).__mro__ if kind.__module__.startswith("statsmodels."))
    if kind not in READERS:
        raise DataError(f"{TAKEN}; this is {kind} of statsmodels.")
    if getattr(model, "exog", None) is None:
        raise DataError(f"This {kind} has no rows: its exog is None.")
    return _with_dropped_rows(READERS[kind](model), model)


def _binary(model: Any) -> Regression:
    return Regression(_rows(model), _shares(model.endog), "logit")


def _counts(model: Any) -> Regression:
    return Regression(_rows(model), np.asarray(model.endog), "poisson")


def _glm(model: Any) -> Regression:
    family, link = type(model.family).__name__, type(model.family.link).__name__.lower()
    if family not in ("Binomial", "Poisson"):
        raise DataError(f"{TAKEN}; the family of this GLM is {family}.")
    links = BINOMIAL_LINKS if family == "Binomial" else ("log",)
    if link not in links:
        raise DataError(f"The family {family} must have the link {' or '.join(links)}; this GLM has {link}.")
    weights = np.asarray(model.freq_weights) * np.asarray(model.var_weights)
    if family == "Poisson":
        return Regression(_rows(model), np.asarray(model.endog), "poisson", sample_weight=weights)
    pairs = np.asarray(model.data.endog)  # successes and failures; `model.endog` has rounded shares instead
    y = pairs if pairs.ndim == 2 and pairs.shape[1] == 2 else _shares(model.endog)
    return Regression(_rows(model), y, "logit", sample_weight=weights)


def _multinomial(model: Any) -> Regression:
    names = [model._ynames_map[c] for c in range(model.J)]
    labels = np.asarray(model.data.orig_endog)
    if labels.ndim == 1 and labels.dtype.kind in "iuf":
        names = [int(name) if float(name).is_integer() else name for name in map(float, names)]  # they are texts
    y = [names[c] for c in model.endog]
    return Regression(_rows(model), y, "multinomial", classes=names, reference=names[0])


def _ordinal(model: Any) -> Regression:
    if model.distr.name not in WHOLE_LINE:
        raise DataError(f"OrderedModel must have one of the distributions {WHOLE_LINE}; this has {model.distr.name!r}.")
    labels = np.asarray(model.labels).tolist()
    y = [labels[int(c)] for c in model.endog]
    return Regression(_rows(model), y, "ordinal", classes=[label for label in labels if label in set(y)])


READERS: dict[str, Callable[[Any], Regression]] = {
    "Logit": _binary,
    "Probit": _binary,
    "Poisson": _counts,
    "GLM": _glm,
    "MNLogit": _multinomial,
    "OrderedModel": _ordinal,
}


def _rows(model: Any) -> Any:
    """The columns of the model, with its names. The constant is one of them, if there is one."""
    exog = np.asarray(model.exog)
    return named(exog, [str(name) for name in model.exog_names[: exog.shape[1]]])


def _shares(endog: Any) -> Any:
    """Labels 0 and 1; if there are shares between 0 and 1, the shares of successes and of failures."""
    shares = np.asarray(endog, dtype=np.float64)
    if np.isin(shares, (0.0, 1.0)).all():
        return shares.astype(np.int64)
    return np.column_stack([shares, 1.0 - shares])


def _with_dropped_rows(asked: Regression, model: Any) -> Regression:
    """Put the rows back that the model dropped, with the weight 0; rows then have the numbers of the user's data."""
    dropped = getattr(model.data, "missing_row_idx", None) or []
    kept = np.ones(asked.X.shape[0] + len(dropped), dtype=bool)
    kept[list(dropped)] = False
    numbers, labels = np.flatnonzero(kept), getattr(model.data, "row_labels", None)
    index = None
    if labels is not None and not (labels.dtype.kind in "iu" and np.array_equal(labels, numbers)):
        index = dict(zip(numbers.tolist(), labels, strict=True))
    rows = places(kept)
    return asked._replace(
        X=asked.X[rows],
        y=np.asarray(asked.y)[rows],
        sample_weight=weights_with_gaps(asked.sample_weight, kept),
        intercept=False,
        index=index,
    )

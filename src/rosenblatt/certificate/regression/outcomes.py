"""What was observed of each row of a regression: a class, both outcomes of a trial, a count; or nothing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.inputs.labels import take_class_labels
from rosenblatt.base.inputs.treatment_coding import known_levels
from rosenblatt.certificate.format import need
from rosenblatt.certificate.regression.recession_rows import Outcomes
from rosenblatt.errors import DataError

FAILURE, SUCCESS, POSITIVE = "failure", "success", "positive"
Floats = NDArray[np.float64]


def read_outcomes(
    y: Any, n: int, *, model: str, trials: Any = None, sample_weight: Any = None, classes: Any = None
) -> Outcomes:
    """Read the outcomes of n rows.

    Parameters
    ----------
    y : one label for each row; successes and failures in two columns; or counts
    n : the number of rows
    model : the model
    trials : the number of trials of each row, where y has the successes
    sample_weight : rows of weight 0 do not count
    classes : the classes in their order; by default they are sorted, or in the order of a categorical column

    Raises
    ------
    DataError
        y, trials or the weights are not what the model needs.
    """
    if trials is not None and model != "logit":
        raise DataError(f"trials are for a binomial model; the model is {model!r}.")
    if model == "poisson":
        counts = _numbers(y, n, "y")
        outcomes = Outcomes((counts > 0).astype(np.int64), [0, POSITIVE])
    elif model == "logit" and (trials is not None or np.ndim(y) == 2):
        outcomes = _grouped(y, n, trials)
    else:
        outcomes = _labelled(y, n, model, classes)
    if sample_weight is not None:
        outcomes.codes[_numbers(sample_weight, n, "sample_weight") == 0] = outcomes.absent
    if not outcomes.is_present.any():
        raise DataError("All rows have the weight 0, or no trials.")
    if model != "poisson":
        seen = np.unique(outcomes.codes[outcomes.is_present])
        if not (outcomes.both in seen or len(seen) == len(outcomes.labels)):
            missing = next(label for c, label in enumerate(outcomes.labels) if c not in seen)
            weighed = "" if sample_weight is None else " with a weight above 0"
            raise DataError(f"There is no row of class {missing!r}{weighed}.")
    return outcomes


def read_outcomes_as(labels: list[Any], y: Any, n: int, **given: Any) -> Outcomes:
    """Read the outcomes of n rows, whose classes are numbered in the order of these labels.

    Parameters
    ----------
    labels : the labels of a certificate
    y, n, **given : what `read_outcomes` takes

    Raises
    ------
    DataError
        See `read_outcomes`.
    Refuted
        The outcomes have other labels.
    """
    outcomes = read_outcomes(y, n, **given)
    need(set(outcomes.labels) == set(labels), f"its outcomes are {labels}; these are {outcomes.labels}")
    return outcomes if outcomes.labels == labels else read_outcomes(y, n, classes=labels, **given)


def _labelled(y: Any, n: int, model: str, classes: Any) -> Outcomes:
    given = take_class_labels(y, n).labels
    known = known_levels(y) if classes is None else None
    if known is not None:
        classes = [level for level in known if level in set(given.tolist())]
    labels = np.unique(given).tolist() if classes is None else list(classes)
    code = {label: c for c, label in enumerate(labels)}
    strange = next((label for label in given.tolist() if label not in code), None)
    if strange is not None or len(code) < len(labels):
        what = "names a class twice" if strange is None else f"lacks {strange!r}"
        raise DataError(f"classes must name each class of y once, in their order; {labels} {what}.")
    if len(labels) < 2 or (model == "logit" and len(labels) > 2):
        wanted = "two classes" if model == "logit" else "at least two classes"
        raise DataError(f"The model {model!r} needs {wanted}; y has {len(labels)}.")
    return Outcomes(np.array([code[label] for label in given.tolist()], dtype=np.int64), labels)


def _grouped(y: Any, n: int, trials: Any) -> Outcomes:
    if trials is None:
        if np.shape(y) != (n, 2):
            raise DataError(f"y must have {n} rows of two columns, successes and failures; its shape is {np.shape(y)}.")
        successes, failures = (_numbers(np.asarray(y)[:, t], n, "y") for t in range(2))
    else:
        successes = _numbers(y, n, "y")
        failures = _numbers(trials, n, "trials") - successes
        if (failures < 0).any():
            row = int(np.flatnonzero(failures < 0)[0])
            raise DataError(f"Row {row} has more successes than trials.")
    codes = np.where(failures > 0, np.where(successes > 0, 2, 0), np.where(successes > 0, 1, 3))
    return Outcomes(codes.astype(np.int64), [FAILURE, SUCCESS])


def _numbers(values: Any, n: int, name: str) -> Floats:
    """Finite numbers of at least 0, one for each row."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers, one for each of the {n} rows; it has others.") from error
    if numbers.shape != (n,):
        raise DataError(f"{name} must have one number for each of the {n} rows; its shape is {numbers.shape}.")
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))[0])
        raise DataError(f"{name} must be finite numbers of at least 0; in row {row} it is {numbers[row]}.")
    return numbers

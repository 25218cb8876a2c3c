"""Which estimates of a regression are infinite, for rows on a cluster?  Each round is one question to all shards."""

from typing import Any

from rosenblatt.base.events import report_progress
from rosenblatt.base.parameters import Flag, OneOf, check_argument
from rosenblatt.certificate.regression.outcomes import read_outcomes
from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers
from rosenblatt.cluster.proof.outcomes import CountedShards, OutcomeCodes, check_classes, with_treatment_coding
from rosenblatt.cluster.proof.rows_of_shards import digest_of_shards, first_of_each
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.validation import Codes
from rosenblatt.proof.decide import deadline_of
from rosenblatt.proof.regression.estimate_rounds import ConeTest, Found, estimates_by_rounds
from rosenblatt.proof.regression.estimates import MODELS, ModelName, form_of_model, names_of
from rosenblatt.proof.regression.result import Estimates
from rosenblatt.proof.rounds.decide_rounds import ChosenRows


def tested(shard: Shard, common: tuple[ConeTest, OutcomeCodes]) -> Found:
    """What a test of a proof finds in a shard."""
    test, codes = common
    return test.look_at(shard.start, shard.matrix(), codes.of(shard))


class RegressionShards:
    """The rows of a regression on shards, as the decision about them sees them."""

    def __init__(self, shards: Shards, codes: OutcomeCodes) -> None:
        self.shards, self.codes = shards, codes
        self.counted = CountedShards(shards, codes)
        self.n, self.d, self.names = shards.n, shards.d, shards.feature_names

    @property
    def absent(self) -> Codes:
        return self.counted.absent

    def first(self, many: int) -> ChosenRows:
        """The first rows of each outcome."""
        return first_of_each(self.shards, self.counted.outcomes, many, self.codes)

    def test(self, test: ConeTest, words: str, deadline: float) -> list[Found]:
        report_progress("estimates", len(self.shards.rounds), None, "{}", words)
        return self.shards.ask("test of the proof", tested, (test, self.codes), deadline=deadline)

    def numbers_of(self, rows: Codes) -> RecessionNumbers:
        return self.counted.numbers_of(rows)

    def digest(self) -> str:
        report_progress("estimates", len(self.shards.rounds), None, "a last round takes the fingerprint of all rows")
        return digest_of_shards(self.shards, self.codes)


def estimates(
    X: Any,
    y: Any = None,
    *,
    model: ModelName | None = None,
    intercept: bool = True,
    reference: Any = None,
    classes: Any = None,
    time_limit: float | None = None,
    **reading: Any,
) -> Estimates:
    """Decide which coefficients of a regression have finite estimates, for rows on a cluster, and prove it.

    A few rows are decided exactly. Then all shards test the proof on their rows, in whole numbers, and the rows that
    contradict it join, until none does. The statuses are those of `rosenblatt.estimates` for the same rows. The
    certificate depends neither on the shards nor on the workers.

    Parameters
    ----------
    X : Shards, array, data frame or bag of Dask, path, or list of paths
        The rows, without a column for the intercept; see `Shards`. Rows of Shards that have the weight 0 do not count;
        other weights change nothing. Words in files are categories in treatment coding: a column "drug" with the levels
        A, B and C has the coefficients "drug[B]" and "drug[C]".
    y : array or column of Dask, or str
        The class labels, or for "poisson" the counts, which are whole numbers and not all equal; see `Shards`. Grouped
        data, with numbers of trials or two columns of outcomes, is not taken. Instead of a row with successes and
        failures give two rows, one of each class; their numbers can be weights. The statuses are the same.
    model : str, optional
        The model; "logit" by default.

        - "logit", "probit", "cloglog": two classes. Links of this kind have the same infinite estimates.
        - "multinomial": several classes, with a reference class.
        - "softmax": several classes without a reference class. Only differences between classes are estimable.
        - "ordinal": cumulative link, with a threshold between successive classes and no intercept.
        - "poisson": counts with a log link.
    intercept : bool, default=True
        False: a model without an intercept.
    reference : label, optional
        The reference class of a multinomial model; the first one by default.
    classes : list, optional
        The classes in their order, for "ordinal"; with two classes, the failure first. By default they are sorted.
    time_limit : float, optional
        In seconds, from the moment when the rows are loaded. When the time is over, everything is "undecided".
    **reading : object
        Options of reading files, such as `target`; see `read`. The numbers of text files count as floats.

    Returns
    -------
    Estimates
        The kind of separation, the status of each coefficient, and the certificate. It has no rows in memory, so its
        `status_of`, `culprits` and `margin_signs` do not answer.

    Raises
    ------
    DataError
        The rows or the outcomes cannot be used.
    ParameterError
        An option has a value that is not allowed.

    See Also
    --------
    rosenblatt.estimates : Decides about rows in memory.
    verify : Checks the certificate on a cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt.cluster import estimates, verify
    >>> X = da.from_array([[1, 3], [1, 1], [0, 2], [0, 4], [0, 1], [0, 3]], chunks=(2, 2))
    >>> y = da.from_array([1, 1, 0, 1, 1, 0], chunks=2)
    >>> found = estimates(X, y)
    >>> found.kind, found.status, found.separated_rows.tolist()
    ('quasi', {'x1': '+inf', 'x2': 'finite', '(intercept)': 'finite'}, [0, 1])
    >>> bool(verify(found.certificate, X, y))
    True
    """
    if model is not None:
        check_argument("estimates", "model", model, OneOf(*MODELS))
    check_argument("estimates", "intercept", intercept, Flag())
    deadline_of(time_limit)
    shards = with_treatment_coding(Shards.of(X, y, None, reading))
    deadline, name = deadline_of(time_limit), model or "logit"
    check_classes(shards, MODELS[name])
    outcomes = read_outcomes(shards.classes, len(shards.classes), model=MODELS[name], classes=classes)
    form = form_of_model(name, outcomes.labels, intercept=intercept, reference=reference)
    names = names_of(form, shards.feature_names, shards.d)
    rows = RegressionShards(shards, OutcomeCodes(form, outcomes.codes))
    return estimates_by_rounds(rows, form, names, deadline)

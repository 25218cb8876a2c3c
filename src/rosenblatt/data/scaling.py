"""Columns, or rows, of one scale: a step of its own, which is learned, recorded and can be undone."""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.hyperplane import as_numbers, refuse
from rosenblatt.data import validation
from rosenblatt.data.compiled.columns import PARTS, Spill, lengths, sums
from rosenblatt.data.named_arrays import column_names, named
from rosenblatt.data.validation import Floats, Matrix
from rosenblatt.errors import DataError, ParameterError

HOW = parameters.OneOf("standardise", "centre", "divide", "unit")
CENTRED = ("centre", "standardise")  # a zero does not stay a zero, so that a sparse matrix would be filled in
DIVIDED = {"standardise": "standard deviation", "divide": "root mean square"}
LEAST = 2.0**-1022  # a smaller float has fewer digits
UNIT = 1074  # every float is a whole number of units of 2^-1074, and a product of two of them of 2^-2148
RECORD = ("how", "columns", "rows", "names", "centre", "scale", "constant")


class Scaling(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Scaling: bring columns, or rows, to one scale before a classifier sees them.

    .. math:: x_j \mapsto (x_j - m_j) / s_j \quad \text{(columns)} \qquad x \mapsto x / |x| \quad \text{(rows)}

    No classifier of this package scales by itself. Of those that are trained to a margin, or within a budget, one
    column with large numbers drowns the others: the number of mistakes of a perceptron grows with :math:`R^2`.

    Parameters
    ----------
    how : {"standardise", "centre", "divide", "unit"}, default="standardise"
        "standardise": m the mean and s the standard deviation (over n) of each column; for columns in different units.
        "centre": m the mean, s = 1; where the units mean something, and only the origin does not.
        "divide": m = 0, s the root of the mean square; zeros stay zeros; for sparse columns in different units.
        "unit": each row is divided by its Euclidean length, and rows of zeros stay; where only the direction of a row
        counts, as for texts of different lengths. Every row then has R = 1.

    Attributes
    ----------
    centre_ : array (d,), or None where nothing is subtracted
    scale_ : array (d,), or None where columns are not divided; 1 for a column whose s would be 0
    constant_ : numbers of the columns in which all rows have the same number; None for "unit", which does not look
    n_samples_seen_, n_features_in_, feature_names_in_ (where columns have names)

    Notes
    -----
    Columns are summed up without rounding, squares too, however large or small: `centre_` and `scale_` are the floats
    nearest to the exact mean and the exact root, even of 1e9 plus a little noise. So neither the order of the rows
    counts, nor their storage, nor how `partial_fit` divides them into chunks. Each number of `transform` is then
    rounded twice, once a step of the formula; a row of "unit" within three units of the last digit. What would leave
    the floats is refused. A float32 array, dense or sparse, gives float32, all else float64.

    Examples
    --------
    >>> from rosenblatt import Scaling
    >>> X = [[1000.0, 7.0], [3000.0, 7.0]]
    >>> scaling = Scaling().fit(X)
    >>> print(scaling.centre_, scaling.scale_, "constant:", scaling.constant_)
    [2000.    7.] [1000.    1.] constant: [1]
    >>> scaling.transform(X).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """

    n_features_in_: int
    n_samples_seen_: int
    feature_names_in_: NDArray[Any]
    _how: str  # at the time of fitting
    _sums: "_Sums | None"
    _found: "_Columns | None"  # of these sums, once somebody has asked

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {"how": HOW}

    def __init__(self, how: str = "standardise") -> None:
        self.how = how

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.how in ("divide", "unit")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def centre_(self) -> Floats | None:
        """What is subtracted from each column."""
        return self._columns().centre

    @property
    def scale_(self) -> Floats | None:
        """What each column is divided by."""
        return self._columns().scale

    @property
    def constant_(self) -> NDArray[np.int64] | None:
        """The numbers of the columns in which all rows have the same number."""
        return self._columns().constant

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002  (a pipeline passes y)
        """Learn the columns of X.

        Parameters
        ----------
        X : array, sparse matrix ("divide", "unit"), data frame or Arrow table, n x d; y is not looked at
        """
        parameters.check(self, self._constraints)
        return self._learn(X, None, settle=True)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn from more rows; any division into chunks gives what `fit` gives for all rows, to the last bit."""
        parameters.check(self, self._constraints)
        before = getattr(self, "_sums", None)
        if hasattr(self, "_how") and (before is None or self._how != self.how):
            seen = "a record, which holds no sums to add to" if before is None else f"rows seen with how={self._how!r}"
            raise ParameterError(f"Scaling(how={self.how!r}) cannot go on from {seen}; call fit with all rows.")
        return self._learn(X, before, settle=False)

    def transform(self, X: Any) -> Any:
        """The scaled rows, as a new array, or a sparse matrix if X is one; columns keep their names."""
        columns, points = self._columns(), self._seen(X)
        return _given_back(_units(points) if self._how == "unit" else _scaled(points, columns), X, points, "scaled")

    @property
    def inverse_transform(self) -> Callable[[Any], Any]:
        """A function of X: the rows before they were scaled, x s + m, to rounding. There is none for "unit"."""
        if getattr(self, "_how", self.how) == "unit":
            raise AttributeError("Scaling(how='unit') cannot be undone: it forgets how long each row was.")
        return self._inverse_transform

    def _inverse_transform(self, X: Any) -> Any:
        columns, points = self._columns(), self._seen(X)
        return _given_back(_scaled(points, columns, back=True), X, points, "scaled back")

    def unscaled(self, model: Any) -> tuple[Floats, Floats]:
        r"""The weights and intercepts that give the scores of `model` for columns as they were before scaling.

        .. math:: w \cdot \frac{x - m}{s} + b = \frac{w}{s} \cdot x + \Big(b - \frac{w}{s} \cdot m\Big)

        Parameters
        ----------
        model : a fitted linear classifier, trained on columns that this Scaling gave; "unit", not linear, has no such

        Returns
        -------
        coef : array (k, d), as `model.coef_`
        intercept : array (k,); each is the float nearest to the exact value for these weights
        """
        columns, d = self._columns(), self.n_features_in_
        if self._how == "unit":
            raise ParameterError("Scaling(how='unit') divides each row by its own length, which no weights can do.")
        coef, intercept = _weights(model, d, getattr(self, "feature_names_in_", None))
        with np.errstate(over="ignore", under="ignore"):
            coef = coef if columns.scale is None else coef / columns.scale
        refuse(~np.isfinite(coef), coef, "coef_ / scale_", "finite", "bring this column of X closer to 1")
        if columns.centre is not None:
            centre = columns.centre.tolist()
            intercept = np.array([_shifted(b, w, centre) for w, b in zip(coef.tolist(), intercept, strict=True)])
        return coef, intercept

    def record(self) -> dict[str, Any]:
        """All that `transform` needs, in words, numbers and lists, for JSON; `from_record` reads it."""
        lists = {**self._columns()._asdict(), "names": getattr(self, "feature_names_in_", None)}
        return {
            "how": self._how,
            "columns": self.n_features_in_,
            "rows": self.n_samples_seen_,
            **{key: None if values is None else values.tolist() for key, values in lists.items()},
        }

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """The Scaling that was recorded, with the same bits, to scale but not to learn more; DataError if malformed."""
        if not isinstance(record, dict) or record.keys() != set(RECORD):
            came = list(record) if isinstance(record, dict) else type(record).__name__
            raise DataError(f"A record of a Scaling is a dict with the keys {list(RECORD)}, not {came}.")
        for key, right, expected in _judged(record):
            if not right:
                raise DataError(f"In a record of a Scaling, {key!r} must be {expected}; it is {str(record[key])[:60]}.")
        scaling = cls(record["how"])
        centre, scale = (None if record[key] is None else np.array(record[key], float) for key in ("centre", "scale"))
        constant = None if record["constant"] is None else np.array(record["constant"], np.int64)
        scaling._how, scaling._sums, scaling._found = record["how"], None, _Columns(centre, scale, constant)
        scaling.n_features_in_, scaling.n_samples_seen_ = record["columns"], record["rows"]
        if record["names"] is not None:
            scaling.feature_names_in_ = np.array(record["names"], dtype=object)
        return scaling

    def _learn(self, X: Any, before: "_Sums | None", *, settle: bool) -> Self:
        """Add the rows to the sums before; more rows may mend what cannot be settled yet."""
        points = _points(X, self.how)
        if before is not None:
            validation.check_columns(self, X, points, reset=False)
        total = before or _Sums(0, np.zeros((2, PARTS, points.shape[1])), ({}, {}))
        total = total.and_of(points, counted=self.how == "unit")
        found = _columns(self.how, total) if settle else None
        if before is None:
            validation.check_columns(self, X, points, reset=True)
        self._how, self._sums, self._found, self.n_samples_seen_ = self.how, total, found, total.rows
        return self

    def _columns(self) -> "_Columns":
        check_is_fitted(self)
        if self._found is None:
            self._found = _columns(self._how, self._sums)
        return self._found

    def _seen(self, X: Any) -> Matrix:
        points = _points(X, self._how)
        validation.check_columns(self, X, points, reset=False)
        return points


class _Columns(NamedTuple):
    centre: Floats | None
    scale: Floats | None
    constant: NDArray[np.int64] | None


class _Sums(NamedTuple):
    """The exact sum of each column, and of its squares; see `data/compiled/columns.py`."""

    rows: int
    parts: Floats  # 2 x PARTS x d
    spilled: tuple[dict[int, int], dict[int, int]]  # by column, in units of 2^-2148

    def and_of(self, points: Matrix, *, counted: bool) -> Self:
        """These sums and the rows of these points, all in a copy; or the rows are but counted."""
        n = points.shape[0]
        if counted:
            return self._replace(rows=self.rows + n)
        rows, parts, spilled = (
            validation.rows(points, 0.0),
            self.parts.copy(),
            (dict(self.spilled[0]), dict(self.spilled[1])),
        )
        longest = int(np.diff(points.indptr).max()) if scipy.sparse.issparse(points) else points.shape[1]
        left = np.zeros((3, max(longest, 1)))
        size = left.size + 4096
        spill = Spill(np.zeros(size, np.int64), np.zeros(size), np.zeros(size))
        for squared in (False, True):
            start = 0
            while start < n:
                start, filled = sums(rows, start, n, squared, parts[int(squared)], spill, left)
                for j, a, b in zip(*(entries[:filled].tolist() for entries in spill), strict=True):
                    spilled[squared][j] = spilled[squared].get(j, 0) + _whole(a) * _whole(b)
        return self._replace(rows=self.rows + n, parts=parts, spilled=spilled)

    def exact(self) -> Iterator[tuple[int, int]]:
        """Of each column the sum in units of 2^-1074, and that of its squares in units of 2^-2148."""
        plain, squares = self.spilled
        for j, (parts, squared) in enumerate(zip(self.parts[0].T.tolist(), self.parts[1].T.tolist(), strict=True)):
            total = sum(map(_whole, filter(None, parts))) + (plain.get(j, 0) >> UNIT)
            yield total, (sum(map(_whole, filter(None, squared))) << UNIT) + squares.get(j, 0)


def _columns(how: str, total: _Sums | None) -> _Columns:
    """Means and roots, each the float that is nearest to the exact one."""
    if how == "unit" or total is None:
        return _Columns(None, None, None)
    n, means, scales, constant = total.rows, [], [], []
    for j, (plain, squares) in enumerate(total.exact()):
        spread = n * squares - plain * plain  # n^2 times the variance
        means.append(plain / (n << UNIT))
        scale = _root(squares, n << 2 * UNIT) if how == "divide" else _root(spread, n * n << 2 * UNIT)
        scales.append(scale or 1.0)
        if spread == 0:
            constant.append(j)
        if 0.0 < scale < LEAST and how in DIVIDED:
            raise DataError(f"Column {j} has a {DIVIDED[how]} of {scale}, too small to divide by; enlarge it first.")
    return _Columns(
        np.array(means) if how in CENTRED else None,
        np.array(scales) if how in DIVIDED else None,
        np.array(constant, dtype=np.int64),
    )


def _whole(x: float) -> int:
    """A float in units of 2^-1074."""
    numerator, power = x.as_integer_ratio()
    return numerator << (UNIT + 1 - power.bit_length())


def _root(numerator: int, denominator: int) -> float:
    """The float that is nearest to the root of a fraction; at least the smallest, unless the fraction is 0."""
    if numerator == 0:
        return 0.0
    shift = max(0, 64 + (denominator.bit_length() - numerator.bit_length()) // 2)  # so that the root has 64 digits
    quotient, rest = divmod(numerator << 2 * shift, denominator)
    root = math.isqrt(quotient)
    beyond = rest > 0 or root * root != quotient  # one digit more, to tell a half from a little more than a half
    return max((2 * root + beyond) / (2 << shift), math.ulp(0.0))


def _points(X: Any, how: str) -> Matrix:
    if how in CENTRED and scipy.sparse.issparse(X):
        raise DataError(
            f"Sparse input is not for Scaling(how={how!r}): it subtracts a mean from each column, which fills in the "
            "zeros. Give how='divide' or how='unit', which keep them, or a dense array, X.toarray()."
        )
    return validation.points(X)


def _scaled(points: Matrix, columns: _Columns, *, back: bool = False) -> Any:
    """(x - m) / s, or back, x s + m."""
    out = points.astype(np.float64)
    numbers, scale = out, columns.scale
    if scipy.sparse.issparse(out):  # there is no centre
        numbers, scale = out.data, np.asarray(scale)[out.indices]
    with np.errstate(over="ignore", under="ignore"):
        if columns.centre is not None and not back:
            numbers -= columns.centre
        if scale is not None:
            (np.multiply if back else np.divide)(numbers, scale, out=numbers)
        if columns.centre is not None and back:
            numbers += columns.centre
    return out


def _units(points: Matrix) -> Any:
    """x / |x|, by way of a power of two, since |x| may be no float."""
    out = numbers = points.astype(np.float64)
    length, exponent = np.empty(out.shape[0]), np.empty(out.shape[0], np.int32)
    lengths(validation.rows(points, 0.0), length, exponent)
    length, exponent = length[:, None], exponent[:, None]
    if scipy.sparse.issparse(out):
        numbers = out.data
        length, exponent = (np.repeat(of_rows, np.diff(out.indptr)) for of_rows in (length, exponent))
    with np.errstate(under="ignore"):
        np.ldexp(numbers, -exponent, out=numbers)
        numbers /= length
    return out


def _given_back(out: Any, X: Any, points: Matrix, what: str) -> Any:
    """As the numbers came: of their precision, with their names."""
    if getattr(X, "dtype", None) == np.float32:
        with np.errstate(over="ignore", under="ignore"):
            out = out.astype(np.float32)
    sparse = scipy.sparse.issparse(out)
    numbers, given = (out.data, points.data) if sparse else (out.ravel(), points.ravel())
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        row, column = (at[bad[0]] for at in out.tocoo().coords) if sparse else divmod(bad[0], out.shape[1])
        raise DataError(
            f"X[{row}, {column}] is {given[bad[0]]}, which is too large for a {out.dtype} when {what}; bring this "
            "column closer to 1 first, or drop the row."
        )
    return named(out, column_names(X))


def _weights(model: Any, d: int, names: NDArray[Any] | None) -> tuple[Floats, Floats]:
    """coef_, one row a class, and as many intercepts."""
    coef, intercept = getattr(model, "coef_", None), getattr(model, "intercept_", None)
    if coef is None or intercept is None:
        raise DataError(
            "unscaled(model) needs a fitted linear classifier, with coef_ and intercept_ (of a pipeline its last step, "
            f"pipeline[-1]); this {type(model).__name__} has none."
        )
    w, b = np.atleast_2d(as_numbers(coef, "coef_")), as_numbers(intercept, "intercept_").ravel()
    if w.ndim != 2 or w.shape[1] != d or len(b) not in (1, len(w)):
        raise DataError(f"coef_ must be k x {d}, as this Scaling has {d} columns, not {w.shape} ({len(b)} intercepts).")
    theirs = getattr(model, "feature_names_in_", None)
    if names is not None and theirs is not None and list(names) != list(theirs):
        raise DataError(f"model must have been trained on columns named {list(names)}, not {list(theirs)}.")
    return w, np.broadcast_to(b, len(w)).copy()


def _shifted(b: float, w: list[float], centre: list[float]) -> float:
    """b - w.m, rounded once."""
    exact = (_whole(float(b)) << UNIT) - sum(_whole(u) * _whole(m) for u, m in zip(w, centre, strict=True))
    try:
        return exact / (1 << 2 * UNIT)
    except OverflowError as error:
        raise DataError("intercept_ - coef.centre_ is too large for a float64; bring X closer to 1.") from error


def _judged(record: Any) -> Iterator[tuple[str, bool, object]]:
    """Of each part of a record: is it right, and what must it be?  Asked for only if those before it are right."""
    how, d, n, names, centre, scale, constant = (record[key] for key in RECORD)
    whole, none = parameters.Integer(1), f"None with how={how!r}"
    yield "how", HOW.allows(how), HOW
    yield "columns", whole.allows(d), whole
    yield "rows", whole.allows(n), whole
    yield "names", names is None or _list_of(names, d, lambda name: isinstance(name, str)), f"None or {d} strings"
    number, divisor = parameters.Number(), parameters.Number(LEAST)
    right = _list_of(centre, d, number.allows) if how in CENTRED else centre is None
    yield "centre", right, f"a list of {d}, each {number}" if how in CENTRED else none
    right = _list_of(scale, d, divisor.allows) if how in DIVIDED else scale is None
    yield "scale", right, f"a list of {d}, each {divisor}" if how in DIVIDED else none
    right = isinstance(constant, list) and all(type(j) is int for j in constant)
    right = constant is None if how == "unit" else right and constant == sorted({*constant} & {*range(d)})
    yield "constant", right, none if how == "unit" else f"a list of column numbers below {d}, in order"


def _list_of(values: Any, d: int, allows: Callable[[Any], bool]) -> bool:
    return isinstance(values, list) and len(values) == d and all(map(allows, values))

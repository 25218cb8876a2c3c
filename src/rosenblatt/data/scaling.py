"""Scaling of columns or rows: a transformer that can be recorded and undone."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.base import parameters
from rosenblatt.base.argument_types import LabelsLike, TableLike
from rosenblatt.base.hyperplane import as_numbers, refuse
from rosenblatt.base.schema import Arrays, Facts, Numbers, SavedState, Sizes, Source
from rosenblatt.data import validation
from rosenblatt.data.column_sums import (
    CENTRED,
    DIVIDED,
    SMALLEST_NORMAL,
    UNIT_BITS,
    ColumnSums,
    ScaledColumns,
    american,
    columns_of,
    in_units,
)
from rosenblatt.data.compiled.columns import PARTS, lengths
from rosenblatt.data.estimator_bases import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from rosenblatt.data.named_arrays import column_names, named
from rosenblatt.data.validation import Floats, Matrix
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.errors.guidance import Guided, counts_rows_alike
from rosenblatt.errors.wording import Words, parameter, worded

How = Literal["standardize", "center", "divide", "unit", "standardise", "centre"]
HOW = parameters.OneOf(*get_args(How))
RECORD_KEYS = ("how", "columns", "rows", "names", "centre", "scale", "constant")


class SavedRecord:
    """The record of a `Scaling` in a model file. Its numbers are kept as arrays."""

    arrays: Mapping[str, str] = {"centre": "float64", "scale": "float64", "constant": "int64"}

    def take(self, name: str, value: Any, arrays: Arrays, facts: Facts) -> None:
        facts[name] = {key: part for key, part in value.items() if key not in ("names", "columns", *self.arrays)}
        arrays[name] = {
            key: np.array(value[key], dtype=dtype) for key, dtype in self.arrays.items() if value[key] is not None
        }

    def give(self, name: str, source: Source, sizes: Sizes) -> Any:
        inner = source.inner(name, source.fact(name))
        record = {key: inner.fact(key) for key in ("how", "rows")}
        for key, dtype in self.arrays.items():
            kept = key in inner.arrays
            record[key] = Numbers((f"{name}.{key}",), dtype).give(key, inner, sizes).tolist() if kept else None
        inner.end()
        return record | {"columns": sizes["d"]}


class Scaling(Guided, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Scale columns or rows before a classifier sees them.

    .. math:: x_j \mapsto (x_j - m_j) / s_j \quad \text{(columns)} \qquad x \mapsto x / |x| \quad \text{(rows)}

    No classifier of this package scales its input. Without scaling, a column with large numbers outweighs the others:
    the number of mistakes of a perceptron grows with :math:`R^2`.

    Parameters
    ----------
    how : {"standardize", "center", "divide", "unit"}, default="standardize"
        How rows are scaled. The British spellings "standardise" and "centre" are taken, too.

        - "standardize": m is the mean and s the standard deviation (over n) of each column. Use it for columns in
          different units.
        - "center": m is the mean, s = 1. Use it if all columns have the same unit and only the origin is arbitrary.
        - "divide": m = 0, s is the root mean square. Zeros stay zeros. Use it for sparse columns in different units.
        - "unit": each row is divided by its Euclidean length; rows of zeros stay as they are. Use it if only the
          direction of a row matters, as for texts of different lengths. Every row then has length 1.

    Attributes
    ----------
    centre_ : array of shape (d,), or None
        The number that is subtracted from each column; None if nothing is subtracted.
    scale_ : array of shape (d,), or None
        The number that each column is divided by: 1 for a column whose s would be 0. None if columns are not divided.
    constant_ : array of int, or None
        The numbers of the columns that are constant; None for "unit", which does not check this.
    n_samples_seen_ : int
        The number of rows learned from.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    Stream.scale : Scales the rows of a stream.
    mistake_bound : Shows how scaling changes the number of mistakes.

    Notes
    -----
    Columns and their squares are summed without rounding. `centre_` and `scale_` are the floats nearest to the exact
    mean and the exact root, even for 1e9 plus a little noise. So the result does not depend on the order of the rows,
    on their storage, or on how `partial_fit` divides them into chunks. `transform` rounds each number twice, once for
    each step of the formula; rows of "unit" are within three units of the last digit. A result that is too large for
    a float is an error. A float32 array, dense or sparse, gives float32; everything else gives float64.

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
    _how: str  # the value of `how` when it was fitted
    _sums: ColumnSums | None
    _found: ScaledColumns | None  # computed from the sums when first needed

    _constraints: ClassVar[dict[str, parameters.Constraint]] = {"how": HOW}
    _saved = SavedState({"record": SavedRecord()}, classes=False)

    def __init__(self, how: How = "standardize") -> None:
        self.how = how

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.how in ("divide", "unit")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def centre_(self) -> Floats | None:
        """The number that is subtracted from each column."""
        return self._columns().centre

    @property
    def scale_(self) -> Floats | None:
        """The number that each column is divided by."""
        return self._columns().scale

    @property
    def constant_(self) -> NDArray[np.int64] | None:
        """The numbers of the columns that are constant."""
        return self._columns().constant

    @counts_rows_alike("scikit-learn's StandardScaler learns from rows with weights.")
    def fit(self, X: TableLike, y: LabelsLike | None = None) -> Self:  # noqa: ARG002  (a pipeline passes y)
        """Learn the scaling of the columns of X.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n, d)
            The rows; a sparse matrix for "divide" and "unit".
        y : object, optional
            Ignored; a pipeline gives it.

        Returns
        -------
        Scaling
            The fitted object itself.
        """
        parameters.check(self, self._constraints)
        return self._learn(X, None, settle=True)

    def partial_fit(self, X: TableLike, y: LabelsLike | None = None) -> Self:  # noqa: ARG002
        """Learn from more rows; in any chunks, the result equals that of `fit` for all rows, to the last bit.

        Parameters
        ----------
        X : array, data frame or Arrow table of shape (n, d)
            More rows; a sparse matrix for "divide" and "unit".
        y : object, optional
            Ignored.

        Returns
        -------
        Scaling
            The fitted object itself.
        """
        parameters.check(self, self._constraints)
        before = getattr(self, "_sums", None)
        if hasattr(self, "_how") and (before is None or american(self._how) != american(self.how)):
            seen = "a record, which does not hold the sums" if before is None else f"rows seen with how={self._how!r}"
            raise ParameterError(f"Scaling(how={self.how!r}) cannot go on from {seen}; call fit with all rows.")
        return self._learn(X, before, settle=False)

    def transform(self, X: TableLike) -> Any:
        """Scale rows; the result is a new array, or a sparse matrix if X is one. Columns keep their names.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Arrow table of shape (n, d)
            The rows.

        Returns
        -------
        array of shape (n, d), or sparse matrix
            The scaled rows.
        """
        columns, points = self._columns(), self._seen(X)
        return _given_back(_units(points) if self._how == "unit" else _scaled(points, columns), X, points, "scaled")

    @property
    def inverse_transform(self) -> Callable[[Any], Any]:
        """The function that undoes `transform`, x s + m, up to rounding. There is none for "unit"."""
        if getattr(self, "_how", self.how) == "unit":
            raise AttributeError("Scaling(how='unit') cannot be undone: the lengths of the rows are not kept.")
        return self._inverse_transform

    def _inverse_transform(self, X: Any) -> Any:
        columns, points = self._columns(), self._seen(X)
        return _given_back(_scaled(points, columns, back=True), X, points, "scaled back")

    def unscaled(self, model: Any) -> tuple[Floats, Floats]:
        r"""Convert the weights of `model` so that they give the same scores for unscaled columns.

        .. math:: w \cdot \frac{x - m}{s} + b = \frac{w}{s} \cdot x + \Big(b - \frac{w}{s} \cdot m\Big)

        Parameters
        ----------
        model : fitted linear classifier
            It was trained on columns scaled by this object. It is not possible for "unit".

        Returns
        -------
        coef : array of shape (k, d)
            The weights, as `model.coef_`.
        intercept : array of shape (k,)
            The intercepts; each is the float nearest to the exact value for these weights.
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

    def to_dict(self) -> dict[str, Any]:
        """Convert everything that `transform` needs to an object that JSON can hold; `from_dict` reads it.

        Returns
        -------
        dict
            The record.
        """
        lists = {**self._columns()._asdict(), "names": getattr(self, "feature_names_in_", None)}
        return {
            "how": self._how,
            "columns": self.n_features_in_,
            "rows": self.n_samples_seen_,
            **{key: None if values is None else values.tolist() for key, values in lists.items()},
        }

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """Make the Scaling that `to_dict` described, to the last bit. It can scale, but cannot learn from more rows.

        Parameters
        ----------
        record : dict
            What `to_dict` gave.

        Returns
        -------
        Scaling
            The fitted object.

        Raises
        ------
        DataError
            The record is malformed.
        """
        if not isinstance(record, dict) or record.keys() != set(RECORD_KEYS):
            came = list(record) if isinstance(record, dict) else type(record).__name__
            raise DataError(f"A record of a Scaling is a dict with the keys {list(RECORD_KEYS)}, not {came}.")
        for key, right, expected in _judged(record):
            if not right:
                raise DataError(f"In a record of a Scaling, {key!r} must be {expected}; it is {str(record[key])[:60]}.")
        scaling = cls(record["how"])
        centre, scale = (None if record[key] is None else np.array(record[key], float) for key in ("centre", "scale"))
        constant = None if record["constant"] is None else np.array(record["constant"], np.int64)
        scaling._how, scaling._sums, scaling._found = record["how"], None, ScaledColumns(centre, scale, constant)
        scaling.n_features_in_, scaling.n_samples_seen_ = record["columns"], record["rows"]
        if record["names"] is not None:
            scaling.feature_names_in_ = np.array(record["names"], dtype=object)
        return scaling

    def _saved_values(self) -> dict[str, Any]:
        return {"record": self.to_dict()}

    def _restore(self, values: dict[str, Any]) -> None:
        names = getattr(self, "feature_names_in_", None)
        record = values["record"] | {"names": None if names is None else names.tolist()}
        twin = self.from_dict(record)
        self.__dict__.update((name, value) for name, value in vars(twin).items() if name != "how")

    def _learn(self, X: Any, before: ColumnSums | None, *, settle: bool) -> Self:
        """Add the rows to the sums `before`.

        With settle=True the columns are computed at once, so that errors show here. `partial_fit` does not settle, as
        more rows may still mend a column.
        """
        points = _points(X, self.how)
        if before is not None:
            validation.check_columns(self, X, points, reset=False)
        total = before or ColumnSums(0, np.zeros((2, PARTS, points.shape[1])), ({}, {}))
        total = total.and_of(points, counted=self.how == "unit")
        found = columns_of(american(self.how), total) if settle else None
        if before is None:
            validation.check_columns(self, X, points, reset=True)
        self._how, self._sums, self._found, self.n_samples_seen_ = self.how, total, found, total.rows
        return self

    def _columns(self) -> ScaledColumns:
        check_is_fitted(self)
        if self._found is None:
            self._found = columns_of(american(self._how), self._sums)
        return self._found

    def _seen(self, X: Any) -> Matrix:
        points = _points(X, self._how)
        validation.check_columns(self, X, points, reset=False)
        return points


def _points(X: Any, how: str) -> Matrix:
    if american(how) in CENTRED and scipy.sparse.issparse(X):
        raise DataError(
            worded(
                "Sparse input is not possible for {how}: it subtracts a mean from each column, so zeros do not stay "
                "zeros. Give {divide} or {unit}, which keep them{dense}.",
                how=parameter("how", how, "Scaling"),
                divide=parameter("how", "divide"),
                unit=parameter("how", "unit"),
                dense=Words(", or a dense array, X.toarray()", ""),
            )
        )
    return validation.points(X)


def _scaled(points: Matrix, columns: ScaledColumns, *, back: bool = False) -> Any:
    """Compute (x - m) / s; with back=True, x s + m."""
    out = points.astype(np.float64)
    numbers, scale = out, columns.scale
    if scipy.sparse.issparse(out):  # sparse matrices are never centred
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
    """Compute x / |x|; a power of two is split off, since |x| may be too large for a float."""
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
    """Give the result the dtype and the column names of X; refuse numbers that are not finite."""
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
    """Check the model, and give coef_ as k x d and intercept_ as k numbers."""
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
    """Compute b - w.m, rounded once."""
    exact = (in_units(float(b)) << UNIT_BITS) - sum(in_units(u) * in_units(m) for u, m in zip(w, centre, strict=True))
    try:
        return exact / (1 << 2 * UNIT_BITS)
    except OverflowError as error:
        raise DataError("intercept_ - coef.centre_ is too large for a float64; bring X closer to 1.") from error


def _judged(record: Any) -> Iterator[tuple[str, bool, object]]:
    """Judge the parts of a record in order: the key, whether the value is right, and what it must be.

    The judgement of a part is valid only if all parts before it are right.
    """
    how, d, n, names, centre, scale, constant = (record[key] for key in RECORD_KEYS)
    whole, none = parameters.Integer(1), f"None with how={how!r}"
    yield "how", HOW.allows(how), HOW
    how = american(how)
    yield "columns", whole.allows(d), whole
    yield "rows", whole.allows(n), whole
    yield "names", names is None or _list_of(names, d, lambda name: isinstance(name, str)), f"None or {d} strings"
    number, divisor = parameters.Number(), parameters.Number(SMALLEST_NORMAL)
    right = _list_of(centre, d, number.allows) if how in CENTRED else centre is None
    yield "centre", right, f"a list of {d}, each {number}" if how in CENTRED else none
    right = _list_of(scale, d, divisor.allows) if how in DIVIDED else scale is None
    yield "scale", right, f"a list of {d}, each {divisor}" if how in DIVIDED else none
    right = isinstance(constant, list) and all(type(j) is int for j in constant)
    right = constant is None if how == "unit" else right and constant == sorted({*constant} & {*range(d)})
    yield "constant", right, none if how == "unit" else f"a list of column numbers below {d}, in order"


def _list_of(values: Any, d: int, allows: Callable[[Any], bool]) -> bool:
    return isinstance(values, list) and len(values) == d and all(map(allows, values))

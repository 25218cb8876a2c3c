"""The rows of a regression from a file: categories in treatment coding, and the columns of trials and weights apart."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.cli.inputs import as_file, dialect_notes, gap_notes, tell
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError, ParameterError, meant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt.certificate.exact_table import Table
    from rosenblatt.data.files.read import Data

Model = Literal["logit", "probit", "cloglog", "multinomial", "softmax", "ordinal", "poisson"]
BINOMIAL = ("logit", "probit", "cloglog")


class RegressionOptions(NamedTuple):
    """Options for the question which estimates are infinite."""

    model: Annotated[
        Model | None,
        typer.Option(help="Say which estimates of this regression are infinite, one by one."),
    ] = None
    formula: Annotated[
        Text, typer.Option(help="The regression as a formula, such as 'HG ~ NV + C(stage)'. It names the target.")
    ] = None
    trials: Annotated[Text, typer.Option(help="The column with the numbers of trials; the target is successes.")] = None
    failures: Annotated[Text, typer.Option(help="The column with the failures; the target is successes.")] = None
    weight: Annotated[Text, typer.Option(help="The column with weights; rows of weight 0 do not count.")] = None
    reference: Annotated[Text, typer.Option(help="The reference class of a multinomial regression.")] = None
    intercept: Annotated[bool, typer.Option(help="A regression with an intercept.")] = True

    @property
    def apart(self) -> dict[str, str]:
        """The columns that are no part of the design, by their options."""
        given = {"--trials": self.trials, "--failures": self.failures, "--weight": self.weight}
        return {option: name for option, name in given.items() if name is not None}

    def refuse_without_model(self) -> None:
        """Raise if an option is given that only a regression has, or that does not fit the model or the formula."""
        given = [
            *["--formula"] * (self.formula is not None),
            *self.apart,
            *["--reference"] * (self.reference is not None),
            *["--no-intercept"] * (not self.intercept),
        ]
        if self.model is None and given:
            raise ParameterError(f"{given[0]} is for regressions; say which one by --model, for example --model logit.")
        if self.reference is not None and self.model != "multinomial":
            raise ParameterError(f"--reference is for --model multinomial, not {self.model}.")
        if self.failures is not None and self.trials is not None:
            raise ParameterError("Give --trials or --failures, not both.")
        if self.failures is not None and self.model not in BINOMIAL:
            raise ParameterError(f"--failures is for --model logit, probit and cloglog, not {self.model}.")
        if self.formula is not None and self.failures is not None:
            raise ParameterError("With --formula leave --failures out; write successes + failures on its left side.")
        if self.formula is not None and not self.intercept:
            raise ParameterError("With --formula leave --no-intercept out; a formula without intercept ends with - 1.")


class Factor(NamedTuple):
    """A column of the file: its values, and the columns of the design that stand for it."""

    name: str
    values: "NDArray[Any]"
    design: list[str]

    @property
    def is_category(self) -> bool:
        return bool(self.values.dtype == object)


class RegressionRows(NamedTuple):
    """The design matrix with its names, the outcomes, and the columns of the file."""

    X: Any  # dense, or sparse if it has many columns
    names: list[str]
    y: "NDArray[Any]"
    trials: "NDArray[Any] | None"
    weight: "NDArray[Any] | None"
    factors: list[Factor]
    target: str
    intercept: bool
    is_text: bool

    @property
    def table(self) -> "Table":
        """The design matrix as exact numbers. Those of a text file count as decimals."""
        from rosenblatt.certificate.exact_table import read_table

        table = replace(read_table(self.X), names=self.names)
        return table.in_decimals() if self.is_text else table

    @property
    def left_out(self) -> list[str]:
        """Sentences about categories that have one level only, and so no coefficient."""
        return [without_coefficient(one.name, one.values[0]) for one in self.factors if not one.design]


def without_coefficient(column: str, value: Any) -> str:
    """A sentence about a category that has one level only."""
    return f"Column {column!r} has only the value {value!r}, so it has no coefficient."


class ReadColumns(NamedTuple):
    """A table that was read from a file."""

    data: "Data"
    y: "NDArray[Any]"  # the target; that of counts may hold any numbers
    is_text: bool


def regression_rows(source: str, target: Text, table: TableOptions, options: RegressionOptions) -> RegressionRows:
    """Read the rows of a regression.

    A category with values a, b, c becomes the columns name[b] and name[c]; its first value is the reference level.

    Raises
    ------
    DataError
        The file cannot be read, or a column is not there.
    """
    if options.formula is not None:
        from rosenblatt.cli.formula_rows import formula_rows

        return formula_rows(source, target, table, options)
    from rosenblatt.base.inputs.treatment_coding import names_of_coded, treatment_coded

    found = read_columns(source, target, table, options)
    factors, design, names = list[Factor](), list[Any](), list[str]()
    apart: dict[str, NDArray[Any]] = {}
    for name, values in columns_of(source, found.data):
        if name in options.apart.values():
            apart[name] = numbers(source, name, values, options)
            continue
        coded = treatment_coded([values], [values], [name])
        factors.append(Factor(name, values, names_of_coded(coded, [name])))
        design += coded
        names += factors[-1].design
    target = (found.data.encoding.target if found.data.encoding is not None else None) or "the target"
    for option, name in options.apart.items():
        if name not in apart:
            if name == target:
                raise DataError(f"{source}: column {name!r} is the target; {option} needs another column.")
            known = [factor.name for factor in factors]
            raise DataError(f"{source}: there is no column {name!r} for {option}.{meant(name, known)}")
    if not names:
        raise DataError(f"{source}: no column is left for the regression.")
    trials = apart.get(options.trials or "")
    if options.failures is not None:
        trials = apart[options.failures] + numbers_of_target(source, target, found.y)
    weight, X = apart.get(options.weight or ""), _stacked(design, len(names))
    return RegressionRows(X, names, found.y, trials, weight, factors, target, options.intercept, found.is_text)


def read_columns(
    source: str, target: Text, table: TableOptions, options: RegressionOptions, columns: list[str] | None = None
) -> ReadColumns:
    """Read a table whose columns have names: all columns, or some of them.

    Raises
    ------
    DataError
        The file cannot be read, or it is no table with names.
    """
    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import TEXT, places

    reading: dict[str, Any] = {"format": table.format, **table.for_read()}
    if columns is not None:
        reading["columns"] = columns
    elif "columns" in reading:
        reading["columns"] = list(dict.fromkeys([*reading["columns"], *options.apart.values()]))
    with as_file(source, table.format) as path:
        kind = places(path, cast(Any, table.format))[0].format
        is_text = kind in TEXT
        try:
            data = read(cast(Any, path), target, **reading)
        except DataError as error:
            for option, name in options.apart.items():
                if f", column {name!r}: a number was expected" in str(error):
                    raise DataError(f"{error.args[0]} The column of {option} must be numbers.") from error
            counts = _with_numbers_as_target(path, target, reading) if options.model == "poisson" else None
            if counts is None:
                raise
            return ReadColumns(*counts, is_text)
    if data.encoding is None or data.feature_names is None:
        raise DataError(f"{source}: a regression needs a table with names, such as a CSV file.")
    tell(dialect_notes(source, kind, data.dialect, table.text) + gap_notes(source, data))
    return ReadColumns(data, data.y, is_text)


def _with_numbers_as_target(path: Any, target: Text, reading: dict[str, Any]) -> "tuple[Data, NDArray[Any]] | None":
    """Read a target of numbers that are not whole; None if it has other cells.

    The rows whose target is whole tell what the other columns hold.
    """
    from rosenblatt.data.files.encoding import Column, Encoding
    from rosenblatt.data.files.read import read
    from rosenblatt.data.matrices import dense

    try:
        first = read(path, target, **reading, on_error="skip")
        if first.encoding is None or first.encoding.target is None:
            return None
        name = first.encoding.target
        encoding = Encoding((*first.encoding.columns, Column(name, "number")))
        text = {name: reading[name] for name in (*DialectOptions._fields, "missing") if name in reading}
        whole = read(path, encoding=encoding, format=reading["format"], **text)
    except DataError:
        return None
    columns = Encoding(first.encoding.columns, name)
    return replace(whole, X=whole.X[:, :-1], encoding=columns), dense(whole.X[:, [-1]])[:, 0]


def columns_of(source: str, data: "Data") -> "Iterator[tuple[str, NDArray[Any]]]":
    """The columns of a table that was read, but for the target: numbers, or words as Python's objects.

    Raises
    ------
    DataError
        A category is missing, and --missing is a number.
    """
    import numpy as np

    from rosenblatt.data.matrices import dense

    X, at = data.X.tocsc() if hasattr(data.X, "tocsc") else data.X, 0
    for column in data.encoding.columns if data.encoding is not None else ():
        width = len(column.categories) if column.kind == "category" else 1
        own = X[:, at : at + width]
        at += width
        if column.kind != "category":
            yield column.name, dense(own)[:, 0].copy()
            continue
        row, level = own.nonzero()  # one for each row
        codes = np.full(own.shape[0], -1)
        codes[row] = level
        if (codes < 0).any():
            raise DataError(
                f"{source}: row {int(np.argmin(codes))} has no word in column {column.name!r}, and a number is for "
                "numbers. Give --missing level, most-frequent or drop instead."
            )
        yield column.name, np.array(column.categories, dtype=object)[codes]


def numbers(source: str, name: str, values: "NDArray[Any]", options: RegressionOptions) -> "NDArray[Any]":
    """The values of a column that an option names; raise if they are words."""
    if values.dtype.kind not in "biuf":
        option = next((f" of {option}" for option, column in options.apart.items() if column == name), "")
        raise DataError(f"{source}: column {name!r}{option} must be numbers; it has words.")
    return values


def numbers_of_target(source: str, target: str, y: "NDArray[Any]") -> "NDArray[Any]":
    """The successes as numbers; raise if they are words."""
    if y.dtype.kind not in "iufb":
        raise DataError(f"{source}: column {target!r} must have numbers of successes, as failures are given.")
    return y.astype(float)


def _stacked(design: list[Any], width: int) -> Any:
    """The columns as a matrix; it is sparse if there are many."""
    import numpy as np
    import scipy.sparse

    from rosenblatt.base.inputs.treatment_coding import MAX_DENSE_COLUMNS, compressed, dense_columns

    if width <= max(MAX_DENSE_COLUMNS, len(design)):
        return np.column_stack(dense_columns(design))
    data, indices, indptr, shape = compressed(design)
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape)

"""The rows of a regression from a file: categories in treatment coding, and the columns of trials and weights apart."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

from rosenblatt.cli.inputs import as_file
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError, ParameterError, meant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt.certificate.exact_table import Table

Model = Literal["logit", "probit", "cloglog", "multinomial", "softmax", "ordinal", "poisson"]


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
    weight: Annotated[Text, typer.Option(help="The column with weights; rows of weight 0 do not count.")] = None
    reference: Annotated[Text, typer.Option(help="The reference class of a multinomial regression.")] = None
    intercept: Annotated[bool, typer.Option(help="A regression with an intercept.")] = True

    def refuse_without_model(self) -> None:
        """Raise if an option is given that only a regression has."""
        names = ("formula", "trials", "weight", "reference")
        given = [(name, getattr(self, name)) for name in names]
        name = next((name for name, value in given if value is not None), None if self.intercept else "no-intercept")
        if self.model is None and name is not None:
            raise ParameterError(f"--{name} is for regressions; say which one by --model, for example --model logit.")
        if self.reference is not None and self.model != "multinomial":
            raise ParameterError(f"--reference is for --model multinomial, not {self.model}.")
        if self.formula is not None and not self.intercept:
            raise ParameterError("With --formula leave --no-intercept out; a formula without intercept ends with - 1.")


class Factor(NamedTuple):
    """A column of the file: its values, and the columns of the design that stand for it."""

    name: str
    values: "NDArray[Any]"
    design: list[str]


class RegressionRows(NamedTuple):
    """The design matrix with its names, the outcomes, and the columns of the file."""

    X: Any  # an array, or a sparse matrix if there are many columns
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

    data, is_text = read_columns(source, target, table)
    factors, design, names = list[Factor](), list[Any](), list[str]()
    apart: dict[str, NDArray[Any]] = {}
    for name, values in columns_of(data):
        if name in (options.trials, options.weight):
            apart[name] = numbers(source, name, values)
            continue
        coded = treatment_coded([values], [values], [name])
        made = names_of_coded(coded, [name])
        factors.append(Factor(name, values, made))
        design += coded
        names += made
    for option, asked in (("--trials", options.trials), ("--weight", options.weight)):
        if asked is not None and asked not in apart:
            known = [factor.name for factor in factors]
            if asked == data.encoding.target:
                raise DataError(f"{source}: column {asked!r} is the target; {option} needs another column.")
            raise DataError(f"{source}: there is no column {asked!r} for {option}.{meant(asked, known)}")
    if not names:
        raise DataError(f"{source}: no column is left for the regression.")
    return RegressionRows(
        _stacked(design, len(names)),
        names,
        data.y,
        apart.get(options.trials or ""),
        apart.get(options.weight or ""),
        factors,
        data.encoding.target or "the target",
        options.intercept,
        is_text,
    )


def read_columns(source: str, target: Text, table: TableOptions, columns: list[str] | None = None) -> tuple[Any, bool]:
    """Read a table whose columns have names. Say also whether it is a text file.

    Raises
    ------
    DataError
        The file cannot be read, or it is no table with names.
    """
    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import TEXT, places

    chosen = table.for_read() if columns is None else table.for_read() | {"columns": columns}
    with as_file(source, table.format) as path:
        is_text = places(path, cast(Any, table.format))[0].format in TEXT
        data = read(cast(Any, path), target, format=cast(Any, table.format), **chosen)
    if data.encoding is None or data.feature_names is None:
        raise DataError(f"{source}: a regression needs a table with names, such as a CSV file.")
    return data, is_text


def columns_of(data: Any) -> "Iterator[tuple[str, NDArray[Any]]]":
    """The columns of a table that was read, but for the target: numbers, or words as Python's objects."""
    import numpy as np

    X, at = data.X.tocsc() if hasattr(data.X, "tocsc") else data.X, 0
    for column in data.encoding.columns:
        width = len(column.categories) if column.kind == "category" else 1
        own = X[:, at : at + width]
        at += width
        if column.kind == "category":
            row, level = own.nonzero()  # one for each row
            codes = np.zeros(own.shape[0], np.int64)
            codes[row] = level
            yield column.name, np.array(column.categories, dtype=object)[codes]
        else:
            yield column.name, _column(own)


def numbers(source: str, name: str, values: "NDArray[Any]") -> "NDArray[Any]":
    """The values of a column; raise if they are words."""
    if values.dtype.kind not in "biuf":
        raise DataError(f"{source}: column {name!r} must be numbers; it has words.")
    return values


def _column(one: Any) -> "NDArray[Any]":
    """The numbers of a matrix with one column."""
    from rosenblatt.data.matrices import dense

    return dense(one)[:, 0].copy()


def _stacked(design: list[Any], width: int) -> Any:
    """The columns as a matrix; it is sparse if there are many."""
    import numpy as np
    import scipy.sparse

    from rosenblatt.base.inputs.treatment_coding import MAX_DENSE_COLUMNS, compressed, dense_columns

    if width <= max(MAX_DENSE_COLUMNS, len(design)):
        return np.column_stack(dense_columns(design))
    data, indices, indptr, shape = compressed(design)
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape)

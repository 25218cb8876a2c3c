"""The rows of a regression from a file: categories in treatment coding, and the columns of trials and weights apart."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

from rosenblatt.cli.inputs import as_file
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.errors import DataError, ParameterError, meant

if TYPE_CHECKING:
    from numpy.typing import NDArray

Model = Literal["logit", "probit", "cloglog", "multinomial", "softmax", "ordinal", "poisson"]


class RegressionOptions(NamedTuple):
    """Options for the question which estimates are infinite."""

    model: Annotated[
        Model | None,
        typer.Option(help="Say which estimates of this regression are infinite, one by one."),
    ] = None
    trials: Annotated[Text, typer.Option(help="The column with the numbers of trials; the target is successes.")] = None
    weight: Annotated[Text, typer.Option(help="The column with weights; rows of weight 0 do not count.")] = None
    reference: Annotated[Text, typer.Option(help="The reference class of a multinomial regression.")] = None
    intercept: Annotated[bool, typer.Option(help="A regression with an intercept.")] = True

    def refuse_without_model(self) -> None:
        """Raise if an option is given that only a regression has."""
        given = [("trials", self.trials), ("weight", self.weight), ("reference", self.reference)]
        name = next((name for name, value in given if value is not None), None if self.intercept else "no-intercept")
        if self.model is None and name is not None:
            raise ParameterError(f"--{name} is for regressions; say which one by --model, for example --model logit.")
        if self.reference is not None and self.model != "multinomial":
            raise ParameterError(f"--reference is for --model multinomial, not {self.model}.")


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


def regression_rows(source: str, target: Text, table: TableOptions, options: RegressionOptions) -> RegressionRows:
    """Read the rows of a regression.

    A category with values a, b, c becomes the columns name[b] and name[c]; its first value is the reference level.

    Raises
    ------
    DataError
        The file cannot be read, or a column is not there.
    """
    import numpy as np

    from rosenblatt.base.inputs.treatment_coding import names_of_coded, treatment_coded
    from rosenblatt.data.files.read import read

    with as_file(source, table.format) as path:
        data = read(cast(Any, path), target, format=cast(Any, table.format), **table.for_read())
    if data.encoding is None or data.feature_names is None:
        raise DataError(f"{source}: a regression needs a table with names, such as a CSV file.")
    X = data.X.tocsc() if hasattr(data.X, "tocsc") else data.X
    at, factors, design, names = 0, list[Factor](), list[Any](), list[str]()
    apart: dict[str, NDArray[Any]] = {}
    for column in data.encoding.columns:
        width = len(column.categories) if column.kind == "category" else 1
        own = X[:, at : at + width]
        at += width
        if column.name in (options.trials, options.weight):
            if column.kind == "category":
                raise DataError(f"{source}: column {column.name!r} must be numbers; it has words.")
            apart[column.name] = _column(own)
            continue
        if column.kind == "category":
            row, level = own.nonzero()  # one for each row
            codes = np.zeros(own.shape[0], np.int64)
            codes[row] = level
            values = np.array(column.categories, dtype=object)[codes]
        else:
            values = _column(own)
        coded = treatment_coded([values], [values], [column.name])
        made = names_of_coded(coded, [column.name])
        factors.append(Factor(column.name, values, made))
        design += coded
        names += made
    for option, name in (("--trials", options.trials), ("--weight", options.weight)):
        if name is not None and name not in apart:
            known = [factor.name for factor in factors]
            if name == data.encoding.target:
                raise DataError(f"{source}: column {name!r} is the target; {option} needs another column.")
            raise DataError(f"{source}: there is no column {name!r} for {option}.{meant(name, known)}")
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
    )


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

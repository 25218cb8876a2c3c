"""Checks of the options of `read` and `Stream`: their values, and whether they fit the format."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from rosenblatt.base import parameters
from rosenblatt.base.text_tables import dialect
from rosenblatt.data.files.encoding import Encoding
from rosenblatt.errors import ParameterError

Missing = Literal["drop", "mean", "most_frequent", "level"]
StreamMissing = Literal["drop", "level"]
TABLE_OPTIONS = ("target", "columns", "categories", "missing", "encoding")
TEXT_OPTIONS = ("delimiter", "decimal", "text_encoding")
SPARSE_OPTIONS = ("zero_based", "width")
UNFIT_OPTIONS = {  # options that do not apply to a format
    "csv": SPARSE_OPTIONS,
    "tsv": SPARSE_OPTIONS,
    "jsonl": (*SPARSE_OPTIONS, "delimiter", "decimal"),
    "parquet": (*SPARSE_OPTIONS, *TEXT_OPTIONS),
    "arrow": (*SPARSE_OPTIONS, *TEXT_OPTIONS),
    "libsvm": (*TABLE_OPTIONS, *TEXT_OPTIONS, "hash_bits"),
    "vw": (*TABLE_OPTIONS, *TEXT_OPTIONS, *SPARSE_OPTIONS),
    "npz": (*TABLE_OPTIONS, *TEXT_OPTIONS, *SPARSE_OPTIONS, "hash_bits"),
}
WHY_UNFIT = {
    "libsvm": "has its label first and numbers its columns",
    "vw": "has its label first and hashes its names",
    "npz": "holds a matrix X and labels y",
}


def check_options(options: Mapping[str, Any], format: str) -> None:  # noqa: A002
    """Check the values of options, and that they apply to the format.

    Raises
    ------
    ParameterError
        An option has a wrong value, or does not apply to the format.
    """
    for name, value in options.items():
        if value is None or (name == "categories" and not isinstance(value, int) and not len(value)):
            continue
        allowed, expected = ALLOWED[name]
        if not allowed(value):
            raise ParameterError(f"must be {expected}, not {value!r}.", name)
        if name in UNFIT_OPTIONS[format]:
            why = WHY_UNFIT.get(format, "is no text with cells" if name in TEXT_OPTIONS else "is a table")
            raise ParameterError(f"does not fit {format}, which {why}; leave it out.", name)


def _are_words(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _are_categories(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _are_words(list(value)) and all(_are_words(words) for words in value.values())
    return _are_words(value)


def _is_for_gaps(value: Any) -> bool:
    if isinstance(value, Mapping):
        return _are_words(list(value)) and all(_is_for_gaps(v) and v != "drop" for v in value.values())
    return (isinstance(value, str) and value in get_args(Missing)) or parameters.Number().allows(value)


def only_missing(missing: Any, fill: Any) -> Any:
    """Give what is to be done about missing values; `fill` is the older name of `missing`."""
    if missing is not None and fill is not None:
        raise ParameterError("Give missing= or fill=, not both: fill is its older name.")
    return fill if missing is None else missing


def _are_columns(value: Any) -> bool:
    named = isinstance(value, list | tuple) and all(isinstance(c, str | int) and not isinstance(c, bool) for c in value)
    return named and len(value) > 0


ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = dialect.ALLOWED | {
    "target": (lambda value: isinstance(value, str | int) and not isinstance(value, bool), "a name or a number"),
    "columns": (_are_columns, "a list of names or numbers, at least one"),
    "categories": (_are_categories, "a list of columns, or a dict of the values of each"),
    "hash_bits": (lambda value: parameters.Integer(1).allows(value) and value <= 31, "an integer from 1 to 31"),
    "missing": (
        _is_for_gaps,
        "'drop', 'mean', 'most_frequent', 'level', a finite number, or a dict of these by column (without 'drop')",
    ),
    "zero_based": (lambda value: isinstance(value, bool), "True or False"),
    "width": (parameters.Integer(1).allows, "an integer of at least 1"),
    "encoding": (
        lambda value: isinstance(value, Encoding),
        "an Encoding (how the characters of a text are encoded is said by text_encoding)",
    ),
}

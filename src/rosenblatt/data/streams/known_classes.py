"""The classes of a stream: the class number of each row, and the rows whose label is of no class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.text_tables.labels import TextLabels
from rosenblatt.base.words import count_of
from rosenblatt.data import validation
from rosenblatt.data.files.sources import Place
from rosenblatt.data.files.sparse_text import BadRow, ParsedRows, by_line
from rosenblatt.data.validation import Codes
from rosenblatt.errors import DataError
from rosenblatt.errors.remedy import Remedy

MAX_LISTED_CLASSES = 8
FAMILIES = {"b": "boolean", "i": "number", "u": "number", "f": "number", "U": "word", "O": "word"}  # by kinds of dtypes


def first_classes(labels: NDArray[Any], place: Place) -> NDArray[Any]:
    """Find the classes of the first rows of a stream.

    Raises
    ------
    DataError
        There are fewer than two.
    """
    if len(known := np.unique(labels)) == 1:
        raise DataError(
            f"{place.name}: all of its first {count_of(len(labels), 'row')} have the label {known.tolist()[0]!r}; two "
            "classes are needed.",
            Remedy("If others come later, name all of them: {classes}."),
        )
    found, _ = validation.classes(labels, len(labels))
    return found


def known_rows(part: ParsedRows, classes: NDArray[Any], *, given: bool) -> tuple[Any, Codes, list[BadRow]]:
    """Give the rows of known classes, their class numbers, and all rows that cannot be used.

    With given=True the classes were given by the user, so their type decides how labels are read.
    """
    codes = codes_of(part.labels, classes, given=given)
    unknown = np.flatnonzero(codes < 0)
    if not len(unknown):
        return part.X, codes, list(part.bad)
    strange = [_unknown_class(part, row, classes) for row in unknown.tolist()]
    bad = sorted(part.bad + strange, key=by_line)
    return part.X[np.flatnonzero(codes >= 0)], codes[codes >= 0], bad


def _unknown_class(part: ParsedRows, row: int, classes: NDArray[Any]) -> BadRow:
    known = ", ".join(map(repr, classes.tolist()[:MAX_LISTED_CLASSES]))
    line, text = part.find(row)
    label = part.labels[row].item()
    trouble = f"a label of the known classes {known} was expected, not {label!r}"
    return BadRow(line, "", trouble, text, Remedy("Name all classes that will come: {classes}."))


def codes_of(labels: NDArray[Any], classes: NDArray[Any], *, given: bool = False) -> Codes:
    """Give the class number of each label, -1 for a label of no class.

    A word is no number, and a number is no word. Only if the classes are given, words in a file become numbers or
    booleans of these classes, and booleans equal 0 and 1.
    """
    if labels.dtype.kind == classes.dtype.kind and labels.dtype.kind in "iU":
        order = np.argsort(classes)
        at = np.minimum(np.searchsorted(classes[order], labels), len(classes) - 1)
        found = order[at]
        return np.asarray(np.where(classes[found] == labels, found, -1), dtype=np.int64)
    values, where = np.unique(labels, return_inverse=True)
    known = {label: k for k, label in enumerate(classes.tolist())}  # Python compares integers and floats exactly
    theirs, ours = FAMILIES[labels.dtype.kind], FAMILIES[classes.dtype.kind]
    if theirs == ours or (given and "word" not in (theirs, ours)):
        codes = [known.get(value, -1) for value in values.tolist()]
    elif given and theirs == "word":
        codes = [_code_of_word(value, TextLabels(ours), known) for value in values.tolist()]
    else:
        codes = [-1] * len(values)
    return np.array(codes, np.int64)[where]


def _code_of_word(word: str, rule: TextLabels, known: dict[Any, int]) -> int:
    try:
        return known.get(rule.label(word), -1)
    except ValueError:
        return -1

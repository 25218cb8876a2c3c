"""Labels of text tables: which cells are booleans, numbers or words. Both readers of text tables use these rules.

Cells that differ give labels that differ, except for numbers and booleans that are written in several ways, such as 1
and 1.0. A cell for which this cannot hold is refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from rosenblatt.base.text_tables.header import number_in
from rosenblatt.errors.remedy import Remedy

BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
MAX_WHOLE_FLOAT = 2**53  # from here on, a decimal may have been rounded to a whole number


NOT_A_LABEL = "a label, a word or a whole number, was expected"
ANOTHER_TARGET = Remedy(
    "It looks like a number to predict. Name the column with the labels by {target}; or, if these numbers are classes, "
    "write words instead."
)


def remedy_for(trouble: str) -> Remedy | None:
    """What to do about a label that cannot be used; None if there is nothing to say."""
    return ANOTHER_TARGET if trouble.startswith(NOT_A_LABEL) else None


@dataclass(frozen=True)
class TextLabels:
    """How the cells of a label column become labels.

    Attributes
    ----------
    kind : "boolean", "number" or "word"
    spelled : for words, the cell in which each word was found first, with the spaces around it; None if the spaces
        belong to the words
    decimal : the decimal mark of numbers

    Examples
    --------
    >>> rule = TextLabels.found_in(["1", "2.0"])
    >>> rule.kind, rule.label(" 2 ")
    ('number', 2)
    >>> TextLabels.found_in(["1", "b"]).label("1")
    '1'
    """

    kind: str
    spelled: Mapping[str, str] | None = None
    decimal: str = "."

    @classmethod
    def found_in(cls, cells: Iterable[str], decimal: str = ".") -> Self:
        """Find the rule for the cells of a column, in the order of the rows: numbers if all of them are numbers, ..."""
        found = list(cells)
        if all(cell.strip() in BOOLEANS for cell in found):
            return cls("boolean")
        if all(number_in(cell.strip(), decimal) is not None for cell in found):
            return cls("number", decimal=decimal)
        return cls.words(found)

    @classmethod
    def words(cls, cells: Iterable[str]) -> Self:
        """Make the rule by which the cells of a column are words, in the order of the rows."""
        spelled: dict[str, str] = {}
        for cell in cells:
            spelled.setdefault(cell.strip(), cell)
        return cls("word", spelled)

    @classmethod
    def of_classes(cls, classes: Sequence[Any]) -> Self:
        """Make the rule for classes that are known: the cells become labels of their type."""
        one = classes[0]
        return cls("word" if isinstance(one, str) else "boolean" if isinstance(one, bool) else "number")

    def label(self, cell: str) -> bool | int | str:
        """Read a cell.

        Raises
        ------
        ValueError
            The cell is no label of this kind, or it might be taken for another label; the message says why.
        """
        word = cell.strip()
        if self.kind == "boolean":
            if word not in BOOLEANS:
                raise ValueError(f"true or false was expected as label, not {cell[:40]!r}")
            return BOOLEANS[word]
        if self.kind == "number":
            return _whole(word, self.decimal)
        if self.spelled is None:
            return cell
        known = self.spelled.get(word, cell)
        if known != cell:
            raise ValueError(f"the labels {known[:40]!r} and {cell[:40]!r} differ by spaces only; write them alike")
        return word


def _whole(word: str, decimal: str) -> int:
    number = number_in(word, decimal)
    if number is None:
        raise ValueError(f"a whole number was expected as label, not {word[:40]!r}")
    if isinstance(number, int):
        return number
    if not number.is_integer():  # also for infinity
        raise ValueError(f"{NOT_A_LABEL}, not {word[:40]}")
    if abs(number) >= MAX_WHOLE_FLOAT:
        raise ValueError(f"a label of 2^53 and more must be written as a whole number, not as {word[:40]}")
    return int(number)

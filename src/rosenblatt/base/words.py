"""Counts and lists in sentences, with the right plural; long lists are cut."""

from collections.abc import Mapping
from typing import Any

MAX_LISTED_ROWS = 8
MAX_NAME_LENGTH = 30


def count_of(number: float, noun: str) -> str:
    """Write a number with its noun in the singular or the plural.

    >>> count_of(1, "pass"), count_of(3, "pass"), count_of(1200, "row"), count_of(0, "class")
    ('1 pass', '3 passes', '1,200 rows', '0 classes')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Form the plural of a noun.

    >>> plural("row"), plural("class")
    ('rows', 'classes')
    """
    return noun + ("es" if noun.endswith("s") else "s")


def shortened(label: object) -> str:
    """Write a label or the name of a column, shortened if it is long.

    >>> shortened("yes"), shortened("a name that goes on and on and on and on")
    ('yes', 'a name that goes on and on ...')

    A line break is written as an escape, because it would end the line of the report.
    """
    text = str(label).replace("\r", "\\r").replace("\n", "\\n")
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 4]} ..."


def listed(rows: Any, labels: Mapping[int, Any] | None = None) -> str:
    """Write row numbers as part of a sentence, with the labels of the rows if they have any.

    >>> listed([3]), listed([3, 5]), listed(range(20))
    ('row 3', 'rows 3 and 5', 'rows 0, 1, 2, 3, 4, 5 and 14 more')
    >>> listed([3, 5], {3: "Ann", 5: "Bob"})
    "rows 3 ('Ann') and 5 ('Bob')"
    """
    numbers = [str(i) if labels is None else f"{i} ({labels[i]!r})" for i in map(int, rows)]
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    if len(numbers) > MAX_LISTED_ROWS:
        shown = MAX_LISTED_ROWS - 2
        return f"rows {', '.join(numbers[:shown])} and {len(numbers) - shown} more"
    return f"rows {', '.join(numbers[:-1])} and {numbers[-1]}" if numbers else "no rows"

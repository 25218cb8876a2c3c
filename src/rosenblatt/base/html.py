"""HTML for notebooks, and text that is safe to print on a terminal. Text from data is always escaped."""

import html
import re
from collections.abc import Collection, Iterable, Sequence

STYLE = """
.rosenblatt {overflow-x: auto}
.rosenblatt p, .rosenblatt .facts {max-width: 60em}
.rosenblatt p {margin: .4em 0}
.rosenblatt table {border-collapse: collapse; margin: .4em 0; font-size: inherit; table-layout: auto}
.rosenblatt caption {text-align: left; padding: 0 0 .3em; color: inherit; white-space: nowrap}
.rosenblatt td, .rosenblatt th {
  padding: .15em .6em; text-align: left; vertical-align: top; white-space: pre;
  border: solid rgba(128, 128, 128, .4); border-width: 0 0 1px;
}
.rosenblatt th {font-weight: normal; opacity: .75; white-space: normal}
.rosenblatt .facts th, .rosenblatt .facts td {text-align: left !important}
.rosenblatt .facts th {white-space: nowrap}
.rosenblatt .facts td {white-space: normal; overflow-wrap: anywhere}
.rosenblatt thead th, .rosenblatt thead ~ tbody tr:last-child td {border-color: currentColor}
.rosenblatt .number {text-align: right; font-variant-numeric: tabular-nums}
.rosenblatt summary {cursor: pointer}
.rosenblatt pre {white-space: pre-wrap; overflow-wrap: anywhere}
.rosenblatt pre, .rosenblatt code {color: inherit; background: none}
"""


CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Replace control characters, which could change the state of a terminal.

    >>> printable("a label\\x1b[2J")
    'a label�[2J'
    """
    return CONTROL_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


class Markup(str):
    """A string that is HTML; all other strings are escaped when they become part of it."""

    __slots__ = ()


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Make an element; children that are not Markup are escaped. `class_` becomes class, `stroke_width` stroke-width.

    >>> print(element("p", "1 < 2", element("b", "?"), class_="sum"))
    <p class="sum">1 &lt; 2<b>?</b></p>
    """
    inside = "".join(child if isinstance(child, Markup) else html.escape(str(child)) for child in children)
    given = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    head = " ".join([tag, *(f'{name}="{html.escape(str(value))}"' for name, value in given)])
    return Markup(f"<{head}>{inside}</{tag}>")


def shown(*parts: object) -> Markup:
    """Wrap parts in a styled div, as the result of `_repr_html_`."""
    return element("div", element("style", Markup(STYLE)), *parts, class_="rosenblatt")


def table(
    headings: Sequence[object],
    *bodies: str | Iterable[Sequence[object]],
    numbers: Collection[int] = (),
    caption: object = "",
) -> Markup:
    """Make a table; each body is a group of rows, or a string, which becomes one wide cell.

    The columns `numbers`, counted from 0, are aligned to the right.
    """

    def row(tag: str, cells: Iterable[object]) -> Markup:
        sides = ({"class_": "number"} if j in numbers else {} for j in range(len(headings)))
        return element("tr", *(element(tag, cell, **side) for cell, side in zip(cells, sides, strict=True)))

    def body(rows: str | Iterable[Sequence[object]]) -> Markup:
        if isinstance(rows, str):
            return element("tbody", element("tr", element("td", rows, colspan=len(headings))))
        return element("tbody", *(row("td", cells) for cells in rows))

    parts = [element("caption", caption)] if caption else []
    return element("table", *parts, element("thead", row("th", headings)), *map(body, bodies))


def facts(pairs: Iterable[tuple[object, object]]) -> Markup:
    """Make a table of names and their values."""
    rows = [
        element("tr", element("th", element("code", name), scope="row"), element("td", value)) for name, value in pairs
    ]
    return element("table", element("tbody", *rows), class_="facts") if rows else Markup()


def details(summary: object, *parts: object) -> Markup:
    """Make a section that is folded until the reader opens it."""
    return element("details", element("summary", summary), *parts)


def interval(bounds: tuple[float, float]) -> str:
    """Write an interval with all digits; one number if both ends are equal."""
    low, high = (repr(float(end)) for end in bounds)
    return low if low == high else f"{low} to {high}"

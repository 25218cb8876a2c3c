"""What a notebook shows, read back as a tree."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any


class Node:
    """An element: its name, attributes, and children, which are texts and elements."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[Any] = []

    @property
    def text(self) -> str:
        if self.tag == "style":
            return ""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag: str = "") -> Iterator["Node"]:
        """Elements of this name (all, if none is given) in this one, in their order."""
        for child in self.children:
            if isinstance(child, Node):
                if child.tag == tag or not tag:
                    yield child
                yield from child.all(tag)

    def rows(self) -> list[list[str]]:
        return [[cell.text for cell in row.children] for row in self.all("tr")]


class Reader(HTMLParser):
    """Reads HTML whose elements are all closed, in their order; anything else fails."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("page", {})]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        node = Node(tag, dict(attrs))
        assert len(attrs) == len(node.attributes)
        self.open[-1].children.append(node)
        self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Node:
    """The page as a tree."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1
    return reader.open[0]


def seen(thing: Any) -> Node:
    """What a notebook shows of it; of an estimator, what is below scikit-learn's diagram."""
    html = thing._repr_html_()
    return read(html[html.index('<div class="rosenblatt">') :])


def told(page: Node) -> dict[str, str]:
    """The first table of facts."""
    first = next(each for each in page.all("table") if each.attributes.get("class") == "facts")
    return dict(first.rows())


def captioned(page: Node, caption: str) -> Node:
    return next(each for each in page.all("table") if any(c.text == caption for c in each.all("caption")))

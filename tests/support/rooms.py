"""The rooms of the package as a picture of boxes, drawn from the import contract and the docstrings of the rooms.

    python -m tests.support.rooms

Each line of boxes is a layer of the contract. A room imports only rooms in the lines below its own.
"""

import ast
import re
import textwrap
import tomllib

from tests.support.places import PACKAGE, ROOT

WIDTH = 96


def layers() -> list[list[str]]:
    """The layers of the first contract, from the top."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def purpose(room: str) -> str:
    """The first sentence of the docstring of a room."""
    path = PACKAGE / room / "__init__.py"
    path = path if path.exists() else PACKAGE / f"{room}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"(?<=\w)\.(?:\s|$)", " ".join(docstring.split()))[0]


def picture() -> str:
    """The boxes, one line a layer."""
    lines = []
    for layer in layers():
        width = (WIDTH - 1 - len(layer)) // len(layer)
        widths = [width] * (len(layer) - 1) + [WIDTH - 1 - len(layer) - width * (len(layer) - 1)]
        texts = [[room, *textwrap.wrap(purpose(room), w - 2)] for room, w in zip(layer, widths, strict=True)]
        lines.append("+" + "+".join("-" * w for w in widths) + "+")
        for k in range(max(map(len, texts))):
            cells = [(text[k] if k < len(text) else "").ljust(w - 2) for text, w in zip(texts, widths, strict=True)]
            lines.append("|" + "|".join(f" {cell} " for cell in cells) + "|")
    lines.append("+" + "-" * (WIDTH - 2) + "+")
    return "\n".join(lines)


if __name__ == "__main__":
    print(picture())

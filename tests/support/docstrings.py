"""Checks the docstrings of everything public; `make lint` runs it.

    python -m tests.support.docstrings

It uses numpydoc's validation, with the checks in `[tool.numpydoc_validation]` of pyproject.toml, and these rules:

- Attributes have a type and a description, as parameters have.
- Each choice, {"a", "b"}, has a line `- "a": ...` in a list, or the description refers to a name: see `Perceptron`.
- Examples import only public modules of this package, the standard library and dask, and define every name that they
  use.
- See Also names exist.
- Texts are reStructuredText: a list has an empty line before it.
- Class methods document what they return. numpydoc looks only at functions.
"""

import ast
import builtins
import doctest
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cached_property, reduce
from io import StringIO
from types import FunctionType
from typing import Any, NamedTuple

from docutils.core import publish_doctree
from numpydoc.docscrape import NumpyDocString
from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import validate

from tests.support.places import ROOT

MODULES = ("rosenblatt", "rosenblatt.cluster", "rosenblatt.datasets", "rosenblatt.losses", "rosenblatt.plot")
MEMBERS = (FunctionType, property, cached_property, classmethod, staticmethod)
NOT_FOR_MEMBERS = {  # checks that methods and properties need not pass
    "EX01",  # the example of the class shows how they are used
    "SA01",  # the class names what is related
}
DESCRIBED = re.compile(r"[^a-z].*\.\Z", re.DOTALL)


class Public(NamedTuple):
    """A public function, class, method or property; `name` is where it is defined, or the name to import it by."""

    name: str
    value: Any
    is_member: bool


def public() -> Iterator[Public]:
    """Give all public names; a method or a property comes once, with the class that defines it."""
    members: dict[str, Public] = {}
    for path in MODULES:
        module = importlib.import_module(path)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            yield Public(f"{path}.{name}", value, is_member=False)
            if inspect.isclass(value):
                members |= {member.name: member for member in members_of(value)}
    yield from members.values()


def members_of(cls: type) -> Iterator[Public]:
    """Give the public methods and properties that a class has from this package."""
    for owner in cls.__mro__:
        if not owner.__module__.startswith("rosenblatt"):
            continue
        for name, value in vars(owner).items():
            overrides = any(hasattr(base, name) for base in owner.__mro__[1:])
            if name.startswith("_") or not isinstance(value, MEMBERS) or (overrides and not value.__doc__):
                continue  # an override without a docstring has that of the method it overrides
            yield Public(f"{owner.__module__}.{owner.__qualname__}.{name}", getattr(owner, name), is_member=True)


def findings(each: Public, checks: set[str]) -> list[str]:
    """What is wrong with a docstring, with the checks of numpydoc that are asked for."""
    doc = NumpyDocString(inspect.getdoc(each.value) or "")
    found = []
    for code, message in validate(each.name)["errors"]:
        left_out = code not in checks or (each.is_member and code in NOT_FOR_MEMBERS)
        if not left_out and not (code == "PR01" and is_record(each.value, doc)):
            found.append(f"{code} {message}")
    found += field_findings(doc)
    found += markup_findings(doc)
    found += example_findings("\n".join(doc["Examples"]))
    for related, _ in doc["See Also"]:
        found += [f"See Also names {name}, which is not public" for name, _ in related if not exists(name, each.name)]
    if inspect.ismethod(each.value) and not doc["Returns"]:
        found.append("RT01 No Returns section found")
    return found


def is_record(value: Any, doc: NumpyDocString) -> bool:
    """Whether this is an enum, which is not called, or a result whose attributes are its arguments."""
    if not inspect.isclass(value):
        return False
    attributes = {name for field in doc["Attributes"] for name in field.name.split(", ")}
    return issubclass(value, Enum) or set(inspect.signature(value).parameters) <= attributes


def field_findings(doc: NumpyDocString) -> Iterator[str]:
    """What is wrong with types, descriptions and choices. numpydoc does not check attributes and choices."""
    for field in [*doc["Parameters"], *doc["Attributes"]]:
        text = "\n".join(field.desc)
        choices = re.findall(r'"[^"]*"|None', "".join(re.findall(r"{(.*?)}", field.type)))
        if not field.type:
            yield f"{field.name} has no type"
        if not DESCRIBED.match(text):
            yield f"{field.name} has no description that starts with a capital letter and ends with a period"
        if not re.search(r"\b[Ss]ee `\w+`", text):
            missing = [choice for choice in choices if f"- {choice}: " not in text]
            if missing:
                yield f"{field.name} has choices without a line in a list: {', '.join(missing)}"


def markup_findings(doc: NumpyDocString) -> Iterator[str]:
    """What is not reStructuredText."""
    sections = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
    fields = [field.desc for section in sections for field in doc[section]]
    texts = ["\n".join(lines) for lines in (doc["Summary"], doc["Extended Summary"], doc["Notes"], *fields)]
    said = StringIO()
    publish_doctree("\n\n".join(texts), settings_overrides={"warning_stream": said})
    if said.getvalue():
        yield f"Not reStructuredText: {said.getvalue().strip()}"
    for text in texts:
        if match := re.search(r"^(?!- |  ).+\n- ", text, re.MULTILINE):
            yield f"Not reStructuredText: a list needs an empty line before it, after {match.group().splitlines()[0]!r}"


def example_findings(examples: str) -> Iterator[str]:
    """What examples import that a user should not, and the names that they use and do not define."""
    tree = ast.parse("".join(example.source for example in doctest.DocTestParser().get_examples(examples)))
    defined, used = set(dir(builtins)), set[str]()
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
        elif isinstance(node, ast.ExceptHandler):
            defined.add(node.name or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for module in modules:
            if module not in MODULES and module.split(".")[0] not in (*sys.stdlib_module_names, "dask"):
                yield f"Examples import {module}"
    if used - defined:
        yield f"Examples do not define {', '.join(sorted(used - defined))}"


def exists(related: str, name: str) -> bool:
    """Whether a name in See Also is public: a name of this package, or of the module or class of `name`."""
    owners = [module for module in MODULES if name.startswith(f"{module}.")]
    for owner in ["rosenblatt", *owners]:
        try:
            reduce(getattr, related.removeprefix("rosenblatt.").split("."), importlib.import_module(owner))
        except AttributeError:
            continue
        return True
    return False


def main() -> int:
    """Print what is wrong, one line each; return 1 if something is."""
    checks = parse_config(ROOT)["checks"]
    names = list(public())
    wrong = [f"{each.name}: {finding}" for each in names for finding in findings(each, checks)]
    print("\n".join(wrong) or f"The docstrings of {len(names)} public names follow the rules.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

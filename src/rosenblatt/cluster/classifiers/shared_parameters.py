"""Docstrings of classes that have the parameters of another class."""

import inspect
from collections.abc import Callable
from typing import TypeVar

C = TypeVar("C", bound=type)
START, END = "Parameters\n----------\n", "Attributes\n----------\n"


def with_parameters_of(other: type) -> Callable[[C], C]:
    """Decorate a class: its docstring gets the section "Parameters" of another class, before its "Attributes"."""

    def decorate(cls: C) -> C:
        own, theirs = inspect.getdoc(cls), inspect.getdoc(other)
        if own is not None and theirs is not None:  # python -OO has no docstrings
            section = theirs[theirs.index(START) : theirs.index(END)]
            cls.__doc__ = own.replace(END, section + END, 1) + "\n"
        return cls

    return decorate

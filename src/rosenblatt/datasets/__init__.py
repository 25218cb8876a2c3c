"""Built-in data sets by name, and generators whose margin, overlap or noise is known exactly.

Doors: `load(name, **options)`, `names()`, `options(name)` and the `Dataset` that `load` returns.
"""

from rosenblatt.datasets.catalogue import Dataset, load, names, options

__all__ = ["Dataset", "load", "names", "options"]


def __dir__() -> list[str]:
    return __all__

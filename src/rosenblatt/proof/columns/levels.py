"""Categories among the columns of a table: columns of 0 and 1, named "name=word", one for each level."""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.certificate.exact_table import Table


def level_groups(table: Table) -> dict[str, list[int]]:
    """The columns that stand for the levels of a category, by its name.

    They are named "name=word", have only 0 and 1, and no row has 1 in two of them.
    """
    groups: dict[str, list[int]] = {}
    for j, name in enumerate(table.names or []):
        if "=" in name:
            groups.setdefault(name.partition("=")[0], []).append(j)
    return {name: own for name, own in groups.items() if _is_one_hot(table.floats[:, own])}


def treatment_coded_table(table: Table) -> Table:
    """The table of a regression: without the first level of each category, the others named "name[word]".

    A category some of whose cells are missing is left as it is.
    """
    if table.names is None:
        return table
    names = list(table.names)
    left_out = set()
    for name, own in level_groups(table).items():
        if table.floats[:, own].sum() == table.n:
            left_out.add(own[0])
            for j in own:
                names[j] = f"{name}[{names[j].partition('=')[2]}]"
    kept = [j for j in range(table.d) if j not in left_out]
    place = {j: t for t, j in enumerate(kept)}
    large = {i: {place[j]: x for j, x in cells.items()} for i, cells in table.large.items()}
    floats = table.floats[:, kept]
    if not scipy.sparse.issparse(floats):
        floats = np.ascontiguousarray(floats)
    return replace(table, floats=floats, large=large, names=[names[j] for j in kept])


def _is_one_hot(X: Any) -> bool:
    entries = X.data if scipy.sparse.issparse(X) else X
    return bool(((entries == 0) | (entries == 1)).all() and X.sum(axis=1).max() <= 1)

"""Columns of a regression that do not depend on others: on all rows, or on the rows of the limiting model."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.coefficient_statuses import ProvedCone, with_constant
from rosenblatt.proof.columns.column_sets import with_columns


def independent_columns(cone: ProvedCone, first: Sequence[int]) -> list[int]:
    """Coefficients that a model on all rows can have together, as many as possible; `first` come first."""
    return _independent(cone, cone.span, first)


def limiting_columns(cone: ProvedCone, first: Sequence[int]) -> list[int]:
    """Coefficients that the limiting model can have together, as many as possible; `first` come first.

    The limiting model is fitted to the rows that are not separated. The witness spans them. All coefficients that are
    finite can be kept.
    """
    return _independent(cone, cone.witness.rows, first)


def _independent(cone: ProvedCone, spanning: Sequence[int], first: Sequence[int]) -> list[int]:
    rows = with_constant(cone.signed)
    order = [*first, *(j for j in range(rows.width) if j not in set(first))]
    if not len(spanning):
        return []
    own = rows.take(np.array(spanning))
    moved = Signed(with_columns(own.table, order), own.y, 0.0)
    given = moved.whole(range(moved.n))
    return sorted(order[given.columns[k]] for k in given.pivots())

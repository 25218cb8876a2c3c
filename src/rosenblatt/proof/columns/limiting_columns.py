"""The columns of the limiting model, which is fitted to the rows that are not separated."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.coefficient_statuses import Cone, with_constant
from rosenblatt.proof.columns.column_sets import with_columns


def limiting_columns(cone: Cone, first: Sequence[int]) -> list[int]:
    """Coefficients that the limiting model can have together, as many as possible.

    Parameters
    ----------
    cone : the proof of which rows are separated
    first : the coefficients that come first, if there is a choice. Those that are finite can all be kept.
    """
    rows = with_constant(cone.signed)
    order = [*first, *(j for j in range(rows.width) if j not in set(first))]
    if not cone.witness.rows:
        return []
    own = rows.take(np.array(cone.witness.rows))
    moved = Signed(with_columns(own.table, order), own.y, 0.0)
    given = moved.whole(range(moved.n))
    return sorted(order[given.columns[k]] for k in given.pivots())

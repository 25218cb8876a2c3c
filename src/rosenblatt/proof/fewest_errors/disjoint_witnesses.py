"""The search for rows that no hyperplane has all right, many times without a common row: the lower bound of errors.

Rows that add up to 0 with positive weights (a witness) cost every hyperplane an error. A witness is looked for among
few rows: some that a good hyperplane gets wrong, and more that it gets right. Non-negative least squares in floats
finds the rows; whole numbers prove the witness. Its rows are then set aside, and the search goes on. Few wrong rows are
taken at first, because a witness needs one of them at least, and they are what the search runs out of.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.events import listening, report_progress
from rosenblatt.certificate.check_claims import has_positive_null
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.fewest_errors.effort import Effort
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.prove import MAX_COPIED_NUMBERS, ScaledRows, prove

OPERATIONS = 3e8  # of the default effort: about two searches with 20,000 rows of 10 columns
SOLVING, PROVING = 4000, 500  # operations to begin a search in floats, and to convert one number of a proof
MAX_RESTARTS = 15  # each with sets twice as large
FAILURES = 10  # of sets of one size, before larger sets are tried
ROWS_PER_COLUMN, FEWEST_ROWS, MOST_ROWS = 20, 60, 400  # in the first sets
MAX_EXACT = 20_000  # numbers in the rows that are searched exactly at the end
ZERO = 1e-9  # the largest length of a sum that is taken for 0, where the rows have a size of about 1
Rows = NDArray[np.int64]


def most_witnesses(
    signed: Signed, wrong: Rows, best: list[list[int]], effort: Effort, random_state: int
) -> list[list[int]]:
    """The most disjoint witnesses of a few searches. `best` are witnesses to begin with."""
    rng = np.random.default_rng(random_state)
    Z = ScaledRows(signed).Z if signed.n * signed.width <= MAX_COPIED_NUMBERS else None
    spent = 0.0
    size = first_size(signed.width)
    for _ in range(MAX_RESTARTS):
        if len(best) == len(wrong) or effort.left < spent or not effort.spend(0):
            break
        found, before = list[list[int]](), effort.left
        try:
            for rows in disjoint_witnesses(signed, Z, wrong, size, effort, rng):
                found.append(sorted(rows))
                report_progress("fewest errors", 0, None, "{:,} to {:,}", max(len(best), len(found)), len(wrong))
        except OutOfTime:
            effort.was_cut = True
        best, spent, size = max(best, found, key=len), before - effort.left, min(2 * size, signed.n)
    return best


def disjoint_witnesses(
    signed: Signed, Z: Any, wrong: Rows, size: int, effort: Effort, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yield witnesses that share no row.

    Parameters
    ----------
    signed : the rows
    Z : the signed rows in floats, all of about one size; None if there are too many to copy
    wrong : the rows that a good hyperplane gets wrong
    size : the number of rows in the first sets
    effort : what the search may spend
    rng : the source of the sets
    """
    free, is_wrong = np.ones(signed.n, bool), np.zeros(signed.n, bool)
    is_wrong[wrong] = True
    for rows in obvious_witnesses(signed):
        free[rows] = False
        yield rows
    few, many, failures = 1, size, 0
    while Z is not None:
        bad, good = np.flatnonzero(free & is_wrong), np.flatnonzero(free & ~is_wrong)
        if not len(bad) or not effort.spend(search_cost(min(many, len(bad) + len(good)), signed.width)):
            break
        some = rng.choice(bad, min(few, len(bad)), replace=False)
        others = rng.choice(good, min(max(many - len(some), 0), len(good)), replace=False)
        found = proved(signed, float_witness(Z, np.concatenate([some, others])), effort)
        if found:
            free[found] = False
            failures = 0
            yield found
        elif len(some) == len(bad) and len(others) == len(good):
            break
        elif failures < FAILURES:
            failures += 1
        else:
            few, failures = 2 * few, 0
            many = many if few <= many // 2 else 2 * many
    while free.sum() * signed.width <= MAX_EXACT and effort.spend(proof_cost(int(free.sum()), signed.width)):
        last = witness_among(signed, np.flatnonzero(free), effort.deadline)
        if not last:
            break
        free[last] = False
        yield last


def first_size(width: int) -> int:
    """The number of rows in the first sets."""
    return int(np.clip(ROWS_PER_COLUMN * width, FEWEST_ROWS, max(MOST_ROWS, 4 * width)))


def search_cost(rows: int, width: int) -> float:
    """Operations of a search in floats."""
    return SOLVING + rows * width**2


def proof_cost(rows: int, width: int) -> float:
    """Operations of a proof in whole numbers."""
    return PROVING * rows * width + 10 * width**3


def float_witness(Z: NDArray[np.float64], rows: Rows) -> Rows:
    """The rows of a convex combination that is 0 in floats; none if there is no such combination."""
    from scipy.optimize import nnls  # it takes long to import

    A = np.vstack([Z[rows].T, np.ones(len(rows))])
    try:
        weights, rest = nnls(A, np.append(np.zeros(len(A) - 1), 1.0))
    except RuntimeError:  # too many steps
        return rows[:0]
    return rows[weights > 0] if rest < ZERO else rows[:0]


def proved(signed: Signed, rows: Rows, effort: Effort) -> list[int]:
    """These rows if they are a witness and none can be left out, else a witness among them, or none."""
    if not len(rows) or not effort.spend(proof_cost(len(rows), signed.width)):
        return []
    if has_positive_null(signed, rows.tolist()):
        return [int(i) for i in rows]
    return witness_among(signed, rows, effort.deadline)


def obvious_witnesses(signed: Signed) -> Iterator[list[int]]:
    """Yield rows of zeros, if there is no constant, and pairs of equal rows of different classes."""
    zero = np.zeros(signed.n, bool)
    if not signed.constant:
        zero = np.asarray((signed.table.floats != 0).sum(axis=1)).ravel() == 0
    yield from ([i] for i in np.flatnonzero(zero).tolist())
    yield from (list(pair) for pair in contradictions(signed.table, signed.y) if not zero[pair[0]])


def witness_among(signed: Signed, rows: NDArray[Any], deadline: float) -> list[int]:
    """A witness of these rows, or an empty list if a hyperplane separates them."""
    if not len(rows) or (signed.constant and len(np.unique(signed.y[rows])) < 2):
        return []
    with listening(None):  # there are many small searches; their progress is not reported
        proof = prove(signed.take(rows), detail=False, epsilon=0.1, deadline=deadline)
    return [int(rows[i]) for i in proof.witness.rows]

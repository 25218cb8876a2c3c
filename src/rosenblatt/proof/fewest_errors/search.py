"""The search for bounds of the fewest errors: first a verdict, then a good hyperplane, then disjoint witnesses."""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.base.deadline import OutOfTime
from rosenblatt.base.exact import text_of
from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.proof.fewest_errors import best_hyperplane, disjoint_witnesses
from rosenblatt.proof.fewest_errors.effort import Effort
from rosenblatt.proof.finders.contradictions import contradictions
from rosenblatt.proof.prove import prove

VERDICT_SHARE, UPPER_SHARE = 0.5, 0.75  # of the time limit, at which these searches end; the lower bound has the rest


class FewestErrors(NamedTuple):
    """A hyperplane, the rows that it gets wrong, and witnesses, each of which costs every hyperplane an error."""

    w: list[int]
    wrong: NDArray[Any]
    witnesses: list[list[int]]
    is_complete: bool  # did the search end by itself?

    def to_part(self) -> dict[str, Any]:
        """The part of a certificate that proves the bounds."""
        return {
            "hyperplane": [text_of(number) for number in self.w],
            "rows": self.wrong.tolist(),
            "upper": len(self.wrong),
            "lower": len(self.witnesses),
            "witnesses": self.witnesses,
        }


def fewest_errors(
    signed: Signed, deadline: float, random_state: int, hyperplane: Hyperplane | None = None
) -> FewestErrors:
    """Search for bounds of the fewest errors on signed rows of two classes.

    Parameters
    ----------
    signed : the rows
    deadline : when to give up, on the monotonic clock
    random_state : the seed of the directions and of the sets of rows
    hyperplane : a hyperplane to begin with
    """
    start = time.monotonic()
    equal = contradictions(signed.table, signed.y) if signed.constant else []  # else rows may be 0
    try:
        limit = start + VERDICT_SHARE * (deadline - start)
        proof = prove(signed, detail=False, epsilon=0.1, deadline=limit, equal=equal)
    except OutOfTime:
        proof = None
    if proof is not None and proof.hyperplane:
        return FewestErrors(proof.hyperplane, np.empty(0, np.int64), [], True)
    first = [sorted(proof.witness.rows)] if proof else []
    above = Effort(best_hyperplane.OPERATIONS, start + UPPER_SHARE * (deadline - start))
    below = Effort(disjoint_witnesses.OPERATIONS, deadline)
    least = max(len(equal), len(first))
    w, wrong = best_hyperplane.best_hyperplane(signed, hyperplane, above, random_state, least)
    witnesses = disjoint_witnesses.most_witnesses(signed, wrong, first, below, random_state)
    was_cut = len(witnesses) < len(wrong) and (not first or above.was_cut or below.was_cut)
    return FewestErrors(w, wrong, witnesses, not was_cut)

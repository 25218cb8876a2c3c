"""The signs of the weights of the hyperplane with the largest margin, proved from bounds of the margin.

Of all v with v.z >= 1 for all rows, the shortest is v*, with 1/|v*| the largest margin m*. Any other such v has
|v - v*|^2 <= |v|^2 - |v*|^2, as v* is the point nearest to 0 of a convex set. With an upper bound M of m*, a weight of
v whose square is above |v|^2 - 1/M^2 has the sign of v*.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rosenblatt.base.exact import root_over, whole
from rosenblatt.certificate.check_claims import hull_square
from rosenblatt.certificate.signed_rows import Signed
from rosenblatt.hulls.search_types import Goal
from rosenblatt.proof.prove import FloatSearch

EPSILON = 1e-9  # the relative gap between the bounds of the margin


def margin_signs(signed: Signed, deadline: float) -> list[int]:
    """The sign of each weight of the hyperplane with the largest margin; 0 where it is 0 or not proved.

    The constant, if the rows have one, does not count in the length of a hyperplane.

    Parameters
    ----------
    signed : rows that a hyperplane separates strictly
    deadline : when to give up, on the monotonic clock

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    search = FloatSearch.of(signed, Goal(EPSILON), deadline)
    w, nearest = whole(search.hyperplane), search.found
    free = signed.constant != 0
    if not (signed.leads(w)[1] > 0).all():
        return [0] * signed.width
    square = hull_square(signed, nearest.rows.tolist(), whole(nearest.weights.tolist()), free=free)
    if not square:
        return [0] * signed.width
    unit = signed.smallest_lead(w)
    v = [Fraction(number) / unit for number in w]
    own = v[: signed.table.d] if free else v
    gap = sum((x * x for x in own), Fraction(0)) - 1 / square
    signs = [(x > 0) - (x < 0) if x * x > gap else 0 for x in own]
    return [*signs, _bias_sign(signed, v, root_over(gap))] if free else signs


def _bias_sign(signed: Signed, v: Sequence[Fraction], radius: Fraction) -> int:
    """The sign of the bias b of v*, whose other weights are within a radius of those of v; 0 if it is not proved.

    A row x of class y has y (v*.x + b) >= 1, and so y b >= 1 - y v.x - radius |x|.
    """
    leads = signed.leads(whole(v))[0]
    for sign in (1, -1):
        rows = np.flatnonzero(signed.y == sign)
        i = int(rows[np.argmin(leads[rows])])  # the row next to the hyperplane
        x = {j: Fraction(*ratio) for j, ratio in signed.table.row(i).items()}
        product = sum((v[j] * number for j, number in x.items()), Fraction(0))
        length = root_over(sum((number * number for number in x.values()), Fraction(0)))
        if 1 - sign * product - radius * length > 0:
            return sign
    return 0

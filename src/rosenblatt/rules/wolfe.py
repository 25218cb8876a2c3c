"""Wolfe's rule: the shortest w in the affine hull of a few points, by a triangular factor that is updated with them.

The products of the points are  B_kq = z_k.z_q + unit^2 [same part] + slack [k = q],  and B = U'U with U upper
triangular. The middle term does not change steps that keep the sum of the weights of each part. It makes B invertible
exactly when the points are affinely independent. U is never computed from B, which would lose half of the digits: a
new column is computed from the component of the new point that is orthogonal to the others, with one correction
(Bjorck 1996, section 6.6.5).
"""

import math

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import EPS, add, dot
from rosenblatt.rules.hull import combine, deepest, find, forget, level, normalise, square, sum_of_squares

HULL = "ca2cbb3c0297fb2f"  # the digests of hull.py and rows.py; see rows.py
ROWS = "51b39b36e867ec93"
IDLE_DECREASE = (
    1e-12  # a step with a new point counts as idle if it shortens |w|^2 by a smaller part (with an old point, 0.1)
)
PATIENCE = 100  # stop after so many idle steps in a row; a step with an old point counts as ten
DEPENDENT = 1e-13  # in units of the longest row: a point this close to the affine hull of others counts as in it


@rule
def wolfe(rows, y, part, hull, row, lead, slack):
    """
    Rule       1. add the row farthest below its level; 2. go to the shortest w in the affine hull of the points;
               3. if that lies outside their convex hull, stop at its boundary, drop the point whose weight became 0,
               and repeat step 2
    Given      rows, y, part, slack; row and lead, the worst row of each part and its lead; the points are affinely
               independent, and hull.factor is their factor
    Changes    hull
    Returns    the row that was added, or -1 if no step makes w shorter
    Guarantee  |w| falls; w* is reached after finitely many calls, because no set of points comes twice
    See        Wolfe 1976
    """
    h, gap = deepest(part, hull, row, lead, slack)
    if not gap > 0.0:
        return -1
    if find(hull, row[h]) < 0 and not join(rows, y, part, hull, row[h], slack):
        return -1
    normalise(part, hull)
    combine(rows, y, part, hull, hull.centres, hull.w)
    units = of_units(part, hull, slack)
    blocking = -2
    for _ in range(2 * hull.size[0] + 8):
        step, uneven = to_level(rows, y, part, hull, slack)
        if blocking == -1 and uneven <= 1e-2 * gap:
            break
        to_affine_minimum(part, hull, step, units)
        reach, blocking = 1.0, -1
        for k in range(hull.size[0]):
            if hull.weights[k] + reach * step[k] < 0.0:
                reach, blocking = hull.weights[k] / -step[k], k
        for k in range(hull.size[0]):
            i = hull.points[k]
            hull.weights[k] += reach * step[k]
            add(hull.centres[part[i]], rows, i, reach * step[k] * y[i])
            add(hull.w, rows, i, reach * step[k] * y[i])
        if blocking >= 0:
            leave(hull, blocking)
            units = of_units(part, hull, slack)
    return row[h]


@rule
def wolfe_among(rows, y, part, hull, near, slack, small, log_row, log_square, log_size):
    """
    Rule       `wolfe` with the worst of a few rows, until |w|^2 is within small |w|^2 of its minimum over these rows
    Given      rows, y, part, near (the few rows), slack, small; the length of log_row is the largest number of steps
    Changes    hull; for each step log_row, the row that was added, and log_square and log_size, |w|^2 and the number of
               points before the step
    Returns    the number of steps made
    Guarantee  it ends after PATIENCE steps without progress, which only rounding can cause
    """
    row = np.empty(2, np.int64)
    lead = np.empty(2)
    centres, weighed = np.empty_like(hull.centres), np.empty_like(hull.w)
    shortest, smallest, idle = math.inf, math.inf, 0
    for t in range(len(log_row)):
        worst_of(rows, y, part, hull, near, slack, row, lead)
        gap = 0.0
        for p in range(2):
            if row[p] >= 0:
                gap += level(hull, part, p, slack) - lead[p]
        before = square(hull, slack)
        if gap <= small * before or before <= (EPS * hull.unit) ** 2:
            return t
        normalise(part, hull)
        combine(rows, y, part, hull, centres, weighed)
        log_square[t] = sum_of_squares(weighed) + slack * sum_of_squares(hull.weights[: hull.size[0]])
        log_size[t] = hull.size[0]
        is_new = find(hull, row[deepest(part, hull, row, lead, slack)[0]]) < 0
        log_row[t] = wolfe(rows, y, part, hull, row, lead, slack)
        if log_row[t] < 0:
            return t
        idle += 1 if is_new else 10
        if square(hull, slack) < shortest * (1.0 - (IDLE_DECREASE if is_new else 0.1)):
            shortest = square(hull, slack)
            idle = 0
        if gap < 0.5 * smallest:
            smallest = gap
            idle = 0
        if idle >= PATIENCE:
            return t + 1
    return len(log_row)


@helper
def worst_of(rows, y, part, hull, near, slack, row, lead):
    """Find the row of each part with the smallest lead among a few rows, and that lead."""
    row[0] = row[1] = -1
    lead[0] = lead[1] = math.inf
    for i in near:
        score, _ = dot(hull.w, rows, i)
        g = y[i] * score
        if slack > 0.0:
            k = find(hull, i)
            if k >= 0:
                g += slack * hull.weights[k]
        if g < lead[part[i]]:
            lead[part[i]] = g
            row[part[i]] = i


@helper
def to_level(rows, y, part, hull, slack):
    """Return how far the lead of each point is below the level of its part, and the largest such deviation."""
    want = np.empty(hull.size[0])
    most = 0.0
    first, second = level(hull, part, 0, slack), level(hull, part, 1, slack)
    for k in range(len(want)):
        i = hull.points[k]
        score, _ = dot(hull.w, rows, i)
        want[k] = (second if part[i] else first) - y[i] * score - slack * hull.weights[k]
        most = max(most, abs(want[k]))
    return want, most


@helper
def of_units(part, hull, slack):
    """Return B^-1 e for the indicator e of each part, times unit^2 + slack, which keeps the numbers near 1."""
    units = np.zeros((2, hull.size[0]))
    for p in range(2):
        for k in range(hull.size[0]):
            units[p, k] = hull.unit**2 + slack if part[hull.points[k]] == p else 0.0
        solve(hull.factor, units[p])
    return units


@helper
def to_affine_minimum(part, hull, step, units):
    """Replace `step`, how far leads are below their level, by the change of the weights that gives the shortest w.

    The change solves  B change = step + a level for each part.  The levels keep the sum of the weights of each part.
    """
    solve(hull.factor, step)
    sums = np.zeros((2, 3))
    for k in range(len(step)):
        p = part[hull.points[k]]
        sums[p, 0] += units[0, k]
        sums[p, 1] += units[1, k]
        sums[p, 2] -= step[k]
    if sums[1, 1] == 0.0:
        first, second = sums[0, 2] / sums[0, 0], 0.0
    else:
        det = sums[0, 0] * sums[1, 1] - sums[0, 1] * sums[1, 0]
        first = (sums[0, 2] * sums[1, 1] - sums[0, 1] * sums[1, 2]) / det
        second = (sums[0, 0] * sums[1, 2] - sums[1, 0] * sums[0, 2]) / det
    for k in range(len(step)):
        step[k] += first * units[0, k] + second * units[1, k]


@helper
def join(rows, y, part, hull, i, slack):
    """Append row i to the points, and return whether that was possible.

    While row i depends on the points, one of them passes its weight on to it and is removed.
    """
    own = 0.0
    while True:
        shares, pivot = in_terms_of_points(rows, y, part, hull, i, slack)
        room = slack > 0.0 or hull.size[0] <= hull.w.size  # another point would depend on d + 2 points
        if room and pivot > (DEPENDENT * hull.unit) ** 2:
            break
        reach, blocking = math.inf, -1
        for k in range(hull.size[0]):
            if hull.weights[k] < reach * shares[k]:
                reach, blocking = hull.weights[k] / shares[k], k
        if blocking < 0:
            return False
        for k in range(hull.size[0]):
            hull.weights[k] -= reach * shares[k]
        own += reach
        leave(hull, blocking)
    n = hull.size[0]
    for k in range(n):
        total = 0.0
        for q in range(k, n):
            total += hull.factor[k, q] * shares[q]
        hull.factor[k, n] = total
    hull.factor[n, n] = math.sqrt(pivot)
    hull.points[n] = i
    hull.weights[n] = own
    hull.size[0] += 1
    return True


@helper
def in_terms_of_points(rows, y, part, hull, i, slack):
    """Return the coefficients of the combination of points nearest to z_i, and the squared length of the remainder."""
    n = hull.size[0]
    shares, more = np.zeros(n), np.zeros(n)
    left = np.zeros(hull.w.size)
    add(left, rows, i, float(y[i]))
    excess = np.zeros(2)
    excess[part[i]] = 1.0
    for _ in range(2):
        for k in range(n):
            j = hull.points[k]
            score, _ = dot(left, rows, j)
            more[k] = y[j] * score + hull.unit**2 * excess[part[j]] - slack * shares[k]
        solve(hull.factor, more)
        for k in range(n):
            j = hull.points[k]
            shares[k] += more[k]
            excess[part[j]] -= more[k]
            add(left, rows, j, -more[k] * y[j])
    square_left = sum_of_squares(left) + hull.unit**2 * sum_of_squares(excess)
    return shares, square_left + slack * (1.0 + sum_of_squares(shares))


@helper
def leave(hull, k):
    """Remove point k, and restore the triangular factor by rotations."""
    n = hull.size[0] - 1
    U = hull.factor
    for q in range(k, n):
        for r in range(q + 2):
            U[r, q] = U[r, q + 1]
        a, b = U[q, q], U[q + 1, q]
        length = math.hypot(a, b)
        U[q, q] = length
        U[q + 1, q] = 0.0
        c, s = a / length, b / length
        for r in range(q + 2, n + 1):
            upper, lower = U[q, r], U[q + 1, r]
            U[q, r] = c * upper + s * lower
            U[q + 1, r] = c * lower - s * upper
    forget(hull, k)


@rule
def solve(U, x):
    """Rule       x <- (U'U)^-1 x, by two triangular solves"""
    n = x.size
    for k in range(n):
        x[k] /= U[k, k]
        for q in range(k + 1, n):
            x[q] -= U[k, q] * x[k]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for q in range(k + 1, n):
            total -= U[k, q] * x[q]
        x[k] = total / U[k, k]

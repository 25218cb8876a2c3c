"""Nearest points of convex hulls: w is a convex combination of signed rows, and each rule makes w shorter.

Symbols, in addition to those of the package
--------------------------------------------
z_i     y_i x_i, the signed row
part    the hull of row i: its class (two hulls, and the nearest points of both), or 0 for all rows (one hull, and 0)
l_i     the weight of row i in the combination; the weights of a part sum to 1
g_i     w.z_i + slack l_i, the lead of row i
slack   1/(2C); it acts as if each row had a column of its own with the number sqrt(slack); 0 for none
level   the mean of g over the weights of a part; if w is the nearest point, no row of the part has a lead below it
"""

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import EPS, add, add_exactly, dot, exact_lead, sqnorm, unsure

ROWS = "51b39b36e867ec93"  # the digest of rows.py; see there


class Hull(NamedTuple):
    """The state of a search: the rows that have a weight, and their combination."""

    points: np.ndarray  # the numbers of the rows that have a weight
    weights: np.ndarray
    size: np.ndarray  # one number: how many points, weights, and rows and columns of the factor are in use
    centres: np.ndarray  # 2 x (d+1): the combination of each part
    w: np.ndarray  # their sum
    factor: np.ndarray  # U of wolfe.py; used by Wolfe's rule only
    unit: float  # the length of the longest row


@rule
def worst(rows, y, part, w, lift, kept, leads):
    """
    Rule       for each part, the row with the smallest  y_i w.x_i + lift_i
    Given      rows, y, part, w, kept (the rows to look at), lift (slack l_i of each row, or empty for none)
    Changes    leads[t] = y_i w.x_i for i = kept[t], without the lift
    Returns    for each part: the row, its lead, and a lower bound on the exact leads of all its rows
    """
    row = np.full(2, -1)
    lead = np.full(2, math.inf)
    low = np.full(2, math.inf)
    for t in range(len(kept)):
        i = kept[t]
        score, error = dot(w, rows, i)
        leads[t] = g = y[i] * score
        if lift.size:
            g += lift[i]
            error += EPS * lift[i]
        h = part[i]
        if g < lead[h]:
            lead[h] = g
            row[h] = i
        low[h] = min(low[h], g - error)
    return row, lead, low


@rule
def mistakes(rows, y, w, total):
    """
    Rule       total += the sum of z_i over the rows with y_i w.x_i <= 0
    Given      rows, y, w
    Changes    total
    Returns    the number of such rows
    Guarantee  the sign of every score is exact
    """
    count = 0
    for i in range(len(y)):
        score, error = dot(w, rows, i)
        lead = y[i] * score
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], 0.0)
        if not lead > 0.0:
            add(total, rows, i, float(y[i]))
            count += 1
    return count


@rule
def distances(rows, y, part, centres, out):
    """Rule       out[i] = |z_i - the centre of its part|"""
    z = np.empty(centres.shape[1])
    for i in range(len(y)):
        for j in range(z.size):
            z[j] = -centres[part[i], j]
        add(z, rows, i, float(y[i]))
        out[i] = math.sqrt(sum_of_squares(z))


@rule
def lengths(rows, out):
    """Rule       out[i] = |x_i|"""
    for i in range(len(out)):
        out[i] = math.sqrt(sqnorm(rows, i))


@rule
def levels(part, hull, slack):
    """Rule       the level of each part: w.centre + slack (the sum of its squared weights)"""
    return np.array([level(hull, part, 0, slack), level(hull, part, 1, slack)])


@rule
def normalise(part, hull):
    """Rule       divide each weight by the sum of the weights of its part, which then sum to 1, to rounding"""
    total = np.zeros(2)
    for k in range(hull.size[0]):
        total[part[hull.points[k]]] += hull.weights[k]
    for k in range(hull.size[0]):
        hull.weights[k] /= total[part[hull.points[k]]]


@rule
def combine(rows, y, part, hull, centres, w):
    """
    Rule       centre_h = the sum of l_i z_i over part h, divided by the sum of these l_i;  w = centre_0 + centre_1
    Given      rows, y, part, and the normalised weights of the hull
    Changes    centres, w
    Guarantee  sums have twice the digits; w is rounded once
    """
    high, low = np.zeros((2, hull.w.size)), np.zeros((2, hull.w.size))
    total, rest = np.full(2, -1.0), np.zeros(2)  # total + rest = the sum of the weights, minus 1
    for k in range(hull.size[0]):
        i = hull.points[k]
        h = part[i]
        add_exactly(high[h], low[h], rows, i, hull.weights[k] * y[i])
        old = total[h]
        total[h] = old + hull.weights[k]
        v = total[h] - old
        rest[h] += (old - (total[h] - v)) + (hull.weights[k] - v)
    for j in range(w.size):
        for h in range(2):
            low[h, j] -= (total[h] + rest[h]) * high[h, j]
            centres[h, j] = high[h, j] + low[h, j]
        w[j] = (high[0, j] + high[1, j]) + (low[0, j] + low[1, j])


@rule
def kozinec(rows, y, part, hull, row, lead, slack):
    """
    Rule       w <- (1-k) w + k z_i  with the k in [0, 1] that makes w shortest, where z_i is the row farthest below its
               level (with two hulls, w is the difference of two points, and the point in the hull of z_i moves)
    Given      rows, y, part, slack; row and lead, the worst row of each part and its lead
    Changes    hull
    Returns    the row that w moved towards, or -1 if no step makes w shorter
    Guarantee  |w| falls; |w| - |w*| = O(1/t)
    See        Kozinec 1973; Schlesinger and Hlavac 2002, chapter 5
    """
    h, gap = deepest(part, hull, row, lead, slack)
    return move_towards(rows, y, part, hull, row[h], gap, slack)


@rule
def mdm(rows, y, part, hull, row, lead, slack):
    """
    Rule       the weighted row with the largest lead gives weight to the row with the smallest lead, as much as makes w
               shortest, but no more than it has
    Given      rows, y, part, slack; row and lead, the worst row of each part and its lead
    Changes    hull
    Returns    the row that gained weight, or -1 if no step makes w shorter
    Guarantee  |w| falls, at a linear rate in the end
    See        Mitchell, Demyanov and Malozemov 1974; Lopez and Dorronsoro 2015
    """
    giver, gap = -1, 0.0
    for p in range(2):
        if row[p] >= 0:
            k, g = best_placed(rows, y, part, hull, p, slack)
            if g - lead[p] > gap:
                gap = g - lead[p]
                giver = k
    if giver < 0:
        return -1
    j = hull.points[giver]
    h = part[j]
    i = row[h]
    if i == j:
        return -1
    step = np.zeros(len(hull.w))
    add(step, rows, i, float(y[i]))
    add(step, rows, j, -float(y[j]))
    share = gap / (sum_of_squares(step) + 2.0 * slack)
    taker = place(hull, i)
    if share < hull.weights[giver]:
        hull.weights[giver] -= share
        hull.weights[taker] += share
    else:
        share = hull.weights[giver]
        hull.weights[taker] += share
        hull.weights[giver] = 0.0
        forget(hull, giver)
    shift(hull, h, share, step)
    return i


@rule
def away(rows, y, part, hull, row, lead, slack):
    """
    Rule       Kozinec's step, or a step away from the weighted row with the largest lead, whichever is steeper
    Given      rows, y, part, slack; row and lead, the worst row of each part and its lead
    Changes    hull
    Returns    the row that w moved towards or away from, or -1 if no step makes w shorter
    Guarantee  |w| falls, at a linear rate
    See        Guelat and Marcotte 1986; Lacoste-Julien and Jaggi 2015
    """
    giver, taker, gap = -1, -1, 0.0
    for p in range(2):
        if row[p] >= 0:
            middle = level(hull, part, p, slack)
            k, g = best_placed(rows, y, part, hull, p, slack)
            if middle - lead[p] > gap:
                gap, taker, giver = middle - lead[p], row[p], -1
            if g - middle > gap and hull.weights[k] < 1.0:
                gap, taker, giver = g - middle, -1, k
    if giver >= 0:
        return move_away(rows, y, part, hull, giver, gap, slack)
    return move_towards(rows, y, part, hull, taker, gap, slack) if taker >= 0 else -1


# Helpers of the rules


@rule
def sum_of_squares(v):
    """Rule       |v|^2"""
    total = 0.0
    for j in range(v.size):
        total += v[j] * v[j]
    return total


@helper
def square(hull, slack):
    """Return |w|^2, with the columns of slack included."""
    return sum_of_squares(hull.w) + slack * sum_of_squares(hull.weights[: hull.size[0]])


@helper
def squared_weights(hull, part, p):
    """Return the sum of the squared weights of part p."""
    total = 0.0
    for k in range(hull.size[0]):
        if part[hull.points[k]] == p:
            total += hull.weights[k] * hull.weights[k]
    return total


@helper
def level(hull, part, p, slack):
    """Return the level of part p."""
    total = slack * squared_weights(hull, part, p) if slack > 0.0 else 0.0
    for j in range(hull.w.size):
        total += hull.w[j] * hull.centres[p, j]
    return total


@helper
def deepest(part, hull, row, lead, slack):
    """Return the part whose worst row is farthest below the level of the part, and that distance."""
    h, gap = 0, -math.inf
    for p in range(2):
        if row[p] >= 0:
            below = level(hull, part, p, slack) - lead[p]
            if below > gap:
                h, gap = p, below
    return h, gap


@helper
def best_placed(rows, y, part, hull, p, slack):
    """Return the position of the point of part p with the largest lead, and that lead."""
    best, most = -1, -math.inf
    for k in range(hull.size[0]):
        i = hull.points[k]
        if part[i] == p:
            score, _ = dot(hull.w, rows, i)
            g = y[i] * score + slack * hull.weights[k]
            if g > most:
                best, most = k, g
    return best, most


@helper
def find(hull, i):
    """Return the position of row i among the points, or -1."""
    for k in range(hull.size[0]):
        if hull.points[k] == i:
            return k
    return -1


@helper
def place(hull, i):
    """Return the position of row i among the points; append the row with weight 0 if it is not there."""
    k = find(hull, i)
    if k < 0:
        k = hull.size[0]
        hull.points[k] = i
        hull.weights[k] = 0.0
        hull.size[0] += 1
    return k


@helper
def forget(hull, k):
    """Remove point k from the list; the others keep their order."""
    for q in range(k, hull.size[0] - 1):
        hull.points[q] = hull.points[q + 1]
        hull.weights[q] = hull.weights[q + 1]
    hull.size[0] -= 1


@helper
def shift(hull, h, length, step):
    """Move the centre of part h by length * step, and w with it."""
    for j in range(hull.w.size):
        hull.centres[h, j] += length * step[j]
        hull.w[j] = hull.centres[0, j] + hull.centres[1, j]


@helper
def move_towards(rows, y, part, hull, i, gap, slack):
    """Move the centre of a part towards row i as far as makes w shortest; return i, or -1 for no step."""
    h = part[i]
    step = np.zeros(hull.w.size)
    for j in range(step.size):
        step[j] = -hull.centres[h, j]
    add(step, rows, i, float(y[i]))
    at = find(hull, i)
    own = hull.weights[at] if at >= 0 else 0.0
    length = sum_of_squares(step) + slack * (1.0 - 2.0 * own + squared_weights(hull, part, h))
    if not (gap > 0.0 and length > 0.0):
        return -1
    k = min(1.0, gap / length)
    for q in range(hull.size[0] - 1, -1, -1):
        if part[hull.points[q]] == h:
            hull.weights[q] *= 1.0 - k
            if hull.weights[q] == 0.0:
                forget(hull, q)
    hull.weights[place(hull, i)] += k
    shift(hull, h, k, step)
    return i


@helper
def move_away(rows, y, part, hull, giver, gap, slack):
    """Move the centre of a part away from a point as far as makes w shortest; return its row, or -1 for no step."""
    i, own = hull.points[giver], hull.weights[giver]
    h = part[i]
    step = hull.centres[h].copy()
    add(step, rows, i, -float(y[i]))
    length = sum_of_squares(step) + slack * (1.0 - 2.0 * own + squared_weights(hull, part, h))
    if not length > 0.0:
        return -1
    k = min(own / (1.0 - own), gap / length)
    for q in range(hull.size[0]):
        if part[hull.points[q]] == h:
            hull.weights[q] *= 1.0 + k
    hull.weights[giver] -= k
    if hull.weights[giver] <= 0.0 or k == own / (1.0 - own):
        forget(hull, giver)
    shift(hull, h, k, step)
    return i

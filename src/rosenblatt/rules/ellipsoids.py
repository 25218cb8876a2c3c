"""Gaussians seen from a hyperplane: which ellipsoid it touches first, where to turn it, and how far.

A Gaussian is a mean m_i, signed by its class and ending with the sign, and a covariance C_i. A hyperplane v, the bias
weight last and w the rest, has the lead v.m_i and the spread sqrt(w.C_i w); their ratio is the radius of the ellipsoid
that touches it, in units of standard deviations.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

rule = njit(cache=True, nogil=True)
HALVINGS = 60
FARTHEST = 1e9
DUST = 1e-14  # of the trace: what keeps a matrix of dependent points invertible


@rule
def look(m, C, v, leads, spreads, turned):
    """
    Given      signed means, covariances, v
    Changes    leads v.m_i; spreads sqrt(w.C_i w); turned, C_i w
    Returns    the Gaussian of the least radius
    """
    worst = 0
    for i in range(len(m)):
        leads[i], square = v[-1] * m[i, -1], 0.0
        for j in range(len(v) - 1):
            leads[i] += v[j] * m[i, j]
            turned[i, j] = 0.0
            for k in range(len(v) - 1):
                turned[i, j] += C[i, j, k] * v[k]
            square += turned[i, j] * v[j]
        spreads[i] = math.sqrt(max(square, 0.0))
        if radius(leads[i], spreads[i]) < radius(leads[worst], spreads[worst]):
            worst = i
    return worst


@rule
def radius(lead, spread):
    """lead / spread; without a spread, no error or nothing but errors, and 0 for a mean on the hyperplane."""
    if spread > 0.0:
        return lead / spread
    return 0.0 if lead == 0.0 else math.copysign(math.inf, lead)


@rule
def generalised_gradient(m, leads, spreads, turned, worst, v):
    """
    Rule       v += m_i - r C_i w / sigma_i, the point of the worst ellipsoid that touches the hyperplane
    Given      what `look` says
    Changes    v
    See        Schlesinger and Hlavac 2002, section 5.4: the perceptron's rule, for points of ellipsoids
    """
    r = radius(leads[worst], spreads[worst])
    for j in range(len(v) - 1):
        v[j] += m[worst, j] - (r * turned[worst, j] / spreads[worst] if spreads[worst] > 0.0 else 0.0)
    v[-1] += m[worst, -1]


@rule
def line_search(leads, more, a, b, c):
    """
    Rule       the k >= 0 at which the least of (leads_i + k more_i) / sqrt(a_i + 2 b_i k + c_i k^2) is largest
    Given      leads and squares of spreads along a line, as polynomials of k; all leads at k = 0 are at least 0
    Returns    k
    Guarantee  such ratios have one peak, and so has their least: the side of it is told by the sign of a slope
    """
    near, far = 0.0, 1.0
    while rises(leads, more, a, b, c, far) and far < FARTHEST:
        near, far = far, 2.0 * far
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        if rises(leads, more, a, b, c, middle):
            near = middle
        else:
            far = middle
    return near


@register_jitable
def rises(leads, more, a, b, c, k):
    """Is the least radius still growing at k?"""
    least, slope = math.inf, 1.0
    for i in range(len(leads)):
        lead, square = leads[i] + k * more[i], max(a[i] + k * (2.0 * b[i] + k * c[i]), 0.0)
        r = radius(lead, math.sqrt(square))
        if r < least:
            least, slope = r, more[i] * square - lead * (b[i] + k * c[i])
    return least >= 0.0 and slope > 0.0


@rule
def weigh(Q, levels, spreads, weights):
    """
    Rule       minimise  weights.Q weights / 2 + levels.weights  over weights >= 0 with  spreads.weights = 1:
               add the point that lowers it most; go to the minimum in the affine hull of the points; where that lies
               outside of their convex hull, go as far as it reaches, drop the point left behind, and again
    Given      Q, the products of contact points; levels, how far each is above the hyperplane; spreads, above 0
    Changes    weights
    Guarantee  Wolfe's: with levels 0, these are the weights of the nearest point; no set of points comes twice
    See        Wolfe 1976
    """
    n = len(levels)
    weights[:] = 0.0
    first = 0
    for i in range(1, n):
        if cost(Q, levels, spreads, i) < cost(Q, levels, spreads, first):
            first = i
    weights[first] = 1.0 / spreads[first]
    points = np.empty(n, np.int64)
    points[0], count = first, 1
    for _ in range(2 * n + 100):
        count = to_minimum(Q, levels, spreads, weights, points, count)
        entering, least = -1, 0.0
        slope = Q @ weights + levels
        price = np.dot(slope, weights)  # of one unit of spread
        for i in range(n):
            gain = slope[i] - price * spreads[i]
            if gain < least - 1e-13 * (abs(slope[i]) + abs(price) * spreads[i]) and weights[i] == 0.0:
                entering, least = i, gain
        if entering < 0:
            break
        points[count] = entering
        count += 1


@register_jitable
def cost(Q, levels, spreads, i):
    """Of all weight on one point."""
    return (0.5 * Q[i, i] / spreads[i] + levels[i]) / spreads[i]


@register_jitable
def to_minimum(Q, levels, spreads, weights, points, count):
    """Wolfe's inner loop; how many points are left."""
    while True:
        goal = affine_minimum(Q, levels, spreads, points, count)
        reach, blocking = 1.0, -1
        for k in range(count):
            here = weights[points[k]]
            if goal[k] <= 0.0 and here < reach * (here - goal[k]):
                reach, blocking = here / (here - goal[k]), k
            elif goal[k] <= 0.0 and here == 0.0:
                reach, blocking = 0.0, k
        for k in range(count):
            weights[points[k]] += reach * (goal[k] - weights[points[k]])
        if blocking < 0:
            return count
        weights[points[blocking]] = 0.0
        count -= 1
        for k in range(blocking, count):
            points[k] = points[k + 1]


@register_jitable
def affine_minimum(Q, levels, spreads, points, count):
    """The minimum over weights of these points that sum to 1 in units of spread, of whatever sign."""
    L, x, y = np.empty((count, count)), np.empty(count), np.empty(count)
    trace = 0.0
    for k in range(count):
        trace += Q[points[k], points[k]]
    for k in range(count):
        x[k], y[k] = spreads[points[k]], levels[points[k]]
        for q in range(k + 1):
            s = Q[points[k], points[q]] + (DUST * trace if k == q else 0.0)
            for t in range(q):
                s -= L[k, t] * L[q, t]
            L[k, q] = math.sqrt(max(s, DUST * DUST * trace)) if k == q else s / L[q, q]
            if q < k:
                x[k] -= L[k, q] * x[q]
                y[k] -= L[k, q] * y[q]
        x[k] /= L[k, k]
        y[k] /= L[k, k]
    price = (1.0 + np.dot(x, y)) / max(np.dot(x, x), 1e-300)
    goal = price * x - y
    for k in range(count - 1, -1, -1):
        goal[k] /= L[k, k]
        for q in range(k):
            goal[q] -= L[k, q] * goal[k]
    return goal

"""Rules for Gaussians and a hyperplane: which ellipsoid touches it first, and how to improve it.

Gaussian i has a mean m_i, multiplied by the sign of its class and extended by that sign, and a covariance C_i. The
hyperplane is v: w, then the bias weight. Its lead is v.m_i, its spread is sigma_i = sqrt(w.C_i w). The ratio
lead / spread is the radius of the ellipsoid that touches the hyperplane, in standard deviations.
"""

import math

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule

HALVINGS = 60  # of the interval in a line search
FARTHEST = 1e9  # where a line search stops doubling k
RIDGE = 1e-14  # this part of the trace, on the diagonal, keeps the matrix of dependent points invertible


@rule
def look(m, C, v, leads, spreads, turned):
    """
    Rule       leads_i = v.m_i,  turned_i = C_i w,  spreads_i = sqrt(w.turned_i)
    Given      m (signed means), C (covariances), v
    Changes    leads, spreads, turned
    Returns    the number of the Gaussian with the smallest radius
    Guarantee  the first of several with equal radii
    See        Schlesinger and Hlavac 2002, section 5.4
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
    """
    Rule       lead / spread
    Given      lead, spread
    Returns    the radius; with spread 0, infinity with the sign of the lead, or 0 if the lead is 0 too
    Guarantee  never NaN for finite arguments
    """
    if spread > 0.0:
        return lead / spread
    return 0.0 if lead == 0.0 else math.copysign(math.inf, lead)


@rule
def generalised_gradient(m, leads, spreads, turned, worst, v):
    """
    Rule       v += m_i - r C_i w / sigma_i, where the ellipsoid of the worst Gaussian i touches the hyperplane
    Given      m, and the leads, spreads, turned and worst of `look`
    Changes    v
    Guarantee  it is the perceptron's rule, applied to points of ellipsoids
    See        Schlesinger and Hlavac 2002, section 5.4
    """
    r = radius(leads[worst], spreads[worst])
    for j in range(len(v) - 1):
        v[j] += m[worst, j] - (r * turned[worst, j] / spreads[worst] if spreads[worst] > 0.0 else 0.0)
    v[-1] += m[worst, -1]


@rule
def line_search(leads, more, a, b, c):
    """
    Rule       the k >= 0 at which  min_i (leads_i + k more_i) / sqrt(a_i + 2 b_i k + c_i k^2)  is largest
    Given      leads and squared spreads along a line, as polynomials of k; all leads at k = 0 are at least 0
    Returns    k, by bisection; at most about FARTHEST
    Guarantee  each ratio has one peak, and so has the smallest of them; the sign of its slope tells which side
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


@helper
def rises(leads, more, a, b, c, k):
    """Return whether the smallest radius still grows at k."""
    least, slope = math.inf, 1.0
    for i in range(len(leads)):
        lead, square = leads[i] + k * more[i], max(a[i] + k * (2.0 * b[i] + k * c[i]), 0.0)
        r = radius(lead, math.sqrt(square))
        if r < least:
            least, slope = r, more[i] * square - lead * (b[i] + k * c[i])
    return least >= 0.0 and slope > 0.0


@rule(work=lambda Q, *_: Q.size * len(Q))
def weigh(Q, levels, spreads, weights):
    """
    Rule       minimise  weights.Q weights / 2 + levels.weights  over weights >= 0 with  spreads.weights = 1:
               1. add the point that lowers the objective most; 2. go to the minimum in the affine hull of the points;
               3. if that lies outside their convex hull, stop at its boundary, drop the point whose weight became 0,
               and repeat step 2
    Given      Q, the products of the contact points; levels, their heights above the hyperplane; spreads, all above 0
    Changes    weights
    Guarantee  Wolfe's: no set of points comes twice; with levels 0 and spreads 1 these are the weights of the point of
               the convex hull that is nearest to 0
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
        price = np.dot(slope, weights)  # the objective's derivative per unit of spread
        for i in range(n):
            gain = slope[i] - price * spreads[i]
            if gain < least - 1e-13 * (abs(slope[i]) + abs(price) * spreads[i]) and weights[i] == 0.0:
                entering, least = i, gain
        if entering < 0:
            break
        points[count] = entering
        count += 1


@helper
def cost(Q, levels, spreads, i):
    """Return the objective of `weigh` if point i has all the weight."""
    return (0.5 * Q[i, i] / spreads[i] + levels[i]) / spreads[i]


@helper
def to_minimum(Q, levels, spreads, weights, points, count):
    """Run Wolfe's inner loop (steps 2 and 3 of `weigh`) and return how many points are left."""
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


@helper
def affine_minimum(Q, levels, spreads, points, count):
    """Return the weights of these points, of any sign, that minimise the objective with spreads.weights = 1."""
    L, x, y = np.empty((count, count)), np.empty(count), np.empty(count)
    trace = 0.0
    for k in range(count):
        trace += Q[points[k], points[k]]
    for k in range(count):
        x[k], y[k] = spreads[points[k]], levels[points[k]]
        for q in range(k + 1):
            s = Q[points[k], points[q]] + (RIDGE * trace if k == q else 0.0)
            for t in range(q):
                s -= L[k, t] * L[q, t]
            L[k, q] = math.sqrt(max(s, RIDGE * RIDGE * trace)) if k == q else s / L[q, q]
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

"""More than two classes: y is 0, 1, ... k-1, W one vector of weights a class, and the largest score wins.

Scores of one row for all classes share their rounding bound, |W| |x_i| times a constant. It asks for the length of the
weights, which would take longer to find than a score: so a bound on it comes with them, and grows with every update.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.data.compiled.rows import (
    SUMS,
    add,
    add_exactly,
    blur,
    dot,
    exact_gap,
    exact_lead,
    length,
    plus,
    products,
    sqnorm,
    times,
    unsure,
)

ROWS = "96e29e27106e4a5c"
rule = njit(cache=True, nogil=True, fastmath=SUMS)  # for `products`, which is inlined


class Machine(NamedTuple):
    W: np.ndarray  # one row a class, the bias weight last; for a vote, one such matrix a voter
    bound: np.ndarray  # one number: no row of W is, or ever was, longer


@register_jitable(inline="always")
def winner(W, bound, rows, i, y, margin, tie, scores):
    """The class with the largest score, `margin` being taken from the score of class y first (y = -1: from none).

    `scores` is room for them.
    """
    products(W, rows, i, scores)
    if y >= 0:
        scores[y] -= margin  # rounds, but by less than the error of any score it is close to
    error = 2.0 * blur(W.shape[1], length(rows, i), bound[0])
    best, top, second = 0, scores[0], -math.inf
    for c in range(1, len(W)):  # without branches, which nothing could predict
        score = scores[c]
        above = score > top
        second = max(second, min(top, score))
        best = c if above else best
        top = max(top, score)
    return best if top - second > error else exact_winner(W, rows, i, y, margin, tie)


@rule
def exact_winner(W, rows, i, y, margin, tie):
    """The same, where rounding or a tie could decide."""
    best = 0
    top, error = dot(W[0], rows, i)
    if y == 0:
        top -= margin
    for c in range(1, len(W)):
        score, blurred = dot(W[c], rows, i)
        if c == y:
            score -= margin
        lead = score - top
        if unsure(lead, error + blurred):
            head_start = margin if best == y else -margin if c == y else 0.0
            lead = exact_gap(W[c], W[best], rows, i, head_start)
        if lead > 0.0 or (lead == 0.0 and (tie > 0.0 or (tie == 0.0 and c != y))):
            best, top, error = c, score, blurred
    return best


@register_jitable
def rival(W, bound, rows, i, y, scores):
    """The class other than y with the largest score (of several the last), and how far y leads it."""
    products(W, rows, i, scores)
    error = 2.0 * blur(W.shape[1], length(rows, i), bound[0])
    best = -1
    for c in range(len(W)):
        if c != y:
            lead = scores[c] - scores[best]
            if best >= 0 and unsure(lead, error):
                lead = exact_gap(W[c], W[best], rows, i, 0.0)
            if best < 0 or lead >= 0.0:
                best = c
    lead = scores[y] - scores[best]
    if unsure(lead, error):
        lead = exact_gap(W[y], W[best], rows, i, 0.0)
    return best, lead


@register_jitable
def move(W, bound, rows, i, y, v, step):
    """W[y] += step x_i,  W[v] -= step x_i."""
    add(W[y], rows, i, step)
    add(W[v], rows, i, -step)
    bound[0] += abs(step) * length(rows, i)


@rule
def perceptron(rows, y, order, machine, rate, margin, tie):
    """
    Rule       v the winner; if v is not y_i:  W[y_i] += rate x_i,  W[v] -= rate x_i
    Given      rows, y, order, rate, margin, tie
    Changes    W
    Returns    the number of mistakes; each is one update
    Guarantee  from W = 0 with margin 0 and one rate, at most 2 (R/gamma)^2 mistakes in any order, where R = max |x_i|
               and some U of unit norm has (U[y_i] - U[c]).x_i >= gamma > 0 for all i and c
    See        Duda and Hart 1973, section 5.12 (Kesler's construction); Crammer and Singer 2003
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for i in order:
        v = winner(W, bound, rows, i, y[i], margin, tie, scores)
        if v != y[i]:
            move(W, bound, rows, i, y[i], v, rate[y[i]])
            mistakes += 1
    return mistakes


@rule
def averaged(rows, y, order, machine, late, seen, rate, margin, tie):
    """
    Rule       the perceptron's, and at each update also  late += t (what W changes by),  t rows having come before
    Given      rows, y, order, seen (rows before this call), rate, margin, tie
    Changes    W and late:  W - late/T  is the mean of the weights after each of the T rows so far
    Returns    the number of mistakes
    Guarantee  the perceptron's
    See        Freund and Schapire 1999; Collins 2002
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for i in order:
        v = winner(W, bound, rows, i, y[i], margin, tie, scores)
        if v != y[i]:
            step = rate[y[i]]
            move(W, bound, rows, i, y[i], v, step)
            add(late[y[i]], rows, i, seen * step)
            add(late[v], rows, i, -seen * step)
            mistakes += 1
        seen += 1
    return mistakes


@rule
def voted(rows, y, order, machine, votes, k, rate, margin, tie):
    """
    Rule       the perceptron's; every weight matrix is kept, with the number of rows it came after as its votes
    Given      rows, y, order, k (the voter that learns), rate, margin, tie
    Changes    voters and votes, and stops where they have no room for the next mistake
    Returns    how much of the order is done, and the voter that learns now
    Guarantee  as for two classes
    See        Freund and Schapire 1999
    """
    voters, bound = machine
    scores = np.empty(voters.shape[1])
    for t in range(len(order)):
        i = order[t]
        v = winner(voters[k], bound, rows, i, y[i], margin, tie, scores)
        if v != y[i]:
            if k + 1 == len(voters):
                return t, k
            voters[k + 1] = voters[k]
            k += 1
            move(voters[k], bound, rows, i, y[i], v, rate[y[i]])
        votes[k] += 1
    return len(order), k


@rule
def passive_aggressive(rows, y, order, machine, cap, slack):
    """
    Rule       v the best other class, loss = 1 - (W[y_i] - W[v]).x_i;  if loss > 0:
               step = min(cap, loss / (2 |x_i|^2 + slack)),  W[y_i] += step x_i,  W[v] -= step x_i
    Given      rows, y, order, and per class: cap (C for PA-I, else inf), slack (1/(2C) for PA-II, else 0)
    Changes    W
    Returns    the number of mistakes (no lead over v), and of updates
    Guarantee  as for two classes, of the rows that Kesler's construction makes
    See        Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, section 8
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = updates = 0
    for i in order:
        v, lead = rival(W, bound, rows, i, y[i], scores)
        mistakes += not lead > 0.0
        loss = 1.0 - lead
        if loss > 0.0:
            length = 2.0 * sqnorm(rows, i)
            if length > 0.0:
                step = min(cap[y[i]], loss / (length + slack[y[i]]))
                move(W, bound, rows, i, y[i], v, step)
                updates += 1
    return mistakes, updates


@rule
def pocket(rows, y, order, machine, runs, due, rate, tie):
    """
    Rule       the perceptron's, until W has been right for more rows on end than the pocket was, or for `due` rows
    Given      rows, y, order, due, rate, tie
    Changes    W; runs: the run of W, the run of the pocket, and 1 if W is in the pocket, else 0
    Returns    how much of the order is done, and the number of mistakes
    Guarantee  as for two classes
    See        Gallant 1990
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        v = winner(W, bound, rows, i, y[i], 0.0, tie, scores)
        if v != y[i]:
            move(W, bound, rows, i, y[i], v, rate[y[i]])
            mistakes += 1
            runs[0] = runs[2] = 0
        else:
            runs[0] += 1
            if runs[2]:
                runs[1] = runs[0]
            elif runs[0] == min(runs[1] + 1, due):
                return t + 1, mistakes
    return len(order), mistakes


@rule
def batch(rows, y, order, weight, price, machine, tie, high, low, weighed, rest):
    """
    Rule       the sum over the rows whose winner v is not y_i of weight_i x_i for class y_i and of -weight_i x_i for v
    Given      rows, y, order, weight (one a row, times the price of its class), W, tie
    Changes    high + low, to which it is added with twice the digits, so that the order of rows does not count
    Returns    the number of mistakes, and their weight, added to weighed + rest, which come from rows before
    Guarantee  minus the sum is the gradient of sum weight_i max(0, (W[v] - W[y_i]).x_i)
    See        Duda and Hart 1973, sections 5.5 and 5.12
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for i in order:
        v = winner(W, bound, rows, i, y[i], 0.0, tie, scores)
        if v != y[i]:
            step, lost = times(weight[i], price[y[i]])
            add_exactly(high[y[i]], low[y[i]], rows, i, step)
            add_exactly(high[v], low[v], rows, i, -step)
            if lost != 0.0:
                add_exactly(high[y[i]], low[y[i]], rows, i, lost)
                add_exactly(high[v], low[v], rows, i, -lost)
            mistakes += 1
            weighed, rest = plus(weighed, rest + lost, step)
    return mistakes, weighed, rest


@rule
def errors(rows, y, order, weight, machine, tie, limit, weighed, rest):
    """The weight of the rows on which the perceptron would update, added to weighed + rest up to the limit."""
    W, bound = machine
    scores = np.empty(len(W))
    for i in order:
        if winner(W, bound, rows, i, y[i], 0.0, tie, scores) != y[i]:
            weighed, rest = plus(weighed, rest, weight[i])
            if weighed + rest >= limit:
                break
    return weighed, rest


@rule
def sums(rows, y, weight, high, low):
    """high[c] + low[c] = the sum of weight_i x_i over the rows of class c, with twice the digits."""
    for i in range(len(y)):
        add_exactly(high[y[i]], low[y[i]], rows, i, weight[i])


@rule
def first_mistake(rows, y, order, machine, margin, tie):
    """The first of these rows on which the perceptron would update, or -1."""
    W, bound = machine
    scores = np.empty(len(W))
    for i in order:
        if winner(W, bound, rows, i, y[i], margin, tie, scores) != y[i]:
            return i
    return -1


@rule
def scores(rows, machine, out):
    """out[i, c] = W[c].x_i, with the sign of the exact sum."""
    W, bound = machine
    for i in range(len(out)):
        products(W, rows, i, out[i])
        error = blur(W.shape[1], length(rows, i), bound[0])
        for c in range(len(W)):
            if unsure(out[i, c], error):
                out[i, c] = exact_lead(W[c], rows, i, 1.0, 0.0)


@rule
def row_winner(rows, i, machine, y, tie):
    """The class that wins row i of class y while learning without a margin."""
    W, bound = machine
    return winner(W, bound, rows, i, y, 0.0, tie, np.empty(len(W)))


@rule
def winners(rows, machine, tie, out):
    """out[i] = the class that wins row i."""
    W, bound = machine
    scores = np.empty(len(W))
    for i in range(len(out)):
        out[i] = winner(W, bound, rows, i, -1, 0.0, tie, scores)


@rule
def count_votes(rows, machine, votes, tie, out):
    """out[i, c] = the votes of the voters for which class c wins row i."""
    voters, bound = machine
    scores = np.empty(voters.shape[1])
    out[:] = 0.0
    for k in range(len(votes)):
        for i in range(len(out)):
            out[i, winner(voters[k], bound, rows, i, -1, 0.0, tie, scores)] += votes[k]

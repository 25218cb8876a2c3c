"""Update rules for more than two classes: y is 0, 1, ... k-1, W has one row per class, and the largest score wins.

The scores of one row for all classes share one bound on their rounding errors, a constant times |W| |x_i|. To compute
|W| would take longer than to compute a score. So `Machine` keeps an upper bound of it, which grows with every update.
"""

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.data.compiled.jit import count_numbers, helper, rule
from rosenblatt.data.compiled.rows import (
    UNDERFLOW_LIMIT,
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

ROWS = "51b39b36e867ec93"  # the digest of rows.py; see there


class Machine(NamedTuple):
    """The weights of all classes, and a bound on their length."""

    W: np.ndarray  # one row per class, the bias weight last; for `voted`, one such matrix per voter
    bound: np.ndarray  # one number: an upper bound on the length of every row of W, now and before


def longest(w):
    """The length of the longest row of w, underflow included, as an array of one number: a first `bound`."""
    with np.errstate(over="ignore"):
        return np.sqrt([np.square(w).sum(axis=-1).max()]) + UNDERFLOW_LIMIT


def work_of_scores(rows, *args):
    """The products that the scores of all rows take: each number of the rows is multiplied by one of every class."""
    W = next(arg for arg in args if isinstance(arg, Machine)).W
    return count_numbers(rows) * W.size // W.shape[-1]


@helper(inline="always")
def winner(W, bound, rows, i, y, margin, tie, scores):
    """Return the class with the largest score after `margin` is subtracted from that of class y (y = -1: from none).

    `scores` is a work array for the k scores.
    """
    products(W, rows, i, scores)
    if y >= 0:
        scores[y] -= margin  # its rounding error is below that of any score close to it
    error = 2.0 * blur(W.shape[1], length(rows, i), bound[0])
    best, top, second = 0, scores[0], -math.inf
    for c in range(1, len(W)):  # without branches, which would be unpredictable
        score = scores[c]
        above = score > top
        second = max(second, min(top, score))
        best = c if above else best
        top = max(top, score)
    return best if top - second > error else exact_winner(W, rows, i, y, margin, tie)


@rule
def exact_winner(W, rows, i, y, margin, tie):
    """
    Rule       the class with the largest score after `margin` is subtracted from the score of class y
    Given      W, rows, i, y (-1 for none), margin, tie
    Returns    the class
    Guarantee  exact comparisons; `winner` calls it where rounding or a tie could decide
    See        `exact_gap` in data/compiled/rows.py
    """
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


@helper
def rival(W, bound, rows, i, y, scores):
    """Return the class other than y with the largest score (the last of several), and the lead of y over it."""
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


@helper
def move(W, bound, rows, i, y, v, step):
    """Update W[y] += step x_i and W[v] -= step x_i, and the bound on the length of W."""
    add(W[y], rows, i, step)
    add(W[v], rows, i, -step)
    bound[0] += abs(step) * length(rows, i)


@rule(work=work_of_scores)
def perceptron(rows, y, order, weight, machine, rate, margin, tie):
    """
    Rule       v is the winner; if v is not y_i:  W[y_i] += weight_i rate x_i,  W[v] -= weight_i rate x_i
    Given      rows, y, order, weight, rate, margin, tie
    Changes    W
    Returns    the number of mistakes; each mistake is one update
    Guarantee  from W = 0 with margin 0, at most 2 b/a (R/gamma)^2 mistakes in any order, where all weight_i rate are
               from a to b, R = max |x_i|, and some U of unit norm has (U[y_i] - U[c]).x_i >= gamma > 0 for all i and
               all c other than y_i
    See        Duda and Hart 1973, section 5.12 (Kesler's construction); Crammer and Singer 2003
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for i in order:
        v = winner(W, bound, rows, i, y[i], margin, tie, scores)
        if v != y[i]:
            move(W, bound, rows, i, y[i], v, weight[i] * rate[y[i]])
            mistakes += 1
    return mistakes


@rule(work=work_of_scores)
def averaged(rows, y, order, weight, machine, late, seen, rate, margin, tie):
    """
    Rule       the perceptron's; an update of W by delta also adds  t delta  to late, where t rows came before this one
    Given      rows, y, order, weight, seen (the number of rows before this call), rate, margin, tie
    Changes    W and late;  W - late/T  is the mean of the weights after each of the T rows so far
    Returns    the number of mistakes
    Guarantee  the perceptron's bound on mistakes, for W
    See        Freund and Schapire 1999; Collins 2002
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for i in order:
        v = winner(W, bound, rows, i, y[i], margin, tie, scores)
        if v != y[i]:
            step = weight[i] * rate[y[i]]
            move(W, bound, rows, i, y[i], v, step)
            add(late[y[i]], rows, i, seen * step)
            add(late[v], rows, i, -seen * step)
            mistakes += 1
        seen += 1
    return mistakes


@rule(work=work_of_scores)
def voted(rows, y, order, weight, machine, votes, k, rate, margin, tie):
    """
    Rule       the perceptron's; every weight matrix is kept, and its votes are the number of rows after which it held
    Given      rows, y, order, weight, k (the number of the voter that learns), rate, margin, tie
    Changes    voters and votes; it stops at a mistake for which voters has no free place
    Returns    the number of rows done, and the number of the voter that learns now
    Guarantee  that of `binary.voted`
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
            for c in range(voters.shape[1]):
                for j in range(voters.shape[2]):
                    voters[k + 1, c, j] = voters[k, c, j]
            k += 1
            move(voters[k], bound, rows, i, y[i], v, weight[i] * rate[y[i]])
        votes[k] += 1
    return len(order), k


@rule(work=work_of_scores)
def passive_aggressive(rows, y, order, weight, machine, cap, slack):
    """
    Rule       v is the best other class, loss = 1 - (W[y_i] - W[v]).x_i;  if loss > 0:
               step = min(weight_i cap, loss / (2 |x_i|^2 + slack / weight_i)),  W[y_i] += step x_i,  W[v] -= step x_i
    Given      rows, y, order, weight (above 0), and per class: cap (C for PA-I, else inf), slack (1/(2C) for PA-II,
               else 0)
    Changes    W
    Returns    the number of mistakes (y_i has no lead over v), and the number of updates
    Guarantee  that of `binary.passive_aggressive`, for the rows of Kesler's construction
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
                step = min(weight[i] * cap[y[i]], loss / (length + slack[y[i]] / weight[i]))
                move(W, bound, rows, i, y[i], v, step)
                updates += 1
    return mistakes, updates


@rule(work=work_of_scores)
def pocket(rows, y, order, weight, machine, runs, due, rate, tie):
    """
    Rule       the perceptron's, until the run of W (consecutive rows without a mistake) exceeds that of the pocket or
               reaches `due`
    Given      rows, y, order, weight, due, rate, tie
    Changes    W; runs = [run of W, run of the pocket, 1 if the pocket holds W else 0]
    Returns    the number of rows done, and the number of mistakes
    Guarantee  that of `binary.pocket`
    See        Gallant 1990
    """
    W, bound = machine
    scores = np.empty(len(W))
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        v = winner(W, bound, rows, i, y[i], 0.0, tie, scores)
        if v != y[i]:
            move(W, bound, rows, i, y[i], v, weight[i] * rate[y[i]])
            mistakes += 1
            runs[0] = runs[2] = 0
        else:
            runs[0] += 1
            if runs[2]:
                runs[1] = runs[0]
            elif runs[0] == min(runs[1] + 1, due):
                return t + 1, mistakes
    return len(order), mistakes


@rule(work=work_of_scores)
def batch(rows, y, order, weight, price, machine, tie, high, low, weighed, rest):
    """
    Rule       sum = the sum over the rows whose winner v is not y_i of weight_i price x_i for class y_i, and minus that
               for class v
    Given      rows, y, order, weight (one per row), price (one per class), W, tie; weighed + rest, from earlier rows
    Changes    high + low += sum, with twice the digits, so that the order of the rows does not matter
    Returns    the number of mistakes; weighed and rest, to which the weights of the mistakes were added
    Guarantee  minus the sum is the gradient of sum_i weight_i price max(0, (W[v] - W[y_i]).x_i)
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


@rule(work=work_of_scores)
def errors(rows, y, order, weight, machine, tie, limit, weighed, rest):
    """
    Rule       sum = the sum of weight_i over the rows whose winner is not y_i
    Given      rows, y, order, weight, W, tie, limit; weighed + rest, from earlier rows
    Returns    weighed and rest, to which the sum was added; it stops once weighed + rest reaches the limit
    Guarantee  a row counts exactly if `perceptron` with margin 0 would update on it
    """
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
    """
    Rule       high[c] + low[c] += the sum of weight_i x_i over the rows of class c
    Given      rows, y, weight
    Changes    high, low
    Guarantee  sums have twice the digits
    See        `add_exactly` in data/compiled/rows.py
    """
    for i in range(len(y)):
        add_exactly(high[y[i]], low[y[i]], rows, i, weight[i])


@rule(work=work_of_scores)
def first_mistake(rows, y, order, machine, margin, tie):
    """
    Rule       the first i of order whose winner is not y_i
    Given      rows, y, order, W, margin, tie
    Returns    i, or -1 if there is none
    Guarantee  i is the first row on which `perceptron` would update
    """
    W, bound = machine
    scores = np.empty(len(W))
    for i in order:
        if winner(W, bound, rows, i, y[i], margin, tie, scores) != y[i]:
            return i
    return -1


@rule(work=work_of_scores)
def scores(rows, machine, out):
    """
    Rule       out[i, c] = W[c].x_i
    Given      rows, W
    Changes    out
    Guarantee  out[i, c] has the sign of the exact sum
    See        `exact_lead` in data/compiled/rows.py
    """
    W, bound = machine
    for i in range(len(out)):
        products(W, rows, i, out[i])
        error = blur(W.shape[1], length(rows, i), bound[0])
        for c in range(len(W)):
            if unsure(out[i, c], error):
                out[i, c] = exact_lead(W[c], rows, i, 1.0, 0.0)


@rule
def row_winner(rows, i, machine, y, tie):
    """
    Rule       the winner of row i, of class y, with margin 0
    Given      rows, i, W, y, tie
    Returns    the class
    Guarantee  the comparison of scores is exact; it is the class that `perceptron` finds
    """
    W, bound = machine
    return winner(W, bound, rows, i, y, 0.0, tie, np.empty(len(W)))


@rule(work=work_of_scores)
def winners(rows, machine, tie, out):
    """
    Rule       out[i] = the class with the largest score of row i
    Given      rows, W, tie
    Changes    out
    Guarantee  the comparison of scores is exact
    """
    W, bound = machine
    scores = np.empty(len(W))
    for i in range(len(out)):
        out[i] = winner(W, bound, rows, i, -1, 0.0, tie, scores)


@rule(work=work_of_scores)
def count_votes(rows, machine, votes, tie, out):
    """
    Rule       out[i, c] = the sum of votes_k over the voters k whose winner of row i is c
    Given      rows, voters, votes, tie
    Changes    out
    Guarantee  the comparison of scores is exact
    See        Freund and Schapire 1999
    """
    voters, bound = machine
    scores = np.empty(voters.shape[1])
    out[:] = 0.0
    for k in range(len(votes)):
        for i in range(len(out)):
            out[i, winner(voters[k], bound, rows, i, -1, 0.0, tie, scores)] += votes[k]

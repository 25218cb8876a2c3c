"""Update rules for two classes: y is -1 or +1, and w is one vector of weights with the bias weight last."""

import math

import numpy as np

from rosenblatt.data.compiled.ahead import TOGETHER, are_scattered, fetch
from rosenblatt.data.compiled.jit import count_numbers, helper, rule
from rosenblatt.data.compiled.rows import add, add_exactly, dot, exact_lead, plus, sqnorm, times, unsure

ROWS = "51b39b36e867ec93"  # the digests of rows.py and ahead.py; see rows.py
AHEAD = "ee6eb4af1443b0d1"


# Every rule repeats the four lines from `dot` to `exact_lead`. As a function they would cost a fifth of the speed,
# because numba counts references to the arrays around the call, even if the call is rarely made.


@helper
def wrong(lead, y, tie):
    """Return whether a row is a mistake, where lead = y w.x - margin."""
    return not (lead > 0.0 or (lead == 0.0 and tie == y))


@rule
def perceptron(rows, y, order, weight, w, rate, margin, tie):
    """
    Rule       if y_i w.x_i <= margin:  w += weight_i rate y_i x_i
    Given      rows, y, order, weight, rate, margin, tie
    Changes    w
    Returns    the number of mistakes; each mistake is one update
    Guarantee  from w = 0 with margin 0, at most b/a (R/gamma)^2 mistakes in any order, where all weight_i rate are from
               a to b, R = max |x_i|, and some unit vector u has y_i u.x_i >= gamma > 0 for all i
    See        Rosenblatt 1958; Novikoff 1962
    """
    mistakes = 0
    scattered = are_scattered(order)
    for t in range(len(order)):
        if scattered and t % TOGETHER == 0:
            fetch(rows, order, t)
        i = order[t]
        score, error = dot(w, rows, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], margin)
        if wrong(lead, y[i], tie):
            add(w, rows, i, weight[i] * rate[int(y[i] > 0)] * y[i])
            mistakes += 1
    return mistakes


@rule
def averaged(rows, y, order, weight, w, late, seen, rate, margin, tie):
    """
    Rule       the perceptron's; an update of w by delta also adds  t delta  to late, where t rows came before this one
    Given      rows, y, order, weight, seen (the number of rows before this call), rate, margin, tie
    Changes    w and late;  w - late/T  is the mean of the weights after each of the T rows so far
    Returns    the number of mistakes
    Guarantee  the perceptron's bound on mistakes, for w
    See        Freund and Schapire 1999
    """
    mistakes = 0
    scattered = are_scattered(order)
    for t in range(len(order)):
        if scattered and t % TOGETHER == 0:
            fetch(rows, order, t)
        i = order[t]
        score, error = dot(w, rows, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], margin)
        if wrong(lead, y[i], tie):
            step = weight[i] * rate[int(y[i] > 0)] * y[i]
            add(w, rows, i, step)
            add(late, rows, i, seen * step)
            mistakes += 1
        seen += 1
    return mistakes


@rule
def voted(rows, y, order, weight, voters, votes, k, rate, margin, tie):
    """
    Rule       the perceptron's; every weight vector is kept, and its votes are the number of rows after which it held
    Given      rows, y, order, weight, k (the number of the voter that learns), rate, margin, tie
    Changes    voters and votes; it stops at a mistake for which voters has no free row
    Returns    the number of rows done, and the number of the voter that learns now
    Guarantee  over a random permutation of m+1 rows, the expected error on the last row is at most 2/(m+1) times the
               expected mistake bound
    See        Freund and Schapire 1999, theorem 3
    """
    for t in range(len(order)):
        i = order[t]
        score, error = dot(voters[k], rows, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(voters[k], rows, i, y[i], margin)
        if wrong(lead, y[i], tie):
            if k + 1 == len(voters):
                return t, k
            for j in range(voters.shape[1]):  # numba compiles a loop sooner than the assignment of an array
                voters[k + 1, j] = voters[k, j]
            k += 1
            add(voters[k], rows, i, weight[i] * rate[int(y[i] > 0)] * y[i])
        votes[k] += 1
    return len(order), k


@rule
def passive_aggressive(rows, y, order, weight, w, cap, slack):
    """
    Rule       loss = 1 - y_i w.x_i;  if loss > 0:
               w += min(weight_i cap, loss / (|x_i|^2 + slack / weight_i)) y_i x_i
    Given      rows, y, order, weight (above 0), and per class: cap (C for PA-I, else inf), slack (1/(2C) for PA-II,
               else 0)
    Changes    w
    Returns    the number of mistakes (y_i w.x_i <= 0), and the number of updates
    Guarantee  with cap = inf and slack = 0, and some u with y_i u.x_i >= 1 for all i: the squared losses sum to at most
               R^2 |u|^2
    See        Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, theorem 2
    """
    mistakes = updates = 0
    scattered = are_scattered(order)
    for t in range(len(order)):
        if scattered and t % TOGETHER == 0:
            fetch(rows, order, t)
        i = order[t]
        score, error = dot(w, rows, i)
        lead = y[i] * score
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], 0.0)
        mistakes += wrong(lead, y[i], 0.0)
        loss = 1.0 - lead
        if loss > 0.0:
            length = sqnorm(rows, i)
            if length > 0.0:
                c = int(y[i] > 0)
                add(w, rows, i, min(weight[i] * cap[c], loss / (length + slack[c] / weight[i])) * y[i])
                updates += 1
    return mistakes, updates


@rule
def pocket(rows, y, order, weight, w, runs, due, rate, tie):
    """
    Rule       the perceptron's, until the run of w (consecutive rows without a mistake) exceeds that of the pocket or
               reaches `due`
    Given      rows, y, order, weight, due, rate, tie
    Changes    w; runs = [run of w, run of the pocket, 1 if the pocket holds w else 0]
    Returns    the number of rows done, and the number of mistakes; the caller then puts w into the pocket (with the
               ratchet, only if w makes fewer errors on all rows) and calls again
    Guarantee  with the ratchet and rows drawn at random, the smallest number of errors is reached with probability 1
    See        Gallant 1990; Muselli 1997
    """
    mistakes = 0
    scattered = are_scattered(order)
    for t in range(len(order)):
        if scattered and t % TOGETHER == 0:
            fetch(rows, order, t)
        i = order[t]
        score, error = dot(w, rows, i)
        lead = y[i] * score
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], 0.0)
        if wrong(lead, y[i], tie):
            add(w, rows, i, weight[i] * rate[int(y[i] > 0)] * y[i])
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
def batch(rows, y, order, weight, price, w, tie, high, low, weighed, rest, scores, blurs):
    """
    Rule       sum = the sum of weight_i price y_i x_i over the rows with y_i w.x_i <= 0
    Given      rows, y, order, weight (one per row), price (one per class), w, tie; weighed + rest, from earlier rows
    Changes    high + low += sum, with twice the digits, so that the order of the rows does not matter; scores[i] =
               w.x_i; blurs[i], a bound on the rounding error of scores[i]
    Returns    the number of mistakes; weighed and rest, to which the weights of the mistakes were added
    Guarantee  minus the sum is the gradient of the perceptron's loss, sum_i weight_i price max(0, -y_i w.x_i)
    See        Duda and Hart 1973, section 5.5
    """
    mistakes = 0
    for i in order:
        scores[i], blurs[i] = dot(w, rows, i)
        lead = y[i] * scores[i]
        if unsure(lead, blurs[i]):
            lead = exact_lead(w, rows, i, y[i], 0.0)
        if wrong(lead, y[i], tie):
            step, lost = times(weight[i], price[int(y[i] > 0)])
            add_exactly(high, low, rows, i, step * y[i])
            if lost != 0.0:
                add_exactly(high, low, rows, i, lost * y[i])
            mistakes += 1
            weighed, rest = plus(weighed, rest + lost, step)
    return mistakes, weighed, rest


@rule
def errors(rows, y, order, weight, w, tie, limit, weighed, rest):
    """
    Rule       sum = the sum of weight_i over the rows with y_i w.x_i <= 0
    Given      rows, y, order, weight, w, tie, limit; weighed + rest, from earlier rows
    Returns    weighed and rest, to which the sum was added; it stops once weighed + rest reaches the limit
    Guarantee  a row counts exactly if `perceptron` with margin 0 would update on it
    """
    for i in order:
        score, error = dot(w, rows, i)
        lead = y[i] * score
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], 0.0)
        if wrong(lead, y[i], tie):
            weighed, rest = plus(weighed, rest, weight[i])
            if weighed + rest >= limit:
                break
    return weighed, rest


@rule
def first_mistake(rows, y, order, w, margin, tie):
    """
    Rule       the first i of order with y_i w.x_i <= margin
    Given      rows, y, order, w, margin, tie
    Returns    i, or -1 if there is none
    Guarantee  i is the first row on which `perceptron` would update
    """
    for i in order:
        score, error = dot(w, rows, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(w, rows, i, y[i], margin)
        if wrong(lead, y[i], tie):
            return i
    return -1


@rule
def scores(rows, w, out):
    """
    Rule       out[i] = w.x_i
    Given      rows, w
    Changes    out
    Guarantee  out[i] has the sign of the exact sum
    See        `exact_lead` in data/compiled/rows.py
    """
    for i in range(len(out)):
        score, error = dot(w, rows, i)
        if unsure(score, error):
            score = exact_lead(w, rows, i, 1.0, 0.0)
        out[i] = score


@rule(work=lambda rows, voters, *_: count_numbers(rows) * len(voters))
def count_votes(rows, voters, votes, tie, out):
    """
    Rule       out[i] = sum_k votes_k sign(voters_k.x_i)
    Given      rows, voters, votes, tie (the sign of a score of 0)
    Changes    out
    Guarantee  the sign of every score is exact
    See        Freund and Schapire 1999
    """
    column = np.empty(len(out))
    out[:] = 0.0
    for k in range(len(votes)):
        scores(rows, voters[k], column)
        for i in range(len(out)):
            out[i] += votes[k] * (tie if column[i] == 0.0 else math.copysign(1.0, column[i]))

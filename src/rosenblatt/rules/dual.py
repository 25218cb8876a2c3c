"""The dual form: weights are a combination of rows, and rows are met through a kernel K only.

alpha[c, i] is how often row i was added to class c, so that the score of row j for class c is
sum_i alpha[c, i] K(x_i, x_j). Two classes are two rows of alpha, one the negative of the other.
"""

import math

from numba import njit
from numba.extending import register_jitable

rule = njit(cache=True, nogil=True)


@register_jitable
def winner(scores, i, y, margin, tie):
    """The class with the largest score, `margin` being taken from the score of class y first."""
    best, top = 0, scores[0, i] - margin * (y == 0)
    for c in range(1, len(scores)):
        score = scores[c, i] - margin * (c == y)
        if score > top or (score == top and (tie > 0.0 or (tie == 0.0 and c != y))):
            best, top = c, score
    return best


@register_jitable
def stride(scores, i, y, v, margin, left, size):
    """Of the copies of row i that are left, how many at least are mistaken for v one after the other?

    Each moves the score of y up by `size` = K(x_i, x_i) and that of v down.
    """
    if left <= 1.0:
        return left
    if not scores[y, i] + size > scores[y, i]:
        return float(math.floor(left))
    steps = math.floor((scores[v, i] - scores[y, i] + margin) / (2.0 * size))
    for c in range(len(scores)):
        if c != y and c != v:
            steps = min(steps, math.floor((scores[v, i] - scores[c, i]) / size))
    return float(max(1, min(math.floor(left), steps)))


@rule
def dual(columns, slot, y, order, weight, alpha, late, seen, scores, margin, tie):
    """
    Rule       v the winner of row i; if v is not y_i:  alpha[y_i, i] += 1,  alpha[v, i] -= 1
    Given      y, order, margin, tie; columns[slot_i] = K(., x_i) for the rows that have one, slot_i < 0 for the others;
               weight: the row is presented so often on end (the last time for what is left of a weight not whole)
    Changes    alpha; scores of all rows; late, for the mean over the `seen` rows before this call and those in it
    Returns    how much of the order is done, for it stops where a column is missing; rows seen by then; mistakes
    Guarantee  the perceptron's, of the rows in the space whose products K gives
    See        Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999
    """
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        left = weight[i]
        while left > 0.0:
            v = winner(scores, i, y[i], margin, tie)
            if v == y[i]:
                break
            if slot[i] < 0:
                return t, seen, mistakes
            column = columns[slot[i]]
            step = stride(scores, i, y[i], v, margin, left, column[i])
            whole = max(step - 1.0, 0.0)
            alpha[y[i], i] += step
            alpha[v, i] -= step
            late[y[i], i] += seen * step + 0.5 * whole * step
            late[v, i] -= seen * step + 0.5 * whole * step
            for j in range(len(y)):
                scores[y[i], j] += step * column[j]
                scores[v, j] -= step * column[j]
            seen += step
            left -= step
            mistakes += math.ceil(step)
        seen += left
    return len(order), seen, mistakes


@rule
def first_mistake(scores, y, order, weight, margin, tie, doubt):
    """The first of these rows on which the perceptron would update, or whose lead is within its doubt; or -1."""
    for i in order:
        if weight[i] > 0.0:
            best = -math.inf
            for c in range(len(scores)):
                if c != y[i]:
                    best = max(best, scores[c, i])
            lead = scores[y[i], i] - margin - best
            tied = lead == 0.0 and winner(scores, i, y[i], margin, tie) == y[i]
            if not (lead > doubt[i] or tied):
                return i
    return -1

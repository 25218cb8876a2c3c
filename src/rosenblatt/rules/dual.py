"""The perceptron in dual form: weights are a combination of rows, and rows are used only through a kernel K.

alpha[c, i] counts how often row i was added to class c. The score of row j for class c is
sum_i alpha[c, i] K(x_i, x_j). Two classes are two rows of alpha, and one is the negative of the other.
"""

import math

from rosenblatt.data.compiled.jit import helper, rule


@helper
def winner(scores, i, y, margin, tie):
    """Return the class with the largest score after `margin` is subtracted from the score of class y."""
    best, top = 0, scores[0, i] - margin * (y == 0)
    for c in range(1, len(scores)):
        score = scores[c, i] - margin * (c == y)
        if score > top or (score == top and (tie > 0.0 or (tie == 0.0 and c != y))):
            best, top = c, score
    return best


@helper
def stride(scores, i, y, v, margin, left, size):
    """Return a lower bound on how many of the remaining copies of row i are mistaken for class v one after the other.

    Each copy raises the score of y by `size` = K(x_i, x_i), and lowers that of v by the same amount.
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
    Rule       v is the winner of row i; if v is not y_i:  alpha[y_i, i] += 1,  alpha[v, i] -= 1
    Given      y, order, margin, tie; columns[slot_i] = K(., x_i), or slot_i < 0 where the column is missing; weight_i:
               row i is presented weight_i times in succession (a fraction of a weight counts as a last, smaller step)
    Changes    alpha; scores of all rows; late:  alpha - late/T  is the mean of alpha over the T rows presented so far
    Returns    the number of rows done (it stops at a mistake whose column is missing); seen, the rows presented so far;
               the number of mistakes
    Guarantee  the perceptron's bound on mistakes, with R and gamma measured in the space of K
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
def first_mistake(scores, y, order, margin, tie, doubt):
    """
    Rule       the first i of order whose lead (its score for y_i, minus margin, minus the best other score) is at most
               doubt_i
    Given      scores, y, order, margin, tie, doubt (bounds on rounding errors)
    Returns    i, or -1 if there is none; a computed lead of exactly 0 that y_i wins by `tie` is no mistake
    Guarantee  -1 means that no row is a mistake, rounding included, but for leads computed as exactly 0
    """
    for i in order:
        best = -math.inf
        for c in range(len(scores)):
            if c != y[i]:
                best = max(best, scores[c, i])
        lead = scores[y[i], i] - margin - best
        tied = lead == 0.0 and winner(scores, i, y[i], margin, tie) == y[i]
        if not (lead > doubt[i] or tied):
            return i
    return -1

"""Rules that predict each row before they learn from it. The learning itself is that of the other rules.

`sign` decides a prediction whose scores are equal, as in `winners`: +1 for the later class, -1 for the earlier. The
predicted classes are written to `predicted`, one for each row of `order`; the positive class of two has the code 1.
"""

import math

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import UNDERFLOW_LIMIT, dot, exact_lead, unsure
from rosenblatt.rules.binary import averaged as averaged_of_two
from rosenblatt.rules.binary import passive_aggressive as passive_aggressive_of_two
from rosenblatt.rules.binary import perceptron as perceptron_of_two
from rosenblatt.rules.multiclass import averaged as averaged_of_many
from rosenblatt.rules.multiclass import exact_winner, row_winner, work_of_scores
from rosenblatt.rules.multiclass import passive_aggressive as passive_aggressive_of_many
from rosenblatt.rules.multiclass import perceptron as perceptron_of_many

ROWS = "51b39b36e867ec93"  # the digests of rows.py, binary.py and multiclass.py; see rows.py
BINARY = "d9576f20dfc49322"
MULTICLASS = "a195fa06a9818ade"


@helper
def is_positive(w, rows, i, sign):
    """Is the positive class predicted for row i?  The sign of the score is exact."""
    score, error = dot(w, rows, i)
    if unsure(score, error):
        score = exact_lead(w, rows, i, 1.0, 0.0)
    return score > 0.0 or (score == 0.0 and sign > 0.0)


@helper
def mean_score(w, late, n, rows, i):
    """Compute (w - late/n).x_i, and a bound of its rounding error, that of the rounded weights included."""
    score, error = dot(w, rows, i)
    less, blurred = dot(late, rows, i)
    return score - less / n, 4.0 * (error + blurred / n) + UNDERFLOW_LIMIT


@helper
def is_positive_in_mean(w, late, n, rows, i, sign):
    """Is the positive class predicted for row i by the weights w - late/n?"""
    score, error = mean_score(w, late, n, rows, i)
    if unsure(score, error):
        score = exact_lead(w - late / n, rows, i, 1.0, 0.0)
    return score > 0.0 or (score == 0.0 and sign > 0.0)


@helper
def winner_in_mean(W, late, n, rows, i, sign):
    """The class that the weights W - late/n predict for row i."""
    best, top, second, largest_error = 0, -math.inf, -math.inf, 0.0
    for c in range(len(W)):
        score, error = mean_score(W[c], late[c], n, rows, i)
        if score > top:
            best, top, second = c, score, top
        else:
            second = max(second, score)
        largest_error = max(largest_error, error)
    if unsure(top - second, 2.0 * largest_error):
        best = exact_winner(W - late / n, rows, i, -1, 0.0, sign)
    return best


@rule
def perceptron(rows, y, order, weight, w, rate, margin, tie, sign, predicted):
    """
    Rule       predict y_i from w.x_i; then the perceptron's rule on row i
    Given      rows, y, order, weight, rate, margin, tie, sign
    Changes    w, predicted
    Returns    the number of mistakes; each mistake is one update
    Guarantee  w and the mistakes are those of the perceptron's rule
    See        `perceptron` in rules/binary.py
    """
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = is_positive(w, rows, i, sign)
        mistakes += perceptron_of_two(rows, y, order[t : t + 1], weight, w, rate, margin, tie)
    return mistakes


@rule(work=work_of_scores)
def perceptron_many(rows, y, order, weight, machine, rate, margin, tie, sign, predicted):
    """
    Rule       predict y_i by the largest score; then the perceptron's rule on row i
    Given      rows, y, order, weight, rate, margin, tie, sign
    Changes    the weights in machine, predicted
    Returns    the number of mistakes; each mistake is one update
    Guarantee  the weights and the mistakes are those of the perceptron's rule
    See        `perceptron` in rules/multiclass.py
    """
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = row_winner(rows, i, machine, -1, sign)
        mistakes += perceptron_of_many(rows, y, order[t : t + 1], weight, machine, rate, margin, tie)
    return mistakes


@rule
def averaged(rows, y, order, weight, w, late, seen, rate, margin, tie, sign, predicted):
    """
    Rule       predict y_i by the mean of the weights after each row before; then the averaged rule on row i
    Given      rows, y, order, weight, seen (the number of rows before this call), rate, margin, tie, sign
    Changes    w, late, predicted
    Returns    the number of mistakes
    Guarantee  w, late and the mistakes are those of the averaged rule
    See        `averaged` in rules/binary.py
    """
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = is_positive_in_mean(w, late, max(seen, 1), rows, i, sign)
        mistakes += averaged_of_two(rows, y, order[t : t + 1], weight, w, late, seen, rate, margin, tie)
        seen += 1
    return mistakes


@rule(work=work_of_scores)
def averaged_many(rows, y, order, weight, machine, late, seen, rate, margin, tie, sign, predicted):
    """
    Rule       predict y_i by the mean of the weights after each row before; then the averaged rule on row i
    Given      rows, y, order, weight, seen (the number of rows before this call), rate, margin, tie, sign
    Changes    the weights in machine, late, predicted
    Returns    the number of mistakes
    Guarantee  the weights, late and the mistakes are those of the averaged rule
    See        `averaged` in rules/multiclass.py
    """
    mistakes = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = winner_in_mean(machine.W, late, max(seen, 1), rows, i, sign)
        mistakes += averaged_of_many(rows, y, order[t : t + 1], weight, machine, late, seen, rate, margin, tie)
        seen += 1
    return mistakes


@rule
def passive_aggressive(rows, y, order, weight, w, cap, slack, sign, predicted):
    """
    Rule       predict y_i from w.x_i; then the passive-aggressive rule on row i
    Given      rows, y, order, weight, cap, slack, sign
    Changes    w, predicted
    Returns    the numbers of mistakes and of updates
    Guarantee  w, the mistakes and the updates are those of the passive-aggressive rule
    See        `passive_aggressive` in rules/binary.py
    """
    mistakes = updates = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = is_positive(w, rows, i, sign)
        more, made = passive_aggressive_of_two(rows, y, order[t : t + 1], weight, w, cap, slack)
        mistakes += more
        updates += made
    return mistakes, updates


@rule(work=work_of_scores)
def passive_aggressive_many(rows, y, order, weight, machine, cap, slack, sign, predicted):
    """
    Rule       predict y_i by the largest score; then the passive-aggressive rule on row i
    Given      rows, y, order, weight, cap, slack, sign
    Changes    the weights in machine, predicted
    Returns    the numbers of mistakes and of updates
    Guarantee  the weights, the mistakes and the updates are those of the passive-aggressive rule
    See        `passive_aggressive` in rules/multiclass.py
    """
    mistakes = updates = 0
    for t in range(len(order)):
        i = order[t]
        predicted[t] = row_winner(rows, i, machine, -1, sign)
        more, made = passive_aggressive_of_many(rows, y, order[t : t + 1], weight, machine, cap, slack)
        mistakes += more
        updates += made
    return mistakes, updates

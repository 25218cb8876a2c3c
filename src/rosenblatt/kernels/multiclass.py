"""More than two classes: y is 0, 1, ... k-1, W one vector of weights a class, and the largest score wins."""

from numba import njit
from numba.extending import register_jitable

from rosenblatt.kernels.rows import add, dot, exact_gap, exact_lead, sqnorm, unsure

ROWS = "a56150e2b9d67f23"  # of rows.py, which explains it
rule = njit(cache=True, nogil=True)


@register_jitable
def winner(W, rows, i, y, margin, tie):
    """The class with the largest score, `margin` being taken from the score of class y first (y = -1: from none)."""
    best = 0
    top, blur = dot(W[0], rows, i)
    if y == 0:
        top -= margin
    for c in range(1, len(W)):
        score, error = dot(W[c], rows, i)
        if c == y:
            score -= margin  # rounds, but by less than the error of any score it is close to
        lead = score - top
        if unsure(lead, error + blur):
            head_start = margin if best == y else -margin if c == y else 0.0
            lead = exact_gap(W[c], W[best], rows, i, head_start)
        if lead > 0.0 or (lead == 0.0 and (tie > 0.0 or (tie == 0.0 and c != y))):
            best, top, blur = c, score, error
    return best


@register_jitable
def rival(W, rows, i, y):
    """The class other than y with the largest score (of several the last), and how far y leads it."""
    best, top, blur = -1, 0.0, 0.0
    for c in range(len(W)):
        if c != y:
            score, error = dot(W[c], rows, i)
            lead = score - top
            if best >= 0 and unsure(lead, error + blur):
                lead = exact_gap(W[c], W[best], rows, i, 0.0)
            if best < 0 or lead >= 0.0:
                best, top, blur = c, score, error
    score, error = dot(W[y], rows, i)
    lead = score - top
    if unsure(lead, error + blur):
        lead = exact_gap(W[y], W[best], rows, i, 0.0)
    return best, lead


@rule
def perceptron(rows, y, order, W, rate, margin, tie):
    """
    Rule       v the winner; if v is not y_i:  W[y_i] += rate x_i,  W[v] -= rate x_i
    Given      rows, y, order, rate, margin, tie
    Changes    W
    Returns    the number of mistakes; each is one update
    Guarantee  from W = 0 with margin 0 and one rate, at most 2 (R/gamma)^2 mistakes in any order, where R = max |x_i|
               and some U of unit norm has (U[y_i] - U[c]).x_i >= gamma > 0 for all i and c
    See        Duda and Hart 1973, section 5.12 (Kesler's construction); Crammer and Singer 2003
    """
    mistakes = 0
    for i in order:
        v = winner(W, rows, i, y[i], margin, tie)
        if v != y[i]:
            add(W[y[i]], rows, i, rate[y[i]])
            add(W[v], rows, i, -rate[y[i]])
            mistakes += 1
    return mistakes


@rule
def averaged(rows, y, order, W, late, seen, rate, margin, tie):
    """
    Rule       the perceptron's, and at each update also  late += t (what W changes by),  t rows having come before
    Given      rows, y, order, seen (rows before this call), rate, margin, tie
    Changes    W and late:  W - late/T  is the mean of the weights after each of the T rows so far
    Returns    the number of mistakes
    Guarantee  the perceptron's
    See        Freund and Schapire 1999; Collins 2002
    """
    mistakes = 0
    for i in order:
        v = winner(W, rows, i, y[i], margin, tie)
        if v != y[i]:
            step = rate[y[i]]
            add(W[y[i]], rows, i, step)
            add(W[v], rows, i, -step)
            add(late[y[i]], rows, i, seen * step)
            add(late[v], rows, i, -seen * step)
            mistakes += 1
        seen += 1
    return mistakes


@rule
def voted(rows, y, order, voters, votes, k, rate, margin, tie):
    """
    Rule       the perceptron's; every weight matrix is kept, with the number of rows it came after as its votes
    Given      rows, y, order, k (the voter that learns), rate, margin, tie
    Changes    voters and votes, and stops where they have no room for the next mistake
    Returns    how much of the order is done, and the voter that learns now
    Guarantee  as for two classes
    See        Freund and Schapire 1999
    """
    for t in range(len(order)):
        i = order[t]
        v = winner(voters[k], rows, i, y[i], margin, tie)
        if v != y[i]:
            if k + 1 == len(voters):
                return t, k
            voters[k + 1] = voters[k]
            k += 1
            add(voters[k, y[i]], rows, i, rate[y[i]])
            add(voters[k, v], rows, i, -rate[y[i]])
        votes[k] += 1
    return len(order), k


@rule
def passive_aggressive(rows, y, order, W, cap, slack):
    """
    Rule       v the best other class, loss = 1 - (W[y_i] - W[v]).x_i;  if loss > 0:
               step = min(cap, loss / (2 |x_i|^2 + slack)),  W[y_i] += step x_i,  W[v] -= step x_i
    Given      rows, y, order, and per class: cap (C for PA-I, else inf), slack (1/(2C) for PA-II, else 0)
    Changes    W
    Returns    the number of mistakes (no lead over v), and of updates
    Guarantee  as for two classes, of the rows that Kesler's construction makes
    See        Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, section 8
    """
    mistakes = updates = 0
    for i in order:
        v, lead = rival(W, rows, i, y[i])
        mistakes += not lead > 0.0
        loss = 1.0 - lead
        if loss > 0.0:
            length = 2.0 * sqnorm(rows, i)
            if length > 0.0:
                step = min(cap[y[i]], loss / (length + slack[y[i]]))
                add(W[y[i]], rows, i, step)
                add(W[v], rows, i, -step)
                updates += 1
    return mistakes, updates


@rule
def first_mistake(rows, y, W, margin, tie):
    """The first row on which the perceptron would update, or -1."""
    for i in range(len(y)):
        if winner(W, rows, i, y[i], margin, tie) != y[i]:
            return i
    return -1


@rule
def scores(rows, W, out):
    """out[i, c] = W[c].x_i."""
    for i in range(len(out)):
        for c in range(len(W)):
            score, error = dot(W[c], rows, i)
            if unsure(score, error):
                score = exact_lead(W[c], rows, i, 1.0, 0.0)
            out[i, c] = score


@rule
def row_winner(rows, i, W, y, tie):
    """The class that wins row i of class y while learning without a margin."""
    return winner(W, rows, i, y, 0.0, tie)


@rule
def winners(rows, W, tie, out):
    """out[i] = the class that wins row i."""
    for i in range(len(out)):
        out[i] = winner(W, rows, i, -1, 0.0, tie)


@rule
def count_votes(rows, voters, votes, tie, out):
    """out[i, c] = the votes of the voters for which class c wins row i."""
    out[:] = 0.0
    for k in range(len(voters)):
        for i in range(len(out)):
            out[i, winner(voters[k], rows, i, -1, 0.0, tie)] += votes[k]

"""Rules that skip a row if a copy of one byte for each number shows that it is right. The updates are the same.

They pay where rows are presented in random order, and each row is a wait for memory. The copy is about an eighth of it.
"""

import numpy as np

from rosenblatt.data.compiled.ahead import LINE, prefetch
from rosenblatt.data.compiled.byte_rows import rough_dot, rough_weights
from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import add, dot, exact_lead, unsure
from rosenblatt.rules.binary import wrong

AHEAD = "ee6eb4af1443b0d1"  # the digests of ahead.py, byte_rows.py, rows.py and binary.py; see rows.py
BYTE_ROWS = "d6886f29023d445f"
ROWS = "51b39b36e867ec93"
BINARY = "d9576f20dfc49322"
DISTANCE = 16  # rows between the one that is presented and the one whose copy is asked from memory
ROUNDING = 1e-12  # relative, of the few operations with 64 bits on the bias and the margin


@helper
def ask_ahead(records, order, t):
    """Ask memory for the copy of a row that is presented soon."""
    if t + DISTANCE < order.size:
        width = np.uint64(records.shape[1])
        start = np.uint64(order[t + DISTANCE]) * width
        for k in range(start, start + width, np.uint64(LINE)):
            prefetch(records, k)


@helper
def is_surely_right(records, heads, i, y, rough, size, bias, margin):
    """Does the copy of row i show that y w.x - margin is above 0?  `size` is at least |w|; see byte_rows.py."""
    lead = y * (heads[i, 0] * rough_dot(records, rough, i) + bias) - margin
    return lead > size * heads[i, 1] + ROUNDING * (abs(bias) + margin)


@rule
def perceptron(rows, y, order, weight, w, rate, margin, tie, rough):
    """
    Rule       that of `perceptron`; a row that is surely right is not read
    Given      rows (of the kind ByteRows), y, order, weight, rate, margin, tie, rough (room for w with 32 bits)
    Changes    w, rough
    Returns    the number of mistakes; each mistake is one update
    Guarantee  w and the mistakes are those of `perceptron`
    See        `perceptron` in rules/binary.py; data/compiled/byte_rows.py
    """
    mistakes = 0
    dense, records, heads = rows.dense, rows.records, rows.heads
    size, bias = rough_weights(w, rough), dense.bias * w[w.size - 1]
    for t in range(len(order)):
        ask_ahead(records, order, t)
        i = np.uint64(order[t])
        if is_surely_right(records, heads, i, y[i], rough, size, bias, margin):
            continue
        score, error = dot(w, dense, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(w, dense, i, y[i], margin)
        if wrong(lead, y[i], tie):
            add(w, dense, i, weight[i] * rate[int(y[i] > 0)] * y[i])
            mistakes += 1
            size, bias = rough_weights(w, rough), dense.bias * w[w.size - 1]
    return mistakes


@rule
def averaged(rows, y, order, weight, w, late, seen, rate, margin, tie, rough):
    """
    Rule       that of `averaged`; a row that is surely right is not read
    Given      rows (of the kind ByteRows), y, order, weight, seen, rate, margin, tie, rough (room for w with 32 bits)
    Changes    w, late, rough
    Returns    the number of mistakes
    Guarantee  w, late and the mistakes are those of `averaged`
    See        `averaged` in rules/binary.py; data/compiled/byte_rows.py
    """
    mistakes = 0
    dense, records, heads = rows.dense, rows.records, rows.heads
    size, bias = rough_weights(w, rough), dense.bias * w[w.size - 1]
    for t in range(len(order)):
        ask_ahead(records, order, t)
        i = np.uint64(order[t])
        if is_surely_right(records, heads, i, y[i], rough, size, bias, margin):
            seen += 1
            continue
        score, error = dot(w, dense, i)
        lead = y[i] * score - margin
        if unsure(lead, error):
            lead = exact_lead(w, dense, i, y[i], margin)
        if wrong(lead, y[i], tie):
            step = weight[i] * rate[int(y[i] > 0)] * y[i]
            add(w, dense, i, step)
            add(late, dense, i, seen * step)
            mistakes += 1
            size, bias = rough_weights(w, rough), dense.bias * w[w.size - 1]
        seen += 1
    return mistakes

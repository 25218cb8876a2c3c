"""The rules for one row that comes alone, given as plain arrays: the quickest way from Python into compiled code.

A dense row is an array of its numbers, a sparse one an array of numbers and one of columns. Each function makes rows of
them, and calls the rule for rows. It returns -1, and changes nothing, if the row is not an ordinary one: if it has
another number of columns, a number that is not finite, or one so large or small that a step may overflow.
"""

import numpy as np

from rosenblatt.data.compiled.jit import helper, rule
from rosenblatt.data.compiled.rows import Dense, Sparse
from rosenblatt.rules.binary import averaged as averaged_of_rows
from rosenblatt.rules.binary import passive_aggressive as passive_aggressive_of_rows
from rosenblatt.rules.binary import perceptron as perceptron_of_rows
from rosenblatt.rules.predict_first import is_positive, is_positive_in_mean

ROWS = "51b39b36e867ec93"  # the digests of rows.py, binary.py and predict_first.py; see rows.py
BINARY = "d9576f20dfc49322"
PREDICT_FIRST = "c8e090452a8b0242"
ONE_ROW, UNIT_WEIGHT = np.zeros(1, np.int64), np.ones(1)  # the order of one row, and its weight
SAFE_SIZE = 1e100  # numbers below it, and above its inverse, cannot overflow the weights in one step


@helper
def dense_row(x, bias):
    """Make rows of one dense row."""
    return Dense(x.reshape((1, x.size)), bias)


@helper
def sparse_row(data, indices, bias):
    """Make rows of one sparse row; zeros are left out, as in a sparse matrix."""
    kept, places, n = np.empty(data.size), np.empty(data.size, np.uint32), 0
    for k in range(data.size):
        kept[n], places[n] = data[k], indices[k]
        n += data[k] != 0.0
    indptr = np.zeros(2, np.uint32)
    indptr[1] = n
    return Sparse(kept, places, indptr, bias)


@helper
def has_columns(indices, w):
    """Does every column have a weight?  The last weight is that of the bias."""
    for k in range(indices.size):
        if indices[k] + 1 >= w.size:
            return False
    return True


@helper
def is_increasing(indices):
    """Do the columns increase, as in a sparse matrix?  A sum of products depends on their order, but not its sign."""
    for k in range(1, indices.size):
        if indices[k] <= indices[k - 1]:
            return False
    return True


@helper
def is_ordinary(x, stride):
    """Are all numbers finite, and so large that a step of length stride |x| cannot overflow?"""
    largest = 0.0
    for k in range(x.size):
        size = abs(x[k])
        if not size < SAFE_SIZE:
            return False
        largest = max(largest, size)
    return largest == 0.0 or (largest > 1.0 / SAFE_SIZE and largest * max(stride, 1.0) < SAFE_SIZE)


@rule
def predicted_dense(x, w, bias, tie):
    """
    Rule       the sign of w.x
    Given      x (the numbers of the row), w, bias, tie
    Returns    1 for the positive class, 0 for the other, or -1: see the beginning of this file
    See        `is_positive` in rules/predict_first.py
    """
    if x.ndim != 1 or x.itemsize != 8 or x.size + 1 != w.size or not is_ordinary(x, 1.0):
        return -1
    return int(is_positive(w, dense_row(x, bias), 0, tie))


@rule
def predicted_sparse(data, indices, w, bias, tie):
    """
    Rule       the sign of w.x
    Given      data, indices (numbers and their columns), w, bias, tie
    Returns    1 for the positive class, 0 for the other, or -1: see the beginning of this file
    See        `is_positive` in rules/predict_first.py
    """
    if not (has_columns(indices, w) and is_ordinary(data, 1.0)):
        return -1
    return int(is_positive(w, sparse_row(data, indices, bias), 0, tie))


@rule
def predicted_dense_in_mean(x, w, late, seen, bias, tie):
    """
    Rule       the sign of (w - late/seen).x
    Given      x (the numbers of the row), w, late, seen, bias, tie
    Returns    1 for the positive class, 0 for the other, or -1: see the beginning of this file
    See        `is_positive_in_mean` in rules/predict_first.py
    """
    if x.ndim != 1 or x.itemsize != 8 or x.size + 1 != w.size or not is_ordinary(x, 1.0):
        return -1
    return int(is_positive_in_mean(w, late, max(seen, 1), dense_row(x, bias), 0, tie))


@rule
def predicted_sparse_in_mean(data, indices, w, late, seen, bias, tie):
    """
    Rule       the sign of (w - late/seen).x
    Given      data, indices (numbers and their columns), w, late, seen, bias, tie
    Returns    1 for the positive class, 0 for the other, or -1: see the beginning of this file
    See        `is_positive_in_mean` in rules/predict_first.py
    """
    if not (has_columns(indices, w) and is_ordinary(data, 1.0)):
        return -1
    return int(is_positive_in_mean(w, late, max(seen, 1), sparse_row(data, indices, bias), 0, tie))


@rule
def perceptron_dense(x, y, w, bias, stride, rate, margin, tie):
    """
    Rule       that of `perceptron`, for one row
    Given      x (the numbers of the row), y (an array of one label), w, bias, stride, rate, margin, tie
    Changes    w
    Returns    the number of mistakes, or -1: see the beginning of this file
    See        `perceptron` in rules/binary.py
    """
    if x.ndim != 1 or x.itemsize != 8 or x.size + 1 != w.size or not is_ordinary(x, stride):
        return -1
    return perceptron_of_rows(dense_row(x, bias), y, ONE_ROW, UNIT_WEIGHT, w, rate, margin, tie)


@rule
def perceptron_sparse(data, indices, y, w, bias, stride, rate, margin, tie):
    """
    Rule       that of `perceptron`, for one row
    Given      data, indices (numbers and their columns), y (an array of one label), w, bias, stride, rate, margin, tie
    Changes    w
    Returns    the number of mistakes, or -1: see the beginning of this file
    See        `perceptron` in rules/binary.py
    """
    if not (has_columns(indices, w) and is_ordinary(data, stride)):
        return -1
    return perceptron_of_rows(sparse_row(data, indices, bias), y, ONE_ROW, UNIT_WEIGHT, w, rate, margin, tie)


@rule
def averaged_dense(x, y, w, late, seen, bias, stride, rate, margin, tie):
    """
    Rule       that of `averaged`, for one row
    Given      x (the numbers of the row), y, w, late, seen, bias, stride, rate, margin, tie
    Changes    w and late
    Returns    the number of mistakes, or -1: see the beginning of this file
    See        `averaged` in rules/binary.py
    """
    if x.ndim != 1 or x.itemsize != 8 or x.size + 1 != w.size or not is_ordinary(x, stride):
        return -1
    return averaged_of_rows(dense_row(x, bias), y, ONE_ROW, UNIT_WEIGHT, w, late, seen, rate, margin, tie)


@rule
def averaged_sparse(data, indices, y, w, late, seen, bias, stride, rate, margin, tie):
    """
    Rule       that of `averaged`, for one row
    Given      data, indices (numbers and their columns), y, w, late, seen, bias, stride, rate, margin, tie
    Changes    w and late
    Returns    the number of mistakes, or -1: see the beginning of this file
    See        `averaged` in rules/binary.py
    """
    if not (has_columns(indices, w) and is_ordinary(data, stride)):
        return -1
    return averaged_of_rows(sparse_row(data, indices, bias), y, ONE_ROW, UNIT_WEIGHT, w, late, seen, rate, margin, tie)


@rule
def passive_aggressive_dense(x, y, w, bias, stride, cap, slack):
    """
    Rule       that of `passive_aggressive`, for one row
    Given      x (the numbers of the row), y, w, bias, stride, cap, slack
    Changes    w
    Returns    the numbers of mistakes and of updates, or -1 twice: see the beginning of this file
    See        `passive_aggressive` in rules/binary.py
    """
    if x.ndim != 1 or x.itemsize != 8 or x.size + 1 != w.size or not is_ordinary(x, stride):
        return -1, -1
    return passive_aggressive_of_rows(dense_row(x, bias), y, ONE_ROW, UNIT_WEIGHT, w, cap, slack)


@rule
def passive_aggressive_sparse(data, indices, y, w, bias, stride, cap, slack):
    """
    Rule       that of `passive_aggressive`, for one row
    Given      data, indices (numbers and their columns), y, w, bias, stride, cap, slack
    Changes    w
    Returns    the numbers of mistakes and of updates, or -1 twice: see the beginning of this file
    See        `passive_aggressive` in rules/binary.py
    """
    if not (has_columns(indices, w) and is_increasing(indices) and is_ordinary(data, stride)):
        return -1, -1
    return passive_aggressive_of_rows(sparse_row(data, indices, bias), y, ONE_ROW, UNIT_WEIGHT, w, cap, slack)


# Each for a dense and for a sparse row, by the number of arrays that such a row has.
PREDICTED = {1: predicted_dense, 2: predicted_sparse}
PREDICTED_IN_MEAN = {1: predicted_dense_in_mean, 2: predicted_sparse_in_mean}
PERCEPTRON = {1: perceptron_dense, 2: perceptron_sparse}
AVERAGED = {1: averaged_dense, 2: averaged_sparse}
PASSIVE_AGGRESSIVE = {1: passive_aggressive_dense, 2: passive_aggressive_sparse}

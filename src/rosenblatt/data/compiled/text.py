"""Parsing of LIBSVM text, Vowpal Wabbit text, and tables of numbers.

A text is an array of bytes that ends with a line feed. So loops inside a line need not check for the end of the text.
"""

import math

import numpy as np

from rosenblatt.data.compiled.decimals import char, number
from rosenblatt.data.compiled.hashing import murmur
from rosenblatt.data.compiled.jit import helper, rule

DECIMALS = "9f76075526510d05"  # digests of imported files; see rows.py
HASHING = "d9cc03c723815ae6"
TAB, LINE, RETURN, SPACE, HASH, COLON, BAR = 9, 10, 13, 32, 35, 58, 124
READ, LABEL, PAIR, COLUMN, TWICE, INFINITE, NUMBER, IMPORTANCE, BARS = range(9)  # READ, or what is wrong with a line
LABEL_LIMIT = 2.0**53  # labels must be smaller
text_rule = rule(of_text=True, error_model="numpy")


@text_rule
def measure(text):
    """Count the lines, the colons, and the characters that may end a word."""
    lines = colons = ends = 0
    for k in range(len(text)):
        lines += char(text, k) == LINE
        colons += char(text, k) == COLON
        ends += char(text, k) == SPACE or char(text, k) == TAB or char(text, k) == RETURN or char(text, k) == BAR
    return lines, colons, ends


@text_rule
def count_lines(text):
    """Count the lines."""
    lines = 0
    for k in range(len(text)):
        lines += char(text, k) == LINE
    return lines


@text_rule
def survey(text):
    """Count, in the text of a table, non-empty lines, possible hexadecimal numbers (0x), and bytes beyond ASCII."""
    rows = hexadecimal = foreign = 0
    before, full = LINE, False
    for k in range(len(text)):
        c = char(text, k)
        if c == LINE:
            rows += full
            full = False
        else:
            full |= c != RETURN
        hexadecimal += before == 48 and (c | 32) == 120
        foreign += c > 127
        before = c
    return rows, hexadecimal, foreign


@text_rule
def libsvm(text, labels, lines, indptr, indices, data, bad):
    """
    Reads      lines `label column:number ...`; `#` begins a comment, `qid:...` is skipped
    Changes    labels and lines: the label and the line of each row; indices and data of each row, in the order of
               columns; indptr: where each row ends;
               bad: for each line that cannot be read, its number, its start, the position and the kind of the error
    Returns    the number of rows (-1 if the arrays are too short), of stored numbers and of bad lines; the smallest and
               the largest column; the number of lines
    """
    line = rows = size = wrong = k = 0
    least, most = np.int64(2**62), np.int64(-1)
    while k < len(text):
        if line == len(labels):
            return -1, size, wrong, least, most, line
        begin, first, line = k, size, line + 1
        k = skip_spaces(text, k)
        if char(text, k) == LINE or char(text, k) == HASH:
            k = skip_line(text, k)
            continue
        label, at, found = number(text, k)
        trouble = READ if found and is_whole(label) and ends_pair(char(text, at)) else LABEL
        before, ordered, k = np.int64(-1), True, at if trouble == READ else k
        while trouble == READ:
            k = skip_spaces(text, k)
            if char(text, k) == LINE or char(text, k) == HASH:
                break
            if (
                char(text, k) == 113
                and char(text, k + 1) == 105
                and char(text, k + 2) == 100
                and char(text, k + 3) == COLON
            ):
                while not ends_pair(char(text, k)):
                    k += 1
                continue
            at = k
            column = np.int64(0)
            while is_digit(char(text, at)):
                column = column * 10 + (char(text, at) - 48)
                at += 1
            if at - k > 9:
                trouble = COLUMN
                break
            if at == k or char(text, at) != COLON:
                trouble = PAIR
                break
            value, after, found = number(text, at + 1)
            if not found or not ends_pair(char(text, after)):
                trouble = NUMBER
                break
            if math.isinf(value):
                trouble, k = INFINITE, at + 1
                break
            ordered &= column > before
            before = column
            if size == len(data):
                return -1, size, wrong, least, most, line
            indices[size] = column
            data[size] = value
            size += 1
            k = after
        if trouble == READ and not ordered:
            order_row(indices, data, first, size)
            for q in range(first + 1, size):
                if indices[q] == indices[q - 1]:
                    trouble, k = TWICE, begin
        if trouble != READ:
            bad[wrong, 0], bad[wrong, 1], bad[wrong, 2], bad[wrong, 3] = line, begin, k, trouble
            wrong += 1
            size = first
        else:
            if size > first:
                least = min(least, np.int64(indices[first]))
                most = max(most, np.int64(indices[size - 1]))
            labels[rows], lines[rows] = label, line
            rows += 1
            indptr[rows] = size
        k = skip_line(text, k)
    return rows, size, wrong, least, most, line


@helper
def skip_spaces(text, k):
    while char(text, k) == SPACE or char(text, k) == TAB or char(text, k) == RETURN:
        k += 1
    return k


@helper
def skip_line(text, k):
    while char(text, k) != LINE:
        k += 1
    return k + 1


@helper
def is_digit(c):
    return 48 <= c <= 57


@helper
def is_end(c):
    """Does this character end a word?"""
    return c == SPACE or c == LINE or c == TAB or c == RETURN


@helper
def ends_pair(c):
    """Does this character end a word of LIBSVM text?"""
    return is_end(c) or c == HASH


@helper
def is_whole(label):
    return abs(label) < LABEL_LIMIT and label == math.floor(label)


@rule
def order_row(indices, data, start, stop):
    """Sort a row by its columns; equal columns keep their order."""
    if stop - start > 64:
        columns, values = indices[start:stop].copy(), data[start:stop].copy()
        order = np.argsort(columns, kind="mergesort")
        for k in range(stop - start):  # numba compiles a loop sooner than the assignment of an array
            indices[start + k], data[start + k] = columns[order[k]], values[order[k]]
        return
    for k in range(start + 1, stop):
        column, value = indices[k], data[k]
        at = k
        while at > start and indices[at - 1] > column:
            indices[at], data[at] = indices[at - 1], data[at - 1]
            at -= 1
        indices[at], data[at] = column, value


@text_rule
def vowpal(text, mask, labels, lines, indptr, indices, data, bad):
    """
    Reads      lines `label [1] ['tag]|space[:number] name[:number] ...|space ...`; the column of a name is its hash,
               seeded by the name of its space and cut by the mask; numbers of the same column are added
    Changes    see `libsvm`
    Returns    see `libsvm`
    See        `name_at`
    """
    line = rows = size = wrong = k = 0
    least, most = np.int64(2**62), np.int64(-1)
    while k < len(text):
        if line == len(labels):
            return -1, size, wrong, least, most, line
        begin, first, line = k, size, line + 1
        k = skip_spaces(text, k)
        if char(text, k) == LINE:
            k += 1
            continue
        label, at, found = number(text, k)
        trouble = READ if found and is_whole(label) and (is_end(char(text, at)) or char(text, at) == BAR) else LABEL
        if trouble == READ:
            k, trouble = skip_head(text, at)
        seed, factor, nameless = np.uint32(0), 1.0, np.uint32(0)
        before, ordered = np.int64(-1), True
        while trouble == READ:
            if char(text, k) == BAR:
                at, seed = name_at(text, k + 1, np.uint32(0))
                nameless = np.uint32(0)
                factor, after, trouble = value_behind(text, at, 1.0)
                if trouble != READ:
                    k = at + 1
                    break
                k = after
            k = skip_spaces(text, k)
            if char(text, k) == LINE:
                break
            if char(text, k) == BAR:
                continue
            at, column = name_at(text, k, seed)
            if at == k:  # entries without a name are numbered
                column = np.uint32(seed + nameless)
                nameless = np.uint32(nameless + np.uint32(1))
            value, after, trouble = value_behind(text, at, factor)
            if trouble != READ:
                k = at + 1
                break
            at = np.int64(column & mask)
            ordered &= at > before
            before = at
            if size == len(data):
                return -1, size, wrong, least, most, line
            indices[size] = at
            data[size] = value
            size += 1
            k = after
        if trouble == READ and not ordered:
            size = merge_row(indices, data, first, size)
            if size < 0:
                trouble, k = INFINITE, begin
        if trouble != READ:
            bad[wrong, 0], bad[wrong, 1], bad[wrong, 2], bad[wrong, 3] = line, begin, k, trouble
            wrong += 1
            size = first
        else:
            if size > first:
                least = min(least, np.int64(indices[first]))
                most = max(most, np.int64(indices[size - 1]))
            labels[rows], lines[rows] = label, line
            rows += 1
            indptr[rows] = size
        k = skip_line(text, k)
    return rows, size, wrong, least, most, line


@helper(inline="always")
def value_behind(text, k, factor):
    """Read the value after a name, `:number` or nothing (1), times a factor; give its end and the kind of error."""
    if char(text, k) != COLON:
        return factor, k, READ
    value, after, found = number(text, k + 1)
    if not found or not (is_end(char(text, after)) or char(text, after) == BAR):
        return 0.0, k, NUMBER
    value *= factor
    if not abs(value) < math.inf:  # also refuses nan, as from 0 times infinity
        return 0.0, k, INFINITE
    return value, after, READ


@helper
def skip_head(text, k):
    """Skip from the label to the first bar; an importance, which must be 1, and a tag may be in between."""
    k = skip_spaces(text, k)
    value, at, found = number(text, k)
    if found and is_end(char(text, at)):
        if value != 1.0:
            return k, IMPORTANCE
        k = skip_spaces(text, at)
    while char(text, k) != BAR:
        if char(text, k) == LINE:
            return k, BARS
        k += 1
    return k, READ


@helper
def name_at(text, k, seed):
    """Give the end of a name and its hash: its number plus the seed if it has digits only, else `murmur`."""
    start, column = k, np.uint32(0)
    while is_digit(char(text, k)):
        column = np.uint32(column * 10 + (char(text, k) - 48))
        k += 1
    column = np.uint32(column + seed)
    if not (char(text, k) == COLON or is_end(char(text, k)) or char(text, k) == BAR):
        k = end_of_name(text, k)
        column = murmur(text, start, k, seed)
    return k, column


@helper
def end_of_name(text, k):
    while not is_end(char(text, k)) and char(text, k) != COLON and char(text, k) != BAR:
        k += 1
    return k


@rule
def merge_row(indices, data, start, stop):
    """Sort a row by its columns, and add the numbers of the same column; give its new end, -1 if a sum is too large."""
    order_row(indices, data, start, stop)
    last = start
    for k in range(start + 1, stop):
        if indices[k] == indices[last]:
            data[last] += data[k]
            if not math.isfinite(data[last]):
                return -1
        else:
            last += 1
            indices[last], data[last] = indices[k], data[k]
    return last + 1


@text_rule
def number_table(text, delimiter, wanted, label, X, labels):
    """
    Reads      lines of cells between delimiters; all cells must be numbers
    Given      wanted: the column of X for each cell, or -1; label: the number of the cell with the label, an integer
    Changes    X and labels
    Returns    the number of rows; -1 for anything else: words, quotes, too many or too few cells, arrays too short
    """
    rows = k = 0
    while k < len(text):
        if char(text, k) == LINE or (char(text, k) == RETURN and char(text, k + 1) == LINE):
            k += 1 if char(text, k) == LINE else 2
            continue
        if rows == len(X):
            return -1
        for j in range(len(wanted)):
            value, k, found = number(text, k)
            if not found or math.isinf(value):
                return -1
            if wanted[j] >= 0:
                X[rows, wanted[j]] = value
            if j == label:
                if not is_whole(value):
                    return -1
                labels[rows] = int(value)
            if j + 1 < len(wanted):
                if char(text, k) != delimiter:
                    return -1
                k += 1
        if char(text, k) == RETURN:
            k += 1
        if char(text, k) != LINE:
            return -1
        k += 1
        rows += 1
    return rows

"""Text with a row a line, only the numbers that are not 0 written: LIBSVM's format and Vowpal Wabbit's.

A text is bytes that end with a line feed, so that no loop inside a line looks for the end of the text.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.data.compiled.decimals import char, number
from rosenblatt.data.compiled.hashing import murmur

DECIMALS = "4d908a7b86f90b92"  # of decimals.py, as `ROWS` is of rows.py
HASHING = "d33d4422cc0a7789"
TAB, LINE, RETURN, SPACE, HASH, COLON, BAR = 9, 10, 13, 32, 35, 58, 124
READ, LABEL, PAIR, COLUMN, TWICE, INFINITE, NUMBER, IMPORTANCE, BARS = range(9)  # what can be wrong with a line
LARGEST = 2.0**53  # labels are smaller
rule = njit(cache=True, nogil=True, error_model="numpy")


@rule
def measure(text):
    """How many lines there are, how many colons, and how many characters that words may end with."""
    lines = colons = ends = 0
    for k in range(len(text)):
        lines += char(text, k) == LINE
        colons += char(text, k) == COLON
        ends += char(text, k) == SPACE or char(text, k) == TAB or char(text, k) == RETURN or char(text, k) == BAR
    return lines, colons, ends


@rule
def count_lines(text):
    """How many lines there are."""
    lines = 0
    for k in range(len(text)):
        lines += char(text, k) == LINE
    return lines


@rule
def survey(text):
    """Of a table's text: lines that are not empty, hexadecimal numbers (perhaps), carriage returns inside lines, and
    bytes that are not ASCII."""
    rows = returns = hexadecimal = foreign = 0
    before, full = LINE, False
    for k in range(len(text)):
        c = char(text, k)
        if c == LINE:
            rows += full
            full = False
        else:
            full |= c != RETURN
        returns += before == RETURN and c != LINE
        hexadecimal += before == 48 and (c | 32) == 120
        foreign += c > 127
        before = c
    return rows, hexadecimal, returns, foreign


@rule
def libsvm(text, labels, lines, indptr, indices, data, bad):
    """
    Reads      lines `label column:number ...`; `#` begins a comment, `qid:...` is skipped
    Changes    labels and lines: of each row its label and its line; indices and data of each row, in the order of
               columns; indptr: where each row ends;
               bad: of each line that cannot be read, its number, where it begins, where the trouble is, and what it is
    Returns    rows (-1 if there is no room for all), numbers, bad lines, the smallest column, the largest, lines
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
            while np.uint8(char(text, at) - 48) < 10:
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


@register_jitable
def skip_spaces(text, k):
    while char(text, k) == SPACE or char(text, k) == TAB or char(text, k) == RETURN:
        k += 1
    return k


@register_jitable
def skip_line(text, k):
    while char(text, k) != LINE:
        k += 1
    return k + 1


@register_jitable
def is_end(c):
    """Does a word end here?"""
    return c == SPACE or c == LINE or c == TAB or c == RETURN


@register_jitable
def ends_pair(c):
    """Does a word of LIBSVM's text end here?"""
    return is_end(c) or c == HASH


@register_jitable
def is_whole(label):
    return abs(label) < LARGEST and label == math.floor(label)


@rule
def order_row(indices, data, start, stop):
    """Sort a row by its columns, those that are equal as they were."""
    if stop - start > 64:
        order = np.argsort(indices[start:stop], kind="mergesort")
        indices[start:stop] = indices[start:stop][order]
        data[start:stop] = data[start:stop][order]
        return
    for k in range(start + 1, stop):
        column, value = indices[k], data[k]
        at = k
        while at > start and indices[at - 1] > column:
            indices[at], data[at] = indices[at - 1], data[at - 1]
            at -= 1
        indices[at], data[at] = column, value


@rule
def vowpal(text, mask, labels, lines, indptr, indices, data, bad):
    """
    Reads      lines `label [1] ['tag]|space[:number] name[:number] ...|space ...`, Vowpal Wabbit's; the column of a
               name is its hash, by the space it is in, cut off by the mask; numbers of one column are added up
    Changes    as `libsvm`
    Returns    as `libsvm`
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
            if at == k:  # names that are left out are numbered
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


@register_jitable(inline="always")
def value_behind(text, k, factor):
    """What is written behind a name, `:number` or nothing (1), times a factor; where it ends, and the trouble."""
    if char(text, k) != COLON:
        return factor, k, READ
    value, after, found = number(text, k + 1)
    if not found or not (is_end(char(text, after)) or char(text, after) == BAR):
        return 0.0, k, NUMBER
    value *= factor
    if not abs(value) < math.inf:  # nor is it 0 times infinity
        return 0.0, k, INFINITE
    return value, after, READ


@register_jitable
def skip_head(text, k):
    """From behind the label to the first bar: an importance, which must be 1, and a tag may be between them."""
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


@register_jitable
def name_at(text, k, seed):
    """Where a name ends, and its hash: its own number plus the seed if all its characters are digits, else `murmur`."""
    start, column = k, np.uint32(0)
    while np.uint8(char(text, k) - 48) < 10:
        column = np.uint32(column * 10 + (char(text, k) - 48))
        k += 1
    column = np.uint32(column + seed)
    if not (char(text, k) == COLON or is_end(char(text, k)) or char(text, k) == BAR):
        k = end_of_name(text, k)
        column = murmur(text, start, k, seed)
    return k, column


@register_jitable
def end_of_name(text, k):
    while not is_end(char(text, k)) and char(text, k) != COLON and char(text, k) != BAR:
        k += 1
    return k


@rule
def merge_row(indices, data, start, stop):
    """Sort a row by its columns and add up the numbers of one column; where it then ends, -1 if a sum is too large."""
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


@rule
def number_table(text, delimiter, wanted, label, X, labels):
    """
    Reads      lines of cells between delimiters, all of which are numbers
    Given      wanted: of each cell the column of X it goes to, or -1; label: the cell of the label, a whole number
    Changes    X and labels
    Returns    how many rows; -1 if anything else is met: words, quotes, a cell too many or too few, no room
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

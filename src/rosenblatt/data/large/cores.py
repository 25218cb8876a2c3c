"""Work on many rows in parts, one for each core. What is done for a row must not depend on other rows."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

R = TypeVar("R")

PART_NUMBERS = 1 << 20  # numbers that a part has at least; with fewer, starting a thread does not pay


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """The number of threads that work at the same time; OMP_NUM_THREADS limits it, as it limits other libraries."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(asked))) if asked.isdecimal() else cores()


def in_parts(work: Callable[[int, int], R], rows: int, numbers: int) -> list[R]:
    """Do some work for parts of the rows, at the same time, in compiled code that lets other threads run.

    Parameters
    ----------
    work : is called with the first row of a part and the first row after it
    rows : the number of rows
    numbers : the numbers in them, about

    Returns
    -------
    list
        What the calls returned, in the order of the parts.
    """
    parts = min(numbers // PART_NUMBERS, rows)
    parts = min(parts, threads()) if parts > 1 else 1
    if parts == 1:
        return [work(0, rows)]
    bounds = [part * rows // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(parts - 1) as pool:
        others = [pool.submit(work, *bound) for bound in pairwise(bounds[1:])]
        return [work(*bounds[:2]), *(other.result() for other in others)]

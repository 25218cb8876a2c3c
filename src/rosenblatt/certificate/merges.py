"""Classes that no weight vectors can tell apart are merged, a few at a time. The claim is then checked for the groups.

Take any weight vectors of the classes with which no row scores more in another class than in its own.

1.  Some groups of classes overlap, and their rows span all rows of the table. Then their scores are equal on their own
    rows, which is what overlap means, and so on all rows. They become one group.
2.  The classes of a group have equal scores on all rows, so any of them can stand for the group in the next step.
3.  At the end there is one group, and all scores are equal (overlap); or some weight vectors separate the groups that
    are left strictly, or weakly, and with these all classes separate weakly (weak). If some classes overlap, whatever
    their rows span, all classes together do not separate strictly (not_strict).

A group has the number of its first class.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.check_claims import check_overlap, check_strict, check_weak, view
from rosenblatt.certificate.exact_table import Table
from rosenblatt.certificate.format import Body, need
from rosenblatt.certificate.signed_rows import Signed, outside_span


def check_merges(body: Body, table: Table, codes: NDArray[Any]) -> None:
    """Raise Refuted unless the claim of a body with merges is true. The body must have the right form."""
    constant, spanning = body["about"]["constant"], body["claim"] != "not_strict"
    need(body["about"]["between"] == list(range(len(body["data"]["labels"]))), "merges are about all classes")
    groups = np.arange(len(body["data"]["labels"]))
    for step in body["merges"]:
        check_merge(step, table, groups[codes], constant, spanning=spanning)
        groups = merged(groups, step["between"])
    left = np.unique(groups).tolist()
    if body["claim"] == "not_strict":
        need(len(body["merges"]) == 1, "one merge proves that the classes do not separate strictly, not more or fewer")
    elif body["claim"] == "overlap":
        need(len(left) == 1, f"{len(left)} groups are not merged")
    else:
        need(body["merges"], "nothing is merged")
        need(len(left) > 1, "all classes are merged")
        seen = view(table, groups[codes], left, constant)
        (check_weak if "witness" in body else check_strict)(body, seen)


def check_merge(step: Body, table: Table, codes: NDArray[Any], constant: float, *, spanning: bool) -> None:
    """Raise Refuted unless some groups overlap, and with `spanning` some rows of theirs span all rows of the table.

    Parameters
    ----------
    step : the groups, their witness or near witness, and the rows that span
    table : all rows
    codes : the group of each row
    constant : the constant at the end of each row, or 0
    spanning : do rows have to span?
    """
    between = step["between"]
    need(between == sorted(set(between)) and set(between) <= set(codes.tolist()), "there are no such groups to merge")
    check_overlap(step, view(table, codes, between, constant))
    if spanning:
        rows = step.get("span", [])
        inside = rows and all(0 <= i < table.n for i in rows) and np.isin(codes[rows], between).all()
        need(inside, "the rows that span are not rows of the groups")
        every = Signed(table, np.ones(table.n, np.int8), constant)
        need(len(rows) <= every.width, "more rows than are ever needed span")
        need(not len(outside_span(every, rows, np.arange(table.n))), "the rows of the groups do not span all rows")


def merged(groups: NDArray[Any], between: list[int]) -> NDArray[Any]:
    """The group of each class after some groups are merged."""
    return np.where(np.isin(groups, between), between[0], groups)

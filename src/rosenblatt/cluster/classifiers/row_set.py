"""The protocol `Points` for shards: every look is a round over all shards.

The leads of a look stay on the workers; only the worst rows and a few counts travel. A look at k shards gives the
numbers of a look at the same rows in memory, to the last bit.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data import validation
from rosenblatt.data.matrices import doubles, stacked
from rosenblatt.data.validation import Codes, Floats, Rows, signs
from rosenblatt.errors import DataError
from rosenblatt.hulls.row_set import NO_ROWS, Held, Worst, lowest_of_each
from rosenblatt.rules import hull

WHAT = "search of the margin"


class ShardLook(NamedTuple):
    """What a look found in one shard. It stays on the worker."""

    leads: Floats  # of its rows, without the lift
    raised: Floats  # the leads with the lift
    part: NDArray[np.int8]
    start: int
    worst: tuple[Codes, Floats, Floats]  # the row of each part by its number among all rows, its lead, and the bound


def part_of(codes: Codes, *, two: bool) -> NDArray[np.int8]:
    """The part that each row belongs to."""
    return codes.astype(np.int8) if two else np.zeros(len(codes), np.int8)


def signed(shard: Shard, bias: float) -> tuple[Rows, NDArray[np.int8]]:
    """The rows of a shard as float64, and their signs."""
    return validation.rows(doubles(shard.matrix()), bias), signs(shard.codes)


def first_of(shard: Shard, bias: float) -> tuple[float, dict[int, int]]:
    """The length of the longest row, and the number of the first row of each class."""
    rows, _ = signed(shard, bias)
    lengths = np.empty(shard.n)
    hull.lengths(rows, lengths)
    found, places = np.unique(shard.codes, return_index=True)
    return float(lengths.max()), dict(zip(found.tolist(), (places + shard.start).tolist(), strict=True))


def look(shard: Shard, common: tuple[Floats, float, bool, Codes, Floats | None]) -> ShardLook:
    """Look at all rows of a shard."""
    w, bias, two, lifted, lift = common
    rows, y = signed(shard, bias)
    part = part_of(shard.codes, two=two)
    raised = np.zeros(shard.n if lift is not None else 0)
    if lift is not None:
        inside = (lifted >= shard.start) & (lifted < shard.start + shard.n)
        raised[lifted[inside] - shard.start] = lift[inside]
    leads = np.empty(shard.n)
    row, lead, low = hull.worst(rows, y, part, w, raised, np.arange(shard.n), leads)
    worst = np.where(row < 0, row, row + shard.start), lead, low
    return ShardLook(leads, leads + raised if lift is not None else leads, part, shard.start, worst)


def worst_of(found: ShardLook, _: None) -> tuple[Codes, Floats, Floats]:
    """The worst row of each part."""
    return found.worst


def wrong_of(found: ShardLook, bars: Floats) -> int:
    """The number of rows whose lead is below the bar of their part."""
    return int(np.count_nonzero(found.leads < bars[found.part]))


def below_of(found: ShardLook, common: tuple[Floats, int]) -> tuple[int, Codes, Floats, NDArray[np.int8]]:
    """How many rows are below the bar of their part; and the numbers, leads and parts of the lowest of them."""
    bars, many = common
    are_below = np.flatnonzero(found.raised < bars[found.part])
    chosen = are_below[lowest_of_each(found.raised[are_below], found.part[are_below], many)]
    return len(are_below), chosen + found.start, found.raised[chosen], found.part[chosen]


def mistakes_of(shard: Shard, common: tuple[Floats, float]) -> tuple[int, Floats]:
    """The exact number of rows that are not strictly on their right side, and the sum of these signed rows."""
    w, bias = common
    rows, y = signed(shard, bias)
    total = np.zeros_like(w)
    return int(hull.mistakes(rows, y, w, total)), total


class OnCluster:
    """The rows of shards as points.

    Parameters
    ----------
    shards : rows of two classes
    bias : the constant at the end of each row
    two : is each class a part?
    """

    left_out = 0

    def __init__(self, shards: Shards, bias: float, *, two: bool) -> None:
        if len(shards.classes) != 2:
            raise DataError(
                "Only binary classification is supported. The type of the target is multiclass: there are "
                f"{len(shards.classes)} classes."
            )
        self.shards, self.bias, self.two = shards, bias, two
        self.n, self.d = shards.n, shards.d
        found = shards.ask("lengths of the rows", first_of, bias)
        self.radius = max(longest for longest, _ in found) * (1 + (self.d + 4) * 2.0**-50)
        first = [min(places[code] for _, places in found if code in places) for code in (0, 1)]
        self.numbers: Codes = np.empty(0, np.int64)
        self._at: dict[int, int] = {}
        self._matrix: Any = None
        self._looks: list[Any] = []
        self._held: Held
        self.hold(np.array(sorted(first)))

    @property
    def held(self) -> Held:
        return self._held

    def hold(self, rows: Codes) -> Codes:
        new = np.array([i for i in dict.fromkeys(rows.tolist()) if i not in self._at], np.int64)
        if len(new):
            X, codes = self.shards.take(new)
            for number in new.tolist():
                self._at[number] = len(self._at)
            self.numbers = np.concatenate([self.numbers, new])
            self._matrix = doubles(X) if self._matrix is None else stacked([self._matrix, doubles(X)])
            before = (self._held.y, self._held.part) if len(self._at) > len(new) else (np.empty(0, np.int8),) * 2
            y = np.concatenate([before[0], signs(codes)])
            part = np.concatenate([before[1], part_of(codes, two=self.two)])
            self._held = Held(validation.rows(validation.points(self._matrix), self.bias), y, part)
        return np.array([self._at[i] for i in rows.tolist()], np.int64)

    def matrix(self, rows: Codes) -> Any:
        """Rows as an array or a sparse matrix, by their numbers."""
        return self._matrix[self.hold(rows)]

    def row(self, i: int) -> Rows:
        return validation.one_row(self._held.rows, int(self.hold(np.array([i]))[0]))

    def worst(self, w: Floats, lifted: Codes = NO_ROWS, lift: Floats | None = None) -> Worst:
        shards = self.shards
        self._looks = shards.start(look, (w, self.bias, self.two, lifted, lift))
        row, lead, low = np.full(2, -1), np.full(2, np.inf), np.full(2, np.inf)
        for own_row, own_lead, own_low in shards.ask_about(WHAT, worst_of, None, self._looks):
            better = own_lead < lead
            row, lead, low = np.where(better, own_row, row), np.where(better, own_lead, lead), np.minimum(low, own_low)
        bias = np.nextafter((lead - lead[::-1]) / 2 if self.two else np.zeros(2), np.inf)
        return Worst(row, lead, low, sum(shards.ask_about("count of the wrong rows", wrong_of, bias, self._looks)))

    def below(self, bar: Floats, many: int) -> Codes:
        bars = bar if self.two else np.full(2, bar[0])
        found = self.shards.ask_about("rows below the bar", below_of, (bars, many), self._looks)
        numbers, leads, part = (np.concatenate([one[k] for one in found]) for k in (1, 2, 3))
        order = np.argsort(numbers, kind="stable")
        numbers, leads, part = numbers[order], leads[order], part[order]
        if sum(one[0] for one in found) <= many:
            return np.asarray(numbers)
        chosen = np.concatenate(
            [own[lowest_of_each(leads[own], part[own], many)] for own in (np.flatnonzero(part == p) for p in (0, 1))]
        )
        return np.asarray(numbers[chosen])

    def mistakes(self, w: Floats) -> tuple[int, Floats]:
        bias = 1.0 if self.two else self.bias
        found = self.shards.ask("count of the mistakes", mistakes_of, (w, bias))
        return sum(count for count, _ in found), np.sum([total for _, total in found], axis=0)

    def screen(self, levels: Floats, far: float, centres: Floats, extra: float) -> None:
        """Do nothing: every look is a round over all shards."""

    def look_at_all(self) -> None:
        """Do nothing: no row was left out."""

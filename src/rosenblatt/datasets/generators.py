"""Generators of data with known facts: planted margins, touching hulls, drifting streams and others.

The facts are exact. Rows are whole numbers times a power of two, reflected in whole numbers, so nothing is rounded.
All generators use the same names for facts:

==================  ====================================================================================
kind                what `separability` finds: "strict", "weak" or "overlap"
hyperplane          a hyperplane with no row on its wrong side (overlap: with few such rows)
margin              the largest geometric margin of any hyperplane with a free bias
margin_squared      the square of the margin, if the margin itself is not a float
margin_at_least     a lower bound of the largest margin
support             rows and weights that prove the margin: the length of the sum of weight * y * x equals it
witness             rows and weights that prove the overlap: the sum of weight * y * [x, 1] is 0
radius              an upper bound of the lengths of the rows
==================  ====================================================================================

Weights are positive fractions that sum to 1/2 in each class. The same seed gives the same bits with the same release of
NumPy.
"""

import math
from fractions import Fraction

import numpy as np
import scipy.sparse

from rosenblatt.base.hyperplane import Hyperplane
from rosenblatt.datasets.sample import Reflection, Sample, Weighted, inside, root_above, root_below, shuffled, simplex
from rosenblatt.errors import ParameterError
from rosenblatt.errors.wording import Words, parameter, worded

FINE_BITS, COARSE_BITS = 24, 10  # bits of the grids that rows lie on
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
MAX_GRID_ROWS = 10**6


def planted_margin(
    rows: int = 200, columns: int = 2, margin: float = 0.125, radius: float = 1.0, seed: int = 0
) -> Sample:
    """Make two classes whose largest margin and radius are known exactly.

    Four rows lie at the margin, two of each class. The midpoints of these two pairs are opposite each other, which
    proves the margin. One row is as long as the radius. The hyperplane goes through the origin, so a perceptron without
    bias makes at most (radius / margin)^2 updates, and one with bias at most (radius^2 + 1) / margin^2.

    Facts: kind, margin, radius, hyperplane, support. The margin and the radius are the requested ones, rounded to a
    grid of about 2^-24 of the radius.

    Examples
    --------
    >>> X, y, facts, _ = planted_margin(rows=50, margin=0.25)
    >>> plane = facts["hyperplane"]
    >>> plane.margin(X, y) == facts["margin"], plane.norm
    (True, 5.0)
    """
    if not radius * 2**-20 <= margin <= radius:
        raise ParameterError(
            worded(
                f"{{margin}} must be at most the radius, {radius!r}, and at least 2**-20 of it, not {margin!r}.",
                margin=parameter("margin", owner="planted_margin"),
            )
        )
    rng = np.random.default_rng(seed)
    frame = Reflection.drawn(rng, columns)
    shift = FINE_BITS + math.ceil(math.log2(frame.length / radius))
    unit = math.ldexp(frame.length, -shift)
    far = int(radius / unit)
    near = min(far, max(1, round(margin / unit)))
    y = rng.choice([-1, 1], rows)
    y[:5] = 1, 1, 1, -1, -1
    depth = rng.integers(near, far, rows, endpoint=True)
    depth[0], depth[1:5] = far, near
    tangents = inside(rng, np.sqrt(far**2 - depth**2), columns - 1)
    tangents[[2, 4]] = -tangents[[1, 3]]
    order, place = shuffled(rng, rows)
    X = np.ldexp(frame.turn(np.column_stack([y * depth, tangents]))[order], -shift)
    facts = {
        "kind": "strict",
        "margin": near * unit,
        "radius": far * unit,
        "hyperplane": Hyperplane(frame.axis(0)),
        "support": Weighted(place[1:5].tolist(), [QUARTER] * 4),
    }
    return Sample(X, y[order], facts)


def touching_hulls(rows: int = 100, columns: int = 3, seed: int = 0) -> Sample:
    """Make two classes whose convex hulls share exactly one point, so that the margin is 0.

    A segment of each class lies on the hyperplane, and the two segments cross in the shared point. With two columns it
    is a row on a segment, with one column two equal rows. All other rows are strictly on their right side.

    Facts: kind, margin, hyperplane, witness, point (the shared point).

    Examples
    --------
    >>> X, y, facts, _ = touching_hulls()
    >>> rows, weights = facts["witness"]
    >>> sum(int(y[i]) * weight for i, weight in zip(rows, weights))
    Fraction(0, 1)
    """
    rng = np.random.default_rng(seed)
    frame = Reflection.drawn(rng, columns)
    shift = COARSE_BITS + frame.length.bit_length()
    size = 2**COARSE_BITS
    grid = rng.integers(-size, size, (rows, columns), endpoint=True)
    y = rng.choice([-1, 1], rows)
    y[:6] = 1, 1, -1, -1, 1, -1
    grid[:, 0] = y * rng.integers(1, size, rows, endpoint=True)
    grid[:4] = 0
    ends = rng.integers(1, size, 4, endpoint=True) * [1, -1, 1, -1]
    if columns > 2:
        grid[:2, 2] = ends[:2]
    if columns > 1:
        grid[2:4, 1] = ends[2:]
    a, b, c, d = (int(abs(end)) for end in ends)
    weights = [Fraction(b, 2 * (a + b)), Fraction(a, 2 * (a + b)), Fraction(d, 2 * (c + d)), Fraction(c, 2 * (c + d))]
    point = rng.integers(-size, size, columns, endpoint=True)
    order, place = shuffled(rng, rows)
    facts = {
        "kind": "weak",
        "margin": 0.0,
        "hyperplane": Hyperplane(frame.axis(0), -math.ldexp(frame.length**2 * int(point[0]), -shift)),
        "witness": Weighted(place[:4].tolist(), weights),
        "point": np.ldexp(frame.turn(point[None])[0], -shift),
    }
    return Sample(np.ldexp(frame.turn(grid + point)[order], -shift), y[order], facts)


def overlapping(rows: int = 200, columns: int = 2, distance: float = 2.0, witnesses: int = 2, seed: int = 0) -> Sample:
    """Make two clouds that overlap, with the requested number of independent proofs of the overlap.

    Each proof is a simplex of one class around a segment of the other. The proofs share no rows. Every hyperplane makes
    at least one error in each of them. `distance` is the distance of the centres, in standard deviations.

    Facts: kind, witness (the first), witnesses (all), hyperplane (halfway between the clouds), errors (bounds of the
    fewest errors of any hyperplane: the number of witnesses, and the number of errors of the hyperplane).

    Examples
    --------
    >>> X, y, facts, _ = overlapping(witnesses=3)
    >>> facts["kind"], facts["errors"][0], len(facts["witnesses"])
    ('overlap', 3, 3)
    """
    each = columns + 3
    if rows < witnesses * each:
        raise ParameterError(
            worded(
                f"{{rows}} must be at least {witnesses * each}, that is columns + 3 for each witness, not {rows!r}.",
                rows=Words("overlapping(rows=...)", "--rows"),
            )
        )
    rng = np.random.default_rng(seed)
    frame = Reflection.drawn(rng, columns)
    shift = COARSE_BITS + frame.length.bit_length()
    y = rng.choice([-1, 1], rows)
    cloud = rng.standard_normal((rows, columns)).clip(-8, 8)
    cloud[:, 0] += y * distance / 2
    grid = np.rint(cloud * 2 ** (COARSE_BITS - 2)).astype(np.int64)
    order, place = shuffled(rng, rows)
    found = []
    for k in range(witnesses):
        own = slice(k * each, (k + 1) * each)
        grid[own], y[own], weights = simplex(rng, columns)
        found.append(Weighted(place[own].tolist(), weights))
    facts = {
        "kind": "overlap",
        "witness": found[0],
        "witnesses": found,
        "hyperplane": Hyperplane(frame.axis(0)),
        "errors": (witnesses, int((y * grid[:, 0] <= 0).sum())),
    }
    return Sample(np.ldexp(frame.turn(grid)[order], -shift), y[order], facts)


def near_duplicates(pairs: int = 50, columns: int = 3, seed: int = 0) -> Sample:
    """Make pairs of rows of different classes that differ only in their last bits, but are separable.

    The two rows of a pair are opposite each other. All rows have the same distance to the hyperplane, so each pair
    proves the margin.

    Facts: kind, margin, hyperplane, support, pairs (their row numbers, the negative row first).

    Examples
    --------
    >>> X, y, facts, _ = near_duplicates()
    >>> i, j = facts["pairs"][0]
    >>> bool(abs(X[i] - X[j]).max() < 1e-13), 0 < facts["margin"] < 1e-14
    (True, True)
    """
    rng = np.random.default_rng(seed)
    frame = Reflection.drawn(rng, columns)
    bits = 52
    half = inside(rng, np.full(pairs, 2**bits // frame.length, dtype=np.float64), columns - 1)
    y = np.repeat([-1, 1], pairs)
    order, place = shuffled(rng, 2 * pairs)
    X = np.ldexp(frame.turn(np.column_stack([y, np.vstack([half, half])]))[order], -bits)
    both = np.column_stack([place[:pairs], place[pairs:]])
    facts = {
        "kind": "strict",
        "margin": math.ldexp(frame.length, -bits),
        "hyperplane": Hyperplane(frame.axis(0)),
        "support": Weighted(both[0].tolist(), [HALF] * 2),
        "pairs": both,
    }
    return Sample(X, y[order], facts)


def collinear(rows: int = 100, columns: int = 5, rank: int = 2, seed: int = 0) -> Sample:
    """Make a table of whole numbers of low rank: its columns are linear combinations of a few of them.

    Facts: kind, rank (of X, exactly), relations (whole numbers, columns - rank rows: X @ relations.T is 0),
    hyperplane, margin_at_least, radius.

    Examples
    --------
    >>> X, y, facts, _ = collinear(columns=4, rank=2)
    >>> np.linalg.matrix_rank(X).item(), abs(X @ facts["relations"].T).max().item()
    (2, 0.0)
    """
    if rank >= columns or rows <= rank:
        raise ParameterError(
            worded(
                f"{{rank}} must be below the {columns} columns and the {rows} rows, not {rank!r}.",
                rank=parameter("rank", owner="collinear"),
            )
        )
    rng = np.random.default_rng(seed)
    own = rng.integers(-8, 8, (rows, rank), endpoint=True)
    y = rng.choice([-1, 1], rows)
    own[: rank + 1] = np.eye(rank + 1, rank, -1)  # a first row, then one row for each dimension
    y[0], y[1 : rank + 1] = -1, 1
    own[:, 0] = y * np.maximum(1, abs(own[:, 0]))
    mixture = rng.integers(-2, 2, (rank, columns - rank), endpoint=True)
    column, _ = shuffled(rng, columns)
    order, _ = shuffled(rng, rows)
    X = np.hstack([own, own @ mixture])[order][:, column]
    relations = np.hstack([-mixture.T, np.eye(columns - rank, dtype=np.int64)])[:, column]
    facts = {
        "kind": "strict",
        "rank": rank,
        "relations": relations,
        "hyperplane": Hyperplane(column == 0),
        "margin_at_least": 1.0,
        "radius": root_above(Fraction(int((X**2).sum(axis=1).max()))),
    }
    return Sample(X.astype(np.float64), y[order], facts)


def integer_grid(size: int = 3, columns: int = 2, seed: int = 0) -> Sample:
    """Make all points with whole coordinates from -size to size, labelled by a hyperplane between them.

    Facts: kind, hyperplane (whole weights; every score is a whole number and a half), margin_at_least, radius.

    Examples
    --------
    >>> X, y, facts, _ = integer_grid(size=1)
    >>> X.shape, abs(facts["hyperplane"].decision_function(X)).min().item()
    ((9, 2), 0.5)
    """
    width = 2 * size + 1
    if width**columns > MAX_GRID_ROWS:
        raise ParameterError(
            worded(
                f"{{size}} must give at most {MAX_GRID_ROWS} rows, not {width}**{columns}.",
                size=parameter("size", owner="integer_grid"),
            )
        )
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 9, columns) * rng.choice([-1, 1], columns)
    plane = Hyperplane(w, float(rng.choice([-0.5, 0.5])))
    X = np.indices((width,) * columns).reshape(columns, -1).T - float(size)
    facts = {
        "kind": "strict",
        "hyperplane": plane,
        "margin_at_least": root_below(QUARTER / int(w @ w)),
        "radius": root_above(Fraction(columns * size**2)),
    }
    return Sample(X, plane.half_space(X), facts)


def gaussian_mixtures(rows: int = 400, columns: int = 2, components: int = 2, seed: int = 0) -> Sample:
    """Draw rows from Gaussians with known means and covariances, several Gaussians for each class.

    Facts: means, covariances and labels (one for each Gaussian, as `Anderson.fit_gaussians` takes them), component
    (the Gaussian of each row; all are equally likely). The covariances are the exact ones of the distributions, not
    those of the rows.

    Examples
    --------
    >>> X, y, facts, _ = gaussian_mixtures(components=3)
    >>> facts["means"].shape, facts["covariances"].shape, facts["labels"].tolist()
    ((6, 2), (6, 2, 2), [-1, -1, -1, 1, 1, 1])
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat([-1, 1], components)
    means = rng.integers(-3, 3, (2 * components, columns), endpoint=True).astype(np.float64)
    means[:, 0] += 4 * labels
    factors = np.tril(rng.integers(-3, 3, (2 * components, columns, columns), endpoint=True), -1) / 8.0
    factors += np.eye(columns) * rng.integers(4, 8, (2 * components, 1, columns), endpoint=True) / 8.0
    turn = np.arange(rows)
    component = rng.permutation(turn % 2 * components + turn // 2 % components)  # both classes, however few rows
    noise = rng.standard_normal((rows, columns, 1))
    facts = {
        "means": means,
        "covariances": factors @ factors.transpose(0, 2, 1),
        "labels": labels,
        "component": component,
    }
    return Sample(means[component] + (factors[component] @ noise)[:, :, 0], labels[component], facts)


def drifting_stream(rows: int = 1000, columns: int = 2, turns: float = 0.5, every: int = 1, seed: int = 0) -> Sample:
    """Make rows in the order of time, labelled by a hyperplane through the origin that rotates.

    The hyperplane makes `turns` full turns in total. It moves after each `every` rows: with every=1 it drifts, with
    every=rows // 4 it jumps three times.

    Facts: normals (the whole-numbered normal of each row: y * normals.x is above 0), angles (the rotation of each
    normal, in radians, exact up to 1/1024), margin_at_least (for the distance of each row to its own hyperplane),
    radius, hyperplane (the last one).

    Examples
    --------
    >>> X, y, facts, _ = drifting_stream()
    >>> bool((y * (facts["normals"] * X).sum(axis=1) > 0).all()), facts["angles"][500].item()
    (True, 1.5707963267948966)
    """
    rng = np.random.default_rng(seed)
    frame = Reflection.drawn(rng, columns)
    size, shift = 2**COARSE_BITS, 2 * COARSE_BITS + frame.length.bit_length()
    near = size // 8
    angles = 2 * np.pi * turns * (np.arange(rows) // every * every) / rows
    turned = np.rint(size * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.int64)
    y = rng.choice([-1, 1], rows)
    y[:2] = 1, -1
    depth = y * rng.integers(near, size, rows, endpoint=True)
    along = rng.integers(-size, size, rows, endpoint=True)
    grid = rng.integers(-size, size, (rows, columns), endpoint=True) * size
    grid[:, :2] = depth[:, None] * turned + along[:, None] * turned[:, ::-1] * [-1, 1]
    normals = np.zeros_like(grid)
    normals[:, :2] = turned
    normals = frame.turn(normals)
    facts = {
        "normals": normals.astype(np.float64),
        "angles": angles,
        "margin_at_least": math.ldexp(near * (size - 1) * frame.length, -shift),
        "radius": root_above(Fraction(frame.length**2 * int((grid**2).sum(axis=1).max()), 4**shift)),
        "hyperplane": Hyperplane(normals[-1]),
    }
    return Sample(np.ldexp(frame.turn(grid), -shift), y, facts)


def sparse_text(rows: int = 1000, columns: int = 5000, words: int = 50, lead: int = 1, seed: int = 0) -> Sample:
    """Make word counts as a sparse matrix; the k-th word is 1/k times as frequent as the first (Zipf's law).

    A fifth of the words have the weight -1 or 1, for one of the classes. Such words are added to each row until its
    class leads by `lead`.

    Facts: kind, hyperplane (through the origin: y * score is at least `lead`), margin_at_least, radius.

    Examples
    --------
    >>> X, y, facts, _ = sparse_text(rows=100)
    >>> type(X).__name__, int((y * (X @ facts["hyperplane"].w)).min())
    ('csr_array', 1)
    """
    rng = np.random.default_rng(seed)
    w = rng.permutation(np.arange(columns) % 10)
    w = np.where(w < 2, 2 * w - 1, 0)
    likely = 1 / np.arange(1, columns + 1)
    tokens = rng.choice(columns, (rows, words), p=likely / likely.sum())
    score = w[tokens].sum(axis=1)
    y = np.where(score == 0, rng.choice([-1, 1], rows), np.sign(score))
    y[:2] = 1, -1
    row = np.arange(rows).repeat(np.maximum(0, lead - y * score))
    more = np.where(
        y[row] > 0, rng.choice(np.flatnonzero(w > 0), len(row)), rng.choice(np.flatnonzero(w < 0), len(row))
    )
    at = np.concatenate([np.arange(rows).repeat(words), row]), np.concatenate([tokens.ravel(), more])
    X = scipy.sparse.coo_array((np.ones(len(at[0])), at), shape=(rows, columns)).tocsr()
    facts = {
        "kind": "strict",
        "hyperplane": Hyperplane(w),
        "margin_at_least": root_below(Fraction(lead**2, int(w @ w))),
        "radius": root_above(Fraction(int((X.multiply(X)).sum(axis=1).max()))),
    }
    return Sample(X, y, facts, [f"word{j}" for j in range(1, columns + 1)])

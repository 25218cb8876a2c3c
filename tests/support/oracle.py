"""The rules as the slides have them, in exact fractions: slow, plain, and independent of the package."""

from collections.abc import Sequence
from fractions import Fraction

Vector = list[Fraction]


def dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def is_mistake(lead: Fraction, y: int, tie: int) -> bool:
    """A tie is the positive class (+1), the negative (-1) or neither (0)."""
    return lead < 0 or (lead == 0 and tie != y)


def perceptron(
    Z: Sequence[Vector],
    y: Sequence[int],
    order: Sequence[int],
    w: Vector,
    rate: Vector,
    margin: Fraction,
    tie: int,
    weight: Vector | None = None,
) -> list[Vector]:
    """The weights before the first row and after each; Z holds the rows with their bias constant.

    `rate` is one a class, `weight` one a row.
    """
    history = [list(w)]
    for i in order:
        w = list(history[-1])
        if is_mistake(y[i] * dot(w, Z[i]) - margin, y[i], tie):
            step = rate[y[i] > 0] * (1 if weight is None else weight[i])
            w = [a + step * y[i] * b for a, b in zip(w, Z[i], strict=True)]
        history.append(w)
    return history


def winner(z: Vector, W: Sequence[Vector], y: int, margin: Fraction, tie: int) -> int:
    """The largest score, the true class less its margin; a tie goes to the later, the earlier or the wrong class."""
    scores = [dot(w, z) for w in W]
    scores[y] -= margin
    top = [c for c, score in enumerate(scores) if score == max(scores)]
    if tie == 0 and len(top) > 1:
        top = [c for c in top if c != y]
    return top[0] if tie < 0 else top[-1]


def multiclass(
    Z: Sequence[Vector],
    y: Sequence[int],
    order: Sequence[int],
    W: list[Vector],
    rate: Vector,
    margin: Fraction,
    tie: int,
    weight: Vector | None = None,
) -> list[list[Vector]]:
    """The same for one weight vector a class."""
    history = [[list(w) for w in W]]
    for i in order:
        W = [list(w) for w in history[-1]]
        v = winner(Z[i], W, y[i], margin, tie)
        if v != y[i]:
            step = rate[y[i]] * (1 if weight is None else weight[i])
            W[y[i]] = [a + step * b for a, b in zip(W[y[i]], Z[i], strict=True)]
            W[v] = [a - step * b for a, b in zip(W[v], Z[i], strict=True)]
        history.append(W)
    return history


def passive_aggressive(
    Z: Sequence[Vector],
    y: Sequence[int],
    order: Sequence[int],
    w: Vector,
    C: Vector,
    variant: str,
    weight: Vector,
) -> list[Vector]:
    """PA-I or PA-II, where C is one a class and is multiplied by `weight`, one a row."""
    history = [list(w)]
    for i in order:
        w = list(history[-1])
        loss = 1 - y[i] * dot(w, Z[i])
        length = dot(Z[i], Z[i])
        if loss > 0 and length > 0:
            cost = weight[i] * C[y[i] > 0]
            step = min(loss / length, cost) if variant == "I" else loss / (length + 1 / (2 * cost))
            w = [a + step * y[i] * b for a, b in zip(w, Z[i], strict=True)]
        history.append(w)
    return history

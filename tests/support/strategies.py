"""Data for property tests."""

from collections.abc import Sequence

from hypothesis import strategies as st


@st.composite
def separable(
    draw: st.DrawFn, biases: Sequence[float] = (0.0, 1.0), labels: tuple[int, int] = (-1, 1)
) -> tuple[list[list[int]], list[int], float]:
    """Integers on two sides of a hidden plane, which goes through the origin if the bias is 0."""
    d, bias = draw(st.integers(1, 3)), draw(st.sampled_from(biases))
    plane = draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d).filter(any))
    shift = draw(st.integers(-4, 4)) if bias else 0

    def side(x: list[int]) -> int:
        return sum(a * b for a, b in zip(plane, x, strict=True)) + shift

    rows = st.lists(st.integers(-6, 6), min_size=d, max_size=d).filter(lambda x: side(x) != 0)
    X = draw(st.lists(rows, min_size=2, max_size=9).filter(lambda X: len({side(x) > 0 for x in X}) == 2))
    return X, [labels[side(x) > 0] for x in X], bias

"""Progressive validation in a report: how many rows were right before the model learned from them."""

from typing import Any, NamedTuple

from rosenblatt.plot.style import INKS, pyplot

FIGURE_SIZE = (6.0, 3.2)  # inches
MAX_LISTED_POINTS = 4  # of the curve, in a line of text


class Progressive(NamedTuple):
    """The curve: the number of rows predicted so far and of those that were right, after 1, 2, 4, ... rows and all."""

    points: list[tuple[int, int]]
    weights: str  # which weights predicted, in words

    @property
    def rows(self) -> int:
        return self.points[-1][0]

    @property
    def right(self) -> int:
        return self.points[-1][1]

    @property
    def since_last(self) -> list[float]:
        """The accuracy on the rows between each point and the one before it."""
        before = [(0, 0), *self.points[:-1]]
        return [(right - r) / (rows - n) for (rows, right), (n, r) in zip(self.points, before, strict=True)]

    def as_json(self) -> dict[str, Any]:
        """The counts, and the curve as a list of pairs."""
        return {"rows": self.rows, "right": self.right, "curve": [list(point) for point in self.points]}

    def sentence(self) -> str:
        """The accuracy, and how it was measured."""
        return (
            f"{percent(self.right, self.rows)} of {self.rows:,} rows were right when they were predicted by "
            f"{self.weights}, before learning from them"
        )

    def curve_sentence(self) -> str:
        """Some points of the curve; empty if there is one point only."""
        earlier = self.points[:-1][-MAX_LISTED_POINTS:]
        if not earlier:
            return ""
        first = ", ".join(f"{percent(right, rows)} of the first {rows:,}" for rows, right in earlier)
        last = f"{100 * self.since_last[-1]:.1f} % of the last {self.rows - earlier[-1][0]:,}"
        return f"right before learning: {first}, {last}"


def percent(right: int, rows: int) -> str:
    """A share as a percentage."""
    return f"{100 * right / rows:.1f} %"


def progressive_of(model: Any) -> Progressive | None:
    """The progressive validation of a model that was trained on a stream; None if there was none."""
    table: Any = getattr(model, "progressive_", ())
    if not len(table):
        return None
    means = {None: "the weights", False: "the weights", "voted": "the votes"}
    weights = means.get(getattr(model, "average", None), "the averaged weights")
    return Progressive([(rows, right) for rows, right in table.tolist()], f"{weights} so far")


def chart(found: Progressive | None) -> tuple[str, Any] | None:
    """The accuracy of predictions made before learning, against the number of rows."""
    if found is None:
        return None
    figure, ax = pyplot().subplots(figsize=FIGURE_SIZE, layout="constrained")
    rows = [n for n, _ in found.points]
    so_far = [100 * right / n for n, right in found.points]
    ax.plot(rows, so_far, marker="o", markersize=3, color=INKS[0], label="all rows so far")
    since = [100 * share for share in found.since_last]
    ax.plot(rows, since, marker="s", markersize=3, linestyle="--", color=INKS[1], label="rows since the last point")
    ax.set(xlabel="rows learned from", ylabel="right before learning, %", xscale="log", ylim=(None, 101))
    ax.xaxis.set_major_formatter(lambda rows, _: f"{rows:,.0f}")
    ax.legend(loc="best", frameon=False)
    return "Progressive validation: each row was predicted before the model learned from it.", figure

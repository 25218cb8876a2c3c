"""Rosenblatt's machine of 1958: 400 photocells, random wires, and weights that learn to tell shapes apart.

A shape shines on a retina of 20 x 20 photocells. Each association unit is wired at random to a few photocells, and
fires or does not fire; its wires never change. A response unit adds the weights of the units that fire. Only these
weights are learned.

Run it with `python examples/photocells.py`. It prints the results and writes one picture.
"""

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import matplotlib
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from rosenblatt import BudgetWarning, McCullochPittsNeuron, Perceptron, mistake_bound, separability

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

Booleans = NDArray[np.bool_]
Words = NDArray[np.str_]

SIDE = 20
KINDS = ("square", "circle")
TRAINING, FRESH = 1500, 500
SEED = 1958
DIRECT = "photocells"  # for comparison: weights on the photocells, without association units
ORANGE, SKY, BLUE, VERMILION, GREEN = "#E69F00", "#56B4E9", "#0072B2", "#D55E00", "#009E73"


@dataclass(frozen=True)
class Task:
    """A distinction that the machine learns: for each answer, the kinds of shapes and the columns where they lie.

    `half_sides` is the range of half the side of a square, in photocells.
    """

    name: str
    answers: dict[str, tuple[tuple[str, ...], tuple[int, int]]]
    half_sides: tuple[float, float]


LEFT_OR_RIGHT = Task("left or right", {"left": (KINDS, (0, 10)), "right": (KINDS, (10, 20))}, (2.0, 4.4))
SQUARE_OR_CIRCLE = Task(
    "square or circle", {"square": (("square",), (0, 20)), "circle": (("circle",), (0, 20))}, (4.0, 6.0)
)


def shine(kind: str, half_side: float, x: float, y: float) -> Booleans:
    """Light the photocells whose middles lie in a square around (x, y), or in a circle of the same area."""
    middles = np.arange(SIDE) + 0.5
    across, down = abs(middles - x), abs(middles - y)[:, np.newaxis]
    if kind == "square":
        return (across < half_side) & (down < half_side)
    return across**2 + down**2 < 4 / np.pi * half_side**2


def draw_shape(rng: np.random.Generator, task: Task, answer: str) -> Booleans:
    """Draw a random shape, 20 x 20, for which this answer is right."""
    kinds, (first, last) = task.answers[answer]
    half_side = rng.uniform(*task.half_sides)
    room = 2 / np.sqrt(np.pi) * half_side  # that of a circle, for squares too: the place must not tell the kind
    x, y = rng.uniform(first + room, last - room), rng.uniform(room, SIDE - room)
    return shine(str(rng.choice(kinds)), half_side, x, y)


def draw_shapes(rng: np.random.Generator, task: Task, n: int) -> tuple[Booleans, Words]:
    """Draw n different shapes, n x 400, in random order. Each answer is right for half of them."""
    shapes: list[Booleans] = []
    for answer in task.answers:
        found: dict[bytes, Booleans] = {}
        for _ in range(100 * n):
            shape = draw_shape(rng, task, answer).ravel()
            found.setdefault(shape.tobytes(), shape)
            if len(found) == n // 2:
                break
        else:
            raise ValueError(f"{100 * n} draws found only {len(found)} different shapes for {answer!r}: ask for fewer")
        shapes += found.values()
    order = rng.permutation(len(shapes))
    return np.array(shapes)[order], np.repeat(list(task.answers), n // 2)[order]


@dataclass(frozen=True)
class Connections:
    """Association units, each wired to a few photocells. The first half of its wires excite, the others inhibit.

    An inhibiting wire brings the inverted signal of its photocell. A unit with k of them fires if

        exciting lit + inhibiting dark >= threshold,   which is   exciting lit - inhibiting lit >= threshold - k

    so all units can be one McCulloch-Pitts neuron, which has no weights.
    """

    cells: NDArray[np.intp]  # units x wires
    neuron: McCullochPittsNeuron

    @classmethod
    def draw(cls, rng: np.random.Generator, units: int = 512, pairs: int = 3) -> Self:
        """Wire each unit to 2 x pairs different photocells. It fires if more exciting than inhibiting ones are lit."""
        cells = rng.random((units, SIDE * SIDE)).argsort(axis=1)[:, : 2 * pairs]
        return cls(cells, McCullochPittsNeuron(pairs + 1))

    @property
    def inhibits(self) -> Booleans:
        """Tell which wires of a unit inhibit. All units have equally many, so one threshold serves for all."""
        pairs = self.cells.shape[1] // 2
        return np.repeat([False, True], pairs)

    def fires(self, shapes: Booleans) -> Booleans:
        """Tell for n shapes, n x 400, which units fire: n x units."""
        units, wires = self.cells.shape
        signals = shapes[:, self.cells] ^ self.inhibits
        return np.reshape(self.neuron.fires(signals.reshape(-1, wires)), (len(shapes), units))

    def per_photocell(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each photocell, the sum of the weights of its units, with a minus for inhibiting wires: 20 x 20."""
        total = np.zeros(SIDE * SIDE)
        np.add.at(total, self.cells, weights[:, np.newaxis] * np.where(self.inhibits, -1, 1))
        return total.reshape(SIDE, SIDE)


@dataclass(frozen=True)
class Trial:
    """A trained response unit, and its answers for new shapes."""

    task: Task
    inputs: str
    model: Perceptron
    said: Words
    accuracy: float
    bound: int | None  # on the updates; None if no hyperplane separates the training shapes


def learn(task: Task, inputs: str, X: Booleans, y: Words, training: int = TRAINING) -> Trial:
    """Train a response unit on the first rows, and test it on the others."""
    rows, answers = X[:training].astype(float), y[:training]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BudgetWarning)  # the table has the stop reason
        model = Perceptron(average="averaged", max_epochs=1000).fit(rows, answers)
    # A pass without a mistake is a proof: sums of these whole numbers are exact.
    separable = model.stop_reason_ == "mistake_free" or separability(rows, answers, detail=False).kind == "strict"
    said = model.predict(X[training:].astype(float))
    return Trial(
        task=task,
        inputs=inputs,
        model=model,
        said=said,
        accuracy=float((said == y[training:]).mean()),
        bound=mistake_bound(rows, answers).max_updates if separable else None,
    )


def row_of(trial: Trial) -> list[str]:
    """The cells of a trial in the table."""
    model = trial.model
    mistakes = [str(count) for count in model.mistakes_per_epoch_]
    if len(mistakes) > 3:
        mistakes[2:-1] = ["..."]
    return [
        f"{trial.accuracy:.1%}",
        trial.task.name,
        trial.inputs,
        "no" if trial.bound is None else "yes",
        f"{model.n_updates_:,}",
        "no bound" if trial.bound is None else f"{trial.bound:,}",
        f"{model.n_iter_:,}",
        str(model.stop_reason_),
        ", ".join(mistakes),
    ]


def report(console: Console, trials: list[Trial]) -> None:
    """Print the answer, then a table of the response units."""
    told = [f"{trial.task.name} {trial.accuracy:.1%}" for trial in trials if trial.inputs != DIRECT]
    console.print(f"Right answers for {FRESH} new shapes: {', '.join(told)} (guessing: 50%).\n")
    table = Table(title=f"Response units trained on {TRAINING:,} shapes", title_justify="left")
    for heading in ("right on\nnew", "\ntask", "\ninputs", "separ-\nable"):
        table.add_column(heading)
    for heading in ("\nupdates", "Novikoff's\nbound", "\npasses"):
        table.add_column(heading, justify="right")
    table.add_column("\nstopped")
    table.add_column("mistakes\nper pass")
    for trial in trials:
        table.add_row(*row_of(trial))
    console.print(table)
    console.print("Separable: a hyperplane separates the training shapes, proved. New shapes: averaged weights.\n")


def draw_retina(axes: Axes, shape: Booleans) -> None:
    lit = np.where(shape.reshape(SIDE, SIDE), 1.0, 0.25)
    axes.pcolormesh(lit, cmap="gray", vmin=0, vmax=1, edgecolors="0.4", linewidth=0.4)
    axes.set(xticks=[], yticks=[], aspect="equal", ylim=(SIDE, 0))


def draw_answers(figure: Any, trial: Trial, shapes: Booleans, answers: Words) -> None:
    """Draw two new shapes for each answer. A wrong answer, if there is one, comes last and has a frame."""
    right = trial.said == answers
    for row, answer in zip(figure.subplots(2, 2), trial.task.answers, strict=True):
        wrong = np.flatnonzero(~right & (answers == answer))[:1]
        chosen = [*np.flatnonzero(right & (answers == answer))[: 2 - len(wrong)], *wrong]
        for axes, i in zip(row, chosen, strict=True):
            draw_retina(axes, shapes[i])
            if right[i]:
                axes.set_title(f"\N{CHECK MARK} said {trial.said[i]}")
            else:
                axes.set_title(f"\N{BALLOT X} said {trial.said[i]}", color=VERMILION, fontweight="bold")
                axes.spines[:].set(color=VERMILION, linewidth=5)
    figure.suptitle(f"{trial.task.name.capitalize()}?\n{trial.accuracy:.1%} of {len(answers)} new shapes right")


def draw_wires(axes: Axes, connections: Connections, unit: int, shape: Booleans) -> None:
    """Draw the photocells that one unit is wired to, under a shape that makes it fire."""
    draw_retina(axes, shape)
    end = SIDE + 3.0, SIDE / 2
    lit = {}
    for inhibits, name, marker, line, ink in (
        (False, "exciting", "o", "-", ORANGE),
        (True, "inhibiting", "s", "--", SKY),
    ):
        cells = connections.cells[unit, connections.inhibits == inhibits]
        lit[name] = shape[cells].sum()
        x, y = cells % SIDE + 0.5, cells // SIDE + 0.5
        for start in zip(x, y, strict=True):
            axes.plot(*zip(start, end, strict=True), color=ink, linestyle=line, linewidth=1.8)
        axes.plot(x, y, marker, color=ink, markersize=11, markeredgecolor="white", label=name)
    axes.plot(*end, marker="o", color="black", markersize=20)
    axes.annotate("A", end, color="white", ha="center", va="center")
    axes.set_xlim(0, SIDE + 4.5)
    axes.spines[:].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, frameon=False)
    axes.set_title(
        f"One of {len(connections.cells)} association units. It fires:\n"
        f"{lit['exciting']} exciting and {lit['inhibiting']} inhibiting photocells are lit"
    )


def draw_weights(figure: Any, axes: Axes, trial: Trial, connections: Connections) -> None:
    """Draw how much each lit photocell adds to the score through the units that it is wired to."""
    weights = connections.per_photocell(trial.model.coef_[0])
    most = abs(weights).max()
    image = axes.imshow(weights, cmap="PuOr_r", vmin=-most, vmax=most)
    for y, x in np.argwhere(abs(weights) > most / 3):  # in grey, both ends of the colours are dark
        ink = "white" if abs(weights[y, x]) > most / 2 else "black"
        axes.text(x, y, "+" if weights[y, x] > 0 else "\N{MINUS SIGN}", ha="center", va="center", fontsize=8, color=ink)
    negative, positive = trial.model.classes_
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.set_title(f"Weights summed per photocell:\n+ for {positive}, \N{MINUS SIGN} for {negative}")
    figure.colorbar(image, ax=axes, shrink=0.8)


def draw_mistakes(axes: Axes, trials: list[Trial]) -> None:
    """Draw the mistakes in each pass, on a logarithmic scale that also shows 0."""
    styles = (BLUE, "--", "o"), (GREEN, ":", "x"), (VERMILION, "-", ""), ("0.5", "-.", "")
    for trial, (ink, line, marker) in zip(trials, styles, strict=True):
        mistakes = trial.model.mistakes_per_epoch_
        axes.plot(
            np.arange(1, len(mistakes) + 1),
            mistakes,
            color=ink,
            linestyle=line,
            marker=marker,
            label=f"{trial.task.name}, {trial.inputs}",
        )
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1)
    axes.set(xlabel="pass", ylabel=f"mistakes on {TRAINING:,} shapes", ylim=(-0.1, 3000))
    axes.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.set_title("Mistakes per pass")
    axes.legend(loc="lower left", bbox_to_anchor=(0.13, 0.08), fontsize=8)


def draw(trials: list[Trial], connections: Connections, fresh: list[tuple[Booleans, Words]]) -> Any:
    """The picture: new shapes with their answers, the wires of a unit, the mistakes, the weights."""
    figure: Any = plt.figure(figsize=(15.5, 9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    left, right = figure.subfigures(1, 2, width_ratios=[1, 2.2], wspace=0.03)
    machine = [trials[0], trials[2]]
    for part, trial, (shapes, answers) in zip(left.subfigures(2, 1), machine, fresh, strict=True):
        draw_answers(part, trial, shapes, answers)
    (wires, mistakes), maps = right.subplots(2, 2)
    shape = fresh[1][0][0]
    firing = connections.fires(shape[np.newaxis])[0]
    draw_wires(wires, connections, int(np.argmax(firing * abs(trials[2].model.coef_[0]))), shape)
    draw_mistakes(mistakes, trials)
    for axes, trial in zip(maps, machine, strict=True):
        draw_weights(right, axes, trial, connections)
    return figure


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    rng = np.random.default_rng(SEED)
    connections = Connections.draw(rng)
    trials, fresh = [], []
    for task in (LEFT_OR_RIGHT, SQUARE_OR_CIRCLE):
        shapes, answers = draw_shapes(rng, task, TRAINING + FRESH)
        trials += [
            learn(task, f"{len(connections.cells)} units", connections.fires(shapes), answers),
            learn(task, DIRECT, shapes, answers),
        ]
        fresh.append((shapes[TRAINING:], answers[TRAINING:]))
    report(console, trials)
    path = Path("build") / "photocells.png"
    path.parent.mkdir(exist_ok=True)
    draw(trials, connections, fresh).savefig(path, dpi=110)
    console.print(f"picture: {path}")


if __name__ == "__main__":
    main()

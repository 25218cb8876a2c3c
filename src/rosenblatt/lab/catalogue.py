"""The algorithms of the lab with their options, and the estimator that a pane of the board asks for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rosenblatt.classifiers.anderson import Anderson
from rosenblatt.classifiers.batch_perceptron import BatchPerceptron
from rosenblatt.classifiers.kernel_perceptron import KernelPerceptron
from rosenblatt.classifiers.kozinec import Kozinec
from rosenblatt.classifiers.multiclass.one_vs_all import OneVsAll
from rosenblatt.classifiers.multiclass.one_vs_one import OneVsOne
from rosenblatt.classifiers.nearest_mean import NearestMean
from rosenblatt.classifiers.passive_aggressive import PassiveAggressive
from rosenblatt.classifiers.perceptron import Perceptron
from rosenblatt.classifiers.pocket import Pocket
from rosenblatt.data.files.lab_board import MAX_CLASSES, MAX_STEPS, Pane
from rosenblatt.errors import ParameterError, abridged, meant
from rosenblatt.lab.options import Algorithm, Option

MAX_PASSES = 1000


def algorithm_of(pane: Pane) -> Algorithm:
    """Return the algorithm that a pane names."""
    if pane.algorithm not in ALGORITHMS:
        names = ", ".join(ALGORITHMS)
        raise ParameterError(
            f"The lab has no algorithm {abridged(pane.algorithm)}; it has {names}.{meant(pane.algorithm, ALGORITHMS)}"
        )
    return ALGORITHMS[pane.algorithm]


def model_of(pane: Pane) -> Any:
    """Return the estimator that a pane asks for, not fitted."""
    algorithm = algorithm_of(pane)
    return algorithm.model(algorithm.settings(pane.options))


ORDERS = (
    ("cyclic", "as given, again and again"),
    ("shuffled", "shuffled in each pass"),
    ("random", "drawn at random"),
    ("first", "the first mistake"),
    ("worst", "the worst mistake"),
)
ORDER = Option("order", "Order", "choice", "cyclic", "The order in which the points are presented.", ORDERS)
PASS_ORDER = replace(ORDER, choices=ORDERS[:3])  # those that do not depend on the weights
TIE = Option(
    "tie",
    "A score of 0",
    "choice",
    "mistake",
    "How a score of exactly 0 is counted.",
    (("mistake", "is a mistake"), ("positive", "is positive"), ("negative", "is negative")),
)
BIAS = Option(
    "bias",
    "Bias",
    "choice",
    1.0,
    "Without a bias, every boundary goes through the origin.",
    ((1.0, "on"), (0.0, "off")),
)
INIT = Option("init", "Start weights", "weights", None, "The bias weight is last. Zeros if none are given.")
PASSES = Option("max_epochs", "Passes at most", "integer", 100, "", low=1, high=MAX_PASSES)
SEED = Option(
    "random_state", "Seed", "integer", 0, "The seed of the random order.", low=0, high=2**31 - 1,
    when={"order": ("shuffled", "random")},
)  # fmt: skip
RATE = Option(
    "learning_rate",
    "Learning rate",
    "number",
    1.0,
    "From weights 0, it only scales them.",
    low=1e-6,
    high=1e6,
)
MARGIN = Option(
    "margin",
    "Margin",
    "number",
    0.0,
    "Update if y w.x is not above it.",
    low=0.0,
    high=1e9,
)
AVERAGES = ((None, "the last weights"), ("averaged", "the mean of all weights"), ("voted", "a vote of all weights"))
AVERAGE = Option("average", "Predict with", "choice", None, "The weights that predict after training.", AVERAGES)
EPSILON = Option(
    "epsilon", "Epsilon", "number", 1e-3, "Stop when the bounds are this close, as a fraction.", low=1e-9, high=1.0
)


def _members(scheme: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda **settings: scheme(Perceptron(**settings))


MEMBER_OPTIONS = (ORDER, TIE, BIAS, replace(AVERAGE, choices=AVERAGES[:2]), PASSES, SEED)
ENTRIES = (
    Algorithm(
        "neuron",
        "McCulloch-Pitts neuron",
        "1943",
        "Inputs are 0 or 1, and have no weights. It fires if at least as many inputs are 1 as its threshold says.",
        None,
        (
            Option("threshold", "Threshold", "slider", 1, "How many inputs must be 1.", low=0, high=5, step=1),
            Option("inputs", "Inputs", "slider", 2, "The number of inputs.", low=2, high=4, step=1),
            Option(
                "gate",
                "Compare with",
                "choice",
                "points",
                "The function that it should compute.",
                (("points", "the points"), ("or", "OR"), ("and", "AND"), ("majority", "majority"), ("xor", "XOR")),
            ),
        ),
        classes=(1, MAX_CLASSES),
        needs="nothing",
        has_steps=False,
        animated=False,
    ),
    Algorithm(
        "perceptron",
        "Perceptron",
        "Point by point",
        "Add every point that is wrong to the weights. With more than two classes, the largest score wins.",
        Perceptron,
        (ORDER, TIE, BIAS, RATE, INIT, AVERAGE, MARGIN, PASSES, SEED),
        bounded=True,
    ),
    Algorithm(
        "pa",
        "Passive-aggressive",
        "Point by point",
        "Make the smallest change of the weights that gives the point a margin of 1.",
        PassiveAggressive,
        (
            ORDER,
            Option("C", "C", "number", 1.0, "The largest change that one point may cause.", low=1e-6, high=1e9),
            Option("variant", "Variant", "choice", "I", "", (("I", "I: limited to C"), ("II", "II: shortened"))),
            BIAS,
            INIT,
            PASSES,
            SEED,
        ),
    ),
    Algorithm(
        "pocket",
        "Pocket",
        "Point by point",
        "A perceptron that keeps the best weights so far, for classes that overlap.",
        Pocket,
        (PASS_ORDER, TIE, BIAS, INIT, replace(PASSES, default=20), SEED),
        keeps_best=True,
    ),
    Algorithm(
        "kernel",
        "Kernel perceptron",
        "Point by point",
        "A perceptron with a kernel in place of the scalar product: its boundary may be curved.",
        KernelPerceptron,
        (
            Option(
                "kernel",
                "Kernel",
                "choice",
                "rbf",
                "",
                (("rbf", "Gaussian (rbf)"), ("poly", "polynomial"), ("linear", "linear")),
            ),
            Option(
                "gamma",
                "Gamma",
                "number",
                1.0,
                "How fast the Gaussian falls, or the factor of the product in a polynomial.",
                low=1e-6,
                high=1e6,
                when={"kernel": ("rbf", "poly")},
            ),
            Option("degree", "Degree", "integer", 2, "", low=1, high=9, when={"kernel": ("poly",)}),
            Option("coef0", "Constant", "number", 1.0, "", low=0.0, high=1e6, when={"kernel": ("poly",)}),
            PASS_ORDER,
            TIE,
            BIAS,
            MARGIN,
            PASSES,
            SEED,
        ),
        animated=False,
    ),
    Algorithm(
        "batch",
        "Batch perceptron",
        "All points at once",
        "Add all points that are wrong at once. The best weights so far predict.",
        BatchPerceptron,
        (
            Option(
                "learning_rate",
                "Learning rate",
                "choice",
                1.0,
                "The factor eta of step t.",
                ((1.0, "1"), (0.5, "0.5"), (0.1, "0.1"), ("1/t", "1/t")),
            ),
            Option(
                "patience",
                "Patience",
                "integer",
                50,
                "Stop after this many looks without better weights.",
                low=1,
                high=MAX_PASSES,
            ),
            TIE,
            BIAS,
            INIT,
            replace(PASSES, default=200),
        ),
    ),
    Algorithm(
        "means",
        "Nearest mean",
        "All points at once",
        "Each place belongs to the class with the nearest mean. The regions are Voronoi cells.",
        NearestMean,
        (),
        has_steps=False,
        animated=False,
    ),
    Algorithm(
        "one_vs_all",
        "One against all",
        "Several of two classes",
        "One perceptron for each class against the rest. A place that no class or several claim is ambiguous.",
        _members(OneVsAll),
        MEMBER_OPTIONS,
        classes=(3, MAX_CLASSES),
        animated=False,
    ),
    Algorithm(
        "one_vs_one",
        "One against one",
        "Several of two classes",
        "One perceptron for each pair of classes. The class with the most votes wins; votes may tie.",
        _members(OneVsOne),
        MEMBER_OPTIONS,
        classes=(3, MAX_CLASSES),
        animated=False,
        pairwise=True,
    ),
    Algorithm(
        "kozinec",
        "Kozinec and similar (largest margin)",
        "Nearest point",
        "The shortest vector between the convex hulls gives the line with the largest margin, with bounds.",
        Kozinec,
        (
            Option(
                "solver",
                "Rule",
                "choice",
                "kozinec",
                "",
                (("kozinec", "Kozinec 1973"), ("mdm", "MDM"), ("away", "away steps"), ("wolfe", "Wolfe's corral")),
            ),
            EPSILON,
            Option(
                "epsilon_kind",
                "Epsilon is",
                "choice",
                "relative",
                "In the lecture it is a length.",
                (("relative", "a fraction of the margin"), ("absolute", "a length")),
            ),
            Option(
                "bias",
                "Bias",
                "choice",
                "free",
                "A free bias, as in support vector machines, or a part of w, as in Hlavac's lecture.",
                (("free", "free"), (1.0, "a column of 1"), (0.0, "none")),
            ),
            replace(PASSES, default=MAX_PASSES),
        ),
        classes=(2, 2),
        is_search=True,
    ),
    Algorithm(
        "anderson",
        "Anderson (Gaussians)",
        "Nearest point",
        "The line with the smallest worst error over Gaussians, which are drawn or estimated from the points.",
        Anderson,
        (
            Option(
                "solver",
                "Rule",
                "choice",
                "ascent",
                "",
                (("ascent", "certified ascent"), ("gradient", "the lecture's gradient"), ("auto", "the fastest")),
            ),
            Option(
                "n_components",
                "Gaussians per class",
                "integer",
                1,
                "Estimated if none are drawn.",
                low=1,
                high=4,
            ),
            EPSILON,
            Option("max_iter", "Steps at most", "integer", 500, "", low=1, high=MAX_STEPS),
        ),
        classes=(2, 2),
        needs="gaussians or points",
        is_search=True,
    ),
)
ALGORITHMS = {algorithm.name: algorithm for algorithm in ENTRIES}

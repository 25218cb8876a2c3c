"""A report as text for one screen of a terminal: the result first, then one line for each fact."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from rosenblatt.base.html import printable
from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of, shortened
from rosenblatt.report.cautions import cautions
from rosenblatt.report.paired_difference import points
from rosenblatt.report.proportion import percent
from rosenblatt.report.quality import Ranking
from rosenblatt.report.report import TRAINING_ROWS, Report

CLASS_WORDS = (
    "recall: the share of the class's rows that are found; precision: the share of right ones among the rows predicted "
    "as the class; F1: the harmonic mean of both"
)
BARS = "▁▂▃▄▅▆▇█"
HISTOGRAM_BINS = 24
CAUTION = "caution"
HEAD_WIDTH = 9  # characters of the longest head of a line
MAX_LISTED = 6  # classes or columns in a line
MAX_CONFUSIONS = 3


def print_report(report: Report, console: Console) -> None:
    """Print the report."""
    console.print(Text(printable(headline(report)), style="bold"), soft_wrap=not console.is_terminal)
    indent = " " * (HEAD_WIDTH + 2)
    for name, text in lines(report):
        style = "bold" if name == CAUTION else ""
        for k, part in enumerate(text.split("\n")):
            head = "" if k else name
            whole = textwrap.fill(printable(f"{head:<{HEAD_WIDTH}}  {part}"), console.width, subsequent_indent=indent)
            console.print(
                Text.assemble((whole[:HEAD_WIDTH], style or "dim"), (whole[HEAD_WIDTH:], style)), soft_wrap=True
            )


def headline(report: Report) -> str:
    """The result in one line."""
    what = f"{report.algorithm} on {report.source}"
    if report.accuracy is None:
        return f"{what}: {report.stop_reason} after {count_of(report.count('n_iter_'), 'pass')}"
    text = f"{what}: {report.accuracy.right:,} of {report.accuracy.n:,} {report.judged} are right, "
    return text + (f"{100 * report.accuracy.value:.1f} %" if report.judged == TRAINING_ROWS else f"{report.accuracy}")


def lines(report: Report) -> list[tuple[str, str]]:
    """The head and the text of each fact; a text may have several lines. Facts without text are left out."""
    found = [
        *((CAUTION, caution) for caution in cautions(report)),
        ("read", read(report)),
        ("chosen", report.why),
        ("model", " ".join(repr(report.model).split())),
        ("stopped", stopped(report)),
        ("bound", bound(report)),
        ("verdict", verdict(report)),
        ("margins", margins(report)),
        ("weights", weights(report)),
        ("classes", classes(report)),
        ("confusion", confusion(report)),
        ("quality", quality(report)),
        ("baseline", baseline(report)),
        ("certainty", probabilities(report)),
        ("new rows", new_rows(report)),
        ("learning", curve(report)),
        ("rounds", rounds_sentence(report.rounds)),
        ("time", ", ".join(f"{name} {seconds_text(seconds)}" for name, seconds in report.seconds.items())),
    ]
    return [(name, text) for name, text in found if text]


def read(report: Report) -> str:
    """The numbers of rows, columns and classes."""
    some = list(report.counts.items())[:MAX_LISTED]
    counts = ", ".join(shortened(label) if n is None else f"{shortened(label)}: {n:,}" for label, n in some)
    more = ", ..." * (len(report.counts) > MAX_LISTED)
    text = f"{count_of(report.rows, 'row')} of {count_of(report.columns, 'column')}, "
    text += f"{count_of(len(report.counts), 'class')} ({counts}{more})"
    if report.dropped:
        text += f"; {count_of(report.dropped, 'row')} with gaps {'was' if report.dropped == 1 else 'were'} left out"
    if report.skipped > report.dropped:
        text += f"; {count_of(report.skipped - report.dropped, 'row')} skipped as unusable"
    if report.tested:
        text += f"; {report.learned_from:,} for training, {report.tested:,} for the test"
    return text


def stopped(report: Report) -> str:
    """Why training stopped, after how many passes and updates, and with what result."""
    reason, model = report.stop_reason, report.learner
    parts = []
    for name, word in (("n_iter_", "pass"), ("n_updates_", "update")):
        if report.count(name) is not None and reason is not None:
            parts.append(count_of(int(np.max(report.count(name))), word))
    mistakes = report.count("mistakes_per_epoch_")
    if mistakes is not None and np.ndim(mistakes) == 1 and len(mistakes):
        parts.append(f"{count_of(int(mistakes[-1]), 'mistake')} in the last pass")
    if hasattr(model, "margin_bounds_"):
        parts.append("the margin is between {:.6g} and {:.6g}".format(*model.margin_bounds_))
    if hasattr(model, "n_errors_"):
        parts.append(f"errors of the best weights: {model.n_errors_:g}")
    if hasattr(model, "worst_error_bounds_"):
        low, high = model.worst_error_bounds_
        parts.append(f"the error on the worst Gaussian is {high:.4%}, and no hyperplane has less than {low:.4%}")
    said = "" if reason is None else f"{reason}: {reason.sentence} "
    if reason is StopReason.BUDGET and getattr(model, "_ends_by_budget", False):
        said = "All passes that were asked for were made: "
    return f"{said}{', '.join(parts)}.".strip() if parts else said.strip()


def bound(report: Report) -> str:
    """The number of updates, and the most that Novikoff's theorem allows."""
    made = report.count("n_updates_")
    if report.bound is not None:
        most = f"{report.bound:,}" if report.bound < 10**15 else f"{float(min(report.bound, 10**300)):.3g}"
        mixed = getattr(report.model, "mixed_updates_", None)
        if mixed is not None:
            return (
                f"{sum(mixed):,.1f} mixed updates (those of a shard times its share in the mixture); the theorem of "
                f"McDonald, Hall and Mann allows at most {most}"
            )
        return f"{count_of(made, 'update')}; Novikoff's theorem allows at most {most}"
    return f"{count_of(made, 'update')}; there is no bound: {report.unbounded}" if report.unbounded else ""


def verdict(report: Report) -> str:
    """Whether the classes are separable."""
    found = report.verdict
    if found is None:
        return ""
    text = f"{found.kind}, for all {report.rows:,} rows" if report.tested else found.kind
    if found.margin_bounds is not None:
        text += ", with a margin of {:.6g}; no hyperplane has more than {:.6g}".format(*found.margin_bounds)
    if found.certificate is not None:
        text += f"; proved by a certificate of {len(found.certificate.to_json()):,} bytes"
    if report.fewest is not None:
        low, high = report.fewest.lower, report.fewest.upper
        count = f"exactly {low:,}" if low == high else f"{low:,} to {high:,}"
        text += f"; the best hyperplane misclassifies {count} of {count_of(report.rows, 'row')} (proved"
        text += ")" if report.fewest.complete else "; the time limit cut this search short)"
    return text


def margins(report: Report) -> str:
    """The smallest, the median and the largest margin, with a histogram."""
    if report.margins is None:
        return ""
    low, middle, high = (float(f(report.margins)) for f in (np.min, np.median, np.max))
    bars = (
        ""
        if high - low <= 1e-9 * max(abs(low), abs(high))
        else sparkline(np.histogram(report.margins, HISTOGRAM_BINS)[0])
    )
    return (
        f"{low:.3g} {bars} {high:.3g}, median {middle:.3g}: {report.unit}" if bars else f"{middle:.3g}: {report.unit}"
    )


def sparkline(counts: Any) -> str:
    """A bar of one character for each count; a space for 0."""
    largest = max(counts)
    return "".join(BARS[min(7, int(8 * count / largest))] if count else " " for count in counts)


def weights(report: Report) -> str:
    """The largest weights."""
    if len(report.classes) > 2:
        if not report.ranked_weights(report.classes[0]):
            return ""
        first = [(label, report.ranked_weights(label)[:2]) for label in report.classes[:MAX_LISTED]]
        more = "; ..." * (len(report.classes) > MAX_LISTED)
        return "; ".join(f"for {shortened(label)}: {with_weights(top)}" for label, top in first) + more
    ranked = report.ranked_weights()
    if not ranked:
        return ""
    more = f", and {len(ranked) - MAX_LISTED:,} more" if len(ranked) > MAX_LISTED else ""
    constant = float(report.classifier.intercept_[0])
    return f"for {shortened(report.classes[1])}: {with_weights(ranked[:MAX_LISTED])}{more}; constant {constant:+.3g}"


def with_weights(ranked: list[tuple[str, float]]) -> str:
    """Columns, each with its weight."""
    return ", ".join(f"{shortened(name)} {weight:+.3g}" for name, weight in ranked)


def confusion(report: Report) -> str:
    """The most frequent confusions of classes."""
    if report.confusion is None:
        return ""
    wrong = report.confusion - np.diag(np.diag(report.confusion))
    pairs = [(int(wrong[i, j]), report.classes[i], report.classes[j]) for i, j in np.argwhere(wrong)]
    if not pairs:
        return f"all {report.judged} are right"
    worst = sorted(pairs, key=lambda pair: -pair[0])
    said = ", ".join(
        f"{count:,} of class {shortened(a)} taken for {shortened(b)}" for count, a, b in worst[:MAX_CONFUSIONS]
    )
    return f"{said}{', ...' * (len(worst) > MAX_CONFUSIONS)} ({report.judged})"


def classes(report: Report) -> str:
    """A table with the rows, the recall, the precision and the F1 of each class, or of the classes found least."""
    if report.quality is None:
        return ""
    every = report.quality.classes
    some = every if len(every) <= MAX_LISTED else report.quality.worst_classes(MAX_LISTED)
    names = [shortened(c.label) for c in some]
    width = max(5, *map(len, names))
    table = [f"{'class':<{width}}  {report.judged:>13}  {'recall':>8}  {'precision':>9}  {'F1':>8}"]
    for name, c in zip(names, some, strict=True):
        numbers = f"{percent(c.recall):>8}  {percent(c.precision):>9}  {percent(c.f1):>8}"
        table.append(f"{name:<{width}}  {c.rows:>13,}  {numbers}")
    if len(every) > MAX_LISTED:
        table.append(f"These are the {MAX_LISTED} of {len(every)} classes with the lowest recall.")
    return "\n".join([*table, CLASS_WORDS])


def quality(report: Report) -> str:
    """Balanced accuracy and, for two classes, how well the scores rank the rows."""
    found = report.quality
    if found is None:
        return ""
    text = f"balanced accuracy {percent(found.balanced_accuracy)} (the mean recall of the classes)"
    if found.ranking is not None:
        rank = found.ranking
        text += f"; ROC AUC {rank.roc_auc:.3f} ({roc_words(rank)}); average precision {rank.average_precision:.3f} "
        text += f"({precision_words(rank)})"
    return text


def roc_words(rank: Ranking) -> str:
    """What ROC AUC is."""
    return f"how often a row of {shortened(rank.positive)} scores above one of the other class; by chance 0.5"


def precision_words(rank: Ranking) -> str:
    """What average precision is."""
    return (
        f"of the rows with the highest scores for {shortened(rank.positive)}, the share that is "
        f"{shortened(rank.positive)}, averaged over all cuts; by chance {rank.share:.3f}"
    )


def baseline(report: Report) -> str:
    """The accuracy of always predicting one class, and the difference of the model from it."""
    found = report.quality
    if found is None:
        return ""
    text = f"always predicting {shortened(found.baseline)} is right for {percent(found.baseline_accuracy.value)}; "
    if report.judged == TRAINING_ROWS:
        return f"{text}the model differs by {points(found.gain.value)}"
    return (
        f"{text}the model differs by {found.gain}, with 95 % confidence (Tango's interval for two predictions of the "
        "same rows)"
    )


def probabilities(report: Report) -> str:
    """How well the probabilities hold."""
    if report.quality is None or report.quality.calibration is None:
        return ""
    found, rows = report.quality.calibration, report.calibration_rows
    held = "" if rows is None else f"probabilities were calibrated on {rows:,} training rows held out; "
    return (
        f"{held}their Brier score on the {report.judged} is {found.brier:.4f} (the mean squared error: 0 is perfect, "
        f"and giving each row the shares of the classes has {found.brier_of_shares:.4f})"
    )


def new_rows(report: Report) -> str:
    """The accuracy on rows that were not used for training."""
    said = []
    if report.accuracy is not None and report.judged != TRAINING_ROWS:
        said.append(f"{report.accuracy} are right, with 95 % confidence")
    if report.folds:
        values = [100 * fold.value for fold in report.folds]
        said.append(
            f"{np.mean(values):.1f} % on average over {len(values)} folds ({min(values):.1f} to {max(values):.1f})"
        )
    if report.progressive is not None:
        return report.progressive.sentence()
    if report.rounds:
        return "nothing is known: run `rosenblatt predict --target` on files that were not used for training"
    if report.accuracy is None:
        return (
            "nothing is known: give --progressive, or run `rosenblatt predict --target` on a file that was not used "
            "for training"
        )
    return "; ".join(said) or "nothing is known: no rows were kept for a test. Give --test 0.2 or --cv 5"


def curve(report: Report) -> str:
    """The accuracy on the test rows, or on the rows to come, after training on more and more rows."""
    if report.progressive is not None:
        return report.progressive.curve_sentence()
    points = ", ".join(f"{100 * point.others.value:.1f} % after {point.rows:,}" for point in report.curve)
    return f"right on the test rows: {points} training rows" if points else ""


def rounds_sentence(rounds: Sequence[Any]) -> str:
    """What the rounds over the shards of a cluster cost."""
    if not rounds:
        return ""
    seconds = [one.seconds for one in rounds]
    moved = sum(one.sent + one.received for one in rounds)
    return (
        f"{count_of(len(seconds), 'round')} over the shards, {seconds_text(float(np.median(seconds)))} in the median, "
        f"{seconds_text(max(seconds))} at most; {moved / 1e6:,.1f} MB were moved"
    )


def seconds_text(seconds: float) -> str:
    """A time in seconds or milliseconds."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"

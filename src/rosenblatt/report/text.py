"""A report as text for one screen of a terminal: the result first, then one line for each fact."""

import textwrap
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from rosenblatt.base.html import printable
from rosenblatt.base.words import count_of
from rosenblatt.report.report import TRAINING_ROWS, Report

BARS = "▁▂▃▄▅▆▇█"
HISTOGRAM_BINS = 24
HEAD_WIDTH = 9  # characters of the longest head of a line
MAX_NAME_LENGTH = 30
MAX_LISTED = 6  # classes, columns or confusions in a line


def print_report(report: Report, console: Console) -> None:
    """Print the report."""
    console.print(Text(printable(headline(report)), style="bold"), soft_wrap=not console.is_terminal)
    for name, text in lines(report):
        indent = " " * (HEAD_WIDTH + 2)
        whole = textwrap.fill(printable(f"{name:<{HEAD_WIDTH}}  {text}"), console.width, subsequent_indent=indent)
        console.print(Text.assemble((whole[:HEAD_WIDTH], "dim"), whole[HEAD_WIDTH:]), soft_wrap=True)


def headline(report: Report) -> str:
    """The result in one line."""
    what = f"{report.algorithm} on {report.source}"
    if report.accuracy is None:
        return f"{what}: {report.stop_reason} after {count_of(report.count('n_iter_'), 'pass')}"
    text = f"{what}: {report.accuracy.right:,} of {report.accuracy.n:,} {report.judged} are right, "
    return text + (f"{100 * report.accuracy.value:.1f} %" if report.judged == TRAINING_ROWS else f"{report.accuracy}")


def lines(report: Report) -> list[tuple[str, str]]:
    """The head and the text of each line; lines without text are left out."""
    found = [
        ("read", read(report)),
        ("chosen", report.why),
        ("model", " ".join(repr(report.model).split())),
        ("stopped", stopped(report)),
        ("bound", bound(report)),
        ("verdict", verdict(report)),
        ("margins", margins(report)),
        ("weights", weights(report)),
        ("confusion", confusion(report)),
        ("new rows", new_rows(report)),
        ("learning", curve(report)),
        ("time", ", ".join(f"{name} {seconds_text(seconds)}" for name, seconds in report.seconds.items())),
    ]
    return [(name, text) for name, text in found if text]


def read(report: Report) -> str:
    """The numbers of rows, columns and classes."""
    some = list(report.counts.items())[:MAX_LISTED]
    counts = ", ".join(name_of(label) if n is None else f"{name_of(label)}: {n:,}" for label, n in some)
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


def name_of(label: Any) -> str:
    """A label or the name of a column, shortened if it is long."""
    text = str(label)
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 4]} ..."


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
    return f"{said}{', '.join(parts)}.".strip() if parts else said.strip()


def bound(report: Report) -> str:
    """The number of updates, and the most that Novikoff's theorem allows."""
    made = report.count("n_updates_")
    if report.bound is not None:
        most = f"{report.bound:,}" if report.bound < 10**15 else f"{float(min(report.bound, 10**300)):.3g}"
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
        return "; ".join(f"for {name_of(label)}: {with_weights(top)}" for label, top in first) + more
    ranked = report.ranked_weights()
    if not ranked:
        return ""
    more = f", and {len(ranked) - MAX_LISTED:,} more" if len(ranked) > MAX_LISTED else ""
    constant = float(report.classifier.intercept_[0])
    return f"for {name_of(report.classes[1])}: {with_weights(ranked[:MAX_LISTED])}{more}; constant {constant:+.3g}"


def with_weights(ranked: list[tuple[str, float]]) -> str:
    """Columns, each with its weight."""
    return ", ".join(f"{name_of(name)} {weight:+.3g}" for name, weight in ranked)


def confusion(report: Report) -> str:
    """The most frequent confusions of classes."""
    if report.confusion is None:
        return ""
    wrong = report.confusion - np.diag(np.diag(report.confusion))
    pairs = [(int(wrong[i, j]), report.classes[i], report.classes[j]) for i, j in np.argwhere(wrong)]
    if not pairs:
        return f"all {report.judged} are right"
    worst = sorted(pairs, key=lambda pair: -pair[0])
    said = ", ".join(f"{count:,} of class {name_of(a)} taken for {name_of(b)}" for count, a, b in worst[:MAX_LISTED])
    return f"{said}{', ...' * (len(worst) > MAX_LISTED)} ({report.judged})"


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
    if said and report.base_rate is not None:
        label, share = report.base_rate
        said.append(f"always predicting {name_of(label)} would be right for {100 * share:.1f} %")
    if report.progressive is not None:
        return report.progressive.sentence()
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


def seconds_text(seconds: float) -> str:
    """A time in seconds or milliseconds."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"

"""A report in one screen of the terminal: the answer first, then a line for each thing that is known."""

import textwrap
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from rosenblatt.base.html import printable
from rosenblatt.base.words import count_of
from rosenblatt.report.report import LEARNED, Report

BARS = "▁▂▃▄▅▆▇█"
BINS = 24
LABEL = 9  # characters of the longest name of a line
LONG = 30  # characters of a name
FEW = 6  # classes, or columns, that a line lists


def print_report(report: Report, console: Console) -> None:
    """Print it."""
    console.print(Text(printable(headline(report)), style="bold"), soft_wrap=not console.is_terminal)
    for name, text in lines(report):
        indent = " " * (LABEL + 2)
        whole = textwrap.fill(printable(f"{name:<{LABEL}}  {text}"), console.width, subsequent_indent=indent)
        console.print(Text.assemble((whole[:LABEL], "dim"), whole[LABEL:]), soft_wrap=True)


def headline(report: Report) -> str:
    """What was reached, in a line."""
    what = f"{report.algorithm} on {report.source}"
    if report.share is None:
        return f"{what}: {report.stop_reason} after {count_of(report.count('n_iter_'), 'pass')}"
    text = f"{what}: {report.share.right:,} of {report.share.n:,} {report.judged} are right, "
    return text + (f"{100 * report.share.value:.1f} %" if report.judged == LEARNED else f"{report.share}")


def lines(report: Report) -> list[tuple[str, str]]:
    """Names and texts, those left out that are not known."""
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
    some = list(report.counts.items())[:FEW]
    counts = ", ".join(name_of(label) if n is None else f"{name_of(label)}: {n:,}" for label, n in some)
    more = ", ..." * (len(report.counts) > FEW)
    text = f"{count_of(report.rows, 'row')} of {count_of(report.columns, 'column')}, {len(report.counts)} classes"
    text += f" ({counts}{more})"
    if report.skipped:
        text += f"; {count_of(report.skipped, 'row')} left out, which could not be used"
    if report.tested:
        text += f"; {report.learned_from:,} learned from, {report.tested:,} kept for the test"
    return text


def name_of(label: Any) -> str:
    """A label, or the name of a column, shortened if it is long."""
    text = str(label)
    return text if len(text) <= LONG else f"{text[: LONG - 4]} ..."


def stopped(report: Report) -> str:
    """Why training stopped, after how much, and what it then had."""
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
    if hasattr(model, "errors_"):
        parts.append(f"the best weights err on {model.errors_:g}")
    if hasattr(model, "error_bounds_") and hasattr(model, "component_errors_"):
        low, high = model.error_bounds_
        parts.append(f"the worst Gaussian is wrong {high:.4%} of the time, and no hyperplane has less than {low:.4%}")
    said = "" if reason is None else f"{reason}: {reason.sentence} "
    return f"{said}{', '.join(parts)}.".strip() if parts else said.strip()


def bound(report: Report) -> str:
    made = report.count("n_updates_")
    if report.bound is not None:
        most = f"{report.bound:,}" if report.bound < 10**15 else f"{float(min(report.bound, 10**300)):.3g}"
        return f"{count_of(made, 'update')} made, of at most {most} (Novikoff)"
    return f"{count_of(made, 'update')} made; there is no bound: {report.unbounded}" if report.unbounded else ""


def verdict(report: Report) -> str:
    found = report.verdict
    if found is None:
        return ""
    text = f"{found.kind}, of all {report.rows:,} rows" if report.tested else found.kind
    if found.margin_bounds is not None:
        text += ", with a margin of {:.6g} and none above {:.6g}".format(*found.margin_bounds)
    if found.certificate is not None:
        text += f"; proved by a certificate of {len(found.certificate.to_json()):,} bytes"
    if report.fewest is not None:
        low, high = report.fewest.lower, report.fewest.upper
        count = f"exactly {low:,}" if low == high else f"{low:,} to {high:,}"
        text += f"; the best hyperplane errs on {count} of {count_of(report.rows, 'row')} (proved)"
    return text


def margins(report: Report) -> str:
    if report.margins is None:
        return ""
    low, middle, high = (float(f(report.margins)) for f in (np.min, np.median, np.max))
    bars = "" if high - low <= 1e-9 * max(abs(low), abs(high)) else sparkline(np.histogram(report.margins, BINS)[0])
    return (
        f"{low:.3g} {bars} {high:.3g}, median {middle:.3g}: {report.unit}" if bars else f"{middle:.3g}: {report.unit}"
    )


def sparkline(counts: Any) -> str:
    """Bars of one character each, empty where there is nothing."""
    most = max(counts)
    return "".join(BARS[min(7, int(8 * count / most))] if count else " " for count in counts)


def weights(report: Report) -> str:
    if len(report.classes) > 2:
        if not report.ranked_weights(report.classes[0]):
            return ""
        first = [(label, report.ranked_weights(label)[:2]) for label in report.classes[:FEW]]
        more = "; ..." * (len(report.classes) > FEW)
        return "; ".join(f"for {name_of(label)}: {listed(top)}" for label, top in first) + more
    ranked = report.ranked_weights()
    if not ranked:
        return ""
    more = f", and {len(ranked) - FEW:,} more" if len(ranked) > FEW else ""
    constant = float(report.classifier.intercept_[0])
    return f"for {name_of(report.classes[1])}: {listed(ranked[:FEW])}{more}; constant {constant:+.3g}"


def listed(ranked: list[tuple[str, float]]) -> str:
    return ", ".join(f"{name_of(name)} {weight:+.3g}" for name, weight in ranked)


def confusion(report: Report) -> str:
    """Who was taken for whom."""
    if report.confusion is None:
        return ""
    wrong = report.confusion - np.diag(np.diag(report.confusion))
    pairs = [(int(wrong[i, j]), report.classes[i], report.classes[j]) for i, j in np.argwhere(wrong)]
    if not pairs:
        return f"all {report.judged} are right"
    worst = sorted(pairs, key=lambda pair: -pair[0])
    said = ", ".join(f"{count:,} of class {name_of(a)} taken for {name_of(b)}" for count, a, b in worst[:FEW])
    return f"{said}{', ...' * (len(worst) > FEW)} ({report.judged})"


def new_rows(report: Report) -> str:
    """What is known of rows that were not learned from."""
    said = []
    if report.share is not None and report.judged != LEARNED:
        said.append(f"{report.share} are right, with 95 % confidence")
    if report.folds:
        values = [100 * fold.value for fold in report.folds]
        said.append(
            f"{np.mean(values):.1f} % in the mean of {len(values)} folds ({min(values):.1f} to {max(values):.1f})"
        )
    if said and report.confusion is not None:
        label, share = report.base_rate
        said.append(f"always saying {name_of(label)} would be right for {100 * share:.1f} %")
    if report.share is None:
        return "nothing is known: keep a file back, and `rosenblatt predict` it"
    return "; ".join(said) or "nothing is known: no rows were kept back. Give --test 0.2 or --cv 5"


def curve(report: Report) -> str:
    told = ", ".join(f"{100 * point.others.value:.1f} % after {point.rows:,}" for point in report.curve)
    return f"of the test rows, {told} rows learned from" if told else ""


def seconds_text(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"

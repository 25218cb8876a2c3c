"""What to read before anything else: classes that are not found, and a model that does not beat the baseline."""

from rosenblatt.base.words import shortened
from rosenblatt.report.paired_difference import points
from rosenblatt.report.proportion import percent
from rosenblatt.report.report import TRAINING_ROWS, Report

MAX_MISSED_RECALL = 0.1  # a class with a smaller share of its rows found counts as not found
MAX_LISTED_CLASSES = 6
MIN_DIFFERENCE = 0.1  # of shares that are told apart in words


def cautions(report: Report) -> list[str]:
    """The sentences, each about one thing; empty if there is nothing to warn of."""
    return [sentence for sentence in (classes_not_found(report), no_better_than_baseline(report)) if sentence]


def classes_not_found(report: Report) -> str:
    """The classes of which few rows or none are found."""
    if report.quality is None:
        return ""
    missed = [c for c in report.quality.classes if c.recall is not None and c.recall < MAX_MISSED_RECALL]
    if not missed:
        return ""
    some = sorted(missed, key=lambda c: -c.rows)[:MAX_LISTED_CLASSES]
    said = "; ".join(f"class {shortened(c.label)}: {c.found:,} of {c.rows:,} {report.judged} found" for c in some)
    more = f"; and {len(missed) - len(some):,} more classes" if len(missed) > len(some) else ""
    most = max(c.rows for c in report.quality.classes)
    return f"{said}{more}. {_how_to_find_more(report, is_rare=any(c.rows < most for c in missed))}".strip()


def _how_to_find_more(report: Report, *, is_rare: bool) -> str:
    """What to do about classes that are not found; empty if nothing is known to help.

    Weights of classes help only if a class that is not found has fewer rows than another one.
    """
    if report.calibration_rows is not None:
        return "To find more, compare the probability of the class with a number below 1/2."
    if not is_rare:
        return "" if hasattr(report.model, "steps") else "To find more, try --scale standardize."
    known = report.learner.get_params(deep=False) if hasattr(report.learner, "get_params") else {}
    return "To find more, try --set class_weight=balanced." if known.get("class_weight", 0) is None else ""


def no_better_than_baseline(report: Report) -> str:
    """Say that always predicting the most frequent class is as good, or may be as good."""
    if report.quality is None or report.accuracy is None:
        return ""
    quality, gain = report.quality, report.quality.gain
    is_test = report.judged != TRAINING_ROWS
    if gain.value > 0 and not (is_test and gain.low <= 0):
        return ""
    always = f"'always {shortened(quality.baseline)}'"
    compared = f"{percent(report.accuracy.value)} where {always} has {percent(quality.baseline_accuracy.value)}"
    if gain.value > 0:
        said = (
            f"It is not certain that the model beats {always}: {compared}. With 95 % confidence the difference is "
            f"between {points(gain.low).removesuffix(' points')} and {points(gain.high)}."
        )
    else:
        said = f"The model does not beat {always} on the {report.judged}: {compared}."
    is_uneven = quality.baseline_accuracy.value > quality.balanced_baseline + MIN_DIFFERENCE
    if is_uneven and quality.balanced_accuracy > quality.balanced_baseline + MIN_DIFFERENCE:
        said += (
            f" Its mean recall of the classes is better: {percent(quality.balanced_accuracy)} where {always} has "
            f"{percent(quality.balanced_baseline)}."
        )
    return said

"""A report as a JSON object."""

from typing import Any

import numpy as np

from rosenblatt.report.cautions import cautions
from rosenblatt.report.proportion import Proportion
from rosenblatt.report.quality import Quality
from rosenblatt.report.report import Report


def facts_of(report: Report) -> dict[str, Any]:
    """The facts of a report by name; what is not known is None."""
    mistakes, passes, updates = (report.count(name) for name in ("mistakes_per_epoch_", "n_iter_", "n_updates_"))
    reason, fewest = report.stop_reason, report.fewest
    return {
        "algorithm": report.algorithm,
        "why_chosen": report.why or None,
        "tried": [
            {"algorithm": candidate.algorithm, "scale": candidate.scale, "settings": candidate.settings}
            | {"right": trial.right, "n": trial.n, "balanced_accuracy": trial.balanced}
            for candidate, trial in report.tried
        ],
        "cautions": cautions(report),
        "estimator": " ".join(repr(report.model).split()),
        "stop_reason": None if reason is None else str(reason),
        "why": None if reason is None else reason.sentence,
        "rows": report.rows,
        "skipped": report.skipped,
        "columns": report.columns,
        "classes": report.classes,
        "learned_from": report.learned_from,
        "passes": None if passes is None else int(np.max(passes)),
        "updates": None if updates is None else int(np.max(updates)),
        "mistakes_per_pass": None if mistakes is None else np.asarray(mistakes).tolist(),
        "judged": report.judged or None,
        "right": _as_dict(report.accuracy),
        **_quality(report.quality),
        "probability": _probability(report),
        "confusion": None if report.confusion is None else report.confusion.tolist(),
        "folds": [_as_dict(fold) for fold in report.folds],
        "learning_curve": [[point.rows, point.training.value, point.others.value] for point in report.curve],
        "progressive": None if report.progressive is None else report.progressive.as_json(),
        "rounds": [one._asdict() for one in report.rounds] or None,
        "mixed_updates": getattr(report.model, "mixed_updates_", None),
        "verdict": None if report.verdict is None else report.verdict.kind,
        "fewest_errors": None if fewest is None else [fewest.lower, fewest.upper],
        "mistake_bound": report.bound,
        "seconds": {name: round(seconds, 3) for name, seconds in report.seconds.items()},
    }


def _as_dict(share: Proportion | None) -> dict[str, Any] | None:
    return None if share is None else {"right": share.right, "n": share.n, "low": share.low, "high": share.high}


def _quality(quality: Quality | None) -> dict[str, Any]:
    names = "per_class", "balanced_accuracy", "baseline", "gain", "positive_class", "roc_auc", "average_precision"
    if quality is None:
        return dict.fromkeys(names)
    per_class = [
        {"class": c.label, "support": c.rows, "precision": c.precision, "recall": c.recall, "f1": c.f1}
        for c in quality.classes
    ]
    baseline = {"class": quality.baseline} | (_as_dict(quality.baseline_accuracy) or {})
    ranking = (None, None, None) if quality.ranking is None else quality.ranking[:3]
    return dict(
        zip(names, (per_class, quality.balanced_accuracy, baseline, quality.gain._asdict(), *ranking), strict=True)
    )


def _probability(report: Report) -> dict[str, Any] | None:
    if report.quality is None or report.quality.calibration is None:
        return None
    found = report.quality.calibration
    return {
        "calibrated_on": report.calibration_rows,
        "brier": found.brier,
        "brier_of_shares": found.brier_of_shares,
        "bins": [each._asdict() for each in found.bins],
    }

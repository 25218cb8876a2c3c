"""A fit on a cluster, from files to a report."""

from typing import Any

from rosenblatt.base.stopping import StopReason
from rosenblatt.cli.fit_pipeline import FitRequest, collect_warnings
from rosenblatt.errors import ParameterError
from rosenblatt.report.proportion import Proportion
from rosenblatt.report.report import TRAINING_ROWS, Report, Stages

ALGORITHMS = ("averaged", "perceptron", "pa", "batch", "kozinec")
WHY = "on a cluster, the averaged perceptron learns most from each pass"


def fit_on_cluster(
    request: FitRequest, model: Any, data: list[str], reading: dict[str, Any], checkpoints: dict[str, Any]
) -> Report:
    """Train the model on files that workers read. The report has what the rounds over the shards tell."""
    from rosenblatt.cluster import Shards
    from rosenblatt.cluster.confusion import confusion_of

    stages, notes = Stages(), list[str]()
    with stages("reading"):
        shards = Shards(data if len(data) > 1 else data[0], **reading)
    with stages("training"), collect_warnings(notes):
        model.fit(shards, **checkpoints)
    with stages("judging"):
        confusion = confusion_of(model, shards)
        bound = mixing_bound(model, shards)
    report = Report(
        source=", ".join(data),
        target=(shards.encoding or {}).get("target"),
        rows=shards.n,
        skipped=0,
        columns=shards.d,
        counts=dict(zip(shards.classes.tolist(), shards.counts.tolist(), strict=True)),
        algorithm=algorithm_of(request),
        model=model,
        seconds=stages.seconds,
        why=WHY if request.algorithm == "auto" else "",
        learned_from=shards.n,
        notes=notes,
        rounds=list(shards.rounds),
        bound=bound,
    )
    report.accuracy, report.confusion = Proportion.of(int(confusion.trace()), shards.n), confusion
    report.judged = TRAINING_ROWS
    return report


def mixing_bound(model: Any, shards: Any) -> int | None:
    """The most that the mixed updates can add up to; None if the theorem does not apply, or nothing tells that it does.

    The theorem is about a perceptron that starts from weights 0, with steps of one size and margin 0. A pass without
    mistakes tells that a hyperplane separates the rows.
    """
    from rosenblatt import cluster
    from rosenblatt.classifiers.algorithm_choice import MAX_MARGIN_COLUMNS

    if not isinstance(model, cluster.Perceptron) or model.stop_reason_ is not StopReason.MISTAKE_FREE:
        return None
    is_plain = model.class_weight is None and model.init is None and model.margin == 0
    if not is_plain or shards.d > MAX_MARGIN_COLUMNS:
        return None
    return cluster.mistake_bound(shards, bias=float(model.bias)).max_updates


def algorithm_of(request: FitRequest) -> str:
    """The algorithm to train."""
    return "averaged" if request.algorithm == "auto" else request.algorithm


def unfitted_on_cluster(request: FitRequest, checkpoints: dict[str, Any]) -> Any:
    """The estimator to train; raise if the request needs all rows in one place."""
    from rosenblatt import cluster
    from rosenblatt.classifiers.algorithm_choice import model_of

    for option, given in (
        ("test", request.test is not None),
        ("cv", request.cv is not None),
        ("probability", request.probability),
        ("scale", request.scale not in (None, "none")),
    ):
        if given:
            raise ParameterError(f"--{option} is for data in memory; leave --cluster out.")
    algorithm = algorithm_of(request)
    if algorithm not in ALGORITHMS:
        raise ParameterError(
            f"--algorithm {algorithm} needs all rows in one place. On a cluster there are {', '.join(ALGORITHMS)}."
        )
    if algorithm == "kozinec" and checkpoints:
        raise ParameterError("--checkpoint and --resume do not work with kozinec, which has no partial result to save.")
    local = model_of(algorithm, 2, request.passes, request.seed, request.settings)
    return getattr(cluster, type(local).__name__)(**local.get_params())

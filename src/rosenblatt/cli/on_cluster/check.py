"""`rosenblatt check` and `rosenblatt verify` on files that workers read."""

from typing import TYPE_CHECKING

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.check_regression import RegressionAnswer, RegressionQuestion, chosen_labels
from rosenblatt.cli.check_verdict import VerdictAnswer, VerdictQuestion
from rosenblatt.cli.on_cluster.options import reading_of
from rosenblatt.cli.options import TableOptions, Text
from rosenblatt.cli.regression_rows import without_coefficient
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.verification import Verification
    from rosenblatt.cluster.shards import Shards


def answer_on_cluster(question: VerdictQuestion) -> VerdictAnswer:
    """Decide whether the classes of files are separable. Causes are not looked for."""
    from rosenblatt import cluster

    with show_progress():
        shards = cluster.Shards(question.data, target=question.target, **reading_of(question.data, question.table))
        verdict = cluster.separability(shards, detail=question.detail, time_limit=question.time_limit)
    _tell_rounds(shards)
    smaller = int(min(shards.counts)) if len(shards.counts) == 2 else None
    return VerdictAnswer(verdict, [], None, None, None, {}, smaller, shards.rounds)


def regression_on_cluster(question: RegressionQuestion) -> RegressionAnswer:
    """Decide which estimates of a regression on files are infinite. Causes are not looked for."""
    from rosenblatt import cluster

    options = question.options
    with show_progress():
        shards = cluster.Shards(question.data, target=question.target, **reading_of(question.data, question.table))
        columns = shards.encoding or {}
        reference, classes = chosen_labels(question, shards.classes.tolist(), columns.get("target") or "the target")
        try:
            found = cluster.estimates(
                shards,
                model=options.model,
                intercept=options.intercept,
                reference=reference,
                classes=classes,
                time_limit=question.time_limit,
            )
        except DataError as error:
            raise error.within(question.data) from error
    _tell_rounds(shards)
    single = [
        (one["name"], *one["categories"]) for one in columns.get("columns", ()) if len(one.get("categories", ())) == 1
    ]
    left_out = [without_coefficient(name, value) for name, value in single]
    return RegressionAnswer(found, None, None, {}, left_out, shards.rounds)


def verify_on_cluster(claim: "Certificate", data: str, target: Text, table: TableOptions) -> "Verification":
    """Check a certificate shard by shard."""
    from rosenblatt import cluster

    return cluster.verify(claim, data, target=target, **reading_of(data, table))


def _tell_rounds(shards: "Shards") -> None:
    """Say what the rounds over the shards cost."""
    from rosenblatt.report.text import rounds_sentence

    typer.echo(f"cluster: {rounds_sentence(shards.rounds)}", err=True)

"""`rosenblatt check` and `rosenblatt verify` on files that workers read."""

from typing import TYPE_CHECKING

import typer

from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.check_verdict import VerdictAnswer, VerdictQuestion
from rosenblatt.cli.on_cluster.options import reading_of
from rosenblatt.cli.options import TableOptions, Text

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.verification import Verification


def answer_on_cluster(question: VerdictQuestion) -> VerdictAnswer:
    """Decide whether the classes of files are separable. Causes are not looked for."""
    from rosenblatt import cluster

    with show_progress():
        shards = cluster.Shards(question.data, target=question.target, **reading_of(question.data, question.table))
        verdict = cluster.separability(shards, detail=question.detail, time_limit=question.time_limit)
    from rosenblatt.report.text import rounds_sentence

    typer.echo(f"cluster: {rounds_sentence(shards.rounds)}", err=True)
    smaller = int(min(shards.counts)) if len(shards.counts) == 2 else None
    return VerdictAnswer(verdict, [], None, None, None, {}, smaller, shards.rounds)


def verify_on_cluster(claim: "Certificate", data: str, target: Text, table: TableOptions) -> "Verification":
    """Check a certificate shard by shard."""
    from rosenblatt import cluster

    return cluster.verify(claim, data, target=target, **reading_of(data, table))

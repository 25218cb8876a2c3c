"""Certificates of estimates checked on a cluster, shard by shard, in whole numbers."""

from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.format import Refuted, need
from rosenblatt.certificate.regression.check_estimate_parts import ListedProof, listed_numbers
from rosenblatt.certificate.regression.check_estimates import KindsOfRows, check_kind, form_of
from rosenblatt.certificate.regression.outcomes import read_outcomes_as
from rosenblatt.cluster.proof.outcomes import CountedShards, OutcomeCodes, check_classes, with_treatment_coding
from rosenblatt.cluster.proof.rows_of_shards import digest_of_shards
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.matrices import doubles


def checked(shard: Shard, common: tuple[ListedProof, OutcomeCodes]) -> tuple[str, KindsOfRows]:
    """Check what a proof says of every row, for a shard."""
    proof, codes = common
    return proof.check_with(doubles(shard.matrix()), codes.of(shard))


def design_for(certificate: Certificate, shards: Shards) -> Shards:
    """The columns that a certificate is about: those of the shards, or those in treatment coding."""
    data = certificate.body.get("data")
    is_given = isinstance(data, dict) and data.get("columns") == shards.d
    return shards if is_given else with_treatment_coding(shards)


def check_estimates_of(certificate: Certificate, shards: Shards) -> None:
    """Raise Refuted unless the statuses of all coefficients are true of all rows."""
    body = certificate.body
    form, classes = form_of(body), shards.classes
    check_classes(shards, form.model)
    outcomes = read_outcomes_as(form.labels, classes, len(classes), model=form.model)
    rows = CountedShards(shards, OutcomeCodes(form, outcomes.codes))
    if body["data"]["digest"] != digest_of_shards(shards, rows.codes):
        raise Refuted("the certificate was made for other data, or by an earlier version: the digests differ")
    numbers = listed_numbers(body, rows.total)
    listed, own = rows.rows_with(numbers or [0])  # a proof without rows; any row does
    proof = ListedProof.of(body, doubles(listed.X), listed.codes, own)
    proof.check()
    answers = shards.ask("check of the claim", checked, (proof, rows.codes))
    for why, _ in answers:
        need(not why, why)
    check_kind(body["estimates"], [kinds for _, kinds in answers])

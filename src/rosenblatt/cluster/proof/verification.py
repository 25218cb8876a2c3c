"""Certificates checked on a cluster, shard by shard, in whole numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.certificate import Certificate
from rosenblatt.certificate.check_parts import (
    NumberedRows,
    check_counted_errors,
    check_part,
    listed_rows,
    refuse_whole_claims,
    row_off,
)
from rosenblatt.certificate.format import Body, Refuted, need
from rosenblatt.certificate.verification import Verification
from rosenblatt.cluster.proof.estimates_check import check_estimates_of, design_for
from rosenblatt.cluster.proof.rows_of_shards import digest_of_shards
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.matrices import doubles
from rosenblatt.errors import ParameterError

Codes = NDArray[np.int64]


def numbered(shard: Shard) -> NumberedRows:
    """The rows of a shard with their numbers."""
    return NumberedRows(doubles(shard.matrix()), shard.codes, np.arange(shard.start, shard.start + shard.n))


def checked(shard: Shard, common: tuple[Body, NumberedRows]) -> tuple[str, int]:
    """Check a claim on a shard: why it is not true, or an empty text, and the errors of its hyperplane."""
    return check_part(*common, numbered(shard))


def off_in(shard: Shard, body: Body) -> int | None:
    """The number of a row of this shard that is off the hyperplane."""
    return row_off(body, numbered(shard))


def verify(certificate: Certificate, X: Any, y: Any = None, **reading: Any) -> Verification:
    """Check a certificate against rows on a cluster, in whole numbers.

    Each shard checks the claim on its rows together with the few rows that the proof lists. A certificate about one
    pass (Freund and Schapire) or merged classes is checked by `Certificate.verify` instead.

    Parameters
    ----------
    certificate : Certificate
        The certificate; `Certificate.from_json` reads it.
    X : Shards, array, data frame or bag of Dask, path, or list of paths
        The rows; see `Shards`. For estimates, rows of Shards that have the weight 0 do not count, and words in files
        have treatment coding.
    y : array or column of Dask, or str
        The class labels, or the counts; see `Shards`.
    **reading : object
        Options of reading files, such as `target`; see `read`.

    Returns
    -------
    Verification
        It is true if the claim is true of the rows. Its `why` is the reason.

    See Also
    --------
    separability : Makes such a certificate.
    estimates : Makes such a certificate.
    Certificate.verify : Checks against rows in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import separability
    >>> from rosenblatt.cluster import verify
    >>> rows, labels = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> certificate = separability(rows, labels).certificate
    >>> verify(certificate, da.from_array(rows, chunks=(2, 1)), da.from_array(labels, chunks=2))
    <Verification: verified. Checked in whole numbers: the claim 'strict' is true of these 4 rows.>
    """
    if not isinstance(certificate, Certificate):
        raise ParameterError(f"must be a Certificate, not {type(certificate).__name__}.", "certificate")
    shards = Shards.of(X, y, None, reading)
    check_rows = _check
    if isinstance(certificate.body, dict) and certificate.claim == "estimates":
        shards, check_rows = design_for(certificate, shards), check_estimates_of
    return certificate.verified_by(lambda: check_rows(certificate, shards), shards.n, shards.d)


def _check(certificate: Certificate, shards: Shards) -> None:
    """Raise Refuted unless the claim is true of all rows."""
    body = certificate.body
    refuse_whole_claims(body)
    code = certificate.codes_of(shards.classes.tolist())
    need([code[label] for label in shards.classes.tolist()] == list(range(len(code))), "its labels are not in order")
    if body["data"]["digest"] != digest_of_shards(shards):
        raise Refuted("the certificate was made for other data, or by an earlier version: the digests differ")
    numbers = listed_rows(body)
    need(all(0 <= row < shards.n for row in numbers), "it lists a row that is not there")
    if body["claim"] == "weak":
        off = [row for row in shards.ask("look for a row off the hyperplane", off_in, body) if row is not None]
        need(off, "no row is off the hyperplane")
        numbers = sorted({*numbers, off[0]})
    listed = _fetched(shards, np.array(numbers))
    answers = shards.ask("check of the claim", checked, (body, listed))
    for why, _ in answers:
        need(not why, why)
    if body["claim"] == "errors":
        check_counted_errors(body, listed, sum(errors for _, errors in answers))


def _fetched(shards: Shards, numbers: Codes) -> NumberedRows:
    if not len(numbers):
        numbers = np.array([0])  # a proof without rows; any row does
    X, codes = shards.take(numbers)
    return NumberedRows(doubles(X), codes, numbers)

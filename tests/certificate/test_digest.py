"""The digest of a table: what it is made of, and that it depends on the rows alone."""

import hashlib
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Certificate, Stream, separability, write
from rosenblatt.certificate.certificate import seal_of
from rosenblatt.certificate.digest import BlockDigests, block_parts, digest_of
from rosenblatt.certificate.exact_table import read_table


def digest_by_hand(X: Any, codes: Sequence[int]) -> str:
    """The digest of a few rows, number by number."""
    counts = columns = numbers = b""
    for row in X.tolist():
        there = [(j, x) for j, x in enumerate(row) if x != 0]
        counts += struct.pack("<I", len(there))
        columns += b"".join(struct.pack("<I", j) for j, _ in there)
        numbers += b"".join(struct.pack("<d", x) for _, x in there)
    whole = f"{len(X)} {X.shape[1]}".encode()
    whole += b"".join(hashlib.sha256(part).digest() for part in (counts, columns, numbers))
    return "sha256:" + hashlib.sha256(whole + struct.pack(f"<{len(codes)}I", *codes)).hexdigest()


def rows_and_codes(n: int, d: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    X[abs(X) < 0.4] = 0.0
    return X, (X[:, 0] + 0.01 > 0).astype(int)


@pytest.mark.parametrize("n", [1, 1023, 1024])
def test_few_rows_have_one_digest(n: int) -> None:
    X, codes = rows_and_codes(n)
    assert read_table(X).digest(codes) == digest_by_hand(X, codes.tolist())


@pytest.mark.parametrize("n", [1025, 2048, 2500])
def test_more_rows_have_the_digest_of_their_blocks(n: int) -> None:
    X, codes = rows_and_codes(n)
    blocks = [digest_by_hand(X[a : a + 1024], codes[a : a + 1024].tolist()) for a in range(0, n, 1024)]
    text = "\n".join([f"{n} 3 1024", *blocks])
    assert read_table(X).digest(codes) == "sha256-blocks:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("cuts", [[2500], [1, 1023, 1024, 452], [700, 700, 700, 400], [1024, 1024, 452], [25] * 100])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_digest_does_not_depend_on_the_division(cuts: Sequence[int], sparse: bool) -> None:
    X, codes = rows_and_codes(2500)
    rows, digests, start = scipy.sparse.csr_array(X) if sparse else X, BlockDigests(3), 0
    for n in cuts:
        for part in block_parts(rows[start : start + n], codes[start : start + n], start, 3):
            digests.add(part)
        start += n
    assert digests.joined() == read_table(X).digest(codes)


def test_large_integers_count_where_they_stand() -> None:
    cells = [[i, i % 7] for i in range(1500)]
    cells[3][1] = cells[1200][0] = 2**60 + 1
    codes = np.arange(1500) % 2
    digest = read_table(cells).digest(codes)
    cells[1200][0] = 2**60 + 3  # the same float
    assert read_table(cells).digest(codes) != digest
    cells[1200][0], cells[1201][0] = 1200, 2**60 + 1
    assert read_table(cells).digest(codes) != digest


def test_every_number_and_class_counts() -> None:
    X, codes = rows_and_codes(2100)
    digest = read_table(X).digest(codes)
    for i in (0, 1023, 1024, 2099):
        changed = X.copy()
        changed[i, 1] += 1.0
        assert read_table(changed).digest(codes) != digest
        others = codes.copy()
        others[i] = 1 - others[i]
        assert read_table(X).digest(others) != digest
    order = np.r_[1024:2048, 0:1024, 2048:2100]
    assert read_table(X[order]).digest(codes[order]) != digest


def test_certificates_with_a_digest_of_all_rows_at_once_verify(tmp_path: Any) -> None:
    """Versions 1 to 6 have one digest for any number of rows."""
    X, codes = rows_and_codes(1500)
    certificate = separability(X, codes).certificate
    assert certificate is not None
    assert certificate.body["version"] == 7
    assert certificate.verify(X, codes)
    data = {**certificate.body["data"], "digest": digest_of([X], 1500, 3, {}, codes)}

    def with_version(version: int, **parts: Any) -> Certificate:
        body = {**certificate.body, "version": version, "data": data, **parts}
        return Certificate({**body, "seal": seal_of(body)})

    assert with_version(1).verify(X, codes)
    assert "ersion 7 has a digest by blocks" in with_version(7).verify(X, codes).why
    assert "ersion 7 has a digest by blocks" in with_version(1, data=certificate.body["data"]).verify(X, codes).why
    assert "digests differ" in with_version(1).verify(X + 1.0, codes).why
    assert "the digests differ" in certificate.verify(X + 1.0, codes).why
    write(X, codes, tmp_path / "rows.csv")
    streamed = separability(Stream(tmp_path / "rows.csv", chunk_bytes=5000)).certificate
    assert streamed is not None
    assert streamed.body["data"]["digest"] == certificate.body["data"]["digest"]

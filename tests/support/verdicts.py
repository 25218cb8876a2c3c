"""Verdicts that agree with the oracle."""

import numpy as np

from rosenblatt import Verdict, separability
from tests.support.separability_oracle import kind_of, make, signed_rows


def verdict_of_oracle(family: str, seed: int) -> Verdict:
    """The verdict on a random table. Its kind must be that of the simplex in fractions, and its certificate true."""
    X, y, bias, form = make(family, seed)
    given = np.array(X, float) if "float" in form else X
    found = separability(given, y, through_origin=not bias)
    assert found.kind == kind_of(signed_rows(X, y, bias=bias)), seed
    assert found.certificate is not None
    assert found.certificate.verify(given, y), seed
    return found

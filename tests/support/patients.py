"""Patients for tests of `estimates`: all who had drug B were cured, so its coefficient is infinite."""

import numpy as np
import pandas as pd

from rosenblatt import Estimates, estimates

PATIENTS = pd.DataFrame(
    {
        "cured": [1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0],
        "drug": list("AAAABBBCCCCC"),
        "age": [30, 41, 50, 33, 33, 47, 52, 38, 44, 58, 61, 40],
        "stage": [1, 2, 3, 3, 1, 2, 3, 1, 1, 2, 3, 2],
        "visits": [0, 2, 1, 0, 3, 0, 0, 0, 1, 4, 0, 2],
        "size": ["s", "m", "l", "m", "s", "m", "l", "l", "m", "m", "l", "s"],
    }
)
CURED = PATIENTS["cured"].to_numpy()
IS_B, IS_C = (np.array([drug == level for drug in PATIENTS["drug"]], dtype=float) for level in "BC")
STAGES = [np.array([stage == level for stage in PATIENTS["stage"]], dtype=float) for level in (2, 3)]
AGE = PATIENTS["age"].to_numpy(dtype=float)
ONES = np.ones(12)
ROWS = np.column_stack([IS_B, IS_C, AGE])
PLAIN = estimates(ROWS, CURED)  # in most tests below the expected answer


def agree(found: Estimates, plain: Estimates) -> None:
    """Statuses, kinds and rows are equal, and the proof can be checked with the design."""
    assert sorted(found.statuses) == sorted(plain.statuses)
    assert (found.kind, found.separated_rows.tolist()) == (plain.kind, plain.separated_rows.tolist())
    assert found.kept_rows.tolist() == plain.kept_rows.tolist()
    assert found.certificate is not None
    assert found.certificate.verify(**found.design)

"""Small tables of decimals, as text. The oracles take the texts as fractions, the package gets the nearest floats."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tests.support.separability_oracle import FAMILIES, Cell, make

EXPONENTS = (0, -1, -1, -2, -3, -7, -11, -300, 3)  # of the power of ten of a column
FACTORS, SHIFTS = (1, 7, 37, 123), (0, 0, 11, 1234)  # of a column, before that; the sums of their floats are rounded
MAX_CELL = 10**4  # larger numbers stay as they are


class DecimalTable(NamedTuple):
    """Rows as texts, and their classes 0, 1, ..."""

    texts: list[list[str]]
    y: list[int]
    bias: bool

    @property
    def numbers(self) -> list[list[Cell]]:
        """What a reader gives: whole numbers of any size, and the nearest floats of decimals."""
        return [[number_of(text) for text in row] for row in self.texts]

    @property
    def fractions(self) -> list[list[Any]]:
        """What the oracles get."""
        return [[Fraction(text) for text in row] for row in self.texts]


def number_of(text: str) -> Cell:
    return int(text) if re.fullmatch("-?[0-9]+", text) else float(text)


def drawn(seed: int) -> DecimalTable:
    """One table, always the same for the same seed."""
    X, y, bias, _ = make(list(FAMILIES)[seed % len(FAMILIES)], seed)
    return DecimalTable(in_decimals(X, seed), y, bias)


def on_a_line(seed: int) -> DecimalTable:
    """Rows that lie on one line in decimals. Their floats do not, but for luck."""
    rng = np.random.default_rng([seed, 23])
    d, n = int(rng.integers(2, 5)), int(rng.integers(3, 8))
    start, step = rng.integers(-99, 99, d), rng.choice([-29, -7, 3, 11, 37], d)
    X = start + rng.integers(-20, 21, (n, 1)) * step
    y = [0, 1, *rng.integers(0, 2, n - 2).tolist()]
    exponents = rng.integers(-9, 0, d).tolist()
    texts = [[str(Decimal(int(x)).scaleb(e)) for x, e in zip(row, exponents, strict=True)] for row in X.tolist()]
    return DecimalTable(texts, y, bias=True)


def in_decimals(X: list[list[Cell]], seed: int) -> list[list[str]]:
    """Texts of the cells: whole numbers, moved and scaled column by column, other floats with all their digits."""
    rng = np.random.default_rng([seed, 22])
    columns = [_texts(list(column), rng) for column in zip(*X, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _texts(column: list[Cell], rng: Any) -> list[str]:
    if all(abs(cell) < MAX_CELL and cell == int(cell) for cell in column):
        factor, shift, exponent = (int(rng.choice(numbers)) for numbers in (FACTORS, SHIFTS, EXPONENTS))
        return [str(Decimal(factor * int(cell) + shift).scaleb(exponent)) for cell in column]
    return [str(int(cell)) if cell == int(cell) else repr(cell) for cell in column]


def as_csv(table: DecimalTable) -> str:
    lines = [",".join([*row, f"c{label}"]) for row, label in zip(table.texts, table.y, strict=True)]
    names = [f"x{j + 1}" for j in range(len(table.texts[0]))]
    return "\n".join([",".join([*names, "kind"]), *lines, ""])

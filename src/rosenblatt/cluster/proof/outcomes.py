"""Regressions on shards: their columns, what was observed of each row, and the numbers of recession rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.certificate.regression.recession_numbers import RecessionNumbers, block_counts, part_starts
from rosenblatt.certificate.regression.recession_rows import Model, ModelForm
from rosenblatt.cluster.shard import Shard
from rosenblatt.cluster.shards import Shards
from rosenblatt.data.files.encoding import Encoding
from rosenblatt.data.matrices import stacked
from rosenblatt.data.validation import Codes
from rosenblatt.errors import DataError
from rosenblatt.errors.remedy import Remedy
from rosenblatt.proof.rounds.decide_rounds import ChosenRows


class OutcomeCodes(NamedTuple):
    """The codes of outcomes on shards. It can be sent to a worker.

    Attributes
    ----------
    form : the model
    of_classes : for each class of the shards, the code of the outcome
    """

    form: ModelForm
    of_classes: Codes

    def of(self, shard: Shard) -> Codes:
        """The code of each row of a shard; rows of weight 0 are absent."""
        codes = self.of_classes[shard.codes]
        if shard.weights is not None:
            codes[shard.weights == 0] = self.form.outcomes(codes).absent
        return codes

    def numbers_in(self, shard: Shard, start: NDArray[Any]) -> RecessionNumbers:
        """The numbers of the recession rows of a shard, the first of which are `start`."""
        return RecessionNumbers.of_part(block_counts(self.of(shard), self.form), start)


class Count(NamedTuple):
    """The counts of a shard."""

    outcomes: Codes  # the rows of each outcome
    blocks: NDArray[np.int64]  # the recession rows of both blocks
    absent: Codes  # the numbers of the rows that do not count


def counted(shard: Shard, codes: OutcomeCodes) -> Count:
    """Count the outcomes and the recession rows of a shard."""
    own, k = codes.of(shard), len(codes.form.labels)
    absent = np.flatnonzero(~codes.form.outcomes(own).is_present) + shard.start
    return Count(np.bincount(own, minlength=k)[:k], block_counts(own, codes.form).sum(axis=1), absent)


def numbers_of(shard: Shard, rows: Codes, start: NDArray[Any], codes: OutcomeCodes) -> RecessionNumbers:
    """The numbers of the recession rows of some rows of a shard."""
    return codes.numbers_in(shard, start).take(rows - shard.start)


def rows_with(
    shard: Shard, start: NDArray[Any], common: tuple[NDArray[Any], OutcomeCodes]
) -> tuple[ChosenRows, RecessionNumbers]:
    """The rows of a shard that have any of these recession rows, and the numbers of all of their recession rows."""
    wanted, codes = common
    numbers = codes.numbers_in(shard, start)
    few = numbers.rows_with(wanted)
    return ChosenRows(shard.matrix()[few], codes.of(shard)[few], few + shard.start), numbers.take(few)


class CountedShards:
    """Shards as the rows of a regression, with what is counted in each of them.

    Parameters
    ----------
    shards : the rows
    codes : the codes of their outcomes
    """

    def __init__(self, shards: Shards, codes: OutcomeCodes) -> None:
        self.shards, self.codes = shards, codes
        counts = shards.ask("outcomes are counted", counted, codes)
        self.outcomes = [own.outcomes for own in counts]
        self.absent: Codes = np.concatenate([own.absent for own in counts])
        self.starts = part_starts([own.blocks for own in counts])
        self.total = int(sum(own.blocks.sum() for own in counts))  # of recession rows

    def numbers_of(self, rows: Codes) -> RecessionNumbers:
        """The numbers of the recession rows of some rows, which come in increasing order."""
        owners = np.searchsorted(self.shards.starts, rows, side="right") - 1
        asked = np.unique(owners).tolist()
        each = [self.shards.handles[s] for s in asked], [rows[owners == s] for s in asked], list(self.starts[asked])
        parts = self.shards.ask_about("numbers of the rows of the proof", numbers_of, self.codes, *each)
        return RecessionNumbers.joined(parts)

    def rows_with(self, numbers: list[int]) -> tuple[ChosenRows, RecessionNumbers]:
        """The rows that have these recession rows, and the numbers of all of their recession rows."""
        wanted = np.array(numbers, dtype=np.int64)
        parts = self.shards.ask("rows are fetched", rows_with, (wanted, self.codes), list(self.starts))
        there = [part for part in parts if len(part[0].numbers)]
        chosen = [rows for rows, _ in there]
        X, codes = stacked([rows.X for rows in chosen]), np.concatenate([rows.codes for rows in chosen])
        rows = ChosenRows(X, codes, np.concatenate([rows.numbers for rows in chosen]))
        return rows, RecessionNumbers.joined([own for _, own in there])


def check_classes(shards: Shards, model: Model) -> None:
    """Raise a DataError unless the classes of shards can be the outcomes of a model."""
    if model != "poisson":
        shards.refuse_ignored_classes()
        return
    classes = shards.classes
    bad = classes[:1] if classes.dtype.kind not in "biuf" else classes[classes < 0][:1]
    if len(bad):
        raise DataError(f"A Poisson regression is for counts, numbers of at least 0; y has {bad.tolist()[0]!r}.")
    if not shards.weighed.any():
        raise DataError("All rows have the weight 0.")


def with_treatment_coding(shards: Shards) -> Shards:
    """Shards whose categories have a column for each level but the first, as `estimates` takes those of data frames.

    Only files that were read as tables have categories. Shards without any are returned as they are.
    """
    if shards.encoding is None or "columns" not in shards.encoding:
        return shards
    encoding = Encoding.from_dict(shards.encoding)
    if encoding.feature_names is None or not encoding.has_categories:
        return shards
    kept, names, at = list[int](), list[str](), 0
    for column in encoding.columns:
        is_category = column.kind == "category"
        if is_category and isinstance(column.fill, float):
            raise DataError(
                f"Column {column.name!r} holds categories, and a number is for missing numbers.",
                Remedy("Give {missing} instead.", missing="level"),
            )
        levels = column.categories[1:] if is_category else [column.name]
        kept += range(at + is_category, at + is_category + len(levels))
        names += [f"{column.name}[{level}]" if is_category else column.name for level in levels]
        at += len(levels) + is_category
    if not kept:
        raise DataError("No column is left for the regression: every column has one value only.")
    return shards.of_columns(np.array(kept), names)

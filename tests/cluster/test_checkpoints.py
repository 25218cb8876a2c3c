"""Checkpoints between rounds: a fit that was cut off goes on to the same bits."""

from pathlib import Path
from typing import Any

import pytest

from rosenblatt import DataError, ParameterError, cluster
from rosenblatt.cluster.classifiers import mixing
from tests.cluster.tables import equal_cuts, in_blocks, same_bits, table

X, Y = table(200, 4, 3)
ROWS = in_blocks(X, Y, equal_cuts(200, 3))


class LostError(Exception):
    """The scheduler is gone."""


def cut_off(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the rounds of a fit fail after so many."""
    learned = mixing.MixingProblem.one_round

    def one_round(self: Any) -> bool:
        if len(self.run.mistakes_per_epoch) == after:
            raise LostError
        return learned(self)

    monkeypatch.setattr(mixing.MixingProblem, "one_round", one_round)


@pytest.mark.parametrize("after", [0, 1, 4])
@pytest.mark.parametrize(
    "model",
    [
        cluster.Perceptron(max_epochs=7),
        cluster.Perceptron(max_epochs=7, average="averaged", order="cyclic"),
        cluster.PassiveAggressive(max_epochs=7),
    ],
)
@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_fit_that_was_cut_off_goes_on(model: Any, after: int, tmp_path: Path) -> None:
    path = tmp_path / "fit.state"
    whole = type(model)(**model.get_params()).fit(*ROWS)
    with pytest.MonkeyPatch.context() as patch:
        cut_off(patch, after)
        with pytest.raises(LostError):
            model.fit(*ROWS, checkpoint=path, every_seconds=1e9)
    assert path.exists()
    model.fit(*ROWS, checkpoint=path, resume=True)
    assert same_bits(model, whole)
    assert model.mixed_updates_ == whole.mixed_updates_
    model.fit(*ROWS, checkpoint=path, resume=True)  # it has ended: nothing is left to do
    assert same_bits(model, whole)
    assert [cost.what for cost in model.rounds_] == ["rows are loaded", "fingerprint"]


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fit.state"
    cluster.Perceptron(max_epochs=2).fit(*ROWS, checkpoint=path)
    others: list[tuple[Any, Any, dict[str, Any], str]] = [
        (cluster.Perceptron(max_epochs=3), ROWS, {}, "max_epochs was"),
        (cluster.Perceptron(max_epochs=2), in_blocks(X, Y, [100, 100]), {}, "sizes was"),
        (cluster.Perceptron(max_epochs=2), in_blocks(X + 1, Y, equal_cuts(200, 3)), {}, "marks was"),
        (cluster.Perceptron(max_epochs=2), ROWS, {"mixing": "uniform"}, "mixing was"),
        (cluster.PassiveAggressive(max_epochs=2), ROWS, {}, "algorithm was"),
    ]
    for model, rows, options, said in others:
        with pytest.raises(DataError, match=said):
            model.fit(*rows, checkpoint=path, resume=True, **options)
    path.write_bytes(b"no checkpoint")
    with pytest.raises(DataError, match="this is not a checkpoint"):
        cluster.Perceptron(max_epochs=2).fit(*ROWS, checkpoint=path, resume=True)


def test_data_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("x,kind\n1,a\n2,b\n")
    with pytest.raises(ParameterError, match="checkpoint="):
        cluster.Perceptron().fit(file, checkpoint=file)
    assert file.read_text() == "x,kind\n1,a\n2,b\n"

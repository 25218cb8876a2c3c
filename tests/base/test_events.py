"""Progress events: sent once for each pass, look, chunk or round, and received by the listener."""

import itertools
import threading
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier

from rosenblatt import (
    Anderson,
    BatchPerceptron,
    KernelPerceptron,
    Kozinec,
    OneVsAll,
    OneVsOne,
    PassiveAggressive,
    Perceptron,
    Pocket,
    Stream,
    error_bounds,
    read,
    separability,
    write,
)
from rosenblatt.base.events import ProgressEvent, has_listener, hearing, listening, report_progress
from tests.classifiers.training.test_callbacks import AND, MODELS, Y3, X, Y, bits

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write(X, Y, tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


# ---------------------------------------------------------------------------------------------------------------------
# Telling and listening


class Unspeakable:
    def __format__(self, _: str) -> str:
        raise AssertionError("nobody listens")


def test_what_nobody_hears_is_not_put_into_words() -> None:
    assert not has_listener()
    report_progress("work", 1, 2, "{}", Unspeakable())
    with listening(list[ProgressEvent]().append), pytest.raises(AssertionError, match="nobody listens"):
        report_progress("work", 1, 2, "{}", Unspeakable())


def test_listeners_are_heard_from_the_inside_out() -> None:
    outer, inner = list[ProgressEvent](), list[ProgressEvent]()
    with listening(outer.append):
        report_progress("a", 0)
        with listening(inner.append):
            report_progress("b", 1, 4, "{:,} rows", 1234)
        with pytest.raises(AssertionError), listening(inner.append):
            report_progress("b", 2, 4, "{}", Unspeakable())
        with listening(None):
            assert not has_listener()
            report_progress("c", 2)
        assert has_listener()
        report_progress("d", 3)
    report_progress("e", 4)
    assert outer == [ProgressEvent("a", 0, None, ""), ProgressEvent("d", 3, None, "")]
    assert inner == [ProgressEvent("b", 1, 4, "1,234 rows")]


def test_a_listener_hears_its_own_thread_only() -> None:
    """And another that is run in its context."""
    heard_here, heard_there = list[ProgressEvent](), list[ProgressEvent]()

    def work(name: str) -> None:
        report_progress(name, 0)

    def listener_of_its_own() -> None:
        with listening(heard_there.append):
            work("there")

    with listening(heard_here.append):
        for target in (lambda: work("elsewhere"), listener_of_its_own):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        context = copy_context()
        thread = threading.Thread(target=lambda: context.run(work, "in the same context"))
        thread.start()
        thread.join()
        work("here")
    assert [news.what for news in heard_here] == ["in the same context", "here"]
    assert [news.what for news in heard_there] == ["there"]


def told(work: Callable[[], Any]) -> tuple[Any, list[ProgressEvent]]:
    news: list[ProgressEvent] = []
    with listening(news.append):
        result = work()
    return result, news


@pytest.mark.parametrize(
    "model",
    [Perceptron(max_epochs=5), PassiveAggressive(max_epochs=3), Pocket(max_epochs=3), KernelPerceptron(max_epochs=3)],
    ids=lambda model: type(model).__name__,
)
def test_every_pass_is_told(model: Any) -> None:
    _, news = told(lambda: model.fit(X, Y))
    most, what = model.max_epochs, type(model).__name__
    mistakes = model.mistakes_per_epoch_.tolist()
    assert news == [
        ProgressEvent(what, 0, most, "first pass"),
        *(
            ProgressEvent(what, k, most, f"pass {k} of {most}, {mistakes[k - 1]:,} mistakes")
            for k in range(1, most + 1)
        ),
    ]


def test_shared_passes_are_told_with_who_learns_on() -> None:
    model, news = told(lambda: OneVsAll(Perceptron(max_epochs=3)).fit(X, Y3))
    for k, item in enumerate(news[1:], start=1):
        learning = sum(member.n_iter_ > k or member.stop_reason_ == "budget" for member in model.estimators_)
        mistakes = sum(int(member.mistakes_per_epoch_[k - 1]) for member in model.estimators_ if member.n_iter_ >= k)
        words = f"pass {k} of 3, {mistakes} mistakes, {learning} of 3 learn on"
        assert item == ProgressEvent("Perceptron", k, 3, words)
    assert len(news) == 1 + model.n_iter_


def test_every_look_of_a_descent_is_told() -> None:
    model, news = told(lambda: BatchPerceptron(max_epochs=4).fit(X, Y))
    best = [min(errors for t, errors in model.history_.tolist() if t <= k) for k in range(1, 5)]
    said = [f"pass {k} of 4, {model.mistakes_per_epoch_[k - 1]} mistakes, {best[k - 1]:g} at best" for k in range(1, 5)]
    assert [item.words for item in news] == ["first pass", *said]


def test_every_look_of_a_search_is_told_with_the_bounds() -> None:
    model, news = told(lambda: Kozinec(solver="kozinec", epsilon=1e-2).fit(*AND))
    assert {item.what for item in news} == {"search of the margin"}
    assert [item.done for item in news] == list(range(model.n_iter_ + 1))
    assert news[-1].words == "look {}, between {:.6g} and {:.6g}".format(model.n_iter_, *model.margin_bounds_)


def test_every_step_of_gaussians_is_told() -> None:
    model, news = told(lambda: Anderson(solver="ascent").fit(X, Y))
    steps = [item for item in news if item.what == "search of the worst error"]
    assert [item.done for item in steps] == list(range(model.n_iter_ + 1))
    assert "radius between {:.6g} and {:.6g}".format(*model.history_[["lower", "upper"]][0].tolist()) in steps[0].words


def test_members_are_told_of_one_by_one() -> None:
    _, news = told(lambda: OneVsOne(RidgeClassifier()).fit(X, Y3))
    assert news == [ProgressEvent("OneVsOne", k, 3, f"classifier {k + 1} of 3") for k in range(3)]


@pytest.mark.parametrize("name", ["a.svm", "b.csv", "c.svm.gz"])
def test_reading_is_told_by_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of about 100 bytes; of what is compressed, no total is known."""
    monkeypatch.setattr("rosenblatt.data.files.read.CHUNK_BYTES", 100)
    write(X, Y, tmp_path / name)
    size = (tmp_path / name).stat().st_size
    (rows, _), news = told(lambda: read(tmp_path / name))
    assert rows.shape == X.shape
    total, of = (None, "") if name.endswith("gz") else (size, " of 0 MB")
    assert {(item.what, item.total) for item in news} == {(f"reading {name}", total)}
    assert (news[0].done, news[0].words) == (0, f"0 MB{of}")
    assert len(news) > 10
    if total is not None:
        assert total - 250 < news[-1].done < total


def test_streams_are_told_chunk_by_chunk(file: Path) -> None:
    size, progress = file.stat().st_size, list[Any]()
    stream = Stream(file, chunk_bytes=800)
    model, news = told(lambda: Perceptron(max_epochs=2).fit_stream(stream, progress=progress.append))
    assert len(news) == len(progress) > 4
    for item, now in zip(news, progress, strict=True):
        assert (item.what, item.done, item.total) == ("Perceptron", now.size, size)
        assert item.words.startswith(f"pass {now.epoch} of 2, {now.mistakes} mistakes, {now.rows} rows, ")
        assert item.words.endswith(" rows/s, 0 MB of 0 MB")
    assert [item.done for item in news].count(news[-1].done) == 2  # once a pass
    assert model.n_iter_ == 2


def test_searches_and_verdicts_on_streams_are_told(file: Path) -> None:
    stream = Stream(file, chunk_bytes=800)
    model, news = told(lambda: Kozinec(C=1.0).fit_stream(stream))
    assert {item.what for item in news} == {"search of the margin"}
    assert sum(item.words.startswith("look") for item in news) == model.n_iter_
    assert max(item.done for item in news) <= file.stat().st_size
    verdict, news = told(lambda: separability(stream))
    assert verdict.kind == "overlap"
    passes = [words for words, _ in itertools.groupby(item.words for item in news if item.what == "verdict")]
    assert passes[0] == "a first pass counts the rows"
    assert passes[-1] == "a last pass takes the fingerprint of all rows"


def test_a_verdict_is_told_round_by_round() -> None:
    """Numbers that floats cannot tell apart: only the search in whole numbers decides."""
    rows = [[10**30, 1], [10**30 + 1, 0], [10**30, 0], [10**30 + 1, 1]]
    verdict, news = told(lambda: separability(rows, [0, 0, 1, 1]))
    rounds = [item for item in news if item.words.endswith("active rows")]
    assert rounds[0] == ProgressEvent("verdict", 1, None, rounds[0].words)
    assert news[-1] == ProgressEvent("verdict", 0, None, f"{verdict.kind}; its certificate is being made")


def test_a_perceptron_that_looks_for_a_hyperplane_of_wide_data_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.proof.prove.is_wide", lambda _: True)
    _, news = told(lambda: separability(*AND))
    passes = [item for item in news if item.words.endswith("of a perceptron")]
    assert [item.words for item in passes] == [f"pass {k} of a perceptron" for k in range(1, len(passes) + 1)]
    assert len(passes) > 1


def test_the_fewest_errors_are_told_and_not_what_they_are_made_of() -> None:
    found, news = told(lambda: error_bounds(X[:, :2], Y, time_limit=None))
    ends = [item.words for item in news if item.what == "fewest errors"]
    assert ends[-1].endswith(f" to {found.upper}")
    assert f"{found.lower} to {found.upper}" in ends
    first = next(k for k, item in enumerate(news) if item.what == "fewest errors")
    assert {item.what for item in news[first:]} == {"fewest errors"}


@pytest.mark.parametrize("name", MODELS)
def test_being_heard_changes_no_bit(name: str) -> None:
    model, _, y = MODELS[name]
    alone = bits(clone(model).fit(X, y))
    again, news = told(lambda: clone(model).fit(X, y))
    assert news
    assert bits(again) == alone


def test_one_work_is_heard_and_the_listener_still_hears_all() -> None:
    told: list[ProgressEvent] = []
    with listening(told.append):
        with hearing("compiler") as heard:
            report_progress("Perceptron", 1)
            report_progress("compiler", 0, None, "compiling {}", "rule")
        report_progress("compiler", 1)
    assert [event.words for event in heard] == ["compiling rule"]
    assert [event.what for event in told] == ["Perceptron", "compiler", "compiler"]


def test_one_work_is_heard_without_a_listener() -> None:
    with hearing("compiler") as heard:
        report_progress("compiler", 1)
    assert len(heard) == 1
    assert not has_listener()

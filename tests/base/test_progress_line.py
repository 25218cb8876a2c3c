"""The progress line: it appears after a second, disappears at the end, and needs a terminal or a notebook."""

import io
import re
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rosenblatt import Perceptron
from rosenblatt.base import progress_line as progress
from rosenblatt.base.events import ProgressEvent, has_listener, report_progress
from rosenblatt.base.progress_line import ProgressLine, clocked, draw, show_progress

HIDE, SHOW, ERASE = "\x1b[?25l", "\x1b[?25h", "\x1b[2K"  # the cursor, and what is on its line


class Clock:
    """A clock that goes when it is told to, and an event that comes at some time."""

    def __init__(self, end: float = 0.0) -> None:
        self.now, self.end = 0.0, end
        self.meanwhile: dict[float, Callable[[], None]] = {}

    def __call__(self) -> float:
        return self.now

    def wait(self, timeout: float) -> bool:
        self.now = round(min(self.now + timeout, self.end), 6)
        for at in [at for at in self.meanwhile if at <= self.now]:
            self.meanwhile.pop(at)()
        return self.now >= self.end


def terminal(width: int = 100) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None, legacy_windows=False)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def looks(console: Console) -> list[str]:
    """Give the visible lines, one for each drawing."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", written(console)).replace("\r", "\n")
    return [line.strip() for line in plain.split("\n") if line.strip()]


# ---------------------------------------------------------------------------------------------------------------------
# What it says


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0:00"),
        (7.9, "0:07"),
        (60, "1:00"),
        (754.2, "12:34"),
        (3599.9, "59:59"),
        (3600, "1:00:00"),
        (7e5, "194:26:40"),
    ],
)
def test_seconds_as_a_clock_shows_them(seconds: float, shown: str) -> None:
    assert clocked(seconds) == shown


def test_a_line_says_what_runs_since_when_and_for_how_long_yet() -> None:
    clock = Clock()
    line = ProgressLine(clock)
    assert line.is_empty
    assert line.text == ""
    clock.now = 2.0
    line.update(ProgressEvent("Perceptron", 0, 100, "first pass"))
    assert not line.is_empty
    assert line.text == "0:02  Perceptron: first pass"
    clock.now = 12.0
    line.update(ProgressEvent("Perceptron", 10, 100, "pass 10 of 100, 3,204 mistakes"))
    assert (
        line.text == "0:12  Perceptron: pass 10 of 100, 3,204 mistakes, at most 1:30 left"
    )  # a second a pass, 90 to come
    clock.now = 15.5
    assert (
        line.text == "0:15  Perceptron: pass 10 of 100, 3,204 mistakes, at most 1:26 left"
    )  # while a pass runs, clocks go on
    clock.now = 200.0
    assert line.text == "3:20  Perceptron: pass 10 of 100, 3,204 mistakes, at most 0:00 left"


def test_other_work_is_measured_anew_but_for_the_time_since_the_beginning() -> None:
    clock = Clock()
    line = ProgressLine(clock)
    line.update(ProgressEvent("reading a.csv", 0, 50, "0 MB of 50 MB"))
    clock.now = 60.0
    line.update(ProgressEvent("verdict", 7, None, "round 7, 40 rows in play"))
    assert line.text == "1:00  verdict: round 7, 40 rows in play"
    clock.now = 70.0
    line.update(ProgressEvent("Perceptron", 20, 30, "pass 1"))
    assert line.text == "1:10  Perceptron: pass 1"  # nothing is known of its speed
    clock.now = 71.0
    line.update(ProgressEvent("Perceptron", 25, 30, "pass 1"))
    assert line.text == "1:11  Perceptron: pass 1, at most 0:01 left"
    clock.now = 72.0
    line.update(ProgressEvent("Perceptron", 5, 30, "pass 2"))  # it has begun again
    assert line.text == "1:12  Perceptron: pass 2"
    clock.now = 73.0
    line.update(ProgressEvent("Perceptron", 10, 30, "pass 2"))
    assert line.text == "1:13  Perceptron: pass 2, at most 0:04 left"


def test_news_without_words_keep_those_of_the_same_work() -> None:
    line = ProgressLine(Clock())
    line.update(ProgressEvent("search of the margin", 3, None, "look 3, between 0.1 and 0.3"))
    line.update(ProgressEvent("search of the margin", 0, 100, ""))
    assert line.text == "0:00  search of the margin: look 3, between 0.1 and 0.3"
    line.update(ProgressEvent("verdict", 0, 100, ""))
    assert line.text == "0:00  verdict: "


@given(
    total=st.integers(2, 10**9), share=st.floats(0.01, 1), speed=st.floats(1e-3, 1e6), began=st.floats(0, 1e4)
)  # fmt: skip
def test_at_a_steady_speed_the_time_left_is_what_is_left_by_the_speed(
    total: int, share: float, speed: float, began: float
) -> None:
    clock = Clock()
    line, done = ProgressLine(clock), share * total
    clock.now = began
    line.update(ProgressEvent("work", 0, total, "."))
    clock.now = began + done / speed
    line.update(ProgressEvent("work", done, total, "."))
    shown = re.search(r"([\d:]+) left", line.text)
    assert shown
    *hours, minutes, seconds = map(int, shown[1].split(":"))
    assert abs(sum(hours) * 3600 + minutes * 60 + seconds + 0.5 - (total - done) / speed) <= 0.51 + 1e-9 * total / speed


# ---------------------------------------------------------------------------------------------------------------------
# When it is drawn


def drawn(end: float, console: Console, news_at: float = 0.5) -> None:
    """Draw a line of work that ends at this time and tells how far it is at that."""
    clock = Clock(end)
    line = ProgressLine(clock)
    clock.meanwhile = {news_at: lambda: line.update(ProgressEvent("Perceptron", 3, 9, "pass 3 of 9"))}
    draw(line, clock, lambda: console)  # type: ignore[arg-type]


@pytest.mark.parametrize("end", [0.0, 0.5, 1.0])
def test_what_takes_no_longer_than_a_second_shows_nothing(end: float) -> None:
    console = terminal()
    drawn(end, console)
    assert written(console) == ""


def test_what_takes_longer_shows_a_line_whose_clock_goes_on_and_that_is_gone_at_the_end() -> None:
    console = terminal()
    drawn(3.3, console)
    seen = looks(console)
    assert all(look.startswith("━━━ ") for look in seen)  # three of ten
    assert {look[look.index("0:") :] for look in seen} == {f"0:0{t}  Perceptron: pass 3 of 9" for t in (1, 2, 3)}
    assert len(seen) >= 20
    text = written(console)
    assert text.startswith(HIDE)
    assert text.count(HIDE) == text.count(SHOW) == 1
    assert text[text.index(SHOW) :].endswith(ERASE)  # nothing is left on the line


def test_nothing_is_drawn_before_there_is_something_to_say() -> None:
    console = terminal()
    drawn(5.0, console, news_at=9.0)
    assert written(console) == ""
    drawn(5.0, console, news_at=4.0)
    assert looks(console)[0].endswith("0:04  Perceptron: pass 3 of 9")


def test_a_narrow_terminal_gets_one_line_that_is_cut() -> None:
    console = terminal(width=24)
    drawn(2.0, console)
    assert all(len(look) <= 24 for look in looks(console))
    assert looks(console)[0].endswith("…")


@pytest.mark.parametrize(
    "console",
    [
        Console(file=io.StringIO(), _environ={}),
        Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"}),
    ],
    ids=["a file", "a terminal that cannot go back"],
)
def test_nothing_is_drawn_where_nobody_could_see_a_line(console: Console) -> None:
    drawn(5.0, console)
    assert written(console) == ""


def test_the_standard_error_stream_of_a_test_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert progress.console().stderr
    clock = Clock(5.0)
    draw(ProgressLine(clock), clock, progress.console)  # type: ignore[arg-type]
    assert capsys.readouterr() == ("", "")


def test_a_notebook_gets_a_line_that_is_replaced_and_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a stand-in for IPython, which needs no widgets for this."""
    shown: list[str] = []

    class Handle:
        def update(self, bundle: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(bundle["text/plain"])

    def display(bundle: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert display_id
        Handle().update(bundle, raw=raw)
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    drawn(2.0, Console(force_jupyter=True, stderr=True))
    assert len(shown) > 2
    assert all("pass 3 of 9" in text for text in shown[:-1])
    assert shown[-1] == ""


# ---------------------------------------------------------------------------------------------------------------------
# The block


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Console:
    """A terminal on which lines appear at once."""
    console = terminal()
    monkeypatch.setattr(progress, "console", lambda: console)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "REFRESH", 0.001)
    return console


def until(condition: Callable[[], bool]) -> None:
    """Wait for what happens in another thread."""
    for _ in range(30_000):
        if condition():
            return
        time.sleep(0.001)
    raise AssertionError("it has not happened")


@pytest.mark.filterwarnings("ignore::rosenblatt.BudgetWarning")
def test_work_of_the_block_is_shown(screen: Console) -> None:
    with show_progress():
        model = Perceptron(max_epochs=7).fit([[0.0], [1], [2], [3]], [0, 1, 0, 1])
        until(lambda: "Perceptron: pass 7 of 7, " in written(screen))
    assert written(screen).endswith(ERASE)
    assert model.n_iter_ == 7
    assert not has_listener()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_work_that_is_cut_off_leaves_a_clean_terminal(error: type[BaseException], screen: Console) -> None:
    def work() -> None:
        with show_progress():
            report_progress("work", 1, 2, "half of it")
            until(lambda: "half of it" in written(screen))
            raise error

    with pytest.raises(error):
        work()
    assert written(screen).count(SHOW) == 1
    assert written(screen).endswith(ERASE)
    assert not has_listener()


@pytest.mark.parametrize("tty", [True, False])
def test_what_is_printed_meanwhile_stays(
    tty: bool, screen: Console, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal it goes above the line; where standard output is a file, it goes there."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty)
    with show_progress():
        report_progress("work", 1, 2, "half of it")
        until(lambda: "half of it" in written(screen))
        print("printed meanwhile")
    assert ("printed meanwhile" in written(screen)) == tty
    assert capsys.readouterr().out == ("" if tty else "printed meanwhile\n")


def test_what_goes_wrong_with_drawing_is_said_when_the_work_is_done(
    screen: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, done = list[str](), list[str]()

    def broken(_: ProgressLine) -> Any:
        tried.append("to draw")
        raise OSError("the screen is gone")

    def work() -> None:
        with show_progress():
            report_progress("work", 1, 2, "half of it")
            until(lambda: bool(tried))
            done.append("all of it")

    monkeypatch.setattr(ProgressLine, "drawn", broken)
    with pytest.warns(RuntimeWarning, match="the screen is gone"):
        work()
    assert done == ["all of it"]
    assert written(screen) == ""
    assert not has_listener()


def test_an_error_of_the_work_comes_before_one_of_drawing(screen: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ProgressLine, "drawn")
    with pytest.raises(ZeroDivisionError), show_progress():
        report_progress("work", 1 / 0)
    assert written(screen) == ""


def test_a_block_inside_another_draws_no_second_line(screen: Console) -> None:
    with show_progress():
        before = threading.active_count()
        with show_progress():
            assert threading.active_count() == before
            report_progress("work", 1, 2, "half of it")
            until(lambda: "half of it" in written(screen))
        report_progress("work", 2, 2, "all of it")
        until(lambda: "all of it" in written(screen))
    assert written(screen).count(HIDE) == 1


def test_a_quick_block_loads_nothing_and_writes_nothing() -> None:
    """Nor does a fit without callbacks load what draws them."""
    code = (
        "from rosenblatt import Perceptron; from rosenblatt import show_progress; import sys\n"
        "from rosenblatt.base import progress_line; progress_line.PATIENCE = 600  # on a busy machine too\n"
        "with show_progress(): Perceptron().fit([[0.0], [2.0]], [0, 1])\n"
        "print('rich' in sys.modules, 'sklearn.callback' in sys.modules, 'sklearn.model_selection' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False False False\n", "")

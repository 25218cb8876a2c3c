"""A line on the terminal, or in a notebook, that says how far long work is; nothing of it where nobody looks."""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple

from rosenblatt.base.events import News, heard, listening
from rosenblatt.base.html import printable

PATIENCE = 1.0  # seconds that work may take before a line appears
EVERY = 0.1  # seconds from one look of the line to the next


@contextmanager
def show_progress() -> Iterator[None]:
    """Show how far the work of the block is, if it takes longer than a second.

    It is one line on the standard error stream that says what runs, since when and, where that can be known, for how
    long yet. It is gone when the block ends. Where that stream is no terminal, and this is no notebook, nothing is
    shown; nor is it twice, where such blocks are inside each other. Only work of this thread is told of, and what was
    said last stays until something else is said.

    Examples
    --------
    >>> from rosenblatt import datasets, separability, show_progress
    >>> X, y = datasets.load("iris")
    >>> with show_progress():
    ...     kind = separability(X, y == "setosa").kind
    >>> kind
    'strict'
    """
    if heard():
        yield
        return
    line, ended = Line(), Event()
    with ThreadPoolExecutor(1, "progress") as pool:
        drawing = pool.submit(draw, line, ended, console)
        try:
            with listening(line.hear):
                yield
        finally:
            ended.set()
            wait([drawing])  # the terminal is as it was before an error is reported on it
        if error := drawing.exception():  # the work is done, and must not be lost
            warnings.warn(f"The line that shows progress could not be drawn: {error!r}.", RuntimeWarning, stacklevel=3)


class Stage(NamedTuple):
    """The last news of some work, and where its speed is measured from."""

    news: News
    at: float  # when it came
    start: float  # when its first news came
    done: float  # what was done by then


class Line:
    """What runs, since when, and for how long yet.

    One thread tells it the news, another draws it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._stage: Stage | None = None

    def hear(self, news: News) -> None:
        """Take news down."""
        now, old = self._clock(), self._stage
        if old is None or news.what != old.news.what:
            self._stage = Stage(news, now, now, news.done)
            return
        if not news.words:
            news = news._replace(words=old.news.words)
        begins = news.total != old.news.total or news.done < old.news.done
        start, done = (now, news.done) if begins else (old.start, old.done)
        self._stage = Stage(news, now, start, done)

    @property
    def is_silent(self) -> bool:
        """Has nothing been told yet?"""
        return self._stage is None

    @property
    def text(self) -> str:
        """The line in words."""
        stage, now = self._stage, self._clock()
        if stage is None:
            return ""
        left = seconds_left(stage, now)
        parts = [part for part in (stage.news.words, "" if left is None else f"at most {clocked(left)} left") if part]
        return printable(f"{clocked(now - self._began)}  {stage.news.what}: {', '.join(parts)}")

    def drawn(self) -> Any:
        """The line as rich draws it: a bar, if it is known how much there is, and the words."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        words = Text(self.text, no_wrap=True, overflow="ellipsis")
        if self._stage is None or not self._stage.news.total:
            return words
        grid = Table.grid(padding=(0, 1))
        grid.add_row(ProgressBar(self._stage.news.total, self._stage.news.done, width=10), words)
        return grid


def seconds_left(stage: Stage, now: float) -> float | None:
    """How long the work takes yet at the speed so far, if that can be known."""
    news, made = stage.news, stage.news.done - stage.done
    if news.total is None or made <= 0:
        return None
    return max(0.0, (news.total - news.done) * (stage.at - stage.start) / made - (now - stage.at))


def clocked(seconds: float) -> str:
    """Seconds as a clock shows them: 0:07, 12:34, 1:00:00."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def console() -> Any:
    """The standard error stream as rich sees it."""
    from rich.console import Console

    return Console(stderr=True)


def draw(line: Line, ended: Event, console: Callable[[], Any]) -> None:
    """Draw the line again and again until the work has ended, if it takes long and somebody can see it."""
    if ended.wait(PATIENCE):
        return
    screen = console()
    if not (screen.is_interactive or screen.is_jupyter):
        return
    while line.is_silent:
        if ended.wait(EVERY):
            return
    if screen.is_jupyter:
        draw_in_notebook(line, ended)
        return
    from rich.live import Live

    # What is printed meanwhile goes above the line, but never from a file or pipe to the terminal.
    printed = {"redirect_stdout": sys.stdout.isatty(), "redirect_stderr": screen.is_terminal}
    with Live(get_renderable=line.drawn, console=screen, transient=True, auto_refresh=False, **printed) as live:
        live.refresh()
        while not ended.wait(EVERY):
            live.refresh()


def draw_in_notebook(line: Line, ended: Event) -> None:
    """Draw the line below the cell, each time in its own place; at the end it is empty."""
    from IPython.display import display

    handle = display({"text/plain": line.text}, raw=True, display_id=True)
    while not ended.wait(EVERY):
        handle.update({"text/plain": line.text}, raw=True)
    handle.update({"text/plain": ""}, raw=True)

"""A line on the terminal, or in a notebook, that shows the progress of long-running work."""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple

from rosenblatt.base.events import ProgressEvent, has_listener, listening
from rosenblatt.base.html import printable

DELAY = 1.0  # seconds before the line appears
REFRESH = 0.1  # seconds between two drawings of the line


@contextmanager
def show_progress() -> Iterator[None]:
    """Show the progress of the work in this block, if it takes longer than a second.

    One line on the standard error stream shows what runs, for how long and, if it is known, how long it will still
    take. The line disappears when the block ends. Nothing is shown if the stream is not a terminal and this is not a
    notebook. Of nested blocks, only the outermost shows a line. Only the work of this thread is shown.

    Yields
    ------
    None
        The progress is shown until the block ends.

    See Also
    --------
    Progress : What `fit_stream` tells a function of your own after each chunk.

    Examples
    --------
    >>> from rosenblatt import datasets, separability, show_progress
    >>> X, y = datasets.load("iris")
    >>> with show_progress():
    ...     kind = separability(X, y == "setosa").kind
    >>> kind
    'strict'
    """
    if has_listener():
        yield
        return
    line, ended = ProgressLine(), Event()
    with ThreadPoolExecutor(1, "progress") as pool:
        drawing = pool.submit(draw, line, ended, console)
        try:
            with listening(line.update):
                yield
        finally:
            ended.set()
            wait([drawing])  # remove the line before an error is printed
        if error := drawing.exception():  # the work is done; a problem with the line must not lose it
            warnings.warn(f"The line that shows progress could not be drawn: {error!r}.", RuntimeWarning, stacklevel=3)


class Stage(NamedTuple):
    """The last event of some work, and the start of the measurement of its speed."""

    event: ProgressEvent
    at: float  # time of the event
    start: float  # time of the first event of this work
    done: float  # `done` of the first event


class ProgressLine:
    """The text of the line: what runs, for how long, and how long it will still take.

    One thread sends the events, another thread draws the line.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._stage: Stage | None = None

    def update(self, event: ProgressEvent) -> None:
        """Take a new event into account."""
        now, old = self._clock(), self._stage
        if old is None or event.what != old.event.what:
            self._stage = Stage(event, now, now, event.done)
            return
        if not event.words:
            event = event._replace(words=old.event.words)
        begins = event.total != old.event.total or event.done < old.event.done
        start, done = (now, event.done) if begins else (old.start, old.done)
        self._stage = Stage(event, now, start, done)

    @property
    def is_empty(self) -> bool:
        """Has there been no event yet?"""
        return self._stage is None

    @property
    def text(self) -> str:
        """The line as plain text."""
        stage, now = self._stage, self._clock()
        if stage is None:
            return ""
        left = seconds_left(stage, now)
        parts = [part for part in (stage.event.words, "" if left is None else f"at most {clocked(left)} left") if part]
        return printable(f"{clocked(now - self._began)}  {stage.event.what}: {', '.join(parts)}")

    def drawn(self) -> Any:
        """Make the line for rich: a bar, if the total is known, and the text."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        words = Text(self.text, no_wrap=True, overflow="ellipsis")
        if self._stage is None or not self._stage.event.total:
            return words
        grid = Table.grid(padding=(0, 1))
        grid.add_row(ProgressBar(self._stage.event.total, self._stage.event.done, width=10), words)
        return grid


def seconds_left(stage: Stage, now: float) -> float | None:
    """Estimate the remaining seconds from the speed so far; None if the total or the speed is not known."""
    event, made = stage.event, stage.event.done - stage.done
    if event.total is None or made <= 0:
        return None
    return max(0.0, (event.total - event.done) * (stage.at - stage.start) / made - (now - stage.at))


def clocked(seconds: float) -> str:
    """Write seconds as a clock does: 0:07, 12:34, 1:00:00."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def console() -> Any:
    """Make a rich console for the standard error stream."""
    from rich.console import Console

    return Console(stderr=True)


def draw(line: ProgressLine, ended: Event, console: Callable[[], Any]) -> None:
    """Redraw the line until the work has ended, if it takes long and the console can show it."""
    if ended.wait(DELAY):
        return
    screen = console()
    if not (screen.is_interactive or screen.is_jupyter):
        return
    while line.is_empty:
        if ended.wait(REFRESH):
            return
    if screen.is_jupyter:
        draw_in_notebook(line, ended)
        return
    from rich.live import Live

    # Text that is printed meanwhile appears above the line; redirected streams are left alone.
    printed = {"redirect_stdout": sys.stdout.isatty(), "redirect_stderr": screen.is_terminal}
    with Live(get_renderable=line.drawn, console=screen, transient=True, auto_refresh=False, **printed) as live:
        live.refresh()
        while not ended.wait(REFRESH):
            live.refresh()


def draw_in_notebook(line: ProgressLine, ended: Event) -> None:
    """Draw the line below the cell, always in the same place; clear it at the end."""
    from IPython.display import display

    handle = display({"text/plain": line.text}, raw=True, display_id=True)
    while not ended.wait(REFRESH):
        handle.update({"text/plain": line.text}, raw=True)
    handle.update({"text/plain": ""}, raw=True)

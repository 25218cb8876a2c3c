"""Tables on the terminal, and all measurements in a JSON file, which is written anew after each of them."""

import json
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from rosenblatt.cluster import Round

MB = 1_000_000


class Report:
    """The measurements of one command.

    Parameters
    ----------
    name : the command; the file is build/cluster-NAME.json
    options : the options of the command, which the file repeats
    """

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.console = Console(width=150, highlight=False)
        self.path = Path("build") / f"cluster-{name}.json"
        self._content: dict[str, Any] = {
            "command": name,
            "options": {key: str(value) if isinstance(value, Path) else value for key, value in options.items()},
            "machine": platform.processor() or platform.machine(),
            "records": [],
        }
        self.path.parent.mkdir(exist_ok=True)

    def add(self, **record: Any) -> None:
        """Keep a measurement, and write the file."""
        self._content["records"].append(record)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self._content, indent=1, default=float) + "\n")
        part.replace(self.path)

    def say(self, text: str) -> None:
        self.console.print(text)

    def table(self, title: str, headings: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
        """Print a table; numbers are on the right."""
        view = Table(title=title, title_justify="left")
        for at, heading in enumerate(headings):
            is_number = any(isinstance(line[at], int | float) for line in lines)
            view.add_column(heading, justify="right" if is_number else "left")
        for line in lines:
            view.add_row(*map(_cell, line))
        self.console.print(view, "")


def spread(numbers: Sequence[float]) -> str:
    """The median, with the smallest and the largest number."""
    return f"{statistics.median(numbers):.4g} ({min(numbers):.4g} - {max(numbers):.4g})"


def by_question(rounds: Sequence[Round]) -> dict[str, list[Round]]:
    """Rounds with the same question together."""
    found: dict[str, list[Round]] = {}
    for one in rounds:
        found.setdefault(one.what, []).append(one)
    return found


def _cell(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

"""The requests that the page can make: the one list of them.

The server reads names and methods here, and imports nothing else of the lab: the functions need libraries that take
seconds to import. Only worker processes load the functions (`jobs.py`).
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple


class Route(NamedTuple):
    """A request that the page can make.

    Attributes
    ----------
    method : "GET" for a request without a body, else "POST"
    module : where the function is
    function : takes the request, checks it, and returns an answer or a file
    """

    method: str
    module: str
    function: str

    def load(self) -> Callable[[dict[str, Any]], Any]:
        """Import the function."""
        loaded: Callable[[dict[str, Any]], Any] = getattr(importlib.import_module(self.module), self.function)
        return loaded


ROUTES = {
    "catalogue": Route("GET", "rosenblatt.lab.offers", "catalogue"),
    "lessons": Route("GET", "rosenblatt.lab.offers", "lessons"),
    "data": Route("POST", "rosenblatt.lab.loading", "data"),
    "table": Route("POST", "rosenblatt.lab.loading", "table"),
    "view": Route("POST", "rosenblatt.lab.loading", "view"),
    "verdict": Route("POST", "rosenblatt.lab.verdict", "verdict"),
    "fewest": Route("POST", "rosenblatt.lab.verdict", "fewest"),
    "run": Route("POST", "rosenblatt.lab.runs.run", "run"),
    "export": Route("POST", "rosenblatt.lab.downloads", "export"),
    "pose": Route("POST", "rosenblatt.lab.lessons", "pose"),
    "check": Route("POST", "rosenblatt.lab.lessons", "check"),
}

"""The answers that the lab keeps for the first requests of its page: `python -m tests.support.first_answers`."""

from typing import Any

from rosenblatt.lab.jobs import JOBS
from rosenblatt.lab.web.first_answers import FILE
from rosenblatt.web.replies import as_json

FIRST_DATA = "berkeley_points"  # what the page opens, see page/addresses.js
EMPTY = {"rosenblatt_lab": 1, "gaussians": [], "step": 0}


def requests() -> dict[str, Any]:
    """What a page asks first, by the name of the job."""
    data: dict[str, Any] = {"name": FIRST_DATA, "options": {}, "columns": None}
    board = EMPTY | JOBS["data"](data)["board"]
    return {
        "catalogue": {},
        "lessons": {},
        "data": data,
        "run": {"board": board, "pane": 0},
        "verdict": {"board": board},
    }


def text() -> str:
    """The file as it should be, with one line for each job."""
    kept = {job: {"request": request, "answer": JOBS[job](request)} for job, request in requests().items()}
    lines = [f'"{job}": {as_json(entry).decode()}' for job, entry in kept.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

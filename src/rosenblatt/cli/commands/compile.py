"""`rosenblatt compile`: compile all rules ahead of their first use."""

import time

import typer

from rosenblatt.base.events import report_progress
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import AsJson, echo_json


def compile_rules(as_json: AsJson = False) -> None:
    """Compile all rules for this machine, so that nothing waits for it later.

    Small data needs no compiler, and larger work compiles what it needs when it needs it. This command compiles all of
    it at once, with a process for each core, and keeps the result on disk. Run it again after an update of rosenblatt
    or numba; if nothing has changed, it takes a few seconds.

    Examples:

    rosenblatt compile
    """
    start = time.monotonic()
    with show_progress():
        report_progress("compiler", 0, None, "loading")
        from rosenblatt.cli.compile_jobs import run_all

        jobs = run_all()
    seconds = time.monotonic() - start
    if as_json:
        echo_json({"jobs": jobs, "seconds": round(seconds, 1)})
    else:
        typer.echo(f"All rules are compiled, in {seconds:.0f} s. They are kept on disk.")

"""The command `rosenblatt`: its subcommands, its error messages and its exit codes.

Results go to standard output, messages and progress to standard error. Exit codes: 0 success, 1 the claim is false or
undecided, 2 bad input, 70 a defect of rosenblatt, 130 stopped by Ctrl-C, 141 the output pipe was closed, 143 stopped by
SIGTERM.
"""

import contextlib
import io
import os
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from rosenblatt import __version__
from rosenblatt.cli.commands import data
from rosenblatt.cli.commands.check import check, verify
from rosenblatt.cli.commands.compile import compile_rules
from rosenblatt.cli.commands.fit import fit
from rosenblatt.cli.commands.info import info
from rosenblatt.cli.commands.lab import lab
from rosenblatt.cli.commands.plot import plot
from rosenblatt.cli.commands.predict import predict
from rosenblatt.cli.commands.send import send
from rosenblatt.cli.commands.serve import serve
from rosenblatt.cli.commands.trace import trace
from rosenblatt.cli.signals import STOPPED, TERMINATED, ends_in_order
from rosenblatt.errors import RosenblattError
from rosenblatt.errors.wording import Wording

DEFECT = 70  # EX_SOFTWARE of sysexits.h
PIPE_CLOSED = 141  # as shells report SIGPIPE
app = typer.Typer(name="rosenblatt", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown")
for command in (check, verify, fit, predict, trace, plot, lab, serve, send, info):
    app.command()(command)
app.command("compile")(compile_rules)
app.add_typer(data.app, name="data")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def rosenblatt(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print the traceback of an error. Allowed anywhere.")] = False,
) -> None:
    """Train linear classifiers of the perceptron family, and prove whether data is linearly separable.

    Results go to standard output, messages to standard error. Exit codes: 0 success, 1 a claim is false or undecided
    (check, verify), 2 bad input, 130 stopped by Ctrl-C, 143 by SIGTERM.
    """


def main() -> None:
    """Run the command. Bad input gives one sentence, not a traceback."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are written to files only
    sys.stdout = sys.stdout or io.StringIO()  # None if the shell has closed it
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the terminal lacks become question marks
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        with warnings.catch_warnings(), ends_in_order():
            warnings.showwarning = _show_warning
            code = app(arguments, prog_name="rosenblatt", standalone_mode=False)
            sys.stdout.flush()
    except (RosenblattError, TyperException, OSError, MemoryError) as error:
        if len(arguments) < len(sys.argv) - 1:
            traceback.print_exc()
        code = _report_error(error, arguments)
    except Exception:
        traceback.print_exc()
        typer.echo("error: this is a defect of rosenblatt, not an error in your input; please report it.", err=True)
        code = DEFECT
    except SystemExit as end:
        code = end.code
        if isinstance(end.__context__, BrokenPipeError):  # the reader of a pipe, such as head, has ended
            _drop_output()
            code = PIPE_CLOSED
    if code in (STOPPED, TERMINATED):
        typer.echo("stopped.", err=True)
    sys.exit(code or 0)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning of this package as a note. Those of other libraries speak of functions the command has not."""
    text = message.args[0] if isinstance(message, Warning) and message.args else message
    if isinstance(text, Wording):
        typer.echo(f"note: {text.command}", err=True)


def _report_error(error: Exception, arguments: list[str]) -> int:
    """Print the error, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        _drop_output()
        return PIPE_CLOSED
    if isinstance(error, OSError):
        _drop_output()
        message = f"it cannot be written or read: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        message = "There is not enough memory; try fewer columns, or --stream"
    elif isinstance(error, RosenblattError):
        message = error.with_flags()
    else:
        message = _usage_message(error, arguments)
    if message:
        typer.echo(f"error: {message}{'' if message.endswith(('.', '?')) else '.'}", err=True)
    return 2


def _usage_message(error: Any, arguments: list[str]) -> str:
    """The message of a usage error, with the wrong value; empty if the help was printed instead."""
    message = getattr(error, "format_message", lambda: str(error))().replace("Value error, ", "").strip()
    if not message:
        return ""
    for option in getattr(getattr(error, "param", None), "opts", ()):
        if option in arguments[:-1] and "is not one of" not in message:
            message += f", not {arguments[arguments.index(option) + 1]!r}"
    context = getattr(error, "ctx", None)
    path = "rosenblatt" if context is None else context.command_path
    stop = "" if message.endswith("?") else "."
    return f"{message[0].upper()}{message[1:].removesuffix('.')}{stop} See {path} --help"


def _drop_output() -> None:
    """Discard all output that is not written yet."""
    with contextlib.suppress(OSError, ValueError):  # standard output may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

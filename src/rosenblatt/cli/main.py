"""The command `rosenblatt`: its parts, and how it ends.

Results go to standard output, messages and progress to standard error. Exit codes: 0 done, 1 the claim is false or
undecided, 2 bad input, 70 a defect of ours, 130 stopped by Ctrl-C, 141 nobody reads the answer any more.
"""

import contextlib
import io
import os
import re
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from rosenblatt import __version__
from rosenblatt.cli import data
from rosenblatt.cli.check import check, verify
from rosenblatt.cli.fit import fit
from rosenblatt.cli.info import info
from rosenblatt.cli.lab import lab
from rosenblatt.cli.plot import plot
from rosenblatt.cli.predict import predict
from rosenblatt.cli.trace import trace
from rosenblatt.errors import RosenblattError

PYTHON = re.compile(r"\b(columns|categories|fill|format|target|classes|hash_bits)=(?:\['([^']*)'\])?")
DEFECT, STOPPED, UNREAD = 70, 130, 141  # as sysexits.h has it; as shells have it: by SIGINT, by SIGPIPE
app = typer.Typer(name="rosenblatt", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown")
for command in (check, verify, fit, predict, trace, plot, lab, info):
    app.command()(command)
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
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from; may stand anywhere.")] = False,
) -> None:
    """The perceptron family of linear classifiers, with proofs.

    Results go to standard output, messages to standard error. Exit codes: 0 done, 1 a claim is false or undecided
    (check, verify), 2 bad input, 130 stopped by Ctrl-C.
    """


def main() -> None:
    """Run the command; what is wrong with the input is one sentence, not a traceback."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # pictures go to files
    sys.stdout = sys.stdout or io.StringIO()  # the shell may have closed it
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a letter shows a question mark
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        code = app(arguments, prog_name="rosenblatt", standalone_mode=False)
        sys.stdout.flush()
    except (RosenblattError, TyperException, OSError, MemoryError) as error:
        if len(arguments) < len(sys.argv) - 1:
            traceback.print_exc()
        code = _ended_by(error, arguments)
    except Exception:
        traceback.print_exc()
        typer.echo("error: this is a defect of rosenblatt, not of your input; please report it.", err=True)
        code = DEFECT
    except SystemExit as end:
        code = end.code
        if isinstance(end.__context__, BrokenPipeError):  # whoever read the answer has read enough
            _drop_output()
            code = UNREAD
    if code == STOPPED:
        typer.echo("stopped.", err=True)
    sys.exit(code or 0)


def _ended_by(error: Exception, arguments: list[str]) -> int:
    """Tell what is wrong; the exit code."""
    if isinstance(error, BrokenPipeError):
        _drop_output()
        return UNREAD
    if isinstance(error, OSError):
        _drop_output()
        said = f"it cannot be written or read: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        said = "There is not enough memory for this; try fewer columns, or --stream"
    elif isinstance(error, TyperException):
        said = _usage(error, arguments)
    else:
        said = PYTHON.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2] or ''}".rstrip(), str(error))
    if said:
        typer.echo(f"error: {said}{'' if said.endswith(('.', '?')) else '.'}", err=True)
    return 2


def _usage(error: Any, arguments: list[str]) -> str:
    """What is wrong with a command that was not understood; nothing if its help was printed."""
    said = getattr(error, "format_message", lambda: str(error))().replace("Value error, ", "").strip()
    if not said:
        return ""
    for option in getattr(getattr(error, "param", None), "opts", ()):
        if option in arguments[:-1] and "is not one of" not in said:
            said += f", not {arguments[arguments.index(option) + 1]!r}"
    context = getattr(error, "ctx", None)
    path = "rosenblatt" if context is None else context.command_path
    return f"{said[0].upper()}{said[1:].removesuffix('.')}{'' if said.endswith('?') else '.'} See {path} --help"


def _drop_output() -> None:
    """What is still to be written goes nowhere."""
    with contextlib.suppress(OSError, ValueError):  # it may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""`rosenblatt lab`: a page in the browser where every step can be watched, on points of one's own."""

import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import AsJson, Format, Target, Text, echo_json, format_of, listed, refuse_too_many_classes
from rosenblatt.errors import DataError, MissingExtra, ParameterError

FEW = 8  # names of columns that an error lists


def lab(
    file: Annotated[Text, typer.Argument(metavar="FILE", help="Two columns and a label, or a lab.json.")] = None,
    target: Target = None,
    columns: Annotated[Text, typer.Option(help="The two columns to show, if there are more: 0,1 or a,b.")] = None,
    format: Format = None,  # noqa: A002
    port: Annotated[int, typer.Option(min=0, max=65535, help="Another if it is taken; 0: any that is free.")] = 8958,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser, or only say where it is.")] = True,
    as_json: AsJson = False,
) -> None:
    """Watch every step in the browser: put points, choose an algorithm, go forward and back, see the proof.

    The page is served on this machine, to this machine only, and needs no network. Ctrl-C ends it.

    Examples:

    rosenblatt lab

    rosenblatt lab iris.csv --columns 2,3

    rosenblatt lab and.csv --port 0 --no-browser
    """
    try:
        from rosenblatt.lab.web import server
    except ImportError as error:
        raise MissingExtra("The lab", "serve") from error

    fragment = "" if file is None else _fragment(file, target, columns, format)
    with server.listen(port) as listening:
        taken = listening.getsockname()[1]
        if port not in (0, taken):
            typer.echo(f"note: port {port} is taken or reserved, so the lab is at port {taken}.", err=True)
        address = f"http://{server.HOST}:{taken}{server.START if fragment else '/'}"

        def tell() -> None:
            if as_json:
                echo_json({"address": address, "port": taken})
            else:
                typer.echo(f"lab: {address}  (Ctrl-C ends it)")
            sys.stdout.flush()  # who waits for the address at a pipe waits for it alone
            if browser:  # in a thread, since some browsers return only when they end
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        with suppress(KeyboardInterrupt):  # that is how it is meant to end
            server.serve(listening, f"/{fragment}", tell)


def _fragment(file: str, target: Text, columns: Text, format: Text) -> str:  # noqa: A002
    """The board in the file, as the end of an address."""
    from rosenblatt.data.files.board import Board
    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import check_readable
    from rosenblatt.data.matrices import dense

    if Path(file).suffix.lower() == ".json":
        if (target, columns, format) != (None, None, None):
            raise ParameterError(f"{file}: --target, --columns and --format are for data; a board has its own.")
        check_readable(file)
        with _named(file):
            return Board.from_json(Path(file).read_text(encoding="utf-8")).to_link()
    data = read(file, target, columns=listed(columns), format=format_of(file, format))
    refuse_too_many_classes(file, data.y.tolist(), target)
    names = data.names or [f"x{j + 1}" for j in range(data.X.shape[1])]
    if len(names) != 2:
        raise DataError(
            f"{file}: the lab shows two columns, and here are {len(names):,}: {_few(names)}. Name two of them with "
            "--columns, separated by a comma."
        )
    with _named(file):
        return Board.of_rows(dense(data.X), data.y, names).to_link()


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: byte {error.start} is not of UTF-8, as a board of the lab is.") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


def _few(names: list[str]) -> str:
    return ", ".join(map(repr, names[:FEW])) + ", ..." * (len(names) > FEW)

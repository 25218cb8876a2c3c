"""`rosenblatt lab`: a page in the browser that shows every step of an algorithm on points of your own."""

import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import typer

from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.cli.inputs import dialect_notes, format_of, gap_notes, question_target, tell
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    AsJson,
    Format,
    Missing,
    Target,
    Text,
    TextOptions,
    echo_json,
    parse_list,
    parse_missing,
)
from rosenblatt.errors import DataError, MissingExtraError, ParameterError
from rosenblatt.errors.remedy import flag

MAX_LISTED_COLUMNS = 8


class TableOptions(NamedTuple):
    """Which columns to show, and how the file is read."""

    target: Target = None
    columns: Annotated[
        Text, typer.Option(help="The two columns to show, if there are more, for example 0,1 or a,b.")
    ] = None
    missing: Missing = None
    format: Format = None


@grouped
def lab(
    *,
    file: Annotated[
        Text, typer.Argument(metavar="FILE", help="Data of two columns and a label, or a lab.json.")
    ] = None,
    table: TableOptions,
    text: TextOptions,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; if it is in use, another is chosen. 0: any free port.")
    ] = 8958,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser, or only print its address.")] = True,
    as_json: AsJson = False,
) -> None:
    """Open a page in the browser: place points, choose an algorithm, step through it, and see the proof.

    The page is served by this machine to this machine only. It needs no network. Ctrl-C stops it.

    Examples:

    rosenblatt lab

    rosenblatt lab iris.csv --columns 2,3

    rosenblatt lab and.csv --port 0 --no-browser
    """
    try:
        from rosenblatt.lab.web import server
        from rosenblatt.web.guard import HOST
        from rosenblatt.web.serving import listen
    except ImportError as error:
        raise MissingExtraError("The lab", "serve") from error

    fragment = "" if file is None else _fragment(file, table, text)
    with listen(HOST, port) as listening:
        taken = listening.getsockname()[1]
        if port not in (0, taken):
            typer.echo(f"note: port {port} is in use or reserved, so the lab uses port {taken}.", err=True)
        address = f"http://{HOST}:{taken}{server.START if fragment else '/'}"

        def tell() -> None:
            if as_json:
                echo_json({"address": address, "port": taken})
            else:
                typer.echo(f"lab: {address}  (press Ctrl-C to stop)")
            sys.stdout.flush()  # a program that reads this from a pipe gets the address at once
            if browser:  # in a thread, because some browsers return only when they are closed
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        with suppress(KeyboardInterrupt):  # the normal end
            server.serve(listening, f"/{fragment}", tell)


def _fragment(file: str, table: TableOptions, text: TextOptions) -> str:
    """The board in the file, as the fragment of an address."""
    from rosenblatt.data.files.lab_board import Board
    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import check_readable, places
    from rosenblatt.data.matrices import dense

    if Path(file).suffix.lower() == ".json":
        for name, value in (table._asdict() | text._asdict()).items():
            if value is not None:
                raise ParameterError(f"{file}: {flag(name)} is for data files; leave it out for a board.")
        check_readable(file)
        with _errors_in(file):
            return Board.from_json(Path(file).read_text(encoding="utf-8")).to_link()
    files = places(file, format_of(file, table.format))
    options: dict[str, Any] = {"columns": parse_list(table.columns), "missing": parse_missing(table.missing)}
    data = read(cast(Any, files), table.target, **options, **text.for_read())
    tell(dialect_notes(file, files[0].format, data.dialect, DialectOptions(*text)))
    tell(gap_notes(file, data))
    question_target(file, data.y.tolist(), table.target)
    names = data.feature_names or [f"x{j + 1}" for j in range(data.X.shape[1])]
    if len(names) != 2:
        raise DataError(
            f"{file}: the lab shows two columns, but there are {len(names):,}: {_list(names)}. Name two of them with "
            "--columns, separated by a comma."
        )
    with _errors_in(file):
        return Board.of_rows(dense(data.X), data.y, names).to_link()


@contextmanager
def _errors_in(file: str) -> Iterator[None]:
    """Put the name of the file before the message of an error."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: byte {error.start} is not UTF-8, but a board of the lab is UTF-8 text.") from error
    except DataError as error:
        raise error.within(file) from error


def _list(names: list[str]) -> str:
    return ", ".join(map(repr, names[:MAX_LISTED_COLUMNS])) + ", ..." * (len(names) > MAX_LISTED_COLUMNS)

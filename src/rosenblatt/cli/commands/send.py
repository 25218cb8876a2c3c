"""`rosenblatt send`: examples from a file or a pipe to a service."""

import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from rosenblatt.base.events import report_progress
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.inputs import format_of
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import AsJson, Format, Target, Text, echo_json
from rosenblatt.errors import DataError, MissingExtraError


class Where(NamedTuple):
    """The service and the model."""

    model: Annotated[str, typer.Option(help="The name of the model.")]
    address: Annotated[str, typer.Option(help="The address that `rosenblatt serve` prints.")] = "http://127.0.0.1:8959"
    token_file: Annotated[Text, typer.Option(help="A file with the token, if the service asks for one.")] = None


@grouped
def send(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='JSON lines such as {"x": [5.1, 3.5], "y": "a"}, a data file, or - for a pipe of lines.',
        ),
    ],
    where: Where,
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Examples in a request.")] = 100,
    target: Target = None,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Send examples to a service, which learns from them, and say how many were predicted wrong before.

    Lines of JSON are sent as they are. Of a data file, the rows are sent as lists, or by their names if the model takes
    names. A request whose answer is lost is sent again, and learned once.

    Examples:

    rosenblatt send examples.jsonl --model spam

    rosenblatt send - --model spam --batch 1 < examples.jsonl

    rosenblatt send iris.csv --model iris --target label
    """
    try:
        from rosenblatt.client.client import Client
    except ImportError as error:
        raise MissingExtraError("rosenblatt send", "serve") from error
    token = None if where.token_file is None else _token_in(where.token_file)
    seen = wrong = 0
    with Client(where.address, token=token) as client, show_progress():
        facts = client.model(where.model)
        for lines in _batches(_lines_of(source, target, format, facts), batch):
            learned = client.send(where.model, b"\n".join(lines))
            seen, wrong = seen + len(learned), wrong + sum(one.mistake for one in learned)
            report_progress(
                "send", seen, None, "{:,} examples, {:,} predicted wrong before they were learned", seen, wrong
            )
    if as_json:
        echo_json({"model": where.model, "sent": seen, "mistakes": wrong})
    else:
        share = f", {wrong / seen:.1%}" if seen else ""
        typer.echo(f"{where.model}: {seen:,} examples were sent; {wrong:,} of them were predicted wrong before{share}.")


def _token_in(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").split()[-1]
    except (OSError, UnicodeDecodeError, IndexError) as error:
        raise DataError(f"{path}: a file with a token was expected.") from error


def _batches(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    left = iter(lines)
    while part := list(itertools.islice(left, size)):
        yield part


def _lines_of(source: str, target: Text, kind: Text, facts: dict[str, Any]) -> Iterator[bytes]:
    """The examples of a file or of standard input, as lines of JSON."""
    with ExitStack() as stack:
        if source == "-":
            file: Any = sys.stdin.buffer
        else:
            try:
                file = stack.enter_context(Path(source).open("rb"))
            except OSError as error:
                raise DataError(f"{source}: it cannot be read: {error.strerror}.") from error
        first = file.readline()
        if source == "-" or _is_example(first):
            yield from (line.strip() for line in itertools.chain([first], file) if line.strip())
            return
    yield from _lines_of_table(source, target, kind, facts)


def _is_example(line: bytes) -> bool:
    try:
        given = json.loads(line)
    except ValueError:
        return False
    return isinstance(given, dict) and "x" in given and "y" in given


def _lines_of_table(source: str, target: Text, kind: Text, facts: dict[str, Any]) -> Iterator[bytes]:
    from rosenblatt.data.matrices import dense
    from rosenblatt.data.streams.stream import Stream

    stream = Stream(source, target, format=format_of(source, kind))
    for chunk in stream.chunks():
        labels = stream.header.classes[chunk.codes].tolist()
        names = stream.feature_names_ or [str(j) for j in range(chunk.X.shape[1])]
        for row, label in zip(dense(chunk.X).tolist(), labels, strict=True):
            x = row if facts["columns"] is not None else {n: v for n, v in zip(names, row, strict=True) if v}
            yield json.dumps({"x": x, "y": label}).encode()

"""`rosenblatt serve`: models that learn online over HTTP, and lose nothing."""

import ipaddress
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from rosenblatt.base.words import count_of
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import AsJson, Text, echo_json
from rosenblatt.errors import DataError, MissingExtraError, ParameterError

LOCAL = ("127.0.0.1", "::1", "localhost")


class Reach(NamedTuple):
    """Options of the address, and of who can reach it."""

    host: Annotated[str, typer.Option(help="The address to listen at. Any but this machine's own needs --tokens.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port. 0: any free port.")] = 8959
    tokens: Annotated[
        Text, typer.Option(help="A file with a role (read, learn, admin) and a token a line. Its mode must be 600.")
    ] = None
    tls_cert: Annotated[Text, typer.Option(help="A certificate in PEM format, for https.")] = None
    tls_key: Annotated[Text, typer.Option(help="The private key of the certificate.")] = None


class Keeping(NamedTuple):
    """Options of the log and of the snapshots."""

    durability: Annotated[
        str, typer.Option(help="commit: an example is acknowledged when it is on disk; os: when the system has it.")
    ] = "commit"
    snapshot_every: Annotated[int, typer.Option(min=1, help="Examples between two snapshots.")] = 20_000
    keep_snapshots: Annotated[int, typer.Option(min=1, help="Snapshots that are kept for a rollback.")] = 10
    keep_examples: Annotated[
        int, typer.Option(min=0, help="Examples that stay in the log when a snapshot has them.")
    ] = 1_000_000


@grouped
def serve(
    *,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the models. It is made if needed.")],
    reach: Reach,
    keeping: Keeping,
    log: Annotated[bool, typer.Option(help="Write a line of JSON for each request to standard error.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve models that learn online: predict, observe the label, learn, over HTTP.

    Examples are on disk before they are acknowledged. Ctrl-C or SIGTERM stops the service: it finishes what waits and
    takes a snapshot. docs/serve.md has the requests.

    Examples:

    rosenblatt serve models

    rosenblatt serve models --host 0.0.0.0 --tokens tokens.txt --tls-cert cert.pem --tls-key key.pem
    """
    if keeping.durability not in ("commit", "os"):
        raise ParameterError(f"--durability must be commit or os, not {keeping.durability!r}.")
    _check_reach(reach)
    if Path(folder).exists() and not Path(folder).is_dir():
        raise DataError(f"{folder}: a folder was expected, and this is a file.")
    try:
        from rosenblatt.web.serving import listen_at
    except ImportError as error:
        raise MissingExtraError("The service", "serve") from error
    with listen_at(reach.host, reach.port) as listening:  # clients that come before all is imported wait
        _serve(Path(folder), reach, keeping, listening, log=log, as_json=as_json)


def _check_reach(reach: Reach) -> None:
    """Raise if the options do not fit each other, or a file is not there."""
    if not _is_local(reach.host) and reach.tokens is None:
        raise ParameterError(
            f"--host {reach.host} lets other machines reach the service; give --tokens with a file of tokens too."
        )
    if (reach.tls_cert is None) != (reach.tls_key is None):
        raise ParameterError("--tls-cert and --tls-key belong together; give both.")
    for given in (reach.tls_cert, reach.tls_key):
        if given is not None and not Path(given).is_file():
            raise DataError(f"{given}: there is no such file.")


def _serve(folder: Path, reach: Reach, keeping: Keeping, listening: socket.socket, *, log: bool, as_json: bool) -> None:
    """Open the models, and answer requests until the end."""
    try:
        from rosenblatt.service.http.app import log_to_stderr
        from rosenblatt.service.http.serving import Door
        from rosenblatt.service.http.serving import serve as run
    except ImportError as error:
        raise MissingExtraError("The service", "serve") from error
    from rosenblatt.service.http.tokens import Tokens
    from rosenblatt.service.running.models import Models
    from rosenblatt.service.running.settings import Settings

    tokens = None if reach.tokens is None else Tokens.read(Path(reach.tokens))
    tls = [None if given is None else Path(given) for given in (reach.tls_cert, reach.tls_key)]
    models = Models(folder, Settings(keeping.durability, *keeping[1:], loads_rules=True))  # type: ignore[arg-type]
    for place, why in models.broken.items():
        typer.echo(f"warning: {folder}/{place} cannot be opened: {why}", err=True)
    port = listening.getsockname()[1]
    address = f"http{'s' if tls[0] else ''}://{reach.host}:{port}/"

    def tell() -> None:
        if as_json:
            echo_json({"address": address, "port": port, "models": len(models)})
        else:
            typer.echo(f"serve: {address}, {count_of(len(models), 'model')}  (press Ctrl-C to stop)")
        sys.stdout.flush()

    door = Door(_is_local(reach.host), tokens, *tls)
    try:
        with suppress(KeyboardInterrupt):  # the normal end
            run(models, listening, door, log_to_stderr if log else None, tell)
    finally:
        models.close()
        typer.echo("serve: all models are saved.", err=True)


def _is_local(host: str) -> bool:
    if host in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

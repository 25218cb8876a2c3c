"""The command: `rosenblatt check` and `rosenblatt verify`.

Results go to standard output, messages to standard error. Exit codes: 0 done, 1 the claim is false or undecided, 2 bad
input.
"""

import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.certificate import Certificate
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.reading import read_file

app = typer.Typer(no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False)
Data = Annotated[Path, typer.Argument(help="CSV or TSV with the label in a column, or LIBSVM's format (.svm).")]
Target = Annotated[str | None, typer.Option(help="The column of the label: name, or number from 0. Default: the last.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]


@app.callback()
def rosenblatt() -> None:
    """The perceptron family of linear classifiers, with proofs."""


@app.command()
def check(
    data: Data,
    target: Target = None,
    cert: Annotated[Path | None, typer.Option(help="Write the certificate here.")] = None,
    detail: Annotated[bool, typer.Option(help="Tell weak separation from overlap.")] = True,
    budget: Annotated[float | None, typer.Option(help="Seconds after which it may stay undecided.")] = None,
    as_json: AsJson = False,
) -> None:
    """Is this data linearly separable?  The verdict is the first word: strict, weak or overlap.

    Example: rosenblatt check iris.csv --target species --cert iris.json
    """
    from rosenblatt.separation import separability

    X, y = read_file(data, target)
    names = f": {', '.join(X.names[:12])}{', ...' * (len(X.names) > 12)}" if X.names else ""
    if sys.stderr.isatty():
        typer.echo(f"{data}: {X.n} rows (numbered from 0) of {X.d} columns{names}", err=True)
    try:
        verdict = separability(X, y, detail=detail, budget=budget)
    except DataError as error:
        raise DataError(f"{data}: {error}") from error
    if cert and verdict.certificate:
        write_atomically(cert, verdict.certificate.to_json() + "\n")
    if as_json:
        witness = verdict.witness
        answer = {
            "kind": verdict.kind,
            "margin_bounds": verdict.margin_bounds and [x if math.isfinite(x) else None for x in verdict.margin_bounds],
            "hyperplane": verdict.hyperplane and {"w": verdict.hyperplane.w.tolist(), "b": verdict.hyperplane.b},
            "witness": witness and {"rows": witness.rows, "weights": [str(weight) for weight in witness.weights]},
            "against": witness and witness.against,
            "stuck": verdict.stuck.tolist(),
            "pairs": [[a, b, pair.kind] for (a, b), pair in verdict.pairs.items()],
            "contradictions": list(verdict.contradictions),
            "explanation": verdict.explain(),
        }
        typer.echo(json.dumps(answer))
    else:
        typer.echo(f"{verdict.kind}\n{verdict.explain()}")
        if cert and verdict.certificate:
            typer.echo(f"certificate: {cert}", err=True)
    raise typer.Exit(1 if verdict.kind == "undecided" else 0)


@app.command()
def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate, a JSON file.")],
    data: Data,
    target: Target = None,
    as_json: AsJson = False,
) -> None:
    """Is this certificate true of this data?  Checked in whole numbers; exit code 1 if it is not.

    Example: rosenblatt verify iris.json iris.csv --target species
    """
    try:
        text = certificate.read_bytes()
    except OSError as error:
        raise DataError(f"{certificate}: it cannot be read: {error.strerror}.") from error
    try:
        claim = Certificate.from_json(text)
    except DataError as error:
        raise DataError(f"{certificate}: {error}") from error
    X, y = read_file(data, target)
    true = claim.verify(X, y)
    if as_json:
        typer.echo(json.dumps({"verified": true, "claim": claim.claim, "why": claim.why}))
    else:
        typer.echo(f"{'verified' if true else 'refused'}: {claim.claim}\n{claim.why}")
        if true:
            typer.echo(claim.explain())
    raise typer.Exit(0 if true else 1)


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that there is the old one or the new one, never a part (a device or a pipe is written to)."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_text(text, encoding="utf-8")
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DataError(f"{path}: it cannot be written: {error.strerror}.") from error


def main() -> None:
    """Run the command; what is wrong with the input is one sentence, not a traceback."""
    try:
        app()
    except RosenblattError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()

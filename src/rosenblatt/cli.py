"""The command: `rosenblatt check`, `verify`, `fit` and `data`.

Results go to standard output, messages to standard error. Exit codes: 0 done, 1 the claim is false or undecided, 2 bad
input.
"""

import json
import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt import data_command
from rosenblatt.certificate import Certificate
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.fit_command import fit
from rosenblatt.reading import DELIMITERS, SPARSE, File, read_file
from rosenblatt.replacing import replacing
from rosenblatt.table import Table, read_table

app = typer.Typer(no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False)
Data = Annotated[Path, typer.Argument(help="CSV, TSV, LIBSVM (.svm), Parquet, Arrow, JSON lines, VW or NPZ.")]
Target = Annotated[str | None, typer.Option(help="The column of the label: name, or number from 0. Default: the last.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]


app.command()(fit)
app.add_typer(data_command.app, name="data")


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
    from rosenblatt.separable import separability

    X, y = labelled_rows(data, target)
    names = f": {', '.join(X.names[:12])}{', ...' * (len(X.names) > 12)}" if X.names else ""
    if sys.stderr.isatty():
        typer.echo(f"{data}: {X.n} rows (numbered from 0) of {X.d} columns{names}", err=True)
    try:
        verdict = separability(X, y, detail=detail, budget=budget)
    except DataError as error:
        raise DataError(f"{data}: {error}") from error
    if cert and verdict.certificate:
        with replacing(cert) as file:
            file.write((verdict.certificate.to_json() + "\n").encode())
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
    X, y = labelled_rows(data, target)
    true = claim.verify(X, y)
    if as_json:
        typer.echo(json.dumps({"verified": true, "claim": claim.claim, "why": claim.why}))
    else:
        typer.echo(f"{'verified' if true else 'refused'}: {claim.claim}\n{claim.why}")
        if true:
            typer.echo(claim.explain())
    raise typer.Exit(0 if true else 1)


def labelled_rows(path: Path, target: str | None) -> File:
    """Rows and labels: of plain text, by the checker's own reader, which keeps whole numbers of any size."""
    if path.suffix.lower() in (*DELIMITERS, *SPARSE):
        return read_file(path, target)
    from rosenblatt.files import read

    found = read(path, target)
    table = read_table(found.X)
    return File(Table(table.floats, table.large, found.names), found.y.tolist())


def main() -> None:
    """Run the command; what is wrong with the input is one sentence, not a traceback."""
    try:
        app()
    except RosenblattError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()

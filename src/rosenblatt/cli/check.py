"""`rosenblatt check` and `rosenblatt verify`: is this data separable, and is that certificate true of it?"""

import math
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rosenblatt.base.events import tell
from rosenblatt.base.html import printable
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import (
    AsJson,
    Categories,
    Columns,
    Fill,
    Format,
    Source,
    Target,
    Text,
    as_file,
    echo_json,
    fill_of,
    listed,
    refuse_missing_folders,
    refuse_too_many_classes,
)
from rosenblatt.errors import DataError, NotANumber, ParameterError, meant

SECONDS = 5.0  # for the fewest errors
WIDTH = 100
Kind = Literal["strict", "weak", "overlap", "not_strict"]


def check(
    data: Source,
    target: Target = None,
    classes: Annotated[str | None, typer.Option(help="Ask only about these two, separated by a comma.")] = None,
    cert: Annotated[Path | None, typer.Option(help="Write the certificate here.")] = None,
    expect: Annotated[Kind | None, typer.Option(help="Exit with 1 unless the verdict is this.")] = None,
    detail: Annotated[bool, typer.Option(help="Tell weak separation from overlap.")] = True,
    budget: Annotated[float | None, typer.Option(help="Seconds after which it may stay undecided.")] = None,
    columns: Columns = None,
    categories: Categories = None,
    fill: Fill = None,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Is this data linearly separable?  Verdict first, then the evidence, then what to do.

    The first word is strict, weak or overlap (not_strict with --no-detail). Rows are counted from 0, the header not
    among them. Exit code 1: undecided, or not what --expect says.

    Examples:

    rosenblatt check iris.csv

    rosenblatt check iris.csv --classes versicolor,virginica --cert pair.json

    rosenblatt check wide.svm --no-detail --budget 60 --json
    """
    from rosenblatt.base.atomic_file import replacing
    from rosenblatt.report import advice

    refuse_missing_folders(cert)
    with show_progress():
        X, y = labelled_rows(data, target, format, reading_of(columns, categories, fill))
        try:
            verdict = _of_all(X, y, detail, budget) if classes is None else _of_pair(X, y, classes, detail, budget)
        except DataError as error:
            raise DataError(f"{data}: {error}") from error
        fewest = _fewest_errors(verdict, X, y, budget)
    if cert and verdict.certificate:
        with replacing(cert) as file:
            file.write((verdict.certificate.to_json() + "\n").encode())
    if as_json:
        echo_json(_facts(verdict, fewest, smaller_class(verdict, y)))
    else:
        said = [advice.headline(verdict, fewest)]
        if verdict.kind != "undecided":
            said.append(f"Evidence. {advice.evidence(verdict)}")
        said.append(f"What to do. {advice.advice(verdict, smaller_class(verdict, y))}")
        typer.echo("\n\n".join(textwrap.fill(printable(text), WIDTH) for text in said))
        if cert and verdict.certificate:
            typer.echo(f"certificate: {cert}", err=True)
    right = verdict.kind == expect if expect else verdict.kind != "undecided"
    raise typer.Exit(0 if right else 1)


def verify(
    certificate: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="A JSON file, or - for a pipe.")],
    data: Source,
    target: Target = None,
    columns: Columns = None,
    categories: Categories = None,
    fill: Fill = None,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Is this certificate true of this data?  Checked in whole numbers; exit code 1 if it is not.

    Examples:

    rosenblatt verify pair.json iris.csv

    rosenblatt verify pair.json - --json < iris.csv
    """
    if certificate == data == "-":
        raise ParameterError("Either the certificate or the data can come from standard input, not both.")
    claim = certificate_in(certificate)
    with show_progress():
        X, y = labelled_rows(data, target, format, reading_of(columns, categories, fill))
        tell("verification", 0)
        true = claim.verify(X, y)
    if as_json:
        echo_json({"verified": true, "claim": claim.claim, "why": claim.why})
    else:
        typer.echo(f"{'verified' if true else 'refused'}: {claim.claim}\n{claim.why}")
        if true:
            typer.echo(textwrap.fill(claim.explain(), WIDTH))
    raise typer.Exit(0 if true else 1)


def certificate_in(path: str) -> Any:
    """The certificate that a file holds, or standard input."""
    from rosenblatt.certificate.certificate import Certificate

    try:
        text = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise DataError(f"{path}: it cannot be read: {error.strerror}.") from error
    try:
        return Certificate.from_json(text)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def reading_of(columns: Text, categories: Text, fill: Text) -> dict[str, Any]:
    """Options of reading that the checker's own reader does not have, those that were given."""
    given = {"columns": listed(columns), "categories": listed(categories), "fill": fill_of(fill)}
    return {name: value for name, value in given.items() if value is not None}


def labelled_rows(source: str, target: Text, format: Text, reading: dict[str, Any]) -> Any:  # noqa: A002
    """Rows and labels: of plain text by the checker's own reader, which keeps whole numbers of any size.

    Where it meets words, they are taken for categories, and `read` makes columns of them.
    """
    from rosenblatt.certificate.reader import READABLE, read_file
    from rosenblatt.data.files.sources import places

    tell(f"reading {source}", 0)
    with as_file(source, format) as path:
        place = places(path, format)[0]
        kind, plain = place.format, place.format in READABLE and place.compression in (None, "gzip") and not reading
        try:
            found = read_file(path, target, kind) if plain else _by_read(path, target, format, reading)
        except NotANumber:
            if kind == "libsvm":
                raise
            found = _by_read(path, target, format, reading)
    refuse_too_many_classes(source, found.y, target)
    return found


def _by_read(path: Path, target: Text, format: Text, reading: dict[str, Any]) -> Any:  # noqa: A002
    from rosenblatt.certificate.exact_table import EXACT, Table, read_table
    from rosenblatt.certificate.reader import File
    from rosenblatt.data.files.read import read

    found = read(path, target, format=format, **reading)
    if abs(found.X).max() >= EXACT:
        raise DataError(
            f"{path}: numbers of {EXACT:,} and more may have been rounded when this format, or words beside them, was "
            "read. Give plain CSV of numbers, which are then taken as they are written."
        )
    table = read_table(found.X)
    return File(Table(table.floats, table.large, found.names), found.y.tolist())


def _of_all(X: Any, y: Any, detail: bool, budget: float | None) -> Any:
    from rosenblatt.proof.separability import separability

    return separability(X, y, detail=detail, budget=budget)


def _of_pair(X: Any, y: Any, classes: str, detail: bool, budget: float | None) -> Any:
    """The verdict on two classes, whose certificate holds for the rows of all."""
    from rosenblatt.proof.decide import deadline_of, decide, labelled

    given = labelled(X, y)
    words, known = [word.strip() for word in classes.split(",")], list(map(str, given.labels))
    strange = next((word for word in words if word not in known), None)
    if strange is not None:
        raise ParameterError(
            f"--classes names {strange!r}, but the labels are {', '.join(known[:20])}.{meant(strange, known)}"
        )
    if len(set(words)) != 2:
        raise ParameterError(f"--classes must name two labels, as in {','.join(known[:2])}, not {classes!r}.")
    return decide(given, sorted(known.index(word) for word in words), 1.0, detail, deadline_of(budget))


def _fewest_errors(verdict: Any, X: Any, y: Any, budget: float | None) -> Any:
    """Of two classes that overlap."""
    if len(verdict.classes) > 2 or verdict.kind not in ("overlap", "not_strict"):
        return None
    from rosenblatt.classifiers.choice import quick_hyperplane
    from rosenblatt.proof.error_bounds import error_bounds

    seconds = SECONDS if budget is None else min(budget, SECONDS)
    own = [i for i, label in enumerate(y) if label in verdict.classes]
    if len(own) < len(y):
        X, y = X.take(own), [y[i] for i in own]
    return error_bounds(X, y, budget=seconds, hyperplane=quick_hyperplane(X.floats, y))


def smaller_class(verdict: Any, labels: list[Any]) -> int | None:
    """How many rows the smaller of two classes has."""
    return min(labels.count(label) for label in verdict.classes) if len(verdict.classes) == 2 else None


def _facts(verdict: Any, fewest: Any, smaller: int | None) -> dict[str, Any]:
    from rosenblatt.report import advice

    witness, plane = verdict.witness, verdict.hyperplane
    return {
        "kind": verdict.kind,
        "margin_bounds": verdict.margin_bounds and [x if math.isfinite(x) else None for x in verdict.margin_bounds],
        "hyperplane": plane and {"w": plane.w.tolist(), "b": plane.b},
        "witness": witness and {"rows": witness.rows, "weights": [str(weight) for weight in witness.weights]},
        "against": witness and witness.against,
        "stuck": verdict.stuck.tolist(),
        "fewest_errors": fewest and [max(fewest.lower, 1), fewest.upper],
        "pairs": [[a, b, pair.kind] for (a, b), pair in verdict.pairs.items()],
        "contradictions": list(verdict.contradictions),
        "explanation": verdict.explain(),
        "advice": advice.advice(verdict, smaller),
    }

"""`rosenblatt check` proves whether data is linearly separable; `rosenblatt verify` checks such a proof."""

import math
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rosenblatt.base.events import report_progress
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.html import printable
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.inputs import labelled_rows, read_certificate
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    AsJson,
    Force,
    Source,
    TableOptions,
    Target,
    echo_json,
    refuse_unknown_classes,
)
from rosenblatt.cli.results import Results
from rosenblatt.errors import DataError, ParameterError

ERROR_BOUND_SECONDS = 10.0  # they only cut a search that takes unusually long
TEXT_WIDTH = 100  # characters in a line of the answer
Kind = Literal["strict", "weak", "overlap", "not_strict"]


@grouped
def check(
    *,
    data: Source,
    target: Target = None,
    classes: Annotated[str | None, typer.Option(help="Check only these two classes, separated by a comma.")] = None,
    cert: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    expect: Annotated[Kind | None, typer.Option(help="Exit with code 1 unless this is the verdict.")] = None,
    detail: Annotated[bool, typer.Option(help="Distinguish weak separation from overlap.")] = True,
    time_limit: Annotated[
        float | None, typer.Option(help="The most seconds to search; then the verdict is what is proved by then.")
    ] = None,
    table: TableOptions,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Prove whether data is linearly separable. Print the verdict, the evidence, and what to do.

    The first word is strict, weak or overlap (not_strict with --no-detail). Rows are counted from 0; the header is not
    counted. The exit code is 1 if the verdict is undecided, or is not the one that --expect names.

    Examples:

    rosenblatt check iris.csv

    rosenblatt check iris.csv --classes versicolor,virginica --cert pair.json

    rosenblatt check wide.svm --no-detail --time-limit 60 --json
    """
    results = Results([Output("--cert", cert, FileKind.CERTIFICATE)], {"DATA": [data]}, force=force)
    with show_progress():
        X, y = labelled_rows(data, target, table)
        from rosenblatt.proof.separability import separability  # a slow import, after bad input has been refused

        began = time.monotonic()
        try:
            if classes is None:
                verdict = separability(X, y, detail=detail, time_limit=time_limit)
            else:
                verdict = _verdict_on_pair(X, y, classes, detail, time_limit)
        except DataError as error:
            raise error.within(data) from error
        left = math.inf if time_limit is None else time_limit - (time.monotonic() - began)
        fewest = _fewest_errors(verdict, X, y, min(left, ERROR_BOUND_SECONDS))
    written = None
    if verdict.certificate is not None:
        written = results.write(cert, partial(_write_certificate, verdict.certificate.to_json()))
    smaller = _smaller_class(verdict, y)
    if as_json:
        echo_json(_facts(verdict, fewest, smaller))
    else:
        _print_verdict(verdict, fewest, smaller)
        if written is not None:
            typer.echo(f"certificate: {written}", err=True)
    results.raise_errors()
    success = verdict.kind == expect if expect else verdict.kind != "undecided"
    raise typer.Exit(0 if success else 1)


@grouped
def verify(
    *,
    certificate: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="A JSON file, or - for standard input.")],
    data: Source,
    target: Target = None,
    table: TableOptions,
    as_json: AsJson = False,
) -> None:
    """Check in exact arithmetic whether a certificate is true of this data. The exit code is 1 if it is not.

    Examples:

    rosenblatt verify pair.json iris.csv

    rosenblatt verify pair.json - --json < iris.csv
    """
    if certificate == data == "-":
        raise ParameterError("Either the certificate or the data can come from standard input, not both.")
    claim = read_certificate(certificate)
    with show_progress():
        X, y = labelled_rows(data, target, table)
        report_progress("verification", 0)
        found = claim.verify(X, y)
    if as_json:
        echo_json({"verified": found.verified, "claim": claim.claim, "why": found.why})
    else:
        typer.echo(f"{'verified' if found else 'refused'}: {claim.claim}\n{found.why}")
        if found:
            typer.echo(textwrap.fill(claim.explain(), TEXT_WIDTH))
    raise typer.Exit(0 if found else 1)


def _verdict_on_pair(X: Any, y: Any, classes: str, detail: bool, time_limit: float | None) -> Any:
    """The verdict on two of the classes; its certificate refers to the rows of all classes."""
    from rosenblatt.proof.decide import deadline_of, decide, labelled

    given = labelled(X, y)
    words, known = [word.strip() for word in classes.split(",")], list(map(str, given.labels))
    refuse_unknown_classes(words, known)
    if len(set(words)) != 2:
        raise ParameterError(f"--classes must name two labels, as in {','.join(known[:2])}, not {classes!r}.")
    return decide(given, sorted(known.index(word) for word in words), 1.0, detail, deadline_of(time_limit)).verdict


def _fewest_errors(verdict: Any, X: Any, y: Any, seconds: float) -> Any:
    """Bounds of the fewest errors of any hyperplane; None unless two classes overlap and there is time left."""
    if len(verdict.classes) > 2 or verdict.kind not in ("overlap", "not_strict") or seconds <= 0:
        return None
    from rosenblatt.classifiers.algorithm_choice import quick_hyperplane
    from rosenblatt.proof.error_bounds import error_bounds

    own = [i for i, label in enumerate(y) if label in verdict.classes]
    if len(own) < len(y):
        X, y = X.take(own), [y[i] for i in own]
    began = time.monotonic()
    plane = quick_hyperplane(X.floats, y)
    seconds -= time.monotonic() - began
    return error_bounds(X, y, time_limit=seconds, hyperplane=plane) if seconds > 0 else None


def _smaller_class(verdict: Any, labels: list[Any]) -> int | None:
    """The number of rows in the smaller of two classes; None if there are more classes."""
    return min(labels.count(label) for label in verdict.classes) if len(verdict.classes) == 2 else None


def _write_certificate(text: str, path: Path) -> None:
    from rosenblatt.base.files.atomic_file import replacing

    with replacing(path, FileKind.CERTIFICATE) as file:
        file.write(f"{text}\n".encode())


def _print_verdict(verdict: Any, fewest: Any, smaller: int | None) -> None:
    from rosenblatt.report import advice

    paragraphs = [advice.headline(verdict, fewest)]
    if evidence := advice.evidence(verdict):
        paragraphs.append(f"Evidence. {evidence}")
    paragraphs.append(f"What to do. {advice.advice(verdict, smaller)}")
    typer.echo("\n\n".join(textwrap.fill(printable(text), TEXT_WIDTH) for text in paragraphs))


def _facts(verdict: Any, fewest: Any, smaller: int | None) -> dict[str, Any]:
    """The answer as a JSON object."""
    from rosenblatt.report import advice

    witness, plane = verdict.witness, verdict.hyperplane
    return {
        "kind": verdict.kind,
        "margin_bounds": verdict.margin_bounds and [x if math.isfinite(x) else None for x in verdict.margin_bounds],
        "hyperplane": plane and {"w": plane.w.tolist(), "b": plane.b},
        "witness": witness and {"rows": witness.rows, "weights": [str(weight) for weight in witness.weights]},
        "against": witness and witness.against,
        "stuck": verdict.stuck.tolist(),
        "fewest_errors": None if fewest is None else [max(fewest.lower, 1), fewest.upper],
        "pairs": [[a, b, pair.kind] for (a, b), pair in verdict.pairs.items()],
        "contradictions": list(verdict.contradictions),
        "explanation": verdict.explain(),
        "advice": advice.advice(verdict, smaller),
    }

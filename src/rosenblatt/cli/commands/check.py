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
from rosenblatt.cli.inputs import labelled_rows, read_certificate, refuse_missing_files
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    AsJson,
    Force,
    Source,
    TableOptions,
    Target,
    Text,
    echo_json,
    refuse_unknown_classes,
)
from rosenblatt.cli.regression_rows import RegressionOptions, RegressionRows, regression_rows
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
    classes: Annotated[
        str | None,
        typer.Option(help="Check only these two classes, separated by a comma. With --model: all classes in order."),
    ] = None,
    cert: Annotated[Path | None, typer.Option(help="Write the certificate to this file.")] = None,
    expect: Annotated[Kind | None, typer.Option(help="Exit with code 1 unless this is the verdict.")] = None,
    detail: Annotated[bool, typer.Option(help="Distinguish weak separation from overlap.")] = True,
    time_limit: Annotated[
        float | None, typer.Option(help="The most seconds to search; then the verdict is what is proved by then.")
    ] = None,
    table: TableOptions,
    regression: RegressionOptions,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Prove whether data is linearly separable. Print the verdict, the evidence, and what to do.

    The first word is strict, weak or overlap (not_strict with --no-detail). Rows are counted from 0; the header is not
    counted. The exit code is 1 if the verdict is undecided, or is not the one that --expect names.

    With --model, say instead which estimates of a regression are infinite, coefficient by coefficient. The first word
    is none, quasi or complete. Words are categories, and their first value is the reference level.

    Examples:

    rosenblatt check iris.csv

    rosenblatt check iris.csv --classes versicolor,virginica --cert pair.json

    rosenblatt check wide.svm --no-detail --time-limit 60 --json

    rosenblatt check iris.csv --model multinomial

    rosenblatt check berkeley.csv --model logit --formula "label ~ f1 + f1:f2"
    """
    results = Results([Output("--cert", cert, FileKind.CERTIFICATE)], {"DATA": [data]}, force=force)
    regression.refuse_without_model()
    if regression.model is not None:
        if expect is not None or not detail:
            raise ParameterError("--expect and --no-detail are for verdicts; leave them out with --model.")
        found, rows = _estimates(data, target, table, regression, classes, time_limit)
        written = None
        if found.certificate is not None:
            written = results.write(cert, partial(_write_certificate, found.certificate.to_json()))
        _print_estimates(found, rows, regression, as_json=as_json)
        if written is not None and not as_json:
            typer.echo(f"certificate: {written}", err=True)
        results.raise_errors()
        raise typer.Exit(0 if found.kind != "undecided" else 1)
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
    formula: Annotated[Text, typer.Option(help="For estimates: the formula, if there was one.")] = None,
    trials: Annotated[Text, typer.Option(help="For estimates: the column with the numbers of trials.")] = None,
    weight: Annotated[Text, typer.Option(help="For estimates: the column with weights.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check in exact arithmetic whether a certificate is true of this data. The exit code is 1 if it is not.

    Examples:

    rosenblatt verify pair.json iris.csv

    rosenblatt verify pair.json - --json < iris.csv
    """
    if certificate == data == "-":
        raise ParameterError("Either the certificate or the data can come from standard input, not both.")
    refuse_missing_files(certificate, data)
    claim = read_certificate(certificate)
    with show_progress():
        if claim.claim == "estimates":
            options = RegressionOptions(formula=formula, trials=trials, weight=weight)
            given = regression_rows(data, target, table, options)
            report_progress("verification", 0)
            found = claim.verify(given.X, given.y, trials=given.trials, sample_weight=given.weight)
        else:
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


def _estimates(
    data: str, target: Text, table: TableOptions, regression: RegressionOptions, classes: Text, time_limit: float | None
) -> tuple[Any, RegressionRows]:
    """The statuses of the coefficients, and the rows of the regression."""
    with show_progress():
        rows = regression_rows(data, target, table, regression)
        import numpy as np

        from rosenblatt.proof.estimates import estimates

        known = {str(label): label for label in np.unique(rows.y).tolist()}
        for option, words in (("--reference", [regression.reference]), ("--classes", (classes or "").split(","))):
            strange = next((word.strip() for word in words if word and word.strip() not in known), None)
            if strange is not None:
                raise ParameterError(f"{option} names {strange!r}, but the classes are {', '.join(list(known)[:20])}.")
        try:
            found = estimates(
                rows.table,
                rows.y,
                model=regression.model or "logit",
                trials=rows.trials,
                sample_weight=rows.weight,
                intercept=rows.intercept,
                reference=None if regression.reference is None else known[regression.reference],
                classes=None if classes is None else [known[word.strip()] for word in classes.split(",")],
                time_limit=time_limit,
            )
        except DataError as error:
            raise error.within(data) from error
    return found, rows


def _print_estimates(found: Any, rows: RegressionRows, regression: RegressionOptions, *, as_json: bool) -> None:
    from rosenblatt.report import estimates_words

    causes = {"a count of 0"} if regression.model == "poisson" else {"only successes", "only failures"}
    simple = regression.model != "poisson" and rows.trials is None
    words = _outcome_words(rows, regression)
    cells = estimates_words.cells(found, rows.factors, words, None if simple else causes)
    if as_json:
        echo_json(
            {
                "kind": found.kind,
                "model": found.model,
                "coefficients": [
                    {"name": name, "status": status}
                    if isinstance(name, str)
                    else {"class": name[0], "name": name[1], "status": status}
                    for name, status in found.status.items()
                ],
                "separated_rows": found.separated_rows.tolist(),
                "kept_rows": found.kept_rows.tolist(),
                "cells": cells,
                "explanation": found.explain(),
                "advice": estimates_words.advice(found),
            }
        )
        return
    typer.echo(textwrap.fill(printable(estimates_words.headline(found)), TEXT_WIDTH) + "\n")
    typer.echo(printable("\n".join(estimates_words.table(found))) + "\n")
    if cells:
        shown = "; ".join(cells[: estimates_words.MAX_CELLS])
        more = f"; and {len(cells) - estimates_words.MAX_CELLS} more" * (len(cells) > estimates_words.MAX_CELLS)
        typer.echo(textwrap.fill(printable(f"Look at. {shown[:1].upper()}{shown[1:]}{more}."), TEXT_WIDTH) + "\n")
    typer.echo(textwrap.fill(printable(f"What to do. {estimates_words.advice(found)}"), TEXT_WIDTH))


def _outcome_words(rows: RegressionRows, regression: RegressionOptions) -> list[str]:
    """What was observed of each row, in words; empty for a row of weight 0."""
    y = rows.y.tolist()
    counts = [1.0] * len(y) if rows.weight is None else rows.weight.tolist()
    if regression.model == "poisson":
        words = ["a count above 0" if count else "a count of 0" for count in y]
    elif rows.trials is not None:
        words = [
            "only failures" if not good else "only successes" if good == every else "successes and failures"
            for good, every in zip(y, rows.trials.tolist(), strict=True)
        ]
        counts = [count * every for count, every in zip(counts, rows.trials.tolist(), strict=True)]
    else:
        words = [f"{rows.target} = {label!r}" for label in y]
    return [word if count else "" for word, count in zip(words, counts, strict=True)]


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

"""`rosenblatt check` proves whether data is linearly separable; `rosenblatt verify` checks such a proof."""

import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rosenblatt.base.events import report_progress
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.files.output_files import Output
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.check_regression import (
    TEXT_WIDTH,
    RegressionQuestion,
    answer_regression,
    print_regression,
)
from rosenblatt.cli.check_verdict import VerdictQuestion, answer_verdict, print_verdict
from rosenblatt.cli.inputs import labelled_rows, read_certificate, refuse_missing_files
from rosenblatt.cli.on_cluster.check import answer_on_cluster, regression_on_cluster, verify_on_cluster
from rosenblatt.cli.on_cluster.options import ClusterOptions, on_cluster
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import (
    AsJson,
    Force,
    Source,
    TableOptions,
    Target,
    Text,
    echo_json,
)
from rosenblatt.cli.regression_rows import RegressionOptions, regression_rows
from rosenblatt.cli.results import Results
from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.certificate.certificate import Certificate
    from rosenblatt.certificate.verification import Verification

GIVE_AGAIN = (
    "If check had --formula, --trials, --failures, --weight, --columns, --categories or --missing, give it again."
)
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
    keep: Annotated[
        Path | None, typer.Option(help="With --model: write the rows that are not separated to this CSV file.")
    ] = None,
    where: ClusterOptions,
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

    rosenblatt check 'iris*.csv' --cluster local --workers 2

    rosenblatt check iris.csv --model multinomial

    rosenblatt check berkeley.csv --model logit --formula "label ~ f1 + f1:f2"
    """
    outputs = [Output("--cert", cert, FileKind.CERTIFICATE), Output("--keep", keep, FileKind.TEXT)]
    results = Results(outputs, {"DATA": [data]}, force=force)
    regression.refuse_without_model()
    where.refuse_workers_alone()
    if where.cluster is not None:
        _refuse_on_cluster(regression, classes, keep)
    if regression.model is None:
        if keep is not None:
            raise ParameterError("--keep is for regressions; say which one by --model, for example --model logit.")
        question = VerdictQuestion(data, target, table, classes, detail, time_limit)
        kind = _check_verdict(question, where, results, cert, as_json=as_json)
    else:
        if expect is not None or not detail:
            raise ParameterError("--expect and --no-detail are for verdicts; leave them out with --model.")
        asked = RegressionQuestion(data, target, table, regression, classes, time_limit)
        kind = _check_regression(asked, where, results, cert, keep, as_json=as_json)
    results.raise_errors()
    success = kind == expect if expect else kind != "undecided"
    raise typer.Exit(0 if success else 1)


def _check_verdict(
    question: VerdictQuestion, where: ClusterOptions, results: Results, cert: Path | None, *, as_json: bool
) -> str:
    """Answer a question about separability; return the kind of the verdict."""
    if where.cluster is None:
        answer = answer_verdict(question)
    else:
        with on_cluster(where):
            answer = answer_on_cluster(question)
    written = _write_certificate(answer.verdict.certificate, results, cert)
    print_verdict(answer, as_json=as_json)
    _tell_certificate(written, as_json=as_json)
    return answer.verdict.kind


def _refuse_on_cluster(regression: RegressionOptions, classes: Text, keep: Path | None) -> None:
    """Raise if an option is given that needs all rows in memory."""
    given = [*["--formula"] * (regression.formula is not None), *regression.apart, *["--keep"] * (keep is not None)]
    if regression.model is None and classes is not None:
        raise ParameterError("--classes without --model is for data in memory; leave --cluster out.")
    if given:
        raise ParameterError(f"{given[0]} is for data in memory; leave --cluster out.")


def _check_regression(
    question: RegressionQuestion,
    where: ClusterOptions,
    results: Results,
    cert: Path | None,
    keep: Path | None,
    *,
    as_json: bool,
) -> str:
    """Answer a question about a regression; return the kind of separation."""
    if where.cluster is None:
        answer = answer_regression(question, keep)
    else:
        with on_cluster(where):
            answer = regression_on_cluster(question)
    written = _write_certificate(answer.found.certificate, results, cert)
    print_regression(question, answer, results, keep, as_json=as_json)
    _tell_certificate(written, as_json=as_json)
    return answer.found.kind


def _write_certificate(certificate: Any, results: Results, cert: Path | None) -> Path | None:
    return None if certificate is None else results.write(cert, partial(_write_text, certificate.to_json()))


def _write_text(text: str, path: Path) -> None:
    from rosenblatt.base.files.atomic_file import replacing

    with replacing(path, FileKind.CERTIFICATE) as file:
        file.write(f"{text}\n".encode())


def _tell_certificate(written: Path | None, *, as_json: bool) -> None:
    if written is not None and not as_json:
        typer.echo(f"certificate: {written}", err=True)


@grouped
def verify(
    *,
    certificate: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="A JSON file, or - for standard input.")],
    data: Source,
    target: Target = None,
    table: TableOptions,
    where: ClusterOptions,
    formula: Annotated[Text, typer.Option(help="For estimates: the formula, if there was one.")] = None,
    trials: Annotated[Text, typer.Option(help="For estimates: the column with the numbers of trials.")] = None,
    failures: Annotated[Text, typer.Option(help="For estimates: the column with the failures.")] = None,
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
    where.refuse_workers_alone()
    options = RegressionOptions(formula=formula, trials=trials, failures=failures, weight=weight)
    if where.cluster is not None:
        _refuse_on_cluster(options, None, None)
    else:
        refuse_missing_files(certificate, data)
    claim = read_certificate(certificate)
    with show_progress():
        if where.cluster is not None:
            with on_cluster(where):
                found = verify_on_cluster(claim, data, target, table)
        elif claim.claim == "estimates":
            found = _verify_estimates(claim, data, target, table, options)
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


def _verify_estimates(
    claim: "Certificate", data: str, target: Text, table: TableOptions, options: RegressionOptions
) -> "Verification":
    """Check a certificate of estimates. If it was made for other data, suggest the options that may be missing."""
    about = claim.body["about"]
    options = options._replace(model=about["model"])
    given = regression_rows(data, target, table, options)
    report_progress("verification", 0)
    found = claim.verify(given.X, given.y, trials=given.trials, sample_weight=given.weight)
    is_other = found.why.startswith(("It is about", "The certificate was made for other data"))
    if options.apart or options.formula is not None or not is_other:
        return found
    return replace(found, why=f"{found.why} {GIVE_AGAIN}")

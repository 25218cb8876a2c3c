"""`rosenblatt check --model`: which estimates of a regression are infinite, and what to do about it."""

import textwrap
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from rosenblatt.base.html import printable
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.options import TableOptions, Text, echo_json
from rosenblatt.cli.regression_rows import BINOMIAL, RegressionOptions, RegressionRows, regression_rows
from rosenblatt.cli.results import Results
from rosenblatt.cli.text_table import refuse_other_formats, text_table
from rosenblatt.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rosenblatt.cluster.shards import Round
    from rosenblatt.proof.columns.culprits import Culprits
    from rosenblatt.proof.regression.result import Estimates
    from rosenblatt.report.estimates_words import Cell

TEXT_WIDTH = 100  # characters in a line of the answer
SEARCH_SECONDS = 10.0  # for culprits and signs; they only cut a search that takes unusually long


class RegressionQuestion(NamedTuple):
    """A file, and the regression on it."""

    data: str
    target: Text
    table: TableOptions
    options: RegressionOptions
    classes: Text
    time_limit: float | None


class RegressionAnswer(NamedTuple):
    """What was found.

    Attributes
    ----------
    found : the status of each coefficient
    rows : the rows of the regression; None on a cluster
    culprits : the columns that separate; None if the time was over, and on a cluster
    signs : for complete separation the signs of the hyperplane with the largest margin
    left_out : sentences about columns that have no coefficient
    rounds : on a cluster, what each round over the shards cost
    """

    found: "Estimates"
    rows: RegressionRows | None
    culprits: "Culprits | None"
    signs: "Mapping[Any, str]"
    left_out: "Sequence[str]" = ()
    rounds: "Sequence[Round]" = ()


def answer_regression(question: RegressionQuestion, keep: Path | None) -> RegressionAnswer:
    """Decide which estimates are infinite, and which columns separate."""
    options, began = question.options, time.monotonic()
    if keep is not None:
        if question.table.missing == "drop":
            raise ParameterError("--keep copies rows of the whole file, so it does not work with --missing drop.")
        refuse_other_formats(question.data, question.table, question.target)
    with show_progress():
        rows = regression_rows(question.data, question.target, question.table, options)
        from rosenblatt.proof.regression.estimates import estimates

        labels = sorted(set(rows.y.tolist()))
        reference, classes = chosen_labels(question, labels, rows.target, grouped=rows.trials is not None)
        try:
            found = estimates(
                rows.table,
                rows.y,
                model=options.model or "logit",
                trials=rows.trials,
                sample_weight=rows.weight,
                intercept=rows.intercept,
                reference=reference,
                classes=classes,
                time_limit=question.time_limit,
            )
        except DataError as error:
            raise error.within(question.data) from error
        spent = time.monotonic() - began
        left = SEARCH_SECONDS if question.time_limit is None else min(SEARCH_SECONDS, question.time_limit - spent)
        if left <= 0:
            return RegressionAnswer(found, rows, None, {}, rows.left_out)
        culprits = found.culprits(time_limit=left)
        signs = found.margin_signs(time_limit=left) if "undetermined" in found.statuses else {}
    return RegressionAnswer(found, rows, culprits, signs, rows.left_out)


def chosen_labels(
    question: RegressionQuestion, labels: list[Any], target: str, *, grouped: bool = False
) -> tuple[Any, list[Any] | None]:
    """The reference class and the classes in order, as labels of the data.

    Parameters
    ----------
    question : the question, with its options
    labels : all labels, each once
    target : the name of their column
    grouped : are these numbers of successes?
    """
    known = {str(label): label for label in labels}
    if question.options.model in BINOMIAL and not grouped and len(known) != 2:
        raise DataError(
            f"{question.data}: --model {question.options.model} needs two classes; column {target!r} has "
            f"{len(known):,} different values. Name the column of classes by --target. For numbers of successes give "
            "--trials or --failures, for counts --model poisson, for several classes --model multinomial or ordinal."
        )
    reference, classes = question.options.reference, question.classes
    for option, words in (("--reference", [reference]), ("--classes", (classes or "").split(","))):
        strange = next((word.strip() for word in words if word and word.strip() not in known), None)
        if strange is not None:
            raise ParameterError(f"{option} names {strange!r}, but the classes are {', '.join(list(known)[:20])}.")
    order = None if classes is None else [known[word.strip()] for word in classes.split(",")]
    return None if reference is None else known[reference], order


def print_regression(
    question: RegressionQuestion, answer: RegressionAnswer, results: Results, keep: Path | None, *, as_json: bool
) -> None:
    """Print the answer: the statuses, the rows and columns to look at, what to do, and code. Write the rows kept."""
    from rosenblatt.report import estimates_words

    found, rows = answer.found, answer.rows
    kept = None
    if keep is not None:
        copied = text_table(question.data, question.table, question.target, whole=True)
        kept = results.write(keep, partial(copied.write, found.kept_rows.tolist()))
    cells = [] if rows is None else _cells(found, rows, question)
    is_separated = found.kind in ("quasi", "complete")
    code = None if rows is None or not is_separated else _code(question, found, rows, cells, kept)
    if as_json:
        echo_json(_facts(answer, [cell.sentence for cell in cells], code))
        return
    paragraphs = [estimates_words.headline(found)]
    tail = [*answer.left_out]
    if cells:
        sentences = [cell.sentence for cell in cells[: estimates_words.MAX_CELLS]]
        more = [f"and {len(cells) - len(sentences)} more"] * (len(cells) > len(sentences))
        text = "; ".join([*sentences, *more])
        tail.append(f"Look at: {text}.")
    if rows is not None and answer.culprits is not None and not _are_told(answer.culprits, rows, cells):
        tail.append(f"Columns. {answer.culprits.explain()}")
    tail.append(f"What to do. {estimates_words.advice(found)}{' Code follows.' if code else ''}")
    echo_paragraphs(paragraphs)
    typer.echo("\n" + printable("\n".join(estimates_words.table(found, answer.signs))) + "\n")
    echo_paragraphs(tail)
    if code is not None:
        typer.echo("\n" + printable(code.rstrip("\n")))
    if kept is not None:
        typer.echo(f"{kept}: {len(found.kept_rows):,} rows", err=True)


def echo_paragraphs(paragraphs: list[str]) -> None:
    """Print paragraphs, with an empty line between them."""
    typer.echo("\n\n".join(textwrap.fill(printable(text), TEXT_WIDTH) for text in paragraphs))


def _cells(found: "Estimates", rows: RegressionRows, question: RegressionQuestion) -> "list[Cell]":
    """Sentences about values of columns that occur with one outcome only."""
    from rosenblatt.report import estimates_words

    causes = None
    if question.options.model == "poisson":
        causes = {"a count of 0"}
    elif rows.trials is not None:
        causes = {"only successes", "only failures"}
    return estimates_words.cells(found, rows.factors, _outcome_words(rows, question), causes)


def _are_told(culprits: "Culprits", rows: RegressionRows, cells: "list[Cell]") -> bool:
    """Do the sentences about cells name all columns that separate alone, if any do?"""
    columns = {cell.column for cell in cells}
    told = {name for factor in rows.factors if factor.name in columns for name in factor.design}
    return all(len(one.columns) == 1 and one.columns[0] in told for one in culprits.sets)


def coefficient_facts(found: "Estimates", signs: "Mapping[Any, str]") -> list[dict[str, Any]]:
    """The statuses for JSON."""
    return [
        ({"name": name} if isinstance(name, str) else {"class": name[0], "name": name[1]})
        | {"status": status}
        | ({"sign_at_largest_margin": signs[name]} if status == "undetermined" and name in signs else {})
        for name, status in found.status.items()
    ]


def culprit_facts(culprits: "Culprits | None") -> list[dict[str, Any]] | None:
    """The columns that separate, for JSON; None if they were not looked for."""
    if culprits is None:
        return None
    return [
        {
            "columns": one.columns,
            "equation": one.text,
            "weights": [str(weight) for weight in one.weights],
            "threshold": None if one.threshold is None else str(one.threshold),
            "rows": one.rows,
            "minimal": one.minimal,
            "scores": [
                {"class": label, "weights": [str(weight) for weight in weights], "constant": str(constant)}
                for label, weights, constant in one.scores
            ],
        }
        for one in culprits.sets
    ]


def _facts(answer: RegressionAnswer, cells: list[str], code: str | None) -> dict[str, Any]:
    """The answer as a JSON object."""
    from rosenblatt.report import estimates_words

    found = answer.found
    return {
        "kind": found.kind,
        "model": found.model,
        "coefficients": coefficient_facts(found, answer.signs),
        "separated_rows": found.separated_rows.tolist(),
        "kept_rows": found.kept_rows.tolist(),
        "cells": cells,
        "culprits": culprit_facts(answer.culprits),
        "explanation": found.explain(),
        "advice": estimates_words.advice(found),
        "code": code,
        "rounds": [one._asdict() for one in answer.rounds] or None,
    }


def _outcome_words(rows: RegressionRows, question: RegressionQuestion) -> list[str]:
    """What was observed of each row, in words; empty for a row of weight 0."""
    y = rows.y.tolist()
    counts = [1.0] * len(y) if rows.weight is None else rows.weight.tolist()
    if question.options.model == "poisson":
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


def _code(
    question: RegressionQuestion, found: "Estimates", rows: RegressionRows, cells: "list[Cell]", kept: Path | None
) -> str | None:
    """Python code that fits the regression in other ways; None if there is none for such data."""
    from rosenblatt.report.remedy_code import Regression, Separation, remedy_code

    options = question.options
    file = text_table(question.data, question.table, question.target, whole=False)
    is_whole = rows.weight is None or bool((rows.weight % 1 == 0).all())
    if not is_whole or question.table.missing is not None or options.formula is not None:
        return None
    failures = None
    if options.failures is not None:
        failures = f"rows[{options.failures!r}]"
    elif options.trials is not None:
        failures = f"rows[{options.trials!r}] - rows[{rows.target!r}]"
    regression = Regression(
        question.data,
        file.format,
        file.made_up_names,
        file.is_spaced,
        rows.target,
        found.certificate.body["data"]["labels"][-1] if found.certificate is not None else None,
        {one.name: _levels(one) for one in rows.factors if one.is_category and one.design},
        [one.name for one in rows.factors if not one.is_category],
        options.model or "logit",
        options.intercept,
        failures,
        options.weight,
        file.reader_options,
    )
    limit, dependent = None, list[str]()
    if options.model in (*BINOMIAL, "poisson"):
        limit, dependent = _independent_columns(found)
    drop = {name: words for name, words in _to_drop(rows, cells).items() if name not in dependent}
    file_name = None if kept is None else str(kept)
    separation = Separation(drop, dependent, found.separated_rows.tolist(), limit, file_name)
    return remedy_code(regression, separation)


def _levels(factor: Any) -> list[str]:
    """The levels of a category but the first."""
    return [name[len(factor.name) + 1 : -1] for name in factor.design]


def _independent_columns(found: "Estimates") -> tuple[list[str] | None, list[str]]:
    """The columns of the limiting model (None if no row is kept), and columns to leave out of a model on all rows."""
    from rosenblatt.certificate.regression.recession_rows import INTERCEPT
    from rosenblatt.proof.columns.limiting_columns import independent_columns, limiting_columns

    order = [j for j, name in enumerate(found.names) if name == INTERCEPT]
    order += [j for j, status in enumerate(found.statuses) if status == "finite" and j not in order]
    cone = found._cones[0]
    every = independent_columns(cone, order)
    dependent = [str(name) for j, name in enumerate(found.names) if j not in every]
    if found.kind != "quasi":
        return None, dependent
    chosen = limiting_columns(cone, order)
    return [str(found.names[j]) for j in chosen if found.names[j] != INTERCEPT], dependent


def _to_drop(rows: RegressionRows, cells: "list[Cell]") -> dict[str, str]:
    """Columns of the design that separate, and what it means to leave each out."""
    drop: dict[str, str] = {}
    for cell in cells:
        factor = next(one for one in rows.factors if one.name == cell.column)
        if not factor.is_category:
            drop[factor.name] = f"without {factor.name}"
            continue
        own, first = f"{factor.name}[{cell.value}]", min(factor.values.tolist())
        if own in factor.design:
            drop[own] = f"without {own}, {factor.name} = {cell.value!r} counts as {first!r}"
        else:
            drop[factor.design[0]] = f"without {factor.design[0]}, it counts as {first!r}"
    return drop

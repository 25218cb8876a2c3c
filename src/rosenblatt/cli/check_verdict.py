"""`rosenblatt check` without --model: the verdict on a file, the columns behind it, and what to do."""

import math
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from rosenblatt.base.html import printable
from rosenblatt.base.progress_line import show_progress
from rosenblatt.cli.check_regression import SEARCH_SECONDS, coefficient_facts, culprit_facts, echo_paragraphs
from rosenblatt.cli.inputs import labelled_rows, refuse_one_class
from rosenblatt.cli.options import TableOptions, Text, echo_json, refuse_unknown_classes
from rosenblatt.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rosenblatt.cluster.shards import Round
    from rosenblatt.proof.columns.culprits import Culprits
    from rosenblatt.proof.columns.telling_columns import Telling
    from rosenblatt.proof.decide import Labelled
    from rosenblatt.proof.error_bounds import ErrorBounds
    from rosenblatt.proof.regression.result import Estimates
    from rosenblatt.proof.verdict import Verdict

MAX_COEFFICIENTS = 200  # with more columns, the coefficients of a regression are not looked at
MAX_SHOWN_COEFFICIENTS = 30


class VerdictQuestion(NamedTuple):
    """A file, and what is asked about it."""

    data: str
    target: Text
    table: TableOptions
    classes: Text
    detail: bool
    time_limit: float | None


class VerdictAnswer(NamedTuple):
    """What was found.

    Attributes
    ----------
    verdict : the verdict
    telling : columns that tell the label
    fewest : bounds of the fewest errors; None unless two classes overlap
    culprits, found, signs : the columns that separate the classes, the statuses of a logistic regression on two
        classes, and signs at the largest margin; None if the classes are not separated, or there was no time
    smaller : the number of rows in the smaller of two classes
    rounds : on a cluster, what each round over the shards cost
    """

    verdict: "Verdict"
    telling: "list[Telling]"
    fewest: "ErrorBounds | None"
    culprits: "Culprits | None"
    found: "Estimates | None"
    signs: "Mapping[Any, str]"
    smaller: int | None
    rounds: "Sequence[Round]" = ()


def answer_verdict(question: VerdictQuestion) -> VerdictAnswer:
    """Decide whether the classes of a file are separable, and find out why."""
    with show_progress():
        X, y = labelled_rows(question.data, question.target, question.table)
        refuse_one_class(question.data, y, len(y))
        from rosenblatt.proof.columns.telling_columns import telling_columns
        from rosenblatt.proof.decide import labelled
        from rosenblatt.proof.separability import separability

        began = time.monotonic()
        try:
            if question.classes is None:
                verdict = separability(X, y, detail=question.detail, time_limit=question.time_limit)
            else:
                verdict = _verdict_on_pair(X, y, question.classes, question.detail, question.time_limit)
        except DataError as error:
            raise error.within(question.data) from error
        left = math.inf if question.time_limit is None else question.time_limit - (time.monotonic() - began)
        given = _own(labelled(X, y), verdict)
        telling = telling_columns(given.table, given.codes, given.labels)
        seconds = min(left, SEARCH_SECONDS)
        fewest = _fewest_errors(verdict, X, y, seconds)
        culprits, found, signs = _causes(verdict, given, seconds)
    return VerdictAnswer(verdict, telling, fewest, culprits, found, signs, _smaller_class(verdict, y))


def _verdict_on_pair(X: Any, y: Any, classes: str, detail: bool, time_limit: float | None) -> "Verdict":
    """The verdict on two of the classes; its certificate refers to the rows of all classes."""
    from rosenblatt.proof.decide import deadline_of, decide, labelled

    given = labelled(X, y)
    words, known = [word.strip() for word in classes.split(",")], list(map(str, given.labels))
    refuse_unknown_classes(words, known)
    if len(set(words)) != 2:
        raise ParameterError(f"--classes must name two labels, as in {','.join(known[:2])}, not {classes!r}.")
    return decide(given, sorted(known.index(word) for word in words), 1.0, detail, deadline_of(time_limit)).verdict


def _own(given: "Labelled", verdict: "Verdict") -> "Labelled":
    """The rows of the classes that the verdict is about."""
    import numpy as np

    from rosenblatt.proof.decide import Labelled

    if len(verdict.classes) == len(given.labels):
        return given
    numbers = [given.labels.index(label) for label in verdict.classes]
    rows = np.flatnonzero(np.isin(given.codes, numbers))
    return Labelled(given.table.take(rows), np.searchsorted(numbers, given.codes[rows]), list(verdict.classes))


def _causes(
    verdict: "Verdict", given: "Labelled", seconds: float
) -> "tuple[Culprits | None, Estimates | None, Mapping[Any, str]]":
    """The columns that separate the classes, the statuses of a logistic regression, and signs at the largest margin."""
    if verdict.kind not in ("strict", "weak") or seconds <= 0:
        return None, None, {}
    import numpy as np

    from rosenblatt.proof.columns.culprits import culprits_of_verdict
    from rosenblatt.proof.columns.levels import treatment_coded_table
    from rosenblatt.proof.decide import deadline_of
    from rosenblatt.proof.regression.estimates import estimates

    culprits = culprits_of_verdict(given, verdict, deadline_of(seconds))
    if len(verdict.classes) > 2 or given.table.names is None or given.table.d > MAX_COEFFICIENTS:
        return culprits, None, {}
    table = treatment_coded_table(given.table)
    labels = np.array(given.labels, dtype=object)[given.codes].tolist()
    found = estimates(table, labels, time_limit=seconds)
    if found.kind == "undecided":
        return culprits, None, {}
    signs = found.margin_signs(time_limit=seconds) if "undetermined" in found.statuses else {}
    return culprits, found, signs


def _fewest_errors(verdict: "Verdict", X: Any, y: Any, seconds: float) -> "ErrorBounds | None":
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


def _smaller_class(verdict: "Verdict", labels: list[Any]) -> int | None:
    """The number of rows in the smaller of two classes; None if there are more classes."""
    return min(labels.count(label) for label in verdict.classes) if len(verdict.classes) == 2 else None


def print_verdict(answer: VerdictAnswer, *, as_json: bool) -> None:
    """Print the verdict, the columns to look at, the evidence, the coefficients, and what to do."""
    from rosenblatt.report import advice
    from rosenblatt.report.telling_words import telling_sentences

    if as_json:
        echo_json(_facts(answer))
        return
    verdict, found = answer.verdict, answer.found
    paragraphs = [advice.headline(verdict, answer.fewest)]
    if answer.telling:
        text = "; ".join(telling_sentences(answer.telling))
        paragraphs.append(f"Look at first: {text}. If such a column is known only after the label, leave it out.")
    if answer.culprits is not None and answer.culprits.sets and not _are_told(answer):
        paragraphs.append(f"Columns. {answer.culprits.explain()}")
    if evidence := advice.evidence(verdict):
        paragraphs.append(f"Evidence. {evidence}")
    echo_paragraphs(paragraphs)
    if found is not None:
        from rosenblatt.report import estimates_words

        typer.echo("\nA logistic regression on these columns:\n")
        lines = estimates_words.table(found, answer.signs, MAX_SHOWN_COEFFICIENTS)
        typer.echo(printable("\n".join(lines)))
    typer.echo("")
    echo_paragraphs([f"What to do. {advice.advice(verdict, answer.smaller)}"])


def _are_told(answer: VerdictAnswer) -> bool:
    """Are all columns that separate alone among those that tell the label?"""
    told = {one.column for one in answer.telling} | {f"{one.column}={one.value}" for one in answer.telling}
    sets = [] if answer.culprits is None else answer.culprits.sets
    return all(len(one.columns) == 1 and one.columns[0] in told for one in sets)


def _facts(answer: VerdictAnswer) -> dict[str, Any]:
    """The answer as a JSON object."""
    from rosenblatt.report import advice
    from rosenblatt.report.telling_words import sentence

    verdict, fewest = answer.verdict, answer.fewest
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
        "telling": [
            {"kind": one.kind, "column": one.column, "rows": one.rows, "class": one.label, "text": sentence(one)}
            for one in answer.telling
        ],
        "culprits": culprit_facts(answer.culprits),
        "coefficients": None if answer.found is None else coefficient_facts(answer.found, answer.signs),
        "explanation": verdict.explain(),
        "advice": advice.advice(verdict, answer.smaller),
        "rounds": [one._asdict() for one in answer.rounds] or None,
    }

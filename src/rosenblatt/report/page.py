"""A report as one HTML file, for the screen and for printing. It needs no network."""

import base64
import io
import re
import warnings
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rosenblatt import __version__
from rosenblatt.base.files.atomic_file import replacing
from rosenblatt.base.files.file_kinds import FileKind
from rosenblatt.base.html import Markup, element, facts, table
from rosenblatt.base.words import shortened
from rosenblatt.report import text as report_text
from rosenblatt.report.advice import evidence, headline
from rosenblatt.report.cautions import cautions
from rosenblatt.report.charts import charts_of
from rosenblatt.report.proportion import percent
from rosenblatt.report.quality import Quality
from rosenblatt.report.report import Report

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
MAX_LISTED_WEIGHTS = 30
MAX_CLASS_WEIGHTS = 8  # listed for each class, if there are more than two
MAX_TABLE_CLASSES = 12  # for more classes, the confusions are listed instead
STYLE = """
:root {color-scheme: light}
body {font: 16px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 52rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: break-word}
h1 {font-size: 1.5rem; margin: 0 0 .2rem} h2 {font-size: 1.1rem; margin: 1.6rem 0 .4rem; break-after: avoid}
.answer {font-size: 1.15rem; margin: .2rem 0 1rem}
.caution {border-left: .3rem solid #b5500b; background: #fbe9dd; padding: .5rem .8rem; margin: .5rem 0}
table {border-collapse: collapse; margin: .4rem 0} caption {text-align: left; white-space: nowrap}
tr {break-inside: avoid}
td, th {padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd}
th, .number {white-space: nowrap} th {font-weight: 600}
.number {text-align: right; font-variant-numeric: tabular-nums; padding-left: .7rem}
.facts th {color: #555; font-weight: 400} .facts code {font: inherit} .wide {overflow-x: auto}
.confusion td.right {background: #e6f0f7; font-weight: 600} .confusion td.wrong {background: #fbe9dd}
img {width: 100%; height: auto; max-height: 34rem; object-fit: contain; object-position: left}
figure {margin: .5rem 0; break-inside: avoid} figcaption {color: #555}
.charts {display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; align-items: start}
.words {color: #555; margin: .2rem 0 .8rem} footer {margin-top: 2rem; color: #555; font-size: .85rem}
@media print {body {margin: 0; max-width: none; font-size: 11pt} a {color: inherit; text-decoration: none}
  h2 {margin-top: 1rem} .charts {grid-template-columns: 1fr 1fr}}
@page {margin: 18mm}
"""


def write_page(report: Report, path: Path) -> None:
    """Write the report to a file. If that fails, the old file stays."""
    page = page_of(report)
    with replacing(path, FileKind.REPORT) as file:
        file.write(page.encode())


def page_of(report: Report) -> str:
    """The HTML text of the page."""
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="generator" content="rosenblatt report">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        element("title", f"{report.algorithm} on {report.source}"),
        element("style", Markup(STYLE)),
    )
    body = element(
        "body",
        element("h1", f"{report.algorithm} on {report.source}"),
        element(
            "p", report_text.headline(report).removeprefix(f"{report.algorithm} on {report.source}: "), class_="answer"
        ),
        *(element("p", caution, class_="caution") for caution in cautions(report)),
        *sections(report),
        element("footer", f"Written by rosenblatt {__version__}. Everything on this page is in this file."),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def sections(report: Report) -> list[Markup]:
    """The sections of the page, in order."""
    charts = charts_of(report)
    return [
        section(
            "What was read",
            facts(
                [
                    ("data", report.source),
                    ("label column", report.target or "fixed by the format"),
                    ("rows", report_text.read(report)),
                ]
            ),
        ),
        section("What was done", facts(done(report))),
        section("Accuracy on new rows", *judged(report, charts)),
        section("Is the data separable?", *proved(report)),
        section(
            "How training went",
            element("p", report_text.stopped(report)),
            element("p", report_text.bound(report)),
            *pictures(charts, "mistakes"),
        ),
        section("Margins", *pictures(charts, "margins", "plane")),
        section("Weights", *weights(report, charts)),
        section("Time", facts([(name, report_text.seconds_text(seconds)) for name, seconds in report.seconds.items()])),
    ]


def section(title: str, *parts: Markup) -> Markup:
    """A section with its heading; empty if it has no content."""
    inside = [part for part in parts if re.sub(r"<[^>]*>", "", part) or "<img" in part]
    return element("section", element("h2", title), *inside) if inside else Markup()


def done(report: Report) -> list[tuple[str, str]]:
    """The algorithm, why it was chosen, and the notes."""
    lines = [("algorithm", report.algorithm), ("chosen because", report.why)]
    lines.append(("estimator", " ".join(repr(report.model).split())))
    lines += [("note", note) for note in report.notes]
    return [(name, text) for name, text in lines if text]


def judged(report: Report, charts: dict[str, Any]) -> list[Markup]:
    """The accuracy, each class, the confusions, the probabilities and the learning curve."""
    parts = [element("p", sentence(report_text.new_rows(report)))]
    if report.quality is not None:
        parts += [class_table(report, report.quality), facts(summary(report, report.quality))]
    if report.confusion is not None:
        parts.append(element("div", confusion(report, report.confusion), class_="wide"))
    if report.folds:
        rows = [(k, fold.right, fold.n, f"{100 * fold.value:.1f} %") for k, fold in enumerate(report.folds, 1)]
        parts.append(table(("fold", "right", "of", "accuracy"), rows, numbers=range(4)))
    return [*parts, *pictures(charts, "curve", "progressive", "calibration")]


def class_table(report: Report, quality: Quality) -> Markup:
    """Recall, precision and F1 of each class; for many classes, of those with the lowest recall."""
    every = quality.classes
    some = every if len(every) <= MAX_TABLE_CLASSES else quality.worst_classes(MAX_TABLE_CLASSES)
    rows = [(shortened(c.label), f"{c.rows:,}", percent(c.recall), percent(c.precision), percent(c.f1)) for c in some]
    which = "" if some is every else f"; the {len(some)} of {len(every)} classes with the lowest recall"
    listed = table(
        ("class", "rows", "recall", "precision", "F1"),
        rows,
        numbers=range(1, 5),
        caption=f"Each class, on the {report.judged}{which}",
    )
    return Markup(
        element("div", listed, class_="wide") + element("p", f"{sentence(report_text.CLASS_WORDS)}", class_="words")
    )


def summary(report: Report, quality: Quality) -> list[tuple[str, str]]:
    """The numbers that describe all classes together, each with what it means."""
    lines = [
        (
            "balanced accuracy",
            f"{percent(quality.balanced_accuracy)}: the mean recall of the classes; always predicting one class has "
            f"{percent(quality.balanced_baseline)}",
        )
    ]
    if quality.ranking is not None:
        rank = quality.ranking
        lines.append(("ROC AUC", f"{rank.roc_auc:.3f}: {report_text.roc_words(rank)}"))
        lines.append(("average precision", f"{rank.average_precision:.3f}: {report_text.precision_words(rank)}"))
    lines.append(("baseline", report_text.baseline(report)))
    lines.append(("probabilities", report_text.probabilities(report)))
    return [(name, text) for name, text in lines if text]


def sentence(words: str) -> str:
    """Words as a sentence, with a capital letter and a full stop."""
    return f"{words[0].upper()}{words[1:]}."


def confusion(report: Report, counts: NDArray[Any]) -> Markup:
    """The confusion matrix as a table; for many classes, the most frequent confusions as a sentence."""
    if len(report.classes) > MAX_TABLE_CLASSES:
        return element("p", sentence(report_text.confusion(report)))
    labels = [shortened(label) for label in report.classes]
    head = element("tr", element("th", "true class"), *(element("th", label, class_="number") for label in labels))
    rows = []
    for i, label in enumerate(labels):
        cells = [
            element("td", f"{count:,}", class_=f"number {'right' if i == j else 'wrong' if count else ''}".strip())
            for j, count in enumerate(counts[i].tolist())
        ]
        rows.append(element("tr", element("th", label, scope="row"), *cells))
    caption = element(
        "caption", f"{report.judged[0].upper()}{report.judged[1:]}, by true class (rows) and predicted class (columns)"
    )
    return element("table", caption, element("thead", head), element("tbody", *rows), class_="confusion")


def proved(report: Report) -> list[Markup]:
    """The verdict, its evidence, and links to its certificates."""
    verdict = report.verdict
    if verdict is None:
        return [element("p", "This was not checked.")]
    parts = [element("p", element("b", headline(verdict, report.fewest))), with_code(evidence(verdict))]
    if report.fewest is not None:
        parts.append(element("p", report.fewest.explain()))
    for name, certificate in (
        ("certificate", verdict.certificate),
        ("fewest_errors", None if report.fewest is None else report.fewest.certificate),
    ):
        if certificate is not None:
            text = certificate.to_json() + "\n"
            link = element(
                "a", f"{name}.json", href=address("application/json", text.encode()), download=f"{name}.json"
            )
            parts.append(
                element(
                    "p", "Certificate: ", link, f", {len(text):,} bytes. To verify it: ", how_to_check(report, name)
                )
            )
    return parts


def how_to_check(report: Report, name: str) -> Markup:
    """The command that verifies a certificate; a Python call if the command cannot read the same rows."""
    if not report.check:
        return element("code", f'Certificate.from_json(open("{name}.json").read()).verify(X, y)')
    return element("code", f"rosenblatt verify {name}.json {report.check}")


def weights(report: Report, charts: dict[str, Any]) -> list[Markup]:
    """The columns with the largest weights."""
    if len(report.classes) > 2:
        tops = [(shortened(label), report.ranked_weights(label)[:MAX_CLASS_WEIGHTS]) for label in report.classes]
        rows = [(label, report_text.with_weights(top)) for label, top in tops if top]
        return [table(("class", "largest weights"), rows)] if rows else []
    ranked = [(shortened(name), f"{weight:+.6g}") for name, weight in report.ranked_weights()[:MAX_LISTED_WEIGHTS]]
    if not ranked:
        return []
    ranked.append(("(constant)", f"{float(report.classifier.intercept_[0]):+.6g}"))
    listed = table(("column", f"weight for {shortened(report.classes[1])}"), ranked, numbers=(1,))
    return [element("div", *pictures(charts, "weights"), listed, class_="charts")]


def with_code(text: str) -> Markup:
    """A paragraph in which text between backticks is shown as code."""
    pieces = text.split("`")
    return element("p", *(element("code", piece) if k % 2 else piece for k, piece in enumerate(pieces)))


def pictures(charts: dict[str, Any], *names: str) -> list[Markup]:
    """The charts with these names that exist."""
    found = []
    for name in names:
        if name in charts:
            words, figure = charts[name]
            image = Markup(f'<img alt="{element("i", words)[3:-4]}" src="{address("image/svg+xml", svg(figure))}">')
            found.append(element("figure", image, element("figcaption", words)))
    return found


def svg(figure: Any) -> bytes:
    """A figure as SVG; the same figure gives the same bytes."""
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "rosenblatt"}), warnings.catch_warnings(action="ignore"):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def address(kind: str, content: bytes) -> str:
    """A data URL that holds the content."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"

"""`rosenblatt info`: describe a file, or the installation."""

import importlib.metadata
import importlib.util
import json
import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt import __version__
from rosenblatt.base.html import printable
from rosenblatt.base.text_tables.dialect import DialectOptions
from rosenblatt.cli.inputs import as_file, format_of, is_pipe, read_certificate
from rosenblatt.cli.option_groups import grouped
from rosenblatt.cli.options import AsJson, Format, Target, Text, TextOptions, echo_json
from rosenblatt.data.large.cores import cores

PARTS = ("numpy", "scipy", "numba", "scikit-learn", "python-flint", "pyarrow", "safetensors", "rich", "typer")
EXTRAS = {"plot": "matplotlib", "frame": "pandas", "onnx": "onnx", "serve": "starlette"}
MAX_LISTED = 8  # labels, names or weights in a line
MAX_LISTED_COLUMNS, MAX_NAME_LENGTH = 40, 32
PRINTED_APART = ("table", "remarks", "class_shares")
MAX_FIRST_LINE_BYTES = 1 << 24


@grouped
def info(
    *,
    file: Annotated[Text, typer.Argument(metavar="FILE", help="A model, a certificate, a trace or data.")] = None,
    target: Target = None,
    text: TextOptions,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Describe a file: a model, a certificate, a trace or data. Without a file, describe the installation.

    Of a table, count the classes, the gaps, rows that occur twice, equal rows with different labels, and name columns
    that are constant, IDs or nearly unique. Gaps are no error here.

    Examples:

    rosenblatt info

    rosenblatt info iris.model

    rosenblatt info iris.csv --json
    """
    facts = _of_installation() if file is None else _of_file(file, target, format, text)
    if as_json:
        echo_json(facts)
        return
    _print_facts({name: value for name, value in facts.items() if name not in PRINTED_APART})
    if facts.get("table"):
        typer.echo("")
        _print_table(facts["table"])
    for remark in facts.get("remarks", []):
        typer.echo(printable(f"\nnote: {remark}").rstrip())


def _print_facts(facts: dict[str, Any]) -> None:
    """Print a line for each fact; of the classes of data, also their shares."""
    width = max(map(len, facts))
    for name, value in facts.items():
        if value not in ([], None) and (name, value) != ("bad_lines", 0):
            text = value if isinstance(value, str) else _in_words(value)
            if name == "classes" and isinstance(value, dict):
                text = _classes_in_words(value)
            typer.echo(f"{name.replace('_', ' '):<{width}}  {printable(text)}".rstrip())


def _classes_in_words(classes: dict[str, int]) -> str:
    total = sum(classes.values())
    most = sorted(classes.items(), key=lambda item: -item[1])[:MAX_LISTED]
    listed = ", ".join(f"{label} {count:,} ({count / total:.1%})" for label, count in most)
    return listed + (f", and {len(classes) - MAX_LISTED:,} more" if len(classes) > MAX_LISTED else "")


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(part)}" for name, part in value.items())
    if isinstance(value, list):
        more = f", and {len(value) - MAX_LISTED} more" if len(value) > MAX_LISTED else ""
        return ", ".join(map(_in_words, value[:MAX_LISTED])) + more
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _of_installation() -> dict[str, Any]:
    extras = {name: importlib.util.find_spec(module) is not None for name, module in EXTRAS.items()}
    return {
        "rosenblatt": __version__,
        "python": platform.python_version(),
        "cores": cores(),
        "parts": {part: importlib.metadata.version(part) for part in PARTS},
        "extras": [name for name, there in extras.items() if there],
        "missing_extras": [f"pip install 'rosenblatt[{name}]'" for name, there in extras.items() if not there],
    }


def _of_file(name: str, target: Text, format: Text, text: TextOptions) -> dict[str, Any]:  # noqa: A002
    from rosenblatt.data.files.sources import check_readable

    with as_file(name, format) as path:
        if format is None and path.is_file():
            with path.open("rb") as file:
                start = file.readline(MAX_FIRST_LINE_BYTES)
            if start[8:9] == b"{" and start[:1] != b"{":
                return _of_model(path)
            if start.lstrip()[:1] == b"{":
                found = _of_json(path, start)
                if found is not None:
                    return found
        elif "://" not in name and "*" not in name:
            check_readable(name)
        return _of_data(path if is_pipe(name) else name, name, target, format_of(name, format), text)


def _of_model(path: Path) -> dict[str, Any]:
    from rosenblatt.models.input_rows import classifier_of
    from rosenblatt.models.save import load

    model = load(path)
    inner = classifier_of(model)
    trained = inner.estimator_ if hasattr(inner, "n_held_out_") else inner
    reason = getattr(trained, "stop_reason_", None)
    encoding = getattr(inner, "encoding_", None)
    facts = {
        "kind": "model",
        "estimator": " ".join(repr(model).split()),
        "classes": model.classes_.tolist(),
        "columns": getattr(model, "n_features_in_", None),
        "names": list(map(str, getattr(model, "feature_names_in_", []))),
        "target": None if encoding is None else encoding.get("target"),
        "zero_based": None if encoding is None else encoding.get("zero_based"),
        "stop_reason": None if reason is None else str(reason),
        "passes": getattr(trained, "n_iter_", None),
        "updates": getattr(trained, "n_updates_", None),
        "probabilities": _probabilities(inner),
    }
    if len(facts["classes"]) == 2 and hasattr(inner, "ranked_weights"):
        facts["largest_weights"] = {column: round(weight, 6) for column, weight in inner.ranked_weights()[:MAX_LISTED]}
    return {fact: value.item() if hasattr(value, "item") else value for fact, value in facts.items()}


def _probabilities(classifier: Any) -> str | None:
    rows = getattr(classifier, "n_held_out_", None)
    return None if rows is None else f"calibrated on {rows:,} training rows held out ({classifier.method_})"


def _of_json(path: Path, start: bytes) -> dict[str, Any] | None:
    """The facts of a certificate or a trace; None if the file holds rows."""
    if b'"rosenblatt_trace"' in start.split(b"\n")[0]:
        from rosenblatt.tracing.trace import Trace

        trace = Trace.from_jsonl(path.read_text(encoding="utf-8"))
        reason = "cut off" if trace.stop_reason is None else str(trace.stop_reason)
        facts = {"kind": "trace", "estimator": trace.estimator, "steps": len(trace), "stop_reason": reason}
        return facts | {"classes": list(trace.classes), "names": list(trace.feature_names)}
    try:
        json.loads(start.split(b"\n")[0])
        whole_line = True
    except ValueError:
        whole_line = False
    if path.suffix.lower() in (".jsonl", ".ndjson") and whole_line:
        return None
    claim = read_certificate(str(path))
    return {"kind": "certificate", "claim": claim.claim, "words": claim.explain(), "bytes": len(claim.to_json())}


def _of_data(name: Any, source: str, target: Text, format: Any, text: TextOptions) -> dict[str, Any]:  # noqa: A002
    """The facts of a data file. Those of a table are counted also if it has gaps."""
    from rosenblatt.data.files.sources import places

    DialectOptions(*text).check()
    files = places(name, format)
    if files[0].format in ("libsvm", "vw", "npz"):
        return _of_matrix(files, target, text)
    return _of_table(files, source, target, text)


def _of_matrix(files: Any, target: Text, text: TextOptions) -> dict[str, Any]:
    """The facts of sparse text or arrays."""
    import numpy as np

    from rosenblatt.data.files.read import read

    found = read(files, target, **text.for_read())
    labels, counts = np.unique(found.y, return_counts=True)
    classes = {str(label): int(count) for label, count in zip(labels, counts, strict=True)}
    facts = {
        "kind": "data",
        "format": files[0].format,
        "rows": len(found.y),
        "columns": int(found.X.shape[1]),
        "names": found.feature_names or [],
        "target": None,
        "classes": classes,
        "class_shares": _shares(classes),
        "storage": "sparse" if hasattr(found.X, "nnz") else "dense",
    }
    if hasattr(found.X, "nnz"):
        facts["nonzeros"] = int(found.X.nnz)
    return facts


def _of_table(files: Any, source: str, target: Text, text: TextOptions) -> dict[str, Any]:
    """The facts of a table: all that is counted, and each column."""
    from rosenblatt.data.table_facts import facts_of

    found = facts_of(files, source, target, DialectOptions(*text))
    encoding, remarks = found.encoding, {column.name: column.remark for column in found.columns if column.remark}
    written = "" if found.dialect is None else found.dialect.explain(files[0].format)
    facts: dict[str, Any] = {
        "kind": "data",
        "format": files[0].format,
        **({"text": written} if written else {}),
        "rows": found.rows,
        "columns": len(found.columns) if encoding is None else encoding.width,
        "names": [c.name for c in found.columns] if encoding is None else encoding.feature_names or [],
        "target": found.target,
        "classes": found.classes,
        "class_shares": _shares(found.classes),
        "storage": None if encoding is None else "dense" if encoding.is_dense else "sparse",
        "gaps": found.gaps,
        "rows_with_gaps": found.rows_with_gaps,
        "duplicates": found.duplicates,
        "missing_labels": found.rows - sum(found.classes.values()),
        "contradictions": found.contradictions,
        "bad_lines": found.bad_lines,
    }
    for kind in ("constant", "ID", "nearly unique", "no value", "counts"):
        facts[kind.lower().replace(" ", "_")] = [name for name, remark in remarks.items() if remark == kind]
    facts["remarks"] = found.remarks
    facts["table"] = [column._asdict() for column in found.columns]
    return facts


def _shares(classes: dict[str, int]) -> dict[str, float]:
    total = sum(classes.values())
    return {label: round(count / total, 4) for label, count in classes.items()}


def _print_table(columns: list[dict[str, Any]]) -> None:
    """Print a line for each column of a table."""
    from rosenblatt.data.table_facts import ColumnFacts, remark_in_words

    lines = [("column", "kind", "gaps", "values", "range", "")]
    for column in (ColumnFacts(**record) for record in columns[:MAX_LISTED_COLUMNS]):
        span = "" if column.least is None else f"{column.least:g} to {column.most:g}"
        name = column.name if len(column.name) <= MAX_NAME_LENGTH else f"{column.name[: MAX_NAME_LENGTH - 3]}..."
        counts = (f"{column.gaps:,}" if column.gaps else "", f"{column.distinct:,}")
        lines.append((printable(name), column.kind, *counts, span, remark_in_words(column)))
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        cells = [
            cell.rjust(width) if k in (2, 3) and number else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        typer.echo("  ".join(cells).rstrip())
    if len(columns) > MAX_LISTED_COLUMNS:
        typer.echo(f"and {len(columns) - MAX_LISTED_COLUMNS:,} more columns; --json has all")

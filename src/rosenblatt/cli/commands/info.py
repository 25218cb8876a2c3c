"""`rosenblatt info`: describe a file, or the installation."""

import importlib.metadata
import importlib.util
import json
import os
import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt import __version__
from rosenblatt.base.html import printable
from rosenblatt.cli.inputs import as_file, format_of, is_pipe, read_certificate, refuse_too_many_classes
from rosenblatt.cli.options import AsJson, Format, Target, Text, echo_json

PARTS = ("numpy", "scipy", "numba", "scikit-learn", "python-flint", "pyarrow", "safetensors", "rich", "typer")
EXTRAS = {"plot": "matplotlib", "frame": "pandas", "onnx": "onnx", "serve": "starlette"}
MAX_LISTED = 8  # labels, names or weights in a line
MAX_FIRST_LINE_BYTES = 1 << 24


def info(
    file: Annotated[Text, typer.Argument(metavar="FILE", help="A model, a certificate, a trace or data.")] = None,
    target: Target = None,
    format: Format = None,  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Describe a file: a model, a certificate, a trace or data. Without a file, describe the installation.

    Examples:

    rosenblatt info

    rosenblatt info iris.model

    rosenblatt info iris.csv --json
    """
    facts = _of_installation() if file is None else _of_file(file, target, format)
    if as_json:
        echo_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        if value not in ([], None):
            shown = printable(value if isinstance(value, str) else _in_words(value))
            typer.echo(f"{name.replace('_', ' '):<{width}}  {shown}")


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
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "parts": {part: importlib.metadata.version(part) for part in PARTS},
        "extras": [name for name, there in extras.items() if there],
        "missing_extras": [f"pip install 'rosenblatt[{name}]'" for name, there in extras.items() if not there],
    }


def _of_file(name: str, target: Text, format: Text) -> dict[str, Any]:  # noqa: A002
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
        return _of_data(path if is_pipe(name) else name, target, format_of(name, format))


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


def _of_data(name: Any, target: Text, format: Any) -> dict[str, Any]:  # noqa: A002
    import numpy as np

    from rosenblatt.data.files.read import read
    from rosenblatt.data.files.sources import places

    found = read(name, target, format=format)
    refuse_too_many_classes(str(name), found.y.tolist(), target)
    labels, counts = np.unique(found.y, return_counts=True)
    facts = {
        "kind": "data",
        "format": places(name, format)[0].format,
        "rows": len(found.y),
        "columns": int(found.X.shape[1]),
        "names": found.feature_names or [],
        "target": None if found.encoding is None else found.encoding.target,
        "classes": {str(label): int(count) for label, count in zip(labels, counts, strict=True)},
        "storage": "sparse" if hasattr(found.X, "nnz") else "dense",
    }
    if hasattr(found.X, "nnz"):
        facts["nonzeros"] = int(found.X.nnz)
    return facts

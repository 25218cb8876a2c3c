"""The sentence that says why a run stopped, and what it reached."""

from typing import Any

from rosenblatt.base.stopping import StopReason
from rosenblatt.base.words import count_of
from rosenblatt.tracing.step import Kind
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import REACHED


def outcome(steps: Trace, chart: Any) -> dict[str, str]:
    """Return why a run stopped, and what it reached: `kind` is "good", "bad" or "open", `text` is a sentence."""
    if steps.stop_reason is None:
        return {
            "kind": "open",
            "text": f"Only the first {len(steps):,} steps are shown; the run had not stopped by then.",
        }
    kind = "good" if steps.stop_reason in REACHED else "bad"
    reason = (
        SENTENCES.get((steps.kind, steps.stop_reason)) or SENTENCES.get(steps.stop_reason) or steps.stop_reason.sentence
    )
    return {"kind": kind, "text": reason + _counts(steps, chart)}


def _counts(steps: Trace, chart: Any) -> str:
    """Return the number of updates and passes; for a pocket or a batch, the errors of the best weights."""
    text = ""
    if steps.kind in (Kind.ROWS, Kind.KERNEL) and len(steps) and not steps.members:
        text = f" {count_of(steps[-1].updates, 'update')} in {count_of(steps[-1].epoch, 'pass')}."
    best = [curve for curve in (chart or {}).get("series", []) if curve["role"] == "best" and curve["points"]]
    if best:
        text += f" The best weights have {count_of(int(best[0]['points'][-1][1]), 'point')} wrong."
    return text


SENTENCES: dict[Any, str] = {
    StopReason.MISTAKE_FREE: "A whole pass made no mistake: every point is on its right side.",
    (Kind.HULLS, StopReason.GAP_CLOSED): "The bounds of the margin are within epsilon of each other.",
    (Kind.GAUSSIANS, StopReason.GAP_CLOSED): "The bounds of the radius are within epsilon of each other.",
    StopReason.PROVED_OVERLAP: "No line has every point strictly on its right side; the active points prove it.",
    (Kind.GAUSSIANS, StopReason.PROVED_OVERLAP): (
        "No line separates the means: for every line, the error of some Gaussian is at least one half."
    ),
    StopReason.BUDGET: "It used all allowed passes before it was done.",
    (Kind.GAUSSIANS, StopReason.BUDGET): "It used all allowed steps before it was done.",
    StopReason.PATIENCE: "It stopped because no look within its patience found better weights.",
}

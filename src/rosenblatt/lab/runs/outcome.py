"""Why a run stopped, and what it reached, in a sentence."""

from typing import Any

from rosenblatt.base.stopping import StopReason
from rosenblatt.tracing.trace import Trace
from rosenblatt.tracing.tracer import REACHED

SEARCHES = {"hulls": "margin", "gaussians": "radius"}  # kinds of traces, and what is looked for


def outcome(made: Trace, chart: Any) -> dict[str, str]:
    """Why it stopped, and what was reached."""
    if made.stop_reason is None:
        return {"kind": "open", "text": f"Only the first {len(made):,} steps are shown; it had not stopped by then."}
    kind = "good" if made.stop_reason in REACHED else "bad"
    what = SEARCHES.get(made.kind, "")
    said = ENDINGS.get((made.kind, made.stop_reason)) or ENDINGS.get(made.stop_reason) or made.stop_reason.sentence
    return {"kind": kind, "text": said.format(what=what) + _counted(made, chart)}


def _counted(made: Trace, chart: Any) -> str:
    """Updates and passes; of a pocket, or a batch, what the best weights have wrong."""
    text = ""
    if made.kind in ("rows", "kernel") and len(made) and not made.members:
        updates, passes = made[-1].updates, made[-1].epoch
        text = f" {updates} update{'s' * (updates != 1)} in {passes} pass{'es' * (passes != 1)}."
    best = [curve for curve in (chart or {}).get("series", []) if curve["role"] == "best" and curve["points"]]
    if best:
        wrong = int(best[0]["points"][-1][1])
        text += f" The best weights have {wrong} point{'s' * (wrong != 1)} wrong."
    return text


ENDINGS: dict[Any, str] = {
    StopReason.MISTAKE_FREE: "A whole pass made no mistake: every point is on its right side.",
    StopReason.GAP_CLOSED: "The bounds of the {what} are within epsilon of each other.",
    StopReason.PROVED_OVERLAP: "No line has every point strictly on its right side; the active points prove it.",
    ("gaussians", StopReason.PROVED_OVERLAP): "No line separates the means: on some Gaussian it errs half of the time.",
    StopReason.BUDGET: "The passes allowed were used before it was done.",
    ("gaussians", StopReason.BUDGET): "The steps allowed were used before it was done.",
    StopReason.PATIENCE: "For as many looks as its patience allows, the best weights were not beaten.",
}

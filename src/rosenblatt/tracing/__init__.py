"""Every step of a training run.

`trace` and `trace_gaussians` record a run and return a `Trace`, a sequence of `Step`. `narration` describes the steps
in words.
"""

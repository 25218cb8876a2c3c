"""Every step of a training run.

Doors: `tracer.trace` and `tracer.trace_gaussians` record a run as a `trace.Trace`, a sequence of `step.Step`;
`narration` describes the steps in words.
"""

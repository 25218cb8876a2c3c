"""Every step of a training run. Doors: `trace`, `trace_gaussians`, `Trace`, `Step`, `narration`."""

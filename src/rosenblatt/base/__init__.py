"""What every other room may use: geometry, exact numbers, parameters, progress and files; numpy only.

Doors: `Hyperplane`, `McCullochPittsNeuron`, `regions`, `StopReason`, and the modules `parameters`, `exact`, `html`,
`events`, `atomic_file`, `schema`, `header`, `words`.
"""

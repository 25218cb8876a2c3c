"""Geometry, exact numbers, parameters, progress and files, for all other rooms. It needs numpy only.

Doors: `Hyperplane`, `McCullochPittsNeuron`, `regions`, `StopReason`, and the modules `parameters`, `exact`, `html`,
`events`, `file_kinds`, `atomic_file`, `output_files`, `schema`, `header`, `words`.
"""

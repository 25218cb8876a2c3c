"""Geometry, exact numbers, parameters, progress and files, for all other rooms. It needs numpy only.

Doors: `Hyperplane`, `McCullochPittsNeuron`, `regions`, `StopReason`, and the modules `parameters`, `exact`, `html`,
`events`, `atomic_file`, `files.file_kinds`, `files.output_files`, `schema`, `header`, `words`.
"""

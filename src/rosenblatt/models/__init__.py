"""Trained models as files, as JSON and as ONNX graphs.

Doors: `save.save` and `save.load` keep a whole model; `export.to_json` and `export.to_onnx` export a linear one;
`input_rows` reads the rows of a file as a model needs them; `river.to_river` makes a classifier of river.
"""

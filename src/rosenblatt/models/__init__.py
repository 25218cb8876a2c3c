"""Trained models as files, as JSON and as ONNX graphs.

Doors: `save.save` and `save.load` keep a whole model; `export.to_json` exports a linear one, `export.to_onnx` any;
`skl2onnx_converters` lets skl2onnx convert pipelines; `river.to_river` makes a classifier of river; `input_rows` reads
the rows of a file as a model needs them.
"""

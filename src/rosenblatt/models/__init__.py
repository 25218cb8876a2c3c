"""Trained models as files, as JSON and as ONNX graphs.

`save` and `load` keep a whole model. `to_json` and `to_onnx` export linear models. `input_rows` reads rows from a file
as a model needs them. Other modules are private to this package.
"""

"""Trained models as files, JSON and ONNX. Doors: `save`, `load`, `to_json`, `to_onnx`, `input_rows`."""

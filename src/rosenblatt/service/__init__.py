"""The service: models that learn online over HTTP, from examples that are on disk before they are acknowledged.

Doors: `http.app.app_of` makes the application, `http.serving.serve` runs it, and `running.models.Models` is what it
serves, without HTTP.
"""

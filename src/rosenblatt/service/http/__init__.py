"""The service over HTTP. Doors: `app` (the application) and `serving` (which runs it)."""

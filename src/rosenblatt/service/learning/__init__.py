"""What one model of the service learns, in memory. Doors: `spec`, `examples`, `online_model`, `monitor`."""

"""Trackers that keep their runs in a folder, a zip of it or a database: MLflow, trackio, ClearML, Neptune."""

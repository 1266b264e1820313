"""Trackers that keep their runs in a folder of small files or in a database: MLflow, trackio."""

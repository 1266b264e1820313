"""Formats of no framework: key=value, JSON, CSV, tables, bars, our own recordings."""

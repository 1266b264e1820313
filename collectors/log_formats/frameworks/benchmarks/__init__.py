"""Benchmarks and the loggers of their reference implementations."""

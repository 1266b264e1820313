"""A Prometheus server as a source: its HTTP API, asked with the standard library alone."""

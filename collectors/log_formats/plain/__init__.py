"""A second look at a log, which knows no format: what its words count."""

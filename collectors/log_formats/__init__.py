"""One file per log format: its grammar, its units, and what its time figure includes."""

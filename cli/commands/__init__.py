"""One module per command; each composes sources, analysis and screens."""

"""Trees that are boosted: a round is an iteration."""

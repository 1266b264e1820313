"""Plans (what if the batch or a cadence changed) and comparisons of two runs."""

"""Why an iteration was slow, and where all wall time went."""

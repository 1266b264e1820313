"""What the wall time is made of: iterations that passed, totals that the log prints, and what both rest on."""

"""Several ranks of one run side by side."""

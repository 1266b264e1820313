"""All runs at once: what there is, a line for each, and how the list goes on while one looks."""

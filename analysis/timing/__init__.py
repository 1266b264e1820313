"""The normal iteration, its level, and what is slower than that."""

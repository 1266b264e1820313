"""nanoGPT, its relatives and descendants."""

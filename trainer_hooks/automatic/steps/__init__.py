"""Where an iteration ends: which step of which optimizer, and what it changes."""

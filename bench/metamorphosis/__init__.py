"""Logs changed in ways that change nothing of what they say, and whether the figures stay the same."""

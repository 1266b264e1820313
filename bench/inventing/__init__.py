"""Trainings that never were, and the ways in which scripts print them: what is true of each log is known."""

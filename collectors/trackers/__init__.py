"""Run files of experiment trackers."""

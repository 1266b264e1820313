"""Starts a training and keeps it going (`itermon run`, `itermon demo`)."""

"""Trainings that never were, printed as well known trainers print them."""

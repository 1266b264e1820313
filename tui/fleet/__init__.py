"""The screen of many ranks."""

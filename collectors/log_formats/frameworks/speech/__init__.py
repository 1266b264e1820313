"""Speech: recognition and synthesis."""

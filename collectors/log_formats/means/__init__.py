"""What a printed time is the mean of: all steps so far, the newest of them, or whole units; a row's own time from it."""

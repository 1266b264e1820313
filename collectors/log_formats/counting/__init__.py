"""Where a row stands in its run, whatever it counts with."""

"""Networks that solve equations."""

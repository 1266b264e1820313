"""The panels of the watch screen, one module each."""

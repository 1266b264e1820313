"""The grammar that log formats are written in."""

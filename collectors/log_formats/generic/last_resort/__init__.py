"""Formats that are tried where no other finds an iteration."""

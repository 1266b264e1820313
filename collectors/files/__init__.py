"""Bytes of files that others write: followed, decoded, watched."""

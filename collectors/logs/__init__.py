"""A log as a source: found, read, joined with a second file, shown as text."""

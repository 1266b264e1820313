"""The command line: options, exit codes, sources, and one module per command."""

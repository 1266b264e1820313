"""The command that looks after runs, and how it outlives the session that started it."""

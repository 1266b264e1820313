"""Attempts of one training: a run that was resumed, queued again or started anew goes on where another stopped."""

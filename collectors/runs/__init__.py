"""Runs with hooks as sources: recordings, sockets, ranks, other machines, replays."""
